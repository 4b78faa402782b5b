// The results of edits on tiny images of all four flavors.
#include "elf/elf.h"

#include "base/error.h"
#include "support/elf_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tcfix {
namespace {

using test::buildElf;
using test::ElfImage;
using test::ElfSpec;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Names = std::vector<std::string>;

struct Flavor {
  const char* name;
  bool is64, isLittle;
  uint16_t machine;
};

Slice inspected(Bytes bytes, bool withSymbols = false) {
  llvm::Expected<Image> image = elf::inspect(bytes, withSymbols);
  if (!image) {
    ADD_FAILURE() << toProblem(image.takeError(), {}).message;
    return {};
  }
  return image->slices.at(0);
}

Names dependenciesOf(const Slice& slice) {
  Names names;
  for (const Dependency& dependency : slice.dependencies)
    names.push_back(dependency.name);
  return names;
}

/// Edits, and checks every result: it is valid, a second run changes nothing, and undo restores the
/// original bytes.
ByteVector edited(Bytes original, const std::vector<Edit>& edits, EditOutcome* given = nullptr) {
  llvm::Expected<EditOutcome> outcome = elf::rewrite(original, edits);
  if (!outcome) {
    ADD_FAILURE() << toProblem(outcome.takeError(), {}).message;
    return {};
  }
  ByteVector result = rewritten(outcome->rewrite, original);
  EXPECT_THAT(elf::check(result), IsEmpty());
  EXPECT_EQ(rewritten(reverseOf(outcome->rewrite, original), result),
            ByteVector(original.begin(), original.end()));
  EXPECT_EQ(outcome->changes.empty(), outcome->rewrite.isIdentity());
  llvm::Expected<EditOutcome> again = elf::rewrite(result, edits);
  EXPECT_TRUE(bool(again)) << toProblem(again.takeError(), {}).message;
  EXPECT_TRUE(again->rewrite.isIdentity());
  EXPECT_THAT(again->changes, IsEmpty());
  if (given)
    *given = std::move(*outcome);
  return result;
}

Problem refused(Bytes original, const std::vector<Edit>& edits) {
  llvm::Expected<EditOutcome> outcome = elf::rewrite(original, edits);
  if (outcome) {
    ADD_FAILURE() << "not refused";
    return {};
  }
  return toProblem(outcome.takeError(), {});
}

const std::string kLong = "/a/folder/that/does/not/fit/anywhere/in/the/old/string/table";

class AnyFlavor : public testing::TestWithParam<Flavor> {
protected:
  ElfSpec spec() const {
    ElfSpec wanted;
    wanted.is64 = GetParam().is64;
    wanted.isLittle = GetParam().isLittle;
    wanted.machine = GetParam().machine;
    return wanted;
  }
};

TEST_P(AnyFlavor, IsInspected) {
  ElfSpec wanted = spec();
  wanted.runpath = "$ORIGIN:/opt/lib";
  Slice slice = inspected(buildElf(wanted).bytes, true);
  EXPECT_EQ(slice.identity, "libtiny.so");
  EXPECT_THAT(dependenciesOf(slice), ElementsAre("libone.so", "libc.so.6"));
  EXPECT_THAT(slice.searchPaths, ElementsAre("$ORIGIN", "/opt/lib"));
  EXPECT_EQ(slice.searchPathKind, SearchPathKind::Runpath);
  ASSERT_EQ(slice.imports.size(), 2u);
  EXPECT_EQ(slice.imports[0].name, "tiny_import");
}

TEST_P(AnyFlavor, GetsASegmentForANewSearchPath) {
  ElfImage image = buildElf(spec());
  EditOutcome outcome;
  ByteVector result = edited(image.bytes, {AddSearchPath{kLong}}, &outcome);
  Slice slice = inspected(result);
  EXPECT_THAT(slice.searchPaths, ElementsAre(kLong));
  EXPECT_EQ(slice.searchPathKind, SearchPathKind::Runpath);
  EXPECT_THAT(dependenciesOf(slice), ElementsAre("libone.so", "libc.so.6"));
  EXPECT_LE(bytesChanged(outcome.rewrite), 100u);
}

TEST_P(AnyFlavor, SecondEditReusesTheTail) {
  ByteVector once = edited(buildElf(spec()).bytes, {AddSearchPath{kLong}});
  ByteVector twice = edited(once, {AddSearchPath{"/more"}});
  EXPECT_EQ(twice.size(), once.size() + 6) << "only :/more is new";
  ByteVector shorter = edited(twice, {RemoveSearchPath{kLong}});
  EXPECT_EQ(shorter.size(), twice.size());
  EXPECT_THAT(inspected(shorter).searchPaths, ElementsAre("/more"));
}

TEST_P(AnyFlavor, EveryEditAtOnce) {
  ElfSpec wanted = spec();
  wanted.runpath = "/old:/other";
  ByteVector result =
      edited(buildElf(wanted).bytes,
             {ReplaceSearchPath{"/old", kLong}, AddSearchPath{"/first", true},
              RenameDependency{"libc.so.6", "libc-hashed.so.6"}, AddDependency{"libadded.so"},
              SetIdentity{"libnamed.so.1"}, SetSearchPathKind{SearchPathKind::Rpath}});
  Slice slice = inspected(result, true);
  EXPECT_THAT(slice.searchPaths, ElementsAre("/first", kLong, "/other"));
  EXPECT_EQ(slice.searchPathKind, SearchPathKind::Rpath);
  EXPECT_THAT(dependenciesOf(slice), ElementsAre("libone.so", "libc-hashed.so.6", "libadded.so"));
  EXPECT_EQ(slice.identity, "libnamed.so.1");
}

TEST_P(AnyFlavor, WithoutSectionHeaders) {
  ElfSpec wanted = spec();
  wanted.hasSections = false;
  Slice slice = inspected(edited(buildElf(wanted).bytes, {AddSearchPath{kLong}}));
  EXPECT_THAT(slice.searchPaths, ElementsAre(kLong));
}

TEST_P(AnyFlavor, WithoutANoteTheHeadersGrow) {
  for (unsigned room : {0u, 64u}) {
    ElfSpec wanted = spec();
    wanted.hasNote = false;
    wanted.roomAfterHeaders = room;
    ElfImage image = buildElf(wanted);
    ByteVector result = edited(image.bytes, {AddSearchPath{kLong}});
    EXPECT_THAT(inspected(result, true).searchPaths, ElementsAre(kLong));
    EXPECT_EQ(inspected(result, true).imports.size(), 2u);
  }
}

TEST_P(AnyFlavor, WithoutSpareSlotsTheDynamicSectionMoves) {
  ElfSpec wanted = spec();
  wanted.spareSlots = 0;
  ElfImage image = buildElf(wanted);
  ByteVector result = edited(image.bytes, {AddSearchPath{kLong}, AddDependency{"libnew.so"}});
  EXPECT_THAT(inspected(result).searchPaths, ElementsAre(kLong));
  ByteVector more = edited(result, {AddDependency{"libc.so.6"}, AddDependency{"x.so"}});
  EXPECT_THAT(dependenciesOf(inspected(more)),
              ElementsAre("libone.so", "libc.so.6", "libnew.so", "x.so"));
}

INSTANTIATE_TEST_SUITE_P(Flavors, AnyFlavor,
                         testing::Values(Flavor{"Elf64Little", true, true, 62},
                                         Flavor{"Elf64Big", true, false, 21},
                                         Flavor{"Elf32Little", false, true, 3},
                                         Flavor{"Elf32Big", false, false, 20}),
                         [](const auto& param) { return param.param.name; });

TEST(ElfLayout, InPlaceIfTheNewStringFits) {
  ElfSpec spec;
  spec.runpath = "/quite/a/long/search/path";
  EditOutcome outcome;
  ElfImage image = buildElf(spec);
  edited(image.bytes, {ReplaceSearchPath{spec.runpath, "/short"}}, &outcome);
  EXPECT_EQ(outcome.rewrite.newSize, image.bytes.size());
  EXPECT_LE(bytesChanged(outcome.rewrite), 7u);
}

TEST(ElfLayout, UnusedBytesOfTheTableAreFree) {
  ElfSpec spec;
  spec.deadBytes = 100;
  EditOutcome outcome;
  ElfImage image = buildElf(spec);
  edited(image.bytes, {AddSearchPath{kLong}}, &outcome);
  EXPECT_EQ(outcome.rewrite.newSize, image.bytes.size());
  EXPECT_LE(bytesChanged(outcome.rewrite), kLong.size() + 4);
}

TEST(ElfLayout, UnknownReferencesKeepEveryByte) {
  ElfSpec spec;
  spec.deadBytes = 100;
  spec.moreEntries = {{0x6000000d, 1}}; // DT_SUNW_AUXILIARY, a string
  EditOutcome outcome;
  ElfImage image = buildElf(spec);
  edited(image.bytes, {AddSearchPath{kLong}}, &outcome);
  EXPECT_GT(outcome.rewrite.newSize, image.bytes.size());
}

TEST(ElfLayout, ASharedStringIsNotOverwritten) {
  ElfSpec spec;
  spec.runpath = "/opt/lib";
  spec.symbols = {"/opt/lib"}; // shares the run path's bytes
  ByteVector result = edited(buildElf(spec).bytes, {ReplaceSearchPath{"/opt/lib", "/a"}});
  Slice slice = inspected(result, true);
  ASSERT_EQ(slice.imports.size(), 1u);
  EXPECT_EQ(slice.imports[0].name, "/opt/lib");
  EXPECT_THAT(slice.searchPaths, ElementsAre("/a"));
}

TEST(ElfLayout, AnExistingStringNeedsNoRoom) {
  ElfSpec spec;
  EditOutcome outcome;
  edited(buildElf(spec).bytes, {AddDependency{"tiny.so"}}, &outcome); // the end of libtiny.so
  EXPECT_EQ(outcome.rewrite.newSize, outcome.rewrite.oldSize);
  EXPECT_LE(bytesChanged(outcome.rewrite), 3u);
}

TEST(ElfLayout, AnUnusedProgramHeaderIsPreferredToANote) {
  ElfSpec spec;
  spec.hasNullSegment = true;
  ElfImage image = buildElf(spec);
  ByteVector result = edited(image.bytes, {AddSearchPath{kLong}});
  ElfImage after{spec, result, image.fields};
  EXPECT_EQ(after.get("NOTE.p_type"), 4u);
  EXPECT_EQ(after.get("NULL.p_type"), 1u);
}

TEST(ElfLayout, AlignmentOfTheFileIsKept) {
  for (uint64_t align : {0x1000, 0x10000, 0x200000}) {
    ElfSpec spec;
    spec.machine = 183; // aarch64: pages of up to 64 kB
    spec.align = align;
    ElfImage image = buildElf(spec);
    ByteVector result = edited(image.bytes, {AddSearchPath{kLong}});
    ElfImage after{spec, result, image.fields};
    uint64_t kept = std::max<uint64_t>(align, 0x10000);
    EXPECT_EQ(after.get("NOTE.p_align"), kept);
    EXPECT_EQ((after.get("NOTE.p_vaddr") - after.get("NOTE.p_offset")) % kept, 0u);
    EXPECT_LE(result.size(), image.bytes.size() + 8 + image.get("DT_STRSZ") + kLong.size() + 1);
  }
}

// Loaders map whole pages: a segment whose offset does not match a larger alignment still loads.
TEST(ElfLayout, AddressAndOffsetMayDifferModuloTheAlignment) {
  ElfSpec spec;
  spec.base = 0x1000;
  ElfImage image = buildElf(spec);
  ByteVector result = edited(image.with("LOAD1.p_align", 0x200000), {AddSearchPath{kLong}});
  EXPECT_THAT(inspected(result).searchPaths, ElementsAre(kLong));
}

TEST(ElfLayout, AProgramKeepsItsAddresses) {
  ElfSpec spec;
  spec.type = 2; // ET_EXEC
  spec.base = 0x400000;
  spec.hasInterp = true;
  spec.hasNote = false;
  ElfImage image = buildElf(spec);
  ByteVector result = edited(image.bytes, {AddSearchPath{kLong}});
  EXPECT_THAT(inspected(result).searchPaths, ElementsAre(kLong));
  EXPECT_THAT(
      inspected(result).details,
      testing::Contains(std::make_pair(std::string("interpreter"), std::string("/lib/ld.so"))));
}

TEST(ElfEdit, RenameAlsoRenamesTheVersions) {
  ElfImage image = buildElf();
  ByteVector result = edited(image.bytes, {RenameDependency{"libc.so.6", "libc-9.so"}});
  Slice slice = inspected(result);
  EXPECT_THAT(slice.details,
              testing::Contains(std::make_pair(std::string("versions"),
                                               std::string("libc-9.so: GLIBC_2.2.5, GLIBC_2.14"))));
}

TEST(ElfEdit, RenameRepairsVersionsWithTheOldName) {
  ElfSpec spec;
  spec.needed = {"libc-9.so"};
  ElfImage image = buildElf(spec);
  EXPECT_THAT(elf::check(image.bytes), ElementsAre(HasSubstr("symbol versions of libc.so.6")));
  ByteVector result = edited(image.bytes, {RenameDependency{"libc.so.6", "libc-9.so"}});
  EXPECT_THAT(elf::check(result), IsEmpty());
}

TEST(ElfEdit, RenameToAnExistingDependencyRemovesOne) {
  ByteVector result = edited(buildElf().bytes, {RenameDependency{"libone.so", "libc.so.6"}});
  EXPECT_THAT(dependenciesOf(inspected(result)), ElementsAre("libc.so.6"));
}

TEST(ElfEdit, EditsThatCancelOutChangeNothing) {
  for (const std::vector<Edit>& edits : std::vector<std::vector<Edit>>{
           {RenameDependency{"libone.so", "x"}, RenameDependency{"x", "libone.so"}},
           {RemoveDependency{"libone.so"}, AddDependency{"libone.so"}},
           {AddDependency{"new.so"}, RemoveDependency{"new.so"}},
           {SetIdentity{"other"}, SetIdentity{"libtiny.so"}},
           {AddSearchPath{"/a"}, RemoveSearchPath{"/a"}},
           {RemoveSearchPath{"/absent"}},
           {SetSearchPathKind{SearchPathKind::Rpath}}}) {
    EditOutcome outcome;
    edited(buildElf().bytes, edits, &outcome);
    EXPECT_TRUE(outcome.rewrite.isIdentity());
  }
}

TEST(ElfEdit, RemovingADependencyKeepsTheOrderOfOthers) {
  ElfSpec spec;
  spec.needed = {"a.so", "b.so", "c.so", "libc.so.6"};
  ByteVector result = edited(buildElf(spec).bytes, {RemoveDependency{"b.so"}});
  EXPECT_THAT(dependenciesOf(inspected(result)), ElementsAre("a.so", "c.so", "libc.so.6"));
}

TEST(ElfEdit, BothTagsAreReportedAndOneIsRemoved) {
  ElfSpec spec;
  spec.rpath = "/ignored";
  spec.runpath = "/counts";
  ElfImage image = buildElf(spec);
  EXPECT_THAT(elf::check(image.bytes), ElementsAre(HasSubstr("both DT_RPATH and DT_RUNPATH")));
  EditOutcome outcome;
  ByteVector result = edited(image.bytes, {AddSearchPath{"/new"}}, &outcome);
  EXPECT_THAT(inspected(result).searchPaths, ElementsAre("/counts", "/new"));
  EXPECT_EQ(inspected(result).searchPathKind, SearchPathKind::Runpath);
  EXPECT_THAT(outcome.warnings, ElementsAre(HasSubstr("the other was removed")));
  EXPECT_EQ(outcome.changes.size(), 2u);
}

TEST(ElfEdit, KindIsKeptByDefault) {
  ElfSpec spec;
  spec.rpath = "/a";
  ByteVector result = edited(buildElf(spec).bytes, {AddSearchPath{"/b"}});
  EXPECT_EQ(inspected(result).searchPathKind, SearchPathKind::Rpath);
  EditOutcome outcome;
  result = edited(result, {SetSearchPathKind{SearchPathKind::Runpath}}, &outcome);
  EXPECT_EQ(inspected(result).searchPathKind, SearchPathKind::Runpath);
  EXPECT_EQ(bytesChanged(outcome.rewrite), 1u) << "only the tag";
}

TEST(ElfEdit, RemovingTheLastSearchPathRemovesItsTag) {
  ElfSpec spec;
  spec.runpath = "/a";
  ByteVector result = edited(buildElf(spec).bytes, {RemoveSearchPath{"/a"}});
  EXPECT_EQ(inspected(result).searchPathKind, std::nullopt);
}

TEST(ElfEdit, DuplicateSearchPathsAreRemovedByAnyEdit) {
  ElfSpec spec;
  spec.runpath = "/a:/b:/a";
  ByteVector result = edited(buildElf(spec).bytes, {SetIdentity{"x.so"}});
  EXPECT_THAT(inspected(result).searchPaths, ElementsAre("/a", "/b"));
}

TEST(ElfEdit, TokensAreEqualInEitherSpelling) {
  ElfSpec spec;
  spec.runpath = "$ORIGIN/../lib:${LIB}x";
  EditOutcome outcome;
  edited(buildElf(spec).bytes, {AddSearchPath{"${ORIGIN}/../lib"}}, &outcome);
  EXPECT_TRUE(outcome.rewrite.isIdentity());
  ByteVector result = edited(buildElf(spec).bytes, {RemoveSearchPath{"${ORIGIN}/../lib"}});
  EXPECT_THAT(inspected(result).searchPaths, ElementsAre("${LIB}x"));
  result = edited(buildElf(spec).bytes, {AddSearchPath{"$LIBx"}});
  EXPECT_EQ(inspected(result).searchPaths.size(), 3u) << "$LIBx is not ${LIB}x";
}

TEST(ElfEdit, RefusesInvalidValues) {
  ElfImage image = buildElf();
  EXPECT_EQ(refused(image.bytes, {AddSearchPath{"/a:/b"}}).code, ErrorCode::Usage);
  EXPECT_EQ(refused(image.bytes, {DelayDependency{"x"}}).code, ErrorCode::Unsupported);
  EXPECT_EQ(refused(image.bytes, {UndelayDependency{"x"}}).code, ErrorCode::Unsupported);
  EXPECT_EQ(refused(image.bytes, {RemoveDependency{"libc.so.6"}}).code, ErrorCode::Conflict);
  ElfSpec program;
  program.type = 2;
  EXPECT_EQ(refused(buildElf(program).bytes, {SetIdentity{"x"}}).code, ErrorCode::Unsupported);
}

TEST(ElfEdit, RefusesWithoutRoom) {
  ElfSpec spec;
  spec.hasNote = false;
  spec.hasSections = false;
  Problem problem = refused(buildElf(spec).bytes, {AddSearchPath{kLong}});
  EXPECT_EQ(problem.code, ErrorCode::NoRoom);
  EXPECT_FALSE(problem.hint.empty());
}

TEST(ElfEdit, ARelativeEntryIsUpdatedWithTheDynamicSection) {
  ElfSpec spec;
  spec.is64 = false;
  spec.isLittle = false;
  spec.machine = 8; // MIPS
  spec.spareSlots = 0;
  spec.moreEntries = {{0x70000035, 0x100}}; // DT_MIPS_RLD_MAP_REL
  ElfImage image = buildElf(spec);
  ByteVector result = edited(image.bytes, {AddDependency{"x.so"}});
  ElfImage after{spec, result, image.fields};
  uint64_t moved = after.get("DYNAMIC.p_vaddr") - image.get("DYNAMIC.p_vaddr");
  uint64_t at =
      after.get("DYNAMIC.p_offset") + image.field("more0").offset - image.get("DYNAMIC.p_offset");
  uint32_t value = result[at] << 24 | result[at + 1] << 16 | result[at + 2] << 8 | result[at + 3];
  EXPECT_EQ(value, uint32_t(0x100 - moved));
}

} // namespace
} // namespace tcfix
