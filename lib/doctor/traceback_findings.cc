#include "doctor/traceback_findings.h"

#include "image/names.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace tcfix::doctor {

using resolve::LoadProblem;
using Kind = ToldFailure::Kind;

namespace {

bool isTorchcodecs(const ToldFailure& failure) {
  return llvm::StringRef(failure.library).contains("libtorchcodec");
}

/// Loaded before the others of its major: if one of those failed, this one did not.
bool isCore(const ToldFailure& failure) {
  return isTorchcodecs(failure) && !baseName(failure.library).contains("ops");
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
      return package.split('.').first.str(); // of "torchcodec.libs", too
  }
  return {};
}

std::string subjectOf(const ToldFailure& failure) {
  return failure.library.empty() ? "a library" : baseName(failure.library).str();
}

LoadProblem::Code codeOf(Kind kind) {
  switch (kind) {
  case Kind::MissingDependency:
  case Kind::MissingPackage:
  case Kind::MissingFile:
    return LoadProblem::Code::MissingDependency;
  case Kind::MissingSymbol:
    return LoadProblem::Code::MissingSymbols;
  case Kind::MissingVersion:
    return LoadProblem::Code::MissingVersion;
  case Kind::WrongArchitecture:
    return LoadProblem::Code::WrongArchitecture;
  case Kind::DuplicateEntry:
    return LoadProblem::Code::DuplicateEntry;
  case Kind::NotALibrary:
    return LoadProblem::Code::Unreadable;
  default:
    return LoadProblem::Code::Refused;
  }
}

std::string messageOf(const ToldFailure& failure) {
  const std::string subject = subjectOf(failure);
  switch (failure.kind) {
  case Kind::NotTold:
    return subject + " failed, and the text does not say why";
  case Kind::MissingDependency:
    return failure.name.empty() ? subject + ", or a DLL that it needs, was not found"
                                : subject + " needs " + failure.name + ", which was not found";
  case Kind::MissingSymbol:
    return subject + " needs a symbol that is not there";
  case Kind::MissingVersion:
    return subject + " needs version " + failure.name + " of " + failure.provider +
           ", which does not have it";
  case Kind::WrongArchitecture:
    return (failure.provider.empty() ? subject : baseName(failure.provider).str()) + " is " +
           failure.name;
  case Kind::DuplicateEntry:
    return subject + " has LC_RPATH " + failure.name + " twice, which this macOS refuses";
  case Kind::NotALibrary:
    return subject + " is no library, or only a part of one";
  case Kind::BadSignature:
    return "the signature of " + subject + " does not fit its bytes: macOS refuses it";
  case Kind::ForeignTeam:
    return "this python takes only libraries that its own team signed (hardened runtime with "
           "library validation); " +
           subject + " is not";
  case Kind::Quarantined:
    return subject + " carries the mark of downloaded files: macOS refuses it";
  case Kind::SystemTooOld:
    return subject + " is for macOS " +
           (failure.name.empty() ? "of a later version" : failure.name) + ", which this one is not";
  case Kind::ExecutableStack:
    return subject + " asks for an executable stack, which this system refuses";
  case Kind::NotMapped:
    return subject + " cannot be brought into memory: there is too little of it, or the file is on "
                     "a disk that nothing may be run from";
  case Kind::NoStaticTls:
    return subject + " finds no room for its thread-local variables: too many libraries were "
                     "loaded before it";
  case Kind::InitializationFailed:
    return subject + " was found, and its own start failed";
  case Kind::MissingPackage:
    return "Python finds no package " + failure.name;
  case Kind::MissingFile:
    return "torchcodec has no library " + failure.name;
  case Kind::NumpyAbi:
    return "a module was built against another NumPy than the one that is installed";
  case Kind::PythonAbi:
    return subject + " is built for Python " + failure.name;
  }
  return {};
}

Finding plainFinding(const char* code, const ToldFailure& failure, std::string action) {
  return {code,
          Severity::Error,
          messageOf(failure),
          failure.library,
          {{"text", failure.words}},
          std::move(action)};
}

Finding notTold(const ToldFailure& failure) {
  Finding finding = plainFinding("cause-not-told", failure, "tcfix doctor");
  if (isTorchcodecs(failure) && !isCore(failure))
    finding.message += "; its core was loaded, so that FFmpeg is there. Often it is libpython, or "
                       "another torch";
  else
    finding.message += ": often FFmpeg is missing, or it was built for another torch";
  return finding;
}

