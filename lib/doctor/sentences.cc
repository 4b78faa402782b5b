// What happened, in one sentence for each kind of defect. Those of the simulated loader come with
// it.
#include "doctor/findings.h"

#include "image/names.h"

#include <llvm/ADT/StringExtras.h>

namespace tcfix::doctor {

namespace {

/// The library that failed, as named in sentences about a text.
std::string failedLibrary(const Defect& defect) {
  return !defect.path.empty()     ? baseName(defect.path).str()
         : defect.subject.empty() ? "a library"
                                  : defect.subject;
}

std::string aboutSearchPath(const Defect& defect) {
  switch (defect.kind) {
  case Defect::Kind::SearchPathEmpty:
    return "an empty search path means the current directory";
  case Defect::Kind::SearchPathRelative:
    return defect.name + " is relative to the current directory";
  case Defect::Kind::SearchPathBuildMachine:
    return defect.name + " is a directory of the machine that built it";
  case Defect::Kind::SearchPathDead:
    return defect.name + " does not exist";
  case Defect::Kind::SearchPathWorldWritable:
    return defect.name + " is writable by everyone: anyone could put a library there";
  default:
    return {};
  }
}

/// For a library that loads, because its SDK is older than the rule.
std::string aboutRepetition(const Defect& defect, const char* what) {
  const size_t more = defect.items.size() - 1;
  return failedLibrary(defect) +
         (more ? " and " + std::to_string(more) + " more have " : std::string(" has ")) + what +
         defect.name + " twice, which macOS refuses in a library built with a recent SDK";
}

std::string aboutMissingLibrary(const Defect& defect) {
  const std::string library = failedLibrary(defect);
  if (llvm::StringRef(defect.name).starts_with("ld-linux"))
    return library + " is built for glibc, but this system has another C library (musl)";
  if (defect.name.empty() && llvm::StringRef(defect.path).contains(".so"))
    return library + " was not found";
  if (defect.isOpenedByName)
    return (defect.subject.empty() ? "a program" : defect.subject) + " opens " + defect.name +
           " by its name, and it was not found";
  if (defect.name.empty())
    return library + ", or a " +
           (llvm::StringRef(defect.path).ends_with(".dylib") ? "library" : "DLL") +
           " that it needs, was not found";
  return library + " needs " + defect.name + ", which was not found";
}

std::string aboutPackage(const Defect& defect) {
  switch (defect.kind) {
  case Defect::Kind::PackageUnavailable:
    return defect.name + " is not installed, or is installed but does not load";
  case Defect::Kind::RequirementsConflict:
    return "no set of releases meets all requirements" +
           (defect.items.empty() ? "" : ": " + llvm::join(defect.items, "; "));
  case Defect::Kind::NoWheel:
    return "the installer found no wheel of " + defect.name;
  case Defect::Kind::TorchMissing:
  case Defect::Kind::PackageMissing:
    return (llvm::StringRef(defect.name).contains('.') ? "Python cannot find the module "
                                                       : "Python cannot find the package ") +
           defect.name;
  case Defect::Kind::PackageDamaged:
    return defect.subject +
           (llvm::StringRef(defect.name).contains('.') ? " has no module " : " has no library ") +
           defect.name;
  default:
    return aboutSearchPath(defect);
  }
}

} // namespace

std::string sentenceOf(const Defect& defect) {
  if (!defect.sentence.empty())
    return defect.sentence;
  const std::string library = failedLibrary(defect);
  switch (defect.kind) {
  case Defect::Kind::CauseNotTold:
    return library + " failed, and the text does not contain the cause";
  case Defect::Kind::MissingDependency:
  case Defect::Kind::LibpythonMissing:
  case Defect::Kind::CudaMissing:
  case Defect::Kind::DriverMissing:
    return aboutMissingLibrary(defect);
  case Defect::Kind::MissingSymbols:
  case Defect::Kind::MissingTorchSymbols:
    return library + " needs a symbol that was not found";
  case Defect::Kind::LibstdcxxTooOld:
  case Defect::Kind::GlibcTooOld:
  case Defect::Kind::LibraryTooOld:
    return library + " needs version " + llvm::join(defect.items, ", ") + " of " + defect.provider +
           ", which does not have it";
  case Defect::Kind::WrongArchitecture:
    return (defect.name.empty() ? library : baseName(defect.name).str()) + " is " + defect.actual;
  case Defect::Kind::DuplicateEntry:
    if (defect.isFromText())
      return library + " has LC_RPATH " + defect.name + " twice, which this macOS refuses";
    return aboutRepetition(defect, "LC_RPATH ");
  case Defect::Kind::DuplicateDependency:
    return aboutRepetition(defect, "dependency ");
  case Defect::Kind::Unreadable:
    return library + " is not a library, or is truncated";
  case Defect::Kind::SignatureInvalid:
    return "the signature of " + library + " does not match its content: macOS rejects it";
  case Defect::Kind::HardenedPython:
    return "this Python accepts only libraries signed by its own team (hardened runtime with "
           "library validation); " +
           (defect.isFromText() ? library + " is not" : "those of wheels are signed ad hoc");
  case Defect::Kind::Quarantined:
    return library + " has the quarantine attribute of downloaded files: macOS " +
           (defect.isFromText() ? "refuses it" : "may refuse it");
  case Defect::Kind::MacosTooOld:
    return library + " requires " +
           (defect.name.empty() ? "a later macOS" : "macOS " + defect.name + " or later");
  case Defect::Kind::ExecutableStack:
    return library + " requires an executable stack, which this system refuses";
  case Defect::Kind::NotMapped:
    return library + " cannot be mapped: too little memory, or a file system mounted with noexec";
  case Defect::Kind::StaticTlsFull:
    return library +
           " does not fit into the static TLS area: too many libraries were loaded before it";
  case Defect::Kind::InitializationFailed:
    return library + " was found, but failed to initialize";
  case Defect::Kind::HeicUnavailable:
    return "libheif was not found";
  case Defect::Kind::PluginBroken:
    return "the plugin " + defect.name + " does not load";
  case Defect::Kind::OperatorsMissing:
    return "this torch does not have " + defect.name;
  case Defect::Kind::Crashed:
    return "the process crashed (" + defect.actual + ")";
  case Defect::Kind::NumpyAbi:
    return "a module was built against another NumPy than the installed one";
  case Defect::Kind::PythonAbi:
    return library + " is built for Python " + defect.name;
  default:
    return aboutPackage(defect);
  }
}

} // namespace tcfix::doctor
