// Search paths for an FFmpeg that is installed later, and plans for unknown disks.
#include "plan/plans.h"
#include "support/macho_builder.h"

namespace tcfix::plan {
namespace {

using resolve::World;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kTorch = "@loader_path/../torch/lib";

ByteVector dylib(const std::string& id, std::vector<support::DependencySpec> dependencies = {},
                 std::vector<std::string> rpaths = {}) {
  support::MachOSpec spec;
  spec.id = id;
  spec.dependencies = std::move(dependencies);
  spec.rpaths = std::move(rpaths);
  spec.symbols = {};
  return support::buildMachO(spec);
}

struct MacTree : Planned {
  explicit MacTree(World& world) : Planned(Platform::MacOs, world) {
    facts.process.arch = "arm64";
    facts.standingPlace = providers::standingPlace(Platform::MacOs, "arm64");
    addTorch("libc10.dylib", dylib("@rpath/libc10.dylib"));
  }
  void addCore(std::vector<std::string> rpaths = {}) {
    addLibrary("libtorchcodec_core7.dylib",
               dylib("@rpath/libtorchcodec_core7.dylib",
                     {{"@rpath/libc10.dylib"}, {"@rpath/libavcodec.61.dylib"}}, std::move(rpaths)));
  }
  std::vector<std::string> entries(const Request& request = {}) {
    return run(request).groups.front().drafts.front().wanted().searchPaths;
  }
};

TEST(StandingPlace, IsWrittenIfNoFfmpegIsInstalled) {
  World world;
  MacTree tree(world);
  tree.addCore();
  PackagePlan plan = tree.run();
  const Draft& draft = plan.groups.front().drafts.front();
  EXPECT_THAT(draft.wanted().searchPaths, ElementsAre(kTorch, "/opt/homebrew/lib"));
  EXPECT_EQ(draft.edits().back().reason.text(), "for an FFmpeg installed later");
  EXPECT_EQ(plan.groups.front().bare.verdict, resolve::Verdict::Fails);
}

TEST(StandingPlace, IsNotWrittenIfFfmpegIsFound) {
  World world;
  MacTree tree(world);
  world.add("/mine/libavcodec.61.dylib", dylib("/mine/libavcodec.61.dylib"));
  tree.addCore({"/mine"});
  EXPECT_THAT(tree.entries(), ElementsAre("/mine", kTorch));
}

TEST(StandingPlace, IsNotWrittenIfOneWasChosen) {
  World world;
  MacTree tree(world);
  world.add("/env/av/.dylibs/libavcodec.61.dylib", dylib("@rpath/libavcodec.61.dylib"));
  tree.addFfmpeg("/env/av/.dylibs", {{"avcodec", "libavcodec.61.dylib"}});
  tree.addCore();
  EXPECT_THAT(tree.entries(), ElementsAre(kTorch, "@loader_path/../av/.dylibs"));
}

TEST(StandingPlace, IsNotWrittenWithFfmpegNone) {
  World world;
  MacTree tree(world);
  tree.addCore();
  EXPECT_THAT(tree.entries({{}, Request::Ffmpeg::None}), ElementsAre(kTorch));
}

TEST(StandingPlace, ComesAfterLiteralEntriesThatDoNotLeadThere) {
  World world;
  MacTree tree(world);
  tree.addCore();
  world.add("/mine/libavcodec.61.dylib", dylib("/mine/libavcodec.61.dylib"));
  EXPECT_THAT(tree.entries({{"/mine"}, Request::Ffmpeg::Auto}), ElementsAre("/mine", kTorch));
  EXPECT_THAT(tree.entries({{"/empty"}, Request::Ffmpeg::Auto}),
              ElementsAre("/empty", kTorch, "/opt/homebrew/lib"));
}

TEST(StandingPlace, IsTheEnvironmentsOwnInsideConda) {
  World world;
  MacTree tree(world);
  tree.facts.standingPlace = {{}, world.at("/env/lib")};
  tree.addCore();
  EXPECT_THAT(tree.entries(), ElementsAre(kTorch, "@loader_path/../lib"));
}

TEST(StandingPlace, IsNotForHashedNames) {
  World world;
  MacTree tree(world);
  tree.addLibrary("libtorchcodec_core7.dylib",
                  dylib("@rpath/libtorchcodec_core7.dylib",
                        {{"@rpath/libc10.dylib"}, {"@rpath/libavcodec.61.19.101.dylib"}}));
  EXPECT_THAT(tree.entries(), ElementsAre(kTorch));
}

TEST(StandingPlace, IsAlsoForOtherLibrariesOfHomebrew) {
  World world;
  MacTree tree(world);
  tree.addLibrary("libtorchcodec_heic.dylib",
                  dylib("@rpath/libtorchcodec_heic.dylib", {{"@rpath/libheif.1.dylib"}}));
  EXPECT_THAT(tree.entries(), ElementsAre("/opt/homebrew/lib"));
  tree.facts.package.recipe = recipe::recipeFor("my-package");
  EXPECT_THAT(tree.entries(), IsEmpty()) << "nothing shows that it would help";
}

ByteVector dllNeeding(const std::vector<std::string>& needed) {
  support::PeRecipe recipe;
  recipe.imports.clear();
  for (const std::string& name : needed)
    recipe.imports.push_back({name, {"first"}});
  return support::buildPe(recipe);
}

TEST(StandingPlace, OnWindowsIsAVariableAndLoadedAtStart) {
  World world(/*isWindows=*/true);
  Planned tree(Platform::Windows, world);
  tree.facts.standingPlace = providers::standingPlace(Platform::Windows, "x86_64");
  tree.addTorch("c10.dll", dllNeeding({}));
  tree.addLibrary("libtorchcodec_core7.dll", dllNeeding({"c10.dll", "avcodec-61.dll"}));
  PackagePlan plan = tree.run();
  const Draft& draft = plan.groups.front().drafts.front();
  EXPECT_THAT(draft.wanted().searchPaths,
              ElementsAre("$ORIGIN\\..\\torch\\lib", "%FFMPEG_SHARED_BIN%"));
  for (const DelayDependency& edit : editsOf<DelayDependency>(draft))
    EXPECT_FALSE(edit.lazy) << "a major without FFmpeg must fail to load";
  EXPECT_EQ(plan.groups.front().bare.verdict, resolve::Verdict::Fails);
}

struct UnknownDiskTree : Planned {
  UnknownDiskTree(Platform platform, World& world) : Planned(platform, world) {
    facts.standingPlace = providers::standingPlace(platform, "arm64");
    facts.package.site = world.at("/env");
  }
  Draft draft(const Request& request = {}) {
    resolve::LibraryStore store(io::TargetDisk({.knowsAbsolutePaths = false}));
    return planPackage(facts, request, Simulation(facts, store)).groups.front().drafts.front();
  }
};

TEST(UnknownDisk, GetsThePathToATorchInstalledLater) {
  World world;
  UnknownDiskTree tree(Platform::MacOs, world);
  tree.addLibrary("libtorchcodec_core7.dylib",
                  dylib("@rpath/libtorchcodec_core7.dylib",
                        {{"@rpath/libc10.dylib"}, {"@rpath/libavcodec.61.dylib"}}));
  EXPECT_THAT(tree.draft().wanted().searchPaths, ElementsAre(kTorch, "/opt/homebrew/lib"));
  EXPECT_THAT(tree.draft({{"/theirs"}, Request::Ffmpeg::Auto}).wanted().searchPaths,
              Not(Contains("/opt/homebrew/lib")))
      << "an entry that cannot be checked is assumed to work";
}

TEST(UnknownDisk, OfLinuxGetsTheEditsOfAWheel) {
  World world;
  UnknownDiskTree tree(Platform::Linux, world);
  test::ElfSpec spec;
  spec.needed = {"libc10.so", "libavcodec.so.61", "libpython3.12.so.1.0"};
  spec.versions.clear();
  spec.symbols.clear();
  tree.addLibrary("libtorchcodec_core7.so", test::buildElf(spec).bytes);
  const Draft draft = tree.draft();
  EXPECT_THAT(draft.wanted().searchPaths, ElementsAre("$ORIGIN/../torch/lib"));
  EXPECT_EQ(draft.wanted().searchPathKind, SearchPathKind::Rpath);
  EXPECT_EQ(editsOf<RemoveDependency>(draft).size(), 1u);
}

} // namespace
} // namespace tcfix::plan
