#include "doctor/words.h"

#include "advice/advice.h"
#include "base/demangle.h"
#include "base/version.h"
#include "image/names.h"
#include "providers/ffmpeg_name.h"
#include "recipe/cuda_name.h"
#include "recipe/recipe.h"
#include "recipe/torch_symbols.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace tcfix::doctor {

using Kind = Defect::Kind;
using Context = FindingContext;

namespace {

// What several kinds share

std::string subjectOf(const Defect& defect) {
  return !defect.subject.empty() ? defect.subject
         : defect.path.empty()   ? "a library"
                                 : baseName(defect.path).str();
}

Evidence placesTried(const Defect& defect) {
  std::vector<std::string> places;
  for (const resolve::Attempt& attempt : defect.tried)
    places.push_back(attempt.place + ": " + attempt.outcome);
  return {"tried", places};
}

Words withReinstall(const Defect& defect, const Context& context) {
  return withQuote(defect, sentenceOf(defect), reinstallCommand(context));
}

Words withCommand(const Defect& defect, const std::string& command) {
  return withQuote(defect, sentenceOf(defect), command);
}

// FFmpeg

Words ffmpegWords(const Defect& defect, std::string message, std::string action) {
  Words words{std::move(message), {{"dependency", defect.name}}, std::move(action)};
  if (!defect.isFromText())
    words.evidence.push_back({"installs", defect.items});
  words.evidence.push_back(placesTried(defect));
  if (defect.isFromText())
    words.evidence.push_back({"text", *defect.quote});
  for (const std::string& reason : defect.alternatives)
    words.evidence.push_back({"reason", reason});
  return words;
}

std::string inBrackets(llvm::ArrayRef<int> majors) {
  return majors.empty() ? "" : " (" + majorsText(majors) + ")";
}

Words ffmpegMissing(const Defect& defect, const Context& context) {
  if (!defect.isFromText())
    return ffmpegWords(
        defect,
        "there is no FFmpeg that the libraries could use" +
            (defect.majors.empty() ? "" : " (FFmpeg " + majorsText(defect.majors) + ")"),
        ffmpegInstallCommand(context, defect.majors));
  return ffmpegWords(defect,
                     context.package + " found no FFmpeg" + inBrackets(defect.majors) +
                         (defect.name.empty() ? ", as far as Windows tells: it names no DLL" : ""),
                     ffmpegInstallCommand(context, defect.majors));
}

Words ffmpegNotFound(const Defect& defect, const Context& context) {
  return ffmpegWords(defect,
                     defect.isFromText()
                         ? "there is " + defect.actual + ", and " + context.package +
                               " did not find its libraries" + inBrackets(defect.majors)
                         : "the libraries do not find an FFmpeg that is there",
                     context.applyCommand);
}

Words ffmpegUnfit(const Defect& defect, const Context&) {
  return ffmpegWords(defect,
                     "there is an FFmpeg of a fitting major, but the libraries fail with it", {});
}

Words ffmpegUnsupportedMajor(const Defect& defect, const Context& context) {
  return ffmpegWords(defect,
                     "this " + context.package + " uses FFmpeg " + majorsText(defect.majors) +
                         "; installed: " + defect.actual,
                     ffmpegInstallCommand(context, defect.majors));
}

Words ffmpegStatic(const Defect& defect, const Context& context) {
  return ffmpegWords(defect,
                     defect.isFromText()
                         ? "the " + defect.actual + " of this machine has no shared libraries"
                         : "no FFmpeg here has shared libraries: " + defect.actual,
                     sharedFfmpegCommand(context, defect.majors));
}

Words twoFfmpegs(const Defect& defect, const Context& context) {
  return {"a program that imports both " + context.package +
              " and av gets two FFmpegs: " + defect.name + " and " + defect.actual,
          {},
          context.applyCommand + " --ffmpeg av"};
}

// torch

Words torchMissing(const Defect& defect, const Context& context) {
  return withQuote(
      defect, defect.isFromText() ? sentenceOf(defect) : "there is no torch in this environment",
      torchInstallCommand(context));
}

Words torchBroken(const Defect& defect, const Context& context) {
  const bool isCuda = kindOfDependency(defect.name) == Kind::CudaMissing;
  Words words{"torch itself does not load: " + sentenceOf(defect),
              {{"dependency", defect.name}},
              defect.kind == Kind::TorchLacksRuntime ? "winget install Microsoft.VCRedist.2015+.x64"
                                                     : torchReinstallCommand(context, isCuda)};
  if (defect.isFromText())
    words.evidence.push_back({"text", *defect.quote});
  return words;
}

Words vendorTorch(const Defect& defect, const Context& context) {
  const bool isForeign = context.torch.isForeign();
  const std::string& version = context.torch.version;
  const std::string beginning =
      (version.empty() ? "this torch" : "torch " + version) + " is " + defect.name + ": ";
  return {beginning + context.package + "'s own wheels are built for PyTorch's" +
              (isForeign ? "; build " + context.package +
                               " against this torch, then bring its libraries in"
                         : " usual builds; it has others for this one"),
          {{"torch", context.torch.version}},
          isForeign ? context.applyCommand + " --replace-from BUILD_FOLDER"
                    : sameChannelCommand(context)};
}

Words torchVersionMismatch(const Defect& defect, const Context& context) {
  return {defect.actual.empty()
              ? "this " + context.package + " is one of " + defect.name +
                    ", and none of them is built for torch " + context.torch.version
              : context.package + " " + defect.name + " is built for torch " + defect.actual +
                    "; this is torch " + context.torch.version,
          {{context.package, defect.name}, {"torch", context.torch.version}},
          fittingReleaseCommand(context)};
}

// Dependencies and symbols

/// "; looked in A, B and 3 more places".
std::string lookedIn(const Defect& defect) {
  constexpr size_t kTold = 2;
  std::string text;
  for (const resolve::Attempt& attempt : llvm::ArrayRef(defect.tried).take_front(kTold)) {
    llvm::StringRef place = attempt.place;
    if (place.consume_back(baseName(defect.name)))
      place = place.rtrim("/\\");
    text += (text.empty() ? "; looked in " : ", ") + place.str();
  }
  if (defect.tried.size() > kTold)
    text += " and " + std::to_string(defect.tried.size() - kTold) + " more places";
  return text;
}

Words missingDependency(const Defect& defect, const Context& context) {
  Words words{sentenceOf(defect),
              {{"dependency", defect.name}, placesTried(defect)},
              defect.isRepairable ? context.applyCommand : std::string()};
  if (!defect.isSearchable)
    return words;
  // The user may know what no rule knows.
  const bool isElsewhere = !defect.alternatives.empty();
  words.message += isElsewhere ? "; there is one in " + defect.alternatives.front()
                               : lookedIn(defect) + ". If you have it, name its directory";
  if (isElsewhere)
    words.evidence.push_back({"elsewhere", defect.alternatives});
  words.action = context.applyCommand + " --search " +
                 (isElsewhere ? advice::quoted(defect.alternatives.front()) : "DIR");
  return words;
}

Words cudaMissing(const Defect& defect, const Context& context) {
  Words words = missingDependency(defect, context);
  if (words.action.empty())
    words.action = cudaInstallCommand(context, defect.name);
  return words;
}

std::string cudaText(int major) {
  return major ? "CUDA " + std::to_string(major) : "CUDA";
}

Words cudaVariantMismatch(const Defect& defect, const Context& context) {
  const std::optional<int> torchs = context.torch.cudaMajor;
  const int needed = recipe::cudaMajorOf(defect.name).value_or(0);
  // A release without CUDA goes with any torch.
  Context careful = context;
  careful.torch.cudaMajor = torchs.value_or(0);
  const std::string torch =
      context.torch.version.empty() ? "this torch" : "torch " + context.torch.version;
  Words words{"this " + context.package + " is built for " + cudaText(needed) + ", and " + torch +
                  (!torchs        ? " most likely is not"
                   : *torchs == 0 ? " is built without CUDA"
                                  : " for " + cudaText(*torchs)) +
                  (context.canReplace ? "" : "; build it against this torch"),
              {{"dependency", defect.name}, {"torch", context.torch.version}},
              sameChannelCommand(careful)};
  if (defect.isFromText())
    words.evidence.push_back({"text", *defect.quote});
  return words;
}

// One of several, for people: the first that is short enough to be read.
std::string exampleOf(llvm::ArrayRef<std::string> symbols) {
  constexpr size_t kReadable = 60;
  for (const std::string& symbol : symbols)
    if (std::string name = demangled(symbol); name.size() <= kReadable)
      return (symbols.size() == 1 ? "; it is " : "; one of them is ") + name;
  return {};
}

Words missingSymbols(const Defect& defect, const Context& context) {
  const bool isTorchs = defect.kind == Kind::MissingTorchSymbols;
  const auto span = isTorchs ? recipe::torchSpanOf(defect.items) : recipe::TorchSpan();
  const std::string known = span.text();
  resolve::LoadProblem problem;
  problem.library = defect.path;
  problem.provider = defect.provider;
  problem.symbols = defect.items;
  Words words{countMissing(problem) + (known.empty() ? "" : " (" + known + ")") +
              (isTorchs ? ": it was built against another torch" : "") +
              (isTorchs && !context.torch.version.empty() ? " than " + context.torch.version : "") +
              exampleOf(defect.items)};
  std::vector<std::string> readable;
  for (const std::string& symbol : defect.items)
    readable.push_back(demangled(symbol));
  words.evidence = {
      {"library", defect.provider}, {"symbols", defect.items}, {"demangled", readable}};
  if (span.since.isKnown())
    words.evidence.push_back({"since", span.since.text()});
  if (span.until.isKnown())
    words.evidence.push_back({"until", span.until.text()});
  if (defect.isFromText())
    words.evidence.push_back({"text", *defect.quote});
  const bool hasTable = !recipe::recipeFor(context.package).torchMatches.empty();
  words.action = isTorchs && hasTable ? fittingReleaseCommand(context) : reinstallCommand(context);
  return words;
}

Words cxx11Abi(const Defect& defect, const Context& context) {
  return {"torch " + context.torch.version + " and " + subjectOf(defect) +
              " were built with different kinds of std::string (_GLIBCXX_USE_CXX11_ABI)",
          {{"symbols", defect.items}, {"instead", defect.alternatives}},
          newestPairCommand(context)};
}

Words missingVersions(const Defect& defect, const Context& context) {
  return {sentenceOf(defect),
          {{"library", defect.provider}, {"versions", defect.items}},
          defect.kind == Kind::LibstdcxxTooOld ? "conda install -c conda-forge \"libstdcxx-ng>=13\""
          : defect.kind == Kind::GlibcTooOld ? std::string() // only another system has another one
                                             : reinstallCommand(context)};
}

// Files and packages

Words wrongArchitecture(const Defect& defect, const Context& context) {
  const std::string action = providers::parseFfmpegName(defect.name)
                                 ? ffmpegInstallCommand(context, defect.majors)
                                 : reinstallCommand(context);
  if (defect.isFromText())
    return withCommand(defect, action);
  return {sentenceOf(defect), {{"dependency", defect.name}, placesTried(defect)}, action};
}

Words foreignLibrary(const Defect& defect, const Context& context) {
  bool isUnderRosetta = context.machine.platform == Platform::MacOs && defect.name == "x86_64" &&
                        llvm::is_contained(defect.items, "arm64");
  return {"python is " + defect.name + ", and " + subjectOf(defect) + " is " +
              (defect.actual == "universal" ? "a universal file without that slice: " : "") +
              llvm::join(defect.items, " and ") +
              (isUnderRosetta ? "; a python for Intel runs under Rosetta here" : ""),
          {{"python", defect.name}, {"library", defect.items}},
          reinstallCommand(context)};
}

Words duplicateEntry(const Defect& defect, const Context& context) {
  Words words{sentenceOf(defect), {{"entry", defect.name}}, context.applyCommand};
  if (!defect.isFromText() && !defect.isRepairable) {
    // apply edits the package's own libraries only. Any edit removes the second entry; this one
    // asks for nothing else.
    words.action =
        "tcfix edit --add-rpath " + advice::quoted(defect.name) + " " + advice::quoted(defect.path);
    for (size_t i = 1; i < defect.items.size(); ++i)
      words.action += " " + advice::quoted(defect.items[i]);
  }
  if (!defect.items.empty())
    words.evidence.push_back({"libraries", defect.items});
  return words;
}

// Symbols are bound by the position of the load command, so that no tool can remove one.
Words duplicateDependency(const Defect& defect, const Context&) {
  Words words{sentenceOf(defect) + "; only relinking removes one of them",
              {{"dependency", defect.name}}};
  if (!defect.items.empty())
    words.evidence.push_back({"libraries", defect.items});
  return words;
}

Words packageMissing(const Defect& defect, const Context& context) {
  if (defect.isFromText() && defect.name == recipe::defaultRecipe().name &&
      context.torch.version.empty())
    return missingWithoutTorch(defect, context);
  // Where the module and what pip calls it have one name.
  constexpr llvm::StringLiteral kSame[] = {"torchvision", "torchaudio", "numpy", "av"};
  const bool isKnown =
      defect.name == recipe::defaultRecipe().name || llvm::is_contained(kSame, defect.name);
  return withCommand(defect, isKnown ? installCommand(context, defect.name) : std::string());
}

Words placeholderRelease(const Defect& defect, const Context& context) {
  const recipe::Recipe recipe = recipe::recipeFor(context.package);
  const recipe::Machine& machine = context.machine;
  const std::string place = placeOf(machine);
  std::string message = context.package + " " + defect.name +
                        " is an empty placeholder, which pip installs where no release fits";
  if (!recipe.releaseFor(context.torch, machine)) {
    std::optional<recipe::Release> first = recipe.firstReleaseFor(machine);
    message += first ? "; for " + place + " there are wheels since " + first->version.text() +
                           ", and none of them goes with torch " + context.torch.version
                     : "; there is no wheel for " + place;
  }
  return withQuote(defect, std::move(message), fittingReleaseCommand(context));
}

// Python

Words pythonAbi(const Defect& defect, const Context& context) {
  return {subjectOf(defect) + " is built for " + defect.name + "; this is Python " + defect.actual,
          {{"tag", defect.name}, {"python", defect.actual}},
          reinstallCommand(context)};
}

Words pythonVersionMismatch(const Defect& defect, const Context& context) {
  auto brief = [](llvm::StringRef version) {
    std::optional<Version> parsed = parseVersion(version);
    return parsed ? parsed->text() : version.str();
  };
  return {"this environment's Python is " + brief(defect.name) + ", and " + context.package +
              " lies in the folder of " + brief(defect.actual) + ", where it does not look",
          {{"python", defect.name}, {"site", defect.actual}},
          installCommand(context, context.package)};
}

Words numpyAbi(const Defect& defect, const Context&) {
  // Those built for NumPy 1 do not work with 2; those built for 2 work with both.
  llvm::StringRef quote = *defect.quote;
  bool isForOne = quote.contains("0x100000") || quote.contains("NumPy 1.x");
  return withCommand(defect, isForOne ? "pip install \"numpy<2\"" : "pip install --upgrade numpy");
}

// macOS

Words signature(const Defect& defect, const Context& context) {
  if (defect.isFromText())
    return withCommand(defect, "tcfix sign " + advice::quoted(defect.path));
  bool isKilled = llvm::StringRef(defect.name).starts_with("arm64");
  Words words{defect.kind == Kind::SignatureMissing
                  ? subjectOf(defect) + " is not signed, which arm64 demands"
                  : "the signature of " + subjectOf(defect) + " does not fit its bytes" +
                        (isKilled ? ": macOS kills the process that loads it" : ""),
              {},
              defect.isRepairable ? "tcfix sign " + advice::quoted(defect.path)
                                  : advice::reinstallCommand(context)};
  if (defect.kind == Kind::SignatureInvalid)
    words.evidence.push_back({"signature", defect.actual});
  return words;
}

Words signatureForeign(const Defect& defect, const Context& context) {
  return {subjectOf(defect) + " is signed by an identity: tcfix changes it only if told to, and "
                              "signs it ad hoc then",
          {{"signature", defect.actual}},
          context.applyCommand + " --replace-signature"};
}

Words hardenedPython(const Defect& defect, const Context&) {
  const std::string command = "codesign --force --sign - " +
                              advice::quoted(defect.isFromText() ? "PYTHON" : defect.provider);
  if (defect.isFromText())
    return withCommand(defect, command);
  return {sentenceOf(defect), {{"signature", defect.actual}}, command};
}

Words macosTooOld(const Defect& defect, const Context&) {
  constexpr llvm::StringLiteral kUpdate = "softwareupdate --install --all";
  if (defect.isFromText())
    return withCommand(defect, kUpdate.str());
  return {subjectOf(defect) + " is for macOS " + defect.name +
              " or later, and may need what macOS " + defect.actual + " does not have",
          {{"min_os", defect.name}, {"system", defect.actual}},
          kUpdate.str()};
}

Words quarantined(const Defect& defect, const Context&) {
  return withCommand(defect, "xattr -d com.apple.quarantine " + advice::quoted(defect.path));
}

// Other systems

Words executableStack(const Defect& defect, const Context&) {
  return withCommand(defect, "patchelf --clear-execstack " + advice::quoted(defect.path));
}

Words notMapped(const Defect& defect, const Context& context) {
  return withCommand(defect, context.machine.platform == Platform::Linux
                                 ? "findmnt --target " + advice::quoted(defect.path)
                                 : std::string());
}

Words staticTlsFull(const Defect& defect, const Context&) {
  return withCommand(defect, "export GLIBC_TUNABLES=glibc.rtld.optional_static_tls=16384");
}

Words initializationFailed(const Defect& defect, const Context&) {
  return withCommand(defect, "winget install Microsoft.VCRedist.2015+.x64");
}

// Search paths, and what is around the package

Words searchPath(const Defect& defect, const Context&) {
  return {sentenceOf(defect),
          {{"entry", defect.name}, {"libraries", defect.items}},
          "tcfix edit --remove-rpath '" + defect.name + "' " + advice::quoted(defect.path)};
}

Words shadowed(const Defect& defect, const Context& context) {
  return {"there is more than one " + context.package + "; Python takes the first on its path",
          {{"also", defect.items}},
          "python -c \"import " + context.package + "; print(" + context.package + ".__file__)\""};
}

Words twoTorches(const Defect& defect, const Context& context) {
  const bool isOnePlace = defect.name == "same";
  return {"there is more than one torch: " + context.torch.version + " and " +
              llvm::join(defect.items, ", ") +
              (isOnePlace ? ", in one directory; their files are mixed"
                          : "; Python takes the first on its path"),
          {{"torch", context.torch.version}, {"also", defect.items}},
          isOnePlace ? torchReinstallCommand(context, false)
                     : "python -c \"import torch; print(torch.__version__, torch.__file__)\""};
}

Words pluginMismatch(const Defect& defect, const Context& context) {
  return {defect.name + " " + defect.actual + " is a plugin for another " + context.package +
              " than " + context.release + "; " + recipe::recipeFor(context.package).pluginSwitch +
              "=0 keeps plugins from loading",
          {{"plugin", defect.name}, {"version", defect.actual}},
          pluginCommand(context, defect.name)};
}

Words heicUnavailable(const Defect& defect, const Context& context) {
  return {"HEIC images cannot be read: " + sentenceOf(defect),
          {{"dependency", defect.name}, placesTried(defect)},
          libheifCommand(context)};
}

Words recordMismatch(const Defect& defect, const Context& context) {
  Words words{
      std::to_string(defect.items.size()) +
          " of the libraries are not those that RECORD lists: someone replaced or edited them",
      {{"libraries", defect.items}}};
  // A package that loads may have been repaired by hand, which another installation would undo.
  if (defect.isCause)
    words.action = defect.isRepairable ? context.applyCommand : reinstallCommand(context);
  return words;
}

// With --run

Words loadsForReal(const Defect& defect, const Context& context) {
  return {context.package + " loads in this environment's python" +
              (defect.actual.empty() ? "" : ", with FFmpeg " + defect.actual),
          {{"python", defect.provider}, {"seconds", defect.name}}};
}

Words simulationDisagrees(const Defect& defect, const Context& context) {
  auto story = [](const std::string& cause) {
    return cause.empty() ? std::string("loads") : "does not load (" + cause + ")";
  };
  const std::string simulated = story(defect.sentence), real = story(defect.actual);
  const std::string line =
      defect.subject + ": simulated: " + simulated + "; real: " + real + "; " + context.versions;
  return {defect.subject + ": the simulation says that it " + simulated +
              ", but in this environment's python it " + real +
              "; please report this with the output of the command below",
          {{"python", defect.provider}, {"simulated", simulated}, {"real", real}, {"report", line}},
          context.runCommand};
}

Words importFails(const Defect& defect, const Context& context) {
  return {"the libraries of " + context.package + " load, but its smoke test fails: " +
              llvm::StringRef(defect.actual).split('\n').first.str() +
              " (the command below shows all of it)",
          {{"python", defect.provider}, {"smoke_test", defect.name}, {"error", defect.actual}},
          advice::quoted(defect.provider) + " -c \"" + defect.name + "\""};
}

struct Row {
  Kind kind;
  const char* code;
  Severity severity; ///< in an environment; what a text reports is an error
  Words (*words)(const Defect& defect, const Context& context);
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
    {Kind::DuplicateDependency, "duplicate-dependency", Severity::Error, duplicateDependency},
    {Kind::Unreadable, "unreadable", Severity::Error, withReinstall},
    {Kind::PackageDamaged, "package-damaged", Severity::Warning, withReinstall},
    {Kind::PackageMissing, "package-missing", Severity::Error, packageMissing},
    {Kind::PlaceholderRelease, "placeholder-release", Severity::Error, placeholderRelease},
    {Kind::PackageUnavailable, "package-missing", Severity::Error, packageUnavailable},
    {Kind::NoWheel, "package-missing", Severity::Error, noWheel},
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

Finding wordFinding(const Defect& defect, const Context& context) {
  const Row& row = kTable[static_cast<size_t>(defect.kind)];
  Words words = row.words(defect, context);
  Severity severity = defect.isFromText() ? Severity::Error : row.severity;
  if (!defect.isCause)
    severity = severity == Severity::Error ? Severity::Warning : Severity::Info;
  return {row.code,    severity, std::move(words.message), defect.path, std::move(words.evidence),
          words.action};
}

} // namespace tcfix::doctor
