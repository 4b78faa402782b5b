// check() implements the loader's rules: a valid image breaks none, and each violation is reported.

#include "macho/check.h"
#include "support/macho_builder.h"
#include "support/outcomes.h"

#include <gmock/gmock.h>
#include <llvm/Support/Endian.h>

namespace tcfix::support {
namespace {

using namespace llvm::MachO;
using llvm::support::endian::read32le;
using llvm::support::endian::write32le;
using llvm::support::endian::write64le;
using macho::LoadCommand;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Commands = std::vector<LoadCommand>;

MachOSpec goodSpec() {
  MachOSpec spec = signedAs(SignatureStyle::AdHoc);
  spec.dependencies = {{"/usr/lib/libSystem.B.dylib"}, {"@rpath/liba.dylib"}};
  spec.rpaths = {"/opt/a", "/opt/b"};
  return spec;
}

LoadCommand& first(Commands& commands, uint32_t kind) {
  return *std::find_if(commands.begin(), commands.end(),
                       [&](const LoadCommand& command) { return command.kind == kind; });
}

void removeAll(Commands& commands, uint32_t kind) {
  std::erase_if(commands, [&](const LoadCommand& command) { return command.kind == kind; });
}

void repeat(Commands& commands, uint32_t kind) {
  commands.push_back(first(commands, kind));
}

LoadCommand& segment(Commands& commands, const char* name) {
  return *std::find_if(commands.begin(), commands.end(), [&](const LoadCommand& command) {
    return command.kind == LC_SEGMENT_64 && macho::stringAt(command, 8) == name;
  });
}

// Fields of segment_command_64.
constexpr size_t kName = 8, kAddress = 24, kMemorySize = 32, kFileOffset = 40, kFileSize = 48;

void set64(LoadCommand& command, size_t offset, uint64_t value) {
  write64le(&command.bytes[offset], value);
}
void set32(LoadCommand& command, size_t offset, uint32_t value) {
  write32le(&command.bytes[offset], value);
}

struct Violation {
  const char* name;
  void (*commit)(Commands& commands);
  const char* problem;
};

class Check : public testing::TestWithParam<Violation> {};

TEST_P(Check, NamesTheBrokenRule) {
  ByteVector image = buildMachO(goodSpec());
  macho::FileSlice slice = valueOf(macho::read(image)).slices.front();
  Commands commands = slice.commands;
  GetParam().commit(commands);
  EXPECT_THAT(macho::check(slice, commands, slice.size), Contains(HasSubstr(GetParam().problem)));
}

INSTANTIATE_TEST_SUITE_P(
    Commands, Check,
    testing::Values(
        Violation{"WrongOwnSize", [](Commands& c) { set32(first(c, LC_UUID), 4, 32); },
                  "LC_UUID does not match its own header"},
        Violation{"WrongOwnKind", [](Commands& c) { set32(first(c, LC_UUID), 0, LC_RPATH); },
                  "LC_UUID does not match its own header"},
        Violation{"OddSize", [](Commands& c) { first(c, LC_UUID).bytes.resize(28); },
                  "LC_UUID: size is not a multiple of 8"},
        Violation{"TextBeforeItsPlace", [](Commands& c) { set32(first(c, LC_RPATH), 8, 8); },
                  "LC_RPATH: string is out of bounds"},
        Violation{"TextBehindTheCommand",
                  [](Commands& c) { set32(first(c, LC_LOAD_DYLIB), 8, 4096); },
                  "LC_LOAD_DYLIB: string is out of bounds"},
        Violation{"TextWithoutEnd",
                  [](Commands& c) {
                    ByteVector& bytes = first(c, LC_RPATH).bytes;
                    std::fill(bytes.begin() + 12, bytes.end(), 'x');
                  },
                  "LC_RPATH: string is not terminated"},
        Violation{"RpathTwice", [](Commands& c) { repeat(c, LC_RPATH); },
                  "duplicate LC_RPATH /opt/a"},
        Violation{"DependencyTwice", [](Commands& c) { repeat(c, LC_LOAD_DYLIB); },
                  "duplicate dependency /usr/lib/libSystem.B.dylib"},
        Violation{"NoDependency", [](Commands& c) { removeAll(c, LC_LOAD_DYLIB); },
                  "no dependencies"},
        Violation{"UuidTwice", [](Commands& c) { repeat(c, LC_UUID); }, "more than one LC_UUID"},
        Violation{"SymtabTwice", [](Commands& c) { repeat(c, LC_SYMTAB); },
                  "more than one LC_SYMTAB"},
        Violation{"SignatureTwice", [](Commands& c) { repeat(c, LC_CODE_SIGNATURE); },
                  "more than one LC_CODE_SIGNATURE"},
        Violation{"IdTwice", [](Commands& c) { repeat(c, LC_ID_DYLIB); },
                  "exactly one LC_ID_DYLIB"},
        Violation{"NoId", [](Commands& c) { removeAll(c, LC_ID_DYLIB); },
                  "exactly one LC_ID_DYLIB"}),
    [](const auto& param) { return param.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Segments, Check,
    testing::Values(
        Violation{"EndsAfterTheFile",
                  [](Commands& c) { set64(segment(c, "__LINKEDIT"), kFileSize, 0x10000000); },
                  "segment __LINKEDIT extends past the end of the file"},
        Violation{"OffsetWraps",
                  [](Commands& c) { set64(segment(c, "__DATA"), kFileOffset, UINT64_MAX - 8); },
                  "segment __DATA extends past the end of the file"},
        Violation{"LargerInTheFile",
                  [](Commands& c) { set64(segment(c, "__DATA"), kMemorySize, 16); },
                  "segment __DATA is larger in the file than in memory"},
        Violation{"AddressWraps",
                  [](Commands& c) { set64(segment(c, "__DATA"), kAddress, UINT64_MAX - 8); },
                  "segment __DATA wraps around the address space"},
        Violation{"TextElsewhere",
                  [](Commands& c) { set64(segment(c, "__TEXT"), kFileOffset, 0x1000); },
                  "segment __TEXT does not start at the beginning of the file"},
        Violation{"NoText", [](Commands& c) { segment(c, "__TEXT").bytes[kName] = 'x'; },
                  "no segment __TEXT"},
        Violation{"SegmentTwice", [](Commands& c) { c.push_back(segment(c, "__DATA")); },
                  "duplicate segment __DATA"},
        Violation{"OverlapInMemory",
                  [](Commands& c) { set64(segment(c, "__LINKEDIT"), kAddress, 0x4000); },
                  "segments __TEXT and __LINKEDIT overlap in memory"},
        Violation{"OverlapInTheFile",
                  [](Commands& c) { set64(segment(c, "__DATA"), kFileOffset, 0x4000); },
                  "segments __TEXT and __DATA overlap in the file"},
        Violation{"CommandsOverCode",
                  [](Commands& c) {
                    LoadCommand big = first(c, LC_UUID);
                    big.bytes.resize(1024);
                    c.push_back(big);
                  },
                  "the load commands overlap section __text"},
        Violation{"CommandsOverText",
                  [](Commands& c) {
                    LoadCommand big = first(c, LC_UUID);
                    big.bytes.resize(0x10000);
                    c.push_back(big);
                  },
                  "the load commands do not fit in __TEXT"},
        Violation{"SignatureAfterTheFile",
                  [](Commands& c) { set32(first(c, LC_CODE_SIGNATURE), 12, 0x10000000); },
                  "the code signature extends past the end of the file"},
        Violation{"SignatureOutsideLinkedit",
                  [](Commands& c) { set32(first(c, LC_CODE_SIGNATURE), 8, 0x1000); },
                  "the code signature is outside __LINKEDIT"},
        Violation{"SignatureWithoutLinkedit",
                  [](Commands& c) { segment(c, "__LINKEDIT").bytes[kName] = 'x'; },
                  "there is a code signature, but no segment __LINKEDIT"}),
    [](const auto& param) { return param.param.name; });

TEST(Check, FindsNothingInAGoodImage) {
  for (const Architecture& arch : {kArm64, kArm64e, kX86_64})
    for (uint32_t type : {MH_DYLIB, MH_BUNDLE, MH_EXECUTE}) {
      MachOSpec spec = goodSpec();
      spec.arch = arch;
      spec.fileType = type;
      ByteVector image = buildMachO(spec);
      macho::FileSlice slice = valueOf(macho::read(image)).slices.front();
      EXPECT_THAT(macho::check(slice, slice.commands, slice.size), IsEmpty());
    }
}

TEST(Check, OnlyASharedLibraryMayHaveAnId) {
  MachOSpec spec = goodSpec();
  ByteVector library = buildMachO(spec);
  spec.fileType = MH_BUNDLE;
  ByteVector bundle = buildMachO(spec);
  macho::FileSlice slice = valueOf(macho::read(bundle)).slices.front();
  Commands commands = slice.commands;
  Commands ofLibrary = valueOf(macho::read(library)).slices.front().commands;
  commands.push_back(first(ofLibrary, LC_ID_DYLIB));
  EXPECT_THAT(macho::check(slice, commands, slice.size),
              Contains(HasSubstr("only a shared library may have LC_ID_DYLIB")));
}

// Where dyld stops reading, tcfix stops as well: verify reports why, and no edit changes the file.
void expectDamaged(const ByteVector& image, const char* problem) {
  macho::FileSlice slice = valueOf(macho::read(image)).slices.front();
  EXPECT_THAT(macho::checkStructure(slice), ElementsAre(HasSubstr(problem)));
  EXPECT_THAT(signatureProblems(image), Contains(HasSubstr(problem)));
  for (std::vector<Edit> edits : {std::vector<Edit>{AddSearchPath{"/c"}}, std::vector<Edit>{}}) {
    Problem refused = refusal(image, edits);
    EXPECT_EQ(refused.code, ErrorCode::Malformed);
    EXPECT_THAT(refused.message, HasSubstr(problem));
  }
}

ByteVector imageWith(ByteVector command) {
  MachOSpec spec = goodSpec();
  spec.otherCommands = {std::move(command)};
  return buildMachO(spec);
}

TEST(CheckStructure, FindsNothingInAGoodImage) {
  // 0x7f: unknown, but not required; loaders ignore it.
  for (const ByteVector& image :
       {buildMachO(goodSpec()), imageWith(loadCommand(0x7f, "anything at all")),
        imageWith(loadCommand(0x37, "8 bytes."))}) {
    macho::FileSlice slice = valueOf(macho::read(image)).slices.front();
    EXPECT_THAT(macho::checkStructure(slice), IsEmpty());
    EXPECT_THAT(signatureProblems(image), IsEmpty());
    EXPECT_EQ(sliceOf(edited(image, {AddSearchPath{"/c"}})).searchPaths.size(), 3u);
  }
}

TEST(CheckStructure, AnUnknownRequiredCommand) {
  expectDamaged(imageWith(loadCommand(0x8000007f, "anything at all")),
                "(0x8000007F) is unknown and marked as required");
}

TEST(CheckStructure, ACommandWithTheWrongSize) {
  // LC_FUNCTION_VARIANTS: newer than LLVM's checks.
  expectDamaged(imageWith(loadCommand(0x37, "16 bytes of data")), "has 24 bytes instead of 16");
}

// mach_header_64: ncmds at 16, sizeofcmds at 20.
TEST(CheckStructure, AHeaderThatDisagreesWithItsCommands) {
  const ByteVector good = buildMachO(goodSpec());
  const uint32_t count = read32le(&good[16]), size = read32le(&good[20]);
  ByteVector longer = good;
  write32le(&longer[20], size + 8);
  expectDamaged(longer, ("in " + std::to_string(size + 8) + " bytes, but they take").c_str());
  ByteVector fewer = good;
  write32le(&fewer[16], count - 1);
  expectDamaged(fewer, ("lists " + std::to_string(count - 1) + " load commands").c_str());
  // These cannot be read at all.
  ByteVector more = good, shorter = good;
  write32le(&more[16], count + 1);
  write32le(&shorter[20], size - 8);
  for (const ByteVector& bad : {more, shorter}) {
    EXPECT_EQ(problemOf(formats::verify(bad)).code, ErrorCode::Malformed);
    EXPECT_EQ(refusal(bad, {AddSearchPath{"/c"}}).code, ErrorCode::Malformed);
  }
}

TEST(Check, AnExistingProblemDoesNotStopAnEdit) {
  MachOSpec spec = goodSpec();
  spec.dependencies.push_back(spec.dependencies.front()); // named twice by its linker
  ByteVector result = edited(buildMachO(spec), {AddSearchPath{"/c"}});
  EXPECT_EQ(sliceOf(result).searchPaths.size(), 3u);
}

} // namespace
} // namespace tcfix::support
