#include "io/staged.h"

#include "base/error.h"

namespace tcfix::io {

llvm::Expected<StagedFile> StagedFile::stage(const InputFile& original, const Rewrite& rewrite,
                                             const std::string& target) {
  llvm::Expected<system::TemporaryFile> temporary = system::TemporaryFile::createBeside(target);
  if (!temporary)
    return temporary.takeError();
  if (llvm::Error error = temporary->copyFrom(original.path(), original.bytes()))
    return error;
  if (rewrite.newSize != rewrite.oldSize)
    if (llvm::Error error = temporary->resize(rewrite.newSize))
      return error;
  for (const Move& move : rewrite.moves)
    if (llvm::Error error =
            temporary->write(move.to, original.bytes().slice(move.from, move.length)))
      return error;
  for (const BytePatch& patch : rewrite.patches)
    if (llvm::Error error = temporary->write(patch.offset, patch.after))
      return error;
  if (llvm::Error error = temporary->keepAttributesOf(original.path()))
    return error;
  return StagedFile(std::move(*temporary), target, original);
}

llvm::Error StagedFile::reopen() {
  if (llvm::Error error = temporary.reopen())
    return error;
  return temporary.keepAttributesOf(target);
}

llvm::Error StagedFile::commit() {
  // Where a link leads below a sysroot is not for this machine to say.
  llvm::Expected<FileStamp> now = stampOf(link ? source : target);
  if (!now)
    return now.takeError();
  if (*now != stamp || system::readLink(target) != link)
    return fail(ErrorCode::ChangedMeanwhile,
                "someone else changed the file while tcfix worked on it",
                "run the same command again");
  return temporary.renameTo(target);
}

} // namespace tcfix::io
