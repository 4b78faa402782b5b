#include "image/appended.h"

#include "base/error.h"

namespace tcfix {

llvm::Error checkAppended(uint64_t size, uint64_t described) {
  constexpr uint64_t kMostGigabytes = 4;
  if (size <= described || (size - described) >> 30 < kMostGigabytes)
    return llvm::Error::success();
  return fail(ErrorCode::NotALibrary,
              "is not a library: " + std::to_string((size - described) >> 30) +
                  " GiB follow what its headers describe");
}

} // namespace tcfix
