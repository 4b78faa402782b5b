// The checksum of the optional header: what ImageHlp's CheckSumMappedFile computes.
#pragma once

#include "patch/rewrite.h"

namespace tcfix::pe {

/// `field` is the offset of the checksum itself, which counts as zero.
uint32_t checksumOf(const RewrittenView& file, uint64_t field);

} // namespace tcfix::pe
