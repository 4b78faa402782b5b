// Errors: one class for everything that tcfix itself can refuse.
//
// A Failure has a closed code, one plain sentence and, where there is one, a hint that says what
// to do next. The caller that knows the path adds it, once: with at(), or with toProblem() at the
// top. Wrong bytes are a Failure; a library that will not load is a finding and never comes through
// here.
#pragma once

#include <llvm/Support/Error.h>

#include <optional>
#include <string>
#include <vector>

namespace tcfix {

enum class ErrorCode {
  NotFound,         ///< there is no such file
  NotALibrary,      ///< a file of another kind, a folder, a device
  Malformed,        ///< a library whose bytes contradict themselves
  Unreadable,       ///< the system does not let us read it
  Unsupported,      ///< a valid file, or a request, that tcfix does not handle
  NoRoom,           ///< the edit does not fit into the file as it is laid out
  Conflict,         ///< the edit would leave a file that the loader refuses
  ForeignSigned,    ///< signed by an identity that we cannot sign for again
  CannotWrite,      ///< the system does not let us write
  ChangedMeanwhile, ///< someone else changed the file while we worked on it
  Busy,             ///< another tcfix holds the lock
  Interrupted,      ///< the user pressed Ctrl-C
  Usage,            ///< the command line is wrong
  Internal,         ///< a promise of our own is broken: a bug in tcfix
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

/// An error with one sentence and, if there is something to do about it, a hint.
llvm::Error fail(ErrorCode code, std::string message, std::string hint = {});

/// A plain value for reports: an error or a warning, depending on the list it is in.
struct Problem {
  std::optional<ErrorCode> code; ///< empty: nothing failed, but the user should know
  std::string message;
  std::string path;
  std::string hint;
};

/// Takes the error apart; `path` is for one that carries none. Errors that LLVM's readers raised
/// count as Malformed.
Problem toProblem(llvm::Error error, llvm::StringRef path);

/// The way back, for a problem that had to be kept as a value.
llvm::Error toError(Problem problem);

/// The same error with the path of the file that it is about, unless it carries one already.
llvm::Error at(llvm::StringRef path, llvm::Error error);

/// The same error with `prefix: ` before its sentence, such as the slice it is about.
llvm::Error within(llvm::StringRef prefix, llvm::Error error);

} // namespace tcfix
