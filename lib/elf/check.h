// The rules that loaders and binary tools apply beyond those that a Model must keep to be read.
#pragma once

#include "elf/source.h"

#include <string>
#include <vector>

namespace tcfix::elf {

/// The broken rules, one sentence each, without numbers that an edit may change.
std::vector<std::string> checkSource(const Source& source);

} // namespace tcfix::elf
