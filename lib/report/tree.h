// A library's dependencies as a tree: how each was found, or every path that was tried.
#pragma once

#include "report/text.h"
#include "resolve/tree.h"

namespace llvm::json {
class OStream;
}

namespace tcfix::report {

/// The state's name in JSON.
llvm::StringRef nameOf(resolve::Binding::State state);

std::string renderTree(const resolve::Tree& tree, const Paint& paint);

/// The attribute `tree`: {loads, bindings[], problems[]}; `loads` is null if unknown.
void writeTree(llvm::json::OStream& out, const resolve::Tree& tree);

} // namespace tcfix::report
