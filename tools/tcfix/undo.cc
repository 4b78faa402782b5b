#include "target.h"

#include "apply/undo.h"
#include "io/system.h"

namespace tcfix::cli {

namespace {

void notify(const std::string& message) {
  report::logInfo(message);
}

int runUndo(Invocation& invocation) {
  std::string journal = invocation.value("journal");
  if (invocation.has("journal") && (journal.empty() || !invocation.operands().empty()))
    return invocation.usageError(journal.empty() ? "--journal must not be empty"
                                                 : "--journal and TARGET cannot be combined");
  io::system::watchForInterrupts();
  std::vector<report::UndoneTarget> undone;
  std::string out;
  auto add = [&](const std::string& name, llvm::Expected<apply::UndoRun> result) {
    if (!result) {
      invocation.addError(toProblem(result.takeError(), name));
      return;
    }
    for (const Problem& warning : result->warnings)
      invocation.addWarning(warning);
    for (const Problem& problem : result->problems)
      invocation.addError(problem);
    out += report::renderUndo(name, *result, invocation.isVerbose(), invocation.paint());
    undone.emplace_back(name, std::move(*result));
  };
  if (!journal.empty()) {
    add(journal, apply::undoJournal(journal, notify));
  } else {
    llvm::Expected<std::vector<std::string>> targets = targetsOf(invocation);
    if (!targets)
      invocation.addError(toProblem(targets.takeError(), {}));
    else
      for (const std::string& target : *targets)
        add(target, apply::undoTarget(target, invocation.value("sysroot"), notify));
  }
  return invocation.finish(kDone, out, [&](const report::Preamble& preamble) {
    return report::jsonForUndo(preamble, undone);
  });
}

} // namespace

Command undoCommand() {
  static constexpr Option kOptions[] = {
      {"journal", "undo the changes recorded by tcfix edit --journal", "FILE"},
      {"sysroot", "the target's root directory", "DIR"},
  };
  return {"undo",
          "restore the original bytes, verified by hash",
          "Restores the original bytes, RECORD and times, verified by hash. Files that were\n"
          "changed since by another program are reported and not restored.\n",
          "[TARGET...]",
          R"(  tcfix undo .venv
  tcfix edit --journal undo.json --add-rpath /opt/homebrew/lib libfoo.dylib
  tcfix undo --journal undo.json
)",
          {{"", kOptions}},
          runUndo};
}

} // namespace tcfix::cli
