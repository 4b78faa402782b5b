// Signing: refresh valid signatures, build missing or invalid ones, keep those of others.

#include "codesign/blob.h"
#include "support/layout.h"
#include "support/macho_builder.h"

#include <gmock/gmock.h>
#include <llvm/Support/Endian.h>

namespace tcfix::support {
namespace {

using namespace llvm::MachO;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Edit kAdd = AddSearchPath{"/opt/homebrew/lib"};

formats::EditRequest signingOnly(bool replaceForeign = false) {
  formats::EditRequest request;
  request.signing.alsoUnsigned = true;
  request.signing.replaceForeign = replaceForeign;
  return request;
}

ByteVector signedFile(Bytes bytes, const formats::EditRequest& request,
                      llvm::StringRef name = "libdemo.dylib") {
  return rewritten(outcomeOf(bytes, request, name).rewrite, bytes);
}

MachOSpec withEverything(SignatureStyle style) {
  MachOSpec spec = signedAs(style);
  spec.infoPlist = "<plist/>";
  spec.signature.identifier = "com.example.kept";
  spec.signature.requirements = oneRequirement();
  spec.signature.entitlements = "<dict><key>kept</key></dict>";
  spec.signature.derEntitlements = "der";
  return spec;
}

codesign::EmbeddedSignature parsedFrom(const ByteVector& file) {
  SignaturePlace place = *signatureIn(file);
  return valueOf(codesign::parse(Bytes(file).slice(place.offset, place.size)));
}

TEST(Refresh, ChangesOnlyTheHashesOfTouchedPages) {
  for (SignatureStyle style : {SignatureStyle::AdHoc, SignatureStyle::LinkerSigned}) {
    MachOSpec spec = signedAs(style);
    spec.signature.reserve = 18000;
    ByteVector before = buildMachO(spec);
    ByteVector after = edited(before, {kAdd});
    ASSERT_EQ(before.size(), after.size());
    SignaturePlace place = *signatureIn(before);
    codesign::EmbeddedSignature parsed = parsedFrom(before);
    const codesign::CodeDirectory& directory = parsed.main();
    uint64_t firstHash = place.offset + directory.offset + directory.hashOffset;
    for (uint64_t i = place.offset; i < before.size(); ++i) {
      bool isFirstHash = i >= firstHash && i < firstHash + directory.hashSize;
      ASSERT_TRUE(isFirstHash || before[i] == after[i]) << i - place.offset << " of the signature";
    }
    EXPECT_THAT(signatureProblems(after), IsEmpty());
  }
}

TEST(Refresh, FollowsAllCodeDirectories) {
  MachOSpec spec = withEverything(SignatureStyle::TwoDirectories);
  EditOutcome outcome = outcomeOf(buildMachO(spec), asking({kAdd}));
  int hashes = 0;
  for (const BytePatch& patch : outcome.rewrite.patches)
    hashes += patch.reason.find("hash of page 0") != std::string::npos;
  EXPECT_GE(hashes, 2);
  MachOSpec twin = spec;
  twin.rpaths = {"/opt/homebrew/lib"};
  twin.hasRpathsLast = true;
  twin.headerPadding -= 32;
  EXPECT_TRUE(edited(buildMachO(spec), {kAdd}) == buildMachO(twin));
}

TEST(Refresh, KeepsTheFormOfAnyCodeDirectory) {
  for (uint32_t version : {0x20001, 0x20400})
    for (bool isTruncated : {false, true})
      for (uint8_t pageShift : {12, 14}) {
        MachOSpec spec = withEverything(SignatureStyle::AdHoc);
        spec.signature.version = version;
        spec.signature.isTruncated = isTruncated;
        spec.signature.pageShift = pageShift;
        MachOSpec twin = spec;
        twin.rpaths = {"/opt/homebrew/lib"};
        twin.hasRpathsLast = true;
        twin.headerPadding -= 32;
        EXPECT_TRUE(edited(buildMachO(spec), {kAdd}) == buildMachO(twin));
      }
}

// The signature that codesign makes for the same file.
TEST(Build, MatchesCodesign) {
  for (const Architecture& arch : {kArm64, kArm64e, kX86_64})
    for (uint32_t type : {MH_DYLIB, MH_BUNDLE, MH_EXECUTE})
      for (const char* plist : {"", "<plist/>"})
        for (size_t symbols = 0; symbols < 4; ++symbols) { // any length before the signature
          MachOSpec unsignedSpec;
          unsignedSpec.arch = arch;
          unsignedSpec.fileType = type;
          unsignedSpec.infoPlist = plist;
          unsignedSpec.symbols.assign(symbols, {"_a"});
          MachOSpec twin = signedAs(SignatureStyle::AdHoc, unsignedSpec);
          twin.signature.identifier = "libdemo.7";
          twin.headerPadding -= sizeof(linkedit_data_command);
          ByteVector result =
              signedFile(buildMachO(unsignedSpec), signingOnly(), "libdemo.7.dylib");
          EXPECT_TRUE(result == buildMachO(twin));
        }
}

TEST(Build, UnsignedAppleSiliconIsSignedByAnyEdit) {
  for (const Architecture& arch : {kArm64, kArm64e}) {
    MachOSpec spec;
    spec.arch = arch;
    ByteVector before = buildMachO(spec);
    ByteVector after = edited(before, {kAdd});
    std::optional<SignaturePlace> place = signatureIn(after);
    ASSERT_TRUE(place);
    EXPECT_EQ(place->offset % 16, 0u);
    EXPECT_EQ(place->offset + place->size, after.size()) << "the file ends with the signature";
    macho::File file = valueOf(macho::read(after));
    for (const macho::Segment& segment : macho::segmentsOf(file.slices[0], file.slices[0].commands))
      if (segment.name == "__LINKEDIT") {
        EXPECT_EQ(segment.fileOffset + segment.fileSize, after.size());
        EXPECT_GE(segment.memorySize, segment.fileSize);
      }
    EXPECT_THAT(signatureProblems(after), IsEmpty());
    EXPECT_EQ(sliceOf(after).signature->kind, SignatureKind::AdHoc);
    EditOutcome outcome = outcomeOf(before, asking({kAdd}));
    EXPECT_TRUE(rewritten(reverseOf(outcome.rewrite, before), after) == before);
    EXPECT_TRUE(outcomeOf(after, asking({kAdd})).rewrite.isIdentity());
  }
}

TEST(Build, UnsignedIntelStaysUnsignedUnlessRequested) {
  MachOSpec spec;
  spec.arch = kX86_64;
  ByteVector image = buildMachO(spec);
  EXPECT_FALSE(signatureIn(edited(image, {kAdd})));
  EXPECT_TRUE(signatureIn(signedFile(image, signingOnly())));
}

TEST(Build, NoSignWarns) {
  formats::EditRequest request = asking({kAdd});
  request.signing.isWanted = false;
  ByteVector image = buildMachO(signedAs(SignatureStyle::AdHoc));
  EditOutcome outcome = outcomeOf(image, request);
  EXPECT_THAT(outcome.warnings, Contains(HasSubstr("not signed")));
  EXPECT_EQ(sliceOf(rewritten(outcome.rewrite, image)).signature->state, SignatureState::Invalid);
  MachOSpec unsignedSpec;
  EXPECT_FALSE(signatureIn(signedFile(buildMachO(unsignedSpec), request)));
}

TEST(Build, AnInvalidSignatureIsRebuiltInPlace) {
  MachOSpec spec = withEverything(SignatureStyle::AdHoc);
  spec.signature.reserve = 18000;
  ByteVector whole = buildMachO(spec);
  ByteVector broken = whole;
  SignaturePlace place = *signatureIn(whole);
  codesign::EmbeddedSignature parsed =
      valueOf(codesign::parse(Bytes(whole).slice(place.offset, place.size)));
  broken[place.offset + parsed.main().offset + parsed.main().hashOffset] ^= 1;
  EXPECT_TRUE(signedFile(broken, signingOnly()) == whole)
      << "identifier, requirements, entitlements and reserve are kept";
  EditOutcome outcome = outcomeOf(broken, signingOnly());
  EXPECT_THAT(outcome.changes.front().reason, HasSubstr("page 0"));
}

TEST(Build, AnEditReplacesAnInvalidSignature) {
  for (SignatureStyle style :
       {SignatureStyle::AdHoc, SignatureStyle::LinkerSigned, SignatureStyle::TwoDirectories})
    for (uint64_t reserve : {0, 18000}) {
      MachOSpec spec = withEverything(style);
      spec.signature.reserve = reserve;
      ByteVector broken = buildMachO(spec);
      broken[signatureIn(broken)->offset - 100] ^= 1;
      ByteVector result = edited(broken, {kAdd});
      EXPECT_THAT(signatureProblems(result), IsEmpty());
      SignaturePlace place = *signatureIn(result);
      EXPECT_EQ(place.offset, signatureIn(broken)->offset);
      EXPECT_EQ(place.offset + place.size, result.size());
      EXPECT_EQ(sliceOf(result).signature->identifier, "com.example.kept");
      EXPECT_TRUE(outcomeOf(result, asking({kAdd})).rewrite.isIdentity());
    }
}

TEST(Build, AnUnreadableSignatureIsReplacedByOneWithTheDefaultIdentifier) {
  for (uint64_t reserve : {0, 18000}) {
    MachOSpec spec = withEverything(SignatureStyle::AdHoc);
    spec.signature.reserve = reserve;
    ByteVector broken = buildMachO(spec);
    broken[signatureIn(broken)->offset] ^= 1;
    ByteVector result = edited(broken, {kAdd}, "libdemo.7.dylib");
    EXPECT_THAT(signatureProblems(result), IsEmpty());
    EXPECT_EQ(sliceOf(result).signature->identifier, "libdemo.7");
  }
}

TEST(Build, KeepsThePageSizeSoThatTheFileDoesNotGrow) {
  for (uint8_t pageShift : {12, 14}) {
    MachOSpec spec = withEverything(SignatureStyle::AdHoc);
    spec.codeSize = 0x40000;
    spec.signature.pageShift = pageShift;
    ByteVector broken = buildMachO(spec);
    broken[signatureIn(broken)->offset - 100] ^= 1;
    ByteVector result = edited(broken, {kAdd});
    EXPECT_EQ(result.size(), broken.size());
    EXPECT_THAT(signatureProblems(result), IsEmpty());
    EXPECT_EQ(parsedFrom(result).main().pageSize, uint64_t(1) << pageShift);
  }
}

// No kernel for Intel accepts 16 KiB pages, and none at all accepts others.
TEST(Build, ReplacesAPageSizeThatTheKernelRejects) {
  for (auto [arch, pageShift] : {std::pair{kX86_64, 14}, {kX86_64, 0}, {kArm64, 0}, {kArm64, 13}}) {
    MachOSpec spec = withEverything(SignatureStyle::AdHoc);
    spec.arch = arch;
    spec.signature.pageShift = static_cast<uint8_t>(pageShift);
    ByteVector refused = buildMachO(spec);
    EXPECT_THAT(signatureProblems(refused), ElementsAre(HasSubstr("the kernel rejects")));
    ByteVector result = edited(refused, {kAdd});
    EXPECT_THAT(signatureProblems(result), IsEmpty());
    EXPECT_EQ(parsedFrom(result).main().pageSize, 0x1000u);
  }
}

// A new signature would have to contain what cannot be read.
TEST(Build, MalformedRequirementsAndEntitlementsAreRefused) {
  for (uint32_t slot : {uint32_t(CSSLOT_REQUIREMENTS), uint32_t(CSSLOT_ENTITLEMENTS),
                        codesign::kSlotDerEntitlements})
    for (SignatureStyle style : {SignatureStyle::AdHoc, SignatureStyle::Cms}) {
      ByteVector image = buildMachO(withEverything(style));
      uint64_t blob = signatureIn(image)->offset + parsedFrom(image).find(slot)->offset;
      image[blob + 3] ^= 1; // its magic
      formats::EditRequest request = asking({kAdd});
      request.signing.replaceForeign = true;
      if (style == SignatureStyle::Cms && slot == CSSLOT_REQUIREMENTS) {
        EXPECT_THAT(signatureProblems(signedFile(image, request)), IsEmpty())
            << "they are dropped on request";
        continue;
      }
      for (const formats::EditRequest& asked : {request, signingOnly(/*replaceForeign=*/true)}) {
        Problem problem = problemOf(formats::rewrite(image, "libdemo.dylib", asked));
        EXPECT_EQ(problem.code, ErrorCode::Malformed);
        EXPECT_THAT(problem.message, HasSubstr("is malformed"));
      }
    }
}

// Points LC_CODE_SIGNATURE to other bytes.
void setPlace(ByteVector& bytes, const SignaturePlace& place) {
  macho::File file = valueOf(macho::read(bytes));
  for (const macho::LoadCommand& command : file.slices[0].commands)
    if (command.kind == LC_CODE_SIGNATURE) {
      llvm::support::endian::write32le(&bytes[*command.offset + 8], place.offset);
      llvm::support::endian::write32le(&bytes[*command.offset + 12], place.size);
    }
}

TEST(Build, ASignatureThatIsTooShortGrowsOnlyAtTheEnd) {
  ByteVector good = buildMachO(signedAs(SignatureStyle::AdHoc));
  SignaturePlace place = *signatureIn(good);
  ByteVector atTheEnd = good;
  setPlace(atTheEnd, {good.size() - 16, 16});
  ByteVector result = edited(atTheEnd, {kAdd});
  EXPECT_THAT(signatureProblems(result), IsEmpty());
  EXPECT_EQ(signatureIn(result)->offset + signatureIn(result)->size, result.size());

  // There is no proof that the bytes after these positions are unused.
  for (SignaturePlace wrong : {SignaturePlace{place.offset, 0}, SignaturePlace{0, 0},
                               SignaturePlace{place.offset - 32, 0}}) {
    ByteVector broken = good;
    setPlace(broken, wrong);
    EXPECT_EQ(refusal(broken, {kAdd}).code, ErrorCode::Malformed);
  }
}

TEST(Build, DataAfterTheLinkeditPreventsASignature) {
  ByteVector image = buildMachO({});
  image.insert(image.end(), 64, 'x');
  EXPECT_EQ(refusal(image, {kAdd}).code, ErrorCode::Unsupported);
}

TEST(ForeignSignature, IsReplacedOnlyOnRequest) {
  ByteVector image = buildMachO(withEverything(SignatureStyle::Cms));
  Problem problem = refusal(image, {kAdd});
  EXPECT_EQ(problem.code, ErrorCode::ForeignSigned);
  EXPECT_THAT(problem.message, HasSubstr("signed with a certificate"));
  EXPECT_THAT(problem.hint, HasSubstr("--replace-signature"));
  EXPECT_EQ(problemOf(formats::rewrite(image, "libdemo.dylib", signingOnly())).code,
            ErrorCode::ForeignSigned);
}

TEST(ForeignSignature, IsRecognizedEvenIfCorrupt) {
  ByteVector image = buildMachO(withEverything(SignatureStyle::Cms));
  const uint8_t magic[] = {0xfa, 0xde, 0x0c, 0x02};
  auto directory = std::search(image.begin(), image.end(), std::begin(magic), std::end(magic));
  directory[39] = 64; // an invalid page size
  EXPECT_EQ(refusal(image, {kAdd}).code, ErrorCode::ForeignSigned);
}

TEST(ForeignSignature, StaysWhenThereIsNothingToDo) {
  MachOSpec spec = withEverything(SignatureStyle::Cms);
  spec.rpaths = {"/opt/homebrew/lib"};
  EXPECT_TRUE(outcomeOf(buildMachO(spec), asking({kAdd})).rewrite.isIdentity());
}

TEST(ForeignSignature, IsReplacedOnRequest) {
  ByteVector image = buildMachO(withEverything(SignatureStyle::Cms));
  formats::EditRequest request = asking({kAdd});
  request.signing.replaceForeign = true;
  ByteVector result = signedFile(image, request);
  EXPECT_THAT(signatureProblems(result), IsEmpty());
  EXPECT_EQ(sliceOf(result).signature->kind, SignatureKind::AdHoc);
  EXPECT_EQ(sliceOf(result).signature->identifier, "com.example.kept");
  codesign::EmbeddedSignature parsed = parsedFrom(result);
  EXPECT_TRUE(parsed.find(CSSLOT_ENTITLEMENTS)) << "entitlements are kept";
  EXPECT_EQ(parsed.find(CSSLOT_REQUIREMENTS)->bytes.size(), 12u)
      << "requirements refer to the certificate, so they are dropped";
  EXPECT_FALSE(parsed.isCms());
}

TEST(Sign, LeavesAValidSignatureAlone) {
  for (SignatureStyle style :
       {SignatureStyle::AdHoc, SignatureStyle::LinkerSigned, SignatureStyle::TwoDirectories})
    EXPECT_TRUE(outcomeOf(buildMachO(withEverything(style)), signingOnly()).rewrite.isIdentity());
}

// Only an edit removes duplicate search paths: recent macOS refuses them, but `sign` must not
// change the content that is signed.
TEST(Sign, LeavesRepeatedSearchPathsAlone) {
  MachOSpec spec = signedAs(SignatureStyle::AdHoc);
  spec.rpaths = {"/opt/a", "/opt/a"};
  EditOutcome outcome = outcomeOf(buildMachO(spec), signingOnly());
  EXPECT_TRUE(outcome.rewrite.isIdentity());
  EXPECT_THAT(outcome.changes, IsEmpty());

  ByteVector result = signedFile(buildMachO(signedAs(SignatureStyle::None, spec)), signingOnly());
  EXPECT_EQ(sliceOf(result).searchPaths, spec.rpaths);
  EXPECT_THAT(signatureProblems(result), IsEmpty());
  EXPECT_EQ(sliceOf(edited(result, {kAdd})).searchPaths.size(), 2u);
}

} // namespace
} // namespace tcfix::support
