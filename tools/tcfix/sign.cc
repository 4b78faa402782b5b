#include "command_line.h"
#include "editing.h"

namespace tcfix::cli {

int runSign(int argc, const char* const* argv) {
  CommandText text{"sign", "FILE...", R"(  tcfix sign libfoo.dylib
  tcfix sign --replace-signature --journal undo.json libbar.dylib
)"};
  cxxopts::Options options("tcfix sign",
                           "Ensures a valid ad-hoc signature. A valid one is left alone, a broken "
                           "or missing\none is made anew. Works on any system; macOS is not "
                           "needed.\n");
  addEditingOptions(options);
  int exitCode;
  std::optional<Invocation> invocation = Invocation::parse(text, options, argc, argv, exitCode);
  if (!invocation)
    return exitCode;
  formats::EditRequest request;
  request.signing.alsoUnsigned = true;
  return runEditing(*invocation, std::move(request));
}

} // namespace tcfix::cli
