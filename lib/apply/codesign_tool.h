// Signing with Apple's own codesign, for those who want it (--sign-with codesign).
#pragma once

#include "io/file.h"
#include "patch/rewrite.h"

namespace tcfix::apply {

/// Runs `codesign --force --sign -` on the staged file and returns how it now differs from the
/// original. Fails clearly where there is no codesign.
llvm::Expected<Rewrite> signStaged(const io::InputFile& original, const std::string& stagedPath);

} // namespace tcfix::apply
