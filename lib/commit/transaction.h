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
//    phase begins, so no crash leaves a changed file without its journal.
// 5. Roll back. If a step fails, a directory cannot be synced or the user presses Ctrl-C, what was
//    done is reverted from the last step to the first. Where a file cannot be reverted, the
//    journal, which was committed before it, stays.
//
// A process that is killed leaves every file old or new. The journal covers both states, so the
// next apply finishes and undo reverts. Limit: a roll-back writes the old bytes again, which can
// fail for the same reason as the commit; the error then names each file that is still the new one.
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

/// Waiting for disks is not work for cores: more files than cores are staged at once.
constexpr unsigned kFilesAtOnce = 16;

/// The change of one file, staged. Everything happens by its name in a directory that is held open.
class Step {
public:
  /// New content for a file, or for a link to it, which the new file then replaces. Refused at
  /// commit if someone changed the file since it was read. `old` must outlive the step: its bytes
  /// are what a roll-back writes.
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
  /// The file must exist until the commit, which only renames it; the step's end deletes it.
  static Step remove(io::Place place);
  /// The file becomes another name of `twin`, which an earlier step changes.
  static Step join(const io::InputFile& old, io::Place place, io::Place twin);

  const std::string& path() const { return target.path; }
  const io::Place& place() const { return target; }
  bool isRemoval() const { return kind == Kind::Remove; }
  /// The new file before it is committed; null if the step needs none.
  io::TemporaryFile* staged() { return file ? &*file : nullptr; }
  /// Call after another program worked on the staged file: it may have put a new one there.
  llvm::Error reopen();

  llvm::Error sync(); ///< waits until the new content is on the disk; later calls do nothing
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
  std::string text;                      ///< of the link
  std::optional<io::Place> twin;         ///< whose other name it becomes
  std::optional<std::string> oldLink;    ///< text of the target, if it is a link
  std::optional<io::TemporaryFile> file; ///< destroyed before directories that were made for it
  bool isSynced = false;
};

/// Steps in their order. The next phase begins when they are on the disk.
using Phase = std::vector<Step>;

/// Adds a step for `path`, if that could be staged.
llvm::Error append(Phase& phase, const std::string& path, llvm::Expected<Step> step);

/// What went wrong with files that were to be changed.
struct CommitFailure {
  Problem problem;
  std::set<std::string> stuck; ///< paths that could not be put back: the new files are on disk
};

/// Commits the phases in their order. On failure everything is as it was before, except for what
/// is stuck.
std::optional<CommitFailure> tryCommitTogether(llvm::MutableArrayRef<Phase> phases);
/// The same, as an error that names what is stuck.
llvm::Error commitTogether(llvm::MutableArrayRef<Phase> phases);

/// Makes a file have exactly this content, by a transaction of its own.
llvm::Error writeFile(const io::InputFile* old, io::Place place, llvm::StringRef content);

/// Commits each step by itself. A failure means that the file is as it was before, or stuck.
std::vector<std::optional<CommitFailure>> commitEach(llvm::ArrayRef<Step*> steps);

} // namespace tcfix::commit
