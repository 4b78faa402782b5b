#include "commit/codesign_tool.h"

#include "base/error.h"
#include "formats/formats.h"
#include "io/host.h"

#include <llvm/Support/Path.h>

namespace tcfix::commit {

llvm::Expected<std::optional<Rewrite>> signWithTool(Step& step, const io::InputFile& original) {
  if (formats::sniff(original.bytes()) != Format::MachO)
    return std::nullopt;
  const std::string& stagedPath = step.staged()->path();
  std::optional<std::string> codesign = io::findProgram("codesign");
  if (!codesign)
    return fail(ErrorCode::Unsupported,
                "cannot be signed with codesign: codesign not found (it is part of macOS)",
                "omit --sign-with: tcfix has its own signer, which works on any system");
  // The staged file has a temporary name; the identifier must be derived from the real one.
  std::string identifier =
      formats::signatureIdentifier(original.bytes(), llvm::sys::path::filename(original.path()));
  io::ProgramResult result = io::runProgram(
      *codesign, {"--force", "--sign", "-", "--identifier", identifier, "--", stagedPath});
  if (result.exitCode != 0)
    return fail(ErrorCode::CannotWrite,
                "codesign failed (exit code " + std::to_string(result.exitCode) + ")" +
                    (result.message.empty() ? "" : ": " + result.message),
                "omit --sign-with: tcfix has its own signer, which works on any system");
  if (llvm::Error error = step.reopen())
    return error;
  llvm::Expected<io::InputFile> file = io::InputFile::open(stagedPath);
  if (!file)
    return file.takeError();
  Rewrite rewrite = identityOf(original.bytes());
  rewrite.newSize = file->bytes().size();
  put(rewrite, original.bytes(), 0, file->bytes(), "signed by codesign");
  seal(rewrite);
  return rewrite;
}

} // namespace tcfix::commit
