#include "doctor/defect.h"

#include "image/names.h"
#include "recipe/cuda_name.h"

#include <llvm/ADT/STLExtras.h>

namespace tcfix::doctor {

using resolve::LoadProblem;
using Kind = Defect::Kind;

namespace {

bool startsWithAny(llvm::StringRef text, std::initializer_list<llvm::StringRef> prefixes) {
  return llvm::any_of(prefixes, [&](llvm::StringRef prefix) { return text.starts_with(prefix); });
}

Kind kindOf(const LoadProblem& problem) {
  switch (problem.code) {
  case LoadProblem::Code::MissingDependency:
    return kindOfDependency(problem.dependency);
  case LoadProblem::Code::MissingSymbols:
    return Kind::MissingSymbols;
  case LoadProblem::Code::MissingVersion:
    return kindOfVersions(problem.symbols);
  case LoadProblem::Code::WrongArchitecture:
    return Kind::WrongArchitecture;
  case LoadProblem::Code::DuplicateEntry:
    return Kind::DuplicateEntry;
  case LoadProblem::Code::DuplicateDependency:
    return Kind::DuplicateDependency;
  case LoadProblem::Code::Refused:
    return Kind::SignatureInvalid;
  case LoadProblem::Code::Unreadable:
    break;
  }
  return Kind::Unreadable;
}

} // namespace

Kind kindOfDependency(llvm::StringRef dependency) {
  llvm::StringRef name = baseName(dependency);
  if (name.starts_with("libpython") || name.starts_with_insensitive("python3"))
    return Kind::LibpythonMissing;
  if (recipe::isOfNvidiaDriver(name))
    return Kind::DriverMissing;
  return recipe::cudaMajorOf(name) ? Kind::CudaMissing : Kind::MissingDependency;
}

Kind kindOfVersions(llvm::ArrayRef<std::string> versions) {
  auto isOf = [&](std::initializer_list<llvm::StringRef> prefixes) {
    return llvm::any_of(versions,
                        [&](llvm::StringRef version) { return startsWithAny(version, prefixes); });
  };
  return isOf({"GLIBCXX", "CXXABI"}) ? Kind::LibstdcxxTooOld
         : isOf({"GLIBC_"})          ? Kind::GlibcTooOld
                                     : Kind::LibraryTooOld;
}

Defect defectOf(const LoadProblem& problem) {
  Defect defect{kindOf(problem), problem.library, problem.dependency, {}, problem.provider};
  defect.items = problem.symbols;
  defect.tried = problem.tried;
  defect.sentence = problem.message;
  if (defect.kind == Kind::Unreadable && !problem.provider.empty())
    defect.path = problem.provider;
  return defect;
}

} // namespace tcfix::doctor
