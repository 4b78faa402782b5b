#include "support.h"

#include <gmock/gmock.h>
#include <llvm/BinaryFormat/COFF.h>

namespace tcfix::pe {
namespace {

using testing::ElementsAre;
using testing::Pair;

Slice symbolsOf(Bytes bytes) {
  return valueOf(inspect(bytes, true)).slices.at(0);
}

TEST(Inspect, DescribesAnImage) {
  Slice slice = symbolsOf(buildPe({}));
  EXPECT_EQ(slice.arch, "x86_64");
  EXPECT_EQ(slice.fileType, "shared library");
  EXPECT_EQ(slice.identity, "tiny.dll");
  EXPECT_THAT(slice.exports, ElementsAre("first", "second"));
  std::vector<std::string> imports;
  for (const ImportedSymbol& symbol : slice.imports)
    imports.push_back(symbol.name + " from " + symbol.from);
  EXPECT_THAT(imports,
              ElementsAre("Sleep from KERNEL32.dll", "alpha from first.dll", "beta from first.dll",
                          "#7 from first.dll", "gamma from second.dll"));
}

TEST(Inspect, ReportsTheMachine) {
  EXPECT_EQ(sliceOf(buildPe(support::recipeFor32Bit())).arch, "i386");
  PeRecipe arm;
  arm.machine = llvm::COFF::IMAGE_FILE_MACHINE_ARM64;
  EXPECT_EQ(sliceOf(buildPe(arm)).arch, "arm64");
}

TEST(Inspect, ReadsPe32AsWell) {
  Slice slice = symbolsOf(buildPe(support::recipeFor32Bit()));
  EXPECT_EQ(slice.imports.size(), 5u);
  EXPECT_EQ(slice.imports[3].name, "#7");
}

TEST(Inspect, AnImageWithoutExportsHasNoIdentity) {
  PeRecipe recipe;
  recipe.exportName.clear();
  EXPECT_EQ(sliceOf(buildPe(recipe)).identity, std::nullopt);
}

TEST(Inspect, DistinguishesDelayImports) {
  PeRecipe recipe;
  recipe.imports[1].isDelay = true;
  EXPECT_EQ(dependenciesOf(buildPe(recipe)), "KERNEL32.dll second.dll first.dll(delay)");
}

TEST(Inspect, ShowsForwardersAsWrittenEvenCyclicOnes) {
  PeRecipe recipe;
  recipe.exports = {{"around", "tiny.back"}, {"back", "tiny.around"}, {"self", "tiny.self"}};
  Slice slice = symbolsOf(buildPe(recipe));
  EXPECT_THAT(slice.exports, ElementsAre("around", "back", "self"));
  EXPECT_THAT(slice.details, testing::Contains(Pair("forwarder self", "tiny.self")));
}

TEST(Inspect, ShowsChecksumAndCertificate) {
  PeRecipe recipe;
  recipe.hasChecksum = true;
  recipe.certificateSize = 64;
  Slice slice = sliceOf(buildPe(recipe));
  EXPECT_THAT(slice.details, testing::Contains(Pair("certificate", "64 bytes")));
  EXPECT_THAT(slice.details, testing::Not(testing::Contains(Pair("checksum", "none"))));
}

TEST(Inspect, TheFirstBytesShowTheFormat) {
  EXPECT_TRUE(isPe(buildPe({})));
  EXPECT_FALSE(isPe(bytesOf("MZ")));
  EXPECT_FALSE(isPe(bytesOf("\x7f"
                            "ELF")));
  ByteVector dos = buildPe({});
  dos[0x80] = 'N'; // a Windows 3 program, or a DOS one
  EXPECT_FALSE(isPe(dos));
}

/// The symbols that an importer requires and the provider does not export.
std::vector<std::string> missingOf(Bytes importer, size_t dependency, Bytes provider) {
  auto offers = valueOf(openSymbols(provider));
  auto wants = valueOf(openSymbols(importer));
  std::vector<std::string> missing;
  for (const NeededSymbol& symbol : valueOf(wants->needed()))
    if (symbol.dependency == dependency && offers->find(symbol).kind == SymbolLookup::Kind::Absent)
      missing.push_back(symbol.text());
  return missing;
}

TEST(MissingSymbols, AForwarderIsFollowed) {
  PeRecipe provider;
  provider.exports = {{"byName", "elsewhere.there"}, {"byOrdinal", "some.where.#12"}};
  const ByteVector bytes = buildPe(provider);
  auto table = valueOf(openSymbols(bytes));
  SymbolLookup byName = table->find({.name = "byName"});
  EXPECT_EQ(byName.kind, SymbolLookup::Kind::Forwarded);
  EXPECT_EQ(byName.library, "elsewhere");
  EXPECT_EQ(byName.symbol.text(), "there");
  SymbolLookup byOrdinal = table->find({.name = "byOrdinal"});
  EXPECT_EQ(byOrdinal.library, "some.where");
  EXPECT_EQ(byOrdinal.symbol.text(), "#12");
}

TEST(MissingSymbols, AreThoseThatTheProviderDoesNotExport) {
  PeRecipe provider;
  provider.exports = {{"alpha", ""}, {"other", "elsewhere.other"}};
  const ByteVector importer = buildPe({}), offered = buildPe(provider);
  EXPECT_THAT(missingOf(importer, 1, offered), ElementsAre("beta", "#7"));
}

TEST(MissingSymbols, AnOrdinalMatchesAnyName) {
  PeRecipe importer;
  importer.imports = {{"first.dll", {"#1", "#2", "#3"}}};
  EXPECT_THAT(missingOf(buildPe(importer), 0, buildPe({})), ElementsAre("#3"));
}

TEST(Check, FindsNothingInAGoodImage) {
  EXPECT_THAT(problemsOf(buildPe({})), ElementsAre());
  EXPECT_THAT(problemsOf(buildPe(support::recipeFor32Bit())), ElementsAre());
}

} // namespace
} // namespace tcfix::pe
