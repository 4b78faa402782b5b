#include "codesign/blob_check.h"

#include <llvm/BinaryFormat/MachO.h>
#include <llvm/Support/Endian.h>

#include <set>

namespace tcfix::codesign {

using namespace llvm::MachO;
using llvm::support::endian::read32be;

namespace {

// Not defined by LLVM.
constexpr uint32_t kMagicDerEntitlements = 0xfade7172, kMagicLaunchConstraint = 0xfade8181;
constexpr uint32_t kSupportsScatter = 0x20100, kSupportsLinkage = 0x20600;

struct KnownBlob {
  uint32_t slot;
  uint32_t magic;
  const char* name;
};
constexpr KnownBlob kKnownBlobs[] = {
    {CSSLOT_REQUIREMENTS, CSMAGIC_REQUIREMENTS, "requirement set"},
    {CSSLOT_ENTITLEMENTS, CSMAGIC_EMBEDDED_ENTITLEMENTS, "entitlements blob"},
    {kSlotDerEntitlements, kMagicDerEntitlements, "DER entitlements blob"},
    {8, kMagicLaunchConstraint, "launch constraint"},
    {9, kMagicLaunchConstraint, "launch constraint of the parent"},
    {10, kMagicLaunchConstraint, "launch constraint of the responsible process"},
    {11, kMagicLaunchConstraint, "library constraint"},
    {CSSLOT_SIGNATURESLOT, CSMAGIC_BLOBWRAPPER, "CMS wrapper"},
};

// A requirement set is itself a super blob: magic, length, count, then type and offset of each
// entry.
bool isValidRequirementSet(Bytes set) {
  constexpr uint64_t kHeader = 12, kEntry = 8, kBlobHeader = 8;
  if (set.size() < kHeader)
    return false;
  uint64_t count = read32be(&set[8]);
  if (count > (set.size() - kHeader) / kEntry)
    return false;
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t offset = read32be(&set[kHeader + i * kEntry + 4]);
    if (offset < kHeader + count * kEntry || !fits(offset, kBlobHeader, set.size()) ||
        read32be(&set[offset]) != CSMAGIC_REQUIREMENT)
      return false;
    uint64_t length = read32be(&set[offset + 4]);
    if (length < kBlobHeader || !fits(offset, length, set.size()))
      return false;
  }
  return true;
}

// The scatter list ends with an entry whose count is zero.
bool isValidScatter(Bytes directory) {
  constexpr uint64_t kEntry = 24;
  for (uint64_t offset = read32be(&directory[44]); offset != 0; offset += kEntry) {
    if (!fits(offset, kEntry, directory.size()))
      return false;
    if (read32be(&directory[offset]) == 0)
      break;
  }
  return true;
}

bool isValidLinkage(Bytes directory) {
  bool isPresent = directory[96] != 0;
  return !isPresent || fits(read32be(&directory[100]), read32be(&directory[104]), directory.size());
}

std::optional<std::string> problemOf(const CodeDirectory& directory, bool hasLargePages) {
  constexpr uint64_t kMinSize = 108; // the kernel's complete structure, whatever the version
  if (directory.bytes.size() < kMinSize)
    return "the code directory is shorter than the kernel allows";
  if (directory.pageSize != uint64_t(1) << kSmallPageShift &&
      !(hasLargePages && directory.pageSize == uint64_t(1) << kLargePageShift))
    return directory.pageSize == 0 ? "the kernel rejects a signature without a page size"
                                   : "the kernel rejects its page size of " +
                                         std::to_string(directory.pageSize) + " bytes";
  if (directory.version >= kSupportsScatter && !isValidScatter(directory.bytes))
    return "the scatter list extends past the end of the code directory";
  if (directory.version >= kSupportsLinkage && !isValidLinkage(directory.bytes))
    return "the linkage data is outside the code directory";
  return std::nullopt;
}

} // namespace

std::vector<BlobProblem> checkBlobs(const EmbeddedSignature& signature, bool hasLargePages) {
  std::vector<BlobProblem> problems;
  for (const auto& [slot, magic, name] : kKnownBlobs) {
    const Blob* blob = signature.find(slot);
    if (blob && (read32be(blob->bytes.data()) != magic ||
                 (slot == CSSLOT_REQUIREMENTS && !isValidRequirementSet(blob->bytes))))
      problems.push_back({slot, std::string(name) + " is malformed"});
  }
  std::set<uint8_t> hashTypes;
  for (const CodeDirectory& directory : signature.directories) {
    if (std::optional<std::string> problem = problemOf(directory, hasLargePages))
      problems.push_back({directory.slot, std::move(*problem)});
    if (!hashTypes.insert(directory.bytes[37]).second)
      problems.push_back({directory.slot, "two code directories use the same hash type"});
  }
  return problems;
}

} // namespace tcfix::codesign
