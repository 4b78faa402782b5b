// How much may follow what the headers of a library describe.
//
// Programs carry archives after their last section, and signatures and debug information may be
// there. A file with gigabytes more than that is corrupt or malicious, such as a library that was
// extended with a hole; copying and hashing it would take hours.
#pragma once

#include <llvm/Support/Error.h>

#include <cstdint>

namespace tcfix {

/// Mach-O and PE count in 32 bits.
constexpr uint64_t kMostIn32Bits = uint64_t(4) << 30;

/// Refuses a file of `size` bytes of which the headers describe the first `described`.
llvm::Error checkAppended(uint64_t size, uint64_t described);

} // namespace tcfix
