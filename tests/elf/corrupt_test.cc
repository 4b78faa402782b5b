// One valid file with one corrupted field: a clear error or a valid result, never a crash.
#include "elf/elf.h"
#include "elf/symbol_table.h"

#include "base/error.h"
#include "support/elf_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace tcfix {
namespace {

using test::buildElf;
using test::ElfField;
using test::ElfImage;
using test::ElfSpec;

const std::vector<Edit> kEdits = {AddSearchPath{"/a/new/folder/that/is/long/enough/to/need/room"},
                                  RenameDependency{"libc.so.6", "libc-12345678.so.6"},
                                  AddDependency{"libmore.so"}};

/// Runs everything that a command does with the file; returns the error's code, if any.
std::optional<Problem> survive(Bytes bytes) {
  for (bool withSymbols : {false, true}) {
    llvm::Expected<Image> image = elf::inspect(bytes, withSymbols);
    if (!image)
      llvm::consumeError(image.takeError());
  }
  if (llvm::Expected<std::unique_ptr<SymbolTable>> symbols = elf::openSymbols(bytes)) {
    llvm::consumeError((*symbols)->needed().takeError());
    for (const char* name : {"malloc", "tiny_import", "nowhere"})
      (*symbols)->find({.name = name, .version = "GLIBC_2.14"});
    (*symbols)->accepts("GLIBC_2.14");
  } else {
    llvm::consumeError(symbols.takeError());
  }
  elf::check(bytes);
  llvm::Expected<EditOutcome> outcome = elf::rewrite(bytes, kEdits);
  if (!outcome)
    return toProblem(outcome.takeError(), {});
  ByteVector result = rewritten(outcome->rewrite, bytes);
  EXPECT_EQ(rewritten(reverseOf(outcome->rewrite, bytes), result),
            ByteVector(bytes.begin(), bytes.end()));
  std::vector<std::string> before = elf::check(bytes);
  for (const std::string& problem : elf::check(result))
    EXPECT_THAT(before, testing::Contains(problem));
  return std::nullopt;
}

std::vector<ElfSpec> goodFiles() {
  std::vector<ElfSpec> specs;
  for (bool is64 : {true, false})
    for (bool hasSections : {true, false}) {
      ElfSpec spec;
      spec.is64 = is64;
      spec.isLittle = is64;
      spec.machine = is64 ? 62 : 20;
      spec.hasSections = hasSections;
      spec.runpath = "$ORIGIN:/opt/lib";
      spec.versions = {{"libc.so.6", {"GLIBC_2.2.5", "GLIBC_2.14"}}, {"libone.so", {"ONE_1"}}};
      specs.push_back(spec);
    }
  ElfSpec program;
  program.type = 2;
  program.base = 0x400000;
  program.hasInterp = true;
  program.hasNote = false;
  program.spareSlots = 0;
  specs.push_back(program);
  return specs;
}

TEST(ElfCorrupt, EveryFieldOneAtATime) {
  size_t errors = 0, tried = 0;
  for (const ElfSpec& spec : goodFiles()) {
    ElfImage image = buildElf(spec);
    ASSERT_FALSE(survive(image.bytes).has_value());
    for (const ElfField& field : image.fields) {
      uint64_t value = image.get(field.name), size = image.bytes.size();
      for (uint64_t bad : {uint64_t(0), uint64_t(1), value + 1, value - 1, value + 8, value * 2,
                           value ^ 0x80, size - 1, size, size + 1, uint64_t(0x7fff),
                           uint64_t(0xffff), uint64_t(0x7fffffff), uint64_t(0x80000000),
                           uint64_t(0xfffffff0), UINT64_MAX >> 1, UINT64_MAX - 15, UINT64_MAX}) {
        SCOPED_TRACE(field.name + " = " + std::to_string(bad));
        std::optional<Problem> problem = survive(image.with(field.name, bad));
        ++tried;
        if (problem) {
          ++errors;
          EXPECT_FALSE(problem->message.empty());
          EXPECT_NE(problem->code, ErrorCode::Conflict) << problem->message;
        }
      }
    }
  }
  EXPECT_GT(errors, tried / 4) << "of " << tried;
}

TEST(ElfCorrupt, DynamicSectionWithoutDtNull) {
  ElfSpec spec;
  spec.spareSlots = 0;
  ElfImage image = buildElf(spec);
  std::optional<Problem> problem = survive(image.with("DT_NULL0.tag", 0x1e)); // DT_FLAGS
  ASSERT_TRUE(problem.has_value());
  EXPECT_THAT(problem->message, testing::HasSubstr("no DT_NULL at its end"));
}

TEST(ElfCorrupt, TruncatedAnywhere) {
  for (const ElfSpec& spec : goodFiles()) {
    ElfImage image = buildElf(spec);
    for (size_t size = 0; size < image.bytes.size(); size += size < 600 ? 1 : 37) {
      SCOPED_TRACE("cut to " + std::to_string(size));
      // An exact copy, so that the sanitizer detects a read past its end.
      ByteVector cut(image.bytes.begin(), image.bytes.begin() + size);
      EXPECT_TRUE(survive(cut).has_value());
    }
  }
}

TEST(ElfCorrupt, AnyBytesAnywhere) {
  std::mt19937 random(4);
  for (const ElfSpec& spec : goodFiles()) {
    ElfImage image = buildElf(spec);
    for (int round = 0; round < 400; ++round) {
      ByteVector spoiled = image.bytes;
      for (int i = 0; i < 1 + round % 8; ++i)
        spoiled[random() % spoiled.size()] = uint8_t(random());
      survive(spoiled);
    }
  }
}

/// Corruptions that crash or mislead other tools.
struct Case {
  const char* name;
  const char* field;
  uint64_t value;
  const char* says;
};

class KnownCorruption : public testing::TestWithParam<Case> {};

TEST_P(KnownCorruption, IsRefusedWithAMessage) {
  ElfSpec spec;
  spec.runpath = "$ORIGIN";
  spec.versions = {{"libc.so.6", {"GLIBC_2.2.5", "GLIBC_2.14"}}, {"libone.so", {"ONE_1"}}};
  ElfImage image = buildElf(spec);
  std::optional<Problem> problem = survive(image.with(GetParam().field, GetParam().value));
  ASSERT_TRUE(problem.has_value());
  EXPECT_EQ(problem->code, ErrorCode::Malformed);
  EXPECT_THAT(problem->message, testing::HasSubstr(GetParam().says));
  EXPECT_FALSE(problem->hint.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Peers, KnownCorruption,
    testing::Values(
        Case{"HugeNeededOffset", "DT_NEEDED0", 0x7fffffffffff,
             "past the end of the dynamic string"},
        Case{"HugeSonameOffset", "DT_SONAME", 0xffffffff, "past the end of the dynamic string"},
        Case{"DynamicPastTheEnd", "DYNAMIC.p_offset", 0x7fffff00,
             "extends past the end of the file"},
        Case{"DynamicElsewhere", "DYNAMIC.p_vaddr", 0x90000, "is not in a PT_LOAD segment"},
        Case{"BogusStringTable", "DT_STRTAB", 0xdeadbeef00, "is not in a segment"},
        Case{"StringTableOfOtherBytes", "DT_STRTAB", 1, "does not start and end with a zero"},
        Case{"HugeStringTable", "DT_STRSZ", UINT64_MAX, "is not in a segment"},
        Case{"EmptyStringTable", "DT_STRSZ", 0, "is not in a segment"},
        Case{"OverlappingSegments", "LOAD0.p_memsz", 0x100000, "overlaps the one before"},
        Case{"MoreInFileThanMemory", "LOAD1.p_memsz", 1, "more bytes in the file"},
        Case{"OddAlignment", "LOAD0.p_align", 0x1001, "not a power of two"},
        Case{"OffsetElsewhereInThePage", "LOAD0.p_offset", 8, "differ modulo the page size"},
        Case{"SegmentPastTheEnd", "LOAD1.p_filesz", 0x7fffffff, "extends past the end of the file"},
        Case{"AddressesThatWrap", "LOAD1.p_vaddr", UINT64_MAX - 0xf, "past the end of the address"},
        Case{"TooManySegments", "e_phnum", 0xffff, "65535"},
        Case{"NoSegments", "e_phnum", 0, "no program headers"},
        Case{"HeadersPastTheEnd", "e_phoff", UINT64_MAX - 8, "program headers extend past the end"},
        Case{"SectionsPastTheEnd", "e_shoff", 0x7fffffffffff,
             "section headers extend past the end"},
        Case{"TooManySections", "e_shnum", 0xfeff, "section headers extend past the end"},
        Case{"NamesPastTheSections", "e_shstrndx", 0xfe, "section names are in section"},
        Case{"CyclicVersions", "verneed0.vn_next", 0xffffffd0, "extends past its segment"},
        Case{"FoldedVersions", "verneed0.vn_next", 4, "overlaps itself"},
        Case{"CyclicVersionNames", "verneed0.aux0.vna_next", 0xfffffff0,
             "extends past its segment"},
        Case{"EndlessVersions", "DT_VERNEEDNUM", UINT64_MAX, "does not have the stated length"},
        Case{"VersionFilePastTheEnd", "verneed0.vn_file", 0x10000, "past the end of the dynamic"},
        Case{"HugeSymbolName", "symbol1.st_name", 0xfffffff0, "symbol's name is past the end"}),
    [](const auto& param) { return param.param.name; });

} // namespace
} // namespace tcfix
