// The write engine: every file that tcfix changes is changed here.
//
// 1. Lock. Locks takes each directory that will be written to and removes the temporary files that
//    killed runs left there.
// 2. Stage. A Step writes the complete new file beside its target, with the old one's mode, owner
//    and extended attributes. The target itself is never written to: installers hard-link package
//    files from a shared cache, and macOS caches signatures by inode.
// 3. Sync. All new content reaches the disk before the first name changes.
// 4. Commit, phase by phase: the journal, then the files, then the journal without what no longer
//    applies. A step is one rename. The directories of a phase are synced before the next
//    phase starts, so no crash leaves a changed file without its journal.
// 5. Roll back. If a step fails, a directory cannot be synced or the user presses Ctrl-C, the steps
//    are reverted from the last to the first. If a file cannot be reverted, the journal, which was
//    committed before it, stays.
//
// If the process is killed, every file is either old or new. The journal covers both states, so the
// next apply completes the change and undo reverts it. Limit: a rollback writes the old bytes
// again, which can fail for the same reason as the commit; the error then lists each file that is
// still new.
//
// commitTogether() is for files that belong together (apply, undo, hook, a wheel), commitEach() for
// files that are independent of one another (edit, sign).
#pragma once

#include "base/error.h"
#include "io/file.h"
#include "io/temporary_file.h"
#include "patch/rewrite.h"

#include <optional>
#include <set>
#include <vector>

namespace tcfix::commit {

/// Staging mostly waits for the disk, so more files than cores are staged at once.
constexpr unsigned kFilesAtOnce = 16;

/// A staged change of one file, accessed by its name in a directory that is held open.
class Step {
public:
  /// New content for a file, or for a link to it, which the new file then replaces. The commit
  /// fails if the file was changed since it was read. `old` must outlive the step: a rollback
  /// writes its bytes.
  static llvm::Expected<Step> replace(const io::InputFile& old, io::Place place,
                                      const Rewrite& rewrite,
                                      std::optional<int64_t> modifiedNs = std::nullopt);
  /// A file with exactly this content; with the attributes of `old` if that is not null.
  static llvm::Expected<Step> write(const io::InputFile* old, io::Place place,
                                    llvm::StringRef content);
  /// A new file that the caller fills through staged(). It replaces `old` if that is not null.
  static llvm::Expected<Step> create(const io::InputFile* old, io::Place place);
  /// The file becomes a symbolic link to `text`.
  static Step link(const io::InputFile& old, io::Place place, const std::string& text);
  /// Removes a file. The commit only renames it; the step's destructor deletes it.
  static Step remove(io::Place place);
  /// The file becomes a hard link to `twin`, which an earlier step changes.
  static Step join(const io::InputFile& old, io::Place place, io::Place twin);

  const std::string& path() const { return target.path; }
  const io::Place& place() const { return target; }
  bool isRemoval() const { return kind == Kind::Remove; }
  /// The new file before it is committed; null if the step needs none.
  io::TemporaryFile* staged() { return file ? &*file : nullptr; }
  /// Call after another program has changed the staged file: it may have replaced it.
  llvm::Error reopen();

  llvm::Error sync(); ///< waits until the new content is on disk; later calls do nothing
  bool isSynced() const { return !file || isOnDisk; }
  llvm::Error commit();
  llvm::Error rollBack();
  /// The directories whose entries the commit changes.
  std::vector<io::Directory> directories() const;

private:
  llvm::Error checkUnchanged() const;

  enum class Kind { Replace, Create, Link, Remove, Join };
  Step(Kind kind, const io::InputFile* old, io::Place place);

  Kind kind;
  const io::InputFile* old;
  io::Place target;
  std::string text;                      ///< the link's target
  std::optional<io::Place> twin;         ///< the file to hard-link to
  std::optional<std::string> oldLink;    ///< the old link's target, if it is a link
  std::optional<io::TemporaryFile> file; ///< destroyed before directories that were created for it
  bool isOnDisk = false;
};

/// Steps in order. The next phase starts when they are on disk.
using Phase = std::vector<Step>;

/// Adds a step for `path`, if it could be staged.
llvm::Error append(Phase& phase, const std::string& path, llvm::Expected<Step> step);

/// Why a commit failed.
struct CommitFailure {
  Problem problem;
  std::set<std::string> stuck; ///< paths that could not be restored: the new files are on disk
};

/// Commits the phases in order. On failure everything is as before, except for files that are
/// stuck.
std::optional<CommitFailure> tryCommitTogether(llvm::MutableArrayRef<Phase> phases);
/// The same, as an error that lists the stuck files.
llvm::Error commitTogether(llvm::MutableArrayRef<Phase> phases);

/// Writes a file with exactly this content, in a transaction of its own.
llvm::Error writeFile(const io::InputFile* old, io::Place place, llvm::StringRef content);

/// Commits each step independently. After a failure the file is as before, or stuck.
std::vector<std::optional<CommitFailure>> commitEach(llvm::ArrayRef<Step*> steps);

} // namespace tcfix::commit
