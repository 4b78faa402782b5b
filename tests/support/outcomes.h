// Helpers that call tcfix in a test and unpack the result.
#pragma once

#include "base/error.h"
#include "formats/formats.h"

#include <gtest/gtest.h>

namespace tcfix::support {

/// The value, or a failed test and an empty value.
template <typename Value>
Value valueOf(llvm::Expected<Value> result) {
  if (result)
    return std::move(*result);
  ADD_FAILURE() << llvm::toString(result.takeError());
  return Value();
}

/// The problem, or a failed test.
template <typename Value>
Problem problemOf(llvm::Expected<Value> result) {
  if (!result)
    return toProblem(result.takeError(), {});
  ADD_FAILURE() << "this should have been refused";
  return {};
}

inline formats::EditRequest asking(std::vector<Edit> edits) {
  return {std::move(edits), {}};
}

inline EditOutcome outcomeOf(Bytes bytes, const formats::EditRequest& request,
                             llvm::StringRef name = "libdemo.dylib") {
  return valueOf(formats::rewrite(bytes, name, request));
}

/// The whole file after the edits.
inline ByteVector edited(Bytes bytes, std::vector<Edit> edits,
                         llvm::StringRef name = "libdemo.dylib") {
  return rewritten(outcomeOf(bytes, asking(std::move(edits)), name).rewrite, bytes);
}

inline Problem refusal(Bytes bytes, std::vector<Edit> edits) {
  return problemOf(formats::rewrite(bytes, "libdemo.dylib", asking(std::move(edits))));
}

/// The only slice of a thin file.
inline Slice sliceOf(Bytes bytes) {
  Image image = valueOf(formats::inspect(bytes));
  EXPECT_EQ(image.slices.size(), 1u);
  return image.slices.empty() ? Slice() : image.slices.front();
}

/// All problems of the file's signatures.
inline std::vector<std::string> signatureProblems(Bytes bytes) {
  return valueOf(formats::verify(bytes)).problems;
}

} // namespace tcfix::support
