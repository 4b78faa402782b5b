// What was done: by edit, apply, wheel and undo.
#include "report/text_parts.h"
#include "report/trial.h"

#include "base/enum_name.h"
#include "image/names.h"
#include "wheel/bundle.h"

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
  std::string text =
      enumName<Operation::ReplaceFile>(change.operation,
                                       {"+ search path  ", "- search path  ", "~ search path  ",
                                        "~ kind         ", "~ dependency   ", "+ dependency   ",
                                        "- dependency   ", "~ identity     ", "~ delayed      ",
                                        "~ not delayed  ", "~ signature    ", "~ file         "})
          .str();
  text += change.operation == Operation::Sign ? "ad hoc"
          : isReplacement && !old.empty()     ? old + " -> " + value
                                              : value;
  if (!change.reason.empty())
    text += "  (" + printable(change.reason) + ")";
  return change.arch.empty() ? text : change.arch + " " + text;
}

std::string changesText(const apply::FileOutcome& file) {
  std::string text;
  for (const Change& change : file.edit.changes)
    text += "              " + changeText(change) + "\n";
  return text;
}

// One line for each file, and what changed in it; files that changed alike share one list of
// changes, below the last of them.
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

std::string librariesText(size_t count) {
  return count == 1 ? "1 library" : std::to_string(count) + " libraries";
}

std::string countsText(const apply::FileCounts& counts, llvm::StringRef noun,
                       bool isPromise = false) {
  size_t all = counts.changed + counts.unchanged + counts.skipped + counts.failed;
  std::string out = noun == "library" ? librariesText(all) : countText(all, noun);
  out += ": " + std::to_string(counts.changed) + (isPromise ? " would change, " : " changed, ") +
         std::to_string(counts.unchanged) + " unchanged";
  if (counts.failed != 0)
    out += ", " + std::to_string(counts.failed) + " failed";
  return out;
}

std::string verdictText(const apply::TargetOutcome& target, const std::string& doctor,
                        bool isPromise, const Paint& paint) {
  switch (target.loads.after) {
  case resolve::Verdict::Loads:
    return paint.green(isPromise ? "would load" : "loads") +
           (target.ffmpeg ? " with FFmpeg " + std::to_string(target.ffmpeg->major) + " from " +
                                printable(target.ffmpeg->path)
                          : "") +
           "\n";
  case resolve::Verdict::Unknown:
    return "whether it loads cannot be known here: they are for another platform\n";
  case resolve::Verdict::Fails:
    break;
  }
  std::string out = paint.red(isPromise ? "would not load" : "does not load") + "\n";
  for (const std::string& cause : target.causes)
    out += "  " + wrapped(printable(cause), 4, 2) + "\n";
  return out + "next: " + printable(doctor) + "\n";
}

} // namespace

std::string renderEdits(const apply::EditRun& run, const Paint& paint) {
  std::string out = filesText(run.files, /*withUnchanged=*/true, paint);
  apply::FileCounts counts = apply::countFiles(run.files);
  if (counts.changed == 0 && counts.failed == 0)
    return out + "nothing to do\n";
  return out + countsText(counts, "file") + "\n";
}

namespace {

// What changed and why, a line each: search paths one by one, dependencies counted.
std::vector<std::string> briefly(const apply::FileOutcome& file) {
  std::vector<std::string> lines;
  // All that was done to a file that is new in a wheel is part of bundling it.
  if (!file.edit.changes.empty() && file.edit.changes.front().reason == wheel::kBundled)
    return {wheel::kBundled.str()};
  std::map<Operation, std::pair<size_t, std::string>> counted;
  for (const Change& change : file.edit.changes) {
    std::string why = "  (" + printable(reasonOf(change)) + ")";
    if (change.operation == Operation::AddRpath)
      lines.push_back("+ " + printable(change.value) + why);
    else if (change.operation == Operation::RemoveRpath)
      lines.push_back("- " + printable(change.value) + why);
    else if (change.operation == Operation::SetRpathKind)
      lines.push_back("as " + llvm::StringRef(change.value).upper() + why);
    else if (change.operation == Operation::ReplaceFile)
      lines.push_back(printable(change.reason));
    else if (change.operation != Operation::Sign) {
      auto& [count, reason] = counted[change.operation];
      ++count;
      reason = why;
    }
  }
  for (const auto& [operation, what] : counted) {
    llvm::StringRef verb = operation == Operation::RenameDependency   ? "renamed"
                           : operation == Operation::RemoveDependency ? "dropped"
                           : operation == Operation::AddDependency    ? "added"
                           : operation == Operation::Delay            ? "delayed"
                           : operation == Operation::Undelay          ? "undelayed"
                                                                      : llvm::StringRef();
    if (verb.empty())
      lines.push_back(nameOf(operation).str() + what.second);
    else
      lines.push_back(std::to_string(what.first) +
                      (what.first == 1 ? " dependency " : " dependencies ") + verb.str() +
                      what.second);
  }
  if (llvm::any_of(file.edit.changes,
                   [](const Change& change) { return change.operation == Operation::Sign; }))
    lines.push_back("signed");
  return lines;
}

/// Files that changed alike, in the order of the first of each kind.
struct Alike {
  std::vector<std::string> changes;
  std::vector<const apply::FileOutcome*> files;
};

std::vector<Alike> changedAlike(llvm::ArrayRef<apply::FileOutcome> files) {
  std::vector<Alike> kinds;
  for (const apply::FileOutcome& file : files) {
    if (file.status != apply::FileStatus::Changed && file.status != apply::FileStatus::WouldChange)
      continue;
    std::vector<std::string> changes = briefly(file);
    auto kind = llvm::find_if(kinds, [&](const Alike& each) { return each.changes == changes; });
    if (kind == kinds.end())
      kind = kinds.insert(kinds.end(), {std::move(changes), {}});
    kind->files.push_back(&file);
  }
  return kinds;
}

/// What the environment's own python showed, and the next step if it failed.
std::string confirmationText(const apply::TargetOutcome& target, const Paint& paint) {
  const trial::Trial& trial = *target.trial;
  const std::string rest = trialText(trial, target.required);
  if (trial.isOk)
    return paint.green("confirmed") + " by " + printable(trial.python) + " " + rest + "\n";
  std::string out = paint.red("not confirmed") + " by " + printable(trial.python) + "\n  " +
                    wrapped(printable(rest), 4, 2) + "\n";
  // The simulation has named the next step already, where it failed, too.
  return target.loads.after == resolve::Verdict::Fails
             ? out
             : out + "next: tcfix doctor --run " + printable(target.path) + "\n";
}

std::string nameText(const apply::FileOutcome& file) {
  return printable(llvm::sys::path::filename(file.path));
}

} // namespace

