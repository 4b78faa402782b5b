// verify detects every kind of corruption, and reports nothing for valid files.

#include "codesign/blob.h"
#include "support/layout.h"
#include "support/macho_builder.h"

#include <gmock/gmock.h>
#include <llvm/Support/Endian.h>

namespace tcfix::support {
namespace {

using namespace llvm::MachO;
using llvm::support::endian::read32be;
using llvm::support::endian::write32be;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr uint64_t kPage = 0x1000;

MachOSpec fullSpec(SignatureStyle style = SignatureStyle::AdHoc) {
  MachOSpec spec = signedAs(style);
  spec.infoPlist = "<plist/>";
  if (style != SignatureStyle::LinkerSigned) {
    spec.signature.requirements = oneRequirement();
    spec.signature.entitlements = "<dict/>";
    spec.signature.derEntitlements = "der";
  }
  return spec;
}

TEST(Verify, AcceptsEveryValidSignature) {
  for (SignatureStyle style : {SignatureStyle::AdHoc, SignatureStyle::LinkerSigned,
                               SignatureStyle::TwoDirectories, SignatureStyle::Cms})
    for (uint64_t reserve : {0, 18000}) {
      MachOSpec spec = fullSpec(style);
      spec.signature.reserve = reserve;
      EXPECT_THAT(signatureProblems(buildMachO(spec)), IsEmpty());
    }
}

TEST(Verify, NamesThePageOfAnyChangedBit) {
  ByteVector good = buildMachO(signedAs(SignatureStyle::AdHoc));
  uint64_t end = signatureIn(good)->offset;
  // Only bits of the content: changing the load commands may result in another valid file.
  for (uint64_t offset = commandsEnd(good); offset < end; offset += 997) {
    ByteVector bad = good;
    bad[offset] ^= 1 << offset % 8;
    EXPECT_THAT(signatureProblems(bad),
                ElementsAre(HasSubstr("page " + std::to_string(offset / kPage) + " ")))
        << offset;
  }
  ByteVector last = good;
  last[end - 1] ^= 1;
  EXPECT_THAT(signatureProblems(last), Not(IsEmpty()));
}

TEST(Verify, ListsSomePagesAndCountsTheRest) {
  MachOSpec spec = signedAs(SignatureStyle::AdHoc);
  spec.codeSize = 30 * kPage;
  ByteVector bad = buildMachO(spec);
  for (uint64_t page = 1; page <= 20; ++page)
    bad[page * kPage + 100] ^= 1;
  std::vector<std::string> problems = signatureProblems(bad);
  EXPECT_EQ(problems.size(), 9u);
  EXPECT_THAT(problems.back(), HasSubstr("12 more pages"));
}

TEST(Verify, ChecksEveryCodeDirectory) {
  MachOSpec spec = fullSpec(SignatureStyle::TwoDirectories);
  ByteVector bad = buildMachO(spec);
  bad[2 * kPage] ^= 1;
  EXPECT_THAT(signatureProblems(bad), ElementsAre(HasSubstr("code directory 0: page 2"),
                                                  HasSubstr("code directory 4096: page 2")));
}

// Offsets of blobs in a signature, by the index of its super blob.
uint64_t blobOffset(const ByteVector& file, uint32_t slot) {
  uint64_t start = signatureIn(file)->offset;
  for (uint32_t i = 0; i < read32be(&file[start + 8]); ++i)
    if (read32be(&file[start + 12 + i * 8]) == slot)
      return start + read32be(&file[start + 16 + i * 8]);
  ADD_FAILURE() << "no slot " << slot;
  return start;
}

struct Damage {
  const char* name;
  void (*inflict)(ByteVector& file);
  const char* problem;
};

class VerifyDamage : public testing::TestWithParam<Damage> {};

TEST_P(VerifyDamage, IsFound) {
  ByteVector file = buildMachO(fullSpec());
  GetParam().inflict(file);
  EXPECT_THAT(signatureProblems(file), Contains(HasSubstr(GetParam().problem)));
  EXPECT_EQ(sliceOf(file).signature->state, SignatureState::Invalid);
}

void add(ByteVector& file, uint64_t offset, uint32_t difference) {
  write32be(&file[offset], read32be(&file[offset]) + difference);
}
uint64_t start(const ByteVector& file) {
  return signatureIn(file)->offset;
}
uint64_t directory(const ByteVector& file) {
  return blobOffset(file, CSSLOT_CODEDIRECTORY);
}

INSTANTIATE_TEST_SUITE_P(
    SuperBlob, VerifyDamage,
    testing::Values(Damage{"Magic", [](ByteVector& f) { f[start(f)] ^= 1; }, "wrong magic number"},
                    Damage{"TooLong", [](ByteVector& f) { write32be(&f[start(f) + 4], 1 << 20); },
                           "longer than the size"},
                    Damage{"TooShort", [](ByteVector& f) { write32be(&f[start(f) + 4], 11); },
                           "longer than the size"},
                    Damage{"TooManyBlobs",
                           [](ByteVector& f) { write32be(&f[start(f) + 8], 0x10000000); },
                           "longer than the size"},
                    Damage{"NoBlobs", [](ByteVector& f) { write32be(&f[start(f) + 8], 0); },
                           "no code directory"},
                    Damage{"CutOff", [](ByteVector& f) { add(f, start(f) + 4, -4); },
                           "a blob is out of bounds"},
                    Damage{"BlobOutside",
                           [](ByteVector& f) { write32be(&f[start(f) + 16], 1 << 20); },
                           "a blob is out of bounds"},
                    Damage{"BlobTooLong", [](ByteVector& f) { add(f, directory(f) + 4, 1 << 20); },
                           "a blob extends past its end"},
                    Damage{"OtherBlobInDirectorySlot",
                           [](ByteVector& f) { write32be(&f[directory(f)], CSMAGIC_REQUIREMENTS); },
                           "code directory has the wrong magic number"}),
    [](const auto& param) { return param.param.name; });

// Fields of the code directory, by their offsets in XNU's cs_blobs.h.
INSTANTIATE_TEST_SUITE_P(
    CodeDirectory, VerifyDamage,
    testing::Values(
        Damage{"Flags", [](ByteVector& f) { write32be(&f[directory(f) + 12], 0); },
               "neither an ad-hoc nor a certificate signature"},
        Damage{"HashOffset", [](ByteVector& f) { add(f, directory(f) + 16, 1 << 16); },
               "hashes are outside"},
        Damage{"IdentifierOffset", [](ByteVector& f) { write32be(&f[directory(f) + 20], 1 << 20); },
               "is not terminated"},
        Damage{"IdentifierInHashes",
               [](ByteVector& f) {
                 write32be(&f[directory(f) + 20], read32be(&f[directory(f) + 16]) + 1);
               },
               "overlaps the hashes"},
        Damage{"SpecialSlots", [](ByteVector& f) { write32be(&f[directory(f) + 24], 1000); },
               "hashes are outside"},
        Damage{"FewerPages", [](ByteVector& f) { add(f, directory(f) + 28, -1); },
               "page hashes for"},
        Damage{"CodeLimit", [](ByteVector& f) { add(f, directory(f) + 32, -1); }, "before it"},
        Damage{"CodeLimitPastTheFile",
               [](ByteVector& f) { write32be(&f[directory(f) + 32], 0x7fffffff); }, "before it"},
        Damage{"HashSize", [](ByteVector& f) { f[directory(f) + 36] = 0; }, "wrong size"},
        Damage{"HashType", [](ByteVector& f) { f[directory(f) + 37] = 77; },
               "unsupported hash type"},
        Damage{"OtherHashType", [](ByteVector& f) { f[directory(f) + 37] = CS_HASHTYPE_SHA384; },
               "the hashes have the wrong size"},
        Damage{"TruncatedHashType",
               [](ByteVector& f) { f[directory(f) + 37] = CS_HASHTYPE_SHA256_TRUNCATED; },
               "the hashes have the wrong size"},
        Damage{"BytesBehind", [](ByteVector& f) { f.resize(f.size() + 6, 'x'); },
               "6 bytes follow the signature"},
        Damage{"PageSize", [](ByteVector& f) { f[directory(f) + 39] = 13; }, "page hashes for"},
        Damage{"AbsurdPageSize", [](ByteVector& f) { f[directory(f) + 39] = 64; },
               "invalid page size"}),
    [](const auto& param) { return param.param.name; });

INSTANTIATE_TEST_SUITE_P(
    SpecialSlots, VerifyDamage,
    testing::Values(Damage{"Requirements",
                           [](ByteVector& f) { f[blobOffset(f, CSSLOT_REQUIREMENTS) + 12] ^= 1; },
                           "requirements were changed"},
                    Damage{"Entitlements",
                           [](ByteVector& f) { f[blobOffset(f, CSSLOT_ENTITLEMENTS) + 9] ^= 1; },
                           "entitlements were changed"},
                    Damage{"DerEntitlements",
                           [](ByteVector& f) {
                             f[blobOffset(f, codesign::kSlotDerEntitlements) + 9] ^= 1;
                           },
                           "DER entitlements were changed"},
                    Damage{"EntitlementsGone",
                           [](ByteVector& f) { // the index entry names an unknown slot instead
                             uint64_t entry = start(f) + 12;
                             while (read32be(&f[entry]) != CSSLOT_ENTITLEMENTS)
                               entry += 8;
                             write32be(&f[entry], 0x77);
                           },
                           "entitlements are missing"},
                    Damage{"InfoPlist",
                           [](ByteVector& f) {
                             *std::search(f.begin(), f.end(), std::begin("<plist/>"),
                                          std::end("<plist/>") - 1) = '(';
                           },
                           "Info.plist entries were changed"},
                    Damage{"SpecialHash",
                           [](ByteVector& f) {
                             uint64_t hashes = directory(f) + read32be(&f[directory(f) + 16]);
                             f[hashes - 2 * 32] ^= 1;
                           },
                           "requirements were changed"}),
    [](const auto& param) { return param.param.name; });

// Rejected regardless of its hash: the magic of each blob, and entries outside their set.
template <uint32_t slot>
void setMagic(ByteVector& file) {
  file[blobOffset(file, slot) + 3] ^= 1;
}
void setRequirement(ByteVector& file, uint64_t offset, uint32_t value) {
  write32be(&file[blobOffset(file, CSSLOT_REQUIREMENTS) + offset], value);
}
constexpr const char* kMalformed = "requirement set is malformed";

INSTANTIATE_TEST_SUITE_P(
    Blobs, VerifyDamage,
    testing::Values(
        Damage{"RequirementsMagic", setMagic<CSSLOT_REQUIREMENTS>, kMalformed},
        Damage{"RequirementsCount", [](ByteVector& f) { setRequirement(f, 8, 3); }, kMalformed},
        Damage{"RequirementInTheIndex", [](ByteVector& f) { setRequirement(f, 16, 12); },
               kMalformed},
        Damage{"RequirementOutside", [](ByteVector& f) { setRequirement(f, 16, 1000); },
               kMalformed},
        Damage{"RequirementMagic", [](ByteVector& f) { setRequirement(f, 20, 0); }, kMalformed},
        Damage{"RequirementTooLong", [](ByteVector& f) { setRequirement(f, 24, 17); }, kMalformed},
        Damage{"RequirementTooShort", [](ByteVector& f) { setRequirement(f, 24, 7); }, kMalformed},
        Damage{"EntitlementsMagic", setMagic<CSSLOT_ENTITLEMENTS>,
               "entitlements blob is malformed"},
        Damage{"DerEntitlementsMagic", setMagic<codesign::kSlotDerEntitlements>,
               "DER entitlements blob is malformed"},
        Damage{"CmsMagic", setMagic<CSSLOT_SIGNATURESLOT>, "CMS wrapper is malformed"},
        Damage{"LibraryConstraint",
               [](ByteVector& f) { // entitlements in its slot
                 uint64_t entry = start(f) + 12;
                 while (read32be(&f[entry]) != CSSLOT_ENTITLEMENTS)
                   entry += 8;
                 write32be(&f[entry], 11);
               },
               "library constraint is malformed"},
        Damage{"Scatter", [](ByteVector& f) { write32be(&f[directory(f) + 44], 0x7fff); },
               "scatter list extends past"},
        Damage{"Linkage", // version 0x20600 has a field after the old header
               [](ByteVector& f) { write32be(&f[directory(f) + 8], 0x20600); },
               "linkage data is outside"},
        Damage{"TwoOfOneKind",
               [](ByteVector& f) { // the index of the CMS wrapper, the last one
                 uint64_t entry = start(f) + 12 + (read32be(&f[start(f) + 8]) - 1) * 8;
                 write32be(&f[entry], CSSLOT_ALTERNATE_CODEDIRECTORIES);
                 write32be(&f[entry + 4], static_cast<uint32_t>(directory(f) - start(f)));
               },
               "two code directories use the same hash type"}),
    [](const auto& param) { return param.param.name; });

TEST(Verify, ACodeDirectoryMayBeTooShortForTheKernel) {
  MachOSpec spec = signedAs(SignatureStyle::LinkerSigned);
  spec.arch.page = 0x1000;
  spec.codeSize = 0x180;
  spec.signature.version = 0x20001;
  spec.signature.identifier = "a";
  spec.signature.pageShift = 14;
  EXPECT_THAT(signatureProblems(buildMachO(spec)), ElementsAre(HasSubstr("shorter than")));
  spec.signature.identifier = std::string(40, 'a');
  EXPECT_THAT(signatureProblems(buildMachO(spec)), IsEmpty());
}

TEST(Verify, DetectsADuplicateSlot) {
  // The index of the CMS wrapper, the last one, becomes a second name for the code directory.
  ByteVector file = buildMachO(signedAs(SignatureStyle::AdHoc));
  uint64_t entry = start(file) + 12 + 2 * 8;
  write32be(&file[entry], CSSLOT_CODEDIRECTORY);
  write32be(&file[entry + 4], static_cast<uint32_t>(directory(file) - start(file)));
  EXPECT_THAT(signatureProblems(file), Contains(HasSubstr("duplicate slot")));
}

TEST(Verify, OnlyTheIdentifierIsNotCovered) {
  // The code directory is covered by nothing in an ad-hoc signature; codesign accepts this, too.
  ByteVector file = buildMachO(signedAs(SignatureStyle::AdHoc));
  file[directory(file) + read32be(&file[directory(file) + 20])] = 'L';
  EXPECT_THAT(signatureProblems(file), IsEmpty());
  EXPECT_EQ(sliceOf(file).signature->identifier, "Libdemo");
}

} // namespace
} // namespace tcfix::support
