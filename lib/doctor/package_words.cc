#include "doctor/words.h"

#include "advice/advice.h"
#include "base/version.h"
#include "recipe/recipe.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace tcfix::doctor {

Words packageMissing(const Defect& defect, const FindingContext& context) {
  if (defect.isFromText() && defect.name == recipe::defaultRecipe().name &&
      context.torch.version.empty())
    return missingWithoutTorch(defect, context);
  // Packages whose import name is their name on the index.
  constexpr llvm::StringLiteral kSame[] = {
      "torchvision",      "torchaudio",       "numpy", "av", "pyannote.core", "pyannote.database",
      "pyannote.metrics", "pyannote.pipeline"};
  const bool isKnown =
      defect.name == recipe::defaultRecipe().name || llvm::is_contained(kSame, defect.name);
  return withCommand(defect, isKnown ? installCommand(context, defect.name) : std::string());
}

Words placeholderRelease(const Defect& defect, const FindingContext& context) {
  const recipe::Recipe recipe = recipe::recipeFor(context.package);
  const recipe::Machine& machine = context.machine;
  const std::string place = placeOf(machine);
  std::string message = context.package + " " + defect.name +
                        " is an empty placeholder, which pip installs if no release fits";
  if (!recipe.releaseFor(context.torch, machine)) {
    std::optional<recipe::Release> first = recipe.firstReleaseFor(machine);
    message += first ? "; for " + place + " there are wheels since " + first->version.text() +
                           ", none of them built for torch " + context.torch.version
                     : "; there is no wheel for " + place;
  }
  return withQuote(defect, std::move(message), fittingReleaseCommand(context));
}

Words pythonAbi(const Defect& defect, const FindingContext& context) {
  return {subjectOf(defect) + " is built for " + defect.name + "; this is Python " + defect.actual,
          {{"tag", defect.name}, {"python", defect.actual}},
          reinstallCommand(context)};
}

Words pythonVersionMismatch(const Defect& defect, const FindingContext& context) {
  auto brief = [](llvm::StringRef version) {
    std::optional<Version> parsed = parseVersion(version);
    return parsed ? parsed->text() : version.str();
  };
  return {"this environment's Python is " + brief(defect.name) + ", but " + context.package +
              " is installed for " + brief(defect.actual),
          {{"python", defect.name}, {"site", defect.actual}},
          installCommand(context, context.package)};
}

Words numpyAbi(const Defect& defect, const FindingContext&) {
  // Modules built for NumPy 1 do not work with NumPy 2; those built for 2 work with both.
  llvm::StringRef quote = defect.quote ? *defect.quote : defect.name;
  bool isForOne = quote.contains("0x100000") || quote.contains("NumPy 1.x");
  return withCommand(defect, isForOne ? "pip install \"numpy<2\"" : "pip install --upgrade numpy");
}

Words shadowed(const Defect& defect, const FindingContext& context) {
  return {"more than one " + context.package + " is installed; Python uses the first on its path",
          {{"also", defect.items}},
          "python -c \"import " + context.package + "; print(" + context.package + ".__file__)\""};
}

Words pluginMismatch(const Defect& defect, const FindingContext& context) {
  return {defect.name + " " + defect.actual + " is a plugin for another " + context.package +
              " than " + context.release + "; " + recipe::recipeFor(context.package).pluginSwitch +
              "=0 prevents plugins from loading",
          {{"plugin", defect.name}, {"version", defect.actual}},
          pluginCommand(context, defect.name)};
}

Words heicUnavailable(const Defect& defect, const FindingContext& context) {
  return {"HEIC images cannot be read: " + sentenceOf(defect),
          {{"dependency", defect.name}, placesTried(defect)},
          libheifCommand(context)};
}

Words recordMismatch(const Defect& defect, const FindingContext& context) {
  const size_t count = defect.items.size();
  Words words{count == 1 ? "1 library differs from RECORD: it was replaced or edited"
                         : std::to_string(count) +
                               " libraries differ from RECORD: they were replaced or edited",
              {{"libraries", defect.items}}};
  // A package that loads may have been repaired by hand, which a reinstallation would undo.
  if (defect.isCause)
    words.action = defect.isRepairable ? context.applyCommand : reinstallCommand(context);
  return words;
}

Words loadsForReal(const Defect& defect, const FindingContext& context) {
  return {context.package + " loads in this environment's Python" +
              (defect.actual.empty() ? "" : ", with FFmpeg " + defect.actual),
          {{"python", defect.provider}, {"seconds", defect.name}}};
}

Words simulationDisagrees(const Defect& defect, const FindingContext& context) {
  auto story = [](const std::string& cause) {
    return cause.empty() ? std::string("loads") : "does not load (" + cause + ")";
  };
  const std::string simulated = story(defect.sentence), real = story(defect.actual);
  const std::string line =
      defect.subject + ": simulated: " + simulated + "; real: " + real + "; " + context.versions;
  return {defect.subject + ": in the simulation it " + simulated +
              ", but in this environment's Python it " + real +
              "; please report this with the output of the command below",
          {{"python", defect.provider}, {"simulated", simulated}, {"real", real}, {"report", line}},
          context.runCommand};
}

Words importFails(const Defect& defect, const FindingContext& context) {
  return {"the libraries of " + context.package + " load, but its smoke test fails: " +
              llvm::StringRef(defect.actual).split('\n').first.str() +
              " (the command below prints the whole message)",
          {{"python", defect.provider}, {"smoke_test", defect.name}, {"error", defect.actual}},
          advice::quoted(defect.provider) + " -c \"" + defect.name + "\""};
}

} // namespace tcfix::doctor
