#include "target.h"

#include "apply/apply.h"
#include "base/parallel.h"
#include "io/host.h"
#include "io/system.h"
#include "recipe/recipe.h"
#include "report/progress.h"
#include "trial/trial.h"

#include <llvm/ADT/STLExtras.h>

namespace tcfix::cli {

namespace {

/// A message if the options are invalid, else nothing.
std::string readOptions(const Invocation& invocation, apply::ApplyOptions& options) {
  options.survey = surveyFor(invocation);
  options.survey.wantsEveryPackage = invocation.isOn("all");
  for (const char* option : {"package", "replace-from", "rpath"})
    if (invocation.isOn("all") && invocation.has(option))
      return std::string("--all cannot be combined with --") + option;
  std::string ffmpeg = invocation.has("ffmpeg") ? invocation.value("ffmpeg") : "auto";
  if (ffmpeg.empty())
    return "--ffmpeg takes a directory, auto, av or none";
  if (ffmpeg == "av")
    options.request.ffmpeg = plan::Request::Ffmpeg::Pyav;
  else if (ffmpeg == "none")
    options.request.ffmpeg = plan::Request::Ffmpeg::None;
  else if (ffmpeg != "auto")
    options.survey.ffmpeg = ffmpeg;
  for (const Argument& argument : invocation.arguments())
    if (argument.key == "rpath") {
      if (argument.value.empty())
        return "--rpath must not be empty";
      options.request.searchPaths.push_back(argument.value);
    }
  options.isWriting = !invocation.isOn("dry-run") && !invocation.isOn("check");
  options.withHashes = invocation.wantsJson();
  options.isForced = invocation.isOn("force");
  options.replaceFrom = invocation.value("replace-from");
  if (invocation.has("replace-from") && !io::isDirectory(options.replaceFrom))
    return "--replace-from takes a directory: " + options.replaceFrom + " not found";
  options.signing.replaceForeign = invocation.isOn("replace-signature");
  options.signing.isWanted = !invocation.isOn("no-sign");
  // --no-sign overrides all other options.
  options.signWithCodesign = invocation.has("sign-with") && options.signing.isWanted;
  return {};
}

/// Never true for packages without libraries for an FFmpeg major.
bool failsWith(const apply::TargetOutcome& target, int major) {
  if (!target.hasMajors)
    return false;
  return target.trial ? !target.trial->loads(major)
                      : !llvm::is_contained(target.loadingMajors, major);
}

/// With --run, the result of Python overrides the simulation.
bool fails(const apply::TargetOutcome& target) {
  return target.trial ? !target.trial->isOk : target.loads.after == resolve::Verdict::Fails;
}

int codeFor(const Invocation& invocation, llvm::ArrayRef<apply::TargetOutcome> targets,
            llvm::ArrayRef<int> required) {
  bool wouldChange = false, failsToLoad = false;
  for (const apply::TargetOutcome& target : targets) {
    if (!target.problems.empty())
      continue; // an error already
    wouldChange |= apply::countFiles(target.files).changed != 0;
    failsToLoad |= fails(target) ||
                   llvm::any_of(required, [&](int major) { return failsWith(target, major); });
  }
  if (invocation.isOn("dry-run"))
    return kDone;
  if (invocation.isOn("check") && wouldChange)
    return kProblemFound;
  return failsToLoad ? kDoesNotLoad : kDone;
}

void reportProblems(Invocation& invocation, const apply::TargetOutcome& target,
                    llvm::ArrayRef<int> required) {
  for (const Problem& warning : target.warnings)
    invocation.addWarning(warning);
  // In the text it is part of the verdict.
  const bool isInText = !invocation.wantsJson() && !invocation.isOn("dry-run") && !target.trial;
  for (int major : required)
    if (!isInText && target.problems.empty() && failsWith(target, major))
      invocation.addWarning(
          {std::nullopt,
           "does not load with FFmpeg " + std::to_string(major) + ", required by --require",
           target.path, "to see why, run: " + invocation.commandFor("doctor", target.path)});
  if (target.problems.empty() && !target.hasMajors && !required.empty())
    invocation.addWarning(majorsIgnored(target.path));
  if (target.trial && !target.trial->agrees())
    invocation.addWarning({std::nullopt, "the simulation and the environment's Python disagree",
                           target.path, "tcfix doctor --run shows both, and how to report it"});
  if (!target.isFullyKnown)
    invocation.addWarning({std::nullopt,
                           "is for another platform, so its system directories were not searched" +
                               (target.assumedFfmpeg.empty()
                                    ? std::string()
                                    : "; FFmpeg is assumed to be in " + target.assumedFfmpeg),
                           target.path,
                           {}});
  for (const Problem& problem : target.problems)
    invocation.addError(problem);
  for (const apply::FileOutcome& file : target.files) {
    for (const std::string& warning : file.edit.warnings)
      invocation.addWarning({std::nullopt, warning, file.path, {}});
    if (file.problem)
      invocation.addError(*file.problem);
  }
}

/// The package's name; empty if there are several, or it is neither named nor the default one.
std::string packageOf(const Invocation& invocation, const apply::TargetOutcome& target) {
  if (invocation.isOn("all"))
    return {};
  const std::vector<std::string> named = surveyFor(invocation).packages;
  if (!named.empty())
    return named.size() == 1 ? named.front() : std::string();
  return target.isOfDefault ? recipe::defaultRecipe().name : std::string();
}

report::AppliedView viewOf(const Invocation& invocation, const apply::TargetOutcome& target,
                           llvm::ArrayRef<int> required) {
  report::AppliedView view{packageOf(invocation, target),
                           invocation.commandFor("doctor", target.path),
                           {},
                           invocation.isVerbose()};
  if (!target.trial && target.problems.empty())
    llvm::copy_if(required, std::back_inserter(view.missing),
                  [&](int major) { return failsWith(target, major); });
  return view;
}

int runApply(Invocation& invocation) {
  apply::ApplyOptions options;
  if (std::string wrong = readOptions(invocation, options); !wrong.empty())
    return invocation.usageError(wrong);
  llvm::Expected<std::vector<int>> required = majorsOf(invocation, "require");
  if (!required)
    return invocation.usageError(toProblem(required.takeError(), {}).message);
  if (invocation.isOn("run")) {
    if (!options.isWriting)
      return invocation.usageError("--run cannot be combined with --dry-run or --check");
    options.trial = trial::TrialOptions{.required = *required};
  }
  llvm::Expected<std::vector<std::string>> targets = targetsOf(invocation);
  std::vector<apply::TargetOutcome> outcomes;
  if (targets) {
    io::system::watchForInterrupts();
    io::system::allowManyOpenFiles();
    outcomes.resize(targets->size());
    report::Progress progress("repairing", targets->size(),
                              !invocation.isQuiet() && !invocation.wantsJson());
    parallelFor(targets->size(), invocation.jobs(), [&](size_t i) {
      outcomes[i] = apply::applyTo((*targets)[i], options,
                                   [&](const std::string& message) { progress.say(message); });
      progress.advance();
    });
  } else {
    invocation.addError(toProblem(targets.takeError(), {}));
  }
  std::string text;
  for (const apply::TargetOutcome& outcome : outcomes) {
    reportProblems(invocation, outcome, *required);
    text += !outcome.problems.empty() && outcome.files.empty() ? std::string()
            : invocation.isOn("dry-run")
                ? report::renderDiff(outcome.files, invocation.isVerbose(), invocation.paint())
                : report::renderApplied(outcome, viewOf(invocation, outcome, *required),
                                        invocation.paint());
  }
  return invocation.finish(
      codeFor(invocation, outcomes, *required), text,
      [&](const report::Preamble& preamble) { return report::jsonForApply(preamble, outcomes); });
}

} // namespace

Command applyCommand() {
  static constexpr Option kOptions[] = {
      {"all", "repair every package of the environment that does not load"},
      {"n,dry-run", "print a diff and write nothing"},
      {"check", "write nothing; exit 1 if something would change"},
      {"rpath", "add this search path to every library; repeatable", "PATH"},
      {"ffmpeg", "FFmpeg to use; `none` removes the FFmpeg search paths that tcfix added",
       "DIR|auto|av|none"},
      {"require", "FFmpeg majors that must load, such as 7,8", "MAJORS"},
      {"run", "then load the libraries in the environment's Python"},
      {"replace-from", "first copy rebuilt libraries with the same names from here", "DIR"},
      {"no-sign", "leave signatures as they are, even if that breaks them"},
      {"sign-with", "sign with macOS's own tool", "codesign"},
      {"replace-signature", "replace a certificate signature with an ad-hoc one"},
      {"force", "allow changes inside uv's cache and the Nix store"},
      {"j,jobs", "number of targets to process in parallel", "NUMBER"},
  };
  return {"apply",
          "repair torchcodec in an environment, a directory or one file",
          "Edits torchcodec's libraries so that they find torch and FFmpeg. Simulates the\n"
          "platform's loader before and after, to determine whether they load. A second\n"
          "run writes nothing; tcfix undo restores the original bytes.\n",
          "[TARGET...]",
          R"(  tcfix apply .venv
  tcfix apply                       the active environment, or ./.venv
  tcfix apply -n .venv              what would change, as a diff
  tcfix apply --rpath @loader_path/../torch/lib --rpath /opt/homebrew/lib .venv
  tcfix apply --run .venv           then load them in the environment's Python
  tcfix apply --ffmpeg av .venv     use the FFmpeg inside PyAV
  tcfix apply --all .venv           every package that does not load
  tcfix apply --check ~/envs/*      for CI: exit 1 if anything would change
)",
          {{"", kOptions}, targetOptions()},
          runApply};
}

} // namespace tcfix::cli
