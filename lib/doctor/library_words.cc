#include "doctor/words.h"

#include "advice/advice.h"
#include "base/demangle.h"
#include "image/names.h"
#include "providers/ffmpeg_name.h"
#include "recipe/torch_symbols.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace tcfix::doctor {

namespace {

/// "; searched A, B and 3 more places".
std::string lookedIn(const Defect& defect) {
  constexpr size_t kTold = 2;
  std::string text;
  for (const resolve::Attempt& attempt : llvm::ArrayRef(defect.tried).take_front(kTold)) {
    llvm::StringRef place = attempt.place;
    if (place.consume_back(baseName(defect.name)))
      place = place.rtrim("/\\");
    text += (text.empty() ? "; searched " : ", ") + place.str();
  }
  if (defect.tried.size() > kTold)
    text += " and " + std::to_string(defect.tried.size() - kTold) + " more places";
  return text;
}

// One of several, for people: the first that is short enough to read.
std::string exampleOf(llvm::ArrayRef<std::string> symbols) {
  constexpr size_t kReadable = 60;
  for (const std::string& symbol : symbols)
    if (std::string name = demangled(symbol); name.size() <= kReadable)
      return (symbols.size() == 1 ? ": " : ", such as ") + name;
  return {};
}

} // namespace

Words missingDependency(const Defect& defect, const FindingContext& context) {
  Words words{sentenceOf(defect),
              {{"dependency", defect.name}, placesTried(defect)},
              defect.isRepairable ? context.applyCommand : std::string()};
  if (!defect.isSearchable)
    return words;
  // The user may have a directory that no rule finds.
  const bool isElsewhere = !defect.alternatives.empty();
  words.message += isElsewhere ? "; there is one in " + defect.alternatives.front()
                               : lookedIn(defect) + ". If you have it, pass its directory";
  if (isElsewhere)
    words.evidence.push_back({"elsewhere", defect.alternatives});
  words.action = context.applyCommand + " --search " +
                 (isElsewhere ? advice::quoted(defect.alternatives.front()) : "DIR");
  return words;
}

Words missingSymbols(const Defect& defect, const FindingContext& context) {
  const bool isTorchs = defect.kind == Defect::Kind::MissingTorchSymbols;
  const auto span = isTorchs ? recipe::torchSpanOf(defect.items) : recipe::TorchSpan();
  const std::string known = span.text();
  resolve::LoadProblem problem;
  problem.library = !defect.path.empty()     ? defect.path
                    : defect.subject.empty() ? "a library"
                                             : defect.subject;
  problem.provider = defect.provider;
  problem.symbols = defect.items;
  Words words{countMissing(problem) + exampleOf(defect.items) +
              (known.empty() ? "" : " (" + known + ")") +
              (!isTorchs ? ""
               : context.torch.version.empty()
                   ? ". It was built for another torch"
                   : ". It was built for a torch other than " + context.torch.version)};
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
  if (isTorchs && hasTable && context.torch.version.empty())
    words.message += "; install the one for this torch (" +
                     releasesByTorch(recipe::recipeFor(context.package)) + ")";
  return words;
}

Words cxx11Abi(const Defect& defect, const FindingContext& context) {
  return {"torch " + context.torch.version + " and " + subjectOf(defect) +
              " were built with different kinds of std::string (_GLIBCXX_USE_CXX11_ABI)",
          {{"symbols", defect.items}, {"instead", defect.alternatives}},
          newestPairCommand(context)};
}

Words missingVersions(const Defect& defect, const FindingContext& context) {
  return {sentenceOf(defect),
          {{"library", defect.provider}, {"versions", defect.items}},
          defect.kind == Defect::Kind::LibstdcxxTooOld
              ? "conda install -c conda-forge \"libstdcxx-ng>=13\""
          : defect.kind == Defect::Kind::GlibcTooOld
              ? std::string() // only another system has another one
              : reinstallCommand(context)};
}

Words wrongArchitecture(const Defect& defect, const FindingContext& context) {
  const std::string action = providers::parseFfmpegName(defect.name)
                                 ? ffmpegInstallCommand(context, defect.majors)
                                 : reinstallCommand(context);
  if (defect.isFromText())
    return withCommand(defect, action);
  return {sentenceOf(defect), {{"dependency", defect.name}, placesTried(defect)}, action};
}

