#include "pe/checksum.h"

#include <llvm/Support/Endian.h>

namespace tcfix::pe {

uint32_t checksumOf(const RewrittenView& file, uint64_t field) {
  // 16-bit words, summed with the carry added at the end; then the file's size.
  constexpr uint64_t kChunk = 1 << 20;
  ByteVector scratch;
  uint64_t sum = 0;
  for (uint64_t offset = 0; offset < file.size(); offset += kChunk) {
    const Bytes bytes = file.read(offset, std::min(kChunk, file.size() - offset), scratch);
    for (size_t i = 0; i + 1 < bytes.size(); i += 2)
      sum += llvm::support::endian::read16le(bytes.data() + i);
    if (bytes.size() % 2)
      sum += bytes.back();
  }
  const Bytes old = file.read(field, 4, scratch);
  // The field is at an even offset in every valid file, so its two words can be subtracted again.
  sum -= llvm::support::endian::read16le(old.data());
  sum -= llvm::support::endian::read16le(old.data() + 2);
  while (sum >> 16)
    sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<uint32_t>(sum + file.size());
}

} // namespace tcfix::pe
