// The edits for libraries in a wheel, which may be installed anywhere.
#pragma once

#include "plan/unknown_disk.h"

namespace tcfix::wheel {

/// The edits for a library; `member` is its path relative to site-packages, with slashes.
std::vector<plan::PlannedEdit> portableEdits(const Image& image, const std::string& member,
                                             const plan::UnknownDiskRequest& request);

} // namespace tcfix::wheel
