// The explanations of a failure, and how a dependency was found.
#include "resolve/explain.h"
#include "world.h"

namespace tcfix::resolve {
namespace {

using support::buildMachO;
using support::SignatureStyle;
using support::signedAs;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(FoundBy, AnEntryIsNotAPrefixOfAnother) {
  FoundBy how{FoundBy::Kind::SearchPath, "/opt/lib64", "core.dylib"};
  EXPECT_TRUE(how.isThrough("/opt/lib64"));
  EXPECT_FALSE(how.isThrough("/opt/lib"));
  EXPECT_EQ(how.text(), "/opt/lib64 of core.dylib");
  how.kind = FoundBy::Kind::DefaultDirectory;
  EXPECT_FALSE(how.isThrough("/opt/lib64"));
}

TEST(Explain, ScopesOfSymbols) {
  EXPECT_THAT(scopesOf("_ZN3c1013MessageLoggerC1EPKcii"),
              ElementsAre("3c10", "3c1013MessageLogger"));
  EXPECT_THAT(scopesOf("torch_from_blob"), ElementsAre("torch_", "torch_from_"));
  EXPECT_THAT(scopesOf("main"), IsEmpty());
}

TEST(Explain, MacosRefusesAnUnsignedLibraryOnlyIfExplained) {
  World world;
  std::string path = world.add("/a/core.dylib", buildMachO({}));
  ExplainOptions options;
  EXPECT_THAT(codesOf(world.session().load(path)), IsEmpty());
  LoadResult result = world.session().load(path, &options);
  EXPECT_THAT(codesOf(result), ElementsAre("refused"));
  EXPECT_EQ(result.verdict, Verdict::Fails);
  path = world.add("/a/good.dylib", buildMachO(signedAs(SignatureStyle::AdHoc)));
  EXPECT_THAT(codesOf(world.session().load(path, &options)), IsEmpty());
}

TEST(Explain, SymbolsWithOneOwnerAreMissingAfterAnotherFailure) {
  World world;
  test::ElfSpec spec;
  spec.needed = {"libgone.so"};
  spec.versions = {};
  spec.symbols = {"owned_one", "other"};
  const std::string path = world.add("/a/core.so", test::buildElf(spec).bytes);
  ExplainOptions options;
  options.mainOwner = "/t/libowner.so";
  options.isOwned = [](llvm::StringRef symbol) { return symbol.starts_with("owned_"); };
  LoadResult result = world.session().load(path, &options);
  EXPECT_THAT(codesOf(result), ElementsAre("missing-dependency", "missing-symbols"));
  EXPECT_THAT(result.problems[1].symbols, ElementsAre("owned_one"));
  EXPECT_EQ(result.problems[1].provider, "/t/libowner.so");
}

} // namespace
} // namespace tcfix::resolve
