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

// Fields were added to the code directory over time; a version has those of all before it.
constexpr uint32_t kSupportsTeam = 0x20200;
constexpr uint32_t kSupportsCodeLimit64 = 0x20300;
constexpr uint32_t kBlobHeader = 8;

llvm::Error damaged(const char* what) {
  return fail(ErrorCode::Malformed, std::string("the signature is damaged: ") + what);
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

// Hashes change with the file; a text that reached into them would change, too.
llvm::Expected<std::string> textIn(const CodeDirectory& directory, uint32_t offset) {
  llvm::StringRef whole = textOf(directory.bytes);
  size_t end = whole.find('\0', offset);
  if (offset >= whole.size() || end == llvm::StringRef::npos)
    return damaged("a text in the code directory has no end");
  uint64_t hashes = directory.hashOffset - uint64_t(directory.specialSlots) * directory.hashSize;
  uint64_t hashesEnd = directory.hashOffset + uint64_t(directory.codeSlots) * directory.hashSize;
  if (offset < hashesEnd && end >= hashes)
    return damaged("a text in the code directory overlaps the hashes");
  return whole.slice(offset, end).str();
}

llvm::Expected<CodeDirectory> parseDirectory(const Blob& blob) {
  Bytes bytes = blob.bytes;
  if (bytes.size() < 44)
    return damaged("the code directory is too short");
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
    return damaged("the code directory has an absurd page size");
  directory.pageSize = bytes[39] == 0 ? 0 : uint64_t(1) << bytes[39];

  if (directory.version >= kSupportsCodeLimit64 && bytes.size() >= 64 && read64be(&bytes[56]) != 0)
    directory.codeLimit = read64be(&bytes[56]);
  uint64_t before = uint64_t(directory.specialSlots) * directory.hashSize;
  uint64_t after = uint64_t(directory.codeSlots) * directory.hashSize;
  if (before > directory.hashOffset || !fits(directory.hashOffset, after, bytes.size()))
    return damaged("the hashes lie outside the code directory");
  if (directory.hashKind &&
      (directory.hashSize == 0 || directory.hashSize > io::sizeOf(*directory.hashKind)))
    return damaged("the hashes have a wrong size");

  llvm::Expected<std::string> identifier = textIn(directory, read32be(&bytes[20]));
  if (!identifier)
    return identifier.takeError();
  directory.identifier = *identifier;
  if (directory.version >= kSupportsTeam && bytes.size() >= 52 && read32be(&bytes[48]) != 0) {
    llvm::Expected<std::string> team = textIn(directory, read32be(&bytes[48]));
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

llvm::Expected<EmbeddedSignature> parse(Bytes bytes) {
  constexpr uint64_t kHeader = 12, kIndexEntry = 8;
  if (bytes.size() < kHeader || read32be(&bytes[0]) != CSMAGIC_EMBEDDED_SIGNATURE)
    return damaged("it does not begin as one");
  uint64_t length = read32be(&bytes[4]);
  uint64_t count = read32be(&bytes[8]);
  if (length > bytes.size() || length < kHeader || count > (length - kHeader) / kIndexEntry)
    return damaged("it is longer than the room that the load command gives it");
  bytes = bytes.take_front(length);

  EmbeddedSignature signature;
  for (uint64_t i = 0; i < count; ++i) {
    Blob blob;
    blob.slot = read32be(&bytes[kHeader + i * kIndexEntry]);
    blob.offset = read32be(&bytes[kHeader + i * kIndexEntry + 4]);
    if (!fits(blob.offset, kBlobHeader, bytes.size()))
      return damaged("a blob lies outside it");
    uint64_t size = read32be(&bytes[blob.offset + 4]);
    if (size < kBlobHeader || !fits(blob.offset, size, bytes.size()))
      return damaged("a blob ends outside it");
    blob.bytes = bytes.slice(blob.offset, size);
    // Which of the two counts would be anyone's guess.
    if (signature.find(blob.slot))
      return damaged("a slot is there twice");
    if (isDirectorySlot(blob.slot)) {
      if (read32be(blob.bytes.data()) != CSMAGIC_CODEDIRECTORY)
        return damaged("its code directory is something else");
      llvm::Expected<CodeDirectory> directory = parseDirectory(blob);
      if (!directory)
        return directory.takeError();
      signature.directories.push_back(std::move(*directory));
    }
    signature.blobs.push_back(blob);
  }
  if (!signature.find(CSSLOT_CODEDIRECTORY))
    return damaged("it has no code directory");
  return signature;
}

} // namespace tcfix::codesign
