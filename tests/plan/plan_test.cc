// Plans for given facts: one library for FFmpeg 7, and what it can find.

#include "plan/plan.h"
#include "support/folder_tree.h"
#include "support/macho_builder.h"

#include <gmock/gmock.h>

namespace tcfix::support {
namespace {

using plan::Request;
using resolve::Verdict;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ByteVector image(const std::string& id, std::vector<DependencySpec> dependencies = {},
                 std::vector<std::string> rpaths = {}) {
  MachOSpec spec;
  spec.id = id;
  spec.dependencies = std::move(dependencies);
  spec.rpaths = std::move(rpaths);
  spec.symbols = {};
  return buildMachO(spec);
}

class PlanTest : public testing::Test {
protected:
  PlanTest() : disk({.sysroot = tree.path()}), store(disk) {
    facts.package.name = "torchcodec";
    facts.package.recipe = recipe::defaultRecipe();
    facts.root = tree.makeFolder("env");
    tree.file("env/torch/lib/libc10.dylib", image("@rpath/libc10.dylib"));
    facts.isAfterTorch = true;
    facts.torch = {"2.9.1", tree.path("env/torch/lib"), tree.path("env")};
    facts.torchNames = {"libc10.dylib"};
    facts.process.arch = "arm64";
  }

  /// torchcodec's library, as the installer left it.
  void library(const std::vector<std::string>& rpaths = {}) {
    survey::LibraryFacts core;
    core.name = "libtorchcodec_core7.dylib";
    core.original.dependencies = {{"@rpath/libc10.dylib", DependencyKind::Normal},
                                  {"@rpath/libavcodec.61.dylib", DependencyKind::Normal}};
    core.original.searchPaths = rpaths;
    std::vector<DependencySpec> names;
    for (const Dependency& dependency : core.original.dependencies)
      names.push_back({dependency.name});
    core.path =
        tree.file("env/torchcodec/" + core.name, image("@rpath/" + core.name, names, rpaths));
    core.role = facts.package.recipe.roleOf(core.name);
    facts.libraries = {core};
  }

  void ffmpeg(providers::FfmpegSource source, const std::string& folder,
              const std::string& file = "libavcodec.61.dylib",
              std::vector<DependencySpec> needs = {}) {
    tree.file(folder + "/" + file, image("/" + folder + "/" + file, std::move(needs)));
    providers::FfmpegInstall install;
    install.major = 7;
    install.source = source;
    install.folder = tree.path(folder);
    install.searchPath = source == providers::FfmpegSource::Pyav ? "" : "/" + folder;
    install.description = folder;
    install.files["avcodec"] = file;
    facts.ffmpegs.push_back(install);
  }

  plan::PackagePlan plan(const Request& request = {}) {
    plan::PackagePlan result = planPackage(facts, request, survey::Simulation(facts, store));
    EXPECT_EQ(result.groups.size(), 1u);
    return result;
  }
  static const std::vector<std::string>& entries(const plan::PackagePlan& plan) {
    return plan.groups[0].drafts[0].wanted().searchPaths;
  }

