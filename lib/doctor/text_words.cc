#include "doctor/words.h"

#include "base/version.h"
#include "image/names.h"
#include "recipe/torch_plugins.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace tcfix::doctor {

namespace {

/// "Linux x86_64 since 0.0, Linux aarch64 since 0.11".
std::string wheelPlaces(const recipe::Recipe& recipe) {
  std::vector<std::string> places;
  for (const recipe::WheelSpan& span : recipe.wheelSpans)
    if (std::string place = nameOf(span.platform).str() + " " + span.arch.str();
        llvm::none_of(places, [&](llvm::StringRef each) { return each.starts_with(place); }))
      places.push_back(place + " since " + span.first.text());
  return llvm::join(places, ", ");
}

constexpr llvm::StringLiteral kSendOrRun =
    ". Send the complete output, or run tcfix doctor on that machine";

} // namespace

std::string releasesByTorch(const recipe::Recipe& recipe) {
  constexpr size_t kMostPairs = 3; // in a sentence
  std::vector<std::string> pairs;
  for (const recipe::TorchMatch& match : llvm::reverse(recipe.torchMatches))
    if (pairs.size() < kMostPairs && match.torch < recipe.torchMatches.back().torch)
      pairs.push_back(match.last.text() + " for torch " + match.torch.text());
  return llvm::join(pairs, ", ");
}

Words causeNotTold(const Defect& defect, const FindingContext& context) {
  constexpr llvm::StringLiteral kNext = "tcfix doctor";
  const recipe::Recipe& recipe = recipe::defaultRecipe();
  if (context.package != recipe.name)
    return withQuote(defect, sentenceOf(defect) + kSendOrRun.str(), {});
  if (!defect.majors.empty())
    return withQuote(defect,
                     "the text shows only the attempts with FFmpeg " + majorsText(defect.majors) +
                         ", which always fail if another FFmpeg is installed. The attempt with "
                         "your FFmpeg is not in this text" +
                         kSendOrRun.str(),
                     kNext.str());
  llvm::StringRef file = baseName(defect.path);
  // The core is loaded before the other libraries of its major.
  bool isAfterCore = file.starts_with(recipe.libraryPrefix) && recipe.roleOf(file).rank > 0;
  return withQuote(defect,
                   sentenceOf(defect) +
                       (isAfterCore ? ". Its core library was loaded, so FFmpeg was found. Common "
                                      "causes: libpython is missing, or " +
                                          context.package + " was built for another torch"
                                    : ". Common causes: FFmpeg is missing, or " + context.package +
                                          " was built for another torch" + kSendOrRun.str()),
                   kNext.str());
}

Words missingWithoutTorch(const Defect& defect, FindingContext context) {
  const recipe::Recipe& recipe = recipe::defaultRecipe();
  const recipe::TorchMatch& newest = recipe.torchMatches.back();
  context.torch = recipe::torchBuildOf(newest.torch.text());
  return withQuote(defect,
                   sentenceOf(defect) + "; the command is for torch " + newest.torch.text() +
                       " or later (" + releasesByTorch(recipe) + ")",
                   installCommand(context, defect.name));
}

Words packageUnavailable(const Defect& defect, const FindingContext& context) {
  const recipe::Recipe recipe = recipe::recipeFor(defect.name);
  const std::string install =
      context.torch.version.empty() ? std::string() : installCommand(context, defect.name);
  if (install.empty())
    return withQuote(defect,
                     sentenceOf(defect) +
                         "; run the command on that machine: it reports which, and the release "
                         "for its torch (" +
                         releasesByTorch(recipe) + ")",
                     "tcfix doctor");
  return withQuote(defect,
                   sentenceOf(defect) + "; the command installs the one for torch " +
                       context.torch.version,
                   install);
}

namespace {

/// False for 1.0rc1.
bool isFinal(llvm::StringRef version) {
  return llvm::all_of(llvm::split(version, '.'), [](llvm::StringRef part) {
    return !part.empty() && llvm::all_of(part, llvm::isDigit);
  });
}

/// Of the releases that an installer lists, the first after the requested one; the newest if there
/// is none; empty without a list.
std::string nextRelease(const Defect& defect) {
  std::string newest;
  if (defect.alternatives.empty() || !isFinal(defect.alternatives.front()))
    return {};
  for (const std::string& version : llvm::make_filter_range(defect.items, isFinal)) {
    newest = version;
    if (isOlder(defect.alternatives.front(), version))
      break;
  }
  return newest;
}

} // namespace

