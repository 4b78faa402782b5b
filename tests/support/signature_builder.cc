#include "support/signature_builder.h"

#include "support/byte_writer.h"

#include <llvm/BinaryFormat/MachO.h>
#include <llvm/Support/SHA1.h>
#include <llvm/Support/SHA256.h>

#include <map>

namespace tcfix::support {

using namespace llvm::MachO;

namespace {

constexpr uint32_t kDerEntitlementsSlot = 7;
constexpr uint32_t kDerEntitlementsMagic = 0xfade7172;

using Blobs = std::map<uint32_t, ByteVector>; // by slot

ByteVector hashOf(uint8_t hashType, Bytes bytes) {
  if (hashType == CS_HASHTYPE_SHA1) {
    auto digest = llvm::SHA1::hash(bytes);
    return {digest.begin(), digest.end()};
  }
  auto digest = llvm::SHA256::hash(bytes);
  return {digest.begin(), hashType == CS_HASHTYPE_SHA256 ? digest.end() : digest.begin() + 20};
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
  uint64_t page = spec.pageShift == 0 ? image.code.size() : uint64_t(1) << spec.pageShift;
  uint64_t pages = (image.code.size() + page - 1) / page;
  uint8_t hashSize = hashType == CS_HASHTYPE_SHA256 ? 32 : 20;
  bool isNew = spec.version >= 0x20400;
  uint32_t header = isNew ? 88 : 44;
  uint64_t hashOffset = header + spec.identifier.size() + 1 + specialSlots * hashSize;

  ByteWriter out(/*isLittleEndian=*/false);
  out.u32(CSMAGIC_CODEDIRECTORY);
  out.u32(hashOffset + pages * hashSize);
  out.u32(spec.version);
  out.u32(flagsFor(spec.style));
  out.u32(hashOffset);
  out.u32(header); // identifier
  out.u32(specialSlots);
  out.u32(pages);
  out.u32(image.code.size());
  out.u8(hashSize);
  out.u8(hashType);
  out.u8(0);
  out.u8(spec.pageShift);
  if (isNew) {
    out.padTo(64);
    out.u64(0); // __TEXT: offset, size
    out.u64(image.textSize);
    out.u64(image.isExecutable ? 1 : 0);
  }
  out.padTo(header);
  out.text(spec.identifier);
  out.u8(0);
  for (uint32_t slot = specialSlots; slot > 0; --slot)
    out.raw(special.count(slot) ? special[slot] : ByteVector(hashSize));
  for (uint64_t i = 0; i < pages; ++i)
    out.raw(hashOf(hashType, image.code.slice(i * page).take_front(page)));
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

std::string oneRequirement() {
  ByteWriter out(/*isLittleEndian=*/false);
  out.u32(1);                                                    // entries
  out.u32(3);                                                    // designated
  out.u32(20);                                                   // offset in the whole blob
  out.raw(blob(0xfade0c00, std::string("\0\0\0\1\0\0\0\0", 8))); // an expression: false
  return std::string(out.bytes.begin(), out.bytes.end());
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
