#include "doctor/words.h"

#include "advice/advice.h"

namespace tcfix::doctor {

using Kind = Defect::Kind;

namespace {

struct Row {
  Kind kind;
  const char* code;
  Severity severity; ///< in an environment; always an error in a text
  WordsFunction* words;
};
constexpr Row kTable[] = {
    {Kind::CauseNotTold, "cause-not-told", Severity::Error, causeNotTold},
    {Kind::FfmpegMissing, "ffmpeg-missing", Severity::Error, ffmpegMissing},
    {Kind::FfmpegNotFound, "ffmpeg-not-found", Severity::Error, ffmpegNotFound},
    {Kind::FfmpegUnfit, "ffmpeg-not-found", Severity::Error, ffmpegUnfit},
    {Kind::FfmpegUnsupportedMajor, "ffmpeg-unsupported-major", Severity::Error,
     ffmpegUnsupportedMajor},
    {Kind::FfmpegStatic, "ffmpeg-static", Severity::Error, ffmpegStatic},
    {Kind::TwoFfmpegs, "two-ffmpegs", Severity::Info, twoFfmpegs},
    {Kind::TorchMissing, "torch-missing", Severity::Error, torchMissing},
    {Kind::TorchBroken, "torch-broken", Severity::Error, torchBroken},
    {Kind::TorchLacksRuntime, "torch-broken", Severity::Error, torchBroken},
    {Kind::VendorTorch, "vendor-torch", Severity::Error, vendorTorch},
    {Kind::TorchVersionMismatch, "torch-version-mismatch", Severity::Error, torchVersionMismatch},
    {Kind::MissingDependency, "missing-dependency", Severity::Error, missingDependency},
    {Kind::DriverMissing, "driver-missing", Severity::Error, driverMissing},
    {Kind::OnDemandMissing, "on-demand-missing", Severity::Warning, onDemandMissing},
    {Kind::LibpythonMissing, "libpython-missing", Severity::Error, missingDependency},
    {Kind::CudaMissing, "cuda-missing", Severity::Error, cudaMissing},
    {Kind::CudaVariantMismatch, "cuda-variant-mismatch", Severity::Error, cudaVariantMismatch},
    {Kind::MissingSymbols, "missing-symbols", Severity::Error, missingSymbols},
    {Kind::MissingTorchSymbols, "missing-symbols", Severity::Error, missingSymbols},
    {Kind::Cxx11Abi, "cxx11-abi", Severity::Error, cxx11Abi},
    {Kind::LibstdcxxTooOld, "libstdcxx-too-old", Severity::Error, missingVersions},
    {Kind::GlibcTooOld, "glibc-too-old", Severity::Error, missingVersions},
    {Kind::LibraryTooOld, "library-too-old", Severity::Error, missingVersions},
    {Kind::WrongArchitecture, "wrong-architecture", Severity::Error, wrongArchitecture},
    {Kind::ForeignLibrary, "wrong-architecture", Severity::Error, foreignLibrary},
    {Kind::DuplicateEntry, "duplicate-search-path", Severity::Error, duplicateEntry},
    {Kind::DuplicateDependency, "duplicate-dependency", Severity::Error, duplicateEntry},
    {Kind::Unreadable, "unreadable", Severity::Error, withReinstall},
    {Kind::ModuleGone, "package-damaged", Severity::Error, withReinstall},
    {Kind::PackageDamaged, "package-damaged", Severity::Warning, withReinstall},
    {Kind::PackageMissing, "package-missing", Severity::Error, packageMissing},
    {Kind::PlaceholderRelease, "placeholder-release", Severity::Error, placeholderRelease},
    {Kind::PackageUnavailable, "package-missing", Severity::Error, packageUnavailable},
    {Kind::NoWheel, "package-missing", Severity::Error, noWheel},
    {Kind::RequirementsConflict, "requirements-conflict", Severity::Error, requirementsConflict},
    {Kind::PluginBroken, "plugin-broken", Severity::Error, pluginBroken},
    {Kind::OperatorsMissing, "torch-version-mismatch", Severity::Error, operatorsMissing},
    {Kind::Crashed, "crashed", Severity::Error, crashed},
    {Kind::PythonAbi, "python-abi", Severity::Error, pythonAbi},
    {Kind::PythonVersionMismatch, "python-version-mismatch", Severity::Error,
     pythonVersionMismatch},
    {Kind::NumpyAbi, "numpy-abi", Severity::Error, numpyAbi},
    {Kind::SignatureInvalid, "signature-invalid", Severity::Error, signature},
    {Kind::SignatureMissing, "signature-missing", Severity::Error, signature},
    {Kind::SignatureForeign, "signature-foreign", Severity::Info, signatureForeign},
    {Kind::HardenedPython, "hardened-python", Severity::Error, hardenedPython},
    {Kind::MacosTooOld, "macos-too-old", Severity::Warning, macosTooOld},
    {Kind::Quarantined, "quarantined", Severity::Warning, quarantined},
    {Kind::ExecutableStack, "executable-stack", Severity::Error, executableStack},
    {Kind::NotMapped, "not-mapped", Severity::Error, notMapped},
    {Kind::StaticTlsFull, "static-tls-full", Severity::Error, staticTlsFull},
    {Kind::InitializationFailed, "initialization-failed", Severity::Error, initializationFailed},
    {Kind::SearchPathEmpty, "search-path-empty", Severity::Warning, searchPath},
    {Kind::SearchPathRelative, "search-path-relative", Severity::Warning, searchPath},
    {Kind::SearchPathBuildMachine, "search-path-build-machine", Severity::Info, searchPath},
    {Kind::SearchPathDead, "search-path-dead", Severity::Info, searchPath},
    {Kind::SearchPathWorldWritable, "search-path-world-writable", Severity::Warning, searchPath},
    {Kind::Shadowed, "shadowed", Severity::Warning, shadowed},
    {Kind::TwoTorches, "two-torches", Severity::Warning, twoTorches},
    {Kind::PluginMismatch, "plugin-mismatch", Severity::Warning, pluginMismatch},
    {Kind::HeicUnavailable, "heic-unavailable", Severity::Info, heicUnavailable},
    {Kind::RecordMismatch, "record-mismatch", Severity::Warning, recordMismatch},
    {Kind::LoadsForReal, "loads-for-real", Severity::Info, loadsForReal},
    {Kind::SimulationDisagrees, "simulation-disagrees", Severity::Error, simulationDisagrees},
    {Kind::ImportFails, "import-fails", Severity::Error, importFails},
};

constexpr bool isInOrder() {
  for (size_t i = 0; i < std::size(kTable); ++i)
    if (static_cast<size_t>(kTable[i].kind) != i)
      return false;
  return static_cast<size_t>(Kind::ImportFails) + 1 == std::size(kTable);
}
static_assert(isInOrder(), "one row for each kind, in the order of the kinds");

} // namespace

Finding wordFinding(const Defect& defect, const FindingContext& context) {
  const Row& row = kTable[static_cast<size_t>(defect.kind)];
  Words words = row.words(defect, context);
  Severity severity = defect.isFromText() ? Severity::Error : row.severity;
  if (!defect.isCause)
    severity = severity == Severity::Error ? Severity::Warning : Severity::Info;
  return {row.code,    severity, std::move(words.message), defect.path, std::move(words.evidence),
          words.action};
}

} // namespace tcfix::doctor