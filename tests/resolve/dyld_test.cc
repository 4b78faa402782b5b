// The rules of dyld, one at a time. The machines that run these tests have no dyld; docs/loaders.md
// lists each rule with its place in dyld's sources.
#include "resolve/world.h"

namespace tcfix::resolve {
namespace {

using support::MachOSpec;
using testing::ElementsAre;
using testing::IsEmpty;
using State = Binding::State;

struct Dylib {
  std::string id = "@rpath/libx.dylib";
  std::vector<support::DependencySpec> dependencies = {};
  std::vector<std::string> rpaths = {};
  std::vector<support::SymbolSpec> symbols = {};
};

ByteVector build(const Dylib& dylib, MachOSpec spec = {}) {
  spec.id = dylib.id;
  spec.dependencies = dylib.dependencies;
  spec.rpaths = dylib.rpaths;
  spec.symbols = dylib.symbols;
  return support::buildMachO(spec);
}

TEST(Dyld, SearchPathsAreTriedInOrderRelativeToTheImageThatHasThem) {
  World world;
  std::string root = world.add(
      "/venv/torchcodec/core.dylib",
      build({.dependencies = {{"@rpath/liba.dylib"}},
             .rpaths = {"@loader_path/../nowhere", "/opt/none", "@loader_path/../torch/lib"}}));
  std::string found = world.add("/venv/torch/lib/liba.dylib", build({.id = "@rpath/liba.dylib"}));
  LoadResult result = world.session().load(root);
  EXPECT_EQ(result.verdict, Verdict::Loads);
  Binding binding = bindingOf(result, "@rpath/liba.dylib");
  EXPECT_EQ(binding.state, State::Found);
  EXPECT_EQ(binding.provider, found);
  EXPECT_EQ(binding.how.text(), "@loader_path/../torch/lib of core.dylib");
  EXPECT_THAT(placesOf(binding.tried),
              ElementsAre("/venv/nowhere/liba.dylib", "/opt/none/liba.dylib"));
}

TEST(Dyld, ALoadedInstallNameWinsBeforeAnySearch) {
  World world;
  std::string first = world.add("/a/renamed.dylib", build({.id = "@rpath/liba.dylib"}));
  world.add("/b/liba.dylib", build({.id = "@rpath/liba.dylib"}));
  std::string root =
      world.add("/c/core.dylib",
                build({.dependencies = {{"@rpath/liba.dylib"}}, .rpaths = {"@loader_path/../b"}}));
  Session session = world.session();
  EXPECT_EQ(session.load(first).verdict, Verdict::Loads);
  LoadResult result = session.load(root);
  EXPECT_EQ(bindingOf(result, "@rpath/liba.dylib").provider, first);
  EXPECT_THAT(session.loaded(), ElementsAre(first, root));
}

TEST(Dyld, SearchPathsAreInheritedUpToTheExecutable) {
  World world;
  std::string python =
      world.add("/env/bin/python", build({.dependencies = {}, .rpaths = {"@loader_path/../lib"}},
                                         {.fileType = llvm::MachO::MH_EXECUTE}));
  std::string root = world.add(
      "/p/root.dylib", build({.dependencies = {{"@loader_path/liba.dylib"}}, .rpaths = {"/r"}}));
  world.add("/p/liba.dylib",
            build({.id = "/p/liba.dylib",
                   .dependencies = {{"@rpath/libb.dylib"}, {"@rpath/libc.dylib"}}}));
  world.add("/r/libb.dylib", build({.id = "@rpath/libb.dylib"}));
  world.add("/env/lib/libc.dylib", build({.id = "@rpath/libc.dylib"}));
  LoadResult result = world.session({.executable = python}).load(root);
  EXPECT_EQ(result.verdict, Verdict::Loads);
  EXPECT_EQ(bindingOf(result, "@rpath/libb.dylib").how.text(), "/r of root.dylib");
  EXPECT_EQ(bindingOf(result, "@rpath/libc.dylib").how.text(), "@loader_path/../lib of python");
  // Without the executable, that directory is not searched.
  EXPECT_THAT(codesOf(world.session().load(root)), ElementsAre("missing-dependency"));
}

TEST(Dyld, LoaderPathIsTheDirectoryOfTheRealFile) {
  World world;
  std::string real =
      world.add("/keg/lib/liba.1.dylib",
                build({.id = "/opt/liba.dylib", .dependencies = {{"@loader_path/libb.dylib"}}}));
  world.add("/keg/lib/libb.dylib", build({.id = "/opt/libb.dylib"}));
  world.link("/opt/lib/liba.dylib", "/keg/lib/liba.1.dylib");
  std::string root = world.add("/p/root.dylib", build({.dependencies = {{"/opt/lib/liba.dylib"}}}));
  LoadResult result = world.session().load(root);
  EXPECT_EQ(result.verdict, Verdict::Loads);
  EXPECT_EQ(bindingOf(result, "/opt/lib/liba.dylib").provider, real);
}

TEST(Dyld, AllDirectDependenciesComeBeforeTheirs) {
  World world;
  std::string root =
      world.add("/p/root.dylib", build({.dependencies = {{"/p/a.dylib"}, {"/p/b.dylib"}}}));
  std::string a =
      world.add("/p/a.dylib", build({.id = "/p/a.dylib", .dependencies = {{"/p/c.dylib"}}}));
  std::string b = world.add("/p/b.dylib", build({.id = "/p/b.dylib"}));
  std::string c = world.add("/p/c.dylib", build({.id = "/p/c.dylib"}));
  Session session = world.session();
  session.load(root);
  EXPECT_THAT(session.loaded(), ElementsAre(root, a, b, c));
}

TEST(Dyld, SystemLibrariesNeedNoFile) {
  World world;
  std::string root =
      world.add("/p/root.dylib",
                build({.dependencies = {{"/usr/lib/libSystem.B.dylib"}, {"@rpath/libc++.1.dylib"}},
                       .rpaths = {"/usr/lib"},
                       .symbols = {{"_whatever", 1}}}));
  LoadResult result = world.session().load(root);
  EXPECT_EQ(result.verdict, Verdict::Loads);
  EXPECT_EQ(bindingOf(result, "/usr/lib/libSystem.B.dylib").state, State::System);
  EXPECT_EQ(bindingOf(result, "@rpath/libc++.1.dylib").state, State::System);
  // An entry /usr/lib does not make every name part of macOS.
  std::string other =
      world.add("/p/other.dylib",
                build({.dependencies = {{"@rpath/libavutil.59.dylib"}}, .rpaths = {"/usr/lib"}}));
  EXPECT_EQ(world.session().load(other).verdict, Verdict::Fails);
}

TEST(Dyld, ARelativeNameIsFoundOnlyIfItIsLoaded) {
  World world;
  std::string a = world.add("/p/liba.dylib", build({.id = "liba.dylib"}));
  std::string root = world.add("/p/root.dylib", build({.dependencies = {{"liba.dylib"}}}));
  EXPECT_EQ(world.session().load(root).verdict, Verdict::Fails);
  Session session = world.session();
  session.load(a);
  EXPECT_EQ(session.load(root).verdict, Verdict::Loads);
}

TEST(Dyld, AWeakDependencyMayBeMissing) {
  World world;
  std::string root =
      world.add("/p/root.dylib",
                build({.dependencies = {{"@rpath/liba.dylib", llvm::MachO::LC_LOAD_WEAK_DYLIB}},
                       .symbols = {{"_of_a", 1}}}));
  LoadResult result = world.session().load(root);
  EXPECT_EQ(result.verdict, Verdict::Loads);
  EXPECT_EQ(bindingOf(result, "@rpath/liba.dylib").state, State::Optional);
}

TEST(Dyld, FallbackDirectoriesAreForOldImages) {
  World world;
  world.add("/usr/local/lib/liba.dylib", build({.id = "/usr/local/lib/liba.dylib"}));
  Dylib dylib{.dependencies = {{"@rpath/liba.dylib"}}};
  std::string recent = world.add("/p/recent.dylib", build(dylib));
  std::string old = world.add("/p/old.dylib", build(dylib, {.sdk = 0x0d0300}));
  EXPECT_EQ(world.session().load(recent).verdict, Verdict::Fails);
  EXPECT_EQ(world.session().load(old).verdict, Verdict::Loads);
  ProcessOptions options;
  options.environment = {{"DYLD_FALLBACK_LIBRARY_PATH", "/nowhere:/usr/local/lib"}};
  EXPECT_EQ(world.session(options).load(recent).verdict, Verdict::Loads);
}

TEST(Dyld, DyldLibraryPathComesFirst) {
  World world;
  world.add("/p/liba.dylib", build({.id = "@rpath/liba.dylib"}));
  std::string wanted = world.add("/over/liba.dylib", build({.id = "@rpath/liba.dylib"}));
  std::string root =
      world.add("/p/root.dylib",
                build({.dependencies = {{"@rpath/liba.dylib"}}, .rpaths = {"@loader_path"}}));
  ProcessOptions options;
  options.environment = {{"DYLD_LIBRARY_PATH", "/over"}};
  EXPECT_EQ(bindingOf(world.session(options).load(root), "@rpath/liba.dylib").provider, wanted);
}

TEST(Dyld, AFileForAnotherArchitectureIsSkipped) {
  World world;
  std::string root =
      world.add("/p/root.dylib",
                build({.dependencies = {{"@rpath/liba.dylib"}}, .rpaths = {"/intel", "/arm"}}));
  world.add("/intel/liba.dylib", build({.id = "@rpath/liba.dylib"}, {.arch = support::kX86_64}));
  std::string good = world.add("/arm/liba.dylib", build({.id = "@rpath/liba.dylib"}));
  EXPECT_EQ(bindingOf(world.session().load(root), "@rpath/liba.dylib").provider, good);
}

TEST(Dyld, OnlyFilesForAnotherArchitectureAreReported) {
  World world;
  std::string root = world.add(
      "/p/root.dylib", build({.dependencies = {{"@rpath/liba.dylib"}}, .rpaths = {"/intel"}}));
  world.add("/intel/liba.dylib", build({.id = "@rpath/liba.dylib"}, {.arch = support::kX86_64}));
  EXPECT_THAT(codesOf(world.session({.arch = "arm64"}).load(root)),
              ElementsAre("wrong-architecture"));
}

TEST(Dyld, SymbolsAreLookedUpInTheirLibrary) {
  World world;
  std::string root =
      world.add("/p/root.dylib", build({.dependencies = {{"/p/a.dylib"}, {"/p/b.dylib"}},
                                        .symbols = {{"_in_a", 1}, {"_in_b", 1}, {"_flat", 0xfe}}}));
  world.add("/p/a.dylib", build({.id = "/p/a.dylib", .symbols = {{"_in_a"}}}));
  world.add("/p/b.dylib", build({.id = "/p/b.dylib", .symbols = {{"_in_b"}}}));
  LoadResult result = world.session().load(root);
  ASSERT_THAT(codesOf(result), ElementsAre("missing-symbols"));
  EXPECT_EQ(result.problems[0].provider, world.at("/p/a.dylib"));
  EXPECT_THAT(result.problems[0].symbols, ElementsAre("_in_b"));
}

TEST(Dyld, MissingSymbolsAreReportedBesideMissingLibraries) {
  World world;
  std::string root =
      world.add("/p/root.dylib", build({.dependencies = {{"/p/gone.dylib"}, {"/p/a.dylib"}},
                                        .symbols = {{"_in_gone", 1}, {"_not_in_a", 2}}}));
  world.add("/p/a.dylib", build({.id = "/p/a.dylib", .symbols = {{"_in_a"}}}));
  EXPECT_THAT(codesOf(world.session().load(root)),
              ElementsAre("missing-dependency", "missing-symbols"));
}

TEST(Dyld, AReexportedLibraryProvidesItsSymbols) {
  World world;
  std::string root = world.add(
      "/p/root.dylib", build({.dependencies = {{"/p/a.dylib"}}, .symbols = {{"_deep", 1}}}));
  world.add("/p/a.dylib",
            build({.id = "/p/a.dylib",
                   .dependencies = {{"/p/b.dylib", llvm::MachO::LC_REEXPORT_DYLIB}}}));
  world.add("/p/b.dylib", build({.id = "/p/b.dylib", .symbols = {{"_deep"}}}));
  EXPECT_EQ(world.session().load(root).verdict, Verdict::Loads);
}

TEST(Dyld, CyclesOfReexportsEnd) {
  World world;
  std::string root = world.add(
      "/p/a.dylib", build({.id = "/p/a.dylib",
                           .dependencies = {{"/p/b.dylib", llvm::MachO::LC_REEXPORT_DYLIB}},
                           .symbols = {{"_nowhere", 1}}}));
  world.add("/p/b.dylib",
            build({.id = "/p/b.dylib",
                   .dependencies = {{"/p/a.dylib", llvm::MachO::LC_REEXPORT_DYLIB}}}));
  EXPECT_EQ(world.session().load(root).verdict, Verdict::Fails);
}

TEST(Dyld, RepeatedEntriesAreFatalForRecentImages) {
  World world;
  Dylib twice{.dependencies = {{"/usr/lib/libSystem.B.dylib"}}, .rpaths = {"/a", "/a"}};
  std::string old = world.add("/p/old.dylib", build(twice));
  std::string recent = world.add("/p/recent.dylib", build(twice, {.sdk = 0x1a0000}));
  EXPECT_EQ(world.session().load(old).verdict, Verdict::Loads);
  EXPECT_THAT(codesOf(world.session().load(recent)), ElementsAre("duplicate-entry"));
  Session mended = world.session();
  mended.overrideLibrary(recent,
                         {.dependencies = {{"/usr/lib/libSystem.B.dylib"}}, .searchPaths = {"/a"}});
  EXPECT_EQ(mended.load(recent).verdict, Verdict::Loads);
}

TEST(Dyld, RepeatedDependenciesAreFatalForRecentImages) {
  World world;
  Dylib twice{.dependencies = {{"/usr/lib/libSystem.B.dylib"}, {"/usr/lib/libSystem.B.dylib"}}};
  std::string old = world.add("/p/old.dylib", build(twice, {.sdk = 0x0f0500}));
  std::string recent = world.add("/p/recent.dylib", build(twice, {.sdk = 0x1a0000}));
  EXPECT_EQ(world.session().load(old).verdict, Verdict::Loads);
  EXPECT_THAT(codesOf(world.session().load(recent)), ElementsAre("duplicate-dependency"));
}

} // namespace
} // namespace tcfix::resolve