std::string renderApplied(const apply::TargetOutcome& target, const std::string& doctor,
                          bool isVerbose, const Paint& paint) {
  if (target.files.empty())
    return {};
  bool isPromise = llvm::any_of(target.files, [](const apply::FileOutcome& file) {
    return file.status == apply::FileStatus::WouldChange;
  });
  std::string out;
  if (isVerbose) {
    out = filesText(target.files, /*withUnchanged=*/true, paint);
  } else {
    for (const Alike& kind : changedAlike(target.files)) {
      out += paint.green(isPromise ? "would change" : "changed") + "  " +
             paint.bold(kind.files.size() == 1 ? nameText(*kind.files.front())
                                               : librariesText(kind.files.size())) +
             "\n";
      for (const std::string& change : kind.changes)
        out += "           " + change + "\n";
    }
    for (const apply::FileOutcome& file : target.files)
      if (file.status == apply::FileStatus::Failed)
        out += paint.red("failed ") + "  " + nameText(file) + "\n";
  }
  apply::FileCounts counts = apply::countFiles(target.files);
  bool isIdle = counts.changed == 0 && counts.failed == 0 && target.problems.empty();
  out += paint.bold(printable(target.path)) + ": " +
         (isIdle ? std::string("nothing to do") : countsText(counts, "library", isPromise)) + "\n" +
         verdictText(target, doctor, isPromise, paint);
  if (target.trial)
    out += confirmationText(target, paint);
  else if (counts.changed != 0 && !isPromise && target.loads.after == resolve::Verdict::Loads)
    for (const std::string& test : target.smokeTests)
      out += "next: python -c \"" + printable(test) + "\"\n";
  return out;
}

namespace {

// A wheel's libraries change alike, and there may be many wheels: how many changed in which way.
std::string kindsOfChangeText(llvm::ArrayRef<apply::FileOutcome> files) {
  std::string out;
  for (const Alike& kind : changedAlike(files)) {
    std::string head = "  " + std::to_string(kind.files.size()) + " x  ";
    for (const std::string& change : kind.changes) {
      out += head + change + "\n";
      head.assign(head.size(), ' ');
    }
  }
  return out;
}

} // namespace

std::string renderWheel(const wheel::WheelOutcome& wheel, bool isVerbose, const Paint& paint) {
  if (wheel.files.empty())
    return {}; // said on standard error
  std::string name = paint.bold(printable(wheel.input)) + ": ";
  if (wheel.status() == apply::FileStatus::Unchanged)
    return name + "nothing to do\n";
  std::string out = name + countsText(apply::countFiles(wheel.files), "library") + "\n";
  if (isVerbose)
    out += filesText(wheel.files, /*withUnchanged=*/true, paint);
  else
    out += kindsOfChangeText(wheel.files);
  if (wheel.output.empty())
    return out + "not written\n";
  return out + (wheel.isWritten ? "wrote " : "nothing to do, it is there already: ") +
         paint.bold(printable(wheel.output)) + "\n";
}

std::string renderUndo(llvm::StringRef target, const apply::UndoRun& run, bool isVerbose,
                       const Paint& paint) {
  std::string out;
  if (isVerbose) {
    for (const std::string& path : run.restored)
      out += paint.green("restored  ") + "  " + paint.bold(printable(path)) + "\n";
    for (const std::string& path : run.skipped)
      out += paint.dim("original  ") + "  " + printable(path) + "\n";
  }
  out += paint.bold(printable(target)) + ": ";
  if (run.restored.empty())
    return out + (run.problems.empty() ? "nothing to undo\n" : "nothing restored\n");
  return out + librariesText(run.restored.size()) + " restored\n";
}

} // namespace tcfix::report
