#include "editing.h"

#include "io/system.h"

namespace tcfix::cli {

namespace {

/// A message if the options are invalid, else nothing.
std::string readOptions(const Invocation& invocation, formats::Signing& signing,
                        apply::EditOptions& options) {
  options.isDryRun = invocation.isOn("dry-run");
  options.withHashes = invocation.wantsJson();
  options.journal = invocation.value("journal");
  if (invocation.has("journal") && options.journal.empty())
    return "--journal must not be empty";
  signing.replaceForeign = invocation.isOn("replace-signature");
  signing.isWanted = !invocation.isOn("no-sign");
  // --no-sign overrides all other options.
  options.signWithCodesign = invocation.has("sign-with") && signing.isWanted;
  return {};
}

} // namespace

OptionGroup editingOptions() {
  static constexpr Option kOptions[] = {
      {"journal", "record the changes in this file, for tcfix undo --journal", "FILE"},
      {"n,dry-run", "print a diff, with -v also of the bytes, and write nothing"},
      {"sign-with", "sign with macOS's own tool", "codesign"},
      {"replace-signature", "replace a certificate signature with an ad-hoc one"},
  };
  return {"", kOptions};
}

int runEditing(Invocation& invocation, formats::EditRequest request) {
  apply::EditOptions options;
  if (std::string wrong = readOptions(invocation, request.signing, options); !wrong.empty())
    return invocation.usageError(wrong);
  io::system::watchForInterrupts();
  io::system::allowManyOpenFiles();
  apply::EditRun run =
      apply::editFiles(invocation.operands(), request, options,
                       [](const std::string& message) { report::logInfo(message); });
  for (const apply::FileOutcome& file : run.files) {
    for (const std::string& warning : file.edit.warnings)
      invocation.addWarning({std::nullopt, warning, file.path, {}});
    if (file.problem)
      invocation.addError(*file.problem);
  }
  for (const Problem& problem : run.problems)
    invocation.addError(problem);
  std::string text = options.isDryRun
                         ? report::renderDiff(run.files, invocation.isVerbose(), invocation.paint())
                         : report::renderEdits(run, invocation.paint());
  return invocation.finish(kDone, text, [&](const report::Preamble& preamble) {
    return report::jsonForEdit(preamble, run);
  });
}

} // namespace tcfix::cli
