// Replacing files: nothing is ever written into a file that exists.
//
// A StagedFile is the complete new file, synced to disk, beside the one that it is to replace.
// Until commit() the old file is untouched; commit() is one rename. Installers hard-link package
// files from a shared cache and macOS caches signatures by inode, so the old inode must stay as it
// is.
#pragma once

#include "io/file.h"
#include "io/system.h"
#include "patch/rewrite.h"

namespace tcfix::io {

class StagedFile {
public:
  /// Writes the new file beside `original`, with its mode, owner and extended attributes. It will
  /// take the place of `target`, which is the file itself or a symbolic link to it.
  static llvm::Expected<StagedFile> stage(const InputFile& original, const Rewrite& rewrite,
                                          const std::string& target);
  static llvm::Expected<StagedFile> stage(const InputFile& original, const Rewrite& rewrite) {
    return stage(original, rewrite, original.path());
  }

  /// Where the new file is now, for a tool that must work on it before it is committed.
  const std::string& path() const { return temporary.path(); }

  /// Call after that tool has worked: it may have put a new file there.
  llvm::Error reopen();

  /// Gives the new file a time of last change, in nanoseconds since 1970.
  llvm::Error setModified(int64_t modifiedNs) { return temporary.setModified(modifiedNs); }

  /// Waits until the content is on the disk.
  llvm::Error sync() { return temporary.sync(); }

  /// Puts the new file in the old one's place, unless someone changed that one since it was read.
  llvm::Error commit();

private:
  StagedFile(system::TemporaryFile temporary, std::string target, const InputFile& original)
      : temporary(std::move(temporary)), target(std::move(target)),
        link(system::readLink(this->target)), source(original.path()), stamp(original.stamp()) {}

  system::TemporaryFile temporary;
  std::string target;
  std::optional<std::string> link; ///< what the target says, if it is one
  std::string source;              ///< the file that was read
  FileStamp stamp;
};

} // namespace tcfix::io
