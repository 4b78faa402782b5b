// RUNPATH or RPATH: the kind that loads; if both do, the current one, else RUNPATH.
#include "plan/plans.h"

namespace tcfix::plan {
namespace {

using resolve::Verdict;
using resolve::World;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

ByteVector elf(std::vector<std::string> needed, std::string runpath = {}, std::string rpath = {}) {
  test::ElfSpec spec;
  spec.needed = std::move(needed);
  spec.runpath = std::move(runpath);
  spec.rpath = std::move(rpath);
  spec.versions = {};
  spec.symbols = {};
  spec.soname = {};
  return test::buildElf(spec).bytes;
}

/// core7 needs torch, and FFmpeg's avcodec, which needs avutil beside it.
struct LinuxTree : Planned {
  explicit LinuxTree(World& world, ByteVector core, const std::string& ffmpegRunpath = {})
      : Planned(Platform::Linux, world) {
    addTorch("libc10.so", elf({}));
    world.add("/env/av.libs/libavcodec.so.61", elf({"libavutil.so.59"}, ffmpegRunpath));
    world.add("/env/av.libs/libavutil.so.59", elf({}));
    addFfmpeg("/env/av.libs", {{"avcodec", "libavcodec.so.61"}, {"avutil", "libavutil.so.59"}});
    addLibrary("libtorchcodec_core7.so", core);
  }
};

const Draft& core(const PackagePlan& plan) {
  return plan.groups.front().drafts.front();
}

TEST(ElfKind, RunpathIsTheDefault) {
  World world;
  PackagePlan plan = LinuxTree(world, elf({"libc10.so", "libavcodec.so.61"}), "$ORIGIN").run();
  EXPECT_EQ(plan.groups.front().bare.verdict, Verdict::Loads);
  EXPECT_EQ(core(plan).wanted().searchPathKind, SearchPathKind::Runpath);
  EXPECT_THAT(core(plan).wanted().searchPaths,
              ElementsAre("$ORIGIN/../torch/lib", "$ORIGIN/../av.libs"));
  EXPECT_THAT(editsOf<SetSearchPathKind>(core(plan)), IsEmpty());
}

TEST(ElfKind, OnlyRpathReachesTheDependenciesOfDependencies) {
  World world;
  PackagePlan plan = LinuxTree(world, elf({"libc10.so", "libavcodec.so.61"})).run();
  EXPECT_EQ(plan.groups.front().bare.verdict, Verdict::Loads);
  EXPECT_EQ(core(plan).wanted().searchPathKind, SearchPathKind::Rpath);
  EXPECT_THAT(editsOf<SetSearchPathKind>(core(plan)), SizeIs(1));
}

TEST(ElfKind, TheCurrentKindIsKeptIfBothLoad) {
  World world;
  ByteVector library = elf({"libc10.so", "libavcodec.so.61"}, {}, "/opt/somebody");
  PackagePlan plan = LinuxTree(world, library, "$ORIGIN").run();
  EXPECT_EQ(core(plan).wanted().searchPathKind, SearchPathKind::Rpath);
  EXPECT_EQ(core(plan).wanted().searchPaths.front(), "/opt/somebody");
  EXPECT_THAT(editsOf<SetSearchPathKind>(core(plan)), IsEmpty());
}

TEST(ElfKind, TheDefaultIsKeptIfNeitherLoads) {
  World world;
  LinuxTree tree(world, elf({"libc10.so", "libavcodec.so.61", "libgone.so"}), "$ORIGIN");
  PackagePlan plan = tree.run();
  EXPECT_EQ(plan.groups.front().bare.verdict, Verdict::Fails);
  EXPECT_EQ(core(plan).wanted().searchPathKind, SearchPathKind::Runpath);
}

TEST(ElfKind, ALibraryThatNeedsNothingIsNotChanged) {
  World world;
  PackagePlan plan = LinuxTree(world, elf({})).run();
  EXPECT_EQ(plan.groups.front().bare.verdict, Verdict::Loads);
  EXPECT_THAT(core(plan).edits(), IsEmpty());
}

TEST(ElfKind, LibpythonIsDroppedOnlyIfNothingProvidesIt) {
  for (bool isThere : {false, true}) {
    World world;
    LinuxTree tree(world, elf({"libc10.so", "libpython3.12.so.1.0"}));
    // The interpreter's RPATH leads to it; a planned RUNPATH would hide it.
    tree.facts.process.executable = world.add("/env/bin/python3.12", elf({}, {}, "$ORIGIN/../lib"));
    if (isThere)
      world.add("/env/lib/libpython3.12.so.1.0", elf({}));
    PackagePlan plan = tree.run();
    EXPECT_EQ(plan.groups.front().bare.verdict, Verdict::Loads);
    EXPECT_THAT(editsOf<RemoveDependency>(core(plan)), SizeIs(isThere ? 0 : 1));
    EXPECT_EQ(core(plan).wanted().searchPathKind,
              isThere ? SearchPathKind::Rpath : SearchPathKind::Runpath);
  }
}

// Not about the kind, but about an entry that hides a library of the system.
TEST(ElfLiteral, AnEntryThatWouldStopItFromLoadingIsNotWritten) {
  World world;
  LinuxTree tree(world, elf({"libc10.so", "libavcodec.so.61"}, "$ORIGIN/../torch/lib"), "$ORIGIN");
  for (const char* name : {"libavcodec.so.61", "libavutil.so.59"})
    world.add("/usr/lib64/" + std::string(name), elf({}));
  world.add("/bad/libavcodec.so.61", elf({"libgone.so"}));
  PackagePlan plan = tree.run({{"/bad"}, Request::Ffmpeg::Auto});
  EXPECT_EQ(plan.groups.front().bare.verdict, Verdict::Loads);
  EXPECT_THAT(core(plan).edits(), IsEmpty());
  EXPECT_THAT(plan.warnings, ElementsAre(testing::HasSubstr("/bad")));
}

} // namespace
} // namespace tcfix::plan
