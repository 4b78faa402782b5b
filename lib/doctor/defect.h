// Defects: what the rules find in an environment and what a traceback reports, in one type. They
// contain only facts; findings.cc turns them into sentences.
#pragma once

#include "resolve/session.h"

namespace tcfix::doctor {

struct Defect {
  /// After each kind: the meaning of its fields, besides `path`, the file that it is about.
  enum class Kind {
    CauseNotTold, ///< of a text: it failed, and the text has no cause
    // FFmpeg. `majors`: those that would work; `name`: the dependency; `items`: the installed
    // FFmpegs.
    FfmpegMissing,          ///< `actual`: the FFmpeg that is there in part, according to a text
    FfmpegNotFound,         ///< `actual`: what is installed, according to a text
    FfmpegUnfit,            ///< found, but the libraries fail with it; `alternatives`: why
    FfmpegUnsupportedMajor, ///< `actual`: the installed majors
    FfmpegStatic,           ///< `actual`: what is installed
    TwoFfmpegs,             ///< `name` and `actual`: where both are
    // torch
    TorchMissing,
    TorchBroken,          ///< `name`: the missing dependency
    TorchLacksRuntime,    ///< the same, from Windows' C++ runtime
    VendorTorch,          ///< `name`: the vendor
    TorchVersionMismatch, ///< `name`: versions of the package; `actual`: their torch, if one is
                          ///< known
    // Dependencies: `name`, or empty if Windows does not report it; `alternatives`: where one
    // exists outside of all search paths.
    MissingDependency,
    DriverMissing,   ///< a part of NVIDIA's driver
    OnDemandMissing, ///< of the libraries `items`, which are loaded on demand
    LibpythonMissing,
    CudaMissing,
    CudaVariantMismatch, ///< the package is built for another CUDA than torch, or torch for none
    // Symbols: `items`, or none if Windows does not report them; `provider` should have them.
    MissingSymbols,
    MissingTorchSymbols,
    Cxx11Abi, ///< `alternatives`: those that torch has
    // Versions of symbols: `items`, of `provider`.
    LibstdcxxTooOld,
    GlibcTooOld,
    LibraryTooOld,
    // Files
    WrongArchitecture, ///< of dependency `name`; `actual`: what was found, according to a text;
                       ///< `majors`
    ForeignLibrary, ///< `name`: Python's architecture; `items`: the file's; `actual`: "universal"
    DuplicateEntry, ///< search path `name`, of the libraries `items`
    DuplicateDependency, ///< `name`, of the libraries `items`
    Unreadable,
    ModuleGone,         ///< RECORD lists it
    PackageDamaged,     ///< `name`: a missing library, according to a text
    PackageMissing,     ///< `name`
    PlaceholderRelease, ///< `name`: its version
    PackageUnavailable, ///< of a text: `name` is missing, or installed and does not load
    NoWheel,            ///< of a text: an installer found no wheel of `name` that fits; `provider`:
                        ///< the version, if it names a channel of PyTorch's; `items`: the
                        ///< releases that fit; `alternatives`: the requested one
    RequirementsConflict, ///< of a text: `name` requires another torch than `actual`, if one is
                          ///< known; `items`: who requires what
    PluginBroken,         ///< of a text: the plugin `name` fails, and the package with it
    OperatorsMissing,     ///< of a text: torch does not have the package's operator `name`
    Crashed,              ///< of a text: the process crashed; `actual`: the words that show it
    // Python
    PythonAbi,             ///< `subject` is built for `name`, but Python is `actual`
    PythonVersionMismatch, ///< the environment's Python is `name`, its packages are for `actual`
    NumpyAbi,              ///< `name`: the NumPy that it was built for
    // macOS
    SignatureInvalid, ///< `name`: the architecture; `actual`: the signature
    SignatureMissing,
    SignatureForeign, ///< `actual`: the signature
    HardenedPython,   ///< `actual`: the signature; `provider`: the target path of Python
    MacosTooOld,      ///< for macOS `name`, but the system is `actual`
    Quarantined,
    // Linux and Windows; only from tracebacks
    ExecutableStack,
    NotMapped,
    StaticTlsFull,
    InitializationFailed,
    // Search paths: entry `name` of the libraries `items`.
    SearchPathEmpty,
    SearchPathRelative,
    SearchPathBuildMachine,
    SearchPathDead,
    SearchPathWorldWritable,
    // Surroundings of the package
    Shadowed,        ///< `items`: where the others are
    TwoTorches,      ///< `items`: the other ones; `name`: "same" if all are in one place
    PluginMismatch,  ///< plugin `name` is of version `actual`
    HeicUnavailable, ///< dependency `name`
    RecordMismatch,  ///< `items`: the files that differ
    // With --run. `provider`: the Python.
    LoadsForReal,        ///< `actual`: the FFmpeg major, if any; `name`: the seconds
    SimulationDisagrees, ///< about `subject`; `sentence`: the simulation's cause, if it fails
                         ///< there; `actual`: the real one, if it fails there
    ImportFails,         ///< the libraries load; `name`: the smoke test; `actual`: its failure
  };
  Kind kind = Kind::CauseNotTold;
  std::string path = {};
  std::string name = {};
  std::string actual = {};
  std::string provider = {};
  std::string subject = {}; ///< what it is about, if not the file at `path`
  std::vector<std::string> items = {};
  std::vector<std::string> alternatives = {};
  std::vector<int> majors = {};
  std::vector<resolve::Attempt> tried = {};
  std::string sentence = {};             ///< from the simulated loader or a reader of files
  std::optional<std::string> quote = {}; ///< of a text: the words that prove it
  bool isCause = true;                   ///< false: it loads anyway, or fails for another reason
  bool isRepairable = false;             ///< `tcfix apply` helps
  bool isSearchable = false;             ///< `tcfix apply --search` would help
  bool isOpenedByName = false;           ///< of a text: a program opens the dependency itself

  bool isFromText() const { return quote.has_value(); }
};

using Defects = std::vector<Defect>;

/// The kind of a missing dependency: libpython, a part of CUDA, or any other.
Defect::Kind kindOfDependency(llvm::StringRef name);

/// The kind of library that lacks these symbol versions.
Defect::Kind kindOfVersions(llvm::ArrayRef<std::string> versions);

/// A problem that the simulated loader reports.
Defect defectOf(const resolve::LoadProblem& problem);

} // namespace tcfix::doctor
