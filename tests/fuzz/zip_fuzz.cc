// Archives are untrusted: each is refused, or its members can be unpacked. The input is the
// archive.
#include "fuzz/property.h"

#include "wheel/zip.h"

using namespace tcfix;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  llvm::Expected<wheel::ZipReader> archive = wheel::ZipReader::open(Bytes(data, size));
  if (!archive) {
    llvm::consumeError(archive.takeError());
    return 0;
  }
  constexpr uint64_t kMost = 1 << 20;
  for (const wheel::ZipMember& member : archive->members()) {
    llvm::Expected<ByteVector> content = wheel::unpack(member, kMost);
    if (!content)
      llvm::consumeError(content.takeError());
    else
      fuzz::expect(content->size() <= kMost, "no member is larger than the limit");
  }
  return 0;
}
