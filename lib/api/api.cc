// The public interface in include/tcfix/tcfix.h: options and results are converted, and the work is
// done by formats, resolve and apply.
#include "tcfix/tcfix.h"

#include "apply/apply.h"
#include "apply/undo.h"
#include "base/error.h"
#include "formats/formats.h"
#include "io/file.h"
#include "resolve/tree.h"

namespace tcfix::api {

namespace {

Error errorFrom(Problem problem) {
  return {problem.code ? nameOf(*problem.code).str() : "warning", std::move(problem.message),
          std::move(problem.path), std::move(problem.hint)};
}

Error errorFrom(llvm::Error error, const std::string& path) {
  return errorFrom(toProblem(std::move(error), path));
}

std::vector<Error> errorsFrom(llvm::ArrayRef<Problem> problems) {
  std::vector<Error> errors;
  for (const Problem& problem : problems)
    errors.push_back(errorFrom(problem));
  return errors;
}

/// The value of `use`, which returns an llvm::Expected, for an open file.
template <typename Value, typename Use>
Result<Value> withFile(const std::string& path, Use use) {
  llvm::Expected<io::InputFile> file = io::InputFile::open(path);
  if (!file)
    return errorFrom(file.takeError(), path);
  llvm::Expected<Value> value = use(*file);
  if (llvm::Error error = file->checkWhole(value.takeError()))
    return errorFrom(std::move(error), path);
  return std::move(*value);
}

auto calling(const Notify& notify) {
  return [&notify](const std::string& message) {
    if (notify)
      notify(message);
  };
}

FileStatus statusFrom(apply::FileStatus status) {
  switch (status) {
  case apply::FileStatus::Changed:
    return FileStatus::Changed;
  case apply::FileStatus::WouldChange:
    return FileStatus::WouldChange;
  case apply::FileStatus::Unchanged:
    return FileStatus::Unchanged;
  case apply::FileStatus::Skipped:
    return FileStatus::Skipped;
  case apply::FileStatus::Failed:
    return FileStatus::Failed;
  }
  return FileStatus::Failed;
}

Verdict verdictFrom(resolve::Verdict verdict) {
  switch (verdict) {
  case resolve::Verdict::Loads:
    return Verdict::Loads;
  case resolve::Verdict::Fails:
    return Verdict::Fails;
  case resolve::Verdict::Unknown:
    return Verdict::Unknown;
  }
  return Verdict::Unknown;
}

Binding::State stateFrom(resolve::Binding::State state) {
  switch (state) {
  case resolve::Binding::State::Found:
    return Binding::State::Found;
  case resolve::Binding::State::System:
    return Binding::State::System;
  case resolve::Binding::State::Assumed:
    return Binding::State::Assumed;
  case resolve::Binding::State::Missing:
    return Binding::State::Missing;
  case resolve::Binding::State::Optional:
    return Binding::State::Optional;
  case resolve::Binding::State::Unknown:
    return Binding::State::Unknown;
  }
  return Binding::State::Unknown;
}

FileReport reportFrom(apply::FileOutcome outcome) {
  FileReport report;
  report.path = std::move(outcome.path);
  report.status = statusFrom(outcome.status);
  report.changes = std::move(outcome.edit.changes);
  report.warnings = std::move(outcome.edit.warnings);
  if (outcome.problem)
    report.error = errorFrom(std::move(*outcome.problem));
  report.sha256Before = std::move(outcome.sha256Before);
  report.sha256After = std::move(outcome.sha256After);
  return report;
}

Result<UndoReport> reportFrom(llvm::Expected<apply::UndoRun> run, const std::string& path) {
  if (!run)
    return errorFrom(run.takeError(), path);
  UndoReport report{std::move(run->restored), std::move(run->skipped), {}, {}};
  for (Problem& problem : run->warnings)
    report.warnings.push_back(errorFrom(std::move(problem)));
  for (Problem& problem : run->problems)
    report.errors.push_back(errorFrom(std::move(problem)));
  return report;
}

Result<FileReport> rewrite(const std::string& path, const std::vector<Edit>& edits,
                           bool alsoUnsigned, const EditOptions& options) {
  formats::EditRequest request{edits, {options.isSigning, alsoUnsigned, options.replaceSignature}};
  apply::EditOptions editing;
  editing.isDryRun = options.isDryRun;
  editing.withHashes = true;
  editing.journal = options.journal;
  apply::EditRun run = apply::editFiles({path}, request, editing, calling(options.notify));
  if (!run.problems.empty())
    return errorFrom(std::move(run.problems.front()));
  FileReport report = reportFrom(std::move(run.files.front()));
  if (report.error)
    return *report.error;
  return report;
}

} // namespace

Result<Image> inspect(const std::string& path, const InspectOptions& options) {
  return withFile<Image>(path, [&](const io::InputFile& file) {
    return formats::inspect(file.bytes(), {.withSymbols = options.withSymbols});
  });
}

Result<FileReport> edit(const std::string& path, const std::vector<Edit>& edits,
                        const EditOptions& options) {
  return rewrite(path, edits, /*alsoUnsigned=*/false, options);
}

Result<FileReport> sign(const std::string& path, const EditOptions& options) {
  return rewrite(path, {}, /*alsoUnsigned=*/true, options);
}

Result<Verification> verify(const std::string& path) {
  return withFile<Verification>(
      path, [](const io::InputFile& file) -> llvm::Expected<Verification> {
        llvm::Expected<formats::SignatureVerdict> verdict = formats::verify(file.bytes());
        if (!verdict)
          return verdict.takeError();
        return Verification{verdict->isValid, std::move(verdict->problems)};
      });
}

Result<Simulation> simulate(const std::string& path, const SimulateOptions& options) {
  return withFile<Simulation>(path, [&](const io::InputFile& file) -> llvm::Expected<Simulation> {
    llvm::Expected<Image> image = formats::inspect(file.bytes());
    if (!image)
      return image.takeError();
    resolve::LoadResult loaded =
        resolve::loadAlone(file.path(), *image, {options.sysroot, options.arch}).result;
    Simulation simulation;
    simulation.verdict = verdictFrom(loaded.verdict);
    for (resolve::LoadProblem& problem : loaded.problems)
      simulation.problems.push_back(std::move(problem.message));
    for (resolve::Binding& each : loaded.bindings) {
      Binding binding{each.library, each.dependency, stateFrom(each.state), each.provider, {}};
      for (resolve::Attempt& attempt : each.tried)
        binding.tried.push_back(std::move(attempt.place));
      simulation.bindings.push_back(std::move(binding));
    }
    return simulation;
  });
}

ApplyReport apply(const std::string& target, const ApplyOptions& options) {
  apply::ApplyOptions applying;
  applying.survey.sysroot = options.sysroot;
  applying.survey.arch = options.arch;
  applying.survey.macosVersion = options.macosVersion;
  applying.survey.packages = options.packages;
  applying.request.searchPaths = options.searchPaths;
  if (options.ffmpeg == "av")
    applying.request.ffmpeg = plan::Request::Ffmpeg::Pyav;
  else if (options.ffmpeg == "none")
    applying.request.ffmpeg = plan::Request::Ffmpeg::None;
  else if (options.ffmpeg != "auto")
    applying.survey.ffmpeg = options.ffmpeg;
  applying.signing.isWanted = options.isSigning;
  applying.signing.replaceForeign = options.replaceSignature;
  applying.isWriting = !options.isDryRun;
  applying.withHashes = true;
  apply::TargetOutcome outcome = apply::applyTo(target, applying, calling(options.notify));

  ApplyReport report;
  report.before = verdictFrom(outcome.loads.before);
  report.after = verdictFrom(outcome.loads.after);
  report.errors = errorsFrom(outcome.problems);
  report.warnings = errorsFrom(outcome.warnings);
  for (apply::FileOutcome& file : outcome.files) {
    report.files.push_back(reportFrom(std::move(file)));
    if (report.files.back().error)
      report.errors.push_back(*report.files.back().error);
  }
  return report;
}

Result<UndoReport> undo(const std::string& target, const std::string& sysroot,
                        const Notify& notify) {
  return reportFrom(apply::undoTarget(target, sysroot, calling(notify)), target);
}

Result<UndoReport> undoJournal(const std::string& journal, const Notify& notify) {
  return reportFrom(apply::undoJournal(journal, calling(notify)), journal);
}

} // namespace tcfix::api
