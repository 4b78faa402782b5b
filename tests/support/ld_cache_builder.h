// An ld.so.cache as ldconfig writes it.
#pragma once

#include "support/byte_writer.h"

#include <vector>

namespace tcfix::support {

struct LdCacheListing {
  std::string name;
  std::string path;
  uint32_t flags = 0x0303; ///< for x86_64
  uint64_t hwcap = 0;
};

inline ByteVector ldCache(const std::vector<LdCacheListing>& entries, bool isLittleEndian = true) {
  ByteWriter out(isLittleEndian);
  std::string strings;
  uint64_t stringsAt = 48 + 24 * entries.size();
  auto place = [&](const std::string& text) {
    uint64_t at = stringsAt + strings.size();
    strings += text + '\0';
    return at;
  };
  ByteWriter table(isLittleEndian);
  for (const LdCacheListing& entry : entries) {
    table.u32(entry.flags);
    table.u32(place(entry.name));
    table.u32(place(entry.path));
    table.u32(0);
    table.u64(entry.hwcap);
  }
  out.text("glibc-ld.so.cache1.1");
  out.u32(entries.size());
  out.u32(strings.size());
  out.u8(isLittleEndian ? 2 : 3);
  out.padTo(48);
  out.raw(table.bytes);
  out.text(strings);
  return out.bytes;
}

} // namespace tcfix::support
