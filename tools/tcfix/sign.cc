#include "command_line.h"
#include "editing.h"

namespace tcfix::cli {

namespace {

int runSign(Invocation& invocation) {
  formats::EditRequest request;
  request.signing.alsoUnsigned = true;
  return runEditing(invocation, std::move(request));
}

} // namespace

Command signCommand() {
  return {"sign",
          "sign Mach-O files ad hoc, on any system",
          "Ensures a valid ad-hoc signature: valid signatures are kept, invalid or missing\n"
          "ones are replaced. Works on any system, without macOS.\n",
          "FILE...",
          R"(  tcfix sign libfoo.dylib
  tcfix sign --replace-signature --journal undo.json libbar.dylib
)",
          {editingOptions()},
          runSign};
}

} // namespace tcfix::cli
