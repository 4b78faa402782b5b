// Rules of loaders and binary tools, beyond those that Model::read() checks.
#pragma once

#include "elf/source.h"

#include <string>
#include <vector>

namespace tcfix::elf {

/// The broken rules, one message each, without numbers that an edit may change.
std::vector<std::string> checkSource(const Source& source);

} // namespace tcfix::elf
