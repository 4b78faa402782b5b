// The operating system behind one door. system.cc holds what LLVM already makes portable; the
// twins system_posix.cc and system_windows.cc hold the rest. No other module of tcfix calls the
// system.
#pragma once

#include "base/bytes.h"

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/Support/Error.h>

#include <optional>
#include <string>

namespace tcfix::io {

/// Tells the user something while work goes on.
using Notify = llvm::function_ref<void(const std::string& message)>;

namespace system {

/// A new file beside the one that it is to replace. It vanishes unless it is renamed.
class TemporaryFile {
public:
  static llvm::Expected<TemporaryFile> createBeside(llvm::StringRef target);

  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile();

  const std::string& path() const { return temporaryPath; }

  /// The content of `source`, shared on disk where the file system can, else copied there.
  llvm::Error copyFrom(const std::string& source, Bytes content);
  llvm::Error write(uint64_t offset, Bytes content);
  llvm::Error resize(uint64_t size);
  /// Mode, owner and extended attributes of `source`.
  llvm::Error keepAttributesOf(const std::string& source);
  /// The mode that any new file of the user gets.
  llvm::Error makeReadableLikeNewFiles();
  llvm::Error setModified(int64_t modifiedNs);
  /// Becomes a symbolic link that says `text`, instead of a file.
  llvm::Error becomeLink(const std::string& text);
  /// Becomes another name of a file that exists, instead of a file of its own.
  llvm::Error becomeTwinOf(const std::string& file);
  /// Becomes the file at `path`, which then has no other name.
  llvm::Error take(const std::string& path);
  /// Call after another program worked on path(): it may have put a new file there.
  llvm::Error reopen();
  /// Returns when the content has reached the disk. Nothing can be written afterwards.
  llvm::Error sync();
  llvm::Error renameTo(llvm::StringRef target);
  /// Leaves the file where it is.
  void keep() { temporaryPath.clear(); }

private:
  TemporaryFile(std::string path, int descriptor)
      : temporaryPath(std::move(path)), descriptor(descriptor) {}
  void close();

  std::string temporaryPath; ///< empty once renamed
  int descriptor = -1;
};

/// Removes a file. It is no error if there is none.
llvm::Error removeFile(const std::string& path);

/// Makes renames in `folder` durable.
llvm::Error syncFolder(llvm::StringRef folder);

/// Removes temporary files that killed runs left in a folder. Call only with its lock held.
void removeLeftovers(const std::string& folder);

enum class System { Linux, MacOs, Windows };
/// The system that this program runs on.
System thisSystem();
/// The architecture that it was built for, as ELF files call it: "x86_64", "aarch64"; else empty.
llvm::StringRef thisArchitecture();

/// What a symbolic link says; nothing if the path names none.
std::optional<std::string> readLink(const std::string& path);

/// The file of the running program, without symbolic links; empty where the system does not tell.
std::string programPath();

/// The path by which it was called, which may be a link: into an installer's cache, or to whichever
/// version is installed now. Its folder is absolute and without links. Else as programPath().
std::string calledPath();

/// True for a file with macOS's mark of a download that the user has not opened yet.
bool isQuarantined(const std::string& path);

/// True when everybody may write into this folder and remove what others put there.
bool isWritableByAll(const std::string& folder);

/// Who owns what is at `path`, links followed, if we are root and the owner is not.
std::optional<unsigned> otherOwner(const std::string& path);

/// Lets this process open as many files as the system allows it at all.
void allowManyOpenFiles();

/// From now on Ctrl-C and termination requests only raise a flag, so that work can end tidily.
void watchForInterrupts();
/// True once one of them has come.
bool isInterrupted();

/// Holds a lock on a folder that other tcfix processes respect; leaves no file behind.
class FolderLock {
public:
  /// Waits for at most a minute, and says so.
  static llvm::Expected<FolderLock> acquire(llvm::StringRef folder, Notify notify);

  /// False where the system has no locks to give, or no right to them; work goes on without.
  bool isHeld() const { return handle != -1; }

  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&&) = delete;
  ~FolderLock();

private:
  explicit FolderLock(intptr_t handle) : handle(handle) {}
  intptr_t handle;
};

/// How long to wait for another tcfix.
constexpr unsigned kLockSeconds = 60;

/// What the user is told meanwhile, and at the end of it.
std::string waitingMessage(llvm::StringRef folder);
llvm::Error stillBusy();

} // namespace system
} // namespace tcfix::io
