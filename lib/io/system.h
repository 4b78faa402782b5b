// The operating system behind one door. system.cc holds what LLVM already makes portable; the
// twins system_posix.cc and system_windows.cc hold the rest. No other module of tcfix calls the
// system.
#pragma once

#include "base/bytes.h"

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/FileSystem.h>

#include <optional>
#include <string>

namespace tcfix::io {

/// Tells the user something while work goes on.
using Notify = llvm::function_ref<void(const std::string& message)>;

namespace system {

/// Names of temporary files: a new one, and whether something is called like one.
std::string newTemporaryName();
bool isTemporaryName(llvm::StringRef name);

enum class System { Linux, MacOs, Windows };
/// The system that this program runs on.
System thisSystem();
/// The architecture that it was built for, as ELF files call it: "x86_64", "aarch64"; else empty.
llvm::StringRef thisArchitecture();

/// Opens a file for reading; one that turns out to be a pipe does not make us wait.
llvm::Expected<llvm::sys::fs::file_t> openForReading(const std::string& path);

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

/// From now on a write past the limit of file sizes (ulimit -f) is an error, and does not end the
/// program.
void ignoreSizeLimits();

/// From now on Ctrl-C and termination requests only raise a flag, so that work can end tidily.
void watchForInterrupts();
/// True once one of them has come.
bool isInterrupted();
/// An error once one of them has come. Whatever may take longer than a moment asks now and then.
llvm::Error refuseIfInterrupted();

/// How long to wait for another tcfix.
constexpr unsigned kLockSeconds = 60;

/// What the user is told meanwhile, and at the end of it.
std::string waitingMessage(llvm::StringRef folder);
llvm::Error stillBusy();

} // namespace system
} // namespace tcfix::io