Finding missingPackage(const ToldFailure& failure, const Scene& scene) {
  if (failure.name == "torch")
    return plainFinding("torch-missing", failure, "pip install torch");
  // Where the module and what pip calls it have one name.
  constexpr llvm::StringLiteral kSame[] = {"torchcodec", "torchvision", "torchaudio", "numpy",
                                           "av"};
  std::string action;
  if (failure.name == "torchcodec" && torchcodecFor(scene.torch))
    action = fittingTorchcodecCommand(scene.torch);
  else if (llvm::is_contained(kSame, failure.name))
    action = "pip install " + failure.name;
  return plainFinding("package-missing", failure, action);
}

/// Not a word about torchcodec: `import torch` failed.
Finding torchBroken(const ToldFailure& failure, const LoadProblem& problem) {
  // Windows' C++ runtime is what torch's own DLLs lack.
  bool isRuntime = failure.name.empty() && (failure.kind == Kind::MissingDependency ||
                                            failure.kind == Kind::InitializationFailed);
  return {"torch-broken",
          Severity::Error,
          "torch itself does not load: " + problem.message,
          failure.library,
          {{"dependency", failure.name}, {"text", failure.words}},
          isRuntime ? "winget install Microsoft.VCRedist.2015+.x64" : reinstallCommand("torch")};
}

Finding wrongArchitecture(const ToldFailure& failure, const Scene& scene) {
  return plainFinding("wrong-architecture", failure,
                      providers::parseFfmpegName(failure.provider) ? ffmpegInstallCommand(scene, 8)
                                                                   : reinstallCommand(scene));
}

Finding missingSymbol(const ToldFailure& failure, const Scene& scene, const LoadProblem& problem) {
  Finding finding = missingSymbols(scene, problem, isTorchTheCause(failure));
  finding.evidence.push_back({"text", failure.words});
  return finding;
}

} // namespace

bool isTorchTheCause(const ToldFailure& failure) {
  if (failure.kind != Kind::MissingSymbol)
    return false;
  // Windows names no symbol.
  return failure.name.empty()
             ? isTorchcodecs(failure)
             : isTorchSymbol(failure.name) || isTorchLibrary(baseName(failure.provider));
}

std::string victimOf(const ToldFailure& failure) {
  if (failure.kind == Kind::MissingPackage)
    return failure.name;
  if (std::string package = packageOf(failure.library); !package.empty())
    return package;
  return isTorchcodecs(failure) || failure.library.empty() ? "torchcodec"
                                                           : baseName(failure.library).str();
}

bool isFfmpegMissing(const ToldFailure& failure) {
  if (failure.kind == Kind::MissingDependency && !failure.name.empty())
    return providers::parseFfmpegName(failure.name).has_value();
  // Windows does not name it; a DLL that tcfix has converted fails to start without it.
  return isCore(failure) &&
         (failure.kind == Kind::MissingDependency || failure.kind == Kind::InitializationFailed);
}

LoadProblem problemOf(const ToldFailure& failure) {
  LoadProblem problem;
  problem.code = codeOf(failure.kind);
  problem.library = failure.library;
  problem.provider = failure.provider;
  problem.tried = failure.tried;
  problem.message = messageOf(failure);
  if (failure.kind == Kind::MissingSymbol || failure.kind == Kind::MissingVersion) {
    if (!failure.name.empty())
      problem.symbols = {failure.name};
  } else if (failure.kind != Kind::WrongArchitecture) {
    problem.dependency = failure.name;
  }
  return problem;
}

