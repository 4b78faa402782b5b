#include "codesign/pages.h"

#include "base/parallel.h"
#include "io/memory.h"
#include "io/system.h"

#include <algorithm>

namespace tcfix::codesign {

uint64_t pageCount(uint64_t size, uint64_t pageSize) {
  if (pageSize == 0)
    return size == 0 ? 0 : 1;
  return size / pageSize + (size % pageSize != 0);
}

void hashPages(io::DigestKind kind, uint64_t size, uint64_t pageSize, PageReader readPage,
               llvm::function_ref<void(uint64_t page, const io::Digest& digest)> take) {
  // A few megabytes per thread: less is not worth starting one, more leaves cores idle.
  constexpr uint64_t kPortion = 4 << 20;
  if (pageSize == 0)
    pageSize = std::max<uint64_t>(size, 1);
  uint64_t pages = pageCount(size, pageSize);
  uint64_t perPortion = std::max<uint64_t>(1, kPortion / pageSize);
  uint64_t portions = (pages + perPortion - 1) / perPortion;
  parallelFor(portions, hardwareThreads(), [&](size_t portion) {
    ByteVector scratch;
    Bytes read; // pages in a row
    uint64_t end = std::min(pages, (portion + 1) * perPortion);
    for (uint64_t page = portion * perPortion; page < end && !io::system::isInterrupted(); ++page) {
      uint64_t offset = page * pageSize;
      uint64_t length = std::min(pageSize, size - offset);
      const Bytes bytes = readPage(offset, length, scratch);
      take(page, io::digestOf(kind, bytes));
      if (bytes.begin() != read.end()) { // changed pages are elsewhere
        io::passed(read);
        read = bytes;
      } else {
        read = Bytes(read.data(), read.size() + bytes.size());
      }
    }
    io::passed(read);
  });
}

} // namespace tcfix::codesign
