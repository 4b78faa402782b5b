// Helpers for the expectations of the PE tests.
#pragma once

#include "pe/pe.h"
#include "pe/symbol_table.h"
#include "support/outcomes.h"
#include "support/pe_builder.h"

namespace tcfix::pe {

using support::buildPe;
using support::PeRecipe;
using support::sliceOf;
using support::valueOf;

inline formats::EditRequest droppingCertificates(std::vector<Edit> edits) {
  formats::EditRequest request = support::asking(std::move(edits));
  request.signing.replaceForeign = true;
  return request;
}

inline EditOutcome outcomeOf(Bytes bytes, const std::vector<Edit>& edits) {
  return support::outcomeOf(bytes, support::asking(edits), "tiny.dll");
}

inline ByteVector edited(Bytes bytes, const std::vector<Edit>& edits) {
  return rewritten(outcomeOf(bytes, edits).rewrite, bytes);
}

/// The code of the error that an edit must return.
inline llvm::StringRef refusalOf(Bytes bytes, const std::vector<Edit>& edits) {
  return nameOf(*support::refusal(bytes, edits).code);
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
  return valueOf(check(bytes));
}

} // namespace tcfix::pe
