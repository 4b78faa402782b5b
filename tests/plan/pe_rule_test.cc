// Windows: dependencies that the search list finds are delayed; others still fail to load.
#include "plan/plans.h"

namespace tcfix::plan {
namespace {

using resolve::Verdict;
using resolve::World;
using testing::ElementsAre;
using testing::IsEmpty;

ByteVector dll(std::vector<std::string> needed) {
  support::PeRecipe recipe;
  recipe.imports.clear();
  for (const std::string& name : needed)
    recipe.imports.push_back({name, {"first"}});
  return support::buildPe(recipe);
}

struct WindowsTree : Planned {
  explicit WindowsTree(World& world) : Planned(Platform::Windows, world) {
    addTorch("c10.dll", dll({}));
    world.add("/env/av.libs/avcodec-61-0123.dll", dll({"avutil-59-4567.dll"}));
    world.add("/env/av.libs/avutil-59-4567.dll", dll({}));
    addFfmpeg("/env/av.libs",
              {{"avcodec", "avcodec-61-0123.dll"}, {"avutil", "avutil-59-4567.dll"}});
  }
};

std::vector<std::string> delayed(const Draft& draft) {
  std::vector<std::string> names;
  for (const DelayDependency& edit : editsOf<DelayDependency>(draft)) {
    EXPECT_FALSE(edit.lazy) << "torchcodec would use a major whose FFmpeg is missing";
    names.push_back(edit.pattern);
  }
  return names;
}

TEST(PeRule, TorchAndFfmpegAreInTheList) {
  World world(/*isWindows=*/true);
  WindowsTree tree(world);
  tree.addLibrary("libtorchcodec_core7.dll", dll({"C10.dll", "avcodec-61.dll", "avutil-59.dll"}));
  PackagePlan plan = tree.run();
  EXPECT_EQ(plan.groups.front().bare.verdict, Verdict::Loads);
  const Draft& draft = plan.groups.front().drafts.front();
  EXPECT_THAT(delayed(draft), ElementsAre("C10.dll", "avcodec-61-0123.dll", "avutil-59-4567.dll"));
  EXPECT_THAT(draft.wanted().searchPaths,
              ElementsAre("$ORIGIN\\..\\torch\\lib", "$ORIGIN\\..\\av.libs"));
}

TEST(PeRule, AMajorWithoutFfmpegIsNotInTheList) {
  World world(/*isWindows=*/true);
  WindowsTree tree(world);
  tree.addLibrary("libtorchcodec_core8.dll", dll({"c10.dll", "avcodec-62.dll"}));
  PackagePlan plan = tree.run();
  EXPECT_EQ(plan.groups.front().bare.verdict, Verdict::Fails);
  const Draft& draft = plan.groups.front().drafts.front();
  EXPECT_THAT(delayed(draft), ElementsAre("c10.dll"));
  EXPECT_THAT(editsOf<RenameDependency>(draft), IsEmpty());
}

TEST(PeRule, DependenciesFoundByLiteralEntriesAreDelayed) {
  World world(/*isWindows=*/true);
  WindowsTree tree(world);
  for (const char* name : {"C/mine/avcodec-62.dll", "C/mine/helper.dll"})
    world.add(name, dll({}));
  tree.addLibrary("libtorchcodec_core8.dll",
                  dll({"c10.dll", "avcodec-62.dll", "helper.dll", "nowhere.dll"}));
  PackagePlan plan = tree.run({{"C:\\mine"}, Request::Ffmpeg::Auto});
  const Draft& draft = plan.groups.front().drafts.front();
  EXPECT_THAT(delayed(draft), ElementsAre("avcodec-62.dll", "helper.dll", "c10.dll"));
  EXPECT_THAT(draft.wanted().searchPaths, ElementsAre("C:\\mine", "$ORIGIN\\..\\torch\\lib"));
  EXPECT_THAT(plan.warnings, IsEmpty());
}

TEST(PeRule, ADirectoryGivenByTheUserIsInTheList) {
  World world(/*isWindows=*/true);
  WindowsTree tree(world);
  world.add("C/private/helper.dll", dll({}));
  tree.addLibrary("my_ext.pyd", dll({"helper.dll"}));
  EXPECT_EQ(tree.run().groups.front().bare.verdict, Verdict::Fails);
  tree.facts.namedFolders = tree.facts.otherFolders = {world.at("C/private")};
  PackagePlan plan = tree.run();
  EXPECT_EQ(plan.groups.front().bare.verdict, Verdict::Loads);
  const Draft& draft = plan.groups.front().drafts.front();
  EXPECT_THAT(delayed(draft), ElementsAre("helper.dll"));
  EXPECT_THAT(draft.wanted().searchPaths, ElementsAre("C:\\private"));
}

TEST(PeRule, DllsBesideNeedNoList) {
  World world(/*isWindows=*/true);
  WindowsTree tree(world);
  world.add("/env/torchcodec/beside.dll", dll({}));
  tree.addLibrary("libtorchcodec_core7.dll", dll({"beside.dll"}));
  PackagePlan plan = tree.run();
  EXPECT_EQ(plan.groups.front().bare.verdict, Verdict::Loads);
  EXPECT_THAT(plan.groups.front().drafts.front().edits(), IsEmpty());
}

} // namespace
} // namespace tcfix::plan
