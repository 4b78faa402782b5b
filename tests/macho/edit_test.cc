// Every edit: it changes what it should, and nothing else.

#include "macho/file.h"
#include "support/macho_builder.h"
#include "support/outcomes.h"

#include <gmock/gmock.h>

namespace tcfix::support {
namespace {

using namespace llvm::MachO;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Paths = std::vector<std::string>;

macho::FileSlice parsed(Bytes bytes) {
  return valueOf(macho::read(bytes)).slices.front();
}

std::vector<uint64_t> sizesOf(Bytes bytes, uint32_t kind) {
  std::vector<uint64_t> sizes;
  macho::FileSlice slice = parsed(bytes);
  for (const macho::LoadCommand& command : slice.commands)
    if (command.kind == kind)
      sizes.push_back(command.bytes.size());
  return sizes;
}

std::vector<std::string> dependenciesOf(Bytes bytes) {
  std::vector<std::string> names;
  Slice slice = sliceOf(bytes);
  for (const Dependency& dependency : slice.dependencies)
    names.push_back(dependency.name);
  return names;
}

uint64_t commandsEnd(Bytes bytes) {
  macho::FileSlice slice = parsed(bytes);
  uint64_t end = slice.headerSize();
  for (const macho::LoadCommand& command : slice.commands)
    end += command.bytes.size();
  return end;
}

// The part that no edit may change: from the first section to the signature, or to the end.
Bytes contentOf(Bytes bytes, const MachOSpec& spec) {
  macho::FileSlice slice = parsed(bytes);
  uint64_t begin = commandsEnd(bytes) + spec.headerPadding;
  uint64_t end = bytes.size();
  for (const macho::LoadCommand& command : slice.commands)
    if (command.kind == LC_CODE_SIGNATURE)
      end = macho::commandAs<linkedit_data_command>(slice, command).dataoff;
  return bytes.slice(begin, end - begin);
}

TEST(AddRpath, HasTheSizesThatAppleToolsWrite) {
  ByteVector result =
      edited(buildMachO(signedAs(SignatureStyle::AdHoc)),
             {AddSearchPath{"@loader_path/../../torch/lib"}, AddSearchPath{"/opt/homebrew/lib"}});
  EXPECT_THAT(sizesOf(result, LC_RPATH), ElementsAre(48, 32));
  EXPECT_THAT(sliceOf(result).searchPaths,
              ElementsAre("@loader_path/../../torch/lib", "/opt/homebrew/lib"));
}

TEST(AddRpath, EveryLengthIsTerminatedAndPaddedToEightBytes) {
  ByteVector original = buildMachO(signedAs(SignatureStyle::AdHoc));
  for (size_t length = 1; length <= 40; ++length) {
    std::string path(length, 'x');
    ByteVector result = edited(original, {AddSearchPath{path}});
    EXPECT_THAT(sizesOf(result, LC_RPATH), ElementsAre((12 + length + 1 + 7) / 8 * 8));
    EXPECT_THAT(sliceOf(result).searchPaths, ElementsAre(path));
  }
}

// The strongest check: a linker that was given the path writes exactly the same file.
TEST(AddRpath, MatchesAFileBuiltWithIt) {
  for (const Architecture& arch : {kArm64, kArm64e, kX86_64})
    for (SignatureStyle style :
         {SignatureStyle::AdHoc, SignatureStyle::LinkerSigned, SignatureStyle::TwoDirectories})
      for (uint32_t type : {MH_DYLIB, MH_BUNDLE, MH_EXECUTE}) {
        MachOSpec before = signedAs(style);
        before.arch = arch;
        before.fileType = type;
        MachOSpec after = before;
        after.hasRpathsLast = true;
        after.rpaths = {"@loader_path/../../torch/lib", "/opt/homebrew/lib"};
        after.headerPadding = before.headerPadding - 48 - 32;
        ByteVector result = edited(
            buildMachO(before), {AddSearchPath{after.rpaths[0]}, AddSearchPath{after.rpaths[1]}});
        EXPECT_TRUE(result == buildMachO(after));
      }
}

struct EditCase {
  const char* name;
  Paths before;
  std::vector<Edit> edits;
  Paths after;
};

class RpathEdit : public testing::TestWithParam<EditCase> {
protected:
  MachOSpec spec() const {
    MachOSpec result = signedAs(SignatureStyle::AdHoc);
    result.rpaths = GetParam().before;
    return result;
  }
};

TEST_P(RpathEdit, GivesTheListInOrder) {
  ByteVector result = edited(buildMachO(spec()), GetParam().edits);
  EXPECT_EQ(sliceOf(result).searchPaths, GetParam().after);
  EXPECT_THAT(signatureProblems(result), IsEmpty());
}

TEST_P(RpathEdit, IsIdempotent) {
  ByteVector once = edited(buildMachO(spec()), GetParam().edits);
  EditOutcome twice = outcomeOf(once, asking(GetParam().edits));
  EXPECT_TRUE(twice.rewrite.isIdentity());
  EXPECT_THAT(twice.changes, IsEmpty());
}

TEST_P(RpathEdit, DoesNotChangeTheContent) {
  ByteVector before = buildMachO(spec());
  ByteVector after = edited(before, GetParam().edits);
  ASSERT_EQ(before.size(), after.size());
  Bytes content = contentOf(before, spec());
  uint64_t offset = content.data() - before.data();
  EXPECT_TRUE(content == Bytes(after).slice(offset, content.size()));
}

TEST_P(RpathEdit, LeavesOnlyZerosAfterTheCommands) {
  ByteVector before = buildMachO(spec());
  ByteVector after = edited(before, GetParam().edits);
  uint64_t begin = commandsEnd(after);
  uint64_t end = contentOf(before, spec()).data() - before.data();
  EXPECT_THAT(Bytes(after).slice(begin, end - begin), Each(0));
}

TEST_P(RpathEdit, CanBeUndone) {
  ByteVector before = buildMachO(spec());
  EditOutcome outcome = outcomeOf(before, asking(GetParam().edits));
  Rewrite back = reverseOf(outcome.rewrite, before);
  EXPECT_TRUE(rewritten(back, rewritten(outcome.rewrite, before)) == before);
}

INSTANTIATE_TEST_SUITE_P(
    Edit, RpathEdit,
    testing::Values(
        EditCase{"AddToNone", {}, {AddSearchPath{"/a"}}, {"/a"}},
        EditCase{"AddAtTheEnd", {"/a"}, {AddSearchPath{"/b"}}, {"/a", "/b"}},
        EditCase{"AddWhatIsThere", {"/a", "/b"}, {AddSearchPath{"/a"}}, {"/a", "/b"}},
        EditCase{"AddAtTheFront", {"/a"}, {AddSearchPath{"/long/b", true}}, {"/long/b", "/a"}},
        EditCase{"MoveToTheFront", {"/a", "/b"}, {AddSearchPath{"/b", true}}, {"/b", "/a"}},
        EditCase{"Remove", {"/a", "/b", "/c"}, {RemoveSearchPath{"/b"}}, {"/a", "/c"}},
        EditCase{"RemoveAll", {"/a"}, {RemoveSearchPath{"/a"}}, {}},
        EditCase{"RemoveNone", {"/a"}, {RemoveSearchPath{"/x"}}, {"/a"}},
        EditCase{"ReplaceByLonger",
                 {"/a", "/b"},
                 {ReplaceSearchPath{"/a", "@loader_path/../torch/lib"}},
                 {"@loader_path/../torch/lib", "/b"}},
        EditCase{"ReplaceByShorter",
                 {"@loader_path/../torch/lib", "/b"},
                 {ReplaceSearchPath{"@loader_path/../torch/lib", "/a"}},
                 {"/a", "/b"}},
        EditCase{"Dedupe", {"/a", "/b", "/a", "/a"}, {AddSearchPath{"/b"}}, {"/a", "/b"}},
        EditCase{"Mixed",
                 {"/a", "/b"},
                 {AddSearchPath{"/c"}, RemoveSearchPath{"/a"}, AddSearchPath{"/d", true}},
                 {"/d", "/b", "/c"}},
        EditCase{"NonAscii", {"/a"}, {AddSearchPath{"/Ünïcode 路径"}}, {"/a", "/Ünïcode 路径"}}),
    [](const auto& param) { return param.param.name; });

TEST(Edit, AnUnchangedPathKeepsItsCommand) {
  MachOSpec spec = signedAs(SignatureStyle::AdHoc);
  ByteVector kept =
      loadCommand(LC_RPATH, llvm::StringRef("\x0c\0\0\0/a\0\0\0\0\0\0\0\0\0\0\0", 17));
  spec.otherCommands = {kept}; // with more padding than necessary
  ByteVector result = edited(buildMachO(spec), {AddSearchPath{"/b"}});
  EXPECT_THAT(sizesOf(result, LC_RPATH), ElementsAre(kept.size(), 16));
}

class EveryDependencyKind : public testing::TestWithParam<uint32_t> {};

TEST_P(EveryDependencyKind, CanBeRenamedInPlace) {
  MachOSpec spec = signedAs(SignatureStyle::AdHoc);
  spec.dependencies = {{"/usr/lib/libSystem.B.dylib"}, {"@rpath/libx.dylib", GetParam()}, {"/z"}};
  for (const char* name : {"/x", "/opt/homebrew/opt/ffmpeg@7/lib/libx.1.dylib"}) {
    ByteVector original = buildMachO(spec);
    ByteVector result = edited(original, {RenameDependency{"@rpath/libx.dylib", name}});
    EXPECT_THAT(dependenciesOf(result), ElementsAre("/usr/lib/libSystem.B.dylib", name, "/z"));
    EXPECT_EQ(sliceOf(result).dependencies[1].kind, sliceOf(original).dependencies[1].kind);
    EXPECT_THAT(signatureProblems(result), IsEmpty());
    MachOSpec twin = spec;
    twin.dependencies[1].name = name;
    twin.headerPadding += commandsEnd(original) - commandsEnd(result);
    EXPECT_TRUE(result == buildMachO(twin)) << "versions and timestamp stay";
  }
}

INSTANTIATE_TEST_SUITE_P(Edit, EveryDependencyKind,
                         testing::Values(LC_LOAD_DYLIB, LC_LOAD_WEAK_DYLIB, LC_REEXPORT_DYLIB,
                                         LC_LOAD_UPWARD_DYLIB, LC_LAZY_LOAD_DYLIB),
                         [](const auto& param) { return macho::kindName(param.param); });

TEST(RenameDependency, IsIdempotent) {
  std::vector<Edit> edits = {RenameDependency{"/usr/lib/libSystem.B.dylib", "/b"}};
  ByteVector once = edited(buildMachO(signedAs(SignatureStyle::AdHoc)), edits);
  EditOutcome twice = outcomeOf(once, asking(edits));
  EXPECT_TRUE(twice.rewrite.isIdentity());
  EXPECT_THAT(twice.warnings, IsEmpty()) << "nothing to change";
}

TEST(RenameDependency, OfAMissingDependencyWarnsAndChangesNothing) {
  EditOutcome outcome = outcomeOf(buildMachO(signedAs(SignatureStyle::AdHoc)),
                                  asking({RenameDependency{"/nowhere", "/b"}}));
  EXPECT_TRUE(outcome.rewrite.isIdentity());
  EXPECT_THAT(outcome.warnings, ElementsAre(HasSubstr("/nowhere")));
}

TEST(RenameDependency, NeverCreatesADuplicate) {
  MachOSpec spec = signedAs(SignatureStyle::AdHoc);
  spec.dependencies = {{"/a"}, {"/b", LC_LOAD_WEAK_DYLIB}, {"/c"}};
  ByteVector image = buildMachO(spec);
  EXPECT_EQ(refusal(image, {RenameDependency{"/a", "/b"}}).code, ErrorCode::Conflict);
  EXPECT_EQ(refusal(image, {RenameDependency{"/a", "/x"}, RenameDependency{"/c", "/x"}}).code,
            ErrorCode::Conflict);
}

TEST(RenameDependency, NamesCanBeSwapped) {
  MachOSpec spec = signedAs(SignatureStyle::AdHoc);
  spec.dependencies = {{"/a"}, {"/b"}};
  ByteVector result =
      edited(buildMachO(spec), {RenameDependency{"/a", "/t"}, RenameDependency{"/b", "/a"},
                                RenameDependency{"/t", "/b"}});
  EXPECT_THAT(dependenciesOf(result), ElementsAre("/b", "/a"));
}

TEST(SetIdentity, ChangesTheInstallNameAndNothingElse) {
  MachOSpec spec = signedAs(SignatureStyle::AdHoc);
  for (const char* name : {"/x", "@rpath/a/much/longer/name/than/before.dylib"}) {
    std::vector<Edit> edits = {SetIdentity{name}};
    ByteVector once = edited(buildMachO(spec), edits);
    MachOSpec twin = spec;
    twin.id = name;
    twin.headerPadding += commandsEnd(buildMachO(spec)) - commandsEnd(once);
    EXPECT_TRUE(once == buildMachO(twin));
    EXPECT_TRUE(outcomeOf(once, asking(edits)).rewrite.isIdentity());
  }
}

TEST(SetIdentity, IsForSharedLibrariesOnly) {
  for (uint32_t type : {MH_BUNDLE, MH_EXECUTE}) {
    MachOSpec spec;
    spec.fileType = type;
    EXPECT_EQ(refusal(buildMachO(spec), {SetIdentity{"/x"}}).code, ErrorCode::Unsupported);
  }
}

TEST(Edit, UnsupportedEditsAreRefused) {
  ByteVector image = buildMachO(signedAs(SignatureStyle::AdHoc));
  for (const Edit& edit :
       std::vector<Edit>{AddDependency{"/x"}, RemoveDependency{"/usr/lib/libSystem.B.dylib"},
                         SetSearchPathKind{SearchPathKind::Rpath}, DelayDependency{"x.dll"},
                         UndelayDependency{"x.dll"}})
    EXPECT_EQ(refusal(image, {edit}).code, ErrorCode::Unsupported);
  EXPECT_TRUE(outcomeOf(image, asking({RemoveDependency{"/absent"}})).rewrite.isIdentity());
}

} // namespace
} // namespace tcfix::support
