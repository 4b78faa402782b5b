#include "support/signature_builder.h"

#include "support/byte_writer.h"

#include <llvm/BinaryFormat/MachO.h>
#include <llvm/Support/SHA1.h>
#include <llvm/Support/SHA256.h>

#include <map>

namespace tcfix::support {

using namespace llvm::MachO;

namespace {

constexpr uint64_t kPage = 0x1000;
constexpr uint32_t kDerEntitlementsSlot = 7;
constexpr uint32_t kDerEntitlementsMagic = 0xfade7172;

using Blobs = std::map<uint32_t, ByteVector>; // by slot

ByteVector hashOf(uint8_t hashType, Bytes bytes) {
  if (hashType == CS_HASHTYPE_SHA1) {
    auto digest = llvm::SHA1::hash(bytes);
    return {digest.begin(), digest.end()};
  }
  auto digest = llvm::SHA256::hash(bytes);
  return {digest.begin(), digest.end()};
}

// The blobs that special slots cover, and the wrapper around the CMS signature.
Blobs otherBlobs(const SignatureSpec& spec) {
  Blobs blobs;
  if (spec.style == SignatureStyle::LinkerSigned)
    return blobs;
  std::string none(4, '\0'); // a count of zero
  blobs[CSSLOT_REQUIREMENTS] =
      blob(CSMAGIC_REQUIREMENTS, spec.requirements.empty() ? none : spec.requirements);
  if (!spec.entitlements.empty())
    blobs[CSSLOT_ENTITLEMENTS] = blob(CSMAGIC_EMBEDDED_ENTITLEMENTS, spec.entitlements);
  if (!spec.derEntitlements.empty())
    blobs[kDerEntitlementsSlot] = blob(kDerEntitlementsMagic, spec.derEntitlements);
  blobs[CSSLOT_SIGNATURESLOT] = blob(
      CSMAGIC_BLOBWRAPPER, spec.style == SignatureStyle::Cms ? "certificates and a signature" : "");
  return blobs;
}

uint32_t flagsFor(SignatureStyle style) {
  switch (style) {
  case SignatureStyle::LinkerSigned:
    return CS_ADHOC | CS_LINKER_SIGNED;
  case SignatureStyle::Cms:
    return 0;
  default:
    return CS_ADHOC;
  }
}

ByteVector directory(const SignatureSpec& spec, const SignedImage& image, const Blobs& blobs,
                     uint8_t hashType) {
  std::map<uint32_t, ByteVector> special;
  for (const auto& [slot, bytes] : blobs)
    if (slot != CSSLOT_SIGNATURESLOT)
      special[slot] = hashOf(hashType, bytes);
  if (!image.infoPlist.empty())
    special[CSSLOT_INFOSLOT] = hashOf(hashType, bytesOf(image.infoPlist));
  uint32_t specialSlots = special.empty() ? 0 : special.rbegin()->first;
  uint64_t pages = (image.code.size() + kPage - 1) / kPage;
  uint8_t hashSize = hashType == CS_HASHTYPE_SHA1 ? 20 : 32;
  constexpr uint32_t kHeader = 88;
  uint64_t hashOffset = kHeader + spec.identifier.size() + 1 + specialSlots * hashSize;

  ByteWriter out(/*isLittleEndian=*/false);
  out.u32(CSMAGIC_CODEDIRECTORY);
  out.u32(hashOffset + pages * hashSize);
  out.u32(0x20400);
  out.u32(flagsFor(spec.style));
  out.u32(hashOffset);
  out.u32(kHeader); // identifier
  out.u32(specialSlots);
  out.u32(pages);
  out.u32(image.code.size());
  out.u8(hashSize);
  out.u8(hashType);
  out.u8(0);
  out.u8(12); // pages of 4 KiB
  out.padTo(64);
  out.u64(0); // __TEXT: offset, size
  out.u64(image.textSize);
  out.u64(image.isExecutable ? 1 : 0);
  out.text(spec.identifier);
  out.u8(0);
  for (uint32_t slot = specialSlots; slot > 0; --slot)
    out.raw(special.count(slot) ? special[slot] : ByteVector(hashSize));
  for (uint64_t page = 0; page < pages; ++page)
    out.raw(hashOf(hashType, image.code.slice(page * kPage).take_front(kPage)));
  return out.bytes;
}

} // namespace

ByteVector blob(uint32_t magic, llvm::StringRef content) {
  ByteWriter out(/*isLittleEndian=*/false);
  out.u32(magic);
  out.u32(8 + content.size());
  out.text(content);
  return out.bytes;
}

ByteVector buildSignature(const SignatureSpec& spec, const SignedImage& image) {
  Blobs blobs = otherBlobs(spec);
  bool isDouble = spec.style == SignatureStyle::TwoDirectories;
  ByteVector main = directory(spec, image, blobs, isDouble ? CS_HASHTYPE_SHA1 : CS_HASHTYPE_SHA256);
  if (isDouble)
    blobs[CSSLOT_ALTERNATE_CODEDIRECTORIES] =
        directory(spec, image, otherBlobs(spec), CS_HASHTYPE_SHA256);
  blobs[CSSLOT_CODEDIRECTORY] = std::move(main);

  ByteWriter index(/*isLittleEndian=*/false), content(/*isLittleEndian=*/false);
  uint64_t begin = 12 + 8 * blobs.size();
  for (const auto& [slot, bytes] : blobs) {
    index.u32(slot);
    index.u32(begin + content.size());
    content.raw(bytes);
  }
  ByteWriter out(/*isLittleEndian=*/false);
  out.u32(CSMAGIC_EMBEDDED_SIGNATURE);
  out.u32(begin + content.size());
  out.u32(blobs.size());
  out.raw(index.bytes);
  out.raw(content.bytes);
  return out.bytes;
}

uint64_t signatureRoom(const SignatureSpec& spec, const SignedImage& image) {
  if (spec.style == SignatureStyle::None)
    return 0;
  return alignUp(std::max<uint64_t>(buildSignature(spec, image).size(), spec.reserve), 16);
}

} // namespace tcfix::support
