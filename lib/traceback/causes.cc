#include "traceback/causes.h"

#include "base/version.h"
#include "doctor/python_tag.h"
#include "image/names.h"
#include "providers/ffmpeg_name.h"
#include "providers/torch.h"
#include "recipe/cuda_name.h"
#include "recipe/recipe.h"
#include "recipe/torch_symbols.h"

#include <llvm/ADT/STLExtras.h>

namespace tcfix::traceback {

using resolve::LoadProblem;
using Kind = Defect::Kind;

namespace {

int rankOf(const Defect& failure) {
  return recipe::defaultRecipe().roleOf(baseName(failure.path)).rank;
}

/// Loaded before the others of its major: if one of those failed, this one did not.
bool isCore(const Defect& failure) {
  return isOwnLibrary(failure) && rankOf(failure) == 0;
}

bool isFfmpegMissing(const Defect& failure) {
  if (failure.kind == Kind::MissingDependency && !failure.name.empty())
    return providers::parseFfmpegName(failure.name).has_value();
  // Windows does not name it; a DLL that tcfix has converted fails to start without it.
  return isCore(failure) &&
         (failure.kind == Kind::MissingDependency || failure.kind == Kind::InitializationFailed);
}

/// The package that a file belongs to; empty if its path does not say.
std::string packageOf(llvm::StringRef path) {
  for (llvm::StringRef site : {"site-packages", "dist-packages"}) {
    size_t at = path.rfind(site);
    if (at == llvm::StringRef::npos)
      continue;
    llvm::StringRef rest = path.substr(at + site.size()).ltrim("/\\");
    llvm::StringRef package = rest.take_front(rest.find_first_of("/\\"));
    if (package.size() < rest.size())
      return package.split('.').first.str(); // of "NAME.libs", too
  }
  return {};
}

LoadProblem::Code codeOf(Kind kind) {
  switch (kind) {
  case Kind::MissingDependency:
  case Kind::PackageMissing:
  case Kind::PackageDamaged:
    return LoadProblem::Code::MissingDependency;
  case Kind::MissingSymbols:
    return LoadProblem::Code::MissingSymbols;
  case Kind::LibstdcxxTooOld:
  case Kind::GlibcTooOld:
  case Kind::LibraryTooOld:
    return LoadProblem::Code::MissingVersion;
  case Kind::WrongArchitecture:
    return LoadProblem::Code::WrongArchitecture;
  case Kind::DuplicateEntry:
    return LoadProblem::Code::DuplicateEntry;
  case Kind::Unreadable:
    return LoadProblem::Code::Unreadable;
  default:
    return LoadProblem::Code::Refused;
  }
}

/// `import torch` failed, which comes before everything else.
Defect brokenTorch(const Defect& failure) {
  Defect defect = failure;
  bool isRuntime = failure.name.empty() && (failure.kind == Kind::MissingDependency ||
                                            failure.kind == Kind::InitializationFailed);
  defect.kind = isRuntime ? Kind::TorchLacksRuntime : Kind::TorchBroken;
  defect.sentence = doctor::sentenceOf(failure);
  if (!failure.items.empty())
    defect.name = failure.items.front();
  return defect;
}

} // namespace

bool isOwnLibrary(const Defect& failure) {
  return llvm::StringRef(failure.path).contains(recipe::defaultRecipe().libraryPrefix);
}

Progress progressOf(const Defect& failure) {
  if (failure.kind == Kind::CauseNotTold)
    return rankOf(failure) > 0 ? Progress::Further : Progress::Nowhere;
  return isFfmpegMissing(failure) ? Progress::WithoutFfmpeg : Progress::Further;
}

bool isTorchTheCause(const Defect& failure) {
  if (failure.kind != Kind::MissingSymbols)
    return false;
  // Windows names no symbol.
  return failure.items.empty() ? isOwnLibrary(failure)
                               : recipe::isTorchSymbol(failure.items.front()) ||
                                     providers::isTorchLibrary(failure.provider);
}

std::string failedPackage(const Defect& failure) {
  if (failure.kind == Kind::PackageMissing)
    return failure.name;
  if (std::string package = packageOf(failure.path); !package.empty())
    return package;
  return isOwnLibrary(failure) || failure.path.empty() ? recipe::defaultRecipe().name
                                                       : baseName(failure.path).str();
}

LoadProblem problemOf(const Defect& failure) {
  LoadProblem problem;
  problem.code = codeOf(failure.kind);
  problem.library = failure.path;
  problem.provider = failure.provider;
  problem.symbols = failure.items;
  problem.tried = failure.tried;
  problem.message = doctor::sentenceOf(failure);
  if (failure.kind != Kind::WrongArchitecture)
    problem.dependency = failure.name;
  return problem;
}

Defect classified(const Defect& failure, const std::string& package, const TracebackFacts& facts) {
  if (package == "torch" && failure.kind != Kind::WrongArchitecture &&
      failure.kind != Kind::PackageMissing)
    return brokenTorch(failure);
  Defect defect = failure;
  const std::string tag = doctor::pythonTagOf(baseName(failure.path));
  const std::optional<Version> python = parseVersion(facts.python);
  if (!tag.empty() && python && tag != doctor::pythonTagFor(python->text())) {
    defect.kind = Kind::PythonAbi;
    defect.name = tag;
    defect.actual = facts.python;
  } else if (failure.kind == Kind::PythonAbi) {
    defect.name = "Python " + failure.name;
  } else if (failure.kind == Kind::MissingDependency) {
    defect.kind = recipe::isOtherCuda(failure.name, recipe::torchBuildOf(facts.torch))
                      ? Kind::CudaVariantMismatch
                      : doctor::kindOfDependency(failure.name);
    defect.isRepairable =
        providers::isTorchLibrary(failure.name) || baseName(failure.name).starts_with("libpython");
  } else if (isTorchTheCause(failure)) {
    defect.kind = Kind::MissingTorchSymbols;
  } else if (failure.kind == Kind::PackageMissing && failure.name == "torch") {
    defect.kind = Kind::TorchMissing;
  } else if (failure.kind == Kind::WrongArchitecture) {
    for (const FailureGroup& group : facts.groups)
      if (group.major)
        defect.majors.push_back(group.major);
  }
  return defect;
}

Defect ffmpegDefect(const Defect& first, const TracebackFacts& facts) {
  Defect defect = first;
  for (const FailureGroup& group : facts.groups)
    if (group.major)
      defect.majors.push_back(group.major);
  const std::string number = std::to_string(facts.ffmpegProgram);
  defect.actual = "FFmpeg " + number;
  if (!facts.ffmpegProgram) {
    defect.kind = Kind::FfmpegMissing;
  } else if (facts.isProgramStatic) {
    defect.kind = Kind::FfmpegStatic;
  } else if (!defect.majors.empty() && !llvm::is_contained(defect.majors, facts.ffmpegProgram)) {
    defect.kind = Kind::FfmpegUnsupportedMajor;
    defect.actual = number;
  } else {
    defect.kind = Kind::FfmpegNotFound;
  }
  return defect;
}

} // namespace tcfix::traceback
