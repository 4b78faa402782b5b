// What is loaded when an import reaches an extension module.

#include "env/import_order.h"
#include "support/folder_tree.h"

#include <gmock/gmock.h>

namespace tcfix::env {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class ImportOrderTest : public testing::Test {
protected:
  std::vector<std::string> before(const std::string& module, Platform platform = Platform::Linux) {
    ImportReader reader({tree.path("site"), tree.path("other")}, platform, disk);
    std::optional<ImportOrder> order = reader.before(tree.path(module));
    EXPECT_TRUE(order);
    if (!order)
      return {};
    loadsLibraries = mayLoad(order->loadingCode, "libx.so");
    for (std::string& path : order->modules)
      path = path.substr(tree.path("").size());
    return order->modules;
  }

  support::FolderTree tree;
  io::TargetDisk disk{{}};
  bool loadsLibraries = false;
};

TEST_F(ImportOrderTest, PackagesAreExecutedBeforeTheirModules) {
  tree.file("site/a/__init__.py", "from . import _first\nfrom .b import x\nfrom ._late import y\n");
  tree.file("site/a/_first.so", "");
  tree.file("site/a/_late.abi3.so", "");
  tree.file("site/a/b/__init__.py", "from .c import z\n");
  tree.file("site/a/b/c.py", "import a._second, a.b._ext, a._third\n");
  tree.file("site/a/_second.cpython-312-x86_64-linux-gnu.so", "");
  tree.file("site/a/_third.so", "");
  tree.file("site/a/b/_ext.so", "");
  EXPECT_THAT(before("site/a/b/_ext.so"),
              ElementsAre("site/a/_first.so", "site/a/_second.cpython-312-x86_64-linux-gnu.so"));
  EXPECT_THAT(before("site/a/_first.so"), IsEmpty());
}

TEST_F(ImportOrderTest, OtherPackagesAreFollowed) {
  tree.file("site/a/__init__.py", "import os, b\n");
  tree.file("site/a/_ext.so", "");
  tree.file("other/b.py", "import c.d\n");
  tree.file("other/c/d.so", "");
  EXPECT_THAT(before("site/a/_ext.so"), ElementsAre("other/c/d.so"));
}

TEST_F(ImportOrderTest, APackageTakesPrecedenceOverAFile) {
  tree.file("site/a/__init__.py", "import b\n");
  tree.file("site/a/_ext.so", "");
  tree.file("site/b.so", "");
  tree.file("site/b/__init__.py", "");
  tree.file("site/b/c.so", "");
  EXPECT_THAT(before("site/a/_ext.so"), IsEmpty());
}

TEST_F(ImportOrderTest, ModulesOfOtherPlatformsAreNotImported) {
  tree.file("site/a/__init__.py", "from . import _b\n");
  tree.file("site/a/_b.so", "");
  tree.file("site/a/_b.cp312-win_amd64.pyd", "");
  tree.file("site/a/_ext.pyd", "");
  EXPECT_THAT(before("site/a/_ext.pyd", Platform::Windows),
              ElementsAre("site/a/_b.cp312-win_amd64.pyd"));
}

TEST_F(ImportOrderTest, OnlyCodeThatWasExecutedLoadsLibraries) {
  tree.file("site/a/__init__.py", "import b\nfrom ._ext import x\nfrom . import later\n");
  tree.file("site/a/_ext.so", "");
  tree.file("site/a/later.py", "ctypes.CDLL('libx.so')\nfrom . import _other\n");
  tree.file("site/a/_other.so", "");
  tree.file("site/b.py", "ctypes.CDLL('libx.so')\n");
  before("site/a/_ext.so");
  EXPECT_FALSE(loadsLibraries);
  before("site/a/_other.so");
  EXPECT_TRUE(loadsLibraries);
}

TEST_F(ImportOrderTest, CyclesEnd) {
  tree.file("site/a/__init__.py", "import b\nfrom . import c\n");
  tree.file("site/a/c.py", "import a.c\nfrom .... import d\n");
  tree.file("site/b.py", "import a\n");
  tree.file("site/a/_ext.so", "");
  EXPECT_THAT(before("site/a/_ext.so"), IsEmpty());
}

TEST_F(ImportOrderTest, AFileThatIsInNoSiteIsUnknown) {
  EXPECT_FALSE(ImportReader({tree.path("site")}, Platform::Linux, disk).before("/x/_ext.so"));
}

} // namespace
} // namespace tcfix::env
