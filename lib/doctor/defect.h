// Defects: what the rules find in an environment and what a traceback reports, as one kind of
// value. They hold facts only; findings.cc puts them into words.
#pragma once

#include "resolve/session.h"

namespace tcfix::doctor {

struct Defect {
  /// After each kind: what its fields hold, besides `path`, the file that it is about.
  enum class Kind {
    CauseNotTold, ///< of a text: it failed, and nothing says why
    // FFmpeg. `majors` that would do, `name` of the dependency, `items`: the FFmpegs that are
    // there.
    FfmpegMissing,
    FfmpegNotFound,         ///< `actual`: what is there, of a text
    FfmpegUnfit,            ///< found, and the libraries fail with it; `alternatives`: why
    FfmpegUnsupportedMajor, ///< `actual`: the majors that are there
    FfmpegStatic,           ///< `actual`: what is there
    TwoFfmpegs,             ///< `name` and `actual`: the places of both
    // torch
    TorchMissing,
    TorchBroken,          ///< `name` of the dependency that it lacks
    TorchLacksRuntime,    ///< the same, of Windows' C++ runtime
    VendorTorch,          ///< `name` of the vendor
    TorchVersionMismatch, ///< `name`: versions of the package; `actual`: their torch, if one is
                          ///< known
    // Dependencies: `name`, or empty where Windows does not say which; `alternatives`: where there
    // is one that no search path leads to.
    MissingDependency,
    DriverMissing,   ///< a part of NVIDIA's driver
    OnDemandMissing, ///< of the libraries `items`, which are loaded on demand
    LibpythonMissing,
    CudaMissing,
    CudaVariantMismatch, ///< the package is built for another CUDA than torch, or torch for none
    // Symbols: `items`, or none where Windows does not say which; `provider` should have them.
    MissingSymbols,
    MissingTorchSymbols,
    Cxx11Abi, ///< `alternatives`: those that torch has
    // Versions of symbols: `items`, of `provider`.
    LibstdcxxTooOld,
    GlibcTooOld,
    LibraryTooOld,
    // Files
    WrongArchitecture, ///< of dependency `name`; `actual`: what was there, of a text; `majors`
    ForeignLibrary, ///< `name`: python's architecture; `items`: the file's; `actual`: "universal"
    DuplicateEntry, ///< search path `name`, of the libraries `items`
    DuplicateDependency, ///< `name`, of the libraries `items`
    Unreadable,
    ModuleGone,         ///< RECORD lists it
    PackageDamaged,     ///< `name`: a library that it lacks, of a text
    PackageMissing,     ///< `name`
    PlaceholderRelease, ///< `name`: its version
    PackageUnavailable, ///< of a text: `name` is missing, or it is there and does not load
    NoWheel,            ///< of a text: an installer found no wheel of `name` that fits; `provider`:
                        ///< the version, if it names a channel of PyTorch's
    RequirementsConflict, ///< of a text: `name` requires another torch than `actual`, if one is
                          ///< known; `items`: who requires what
    PluginBroken,         ///< of a text: the plugin `name` fails, and the package with it
    OperatorsMissing,     ///< of a text: torch does not have the package's operator `name`
    Crashed,              ///< of a text: the process ended; `actual`: the words that show it
    // Python
    PythonAbi,             ///< `subject` is built for `name`, and Python is `actual`
    PythonVersionMismatch, ///< the environment's Python is `name`, that of its packages `actual`
    NumpyAbi,              ///< `name`: the NumPy that it was built for
    // macOS
    SignatureInvalid, ///< `name`: the architecture; `actual`: the signature
    SignatureMissing,
    SignatureForeign, ///< `actual`: the signature
    HardenedPython,   ///< `actual`: the signature; `provider`: the target path of python
    MacosTooOld,      ///< for macOS `name`, and it is `actual`
    Quarantined,
    // Linux and Windows; of texts only
    ExecutableStack,
    NotMapped,
    StaticTlsFull,
    InitializationFailed,
    // Search paths: entry `name`, of the libraries `items`.
    SearchPathEmpty,
    SearchPathRelative,
    SearchPathBuildMachine,
    SearchPathDead,
    SearchPathWorldWritable,
    // Around the package
    Shadowed,        ///< `items`: where the others are
    TwoTorches,      ///< `items`: the other ones; `name`: "same" if all are in one place
    PluginMismatch,  ///< plugin `name` is of version `actual`
    HeicUnavailable, ///< dependency `name`
    RecordMismatch,  ///< `items`: the files that differ
    // With --run. `provider`: the python.
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
  std::string subject = {}; ///< what it is about, where that is not the file at `path`
  std::vector<std::string> items = {};
  std::vector<std::string> alternatives = {};
  std::vector<int> majors = {};
  std::vector<resolve::Attempt> tried = {};
  std::string sentence = {}; ///< as the simulated loader or a reader of files reported it
  std::optional<std::string> quote = {}; ///< of a text: the words that show it
  bool isCause = true;       ///< false: it loads all the same, or fails for another reason
  bool isRepairable = false; ///< `tcfix apply` helps
  bool isSearchable = false; ///< `tcfix apply --search` would help

  bool isFromText() const { return quote.has_value(); }
};

using Defects = std::vector<Defect>;

/// What a missing dependency is: libpython, a part of CUDA, or any other.
Defect::Kind kindOfDependency(llvm::StringRef name);

/// What the library is that lacks these versions of symbols.
Defect::Kind kindOfVersions(llvm::ArrayRef<std::string> versions);

/// A problem that the simulated loader reports.
Defect defectOf(const resolve::LoadProblem& problem);

} // namespace tcfix::doctor
