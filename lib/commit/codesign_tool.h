// Signing with Apple's own codesign, for those who want it (--sign-with codesign).
#pragma once

#include "commit/transaction.h"

namespace tcfix::commit {

/// Runs `codesign --force --sign -` on the staged file and returns how that now differs from the
/// original; nothing for a file that is not Mach-O. Fails clearly where there is no codesign.
llvm::Expected<std::optional<Rewrite>> signWithTool(Step& step, const io::InputFile& original);

} // namespace tcfix::commit