Words foreignLibrary(const Defect& defect, const FindingContext& context) {
  bool isUnderRosetta = context.machine.platform == Platform::MacOs && defect.name == "x86_64" &&
                        llvm::is_contained(defect.items, "arm64");
  return {"Python is " + defect.name + ", but " + subjectOf(defect) + " is " +
              (defect.actual == "universal" ? "a universal file without that slice: " : "") +
              llvm::join(defect.items, " and ") +
              (isUnderRosetta ? "; a Python for Intel runs under Rosetta here" : ""),
          {{"python", defect.name}, {"library", defect.items}},
          reinstallCommand(context)};
}

Words duplicateEntry(const Defect& defect, const FindingContext& context) {
  const bool isPath = defect.kind == Defect::Kind::DuplicateEntry;
  Words words{
      sentenceOf(defect), {{isPath ? "entry" : "dependency", defect.name}}, context.applyCommand};
  if (!defect.isFromText() && !defect.isRepairable) {
    // apply edits only the package's own libraries. Any edit removes the duplicate; this one has no
    // other effect.
    words.action =
        "tcfix edit " +
        (isPath ? "--add-rpath " + advice::quoted(defect.name)
                : "--rename-dependency " + advice::quoted(defect.name + "=" + defect.name)) +
        " " + advice::quoted(defect.path);
    for (size_t i = 1; i < defect.items.size(); ++i)
      words.action += " " + advice::quoted(defect.items[i]);
  }
  if (!defect.items.empty())
    words.evidence.push_back({"libraries", defect.items});
  return words;
}

Words signature(const Defect& defect, const FindingContext& context) {
  if (defect.isFromText())
    return withCommand(defect, "tcfix sign " + advice::quoted(defect.path));
  bool isKilled = llvm::StringRef(defect.name).starts_with("arm64");
  Words words{defect.kind == Defect::Kind::SignatureMissing
                  ? subjectOf(defect) + " is not signed, which arm64 requires"
                  : "the signature of " + subjectOf(defect) + " does not match its content" +
                        (isKilled ? ": macOS kills the process that loads it" : ""),
              {},
              defect.isRepairable ? "tcfix sign " + advice::quoted(defect.path)
                                  : advice::reinstallCommand(context)};
  if (defect.kind == Defect::Kind::SignatureInvalid)
    words.evidence.push_back({"signature", defect.actual});
  return words;
}

Words signatureForeign(const Defect& defect, const FindingContext& context) {
  return {subjectOf(defect) + " is signed with a certificate: tcfix replaces that signature with "
                              "an ad-hoc one only if requested",
          {{"signature", defect.actual}},
          context.applyCommand + " --replace-signature"};
}

Words hardenedPython(const Defect& defect, const FindingContext&) {
  const std::string command = "codesign --force --sign - " +
                              advice::quoted(defect.isFromText() ? "PYTHON" : defect.provider);
  if (defect.isFromText())
    return withCommand(defect, command);
  return {sentenceOf(defect), {{"signature", defect.actual}}, command};
}

Words macosTooOld(const Defect& defect, const FindingContext&) {
  constexpr llvm::StringLiteral kUpdate = "softwareupdate --install --all";
  if (defect.isFromText())
    return withCommand(defect, kUpdate.str());
  return {subjectOf(defect) + " is for macOS " + defect.name +
              " or later, and may use features that macOS " + defect.actual + " lacks",
          {{"min_os", defect.name}, {"system", defect.actual}},
          kUpdate.str()};
}

Words quarantined(const Defect& defect, const FindingContext&) {
  return withCommand(defect, "xattr -d com.apple.quarantine " + advice::quoted(defect.path));
}

Words executableStack(const Defect& defect, const FindingContext&) {
  return withCommand(defect, "patchelf --clear-execstack " + advice::quoted(defect.path));
}

Words notMapped(const Defect& defect, const FindingContext& context) {
  return withCommand(defect, context.machine.platform == Platform::Linux
                                 ? "findmnt --target " + advice::quoted(defect.path)
                                 : std::string());
}

Words staticTlsFull(const Defect& defect, const FindingContext&) {
  if (!defect.sentence.empty()) // musl has no such variable
    return withCommand(defect, {});
  return withCommand(defect, "export GLIBC_TUNABLES=glibc.rtld.optional_static_tls=16384");
}

Words initializationFailed(const Defect& defect, const FindingContext&) {
  return withCommand(defect, "winget install Microsoft.VCRedist.2015+.x64");
}

Words searchPath(const Defect& defect, const FindingContext&) {
  return {sentenceOf(defect),
          {{"entry", defect.name}, {"libraries", defect.items}},
          "tcfix edit --remove-rpath '" + defect.name + "' " + advice::quoted(defect.path)};
}

} // namespace tcfix::doctor
