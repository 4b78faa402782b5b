#include "command_line.h"

#include "apply/undo.h"

namespace tcfix::cli {

int runUndo(int argc, const char* const* argv) {
  CommandText text{"undo", "",
                   R"(  tcfix edit --journal undo.json --add-rpath /opt/homebrew/lib libfoo.dylib
  tcfix undo --journal undo.json
)"};
  cxxopts::Options options("tcfix undo",
                           "Puts the original bytes back, verified by hash. A file that someone "
                           "else changed\nsince is left alone and named.\n");
  options.add_options()("journal", "the file that tcfix edit --journal wrote",
                        cxxopts::value<std::string>(), "FILE");
  int exitCode;
  std::optional<Invocation> invocation = Invocation::parse(text, options, argc, argv, exitCode);
  if (!invocation)
    return exitCode;
  std::string journal = invocation->value("journal");
  if (journal.empty() || !invocation->operands().empty())
    return invocation->usageError("name the journal: tcfix undo --journal FILE");

  io::system::watchForInterrupts();
  apply::UndoRun run;
  llvm::Expected<apply::UndoRun> result =
      apply::undoJournal(journal, [](const std::string& message) { report::logInfo(message); });
  if (result)
    run = std::move(*result);
  else
    invocation->addError(toProblem(result.takeError(), journal));
  for (const Problem& problem : run.problems)
    invocation->addError(problem);
  std::string out = result ? report::renderUndo(run, invocation->paint()) : std::string();
  return invocation->finish(false, out, [&](const report::Preamble& preamble) {
    return report::jsonForUndo(preamble, journal, run);
  });
}

} // namespace tcfix::cli
