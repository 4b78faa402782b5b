// The outcome of edit, apply, wheel and undo.
#include "report/text_parts.h"
#include "report/trial.h"

#include "image/names.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/Path.h>

#include <map>

namespace tcfix::report {

namespace {

std::string changeText(const Change& change) {
  const std::string value = printable(change.value), old = printable(change.old);
  const bool isReplacement = llvm::is_contained(
      std::initializer_list<Operation>{Operation::ReplaceRpath, Operation::SetRpathKind,
                                       Operation::RenameDependency, Operation::SetId},
      change.operation);
  constexpr size_t kColumn = 15; // after the widest operation
  std::string text = describe(change.operation).str();
  text.resize(kColumn, ' ');
  text += change.operation == Operation::Sign ? "ad hoc"
          : isReplacement && !old.empty()     ? old + " -> " + value
                                              : value;
  if (!change.reason.empty())
    text += "  (" + printable(change.reason) + ")";
  return change.arch.empty() ? text : change.arch + " " + text;
}

bool isChanged(const apply::FileOutcome& file) {
  return file.status == apply::FileStatus::Changed || file.status == apply::FileStatus::WouldChange;
}

std::string nameText(const apply::FileOutcome& file) {
  return printable(llvm::sys::path::filename(file.path));
}

/// The provider of an FFmpeg, for people; empty if the path shows it.
const char* sourceText(std::optional<providers::FfmpegSource> source) {
  using providers::FfmpegSource;
  return source == FfmpegSource::Pyav       ? "PyAV, "
         : source == FfmpegSource::Homebrew ? "Homebrew, "
         : source == FfmpegSource::MacPorts ? "MacPorts, "
         : source == FfmpegSource::Conda    ? "conda, "
                                            : "";
}

std::string changesText(const apply::FileOutcome& file) {
  std::string text;
  for (const Change& change : file.edit.changes)
    text += "              " + changeText(change) + "\n";
  return text;
}

// One line for each file, and what changed in it; consecutive files with the same changes share one
// list, below the last of them.
std::string filesText(llvm::ArrayRef<apply::FileOutcome> files, bool withUnchanged,
                      const Paint& paint) {
  std::string out;
  for (size_t i = 0; i < files.size(); ++i) {
    const apply::FileOutcome& file = files[i];
    switch (file.status) {
    case apply::FileStatus::Changed:
    case apply::FileStatus::WouldChange: {
      out += paint.green("changed   ") + "  " + paint.bold(printable(file.path)) + "\n";
      std::string changes = changesText(file);
      if (i + 1 == files.size() || changesText(files[i + 1]) != changes)
        out += changes;
      break;
    }
    case apply::FileStatus::Unchanged:
    case apply::FileStatus::Skipped:
      if (withUnchanged)
        out += paint.dim("unchanged ") + "  " + printable(file.path) + "\n";
      break;
    case apply::FileStatus::Failed:
      out += paint.red("failed    ") + "  " + printable(file.path) + "\n";
      break;
    }
  }
  return out;
}

/// "14 libraries changed, 1 failed"; a single changed file is printed by name.
std::string countsText(llvm::ArrayRef<apply::FileOutcome> files, bool isLibraries,
                       bool isPromise = false) {
  const apply::FileCounts counts = apply::countFiles(files);
  std::string out = isLibraries ? librariesText(counts.changed) : countText(counts.changed, "file");
  if (isLibraries && counts.changed == 1)
    for (const apply::FileOutcome& file : files)
      if (isChanged(file))
        out = nameText(file);
  out += isPromise ? " would change" : " changed";
  if (size_t unchanged = counts.unchanged + counts.skipped)
    out += ", " + std::to_string(unchanged) + " unchanged";
  if (counts.failed != 0)
    out += ", " + std::to_string(counts.failed) + " failed";
  return out;
}

/// " with FFmpeg 7 (pyav, av.libs)".
std::string ffmpegText(const apply::TargetOutcome& target) {
  if (!target.ffmpeg)
    return {};
  return " with FFmpeg " + std::to_string(target.ffmpeg->major) + " (" +
         sourceText(target.ffmpeg->source) + printable(belowSite(target.ffmpeg->path)) + ")";
}

std::string verdictText(const apply::TargetOutcome& target, const AppliedView& view, bool isPromise,
                        const Paint& paint) {
  const std::string subject = view.package.empty() ? "" : printable(view.package) + " ";
  const std::string doctor = "next: " + printable(view.doctor) + "\n";
  const std::string loads = (isPromise ? "would load" : "loads") + ffmpegText(target);
  const std::string fails = subject + (isPromise ? "would not load" : "does not load");
  if (target.loads.after == resolve::Verdict::Fails) {
    std::string out = paint.verdict(false, fails) + "\n";
    for (const std::string& cause : target.causes)
      out += "  " + wrapped(printable(cause), 4, 2) + "\n";
    return out + doctor;
  }
  if (!view.missing.empty()) {
    std::vector<std::string> majors;
    for (int major : view.missing)
      majors.push_back(std::to_string(major));
    return paint.verdict(false,
                         fails + " with FFmpeg " + llvm::join(majors, ", ") + " (required)") +
           "\n" + (target.ffmpeg ? "  it " + loads + "\n" : "") + doctor;
  }
  if (target.loads.after == resolve::Verdict::Loads)
    return paint.verdict(true, subject + loads) + "\n";
  std::vector<llvm::StringRef> paths;
  for (const apply::FileOutcome& file : target.files)
    paths.push_back(file.path);
  return paint.bold(wrapped(cannotTellText(paths), 2, 0)) + "\n";
}

} // namespace

std::string renderEdits(const apply::EditRun& run, const Paint& paint) {
  std::string out = filesText(run.files, /*withUnchanged=*/true, paint);
  apply::FileCounts counts = apply::countFiles(run.files);
  if (counts.changed == 0 && counts.failed == 0)
    return out + "nothing to do\n";
  return out + countsText(run.files, /*isLibraries=*/false) + "\n";
}

namespace {

/// A change in words, why it was made, and how many libraries have it.
struct CountedChange {
  int rank; ///< the order of the lines: search paths, dependencies, the file as a whole
  std::string what;
  std::string why;
  size_t libraries = 0;

