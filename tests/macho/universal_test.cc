// Universal files: every slice that a current macOS loads is edited, the others are kept, and a
// slice that grows moves the later ones to the next aligned offset.

#include "macho/file.h"
#include "support/macho_builder.h"
#include "support/outcomes.h"

#include <gmock/gmock.h>

namespace tcfix::support {
namespace {

using namespace llvm::MachO;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

const Edit kAdd = AddSearchPath{"/opt/homebrew/lib"};

UniversalSlice slice(const Architecture& arch, SignatureStyle style = SignatureStyle::AdHoc,
                     uint32_t type = MH_DYLIB) {
  MachOSpec spec = signedAs(style);
  spec.arch = arch;
  spec.fileType = type;
  return {arch, buildMachO(spec)};
}

Bytes bytesOfSlice(Bytes file, size_t index) {
  macho::FileSlice found = valueOf(macho::read(file)).slices.at(index);
  return file.slice(found.offset, found.size);
}

class EveryTable : public testing::TestWithParam<bool> {
protected:
  UniversalSpec spec(uint64_t gap = 0) const {
    UniversalSpec result;
    result.hasWideTable = GetParam();
    result.gap = gap;
    return result;
  }
};

TEST_P(EveryTable, EachSliceIsEditedLikeAThinFile) {
  std::vector<UniversalSlice> slices = {slice(kX86_64), slice(kArm64),
                                        slice(kArm64e, SignatureStyle::LinkerSigned)};
  ByteVector result = edited(buildUniversal(slices, spec()), {kAdd});
  for (size_t i = 0; i < slices.size(); ++i)
    EXPECT_TRUE(bytesOfSlice(result, i) == Bytes(edited(slices[i].bytes, {kAdd})));
  EXPECT_THAT(signatureProblems(result), IsEmpty());
}

TEST_P(EveryTable, OldArchitecturesAreKeptUntouched) {
  std::vector<UniversalSlice> slices = {slice(kPpc), slice(kArm64), slice(kI386)};
  ByteVector before = buildUniversal(slices, spec());
  EditOutcome outcome = outcomeOf(before, asking({kAdd}));
  ByteVector result = rewritten(outcome.rewrite, before);
  EXPECT_TRUE(bytesOfSlice(result, 0) == Bytes(slices[0].bytes));
  EXPECT_TRUE(bytesOfSlice(result, 2) == Bytes(slices[2].bytes));
  EXPECT_THAT(valueOf(formats::inspect(result)).slices[1].searchPaths,
              ElementsAre("/opt/homebrew/lib"));
  for (const Change& change : outcome.changes)
    EXPECT_EQ(change.arch, "arm64");
}

TEST_P(EveryTable, ASliceThatGrowsMovesTheLaterOnes) {
  // The unsigned arm64 slice gets a signature; with a gap it has the room for it.
  std::vector<UniversalSlice> slices = {slice(kX86_64, SignatureStyle::None),
                                        slice(kArm64, SignatureStyle::None), slice(kPpc),
                                        slice(kX86_64, SignatureStyle::None)};
  slices[3].arch.cpuSubtype = 8; // Haswell: a universal file has no architecture twice
  slices[3].bytes[8] = 8;
  for (uint64_t gap : {0, 0x4000}) {
    UniversalSpec layout = spec(gap);
    layout.alignment = 3; // hardly any room between slices
    ByteVector before = buildUniversal(slices, layout);
    EditOutcome outcome = outcomeOf(before, asking({kAdd}));
    ByteVector after = rewritten(outcome.rewrite, before);
    EXPECT_EQ(outcome.rewrite.moves.empty(), gap > 0);
    std::vector<macho::FileSlice> placed = valueOf(macho::read(after)).slices;
    for (const macho::FileSlice& found : placed)
      EXPECT_EQ(found.offset % 8, 0u);
    EXPECT_TRUE(bytesOfSlice(after, 2) == Bytes(slices[2].bytes)) << "moved, not changed";
    EXPECT_TRUE(bytesOfSlice(after, 3) == Bytes(edited(slices[3].bytes, {kAdd})));
    EXPECT_EQ(after.size(), placed.back().offset + placed.back().size);
    EXPECT_THAT(signatureProblems(after), IsEmpty());
    EXPECT_TRUE(outcomeOf(after, asking({kAdd})).rewrite.isIdentity());
    EXPECT_TRUE(rewritten(reverseOf(outcome.rewrite, before), after) == before);
  }
}

TEST_P(EveryTable, TheTableMayHaveAnotherOrderThanTheSlices) {
  std::vector<UniversalSlice> slices = {slice(kArm64, SignatureStyle::None), slice(kX86_64)};
  ByteVector before = buildUniversal(slices, spec());
  size_t entry = GetParam() ? 32 : 20;
  std::swap_ranges(before.begin() + 8, before.begin() + 8 + entry, before.begin() + 8 + entry);
  ByteVector after = edited(before, {kAdd});
  EXPECT_TRUE(bytesOfSlice(after, 0) == Bytes(edited(slices[1].bytes, {kAdd})));
  EXPECT_TRUE(bytesOfSlice(after, 1) == Bytes(edited(slices[0].bytes, {kAdd})));
}

TEST_P(EveryTable, TheLastSliceMayGrowTheFile) {
  std::vector<UniversalSlice> slices = {slice(kX86_64), slice(kArm64, SignatureStyle::None)};
  ByteVector before = buildUniversal(slices, spec());
  ByteVector after = edited(before, {kAdd});
  EXPECT_GT(after.size(), before.size());
  EXPECT_TRUE(bytesOfSlice(after, 1) == Bytes(edited(slices[1].bytes, {kAdd})));
}

TEST_P(EveryTable, DataAfterTheLastSliceIsNeverOverwritten) {
  std::vector<UniversalSlice> slices = {slice(kX86_64), slice(kArm64, SignatureStyle::None)};
  ByteVector file = buildUniversal(slices, spec());
  file.insert(file.end(), 100, 'x');
  EXPECT_EQ(refusal(file, {kAdd}).code, ErrorCode::Unsupported);
}

INSTANTIATE_TEST_SUITE_P(Universal, EveryTable, testing::Bool(),
                         [](const auto& param) { return param.param ? "Wide" : "Narrow"; });

TEST(Universal, AnErrorNamesItsSlice) {
  MachOSpec tight = signedAs(SignatureStyle::AdHoc);
  tight.headerPadding = 0;
  ByteVector file = buildUniversal({slice(kX86_64), {kArm64, buildMachO(tight)}});
  Problem problem = refusal(file, {kAdd});
  EXPECT_EQ(problem.code, ErrorCode::NoRoom);
  EXPECT_EQ(problem.message.rfind("slice arm64: ", 0), 0u) << problem.message;
}

TEST(Universal, OneIdentifierForAllSlices) {
  // codesign derives it from the slice for Apple silicon.
  MachOSpec other;
  other.arch = kX86_64;
  other.hasUuid = false;
  ByteVector file =
      buildUniversal({{kX86_64, buildMachO(other)}, slice(kArm64, SignatureStyle::None)});
  formats::EditRequest request;
  request.signing.alsoUnsigned = true;
  ByteVector result = rewritten(outcomeOf(file, request).rewrite, file);
  Image image = valueOf(formats::inspect(result));
  for (const Slice& found : image.slices)
    EXPECT_EQ(found.signature->identifier, "libdemo-5555494400112233445566778899aabbccddeeff");
}

TEST(OldArchitectures, AreRefusedAlone) {
  for (const Architecture& arch : {kI386, kPpc}) {
    Problem problem = refusal(slice(arch).bytes, {kAdd});
    EXPECT_EQ(problem.code, ErrorCode::Unsupported);
    EXPECT_THAT(problem.message, testing::HasSubstr("tcfix edits 64-bit"));
    EXPECT_EQ(refusal(buildUniversal({slice(arch)}), {kAdd}).code, ErrorCode::Unsupported);
  }
}

TEST(OtherFileTypes, AreInspectedButNotEdited) {
  MachOSpec spec;
  spec.fileType = MH_DYLIB_STUB;
  EXPECT_EQ(sliceOf(buildMachO(spec)).fileType, "stub library");
  EXPECT_EQ(refusal(buildMachO(spec), {kAdd}).code, ErrorCode::Unsupported);
}

TEST(UnknownLoadCommands, AreKeptUnchanged) {
  MachOSpec spec = signedAs(SignatureStyle::AdHoc);
  spec.otherCommands = {loadCommand(0x7654321, "who knows what this is"),
                        loadCommand(0x5555, "nor this")};
  ByteVector image = buildMachO(spec);
  ByteVector result = edited(image, {kAdd, SetIdentity{"@rpath/another/name.dylib"}});
  std::vector<ByteVector> commands;
  macho::File file = valueOf(macho::read(result));
  for (const macho::LoadCommand& command : file.slices[0].commands)
    commands.push_back(command.bytes);
  for (const ByteVector& unknown : spec.otherCommands)
    EXPECT_THAT(commands, Contains(unknown));
}

} // namespace
} // namespace tcfix::support
