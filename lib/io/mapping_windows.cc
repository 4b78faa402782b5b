#include "io/mapping.h"

#include "io/memory.h"

namespace tcfix::io {

llvm::Expected<std::unique_ptr<Mapping>> Mapping::of(llvm::sys::fs::file_t file, uint64_t size,
                                                     const std::string&) {
  std::error_code error;
  std::unique_ptr<Mapping> mapping(new Mapping(file, size, error));
  if (error)
    return llvm::errorCodeToError(error);
  return mapping;
}

Mapping::~Mapping() = default;

bool Mapping::isTorn() const {
  return false;
}

void watchForTornFiles() {}

// Windows reclaims pages of files by itself.
void passed(Bytes) {}

void takeMemoryInLargeSteps() {}

std::vector<std::string> tornFiles() {
  return {};
}

} // namespace tcfix::io
