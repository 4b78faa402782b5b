// SectionBuilder: builds the content of a new section and returns the address of each part.
#pragma once

#include "base/bytes.h"

namespace tcfix::pe {

class SectionBuilder {
public:
  explicit SectionBuilder(uint32_t address = 0) : address(address) {}

  uint32_t begin() const { return address; }
  uint32_t end() const { return address + static_cast<uint32_t>(content.size()); }
  Bytes bytes() const { return content; }

  void align(uint32_t alignment) { content.resize(alignUp(content.size(), alignment)); }

  /// Returns the address at which the bytes will be.
  uint32_t add(Bytes bytes, uint32_t alignment) {
    align(alignment);
    uint32_t at = end();
    content.insert(content.end(), bytes.begin(), bytes.end());
    return at;
  }

  uint32_t addZeros(size_t size, uint32_t alignment) {
    align(alignment);
    uint32_t at = end();
    content.resize(content.size() + size);
    return at;
  }

  uint8_t* at(uint32_t wanted) { return content.data() + (wanted - address); }

private:
  uint32_t address;
  ByteVector content;
};

} // namespace tcfix::pe
