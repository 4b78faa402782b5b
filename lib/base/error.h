// Errors: one class for every operation that tcfix refuses or fails to complete.
//
// A Failure has a code from a closed list, a one-line message and, optionally, a hint: what to do
// next. The caller that knows the path adds it, once: with at(), or with toProblem() at the top
// level. Invalid bytes are a Failure; a library that does not load is a finding, not an error.
#pragma once

#include <llvm/Support/Error.h>

#include <optional>
#include <string>
#include <vector>

namespace tcfix {

enum class ErrorCode {
  NotFound,         ///< no such file
  NotALibrary,      ///< another kind of file, a directory, a device
  Malformed,        ///< a corrupt library
  Unreadable,       ///< the system refused to read it
  Unsupported,      ///< a valid file or request that tcfix does not handle
  NoRoom,           ///< the edit does not fit into the file's layout
  Conflict,         ///< the edit would produce a file that the loader refuses
  ForeignSigned,    ///< signed with a certificate, so tcfix cannot sign it again
  CannotWrite,      ///< the system refused to write it
  ChangedMeanwhile, ///< another process changed the file in the meantime
  Busy,             ///< another tcfix process holds the lock
  Interrupted,      ///< the user pressed Ctrl-C
  Usage,            ///< invalid command line
  Internal,         ///< a bug in tcfix
};

/// The code's name in JSON, such as "no-room".
llvm::StringRef nameOf(ErrorCode code);

class Failure : public llvm::ErrorInfo<Failure> {
public:
  static char ID;

  Failure(ErrorCode code, std::string message, std::string hint)
      : code(code), message(std::move(message)), hint(std::move(hint)) {}

  void log(llvm::raw_ostream& out) const override;
  std::error_code convertToErrorCode() const override;

  ErrorCode code;
  std::string message;
  std::string path; ///< empty until at() adds it
  std::string hint;
};

/// An error with a one-line message and, if the user can do something about it, a hint.
llvm::Error fail(ErrorCode code, std::string message, std::string hint = {});

/// An error or a warning as a plain value, for reports; which of the two depends on the list that
/// holds it.
struct Problem {
  std::optional<ErrorCode> code; ///< empty: a warning; nothing failed
  std::string message;
  std::string path;
  std::string hint;
};

/// Converts an error to a value; `path` is used if the error has none. Errors from LLVM's readers
/// become Malformed.
Problem toProblem(llvm::Error error, llvm::StringRef path);

/// The reverse of toProblem().
llvm::Error toError(Problem problem);

/// The same error with the path of the file that it is about, unless it already has one.
llvm::Error at(llvm::StringRef path, llvm::Error error);

/// The same error with `prefix: ` before its message, such as the slice it is about.
llvm::Error within(llvm::StringRef prefix, llvm::Error error);

} // namespace tcfix
