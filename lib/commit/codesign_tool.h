// Signing with Apple's codesign, as an option (--sign-with codesign).
#pragma once

#include "commit/transaction.h"

namespace tcfix::commit {

/// Runs `codesign --force --sign -` on the staged file and returns how the result differs from the
/// original; nothing for a file that is not Mach-O. An error if there is no codesign.
llvm::Expected<std::optional<Rewrite>> signWithTool(Step& step, const io::InputFile& original);

} // namespace tcfix::commit
