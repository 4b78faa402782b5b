// The only interface to the operating system. system.cc contains what LLVM already makes portable;
// system_posix.cc and system_windows.cc contain the rest. No other module of tcfix makes system
// calls.
#pragma once

#include "base/bytes.h"

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/FileSystem.h>

#include <optional>
#include <string>

namespace tcfix::io {

/// Shows the user a message while work continues.
using Notify = llvm::function_ref<void(const std::string& message)>;

namespace system {

/// Names of temporary files: makes a new one; checks whether a name has that form.
std::string newTemporaryName();
bool isTemporaryName(llvm::StringRef name);

enum class System { Linux, MacOs, Windows };
/// The system this program runs on.
System thisSystem();
/// The architecture this program was built for, in ELF's terms: "x86_64", "aarch64"; else empty.
llvm::StringRef thisArchitecture();

/// Opens a file for reading, without blocking if it is a pipe; fails if it is a link.
llvm::Expected<llvm::sys::fs::file_t> openForReading(const std::string& path);
void close(llvm::sys::fs::file_t file);

/// The target of a symbolic link; nothing if the path is not a link.
std::optional<std::string> readLink(const std::string& path);

/// The running program's file, without symbolic links; empty if the system does not provide it.
std::string programPath();

/// The path by which the program was called. It may be a link, into an installer's cache or to the
/// version that is currently installed. Its directory is absolute and without links. Falls back to
/// programPath().
std::string calledPath();

/// True for a file with macOS's quarantine attribute: downloaded and not opened yet.
bool isQuarantined(const std::string& path);

/// True if every user may write to this directory and remove other users' files.
bool isWritableByAll(const std::string& folder);

/// The owner of `path`, links followed, if this process runs as root and the owner is not root.
std::optional<unsigned> otherOwner(const std::string& path);

/// Raises the limit of open files to the maximum that the system allows.
void allowManyOpenFiles();

/// Makes a write beyond the file size limit (ulimit -f) an error instead of a fatal signal.
void ignoreSizeLimits();

/// From now on Ctrl-C and termination requests only set a flag, so that work can end cleanly.
void watchForInterrupts();
/// True after such a request.
bool isInterrupted();
/// Fails after such a request. Long operations call it regularly.
llvm::Error refuseIfInterrupted();

/// How long to wait for another tcfix process.
constexpr unsigned kLockSeconds = 60;

/// Shown while waiting; returned when the wait is over.
std::string waitingMessage(llvm::StringRef folder);
llvm::Error stillBusy();

} // namespace system
} // namespace tcfix::io
