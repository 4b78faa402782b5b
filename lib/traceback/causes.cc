#include "traceback/causes.h"

#include "traceback/phrase.h"

#include "base/version.h"
#include "doctor/python_tag.h"
#include "image/names.h"
#include "providers/ffmpeg_name.h"
#include "providers/torch.h"
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

/// Loaded before the others of its major: if one of those failed, this one was loaded.
bool isCore(const Defect& failure) {
  return isOwnLibrary(failure) && rankOf(failure) == 0;
}

/// Belongs to the recipe's package, as far as the text shows.
bool isPackages(const Defect& failure) {
  return isOwnLibrary(failure) ||
         (failure.path.empty() &&
          (failure.subject.empty() || failure.subject == recipe::defaultRecipe().name));
}

/// torchaudio's own search for FFmpeg, which also tries one major after the other, and continues
/// without one.
bool isTorio(const Defect& failure) {
  return failure.subject == "torio" || llvm::StringRef(failure.path).contains("torio_ffmpeg");
}

void dropIf(TracebackFacts& facts, llvm::function_ref<bool(const Defect&)> isDropped) {
  for (FailureGroup& group : facts.groups)
    llvm::erase_if(group.failures, isDropped);
  llvm::erase_if(facts.groups, [](const FailureGroup& group) {
    return group.major == 0 && group.failures.empty();
  });
}

bool hasAny(const TracebackFacts& facts, llvm::function_ref<bool(const Defect&)> isWanted) {
  return llvm::any_of(facts.groups, [&](const FailureGroup& group) {
    return llvm::any_of(group.failures, isWanted);
  });
}

/// dyld lists the places that it tried. If FFmpeg cannot be in any of them, no major finds its own.
bool isSearchedNowhere(const Defect& failure) {
  constexpr llvm::StringLiteral kPlaces[] = {"ffmpeg", "brew",  "/usr/local/lib", "conda",
                                             "mamba",  "forge", "/opt/local"};
  return !failure.tried.empty() &&
         llvm::none_of(failure.tried, [&](const resolve::Attempt& attempt) {
           return llvm::any_of(kPlaces, [&](llvm::StringRef place) {
             return llvm::StringRef(attempt.place).contains(place);
           });
         });
}

bool isFfmpegMissing(const Defect& failure) {
  if (failure.kind == Kind::MissingDependency && !failure.name.empty())
    return isPackages(failure) && providers::parseFfmpegName(failure.name).has_value();
  // Windows does not report its name; a DLL that tcfix has converted fails to start without it.
  return isCore(failure) &&
         (failure.kind == Kind::MissingDependency || failure.kind == Kind::InitializationFailed);
}

/// Its libraries need libavutil before the other parts of FFmpeg, and the core is loaded before the
/// others (the wheels): if anything else is missing, or a later library misses it, it was found.
bool isPartOfFfmpegMissing(const Defect& failure) {
  const std::optional<providers::FfmpegName> name = providers::parseFfmpegName(failure.name);
  return isFfmpegMissing(failure) && name && (rankOf(failure) > 0 || name->component != "avutil");
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

/// Failures that another torch would fix.
bool isBrokenTorch(Kind kind) {
  switch (kind) {
  case Kind::WrongArchitecture:
  case Kind::PackageMissing:
  case Kind::PluginBroken:
  case Kind::NoWheel:
  case Kind::RequirementsConflict:
  case Kind::LibstdcxxTooOld:
  case Kind::GlibcTooOld:
    return false;
  default:
    return true;
  }
}

/// Some of PyTorch's wheels of 2.6 for Linux have the new kind of std::string, and all later ones
/// (its release notes). An older one has no function with it.
bool isOfOtherString(const Defect& failure, const Versions& versions) {
  constexpr Version kFirstWithNewString{2, 6};
  const std::optional<Version> torch = parseVersion(versions.torch);
  return torch && *torch < kFirstWithNewString && !versions.isConda &&
         !recipe::torchBuildOf(versions.torch).isForeign() && !isOwnLibrary(failure) &&
         llvm::any_of(
             failure.items,
             [](llvm::StringRef symbol) {
               return symbol.starts_with("_Z") &&
                      (symbol.contains("B5cxx11") || symbol.contains("__cxx11"));
             });
}

/// `import torch` failed, which comes before everything else.
Defect brokenTorch(const Defect& failure) {
  Defect defect = failure;
  // Libraries for a GPU come with its driver, or with NVIDIA's wheels.
  const llvm::StringRef file = baseName(failure.path);
  const bool isOfGpu = file.contains("hip") || file.contains("xpu") || file.contains("sycl");
  const bool isRuntime =
      !isOfGpu && failure.name.empty() &&
      (failure.kind == Kind::MissingDependency || failure.kind == Kind::InitializationFailed);
  defect.kind = isRuntime ? Kind::TorchLacksRuntime : Kind::TorchBroken;
  defect.sentence = doctor::sentenceOf(failure);
  if (!failure.items.empty())
    defect.name = failure.items.front();
  return defect;
}

} // namespace

