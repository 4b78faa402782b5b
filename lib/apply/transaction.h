// A transaction: several files that change together or not at all.
//
// Every step is staged first, completely, and synced to the disk. Then they are committed one by
// one; if one fails, or the user presses Ctrl-C, those before it are rolled back. A process that is
// killed in between leaves every file either old or new, and the journal, which goes first, tells
// which.
#pragma once

#include "io/staged.h"

#include <optional>

namespace tcfix::apply {

/// Waiting for disks is not work for cores: more files than cores are on their way at once.
constexpr unsigned kFilesAtOnce = 16;

/// The change of one path, staged.
class Step {
public:
  /// New content for a file, or for a link to it, which the new file then replaces. `old` must
  /// outlive the step: its bytes are what a roll-back writes.
  static llvm::Expected<Step> replace(const io::InputFile& old, const std::string& path,
                                      const Rewrite& rewrite,
                                      std::optional<int64_t> modifiedNs = std::nullopt);
  /// A file that does not exist yet. Its folder is made if need be.
  static llvm::Expected<Step> create(const std::string& path, llvm::StringRef content);
  /// The file becomes a symbolic link that says `text`.
  static llvm::Expected<Step> link(const io::InputFile& old, const std::string& path,
                                   const std::string& text);
  static Step remove(const io::InputFile& old, const std::string& path);
  /// The file becomes another name of `twin`, which an earlier step changes.
  static Step join(const io::InputFile& old, const std::string& path, const std::string& twin);

  const std::string& path() const { return target; }
  /// Where the new content lies, for a tool that must work on it before it is committed; then call
  /// reopen(). Null where there is none.
  io::StagedFile* staged() { return file ? &*file : nullptr; }

  llvm::Error sync(); ///< waits until the new content is on the disk
  llvm::Error commit();
  llvm::Error rollBack();

private:
  enum class Kind { Replace, Create, Link, Remove, Join };
  Step(Kind kind, const io::InputFile* old, std::string target);

  Kind kind;
  const io::InputFile* old;
  std::string target;
  std::string text; ///< of the link, or the twin's path
  std::optional<std::string> oldLink;
  std::optional<io::StagedFile> file;
  std::optional<io::system::TemporaryFile> temporary;
};

/// Commits the steps in their order. On failure everything is as it was before, or the error says
/// what could not be put back.
llvm::Error commitAll(std::vector<Step>& steps);

} // namespace tcfix::apply
