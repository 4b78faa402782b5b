#include "base/error.h"

#include <llvm/Support/raw_ostream.h>

namespace tcfix {

char Failure::ID = 0;

llvm::StringRef nameOf(ErrorCode code) {
  switch (code) {
  case ErrorCode::NotFound:
    return "not-found";
  case ErrorCode::NotALibrary:
    return "not-a-library";
  case ErrorCode::Malformed:
    return "malformed";
  case ErrorCode::Unreadable:
    return "unreadable";
  case ErrorCode::Unsupported:
    return "unsupported";
  case ErrorCode::NoRoom:
    return "no-room";
  case ErrorCode::Conflict:
    return "conflict";
  case ErrorCode::ForeignSigned:
    return "foreign-signature";
  case ErrorCode::CannotWrite:
    return "cannot-write";
  case ErrorCode::ChangedMeanwhile:
    return "changed-meanwhile";
  case ErrorCode::Busy:
    return "busy";
  case ErrorCode::Interrupted:
    return "interrupted";
  case ErrorCode::Usage:
    return "usage";
  case ErrorCode::Internal:
    return "internal";
  }
  return "internal";
}

void Failure::log(llvm::raw_ostream& out) const {
  out << message;
}

std::error_code Failure::convertToErrorCode() const {
  return llvm::inconvertibleErrorCode();
}

llvm::Error fail(ErrorCode code, std::string message, std::string hint) {
  return llvm::make_error<Failure>(code, std::move(message), std::move(hint));
}

Problem toProblem(llvm::Error error, llvm::StringRef path) {
  Problem problem;
  problem.path = path.str();
  llvm::handleAllErrors(
      std::move(error),
      [&](const Failure& failure) {
        problem.code = failure.code;
        problem.message = failure.message;
        problem.hint = failure.hint;
        if (!failure.path.empty())
          problem.path = failure.path;
      },
      [&](const llvm::ErrorInfoBase& other) {
        problem.code = ErrorCode::Malformed;
        problem.message = other.message();
      });
  return problem;
}

llvm::Error toError(Problem problem) {
  auto failure = std::make_unique<Failure>(problem.code.value_or(ErrorCode::Internal),
                                           std::move(problem.message), std::move(problem.hint));
  failure->path = std::move(problem.path);
  return llvm::Error(std::move(failure));
}

llvm::Error at(llvm::StringRef path, llvm::Error error) {
  return error ? toError(toProblem(std::move(error), path)) : std::move(error);
}

llvm::Error within(llvm::StringRef prefix, llvm::Error error) {
  if (!error)
    return error;
  Problem problem = toProblem(std::move(error), {});
  problem.message = (prefix + ": " + problem.message).str();
  return toError(std::move(problem));
}

} // namespace tcfix