bool isOwnLibrary(const Defect& failure) {
  const recipe::Recipe& recipe = recipe::defaultRecipe();
  const std::string package = packageOf(failure.path);
  llvm::StringRef name = baseName(failure.path);
  return name.starts_with(recipe.libraryPrefix) && (package.empty() || package == recipe.name) &&
         !name.contains("_xpu"); // a plugin
}

Progress progressOf(const Defect& failure) {
  if (failure.kind == Kind::PackageDamaged)
    return Progress::NotBuilt;
  if (failure.kind == Kind::CauseNotTold)
    return rankOf(failure) > 0 ? Progress::Further : Progress::Nowhere;
  return isPartOfFfmpegMissing(failure) ? Progress::WithPartOfFfmpeg
         : isFfmpegMissing(failure)     ? Progress::WithoutFfmpeg
                                        : Progress::Further;
}

void keepRelevant(TracebackFacts& facts) {
  const std::string& name = recipe::defaultRecipe().name;
  dropIf(facts, [&](const Defect& failure) {
    return isTorio(failure) && (facts.isTorioLoaded || facts.isAboutPackage);
  });
  // A library of the package proves that the package is installed.
  if (facts.hasMajors() || hasAny(facts, isOwnLibrary))
    dropIf(facts,
           [&](const Defect& failure) { return !isLoadersWord(failure) && failure.name == name; });
  // The package's own list takes precedence over other failures.
  if (facts.hasMajors())
    for (FailureGroup& group : facts.groups)
      if (group.major == 0)
        llvm::erase_if(group.failures, [](const Defect& failure) {
          return failure.kind != Kind::PluginBroken &&
                 (!isPackages(failure) || !isLoadersWord(failure) || isFfmpegMissing(failure));
        });
  if (hasAny(facts, isLoadersWord))
    dropIf(facts, [](const Defect& failure) {
      return failure.kind == Kind::PackageMissing || failure.kind == Kind::Crashed ||
             failure.kind == Kind::PackageUnavailable || failure.kind == Kind::RequirementsConflict;
    });
  // A release that does not exist explains why no set of releases fits.
  if (hasAny(facts, [](const Defect& failure) { return failure.kind == Kind::NoWheel; }))
    dropIf(facts, [](const Defect& failure) { return failure.kind == Kind::RequirementsConflict; });
  // "Please install it" is a consequence of the import that failed, or of the installer's error.
  if (hasAny(facts, [](const Defect& failure) {
        return failure.kind == Kind::PackageMissing || failure.kind == Kind::NoWheel;
      }))
    dropIf(facts, [](const Defect& failure) { return failure.kind == Kind::PackageUnavailable; });
  if (!facts.isAboutPackage)
    dropIf(facts, [](const Defect& failure) {
      return failure.kind == Kind::Crashed && failure.subject.empty();
    });
  // Everything in the text of a plugin's failure is about the plugin.
  if (hasAny(facts, [](const Defect& failure) { return failure.kind == Kind::PluginBroken; })) {
    dropIf(facts, [](const Defect& failure) { return failure.kind != Kind::PluginBroken; });
    llvm::erase_if(facts.groups, [](const FailureGroup& group) { return group.failures.empty(); });
  }
  dropIf(facts, [](const Defect&) { return false; });
  // Libraries for some majors, but not for others.
  auto isNotBuilt = [&](const Defect& failure) {
    return failure.kind == Kind::PackageDamaged && failure.subject == name;
  };
  facts.isOwnBuild |= hasAny(facts, isNotBuilt) &&
                      hasAny(facts, [&](const Defect& failure) { return !isNotBuilt(failure); });
}

