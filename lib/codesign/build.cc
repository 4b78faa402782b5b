#include "codesign/build.h"

#include <llvm/BinaryFormat/MachO.h>
#include <llvm/Support/Endian.h>

#include <cstring>

namespace tcfix::codesign {

using namespace llvm::MachO;
using llvm::support::endian::write32be;
using llvm::support::endian::write64be;

namespace {

// What codesign currently writes: version 0x20400 (with the executable segment), SHA-256.
constexpr uint32_t kVersion = 0x20400;
constexpr uint64_t kDirectoryHeader = 88;
constexpr uint64_t kHashSize = 32;

// An empty requirement set and an empty CMS wrapper, which codesign puts into every ad-hoc
// signature.
constexpr uint8_t kNoRequirements[] = {0xfa, 0xde, 0x0c, 0x01, 0, 0, 0, 12, 0, 0, 0, 0};
constexpr uint8_t kNoCms[] = {0xfa, 0xde, 0x0b, 0x01, 0, 0, 0, 8};

struct PlacedBlob {
  uint32_t slot;
  uint64_t offset;
  Bytes bytes; // empty for the code directory, which is built in place
};

Bytes requirementsOf(const SignatureParts& parts) {
  return parts.requirements.empty() ? Bytes(kNoRequirements) : parts.requirements;
}

uint32_t specialSlots(const SignatureParts& parts) {
  if (!parts.derEntitlements.empty())
    return kSlotDerEntitlements;
  return parts.entitlements.empty() ? CSSLOT_REQUIREMENTS : CSSLOT_ENTITLEMENTS;
}

uint64_t hashOffset(const SignatureParts& parts) {
  return kDirectoryHeader + parts.identifier.size() + 1 + specialSlots(parts) * kHashSize;
}

uint64_t directorySize(const SignatureParts& parts) {
  return hashOffset(parts) + pageCount(parts.codeLimit, uint64_t(1) << parts.pageShift) * kHashSize;
}

std::vector<PlacedBlob> place(const SignatureParts& parts, uint64_t& end) {
  std::vector<PlacedBlob> blobs = {{CSSLOT_CODEDIRECTORY, 0, {}},
                                   {CSSLOT_REQUIREMENTS, 0, requirementsOf(parts)}};
  if (!parts.entitlements.empty())
    blobs.push_back({CSSLOT_ENTITLEMENTS, 0, parts.entitlements});
  if (!parts.derEntitlements.empty())
    blobs.push_back({kSlotDerEntitlements, 0, parts.derEntitlements});
  blobs.push_back({CSSLOT_SIGNATURESLOT, 0, kNoCms});
  end = sizeof(CS_SuperBlob) + blobs.size() * sizeof(CS_BlobIndex);
  for (PlacedBlob& blob : blobs) {
    blob.offset = end;
    end += blob.slot == CSSLOT_CODEDIRECTORY ? directorySize(parts) : blob.bytes.size();
  }
  return blobs;
}

void writeDirectory(const SignatureParts& parts, PageReader readPage, uint8_t* out) {
  uint64_t pageSize = uint64_t(1) << parts.pageShift;
  write32be(out, CSMAGIC_CODEDIRECTORY);
  write32be(out + 4, static_cast<uint32_t>(directorySize(parts)));
  write32be(out + 8, kVersion);
  write32be(out + 12, CS_ADHOC);
  write32be(out + 16, static_cast<uint32_t>(hashOffset(parts)));
  write32be(out + 20, kDirectoryHeader); // identifier
  write32be(out + 24, specialSlots(parts));
  write32be(out + 28, static_cast<uint32_t>(pageCount(parts.codeLimit, pageSize)));
  write32be(out + 32, static_cast<uint32_t>(parts.codeLimit));
  out[36] = kHashSize;
  out[37] = CS_HASHTYPE_SHA256;
  out[38] = 0; // platform: not Apple's own
  out[39] = parts.pageShift;
  // 40 to 63: reserved, scatter, team, reserved, 64-bit code limit; all zero.
  write64be(out + 64, parts.textOffset);
  write64be(out + 72, parts.textSize);
  write64be(out + 80, parts.isExecutable ? CS_EXECSEG_MAIN_BINARY : 0);
  std::memcpy(out + kDirectoryHeader, parts.identifier.data(), parts.identifier.size());

  uint8_t* hashes = out + hashOffset(parts);
  auto special = [&](uint32_t slot, Bytes content) {
    if (content.empty())
      return;
    io::Digest digest = io::digestOf(io::DigestKind::Sha256, content);
    std::memcpy(hashes - slot * kHashSize, digest.data(), kHashSize);
  };
  special(CSSLOT_INFOSLOT, parts.infoPlist);
  special(CSSLOT_REQUIREMENTS, requirementsOf(parts));
  special(CSSLOT_ENTITLEMENTS, parts.entitlements);
  special(kSlotDerEntitlements, parts.derEntitlements);
  hashPages(io::DigestKind::Sha256, parts.codeLimit, pageSize, readPage,
            [&](uint64_t page, const io::Digest& digest) {
              std::memcpy(hashes + page * kHashSize, digest.data(), kHashSize);
            });
}

} // namespace

uint64_t signatureSize(const SignatureParts& parts) {
  uint64_t end;
  place(parts, end);
  return end;
}

ByteVector build(const SignatureParts& parts, PageReader readPage) {
  uint64_t size;
  std::vector<PlacedBlob> blobs = place(parts, size);
  ByteVector out(size);
  write32be(&out[0], CSMAGIC_EMBEDDED_SIGNATURE);
  write32be(&out[4], static_cast<uint32_t>(size));
  write32be(&out[8], static_cast<uint32_t>(blobs.size()));
  uint64_t index = sizeof(CS_SuperBlob);
  for (const PlacedBlob& blob : blobs) {
    write32be(&out[index], blob.slot);
    write32be(&out[index + 4], static_cast<uint32_t>(blob.offset));
    index += sizeof(CS_BlobIndex);
    if (blob.slot == CSSLOT_CODEDIRECTORY)
      writeDirectory(parts, readPage, &out[blob.offset]);
    else
      std::memcpy(&out[blob.offset], blob.bytes.data(), blob.bytes.size());
  }
  return out;
}

} // namespace tcfix::codesign
