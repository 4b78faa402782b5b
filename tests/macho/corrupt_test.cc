// Bad input: one valid file with one change. Every result is a value or an error, never a crash; a
// file that can still be edited can be read again, is stable after one edit, and can be restored.

#include "support/guarded_bytes.h"
#include "support/macho_builder.h"
#include "support/outcomes.h"

#include <llvm/Support/Endian.h>

#include <random>
#include <set>

namespace tcfix::support {
namespace {

using namespace llvm::MachO;
namespace endian = llvm::support::endian;

template <typename Value>
bool succeeds(llvm::Expected<Value> result) {
  if (result)
    return true;
  EXPECT_FALSE(toProblem(result.takeError(), {}).message.empty());
  return false;
}

/// The calls that a loader makes.
void askForSymbols(Bytes bytes) {
  for (const char* arch : {"arm64", "x86_64"}) {
    llvm::Expected<std::unique_ptr<SymbolTable>> symbols = formats::openSymbols(bytes, arch);
    if (!symbols) {
      llvm::consumeError(symbols.takeError());
      continue;
    }
    succeeds((*symbols)->needed());
    for (const char* name : {"_demo", "_malloc", "_demo_and_more", ""})
      (*symbols)->find({.name = name});
  }
}

void expectTamed(Bytes content, const Edit& edit = AddSearchPath{"/opt/homebrew/lib"}) {
  GuardedBytes guarded(content);
  Bytes bytes = guarded;
  succeeds(formats::inspect(bytes, {/*withSymbols=*/true}));
  askForSymbols(bytes);
  succeeds(formats::verify(bytes));
  formats::EditRequest request = asking({edit});
  llvm::Expected<EditOutcome> once = formats::rewrite(bytes, "libdemo.dylib", request);
  if (!once) {
    EXPECT_FALSE(toProblem(once.takeError(), {}).message.empty());
    return;
  }
  ByteVector result = rewritten(once->rewrite, bytes);
  ASSERT_LT(result.size(), bytes.size() + 0x10000);
  EXPECT_TRUE(succeeds(formats::inspect(result)));
  EXPECT_TRUE(outcomeOf(result, request).rewrite.isIdentity());
  EXPECT_TRUE(rewritten(reverseOf(once->rewrite, bytes), result) == bytes.vec());
}

std::set<uint32_t> badValuesFor(uint32_t value) {
  std::set<uint32_t> values = {0,          1,         0x7fffffff, 0x80000000,
                               0xffffffff, value - 1, value + 1,  value ^ 0x100};
  values.erase(value);
  return values;
}

enum class Order { Little, Big };

uint32_t wordAt(const ByteVector& bytes, uint64_t offset, Order order) {
  return order == Order::Little ? endian::read32le(&bytes[offset])
                                : endian::read32be(&bytes[offset]);
}

void setWord(ByteVector& bytes, uint64_t offset, uint32_t value, Order order) {
  if (order == Order::Little)
    endian::write32le(&bytes[offset], value);
  else
    endian::write32be(&bytes[offset], value);
}

// Replaces every 32-bit word of [begin, end) in turn.
void expectTamedWords(const ByteVector& good, uint64_t begin, uint64_t end, Order order) {
  ASSERT_LE(end, good.size());
  for (uint64_t offset = begin; offset + 4 <= end; offset += 4) {
    uint32_t value = wordAt(good, offset, order);
    for (uint32_t wrong : badValuesFor(value)) {
      ByteVector bad = good;
      setWord(bad, offset, wrong, order);
      SCOPED_TRACE("word at " + std::to_string(offset) + " is " + std::to_string(wrong) + ", was " +
                   std::to_string(value));
      expectTamed(bad);
    }
  }
}

MachOSpec smallSpec(SignatureStyle style, Architecture arch = kArm64) {
  MachOSpec spec = signedAs(style);
  spec.arch = arch;
  spec.arch.page = 0x1000;
  spec.codeSize = 0x180;
  spec.rpaths = {"/opt/a"};
  spec.infoPlist = "<plist/>";
  spec.signature.entitlements = "<dict/>";
  spec.exportTrie = {0, 1, '_', 'e', 0, 6, 2, 0, 0x10, 0, 0, 0};
  return spec;
}

struct Placed {
  ByteVector bytes;
  uint64_t commandsEnd;
  uint64_t signature; // 0: none
};

Placed placed(const MachOSpec& spec) {
  Placed result;
  result.bytes = buildMachO(spec);
  result.commandsEnd = 32 + wordAt(result.bytes, 20, Order::Little);
  MachOSpec unsignedSpec = signedAs(SignatureStyle::None, spec);
  result.signature = alignUp(buildMachO(unsignedSpec).size(), 16);
  return result;
}

struct StyleCase {
  const char* name;
  SignatureStyle style;
  Architecture arch;
};

class Corrupt : public testing::TestWithParam<StyleCase> {
protected:
  Placed good() const { return placed(smallSpec(GetParam().style, GetParam().arch)); }
};

TEST_P(Corrupt, AnyWordOfHeaderAndLoadCommands) {
  Placed file = good();
  expectTamedWords(file.bytes, 0, file.commandsEnd, Order::Little);
}

TEST_P(Corrupt, AnyWordOfTheSignature) {
  if (GetParam().style == SignatureStyle::None)
    return;
  Placed file = good();
  uint64_t end = std::min<uint64_t>(file.bytes.size(), file.signature + 1200);
  expectTamedWords(file.bytes, file.signature, end, Order::Big);
}

TEST_P(Corrupt, AnyByteOfTheSignature) {
  if (GetParam().style == SignatureStyle::None)
    return;
  Placed file = good();
  for (uint64_t offset = file.signature; offset < file.bytes.size(); ++offset)
    for (uint8_t wrong : {0, 0x80, 0xff}) {
      ByteVector bad = file.bytes;
      bad[offset] = wrong;
      SCOPED_TRACE("byte at " + std::to_string(offset));
      expectTamed(bad);
    }
}

TEST_P(Corrupt, TruncatedAtEveryEightBytesOfTheHeader) {
  Placed file = good();
  for (uint64_t size = 0; size <= file.commandsEnd + 64; size += 8) {
    SCOPED_TRACE("truncated to " + std::to_string(size));
    expectTamed(Bytes(file.bytes).take_front(size));
    EXPECT_FALSE(succeeds(formats::inspect(Bytes(file.bytes).take_front(size))));
  }
}

TEST_P(Corrupt, TruncatedAnywhereAfterTheHeader) {
  Placed file = good();
  for (uint64_t size = file.commandsEnd; size < file.bytes.size(); size += 61) {
    SCOPED_TRACE("truncated to " + std::to_string(size));
    expectTamed(Bytes(file.bytes).take_front(size));
    EXPECT_FALSE(succeeds(formats::rewrite(Bytes(file.bytes).take_front(size), "libdemo.dylib",
                                           asking({AddSearchPath{"/x"}}))));
  }
}

TEST_P(Corrupt, SeveralWordsAtRandom) {
  const Edit edits[] = {AddSearchPath{"/opt/homebrew/lib"},
                        AddSearchPath{"/x", true},
                        RemoveSearchPath{"/opt/a"},
                        ReplaceSearchPath{"/opt/a", "/opt/longer/path"},
                        RenameDependency{"/usr/lib/libSystem.B.dylib", "/x"},
                        SetIdentity{"@rpath/another/and/longer/name.dylib"}};
  Placed file = good();
  std::mt19937 random(42);
  for (int round = 0; round < 1000; ++round) {
    ByteVector bad = file.bytes;
    bool isSigned = file.signature < bad.size();
    for (unsigned count = 1 + random() % 4; count > 0; --count) {
      bool isInSignature = isSigned && random() % 3 == 0;
      uint64_t begin = isInSignature ? file.signature : 0;
      uint64_t end = isInSignature ? std::min<uint64_t>(bad.size(), begin + 400) : file.commandsEnd;
      uint64_t offset = begin + random() % (end - begin) / 4 * 4;
      Order order = isInSignature ? Order::Big : Order::Little;
      std::set<uint32_t> values = badValuesFor(wordAt(bad, offset, order));
      setWord(bad, offset, *std::next(values.begin(), random() % values.size()), order);
    }
    SCOPED_TRACE("round " + std::to_string(round));
    expectTamed(bad, edits[round % std::size(edits)]);
  }
}

INSTANTIATE_TEST_SUITE_P(
    MachO, Corrupt,
    testing::Values(StyleCase{"Unsigned", SignatureStyle::None, kArm64},
                    StyleCase{"AdHoc", SignatureStyle::AdHoc, kArm64},
                    StyleCase{"LinkerSigned", SignatureStyle::LinkerSigned, kArm64},
                    StyleCase{"TwoDirectories", SignatureStyle::TwoDirectories, kX86_64},
                    StyleCase{"UnsignedIntel", SignatureStyle::None, kX86_64}),
    [](const auto& param) { return param.param.name; });

TEST(CorruptOld, AnyWordOfHeaderAndLoadCommands) {
  for (const Architecture& arch : {kI386, kPpc}) {
    ByteVector file = buildMachO(smallSpec(SignatureStyle::AdHoc, arch));
    expectTamedWords(file, 0, 1000, arch.isLittleEndian ? Order::Little : Order::Big);
  }
}

// The symbol table, the string table and, last in the file, the export trie or nothing.
TEST(CorruptSymbols, AnyByteOfTheLinkedit) {
  for (bool hasTrie : {true, false}) {
    MachOSpec spec = smallSpec(SignatureStyle::None, kX86_64);
    if (!hasTrie)
      spec.exportTrie.clear();
    ByteVector file = buildMachO(spec);
    for (uint64_t offset = file.size() - 68; offset < file.size(); ++offset)
      for (int wrong = 0; wrong < 256; ++wrong) {
        ByteVector bad = file;
        bad[offset] = static_cast<uint8_t>(wrong);
        GuardedBytes guarded(bad);
        succeeds(formats::inspect(guarded, {/*withSymbols=*/true}));
        askForSymbols(guarded);
      }
  }
}

TEST(CorruptSymbols, AnUnterminatedStringTable) {
  MachOSpec spec = smallSpec(SignatureStyle::None, kX86_64);
  spec.exportTrie.clear();
  ByteVector file = buildMachO(spec);
  std::fill(file.end() - 8, file.end(), 'x');
  EXPECT_TRUE(succeeds(formats::inspect(GuardedBytes(file), {/*withSymbols=*/true})));
}

ByteVector smallUniversal(bool isWide) {
  UniversalSpec spec;
  spec.hasWideTable = isWide;
  spec.alignment = 12;
  return buildUniversal({{kX86_64, buildMachO(smallSpec(SignatureStyle::None, kX86_64))},
                         {kArm64, buildMachO(smallSpec(SignatureStyle::None))},
                         {kPpc, buildMachO(smallSpec(SignatureStyle::None, kPpc))}},
                        spec);
}

TEST(CorruptUniversal, AnyWordOfTheTable) {
  for (bool isWide : {false, true})
    expectTamedWords(smallUniversal(isWide), 0, 8 + 3 * (isWide ? 32 : 20), Order::Big);
}

TEST(CorruptUniversal, TruncatedAnywhere) {
  for (bool isWide : {false, true}) {
    ByteVector file = smallUniversal(isWide);
    for (uint64_t size = 0; size < file.size(); size += size < 256 ? 4 : 509) {
      SCOPED_TRACE("truncated to " + std::to_string(size));
      expectTamed(Bytes(file).take_front(size));
    }
  }
}

// fat_arch_64 of slice `index`: offset at +8, size at +16.
void setWide(ByteVector& file, size_t index, uint64_t offset, uint64_t size) {
  endian::write64be(&file[8 + index * 32 + 8], offset);
  endian::write64be(&file[8 + index * 32 + 16], size);
}

TEST(CorruptUniversal, OverlappingCyclicAndFarSlicesAreRefused) {
  ByteVector good = smallUniversal(true);
  uint64_t offset = endian::read64be(&good[16]);
  uint64_t size = endian::read64be(&good[24]);
  struct {
    const char* name;
    uint64_t offset, size;
  } const cases[] = {{"the file itself", 0, good.size()},
                     {"the table", 0, 104},
                     {"another slice", offset, size},
                     {"half of another slice", offset + 0x1000, size},
                     {"after the end", good.size(), size},
                     {"4 GiB away", uint64_t(1) << 32, size},
                     {"wrapping around", UINT64_MAX - 0xfff, 0x2000},
                     {"endless", 0x1000, UINT64_MAX},
                     {"nothing", 0, 0}};
  for (const auto& [name, wrongOffset, wrongSize] : cases) {
    SCOPED_TRACE(name);
    ByteVector bad = good;
    setWide(bad, 1, wrongOffset, wrongSize);
    expectTamed(bad);
    EXPECT_FALSE(succeeds(formats::inspect(bad)));
  }
}

TEST(CorruptUniversal, AUniversalFileInsideAUniversalFileIsRefused) {
  ByteVector inner = smallUniversal(false);
  EXPECT_EQ(problemOf(formats::inspect(buildUniversal({{kArm64, inner}}))).code,
            ErrorCode::NotALibrary);
}

// LLVM's list of load commands does not advance past an obsolete LC_IDENT.
TEST(CorruptCommands, LcIdentIsRefused) {
  ByteVector image = buildMachO({});
  uint64_t offset = sizeof(mach_header_64);
  for (uint32_t i = 0; i + 1 < endian::read32le(&image[16]); ++i) {
    ByteVector changed = image;
    endian::write32le(&changed[offset], LC_IDENT);
    EXPECT_EQ(refusal(changed, {AddSearchPath{"/x"}}).code, ErrorCode::Malformed) << i;
    offset += endian::read32le(&image[offset + 4]);
  }
}

// LLVM accepts a last command that extends past the end of all commands, if its kind is unknown.
TEST(CorruptCommands, ACommandPastTheEndIsRefused) {
  ByteVector image = buildMachO({});
  uint64_t last = sizeof(mach_header_64);
  for (uint32_t i = 0; i + 1 < endian::read32le(&image[16]); ++i)
    last += endian::read32le(&image[last + 4]);
  endian::write32le(&image[last], 0x1c00);
  endian::write32le(&image[last + 4], endian::read32le(&image[last + 4]) + 0x180);
  EXPECT_EQ(refusal(image, {AddSearchPath{"/x"}}).code, ErrorCode::Malformed);
}

// A signature that does not end __LINKEDIT would be rebuilt over something else.
TEST(CorruptCommands, AMisplacedSignatureIsRefused) {
  ByteVector image = buildMachO(signedAs(SignatureStyle::AdHoc));
  uint64_t offset = sizeof(mach_header_64);
  while (endian::read32le(&image[offset]) != LC_CODE_SIGNATURE)
    offset += endian::read32le(&image[offset + 4]);
  endian::write32le(&image[offset + 8], 0x800);
  endian::write32le(&image[offset + 12], 0x200);
  EXPECT_EQ(refusal(image, {AddSearchPath{"/x"}}).code, ErrorCode::Malformed);
}

TEST(NotMachO, IsReportedPlainly) {
  for (llvm::StringRef text :
       {"", "hello", "#!/bin/sh\n", "!<arch>\n", "\xcf\xfa\xed\xfe", "\xca\xfe\xba\xbe", "MZ",
        "\x7f"
        "ELF"}) {
    SCOPED_TRACE(text.str());
    expectTamed(bytesOf(text));
    EXPECT_FALSE(succeeds(formats::inspect(bytesOf(text))));
  }
  EXPECT_EQ(problemOf(formats::inspect({})).message, "is empty");
  EXPECT_EQ(problemOf(formats::inspect(bytesOf("hello"))).code, ErrorCode::NotALibrary);
}

} // namespace
} // namespace tcfix::support
