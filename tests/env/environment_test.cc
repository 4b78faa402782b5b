// All directory layouts of Python environments.

#include "base/error.h"
#include "env/environment.h"
#include "support/folder_tree.h"
#include "support/macho_builder.h"

#include <gmock/gmock.h>

#include <cstdlib>

namespace tcfix::support {
namespace {

using env::Environment;
using env::EnvironmentKind;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Layout : public testing::Test {
protected:
  Layout() {
    ::setenv("HOME", home.path().c_str(), 1); // the user's own site must not be used
  }

  Environment found(llvm::StringRef name, const io::TargetDisk& disk = io::TargetDisk({})) {
    llvm::Expected<Environment> environment = env::findEnvironment(tree.path(name), disk);
    if (environment)
      return *environment;
    ADD_FAILURE() << llvm::toString(environment.takeError());
    return {};
  }

  Problem refused(llvm::StringRef name) {
    llvm::Expected<Environment> environment =
        env::findEnvironment(tree.path(name), io::TargetDisk({}));
    if (!environment)
      return toProblem(environment.takeError(), {});
    ADD_FAILURE() << "was found: " << env::nameOf(environment->kind).str();
    return {};
  }

  /// The sites below the tree, such as "venv/lib/python3.12/site-packages 3.12 own".
  std::vector<std::string> sites(const Environment& environment) {
    std::vector<std::string> texts;
    for (const env::Site& site : environment.sites) {
      llvm::StringRef folder = site.folder;
      if (!folder.consume_front(tree.path() + "/"))
        folder.consume_front(home.path() + "/");
      texts.push_back(folder.str() + " " + site.pythonVersion + " " + nameOf(site.kind).str());
    }
    return texts;
  }

  FolderTree tree, home;
};

TEST_F(Layout, VirtualEnvironment) {
  tree.file("venv/pyvenv.cfg", "home = /usr/bin\ninclude-system-site-packages = false\n"
                               "version = 3.12.3\n");
  tree.makeFolder("venv/lib/python3.12/site-packages");
  tree.link("venv/lib64", "lib");
  tree.file("base/bin/python3.12");
  tree.link("venv/bin/python", tree.path("base/bin/python3.12"));
  home.makeFolder(".local/lib/python3.12/site-packages"); // isolated: not used
  Environment environment = found("venv");
  EXPECT_EQ(environment.kind, EnvironmentKind::Venv);
  EXPECT_EQ(environment.root, tree.path("venv"));
  EXPECT_THAT(sites(environment), ElementsAre("venv/lib/python3.12/site-packages 3.12 own"));
  ASSERT_EQ(environment.pythons.size(), 1u);
  EXPECT_EQ(environment.pythons[0].version, "3.12");
  EXPECT_EQ(environment.pythons[0].executable, tree.path("venv/bin/python"));
  EXPECT_EQ(environment.pythons[0].basePrefix, "/usr");
}

TEST_F(Layout, SeveralPythonsFreeThreadedAndPyPy) {
  tree.file("venv/pyvenv.cfg", "home = /usr/bin\n");
  for (const char* version : {"python3.9", "python3.12", "python3.13t", "pypy3.10"})
    tree.makeFolder(std::string("venv/lib/") + version + "/site-packages");
  tree.makeFolder("venv/lib64/python3.12/site-packages"); // a separate directory, as on Fedora
  tree.makeFolder("venv/lib/pythonesque/site-packages");
  tree.file("venv/bin/python3.9");
  tree.file("venv/bin/python3.12");
  tree.file("venv/bin/python");
  Environment environment = found("venv");
  EXPECT_THAT(sites(environment), ElementsAre("venv/lib/pypy3.10/site-packages 3.10 own",
                                              "venv/lib/python3.12/site-packages 3.12 own",
                                              "venv/lib/python3.13t/site-packages 3.13t own",
                                              "venv/lib/python3.9/site-packages 3.9 own",
                                              "venv/lib64/python3.12/site-packages 3.12 own"));
  ASSERT_EQ(environment.pythons.size(), 4u);
  EXPECT_EQ(environment.pythons[1].executable, tree.path("venv/bin/python3.12"));
  EXPECT_EQ(environment.pythons[2].executable, ""); // bin/python may belong to any of them
}

TEST_F(Layout, SystemSitePackages) {
  std::string config = "home = " + tree.path("base/bin") +
                       "\ninclude-system-site-packages = True\nversion_info = 3.12.3\n";
  tree.file("venv/pyvenv.cfg", config);
  tree.makeFolder("venv/lib/python3.12/site-packages");
  tree.makeFolder("base/lib/python3.12/site-packages");
  tree.makeFolder("base/lib/python3.11/site-packages");
  tree.makeFolder("base/lib/python3/dist-packages");
  home.makeFolder(".local/lib/python3.12/site-packages");
  EXPECT_THAT(sites(found("venv")), ElementsAre("venv/lib/python3.12/site-packages 3.12 own",
                                                ".local/lib/python3.12/site-packages 3.12 user",
                                                "base/lib/python3/dist-packages 3 system",
                                                "base/lib/python3.12/site-packages 3.12 system"));
}

TEST_F(Layout, SystemSitePackagesUnderASysroot) {
  tree.file("home/u/venv/pyvenv.cfg",
            "home = /opt/homebrew/opt/python@3.12/bin\ninclude-system-site-packages = true\n");
  tree.makeFolder("home/u/venv/lib/python3.12/site-packages");
  tree.makeFolder(
      "opt/homebrew/Cellar/python@3.12/3.12.4/Frameworks/Python.framework/Versions/3.12/"
      "lib/python3.12/site-packages");
  tree.link("opt/homebrew/opt/python@3.12", "/opt/homebrew/Cellar/python@3.12/3.12.4");
  home.makeFolder(".local/lib/python3.12/site-packages"); // this machine's user is not the target's
  EXPECT_THAT(sites(found("home/u/venv", io::TargetDisk({.sysroot = tree.path()}))),
              ElementsAre("home/u/venv/lib/python3.12/site-packages 3.12 own",
                          "opt/homebrew/opt/python@3.12/Frameworks/Python.framework/Versions/3.12/"
                          "lib/python3.12/site-packages 3.12 system"));
}

TEST_F(Layout, Conda) {
  tree.file("conda/conda-meta/history");
  tree.makeFolder("conda/lib/python3.11/site-packages");
  tree.file("conda/bin/python3.11");
  home.makeFolder(".local/lib/python3.11/site-packages");
  Environment environment = found("conda");
  EXPECT_EQ(environment.kind, EnvironmentKind::Conda);
  EXPECT_EQ(environment.condaMeta, tree.path("conda/conda-meta"));
  EXPECT_THAT(sites(environment), ElementsAre(".local/lib/python3.11/site-packages 3.11 user",
                                              "conda/lib/python3.11/site-packages 3.11 own"));
  EXPECT_EQ(environment.pythons.at(0).executable, tree.path("conda/bin/python3.11"));
}

TEST_F(Layout, WindowsInAnyCase) {
  tree.file("venv/pyvenv.cfg", "home = C:\\Python312\r\nversion = 3.12.3\r\n");
  tree.makeFolder("venv/LIB/Site-Packages");
  tree.file("venv/Scripts/python.exe");
  tree.file("conda/conda-meta/python-3.11.9-h631f459_0_cpython.json");
  tree.makeFolder("conda/Lib/site-packages");
  tree.file("Python313/python313.dll");
  tree.file("Python313/python.exe");
  tree.makeFolder("Python313/Lib/site-packages");
  EXPECT_THAT(sites(found("venv")), ElementsAre("venv/LIB/Site-Packages 3.12 own"));
  EXPECT_EQ(found("venv").pythons.at(0).executable, tree.path("venv/Scripts/python.exe"));
  EXPECT_THAT(sites(found("conda")), ElementsAre("conda/Lib/site-packages 3.11 own"));
  Environment installed = found("Python313");
  EXPECT_EQ(installed.kind, EnvironmentKind::SystemPython);
  EXPECT_THAT(sites(installed), ElementsAre("Python313/Lib/site-packages 3.13 own"));
}

TEST_F(Layout, DebiansPythonHasTwoSites) {
  tree.makeFolder("usr/lib/python3/dist-packages");
  tree.makeFolder("usr/lib/python3.11");
  tree.file("usr/bin/python3.11");
  tree.makeFolder("usr/local/lib/python3.11/dist-packages");
  tree.makeFolder("usr/local/lib/python3.12/site-packages"); // another Python, of /usr/local
  io::TargetDisk disk({.sysroot = tree.path()});
  Environment environment = found("usr", disk);
  EXPECT_EQ(environment.kind, EnvironmentKind::SystemPython);
  EXPECT_THAT(sites(environment), ElementsAre("usr/local/lib/python3.11/dist-packages 3.11 own",
                                              "usr/lib/python3/dist-packages 3 own"));
  ASSERT_EQ(environment.pythons.size(), 1u);
  EXPECT_EQ(environment.pythons[0].executable, tree.path("usr/bin/python3.11"));
}

TEST_F(Layout, SitePackagesItself) {
  tree.file("venv/pyvenv.cfg", "home = /nowhere/bin\n");
  std::string site = tree.makeFolder("venv/lib/python3.12/site-packages");
  tree.makeFolder("venv/lib/python3.11/site-packages");
  Environment environment = found("venv/lib/python3.12/site-packages");
  EXPECT_EQ(environment.kind, EnvironmentKind::SitePackages);
  EXPECT_EQ(environment.root, site);
  EXPECT_THAT(sites(environment), ElementsAre("venv/lib/python3.12/site-packages 3.12 own"));
  tree.makeFolder("target/torchcodec-0.9.1.dist-info"); // pip install --target
  EXPECT_EQ(found("target").kind, EnvironmentKind::SitePackages);
}

TEST_F(Layout, DirectoryAndFileInsideASite) {
  tree.file("venv/pyvenv.cfg", "home = /nowhere/bin\n");
  std::string cache = tree.file("cache/core", buildMachO({}));
  tree.makeFolder("venv/lib/python3.12/site-packages/torchcodec");
  // uv's symlink mode: the target is the link, not the cache that it leads to.
  std::string library =
      tree.link("venv/lib/python3.12/site-packages/torchcodec/libtorchcodec_core7.dylib", cache);
  tree.link("alias", tree.path("venv"));
  Environment file =
      found("alias/lib/python3.12/site-packages/torchcodec/libtorchcodec_core7.dylib");
  EXPECT_EQ(file.kind, EnvironmentKind::File);
  EXPECT_EQ(file.root, library);
  EXPECT_THAT(sites(file), ElementsAre("venv/lib/python3.12/site-packages 3.12 own"));
  Environment folder = found("venv/lib/python3.12/site-packages/torchcodec");
  EXPECT_EQ(folder.kind, EnvironmentKind::Folder);
  EXPECT_THAT(sites(folder), ElementsAre("venv/lib/python3.12/site-packages 3.12 own"));
}

TEST_F(Layout, APlainDirectoryIsItsOwnSite) {
  tree.makeFolder("bare");
  Environment environment = found("bare");
  EXPECT_EQ(environment.kind, EnvironmentKind::Folder);
  EXPECT_THAT(sites(environment), ElementsAre("bare  own"));
  EXPECT_THAT(environment.pythons, IsEmpty());
}

TEST_F(Layout, AnythingElseIsRefused) {
  EXPECT_EQ(refused("absent").code, ErrorCode::NotFound);
  tree.link("dangling", "absent");
  EXPECT_EQ(refused("dangling").code, ErrorCode::NotFound);
  tree.file("torchcodec-0.9.1-py3-none-any.whl");
  Problem wheel = refused("torchcodec-0.9.1-py3-none-any.whl");
  EXPECT_EQ(wheel.code, ErrorCode::Usage);
  EXPECT_THAT(wheel.hint, HasSubstr("tcfix wheel "));
  tree.file("notes.txt");
  EXPECT_EQ(refused("notes.txt").code, ErrorCode::NotALibrary);
}

} // namespace
} // namespace tcfix::support
