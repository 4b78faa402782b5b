// The rules of Windows' loader, and of the helper inside converted DLLs.
#include "resolve/world.h"

namespace tcfix::resolve {
namespace {

using support::PeRecipe;
using testing::ElementsAre;
using State = Binding::State;

struct WindowsWorld : World {
  WindowsWorld() : World(/*isWindows=*/true) {}

  std::string dll(llvm::StringRef target, std::vector<support::PeImport> imports = {},
                  std::vector<support::PeExport> exports = {{"used", ""}}) {
    PeRecipe recipe;
    recipe.imports = std::move(imports);
    recipe.exports = std::move(exports);
    return add(target, support::buildPe(recipe));
  }
};

Dependency ours(llvm::StringRef name) {
  return {name.str(), DependencyKind::Delay};
}

TEST(Windows, TheFoldersOfAPythonAreSearchedInOrder) {
  WindowsWorld world;
  std::string python = world.dll("C/py/python.exe");
  std::string root = world.dll("C/sp/pkg/core.dll", {{"Own.dll", {"used"}},
                                                     {"app.dll", {"used"}},
                                                     {"added.dll", {"used"}},
                                                     {"system.dll", {"used"}}});
  for (const char* place :
       {"C/sp/pkg/own.dll", "C/py/own.dll", "C/py/app.dll", "C/torch/app.dll", "C/torch/added.dll",
        "C/Windows/System32/added.dll", "C/Windows/System32/system.dll"})
    world.dll(place);
  ProcessOptions options;
  options.executable = python;
  options.dllFolders = {world.at("C/torch")};
  options.environment = {{"PATH", "C:\\onpath"}};
  LoadResult result = world.session(options).load(root);
  EXPECT_EQ(result.verdict, Verdict::Loads);
  EXPECT_EQ(bindingOf(result, "Own.dll").provider, world.at("C/sp/pkg/own.dll"));
  EXPECT_EQ(bindingOf(result, "app.dll").how.text(), "the program's folder");
  EXPECT_EQ(bindingOf(result, "added.dll").how.text(), "AddDllDirectory");
  EXPECT_EQ(bindingOf(result, "system.dll").how.text(), "System32");
}

TEST(Windows, PathIsNotSearched) {
  WindowsWorld world;
  std::string root = world.dll("C/sp/core.dll", {{"ffmpeg.dll", {"used"}}});
  world.dll("C/onpath/ffmpeg.dll");
  ProcessOptions options;
  options.environment = {{"PATH", "C:\\onpath"}};
  EXPECT_THAT(codesOf(world.session(options).load(root)), ElementsAre("missing-dependency"));
}

TEST(Windows, ALoadedNameIsUsed) {
  WindowsWorld world;
  std::string first = world.dll("C/torch/C10.dll");
  std::string root = world.dll("C/sp/core.dll", {{"c10.dll", {"used"}}});
  world.dll("C/sp/c10.dll");
  Session session = world.session();
  session.load(first);
  EXPECT_EQ(bindingOf(session.load(root), "c10.dll").provider, first);
}

TEST(Windows, SystemNamesNeedNoFile) {
  WindowsWorld world;
  std::string root = world.dll("C/sp/core.dll", {{"KERNEL32.dll", {"Sleep"}},
                                                 {"api-ms-win-crt-heap-l1-1-0.dll", {"malloc"}},
                                                 {"MSVCP140.dll", {"what"}},
                                                 {"python312.dll", {"Py_Initialize"}}});
  LoadResult result = world.session().load(root);
  EXPECT_EQ(result.verdict, Verdict::Loads);
  EXPECT_EQ(bindingOf(result, "KERNEL32.dll").state, State::Assumed);
  EXPECT_EQ(bindingOf(result, "api-ms-win-crt-heap-l1-1-0.dll").state, State::System);
}

TEST(Windows, AMissingSymbolFailsTheLoad) {
  WindowsWorld world;
  std::string root = world.dll("C/sp/core.dll", {{"a.dll", {"used", "gone", "#9"}}});
  world.dll("C/sp/a.dll");
  LoadResult result = world.session().load(root);
  ASSERT_THAT(codesOf(result), ElementsAre("missing-symbols"));
  EXPECT_THAT(result.problems[0].symbols, ElementsAre("gone", "#9"));
}

TEST(Windows, ForwardersAreFollowed) {
  WindowsWorld world;
  std::string root = world.dll("C/sp/core.dll", {{"a.dll", {"good", "bad", "api"}}});
  world.dll("C/sp/a.dll", {},
            {{"api", "api-ms-win-core.x"}, {"bad", "b.gone"}, {"good", "b.used"}});
  world.dll("C/sp/b.dll");
  LoadResult result = world.session().load(root);
  ASSERT_THAT(codesOf(result), ElementsAre("missing-symbols"));
  EXPECT_THAT(result.problems[0].symbols, ElementsAre("bad"));
}

TEST(Windows, ALinkersDelayImportMayBeMissing) {
  WindowsWorld world;
  std::string root = world.dll("C/sp/core.dll", {{"later.dll", {"used"}, true, true, true}});
  LoadResult result = world.session().load(root);
  EXPECT_EQ(result.verdict, Verdict::Loads);
  EXPECT_EQ(bindingOf(result, "later.dll").state, State::Optional);
}

struct Converted : testing::Test {
  Converted() { root = world.dll("C/sp/pkg/core.dll", {{"av.dll", {"used"}}}); }

