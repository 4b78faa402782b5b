#include "codesign/blob.h"

#include "base/error.h"

#include <llvm/BinaryFormat/MachO.h>
#include <llvm/Support/Endian.h>

#include <algorithm>

namespace tcfix::codesign {

using namespace llvm::MachO;
using llvm::support::endian::read32be;
using llvm::support::endian::read64be;

namespace {

// Fields were added to the code directory over time; a version includes those of all earlier ones.
constexpr uint32_t kSupportsTeam = 0x20200;
constexpr uint32_t kSupportsCodeLimit64 = 0x20300;
constexpr uint32_t kBlobHeader = 8;
constexpr uint64_t kSuperBlobHeader = 12, kIndexEntry = 8;

llvm::Error corrupt(const char* what) {
  return fail(ErrorCode::Malformed, std::string("corrupt signature: ") + what);
}

std::optional<io::DigestKind> digestKindOf(uint8_t hashType) {
  switch (hashType) {
  case CS_HASHTYPE_SHA1:
    return io::DigestKind::Sha1;
  case CS_HASHTYPE_SHA256:
  case CS_HASHTYPE_SHA256_TRUNCATED:
    return io::DigestKind::Sha256;
  case CS_HASHTYPE_SHA384:
    return io::DigestKind::Sha384;
  default:
    return std::nullopt;
  }
}

// Hashes change with the file, so a string must not overlap them.
llvm::Expected<std::string> stringIn(const CodeDirectory& directory, uint32_t offset) {
  llvm::StringRef whole = textOf(directory.bytes);
  size_t end = whole.find('\0', offset);
  if (offset >= whole.size() || end == llvm::StringRef::npos)
    return corrupt("a string in the code directory is not terminated");
  uint64_t hashes = directory.hashOffset - uint64_t(directory.specialSlots) * directory.hashSize;
  uint64_t hashesEnd = directory.hashOffset + uint64_t(directory.codeSlots) * directory.hashSize;
  if (offset < hashesEnd && end >= hashes)
    return corrupt("a string in the code directory overlaps the hashes");
  return whole.slice(offset, end).str();
}

llvm::Expected<CodeDirectory> parseDirectory(const Blob& blob) {
  Bytes bytes = blob.bytes;
  if (bytes.size() < 44)
    return corrupt("the code directory is too short");
  CodeDirectory directory;
  directory.slot = blob.slot;
  directory.offset = blob.offset;
  directory.bytes = bytes;
  directory.version = read32be(&bytes[8]);
  directory.flags = read32be(&bytes[12]);
  directory.hashOffset = read32be(&bytes[16]);
  directory.specialSlots = read32be(&bytes[24]);
  directory.codeSlots = read32be(&bytes[28]);
  directory.codeLimit = read32be(&bytes[32]);
  directory.hashSize = bytes[36];
  directory.hashKind = digestKindOf(bytes[37]);
  if (bytes[39] > 31)
    return corrupt("the code directory has an invalid page size");
  directory.pageSize = bytes[39] == 0 ? 0 : uint64_t(1) << bytes[39];

  if (directory.version >= kSupportsCodeLimit64 && bytes.size() >= 64 && read64be(&bytes[56]) != 0)
    directory.codeLimit = read64be(&bytes[56]);
  uint64_t before = uint64_t(directory.specialSlots) * directory.hashSize;
  uint64_t after = uint64_t(directory.codeSlots) * directory.hashSize;
  if (before > directory.hashOffset || !fits(directory.hashOffset, after, bytes.size()))
    return corrupt("the hashes are outside the code directory");
  constexpr uint8_t kTruncated = 20;
  if (directory.hashKind && directory.hashSize != (bytes[37] == CS_HASHTYPE_SHA256_TRUNCATED
                                                       ? kTruncated
                                                       : io::sizeOf(*directory.hashKind)))
    return corrupt("the hashes have the wrong size");

  llvm::Expected<std::string> identifier = stringIn(directory, read32be(&bytes[20]));
  if (!identifier)
    return identifier.takeError();
  directory.identifier = *identifier;
  if (directory.version >= kSupportsTeam && bytes.size() >= 52 && read32be(&bytes[48]) != 0) {
    llvm::Expected<std::string> team = stringIn(directory, read32be(&bytes[48]));
    if (!team)
      return team.takeError();
    directory.team = *team;
  }
  return directory;
}

bool isDirectorySlot(uint32_t slot) {
  return slot == CSSLOT_CODEDIRECTORY ||
         (slot >= CSSLOT_ALTERNATE_CODEDIRECTORIES && slot < CSSLOT_ALTERNATE_CODEDIRECTORY_LIMIT);
}

} // namespace

Bytes CodeDirectory::codeHash(uint32_t page) const {
  return bytes.slice(hashOffset + uint64_t(page) * hashSize, hashSize);
}

Bytes CodeDirectory::specialHash(uint32_t specialSlot) const {
  if (specialSlot == 0 || specialSlot > specialSlots)
    return {};
  Bytes hash = bytes.slice(hashOffset - uint64_t(specialSlot) * hashSize, hashSize);
  bool isEmpty = std::all_of(hash.begin(), hash.end(), [](uint8_t byte) { return byte == 0; });
  return isEmpty ? Bytes() : hash;
}

const Blob* EmbeddedSignature::find(uint32_t slot) const {
  for (const Blob& blob : blobs)
    if (blob.slot == slot)
      return &blob;
  return nullptr;
}

const CodeDirectory& EmbeddedSignature::main() const {
  return *std::find_if(directories.begin(), directories.end(), [](const CodeDirectory& directory) {
    return directory.slot == CSSLOT_CODEDIRECTORY;
  });
}

bool EmbeddedSignature::isCms() const {
  const Blob* cms = find(CSSLOT_SIGNATURESLOT);
  return cms && cms->bytes.size() > kBlobHeader;
}

bool hasCms(Bytes bytes) {
  if (bytes.size() < kSuperBlobHeader || read32be(&bytes[0]) != CSMAGIC_EMBEDDED_SIGNATURE)
    return false;
  uint64_t count =
      std::min<uint64_t>(read32be(&bytes[8]), (bytes.size() - kSuperBlobHeader) / kIndexEntry);
  for (uint64_t i = 0; i < count; ++i) {
    const uint8_t* entry = &bytes[kSuperBlobHeader + i * kIndexEntry];
    uint64_t offset = read32be(entry + 4);
    if (read32be(entry) == CSSLOT_SIGNATURESLOT && fits(offset, kBlobHeader, bytes.size()) &&
        read32be(&bytes[offset + 4]) > kBlobHeader)
      return true;
  }
  return false;
}

llvm::Expected<EmbeddedSignature> parse(Bytes bytes) {
  if (bytes.size() < kSuperBlobHeader || read32be(&bytes[0]) != CSMAGIC_EMBEDDED_SIGNATURE)
    return corrupt("wrong magic number");
  uint64_t length = read32be(&bytes[4]);
  uint64_t count = read32be(&bytes[8]);
  if (length > bytes.size() || length < kSuperBlobHeader ||
      count > (length - kSuperBlobHeader) / kIndexEntry)
    return corrupt("it is longer than the size in LC_CODE_SIGNATURE");
  bytes = bytes.take_front(length);

  EmbeddedSignature signature;
  for (uint64_t i = 0; i < count; ++i) {
    Blob blob;
    blob.slot = read32be(&bytes[kSuperBlobHeader + i * kIndexEntry]);
    blob.offset = read32be(&bytes[kSuperBlobHeader + i * kIndexEntry + 4]);
    if (!fits(blob.offset, kBlobHeader, bytes.size()))
      return corrupt("a blob is out of bounds");
    uint64_t size = read32be(&bytes[blob.offset + 4]);
    if (size < kBlobHeader || !fits(blob.offset, size, bytes.size()))
      return corrupt("a blob extends past its end");
    blob.bytes = bytes.slice(blob.offset, size);
    // It would be unclear which of the two applies.
    if (signature.find(blob.slot))
      return corrupt("duplicate slot");
    if (isDirectorySlot(blob.slot)) {
      if (read32be(blob.bytes.data()) != CSMAGIC_CODEDIRECTORY)
        return corrupt("the code directory has the wrong magic number");
      llvm::Expected<CodeDirectory> directory = parseDirectory(blob);
      if (!directory)
        return directory.takeError();
      signature.directories.push_back(std::move(*directory));
    }
    signature.blobs.push_back(blob);
  }
  if (!signature.find(CSSLOT_CODEDIRECTORY))
    return corrupt("no code directory");
  return signature;
}

} // namespace tcfix::codesign
