// One valid file with one field changed: a clear error or a stable edit, never a crash.
#include "support.h"

#include "pe/file.h"

#include <llvm/Object/COFF.h>
#include <llvm/Support/Endian.h>

namespace tcfix::pe {
namespace {

using namespace llvm::object;

const std::vector<Edit> kEdits[] = {
    {},
    {DelayDependency{"first.dll"}, AddSearchPath{"$ORIGIN"}},
    {DelayDependency{"*", true}},
    {RenameDependency{"second.dll", "a-longer-name-than-before.dll"}},
    {RemoveDependency{"second.dll"}},
    {UndelayDependency{"*"}, RemoveSearchPath{"$ORIGIN"}},
};

/// Runs everything on a file that may be invalid. An edit that succeeds must be stable.
void survive(Bytes bytes) {
  llvm::consumeError(inspect(bytes, true).takeError());
  llvm::consumeError(check(bytes).takeError());
  if (llvm::Expected<std::unique_ptr<SymbolTable>> symbols = openSymbols(bytes)) {
    llvm::consumeError((*symbols)->needed().takeError());
    for (const char* name : {"first", "second", "third"})
      (*symbols)->find({.name = name});
  } else {
    llvm::consumeError(symbols.takeError());
  }
  for (const std::vector<Edit>& edits : kEdits) {
    llvm::Expected<EditOutcome> outcome = rewrite(bytes, edits, {true});
    if (!outcome) {
      EXPECT_FALSE(toProblem(outcome.takeError(), {}).message.empty());
      continue;
    }
    ByteVector changed = rewritten(outcome->rewrite, bytes);
    llvm::Expected<EditOutcome> again = rewrite(changed, edits, {true});
    if (!again)
      ADD_FAILURE() << "edited once, but not twice: " << llvm::toString(again.takeError());
    else
      EXPECT_TRUE(again->rewrite.isIdentity());
  }
}

PeRecipe richRecipe() {
  PeRecipe recipe;
  recipe.hasTlsCallback = recipe.hasChecksum = recipe.hasBoundImports = true;
  recipe.exports.push_back({"third", "tiny.third"});
  recipe.imports.push_back({"third.dll", {"delta"}, true, true, true});
  recipe.overlay = "overlay";
  recipe.certificateSize = 16;
  return recipe;
}

std::vector<ByteVector> goodFiles() {
  PeRecipe recipe32 = support::recipeFor32Bit();
  recipe32.hasTlsCallback = true;
  ByteVector rich = buildPe(richRecipe());
  return {rich, buildPe(recipe32),
          rewritten(support::outcomeOf(rich, droppingCertificates(kEdits[1])).rewrite, rich)};
}

/// Replaces every word of [begin, end) with values that often break programs.
template <typename Word>
void corruptWords(const ByteVector& good, size_t begin, size_t end) {
  using Field =
      llvm::support::detail::packed_endian_specific_integral<Word, llvm::endianness::little,
                                                             llvm::support::unaligned>;
  ByteVector bad = good;
  for (size_t at = begin; at + sizeof(Word) <= std::min(end, good.size()); at += sizeof(Word)) {
    auto& field = *reinterpret_cast<Field*>(bad.data() + at);
    const Word old = field;
    constexpr Word kHigh = Word(1) << (8 * sizeof(Word) - 1);
    for (uint64_t value : {uint64_t(0), uint64_t(1), uint64_t(kHigh), uint64_t(kHigh) - 1,
                           ~uint64_t(0), uint64_t(old) + 1, uint64_t(old) ^ 0x1000}) {
      field = static_cast<Word>(value);
      survive(bad);
    }
    field = old;
  }
}

TEST(Corrupt, HeadersAndSectionTable) {
  for (const ByteVector& good : goodFiles()) {
    corruptWords<uint16_t>(good, 0, 0x80 + 24 + 240 + 40 * 8);
    corruptWords<uint32_t>(good, 0, 0x80 + 24 + 240 + 40 * 8);
  }
}

TEST(Corrupt, Directories) {
  // Where the tables are; .rdata holds the import, export, delay and TLS tables.
  for (const ByteVector& good : goodFiles()) {
    ByteOverlay image(good);
    llvm::Expected<PeFile> file = PeFile::read(image);
    ASSERT_TRUE(bool(file));
    for (const char* name : {".rdata", ".pdata", ".reloc", ".tcfixd"})
      for (const Section& section : file->sections)
        if (section.name == name)
          corruptWords<uint32_t>(good, section.offset,
                                 section.offset + std::min(section.memorySize, section.fileSize));
  }
}

TEST(Corrupt, Truncations) {
  for (const ByteVector& good : goodFiles())
    for (size_t length = 0; length < good.size(); length += length < 1024 ? 1 : 37)
      survive(Bytes(good).take_front(length));
}

struct FieldCase {
  const char* name;
  size_t offset; ///< from the optional header
  uint32_t value;
};

class WrongField : public testing::TestWithParam<FieldCase> {};

TEST_P(WrongField, IsMalformed) {
  ByteVector file = buildPe({});
  llvm::support::endian::write32le(file.data() + 0x80 + 24 + GetParam().offset, GetParam().value);
  EXPECT_EQ(support::problemOf(inspect(file, false)).code, ErrorCode::Malformed);
  EXPECT_EQ(refusalOf(file, kEdits[1]), "malformed");
}

constexpr size_t kFirstSection = sizeof(pe32plus_header) + 16 * 8;

INSTANTIATE_TEST_SUITE_P(
    Fields, WrongField,
    testing::Values(
        FieldCase{"ZeroFileAlignment", offsetof(pe32plus_header, FileAlignment), 0},
        FieldCase{"OddFileAlignment", offsetof(pe32plus_header, FileAlignment), 0x201},
        FieldCase{"HugeFileAlignment", offsetof(pe32plus_header, FileAlignment), 0x80000000},
        FieldCase{"ZeroSectionAlignment", offsetof(pe32plus_header, SectionAlignment), 0},
        FieldCase{"HugeSectionAlignment", offsetof(pe32plus_header, SectionAlignment), 0x80000000},
        FieldCase{"HugeHeaders", offsetof(pe32plus_header, SizeOfHeaders), 0x7fffffff},
        FieldCase{"NoHeaders", offsetof(pe32plus_header, SizeOfHeaders), 0},
        FieldCase{"OverlappingSections", kFirstSection + offsetof(coff_section, VirtualSize),
                  0x1001},
        FieldCase{"SectionsOutOfOrder", kFirstSection + offsetof(coff_section, VirtualAddress),
                  0x3000},
        FieldCase{"SectionPastTheEnd", kFirstSection + offsetof(coff_section, PointerToRawData),
                  0x100000},
        FieldCase{"ImportsOutside", sizeof(pe32plus_header) + 8 * llvm::COFF::IMPORT_TABLE,
                  0x70000000},
        FieldCase{"ExportsOutside", sizeof(pe32plus_header), 0x70000000}),
    [](const auto& param) { return param.param.name; });

} // namespace
} // namespace tcfix::pe
