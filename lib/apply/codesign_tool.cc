#include "apply/codesign_tool.h"

#include "base/error.h"
#include "formats/formats.h"
#include "io/host.h"

#include <llvm/Support/Path.h>

namespace tcfix::apply {

llvm::Expected<Rewrite> signStaged(const io::InputFile& original, const std::string& stagedPath) {
  std::optional<std::string> codesign = io::findProgram("codesign");
  if (!codesign)
    return fail(ErrorCode::Unsupported,
                "cannot be signed with codesign: it is part of macOS, and "
                "not on this machine",
                "leave --sign-with out: tcfix signs by itself, on any system");
  // The staged file has a temporary name; the identifier must come from the real one.
  std::string identifier =
      formats::signatureIdentifier(original.bytes(), llvm::sys::path::filename(original.path()));
  io::ProgramResult result = io::runProgram(
      *codesign, {"--force", "--sign", "-", "--identifier", identifier, "--", stagedPath});
  if (result.exitCode != 0)
    return fail(ErrorCode::CannotWrite,
                "codesign refused to sign it (exit code " + std::to_string(result.exitCode) + ")" +
                    (result.message.empty() ? "" : ": " + result.message),
                "leave --sign-with out: tcfix signs by itself, on any system");
  llvm::Expected<io::InputFile> file = io::InputFile::open(stagedPath);
  if (!file)
    return file.takeError();
  Rewrite rewrite = identityOf(original.bytes());
  rewrite.newSize = file->bytes().size();
  put(rewrite, original.bytes(), 0, file->bytes(), "signed by codesign");
  seal(rewrite);
  return rewrite;
}

} // namespace tcfix::apply
