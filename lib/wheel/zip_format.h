// The on-disk records of a zip archive. Little-endian, unaligned.
#pragma once

#include "base/bytes.h"

#include <llvm/Support/Endian.h>

#include <optional>

namespace tcfix::wheel::zip {

using U16 = llvm::support::ulittle16_t;
using U32 = llvm::support::ulittle32_t;
using U64 = llvm::support::ulittle64_t;

enum : uint32_t {
  kHeaderMark = 0x04034b50,
  kDescriptorMark = 0x08074b50,
  kEntryMark = 0x02014b50,
  kEndMark = 0x06054b50,
  kWideEndMark = 0x06064b50,
  kWideLocatorMark = 0x07064b50,
};

enum : uint16_t {
  kEncrypted = 1 << 0,
  kStreamed = 1 << 3, ///< checksum and sizes follow the data
  kStronglyEncrypted = 1 << 6,
  kUtf8 = 1 << 11,
  kMasked = 1 << 13, ///< the local header is masked, because the directory is encrypted
};

enum : uint16_t { kStored = 0, kDeflated = 8 };

constexpr uint16_t kWideExtra = 0x0001;   ///< the ID of zip64's extra field
constexpr uint16_t kUnicodeName = 0x7075; ///< Info-ZIP's: a name that replaces the other one
constexpr int kMaxVersion = 63;           ///< the highest version that a member may need, in tenths
constexpr uint32_t kInWideExtra = 0xffffffff;
constexpr uint16_t kInWideEnd = 0xffff;

struct Header {
  U32 mark;
  U16 version, flags, method, time, date;
  U32 crc, packedSize, size;
  U16 nameLength, extraLength;
};
static_assert(sizeof(Header) == 30);

struct UnicodeName { ///< the name follows
  uint8_t version;
  U32 crc; ///< of the name that it replaces
};
static_assert(sizeof(UnicodeName) == 5);

struct Entry {
  U32 mark;
  U16 madeBy, version, flags, method, time, date;
  U32 crc, packedSize, size;
  U16 nameLength, extraLength, commentLength, disk, internalAttributes;
  U32 externalAttributes, offset;
};
static_assert(sizeof(Entry) == 46);

struct End {
  U32 mark;
  U16 disk, directoryDisk, countHere, count;
  U32 directorySize, directoryOffset;
  U16 commentLength;
};
static_assert(sizeof(End) == 22);

struct WideEnd {
  U32 mark;
  U64 restSize; ///< of this record, without this field and the mark
  U16 madeBy, version;
  U32 disk, directoryDisk;
  U64 countHere, count, directorySize, directoryOffset;
};
static_assert(sizeof(WideEnd) == 56);

struct WideLocator {
  U32 mark, disk;
  U64 endOffset;
  U32 disks;
};
static_assert(sizeof(WideLocator) == 20);

/// An extra field of a header or an entry.
struct ExtraField {
  uint16_t id;
  Bytes whole, data; ///< with and without ID and length
  bool isCutOff;     ///< its length exceeds the available bytes
};

/// Removes and returns the first field; nothing if too few bytes are left for one. Never reads
/// beyond `extra`, whatever the field's length.
inline std::optional<ExtraField> takeExtraField(Bytes& extra) {
  constexpr size_t kStart = 4; // ID and length
  if (extra.size() < kStart)
    return std::nullopt;
  size_t length = kStart + llvm::support::endian::read16le(extra.data() + 2);
  Bytes whole = extra.take_front(length);
  extra = extra.drop_front(whole.size());
  return ExtraField{llvm::support::endian::read16le(whole.data()), whole, whole.drop_front(kStart),
                    whole.size() < length};
}

} // namespace tcfix::wheel::zip
