#include "signing_options.h"

namespace tcfix::cli {

void addSigningOptions(cxxopts::Options& options) {
  options.add_options()("sign-with", "codesign: let macOS's own tool sign",
                        cxxopts::value<std::string>(), "TOOL")(
      "replace-signature", "replace a signature made by an identity by an ad-hoc one");
}

std::string readSigningOptions(const Invocation& invocation, formats::Signing& signing,
                               apply::EditOptions& options) {
  signing.replaceForeign = invocation.has("replace-signature");
  signing.isWanted = !invocation.has("no-sign");
  if (!invocation.has("sign-with"))
    return {};
  if (invocation.value("sign-with") != "codesign")
    return "--sign-with takes codesign";
  options.signWithCodesign = signing.isWanted; // --no-sign wins over everything
  return {};
}

int runEditing(Invocation& invocation, const formats::EditRequest& request,
               const apply::EditOptions& options) {
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