  FolderTree tree;
  io::TargetDisk disk;
  resolve::LibraryStore store;
  survey::PackageFacts facts;
};

TEST_F(PlanTest, AddsPathsToTorchAndTheFirstFfmpegThatLoads) {
  library();
  ffmpeg(providers::FfmpegSource::Homebrew, "broken", "libavcodec.61.dylib", {{"/opt/gone.dylib"}});
  ffmpeg(providers::FfmpegSource::MacPorts, "good");
  ffmpeg(providers::FfmpegSource::MacPorts, "later");
  plan::PackagePlan made = plan();
  EXPECT_THAT(entries(made), ElementsAre("@loader_path/../torch/lib", "/good"));
  EXPECT_EQ(made.groups[0].bare.verdict, Verdict::Loads);
  EXPECT_EQ(made.groups[0].ffmpeg, 1u);
  EXPECT_THAT(made.ffmpegs[0].reason, HasSubstr("/opt/gone.dylib"));
  EXPECT_THAT(made.ffmpegs[1].chosenFor, ElementsAre(facts.libraries[0].path));
  EXPECT_THAT(made.ffmpegs[2].reason, HasSubstr("is preferred"));
}

TEST_F(PlanTest, UsesTheNamesOfTheFiles) {
  library();
  ffmpeg(providers::FfmpegSource::Pyav, "env/av/.dylibs", "libavcodec.61.19.101.dylib");
  plan::PackagePlan made = plan();
  EXPECT_THAT(entries(made),
              ElementsAre("@loader_path/../torch/lib", "@loader_path/../av/.dylibs"));
  EXPECT_EQ(made.groups[0].drafts[0].wanted().dependencies[1].name,
            "@rpath/libavcodec.61.19.101.dylib");
  EXPECT_EQ(made.groups[0].bare.verdict, Verdict::Loads);
}

TEST_F(PlanTest, PrefersGivenThenResolvingThenFoundFfmpegs) {
  library({"/own"});
  ffmpeg(providers::FfmpegSource::Homebrew, "brew");
  tree.file("own/libavcodec.61.dylib", image("/own/libavcodec.61.dylib"));
  EXPECT_THAT(entries(plan()), ElementsAre("/own", "@loader_path/../torch/lib"));
  facts.ffmpegs[0].source = providers::FfmpegSource::Option;
  EXPECT_THAT(entries(plan()), ElementsAre("/own", "@loader_path/../torch/lib", "/brew"));
}

TEST_F(PlanTest, PutsLiteralEntriesFirstAndOmitsUnneededOnes) {
  library();
  ffmpeg(providers::FfmpegSource::Homebrew, "brew");
  tree.file("mine/libavcodec.61.dylib", image("/mine/libavcodec.61.dylib"));
  plan::PackagePlan made = plan({{"/nowhere", "/mine"}, Request::Ffmpeg::Auto});
  EXPECT_THAT(entries(made), ElementsAre("/nowhere", "/mine", "@loader_path/../torch/lib"));
  EXPECT_THAT(made.warnings, ElementsAre(HasSubstr("/nowhere contains none")));
}

TEST_F(PlanTest, DoesNotTouchFfmpegOnRequest) {
  library();
  ffmpeg(providers::FfmpegSource::Homebrew, "brew");
  facts.otherFolders = {tree.path("brew")}; // also a place for other libraries
  plan::PackagePlan made = plan({{}, Request::Ffmpeg::None});
  EXPECT_THAT(entries(made), ElementsAre("@loader_path/../torch/lib"));
  EXPECT_EQ(made.groups[0].bare.verdict, Verdict::Fails);
}

TEST_F(PlanTest, AddsPathsToOtherMissingLibraries) {
  library();
  facts.libraries[0].original.dependencies.push_back(
      {"@rpath/libnpp.dylib", DependencyKind::Normal});
  tree.file("env/nvidia/npp/lib/libnpp.dylib", image("@rpath/libnpp.dylib"));
  facts.otherFolders = {tree.path("env/nvidia/npp/lib")};
  ffmpeg(providers::FfmpegSource::Homebrew, "brew");
  EXPECT_THAT(entries(plan()),
              ElementsAre("@loader_path/../torch/lib", "/brew", "@loader_path/../nvidia/npp/lib"));
}

TEST_F(PlanTest, PlansNothingIfEverythingLoads) {
  library({"@loader_path/../torch/lib", "/brew"});
  ffmpeg(providers::FfmpegSource::Homebrew, "brew");
  plan::PackagePlan made = plan();
  EXPECT_THAT(made.groups[0].drafts[0].edits(), IsEmpty());
  EXPECT_EQ(made.groups[0].ffmpegFolder, tree.path("brew"));
  EXPECT_EQ(made.ffmpegs[0].reason, "found without a change");
}

} // namespace
} // namespace tcfix::support
