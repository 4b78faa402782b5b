// The default identifier that codesign gives a file.

#include "codesign/identifier.h"
#include "support/macho_builder.h"
#include "support/outcomes.h"

namespace tcfix::support {
namespace {

// hex("UUID") and kUuid.
const std::string kSuffix = "-5555494400112233445566778899aabbccddeeff";

struct IdentifierCase {
  const char* file;
  std::string identifier;
};

class Identifier : public testing::TestWithParam<IdentifierCase> {};

TEST_P(Identifier, FollowsTheFileName) {
  ByteVector image = buildMachO({});
  macho::FileSlice slice = valueOf(macho::read(image)).slices.front();
  EXPECT_EQ(codesign::identifierFor(GetParam().file, slice), GetParam().identifier);
}

INSTANTIATE_TEST_SUITE_P(
    Codesign, Identifier,
    testing::Values(
        IdentifierCase{"libfoo.dylib", "libfoo" + kSuffix},
        IdentifierCase{"libfoo.1.dylib", "libfoo.1"},
        IdentifierCase{"libfoo.1.2.3.dylib", "libfoo.1"},
        IdentifierCase{"libavcodec.61.19.101.dylib", "libavcodec.61"},
        IdentifierCase{"libfrotz7.3.5.dylib", "libfrotz7" + kSuffix},
        IdentifierCase{"mumble.77.plugin", "mumble.77"},
        IdentifierCase{"_C.cpython-312-darwin.so", "_C.cpython-312-darwin"},
        IdentifierCase{"libtorchcodec_core7.dylib", "libtorchcodec_core7" + kSuffix},
        IdentifierCase{"com.example.tool.dylib", "com.example.tool"},
        IdentifierCase{"plain", "plain" + kSuffix}, IdentifierCase{"tool7", "tool7" + kSuffix},
        IdentifierCase{"tool.", "tool" + kSuffix}, IdentifierCase{"libfoo.so.1", "libfoo.so.1"},
        IdentifierCase{"7zip.dylib", "7zip" + kSuffix}, IdentifierCase{"7.3.5.dylib", "7.3.5"},
        IdentifierCase{".hidden", kSuffix}, IdentifierCase{".hidden.1.2", ".hidden.1.2"},
        IdentifierCase{"folder.1/libfoo.2.dylib", "libfoo.2"},
        IdentifierCase{"C:\\folder\\libfoo.2.dylib", "libfoo.2"}));

TEST(Identifier, WithoutAUuidIsTheBareName) {
  MachOSpec spec;
  spec.hasUuid = false;
  ByteVector image = buildMachO(spec);
  EXPECT_EQ(formats::signatureIdentifier(image, "libfoo.dylib"), "libfoo");
}

TEST(Identifier, OfAnotherFormatIsEmpty) {
  EXPECT_EQ(formats::signatureIdentifier(bytesOf("hello"), "hello.txt"), "");
}

} // namespace
} // namespace tcfix::support
