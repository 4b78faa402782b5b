// Room for longer load commands: what does not fit is refused with the number of bytes.

#include "macho/file.h"
#include "support/macho_builder.h"
#include "support/outcomes.h"

#include <gmock/gmock.h>

namespace tcfix::support {
namespace {

using namespace llvm::MachO;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Edit kAdd48 = AddSearchPath{"@loader_path/../../torch/lib"}; // a command of 48 bytes

ByteVector imageWithPadding(uint64_t padding, SignatureStyle style = SignatureStyle::AdHoc) {
  MachOSpec spec = signedAs(style);
  spec.rpaths = {"/opt/old/place"};
  spec.headerPadding = padding;
  return buildMachO(spec);
}

uint64_t paddingBegin(Bytes bytes) {
  macho::FileSlice slice = valueOf(macho::read(bytes)).slices.front();
  uint64_t begin = slice.headerSize();
  for (const macho::LoadCommand& command : slice.commands)
    begin += command.bytes.size();
  return begin;
}

TEST(Room, ExactlyEnoughIsEnough) {
  ByteVector result = edited(imageWithPadding(48), {kAdd48});
  EXPECT_EQ(sliceOf(result).searchPaths.size(), 2u);
  EXPECT_THAT(signatureProblems(result), IsEmpty());
}

TEST(Room, OneByteTooFewIsRefusedWithBothNumbers) {
  Problem problem = refusal(imageWithPadding(47), {kAdd48});
  EXPECT_EQ(problem.code, ErrorCode::NoRoom);
  EXPECT_THAT(problem.message, AllOf(HasSubstr("48 bytes needed"), HasSubstr("47 available")));
  EXPECT_THAT(problem.hint, HasSubstr("headerpad_max_install_names"));
}

TEST(Room, ARemovedPathMakesRoom) {
  // /opt/old/place takes 32 bytes.
  EXPECT_THAT(sliceOf(edited(imageWithPadding(16), {RemoveSearchPath{"/opt/old/place"}, kAdd48}))
                  .searchPaths,
              ElementsAre("@loader_path/../../torch/lib"));
  EXPECT_EQ(refusal(imageWithPadding(15), {RemoveSearchPath{"/opt/old/place"}, kAdd48}).code,
            ErrorCode::NoRoom);
}

TEST(Room, AShorterPathNeedsNone) {
  ByteVector result =
      edited(imageWithPadding(0), {ReplaceSearchPath{"/opt/old/place", "/opt/new/place"}});
  EXPECT_THAT(sliceOf(result).searchPaths, ElementsAre("/opt/new/place"));
}

TEST(Room, ANewSignatureNeedsItsLoadCommandToo) {
  auto image = [](uint64_t padding) { return imageWithPadding(padding, SignatureStyle::None); };
  EXPECT_THAT(signatureProblems(edited(image(48 + 16), {kAdd48})), IsEmpty());
  EXPECT_THAT(refusal(image(48 + 15), {kAdd48}).message,
              AllOf(HasSubstr("64 bytes needed"), HasSubstr("63 available")));
}

// Other tools shorten the load commands without clearing the bytes after them.
TEST(Room, RemainsOfOldCommandsAreOverwrittenOnlyAsFarAsNeeded) {
  MachOSpec spec; // unsigned Intel: only the header can change
  spec.arch = kX86_64;
  spec.headerPadding = 100;
  ByteVector image = buildMachO(spec);
  uint64_t begin = paddingBegin(image);
  for (uint64_t at : {0, 47, 48, 99}) {
    ByteVector marked = image;
    marked[begin + at] = 0x90;
    ByteVector result = edited(marked, {kAdd48});
    EXPECT_EQ(result.size(), image.size());
    EXPECT_EQ(result[begin + at] == 0x90, at >= 48) << at;
  }
}

TEST(Room, ASegmentAfterTheHeaderLimitsIt) {
  MachOSpec spec = signedAs(SignatureStyle::AdHoc);
  spec.codeSize = 0; // no section; __TEXT ends at a page
  spec.headerPadding = 8;
  ByteVector image = buildMachO(spec);
  std::string path(0x4000, 'x');
  Problem problem = refusal(image, {AddSearchPath{path}});
  EXPECT_EQ(problem.code, ErrorCode::NoRoom);
}

} // namespace
} // namespace tcfix::support
