#include "command_line.h"

#include "apply/undo.h"

namespace tcfix::cli {

namespace {

int runUndo(Invocation& invocation) {
  std::string journal = invocation.value("journal");
  if (journal.empty())
    return invocation.usageError("name the journal: tcfix undo --journal FILE");

  io::system::watchForInterrupts();
  apply::UndoRun run;
  llvm::Expected<apply::UndoRun> result =
      apply::undoJournal(journal, [](const std::string& message) { report::logInfo(message); });
  if (result)
    run = std::move(*result);
  else
    invocation.addError(toProblem(result.takeError(), journal));
  for (const Problem& problem : run.problems)
    invocation.addError(problem);
  std::string out = result ? report::renderUndo(run, invocation.paint()) : std::string();
  return invocation.finish(false, out, [&](const report::Preamble& preamble) {
    return report::jsonForUndo(preamble, journal, run);
  });
}

} // namespace

Command undoCommand() {
  static constexpr Option kOptions[] = {
      {"journal", "the file that tcfix edit --journal wrote", "FILE"},
  };
  return {"undo",
          "put the original bytes back, verified by hash",
          "Puts the original bytes back, verified by hash. A file that someone else changed\n"
          "since is left alone and named.\n",
          "",
          R"(  tcfix edit --journal undo.json --add-rpath /opt/homebrew/lib libfoo.dylib
  tcfix undo --journal undo.json
)",
          {{"", kOptions}},
          runUndo};
}

} // namespace tcfix::cli
