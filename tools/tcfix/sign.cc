#include "command_line.h"
#include "signing_options.h"

namespace tcfix::cli {

int runSign(int argc, const char* const* argv) {
  CommandText text{"sign", "FILE...", "", R"(  tcfix sign libfoo.dylib
  tcfix sign --replace-signature --journal undo.json libbar.dylib
)"};
  cxxopts::Options options("tcfix sign",
                           "Ensures a valid ad-hoc signature. A valid one is left alone, a broken "
                           "or missing\none is made anew. Works on any system; macOS is not "
                           "needed.\n");
  options.add_options()("journal", "keep the way back in this file, for tcfix undo --journal",
                        cxxopts::value<std::string>(), "FILE")(
      "n,dry-run", "show the difference and write nothing; bytes with -v");
  addSigningOptions(options);
  int exitCode;
  std::optional<Invocation> invocation = Invocation::parse(text, options, argc, argv, exitCode);
  if (!invocation)
    return exitCode;
  if (invocation->operands().empty())
    return invocation->usageError("name at least one file");

  formats::EditRequest request;
  request.signing.alsoUnsigned = true;
  apply::EditOptions editOptions;
  editOptions.isDryRun = invocation->has("dry-run");
  editOptions.withHashes = invocation->wantsJson();
  editOptions.journal = invocation->value("journal");
  if (std::string wrong = readSigningOptions(*invocation, request.signing, editOptions);
      !wrong.empty())
    return invocation->usageError(wrong);
  return runEditing(*invocation, request, editOptions);
}

} // namespace tcfix::cli
