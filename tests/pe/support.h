// What the PE tests share.
#pragma once

#include "pe/file.h"
#include "pe/pe.h"
#include "support/pe_builder.h"

#include "base/error.h"

#include <gtest/gtest.h>

namespace tcfix::pe {

using test::buildPe;
using test::PeRecipe;

inline std::string codeOf(llvm::Error error) {
  return nameOf(toProblem(std::move(error), {}).code).str();
}

/// The outcome of an edit that must succeed.
inline EditOutcome edited(Bytes bytes, const std::vector<Edit>& edits,
                          bool replaceSignature = false) {
  llvm::Expected<EditOutcome> outcome = rewrite(bytes, edits, {replaceSignature});
  if (outcome)
    return std::move(*outcome);
  ADD_FAILURE() << llvm::toString(outcome.takeError());
  EditOutcome none;
  none.rewrite = identityOf(bytes);
  return none;
}

inline ByteVector bytesAfter(Bytes bytes, const std::vector<Edit>& edits,
                             bool replaceSignature = false) {
  return rewritten(edited(bytes, edits, replaceSignature).rewrite, bytes);
}

/// The code of the error that an edit must give; empty if it gave none.
inline std::string errorAfter(Bytes bytes, const std::vector<Edit>& edits) {
  llvm::Expected<EditOutcome> outcome = rewrite(bytes, edits, {});
  return outcome ? std::string() : codeOf(outcome.takeError());
}

inline Slice sliceOf(Bytes bytes, bool withSymbols = false) {
  llvm::Expected<Image> image = inspect(bytes, withSymbols);
  if (image)
    return image->slices.front();
  ADD_FAILURE() << llvm::toString(image.takeError());
  return {};
}

/// `a.dll b.dll(delay)`.
inline std::string dependenciesOf(Bytes bytes) {
  std::string text;
  for (const Dependency& dependency : sliceOf(bytes).dependencies)
    text += (text.empty() ? "" : " ") + dependency.name +
            (dependency.kind == DependencyKind::Delay ? "(delay)" : "");
  return text;
}

inline std::vector<std::string> problemsOf(Bytes bytes) {
  llvm::Expected<std::vector<std::string>> problems = check(bytes);
  if (problems)
    return *problems;
  return {llvm::toString(problems.takeError())};
}

} // namespace tcfix::pe
