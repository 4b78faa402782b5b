#include "editing.h"

#include "io/system.h"

namespace tcfix::cli {

namespace {

/// A sentence if the options make no sense, else nothing.
std::string readOptions(const Invocation& invocation, formats::Signing& signing,
                        apply::EditOptions& options) {
  options.isDryRun = invocation.isOn("dry-run");
  options.withHashes = invocation.wantsJson();
  options.journal = invocation.value("journal");
  if (invocation.has("journal") && options.journal.empty())
    return "--journal takes the name of a file";
  signing.replaceForeign = invocation.isOn("replace-signature");
  signing.isWanted = !invocation.isOn("no-sign");
  if (invocation.has("sign-with") && invocation.value("sign-with") != "codesign")
    return "--sign-with takes codesign";
  // --no-sign wins over everything.
  options.signWithCodesign = invocation.has("sign-with") && signing.isWanted;
  return invocation.operands().empty() ? "name at least one file" : "";
}

} // namespace

void addEditingOptions(cxxopts::Options& options) {
  auto text = [] { return cxxopts::value<std::string>(); };
  auto add = options.add_options();
  add("journal", "keep the way back in this file, for tcfix undo --journal", text(), "FILE");
  add("n,dry-run", "show the difference and write nothing; bytes with -v");
  add("sign-with", "codesign: let macOS's own tool sign", text(), "TOOL");
  add("replace-signature", "replace a signature made by an identity by an ad-hoc one");
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
      invocation.addWarning({ErrorCode::Warning, warning, file.path, {}});
    if (file.problem)
      invocation.addError(*file.problem);
  }
  for (const Problem& problem : run.problems)
    invocation.addError(problem);
  std::string text = options.isDryRun
                         ? report::renderDiff(run, invocation.isVerbose(), invocation.paint())
                         : report::renderEdits(run, invocation.paint());
  return invocation.finish(false, text, [&](const report::Preamble& preamble) {
    return report::jsonForEdit(preamble, run);
  });
}

} // namespace tcfix::cli
