// Where other libraries than torch's and FFmpeg's are found.

#include "providers/places.h"

#include "support/folder_tree.h"

#include <gmock/gmock.h>

namespace tcfix::support {
namespace {

using testing::ElementsAre;

TEST(OtherPlaces, AreHomebrewsForTheArchitectureFirst) {
  EXPECT_THAT(providers::homebrewPrefixes("arm64"), ElementsAre("/opt/homebrew", "/usr/local"));
  EXPECT_THAT(providers::homebrewPrefixes("x86_64"), ElementsAre("/usr/local", "/opt/homebrew"));
  EXPECT_THAT(providers::homebrewPrefixes(""), ElementsAre("/opt/homebrew", "/usr/local"));
}

TEST(OtherPlaces, AreTheEnvironmentsOwnThenTheSystems) {
  FolderTree tree;
  for (const char* folder : {"site/nvidia/cublas/lib", "site/nvidia/npp/lib", "conda/lib",
                             "opt/homebrew/lib", "usr/local/lib", "opt/local/lib"})
    tree.makeFolder(folder);
  env::Target target{
      {}, {}, {}, Platform::MacOs, "x86_64", io::TargetDisk({.sysroot = tree.path()})};
  target.environment.sites.push_back({tree.path("site"), {}, env::SiteKind::Own});
  target.environment.whole = tree.path("conda");
  target.environment.condaMeta = tree.path("conda/conda-meta");
  EXPECT_THAT(providers::findOtherFolders(target, {}),
              ElementsAre(tree.path("site/nvidia/cublas/lib"), tree.path("site/nvidia/npp/lib"),
                          tree.path("conda/lib"), tree.path("usr/local/lib"),
                          tree.path("opt/homebrew/lib"), tree.path("opt/local/lib")));
  target.platform = Platform::Linux;
  target.environment.condaMeta.clear();
  EXPECT_THAT(providers::findOtherFolders(target, {}),
              ElementsAre(tree.path("site/nvidia/cublas/lib"), tree.path("site/nvidia/npp/lib")));
}

} // namespace
} // namespace tcfix::support