  LoadResult load(std::vector<std::string> searchPaths, ProcessOptions options = {}) {
    Session session = world.session(std::move(options));
    session.overrideLibrary(root, {.dependencies = {ours("av.dll")}, .searchPaths = searchPaths});
    return session.load(root);
  }

  WindowsWorld world;
  std::string root;
};

TEST_F(Converted, ItsListIsSearched) {
  std::string av = world.dll("C/sp/av.libs/av.dll");
  LoadResult result = load({"C:\\none", "%NOT_SET%", "$ORIGIN\\..\\av.libs"});
  EXPECT_EQ(result.verdict, Verdict::Loads);
  Binding binding = bindingOf(result, "av.dll");
  EXPECT_EQ(binding.provider, av);
  EXPECT_EQ(binding.how.text(), "$ORIGIN\\..\\av.libs");
  EXPECT_THAT(placesOf(binding.tried), ElementsAre("C:\\none\\av.dll", "%NOT_SET%"));
}

TEST_F(Converted, AVariableIsExpanded) {
  world.dll("C/tools/bin/av.dll");
  ProcessOptions options;
  options.environment = {{"FFMPEG_SHARED_BIN", "C:\\tools\\bin"}};
  EXPECT_EQ(load({"%ffmpeg_shared_bin%"}, options).verdict, Verdict::Loads);
  EXPECT_EQ(load({"%ffmpeg_shared_bin%"}).verdict, Verdict::Fails);
}

TEST_F(Converted, AMissingOneFailsTheLoadAndNothingStays) {
  Session session = world.session();
  session.overrideLibrary(root, {.dependencies = {ours("av.dll")}, .searchPaths = {"$ORIGIN"}});
  EXPECT_THAT(codesOf(session.load(root)), ElementsAre("missing-dependency"));
  EXPECT_TRUE(session.loaded().empty());
}

// The folders at the end of every search are on another machine.
TEST_F(Converted, DllsOnAnotherMachineAreUnknown) {
  world.dll("C/sp/pkg/both.dll", {{"KERNEL32.dll", {"Sleep"}}, {"av.dll", {"used"}}});
  LibraryStore store(io::TargetDisk({.isWindows = true, .knowsAbsolutePaths = false}));
  LoadResult plain = Session(store, {}).load(world.at("C/sp/pkg/both.dll"));
  EXPECT_EQ(plain.verdict, Verdict::Unknown);
  EXPECT_EQ(bindingOf(plain, "KERNEL32.dll").state, State::Assumed);
  EXPECT_EQ(bindingOf(plain, "av.dll").state, State::Unknown);
  Session converted(store, {});
  converted.overrideLibrary(root, {.dependencies = {ours("av.dll")}, .searchPaths = {"$ORIGIN"}});
  EXPECT_EQ(converted.load(root).verdict, Verdict::Unknown);
}

TEST_F(Converted, TheDeepestCauseComesFirst) {
  world.dll("C/av/av.dll", {{"x264.dll", {"used"}}});
  LoadResult result = load({"C:\\av"});
  ASSERT_FALSE(result.problems.empty());
  EXPECT_EQ(result.problems[0].dependency, "x264.dll");
  EXPECT_EQ(result.problems.back().dependency, "av.dll");
}

TEST_F(Converted, TheSiblingsOfAFoundDllAreFound) {
  world.dll("C/av/av.dll", {{"x264.dll", {"used"}}});
  world.dll("C/av/x264.dll");
  EXPECT_EQ(load({"C:\\av"}).verdict, Verdict::Loads);
}

TEST_F(Converted, TheDependenciesOfAFoundDllMayBeOnPath) {
  world.dll("C/av/av.dll", {{"x264.dll", {"used"}}});
  world.dll("C/codecs/x264.dll");
  ProcessOptions options;
  options.environment = {{"Path", "C:\\other;C:\\codecs"}};
  EXPECT_EQ(load({"C:\\av"}, options).verdict, Verdict::Loads);
  EXPECT_EQ(load({"C:\\av"}).verdict, Verdict::Fails);
}

TEST_F(Converted, ItsSymbolsAreChecked) {
  world.dll("C/av/av.dll", {}, {{"other", ""}});
  EXPECT_THAT(codesOf(load({"C:\\av"})), ElementsAre("missing-symbols"));
}

} // namespace
} // namespace tcfix::resolve