  bool isSame(const CountedChange& other) const {
    return rank == other.rank && what == other.what && why == other.why;
  }
};

/// "to find torch 2.9.1" is shortened to "torch 2.9.1" after the search path.
std::string whyText(const Change& change) {
  llvm::StringRef reason = reasonOf(change);
  reason.consume_front("to find ");
  return printable(reason);
}

llvm::StringRef verbOf(Operation operation) {
  return operation == Operation::RenameDependency ? "renamed"
         : operation == Operation::AddDependency  ? "added"
         : operation == Operation::Delay          ? "delayed"
         : operation == Operation::Undelay        ? "undelayed"
                                                  : llvm::StringRef();
}

/// The changes of one library, each once even if several slices have it. Renamed and delayed
/// dependencies are counted, because there are many.
std::vector<CountedChange> changesOf(const apply::FileOutcome& file) {
  std::vector<CountedChange> changes;
  // Of a file that is new in a wheel, its edits are a part.
  if (file.isNew)
    return {{3, "bundled", ""}};
  auto add = [&](CountedChange change) {
    if (llvm::none_of(changes, [&](const CountedChange& each) { return each.isSame(change); }))
      changes.push_back(std::move(change));
  };
  std::map<Operation, std::pair<size_t, std::string>> counted;
  for (const Change& change : file.edit.changes) {
    const std::string why = whyText(change), value = printable(change.value);
    if (change.operation == Operation::AddRpath)
      add({0, "+ " + value, why});
    else if (change.operation == Operation::RemoveRpath)
      add({0, "- " + value, why});
    else if (change.operation == Operation::SetRpathKind)
      add({1, "as " + llvm::StringRef(change.value).upper(), why});
    else if (change.operation == Operation::RemoveDependency)
      add({2, "- " + value, why});
    else if (change.operation == Operation::ReplaceFile)
      add({3, printable(change.reason), ""});
    else if (change.operation == Operation::Sign)
      add({4, "signed", ""});
    else if (verbOf(change.operation).empty())
      add({2, nameOf(change.operation).str(), why});
    else
      counted[change.operation] = {counted[change.operation].first + 1, why};
  }
  for (const auto& [operation, what] : counted)
    add({2,
         std::to_string(what.first) + (what.first == 1 ? " dependency " : " dependencies ") +
             verbOf(operation).str(),
         what.second});
  return changes;
}

/// One line for each change: `  15 x  + $ORIGIN/../torch/lib  torch 2.9.1`.
std::string countedChangesText(llvm::ArrayRef<apply::FileOutcome> files, const Paint& paint) {
  std::vector<CountedChange> all;
  for (const apply::FileOutcome& file : files) {
    if (!isChanged(file))
      continue;
    for (CountedChange& change : changesOf(file)) {
      auto found =
          llvm::find_if(all, [&](const CountedChange& each) { return each.isSame(change); });
      if (found == all.end())
        found = all.insert(all.end(), std::move(change));
      ++found->libraries;
    }
  }
  llvm::stable_sort(all, [](const auto& one, const auto& other) { return one.rank < other.rank; });
  constexpr size_t kWidest = 40; // a longer path shifts only its own reason
  size_t width = 0, digits = 1;
  for (const CountedChange& change : all) {
    if (!change.why.empty() && change.what.size() <= kWidest)
      width = std::max(width, change.what.size());
    digits = std::max(digits, std::to_string(change.libraries).size());
  }
  std::string out;
  for (const CountedChange& change : all) {
    const std::string count = std::to_string(change.libraries);
    std::string line =
        "  " + std::string(digits - count.size(), ' ') + count + " x  " + change.what;
    if (!change.why.empty()) {
      line.resize(std::max(line.size(), digits + 6 + width) + 2, ' ');
      line += paint.dim(wrapped(change.why, line.size(), line.size()));
    }
    out += line + "\n";
  }
  return out;
}

/// The result of --run, and the next step if it failed.
std::string confirmationText(const apply::TargetOutcome& target, const Paint& paint) {
  const trial::Trial& trial = *target.trial;
  const std::string rest = trialText(trial, target.required);
  if (trial.isOk)
    return paint.green("confirmed") + " by " + printable(trial.python) + " " + rest + "\n";
  std::string out = paint.red("not confirmed") + " by " + printable(trial.python) + "\n  " +
                    wrapped(printable(rest), 4, 2) + "\n";
  // If the simulation failed, too, the next step has already been printed.
  return target.loads.after == resolve::Verdict::Fails
             ? out
             : out + "next: tcfix doctor --run " + printable(target.path) + "\n";
}

} // namespace

std::string renderApplied(const apply::TargetOutcome& target, const AppliedView& view,
                          const Paint& paint) {
  if (target.files.empty())
    return {};
  const bool isPromise = llvm::any_of(target.files, [](const apply::FileOutcome& file) {
    return file.status == apply::FileStatus::WouldChange;
  });
  const apply::FileCounts counts = apply::countFiles(target.files);
  const bool isIdle = counts.changed == 0 && counts.failed == 0 && target.problems.empty();
  std::string out;
  if (view.isVerbose)
    out = filesText(target.files, /*withUnchanged=*/true, paint);
  out += paint.bold(printable(target.path)) + ": " +
         (isIdle ? std::string("nothing to do")
                 : countsText(target.files, /*isLibraries=*/true, isPromise)) +
         "\n";
  if (!view.isVerbose) {
    out += countedChangesText(target.files, paint);
    for (const apply::FileOutcome& file : target.files)
      if (file.status == apply::FileStatus::Failed)
        out += "  " + paint.red("failed") + "  " + nameText(file) + "\n";
  }
  out += verdictText(target, view, isPromise, paint);
  if (target.trial)
    out += confirmationText(target, paint);
  else if (counts.changed != 0 && !isPromise && view.missing.empty() &&
           target.loads.after == resolve::Verdict::Loads)
    for (const std::string& test : target.smokeTests)
      out += "next: python -c \"" + printable(test) + "\"\n";
  return out;
}

std::string renderWheel(const wheel::WheelOutcome& wheel, bool isVerbose, const Paint& paint) {
  if (wheel.files.empty())
    return {}; // the error is on standard error
  if (wheel.status() == apply::FileStatus::Unchanged)
    return paint.bold(printable(wheel.input)) + ": nothing to do\n";
  if (!wheel.output.empty() && !wheel.isWritten)
    return paint.bold(printable(wheel.output)) + ": already exists, nothing to do\n";
  std::string out = paint.bold(printable(wheel.input)) + ": " +
                    countsText(wheel.files, /*isLibraries=*/true) + "\n";
  out += isVerbose ? filesText(wheel.files, /*withUnchanged=*/true, paint)
                   : countedChangesText(wheel.files, paint);
  if (wheel.output.empty())
    return out + paint.red("not written") + "\n";
  return out + "wrote " + paint.bold(printable(wheel.output)) + "\n";
}

std::string renderUndo(llvm::StringRef target, const apply::UndoRun& run, bool isVerbose,
                       const Paint& paint) {
  std::string out;
  if (isVerbose) {
    for (const std::string& path : run.restored)
      out += paint.green("restored  ") + "  " + paint.bold(printable(belowSite(path))) + "\n";
    for (const std::string& path : run.skipped)
      out += paint.dim("original  ") + "  " + printable(belowSite(path)) + "\n";
  }
  out += paint.bold(printable(target)) + ": ";
  if (run.restored.empty())
    return out + (run.problems.empty() ? "nothing to undo\n" : "nothing restored\n");
  return out + librariesText(run.restored.size()) + " restored\n";
}

} // namespace tcfix::report
