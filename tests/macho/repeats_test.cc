// A duplicate dependency: one load command is removed, and every ordinal is adjusted. Files of real
// linkers are tested in tests/real/test_repeats.py.

#include "support/macho_builder.h"
#include "support/outcomes.h"

#include <gmock/gmock.h>

namespace tcfix::support {
namespace {

using namespace llvm::MachO;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// _one comes from the first dependency, and so on. The re-export in the trie is of the third.
MachOSpec repeatingSpec(uint32_t first = LC_LOAD_DYLIB, uint32_t second = LC_LOAD_DYLIB) {
  MachOSpec spec;
  spec.dependencies = {{"@rpath/a.dylib", first}, {"@rpath/a.dylib", second}, {"@rpath/b.dylib"}};
  spec.symbols = {{"_demo"}, {"_one", 1}, {"_two", 2}, {"_three", 3}};
  spec.exportTrie = {0, 1, '_', 'r', 0, 6, 3, EXPORT_SYMBOL_FLAGS_REEXPORT, 3, 0, 0};
  return signedAs(SignatureStyle::AdHoc, spec);
}

std::vector<std::string> boundImportsOf(Bytes bytes) {
  Image image = valueOf(formats::inspect(bytes, {.withSymbols = true}));
  std::vector<std::string> imports;
  for (const ImportedSymbol& symbol : image.slices.front().imports)
    imports.push_back(symbol.name + " " + symbol.from);
  return imports;
}

std::vector<std::pair<std::string, DependencyKind>> kindsOf(Bytes bytes) {
  std::vector<std::pair<std::string, DependencyKind>> found;
  for (const Dependency& dependency : sliceOf(bytes).dependencies)
    found.emplace_back(dependency.name, dependency.kind);
  return found;
}

TEST(Repeats, AreMergedByAnyEdit) {
  ByteVector original = buildMachO(repeatingSpec());
  EditOutcome outcome = outcomeOf(original, asking({AddSearchPath{"/opt/x"}}));
  ByteVector result = rewritten(outcome.rewrite, original);
  EXPECT_THAT(boundImportsOf(result),
              ElementsAre("_one @rpath/a.dylib", "_two @rpath/a.dylib", "_three @rpath/b.dylib"));
  EXPECT_EQ(kindsOf(result).size(), 2u);
  EXPECT_THAT(signatureProblems(result), IsEmpty());
  EXPECT_THAT(outcome.warnings, IsEmpty());
  EXPECT_EQ(result.size(), original.size());
  EXPECT_EQ(rewritten(reverseOf(outcome.rewrite, original), result), original);
  // The trie refers to the third dependency, which is now the second.
  const ByteVector before = {EXPORT_SYMBOL_FLAGS_REEXPORT, 3, 0, 0};
  const ByteVector after = {EXPORT_SYMBOL_FLAGS_REEXPORT, 2, 0, 0};
  EXPECT_EQ(textOf(result).count(textOf(after)), textOf(original).count(textOf(before)));
  // A second edit changes nothing.
  EXPECT_TRUE(outcomeOf(result, asking({AddSearchPath{"/opt/x"}})).rewrite.isIdentity());
}

TEST(Repeats, AreKeptWithoutAnEdit) {
  ByteVector original = buildMachO(repeatingSpec());
  EXPECT_TRUE(outcomeOf(original, asking({})).rewrite.isIdentity());
}

TEST(Repeats, KeepWhatEitherOfThemRequires) {
  struct {
    uint32_t first, second;
    DependencyKind merged;
  } const cases[] = {
      {LC_LOAD_WEAK_DYLIB, LC_LOAD_DYLIB, DependencyKind::Normal},
      {LC_LOAD_DYLIB, LC_LOAD_WEAK_DYLIB, DependencyKind::Normal},
      {LC_LOAD_WEAK_DYLIB, LC_LOAD_WEAK_DYLIB, DependencyKind::Weak},
      {LC_LOAD_WEAK_DYLIB, LC_REEXPORT_DYLIB, DependencyKind::Reexport},
      {LC_REEXPORT_DYLIB, LC_LOAD_DYLIB, DependencyKind::Reexport},
  };
  for (const auto& [first, second, merged] : cases) {
    ByteVector result = edited(buildMachO(repeatingSpec(first, second)), {AddSearchPath{"/opt/x"}});
    EXPECT_THAT(kindsOf(result),
                ElementsAre(std::pair<std::string, DependencyKind>("@rpath/a.dylib", merged),
                            std::pair<std::string, DependencyKind>("@rpath/b.dylib",
                                                                   DependencyKind::Normal)));
  }
}

void expectLeftAlone(const MachOSpec& spec) {
  ByteVector original = buildMachO(spec);
  EditOutcome outcome = outcomeOf(original, asking({AddSearchPath{"/opt/x"}}));
  EXPECT_THAT(outcome.warnings,
              ElementsAre(HasSubstr("lists the dependency @rpath/a.dylib twice")));
  EXPECT_EQ(kindsOf(rewritten(outcome.rewrite, original)).size(), 3u);
}

TEST(Repeats, AreKeptIfTheyAreLoadedAtDifferentTimes) {
  expectLeftAlone(repeatingSpec(LC_LOAD_DYLIB, LC_LOAD_UPWARD_DYLIB));
}

TEST(Repeats, AreKeptIfATableIsCorrupt) {
  MachOSpec spec = repeatingSpec();
  spec.symbols.push_back({"_none", 9});
  expectLeftAlone(spec);
  spec = repeatingSpec();
  spec.exportTrie[8] = 9; // re-exported from a missing dependency
  expectLeftAlone(spec);
  spec.exportTrie[5] = 99; // an edge that leads outside
  expectLeftAlone(spec);
}

} // namespace
} // namespace tcfix::support
