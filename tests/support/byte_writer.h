// Appends integers and text to a growing buffer in a chosen byte order and word size.
#pragma once

#include "base/bytes.h"

#include <string>

namespace tcfix::support {

class ByteWriter {
public:
  explicit ByteWriter(bool isLittleEndian, bool is64 = true)
      : isLittleEndian(isLittleEndian), is64(is64) {}

  void u8(uint8_t value) { bytes.push_back(value); }
  void u16(uint16_t value) { integer(value, 2); }
  void u32(uint64_t value) { integer(value, 4); }
  void u64(uint64_t value) { integer(value, 8); }
  /// An address or size: as wide as the image's pointers.
  void word(uint64_t value) { integer(value, is64 ? 8 : 4); }
  /// A name in a field of 16 bytes.
  void name16(std::string name) {
    name.resize(16);
    text(name);
  }
  void text(llvm::StringRef value) {
    bytes.insert(bytes.end(), value.bytes_begin(), value.bytes_end());
  }
  void raw(Bytes value) { bytes.insert(bytes.end(), value.begin(), value.end()); }
  void padTo(uint64_t size) { bytes.resize(size); }
  uint64_t size() const { return bytes.size(); }

  ByteVector bytes;

private:
  void integer(uint64_t value, unsigned width) {
    for (unsigned i = 0; i < width; ++i)
      u8(static_cast<uint8_t>(value >> 8 * (isLittleEndian ? i : width - 1 - i)));
  }

  bool isLittleEndian;
  bool is64;
};

} // namespace tcfix::support