namespace {

Finding findingIn(const Scene& given, const ToldFailure& failure, const Told& told) {
  Scene scene = given;
  const LoadProblem problem = problemOf(failure);
  if (scene.package == "torch" && failure.kind != Kind::WrongArchitecture &&
      failure.kind != Kind::MissingPackage)
    return torchBroken(failure, problem);
  const std::string tag = pythonTagOf(baseName(failure.library));
  const std::optional<Version> python = parseVersion(told.python);
  if (!tag.empty() && python && tag != pythonTagFor(python->text()))
    return pythonAbi(scene, baseName(failure.library).str(), failure.library, tag, told.python);
  switch (failure.kind) {
  case Kind::NotTold:
    return notTold(failure);
  case Kind::MissingDependency: {
    llvm::StringRef file = baseName(failure.name);
    scene.isRepairable = isTorchLibrary(file) || file.starts_with("libpython");
    return missingDependency(scene, problem, llvm::StringRef(scene.torch).contains("+cpu"));
  }
  case Kind::MissingSymbol:
    return missingSymbol(failure, scene, problem);
  case Kind::MissingVersion:
    return missingVersion(scene, problem);
  case Kind::WrongArchitecture:
    return wrongArchitecture(failure, scene);
  case Kind::DuplicateEntry:
    return duplicateEntry(scene, problem);
  case Kind::NotALibrary:
    return plainFinding("unreadable", failure, reinstallCommand(scene));
  case Kind::BadSignature:
    return plainFinding("signature-invalid", failure, signCommand(failure.library));
  case Kind::ForeignTeam:
    return plainFinding("hardened-python", failure, signPythonCommand("PYTHON"));
  case Kind::Quarantined:
    return plainFinding("quarantined", failure, unquarantineCommand(failure.library));
  case Kind::SystemTooOld:
    return plainFinding("macos-too-old", failure, "softwareupdate --install --all");
  case Kind::ExecutableStack:
    return plainFinding("executable-stack", failure,
                        "patchelf --clear-execstack " + quoted(failure.library));
  case Kind::NotMapped:
    return plainFinding("not-mapped", failure,
                        scene.platform == Format::Elf
                            ? "findmnt --target " + quoted(failure.library)
                            : std::string());
  case Kind::NoStaticTls:
    return plainFinding("static-tls-full", failure,
                        "export GLIBC_TUNABLES=glibc.rtld.optional_static_tls=16384");
  case Kind::InitializationFailed:
    return plainFinding("initialization-failed", failure,
                        "winget install Microsoft.VCRedist.2015+.x64");
  case Kind::MissingPackage:
    return missingPackage(failure, scene);
  case Kind::MissingFile:
    return plainFinding("package-damaged", failure, reinstallCommand(scene));
  case Kind::NumpyAbi:
    // Those built for NumPy 1 do not work with 2; those built for 2 work with both.
    return plainFinding("numpy-abi", failure,
                        llvm::StringRef(failure.words).contains("0x100000") ||
                                llvm::StringRef(failure.words).contains("NumPy 1.x")
                            ? "pip install \"numpy<2\""
                            : "pip install --upgrade numpy");
  case Kind::PythonAbi:
    return pythonAbi(scene, subjectOf(failure), failure.library, "Python " + failure.name,
                     failure.provider);
  }
  return {};
}

} // namespace

Finding findingOf(const ToldFailure& failure, Scene scene, const Told& told) {
  scene.package = victimOf(failure);
  Finding finding = findingIn(scene, failure, told);
  // A file that no package is known to have brought.
  if (scene.package == baseName(failure.library) && finding.action == reinstallCommand(scene))
    finding.action.clear();
  return finding;
}

Finding ffmpegFinding(const ToldFailure& first, const Scene& scene, const Told& told) {
  std::vector<int> wanted;
  for (const ToldGroup& group : told.groups)
    if (group.major)
      wanted.push_back(group.major);
  Finding finding;
  finding.path = first.library;
  finding.evidence = {
      {"dependency", first.name}, {"tried", placesOf(problemOf(first))}, {"text", first.words}};
  const std::string tried = wanted.empty() ? "" : " (" + majorsText(wanted) + ")";
  finding.action = ffmpegInstallCommand(scene, wanted.empty() ? 7 : wanted.front());
  const std::string program = "FFmpeg " + std::to_string(told.ffmpegProgram);
  if (told.ffmpegProgram && told.isProgramStatic) {
    finding.code = "ffmpeg-static";
    finding.message = "the " + program + " of this machine has no shared libraries";
  } else if (told.ffmpegProgram && !wanted.empty() &&
             !llvm::is_contained(wanted, told.ffmpegProgram)) {
    finding.code = "ffmpeg-unsupported-major";
    finding.message = "this torchcodec uses FFmpeg " + majorsText(wanted) +
                      "; installed: " + std::to_string(told.ffmpegProgram);
  } else if (told.ffmpegProgram) {
    finding.code = "ffmpeg-not-found";
    finding.message = "there is " + program + ", and torchcodec did not find its libraries" + tried;
    finding.action = scene.applyCommand;
  } else {
    finding.code = "ffmpeg-missing";
    finding.message = "torchcodec found no FFmpeg" + tried +
                      (first.name.empty() ? ", as far as Windows tells: it names no DLL" : "") +
                      "; install one, then run " + scene.applyCommand;
  }
  return finding;
}

} // namespace tcfix::doctor