bool isTorchTheCause(const Defect& failure) {
  if (failure.kind == Kind::OperatorsMissing || failure.kind == Kind::Crashed)
    return true;
  if (failure.kind != Kind::MissingSymbols)
    return false;
  // Windows does not report the symbol.
  return failure.items.empty() ? isOwnLibrary(failure)
                               : recipe::isTorchSymbol(failure.items.front()) ||
                                     providers::isTorchLibrary(failure.provider);
}

std::string failedPackage(const Defect& failure, const TracebackFacts& facts) {
  const std::string& name = recipe::defaultRecipe().name;
  switch (failure.kind) {
  case Kind::PackageMissing:
  case Kind::PackageUnavailable:
  case Kind::NoWheel:
  case Kind::RequirementsConflict:
    return failure.name;
  case Kind::PluginBroken:
    return failure.subject.empty() ? name : failure.subject;
  case Kind::HeicUnavailable:
    return name;
  case Kind::Crashed:
    return failure.subject.empty() ? name : failure.subject;
  default:
    break;
  }
  if (std::string package = packageOf(failure.path); !package.empty())
    return package;
  if (isOwnLibrary(failure))
    return name;
  if (!failure.subject.empty())
    return failure.subject;
  if (!failure.path.empty())
    return baseName(failure.path).str();
  return facts.isAboutPackage || isFfmpegMissing(failure) ? name : std::string();
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
  if (package == "torch" && isBrokenTorch(failure.kind))
    return brokenTorch(failure);
  Defect defect = failure;
  const std::string tag = doctor::pythonTagOf(baseName(failure.path));
  const std::optional<Version> python = parseVersion(facts.versions.python);
  if (!tag.empty() && python && tag != doctor::pythonTagFor(python->text())) {
    defect.kind = Kind::PythonAbi;
    defect.name = tag;
    defect.actual = facts.versions.python;
  } else if (failure.kind == Kind::PythonAbi) {
    defect.name = "Python " + failure.name;
  } else if (failure.kind == Kind::MissingDependency) {
    defect.kind = doctor::kindOfDependency(failure.name);
    // A part of torch that this torch does not have cannot be found either.
    defect.isRepairable =
        defect.kind == Kind::LibpythonMissing ||
        (defect.kind == Kind::MissingDependency && providers::isTorchLibrary(failure.name) &&
         (package.empty() || package == recipe::defaultRecipe().name) &&
         !llvm::StringRef(failure.name).contains("_hip"));
  } else if (failure.kind == Kind::MissingSymbols && isTorchTheCause(failure)) {
    defect.kind =
        isOfOtherString(failure, facts.versions) ? Kind::Cxx11Abi : Kind::MissingTorchSymbols;
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
    if (group.major && !group.failures.empty() &&
        progressOf(group.failures.front()) != Progress::NotBuilt)
      defect.majors.push_back(group.major);
  if (progressOf(first) == Progress::WithPartOfFfmpeg) {
    const std::optional<int> major =
        providers::ffmpegMajorOf(*providers::parseFfmpegName(first.name));
    defect.actual = major ? "FFmpeg " + std::to_string(*major) : std::string("an FFmpeg");
    defect.kind = rankOf(first) > 0 ? Kind::FfmpegNotFound : Kind::FfmpegMissing;
    return defect;
  }
  const int program = facts.versions.ffmpegProgram;
  const bool isTried = llvm::is_contained(defect.majors, program);
  // Failures with majors other than the installed one are expected.
  if (facts.isFromList && !facts.isListComplete && !isTried && !isSearchedNowhere(first)) {
    defect.kind = Kind::CauseNotTold;
    return defect;
  }
  // dyld's sentence ends before the name, and nothing else shows an FFmpeg.
  if (!program && first.name.empty() && llvm::StringRef(first.path).ends_with(".dylib")) {
    defect.kind = Kind::CauseNotTold;
    return defect;
  }
  const std::string number = std::to_string(program);
  defect.actual = program ? "FFmpeg " + number : std::string();
  if (!program) {
    defect.kind = Kind::FfmpegMissing;
  } else if (facts.versions.isProgramStatic) {
    defect.kind = Kind::FfmpegStatic;
  } else if (!defect.majors.empty() && !isTried) {
    defect.kind = Kind::FfmpegUnsupportedMajor;
    defect.actual = number;
  } else {
    defect.kind = Kind::FfmpegNotFound;
  }
  return defect;
}

} // namespace tcfix::traceback
