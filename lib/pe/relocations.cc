#include "pe/relocations.h"

namespace tcfix::pe {

using namespace llvm::object;

bool forEachRelocation(const PeFile& file, llvm::function_ref<void(uint64_t, unsigned)> visit) {
  const Directory& directory = file.directories[llvm::COFF::BASE_RELOCATION_TABLE];
  if (!directory.isPresent())
    return true;
  uint64_t at = directory.address;
  while (at + sizeof(coff_base_reloc_block_header) <= directory.end()) {
    const auto* block = file.structAt<coff_base_reloc_block_header>(at);
    if (!block)
      return false;
    if (block->BlockSize == 0) // Windows ends there
      return true;
    if (block->BlockSize < sizeof(*block) || at + block->BlockSize > directory.end())
      return false;
    std::optional<Bytes> entries =
        file.bytesAt(at + sizeof(*block), block->BlockSize - sizeof(*block));
    if (!entries)
      return false;
    for (size_t i = 0; i + 2 <= entries->size(); i += 2) {
      const uint16_t entry = llvm::support::endian::read16le(entries->data() + i);
      if (entry >> 12 != llvm::COFF::IMAGE_REL_BASED_ABSOLUTE) // padding
        visit(uint64_t(block->PageRVA) + (entry & 0xfff), entry >> 12);
    }
    at += block->BlockSize;
  }
  return true;
}

} // namespace tcfix::pe