Words noWheel(const Defect& defect, const FindingContext& context) {
  const recipe::Recipe recipe = recipe::recipeFor(defect.name);
  const recipe::Machine& machine = context.machine;
  // pip lists the available releases: none, or only the placeholder, means that no release fits.
  const bool hasNoRelease =
      !defect.items.empty() && llvm::all_of(defect.items, [&](const std::string& version) {
        return version == "none" || version == recipe.placeholder;
      });
  // A resolver fails for other reasons than the platform: versions, and requirements of other
  // packages.
  std::string message = defect.actual.empty()
                            ? "no wheel of " + defect.name + " fits " + placeOf(machine)
                            : "the index that the installer used has no release of " + defect.name +
                                  " that meets all requirements on " + placeOf(machine);
  if (!defect.provider.empty())
    return withQuote(defect,
                     "the index that the installer used has no " + defect.name + " " +
                         defect.provider + ", which is on PyTorch's own index",
                     channelCommand(context, defect.name, defect.provider));
  // For Intel Macs; newer releases have wheels for all other platforms.
  constexpr llvm::StringLiteral kLastOfIntelMacs = "2.2.2";
  if (defect.name == "torch" && !defect.items.empty() && defect.items.back() == kLastOfIntelMacs)
    return withQuote(defect,
                     message + "; " + kLastOfIntelMacs.str() +
                         " is the last one for Intel Macs, and for a Python for Intel on other "
                         "Macs: the command prints what this Python is for",
                     "python -c \"import platform; print(platform.machine())\"");
  const std::string next = hasNoRelease ? std::string() : nextRelease(defect);
  if (recipe.wheelSpans.empty() && !next.empty() && !advice::isBuiltForOneTorch(defect.name) &&
      defect.name != "torch" && defect.name != "av")
    return withQuote(defect,
                     "the index that the installer used has no " + defect.name + " " +
                         defect.alternatives.front() + " for " + placeOf(machine) +
                         "; the next release there is " + next,
                     releaseCommand(context, defect.name, next));
  if (recipe.wheelSpans.empty())
    return withQuote(defect, std::move(message), {});
  const std::optional<recipe::Release> first = recipe.firstReleaseFor(machine);
  const bool isKnown = machine.platform || !machine.python.empty();
  message += isKnown && first && !hasNoRelease ? "; there are wheels since " + first->version.text()
                                               : "; there are wheels for " + wheelPlaces(recipe);
  return withQuote(defect, std::move(message),
                   first && !hasNoRelease ? installCommand(context, defect.name) : std::string());
}

Words requirementsConflict(const Defect& defect, const FindingContext& context) {
  FindingContext wanted = context;
  wanted.torch = recipe::torchBuildOf(defect.actual);
  const bool isTorchs = advice::isBuiltForOneTorch(defect.name) && !defect.actual.empty();
  // conda's "NAME is excluded by strict repo priority".
  const bool isExcluded = llvm::any_of(
      defect.items, [](llvm::StringRef item) { return item.contains("strict repo priority"); });
  return withQuote(defect, sentenceOf(defect),
                   isTorchs     ? installCommand(wanted, defect.name)
                   : isExcluded ? advice::anyChannelCommand()
                                : std::string());
}

Words pluginBroken(const Defect& defect, const FindingContext& context) {
  const bool isWindows = context.machine.platform == Platform::Windows;
  const std::string variable = defect.subject == "torch" ? recipe::kTorchPluginSwitch.str()
                                                         : recipe::defaultRecipe().pluginSwitch;
  return withQuote(defect,
                   sentenceOf(defect) + "; the command prevents plugins from loading, and " +
                       context.package + " works without them",
                   (isWindows ? "set " : "export ") + variable + "=0");
}

Words operatorsMissing(const Defect& defect, const FindingContext& context) {
  return withQuote(
      defect, sentenceOf(defect) + ": " + context.package + " was built for another torch",
      context.package == recipe::defaultRecipe().name ? fittingReleaseCommand(context)
                                                      : installCommand(context, context.package));
}

Words crashed(const Defect& defect, const FindingContext& context) {
  return withQuote(defect,
                   sentenceOf(defect) + ": a sign of a " + context.package +
                       " that was built for another torch",
                   context.torch.version.empty() ? std::string() : fittingReleaseCommand(context));
}

} // namespace tcfix::doctor
