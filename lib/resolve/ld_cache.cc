#include "resolve/ld_cache.h"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/Support/Endian.h>

namespace tcfix::resolve {

namespace {

namespace endian = llvm::support::endian;

constexpr llvm::StringLiteral kOldMagic = "ld.so-1.7.0";
constexpr llvm::StringLiteral kMagic = "glibc-ld.so.cache1.1";
constexpr uint64_t kOldHeaderSize = 16; // magic, padding, count
constexpr uint64_t kOldEntrySize = 12;
constexpr uint64_t kHeaderSize = 48; // magic, count, length of strings, byte order, extensions
constexpr uint64_t kEntrySize = 24;  // flags, name, path, an old field, hwcap
constexpr uint64_t kByteOrderAt = 28;
constexpr uint8_t kBigEndian = 3;   // cache_file_new_flags_endian_big
constexpr size_t kMaxLength = 4096; // PATH_MAX; limits the cost of overlapping strings

/// The file without the table in the format used before 1999, which ldconfig may still write first.
std::optional<Bytes> newPart(Bytes bytes) {
  if (!textOf(bytes).starts_with(kOldMagic))
    return bytes;
  // The old format is in native byte order; all machines that still use it are little-endian.
  if (bytes.size() < kOldHeaderSize)
    return std::nullopt;
  uint64_t count = endian::read32le(bytes.data() + kOldHeaderSize - 4);
  uint64_t size = alignUp(kOldHeaderSize + count * kOldEntrySize, 8);
  return part(bytes, size, bytes.size() < size ? 0 : bytes.size() - size);
}

std::optional<llvm::StringRef> textAt(Bytes bytes, uint64_t offset) {
  if (offset >= bytes.size())
    return std::nullopt;
  llvm::StringRef rest = textOf(bytes.drop_front(offset)).take_front(kMaxLength);
  size_t end = rest.find('\0');
  if (end == llvm::StringRef::npos)
    return std::nullopt;
  return rest.take_front(end);
}

} // namespace

bool LdCacheEntry::isFor(llvm::StringRef arch) const {
  // FLAG_ELF_LIBC6 and the architecture's own FLAG_..., from its dl-cache.h in glibc.
  uint32_t wanted = llvm::StringSwitch<uint32_t>(arch)
                        .Case("x86_64", 0x0303)
                        .Case("i386", 0x0003)
                        .Case("aarch64", 0x0a03)
                        .Case("ppc64", 0x0503)
                        .Case("ppc64le", 0x0503)
                        .Case("s390x", 0x0403)
                        .Case("riscv64", 0x1003)
                        .Case("arm", 0x0903)
                        .Default(0);
  return wanted != 0 && flags == wanted;
}

std::optional<std::vector<LdCacheEntry>> parseLdCache(Bytes bytes) {
  std::optional<Bytes> cache = newPart(bytes);
  if (!cache || cache->size() < kHeaderSize || !textOf(*cache).starts_with(kMagic))
    return std::nullopt;
  bool isBig = (*cache)[kByteOrderAt] == kBigEndian;
  auto read32 = [&](const uint8_t* at) {
    return isBig ? endian::read32be(at) : endian::read32le(at);
  };
  auto read64 = [&](const uint8_t* at) {
    return isBig ? endian::read64be(at) : endian::read64le(at);
  };
  uint64_t count = read32(cache->data() + kMagic.size());
  std::optional<Bytes> table = part(*cache, kHeaderSize, count * kEntrySize);
  if (!table)
    return std::nullopt;
  std::vector<LdCacheEntry> entries;
  entries.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    const uint8_t* at = table->data() + i * kEntrySize;
    // Offsets are relative to the start of the new format.
    std::optional<llvm::StringRef> name = textAt(*cache, read32(at + 4));
    std::optional<llvm::StringRef> path = textAt(*cache, read32(at + 8));
    if (name && path)
      entries.push_back({*name, *path, read32(at), read64(at + 16)});
  }
  return entries;
}

std::optional<LdCache> readLdCache(const io::TargetDisk& disk) {
  std::optional<std::string> path = disk.hostPath("/etc/ld.so.cache");
  if (!path)
    return std::nullopt;
  std::optional<io::InputFile> file = llvm::expectedToOptional(disk.openText(*path));
  if (!file)
    return std::nullopt;
  std::optional<std::vector<LdCacheEntry>> entries = parseLdCache(file->bytes());
  if (!entries)
    return std::nullopt;
  return LdCache{std::move(*file), std::move(*entries)};
}

} // namespace tcfix::resolve
