// torchcodec's libraries: by RECORD, by name, and in all states that installers leave.

#include "env/distribution.h"
#include "env/library_files.h"
#include "env/package.h"
#include "env/target.h"
#include "io/digest.h"
#include "io/system.h"
#include "support/elf_builder.h"
#include "support/folder_tree.h"
#include "support/macho_builder.h"
#include "support/pe_builder.h"

#include <gmock/gmock.h>

namespace tcfix::support {
namespace {

using env::Package;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr llvm::StringLiteral kSite = "venv/lib/python3.12/site-packages/";

class Packages : public testing::Test {
protected:
  Packages() {
    tree.file("venv/pyvenv.cfg", "home = /nowhere/bin\n");
    tree.makeFolder(kSite);
  }

  std::string inSite(llvm::StringRef name) { return (kSite + name).str(); }

  /// Writes a library; returns its row for RECORD.
  std::string library(llvm::StringRef name, llvm::StringRef content = "content") {
    tree.file(inSite(name), content);
    return name.str() + "," + env::recordDigest(io::sha256Hex(bytesOf(content))) + "," +
           std::to_string(content.size()) + "\n";
  }

  void distInfo(llvm::StringRef version, const std::optional<std::string>& record) {
    std::string folder = inSite("torchcodec-" + version.str() + ".dist-info/");
    tree.file(folder + "METADATA", "Metadata-Version: 2.1\nName: torchcodec\nVersion: " +
                                       version.str() + "\n\nVersion: not this one\n");
    if (record)
      tree.file(folder + "RECORD", *record);
  }

  std::vector<Package> found(llvm::StringRef target = "venv",
                             const recipe::Recipe& query = recipe::defaultRecipe()) {
    llvm::Expected<env::Environment> environment = env::findEnvironment(tree.path(target), disk);
    if (environment)
      return env::findPackages(*environment, disk, query);
    ADD_FAILURE() << llvm::toString(environment.takeError());
    return {};
  }

  /// The packages of a file or directory.
  std::vector<Package> named(llvm::StringRef target,
                             const recipe::Recipe& query = recipe::defaultRecipe()) {
    llvm::Expected<env::Target> result = env::findTarget({tree.path(target), "", "", {query}});
    if (result)
      return std::move(result->packages);
    ADD_FAILURE() << llvm::toString(result.takeError());
    return {};
  }

  Problem refused(llvm::StringRef target, const recipe::Recipe& query = recipe::defaultRecipe()) {
    llvm::Expected<env::Target> result = env::findTarget({tree.path(target), "", "", {query}});
    if (!result)
      return toProblem(result.takeError(), {});
    ADD_FAILURE() << target.str();
    return {};
  }

  /// Paths relative to the site.
  std::vector<std::string> names(const std::vector<std::string>& paths) {
    std::vector<std::string> texts;
    for (llvm::StringRef path : paths) {
      path.consume_front(tree.path(kSite));
      texts.push_back(path.str());
    }
    return texts;
  }

  FolderTree tree;
  io::TargetDisk disk{{}};
};

TEST(LibraryName, IsRecognizedByItsSuffix) {
  for (const char* name : {"libtorchcodec_core7.so", "libavcodec.so.61.19", "x.dylib", "X.DLL",
                           "ext.cpython-312-darwin.so", "ext.cp312-win_amd64.pyd"})
    EXPECT_TRUE(env::isLibraryName(name)) << name;
  for (const char* name : {"lib.py", "libx.so.txt", ".so", "libx.so.", "so", "x.dylib.bak", ""})
    EXPECT_FALSE(env::isLibraryName(name)) << name;
}

TEST(Names, AreComparedAsPep503Says) {
  EXPECT_EQ(env::normalizedName("Torch__Codec"), env::normalizedName("torch-.codec"));
  EXPECT_NE(env::normalizedName("torchcodec"), env::normalizedName("torch-codec"));
}

TEST(Metadata, VersionIsInTheHeader) {
  EXPECT_EQ(env::metadataField("Name: x\r\nversion:  1.0 \r\n\r\nVersion: 2", "Version"), "1.0");
  EXPECT_EQ(env::metadataField("Metadata-Version: 2.1\nName: x\n\nVersion: 2\n", "Version"), "");
}

TEST_F(Packages, AreReadFromRecord) {
  std::string record = library("torchcodec/libtorchcodec_core7.so") +
                       library("torchcodec/libtorchcodec_pybind_ops7.so") +
                       library("torchcodec/__init__.py") + library("torchcodec/other.so") +
                       library("torchcodec.libs/libfoo-1234.so.1");
  distInfo("0.9.1", record);
  std::vector<Package> packages = found();
  ASSERT_THAT(packages, SizeIs(1));
  EXPECT_EQ(packages[0].name, "torchcodec");
  EXPECT_EQ(packages[0].version, "0.9.1");
  EXPECT_TRUE(packages[0].hasRecord);
  EXPECT_THAT(names(packages[0].libraries), ElementsAre("torchcodec/libtorchcodec_core7.so",
                                                        "torchcodec/libtorchcodec_pybind_ops7.so"));
  EXPECT_THAT(names(packages[0].grafted), ElementsAre("torchcodec.libs/libfoo-1234.so.1"));
  EXPECT_THAT(packages[0].problems, IsEmpty());
  EXPECT_EQ(packages[0].outward, "");
}

TEST_F(Packages, CanBeAnyByName) {
  std::string record = library("cv2/cv2.abi3.so") + library("cv2/deep/er/x.so");
  tree.file(inSite("opencv_python-4.10.dist-info/RECORD"), record);
  tree.file(inSite("cv2/__init__.py"), "");
  std::vector<Package> packages = found("venv", recipe::recipeFor("OpenCV-Python"));
  ASSERT_THAT(packages, SizeIs(1));
  EXPECT_EQ(packages[0].version, "4.10"); // without METADATA
  EXPECT_THAT(names(packages[0].libraries), ElementsAre("cv2/cv2.abi3.so", "cv2/deep/er/x.so"));
  EXPECT_EQ(packages[0].recipe.smokeTest({}), "import cv2");
}

// The import name may differ from the name of the distribution.
TEST_F(Packages, CanBeNamedByTheirDirectory) {
  std::string row = library("cv2/cv2.abi3.so");
  tree.file(inSite("opencv_python-4.12.dist-info/RECORD"), row);
  tree.file(inSite("~pencv_python-4.11.dist-info/RECORD"), row);
  tree.file(inSite("pillow-12.0.dist-info/RECORD"), library("PIL/_imaging.so"));
  for (const auto& [name, version, path] :
       {std::tuple{"cv2", "4.12", "cv2/cv2.abi3.so"}, {"PIL", "12.0", "PIL/_imaging.so"}}) {
    std::vector<Package> packages = found("venv", recipe::recipeFor(name));
    ASSERT_THAT(packages, SizeIs(1)) << name;
    EXPECT_EQ(packages[0].name, name);
    EXPECT_EQ(packages[0].version, version);
    EXPECT_TRUE(packages[0].hasRecord);
    EXPECT_THAT(names(packages[0].libraries), ElementsAre(path));
  }
  tree.file(inSite("another-1.0.dist-info/RECORD"), row);
  std::vector<Package> shared = found("venv", recipe::recipeFor("cv2"));
  ASSERT_THAT(shared, SizeIs(1));
  EXPECT_FALSE(shared[0].hasRecord);
  EXPECT_THAT(shared[0].owners, ElementsAre("another", "opencv_python"));
}

TEST_F(Packages, IncludeWhatWasCopiedInByHand) {
  distInfo("0.9.1", library("torchcodec/libtorchcodec_core7.dylib"));
  library("torchcodec/libtorchcodec_core8.dylib");
  library("torchcodec/.dylibs/libpng.dylib");
  EXPECT_THAT(names(found()[0].libraries), ElementsAre("torchcodec/libtorchcodec_core7.dylib",
                                                       "torchcodec/libtorchcodec_core8.dylib"));
  EXPECT_THAT(names(found()[0].grafted), ElementsAre("torchcodec/.dylibs/libpng.dylib"));
}

TEST_F(Packages, AreFoundWithoutAUsableRecord) {
  library("torchcodec/libtorchcodec_core7.so");
  EXPECT_THAT(found()[0].libraries, SizeIs(1)); // no .dist-info at all
  EXPECT_THAT(found()[0].problems, IsEmpty());
  distInfo("0.9.1", std::nullopt);
  EXPECT_THAT(found()[0].libraries, SizeIs(1));
  EXPECT_FALSE(found()[0].hasRecord);
  ASSERT_THAT(found()[0].problems, SizeIs(1));
  EXPECT_EQ(found()[0].problems[0].code, ErrorCode::NotFound);
  distInfo("0.9.1", "a,b,c,d,e\n");
  EXPECT_THAT(found()[0].libraries, SizeIs(1));
  EXPECT_EQ(found()[0].problems.at(0).code, ErrorCode::Malformed);
  EXPECT_THAT(found()[0].problems[0].path, HasSubstr("torchcodec-0.9.1.dist-info/RECORD"));
}

TEST_F(Packages, KeepLinksAndOtherFiles) {
  tree.link(inSite("torchcodec/libtorchcodec_core6.so"), "/nowhere/core6.so");
  std::string outside = tree.file("cache/core7.so");
  tree.link(inSite("torchcodec/libtorchcodec_core7.so"), outside);
  distInfo("0.9.1", "torchcodec/libtorchcodec_core6.so,,\ntorchcodec/libtorchcodec_core7.so,,\n");
  EXPECT_THAT(names(found()[0].libraries), ElementsAre("torchcodec/libtorchcodec_core6.so",
                                                       "torchcodec/libtorchcodec_core7.so"));
  EXPECT_THAT(found()[0].problems, IsEmpty());
  EXPECT_EQ(found()[0].outward, "");
}

TEST_F(Packages, NeverLeaveTheSite) {
  tree.file("venv/lib/libtorchcodec_evil.so");
  std::string own = library("torchcodec/libtorchcodec_core7.so");
  distInfo("0.9.1", own + "../../libtorchcodec_evil.so,,\n" + tree.path("venv/lib/") +
                        "libtorchcodec_evil.so,,\ntorchcodec/../../../libtorchcodec_evil.so,,\n"
                        "../../../bin/torchcodec,,\n");
  EXPECT_THAT(names(found()[0].libraries), ElementsAre("torchcodec/libtorchcodec_core7.so"));
  ASSERT_THAT(found()[0].problems, SizeIs(3));
  EXPECT_THAT(found()[0].problems[0].message, HasSubstr("is outside the site"));
}

TEST_F(Packages, ReportMissingFiles) {
  distInfo("0.9.1", library("torchcodec/libtorchcodec_core7.so") +
                        "torchcodec/libtorchcodec_core8.so,sha256=x,1\n");
  EXPECT_THAT(found()[0].libraries, SizeIs(1));
  ASSERT_THAT(found()[0].problems, SizeIs(1));
  EXPECT_THAT(found()[0].problems[0].message,
              HasSubstr("libtorchcodec_core8.so, which does not exist"));
}

TEST_F(Packages, OfTwoVersionsUseTheOneWithItsFiles) {
  std::string present = library("torchcodec/libtorchcodec_core7.so", "of 0.8.1");
  distInfo("0.8.1", present);
  distInfo("0.10.0", "torchcodec/libtorchcodec_core7.so,sha256=other,8\n");
  EXPECT_EQ(found()[0].version, "0.8.1");
  ASSERT_THAT(found()[0].problems, SizeIs(1));
  EXPECT_THAT(found()[0].problems[0].message, HasSubstr("0.10.0, 0.8.1"));
  distInfo("0.10.0", present); // both match: the newer
  EXPECT_EQ(found()[0].version, "0.10.0");
}

TEST_F(Packages, ReportALinkedDirectory) {
  tree.file("source/torchcodec/libtorchcodec_core7.so");
  tree.link(inSite("torchcodec"), tree.path("source/torchcodec"));
  ASSERT_THAT(found(), SizeIs(1));
  EXPECT_EQ(found()[0].outward, tree.path("source/torchcodec"));
  EXPECT_THAT(names(found()[0].libraries), ElementsAre("torchcodec/libtorchcodec_core7.so"));
}

TEST_F(Packages, ReportTheSourceOfADevelopmentInstall) {
  tree.file("source/torchcodec/libtorchcodec_core7.so");
  tree.file(inSite("__editable__.torchcodec-0.9.1.pth"), tree.path("source") + "\n");
  distInfo("0.9.1", "__editable__.torchcodec-0.9.1.pth,,\n");
  EXPECT_EQ(found().at(0).outward, tree.path("source"));
  EXPECT_THAT(found()[0].libraries, IsEmpty());
}

TEST_F(Packages, OfAnEggLinkAndAnEggInfo) {
  tree.file("source/torchcodec/libtorchcodec_core7.so");
  tree.file(inSite("torchcodec.egg-link"), tree.path("source") + "\n.");
  EXPECT_EQ(found().at(0).outward, tree.path("source"));
  tree.file(inSite("torchcodec-0.1-py3.12.egg-info"), "Name: torchcodec\n");
  library("torchcodec/libtorchcodec4.so");
  EXPECT_EQ(found().at(0).version, "0.1");
  EXPECT_THAT(found()[0].libraries, SizeIs(1));
}

TEST_F(Packages, OfCondaHaveItsListToo) {
  tree.file("conda/conda-meta/torchcodec-0.9.1-cpu_py312h_0.json");
  tree.file("conda/lib/python3.12/site-packages/torchcodec/libtorchcodec_core7.so");
  EXPECT_EQ(found("conda").at(0).condaMeta,
            tree.path("conda/conda-meta/torchcodec-0.9.1-cpu_py312h_0.json"));
}

TEST_F(Packages, OfABuildAreItsOnlyCopy) {
  tree.file("project/build/lib.linux/torchcodec/libtorchcodec_core7.so");
  tree.file("project/build/lib.linux/torchcodec/.dylibs/libgrafted.dylib");
  tree.file("project/build/temp/libother.so");
  tree.file("project/src/torchcodec/__init__.py");
  for (const char* target : {"project", "project/build", "project/build/lib.linux",
                             "project/build/lib.linux/torchcodec"}) {
    std::vector<Package> packages = named(target);
    ASSERT_THAT(packages, SizeIs(1)) << target;
    EXPECT_THAT(
        packages[0].libraries,
        ElementsAre(tree.path("project/build/lib.linux/torchcodec/libtorchcodec_core7.so")));
    EXPECT_THAT(packages[0].grafted, SizeIs(1));
    EXPECT_EQ(packages[0].home, tree.path("project/build/lib.linux/torchcodec"));
    EXPECT_EQ(packages[0].site, tree.path("project/build/lib.linux"));
  }
  tree.file("project/build/lib.other/torchcodec/libtorchcodec_core7.so");
  Problem two = refused("project");
  EXPECT_EQ(two.code, ErrorCode::Usage);
  EXPECT_EQ(two.message, "contains 2 copies of torchcodec: build/lib.linux/torchcodec, "
                         "build/lib.other/torchcodec");
  EXPECT_EQ(two.hint,
            "pass one of them, such as " + tree.path("project/build/lib.linux/torchcodec"));
}

TEST_F(Packages, OfADirectoryAreThoseDirectlyInIt) {
  tree.file("bare/libtorchcodec_core8.so");
  tree.file("bare/libother.so");
  tree.file("bare/old/libtorchcodec_core8.so");
  EXPECT_THAT(named("bare").at(0).libraries, ElementsAre(tree.path("bare/libtorchcodec_core8.so")));
  // Nothing shows that they belong to a package of another name.
  EXPECT_EQ(refused("bare", recipe::recipeFor("any")).code, ErrorCode::NotFound);
}

TEST_F(Packages, OfABuildAreRecognizedByName) {
  const recipe::Recipe mine = recipe::recipeFor("my-ext");
  tree.file("project/build/lib/my_ext/__init__.py");
  tree.file("project/build/lib/my_ext/deep/inside/_C.so");
  tree.file("project/build/lib/my_ext/venv/pyvenv.cfg");
  tree.file("project/build/lib/my_ext/venv/_D.so");
  tree.file("project/build/temp/libhelper.so");
  tree.file("project/my_ext/__init__.py"); // sources
  EXPECT_THAT(named("project", mine).at(0).libraries,
              ElementsAre(tree.path("project/build/lib/my_ext/deep/inside/_C.so")));
  tree.file("other/build/my_ext.cpython-312.so");
  tree.file("other/build/unrelated.so");
  EXPECT_THAT(named("other", mine).at(0).libraries,
              ElementsAre(tree.path("other/build/my_ext.cpython-312.so")));
}

TEST_F(Packages, OfEnvironmentsBelowADirectoryAreIgnored) {
  tree.file("work/empty/venv/pyvenv.cfg");
  for (int i = 0; i < 6; ++i)
    tree.file("work/z" + std::to_string(i) + "/venv/pyvenv.cfg");
  tree.makeFolder("work/conda/conda-meta");
  tree.makeFolder("work/conda/envs/video/conda-meta");
  tree.makeFolder("work/z5/venv/lib/python3.12/site-packages/torchcodec");
  tree.makeFolder("work/unpacked/torchcodec-0.9.1.dist-info");
  tree.file("work/unpacked/torchcodec/libtorchcodec_core7.so");
  tree.link("work/again", tree.path("work/z0"));
  tree.link("work/circle", tree.path("work"));
  Problem problem = refused("work");
  EXPECT_EQ(problem.code, ErrorCode::Usage);
  EXPECT_EQ(problem.message, "is not an environment; found below it: unpacked, z5/venv, conda, "
                             "empty/venv, z0/venv and 5 more");
  EXPECT_EQ(problem.hint, "pass one of them, such as " + tree.path("work/unpacked"));
}

TEST_F(Packages, OfADirectoryInsideAnEnvironmentAreTheEnvironments) {
  distInfo("0.9.1", library("torchcodec/libtorchcodec_core7.so"));
  tree.makeFolder("venv/bin");
  for (const char* part : {"venv/lib", "venv/lib/python3.12", "venv/bin"}) {
    Problem problem = refused(part);
    EXPECT_EQ(problem.code, ErrorCode::Usage) << part;
    EXPECT_EQ(problem.hint, "pass the environment: " + tree.path("venv"));
  }
  tree.makeFolder(inSite("torch"));
  EXPECT_EQ(refused(inSite("torch")).message, "contains no libraries of torchcodec");
  // A checkout built inside the environment is not installed.
  tree.file("venv/src/torchcodec/build/torchcodec/libtorchcodec_core7.so");
  EXPECT_THAT(named("venv/src/torchcodec").at(0).libraries, SizeIs(1));
  tree.makeFolder("nothing");
  Problem nothing = refused("nothing");
  EXPECT_EQ(nothing.code, ErrorCode::NotFound);
  EXPECT_THAT(nothing.hint, HasSubstr("pass an environment"));
}

TEST_F(Packages, OfAFileAreWhoseRecordListsIt) {
  distInfo("0.9.1", library("torchcodec/libtorchcodec_core7.dylib"));
  tree.file(inSite("cv2/cv2.abi3.so"), buildMachO({}));
  tree.file(inSite("cv2/other.so"), buildMachO({}));
  tree.file(inSite("cv2/.dylibs/libgrafted.dylib"), buildMachO({}));
  tree.file(
      inSite("opencv_python-4.10.0.dist-info/RECORD"),
      "cv2/__init__.py,,\ncv2/cv2.abi3.so,,\ncv2/other.so,,\ncv2/.dylibs/libgrafted.dylib,,\n");
  for (const char* name : {"cv2/cv2.abi3.so", "cv2/.dylibs/libgrafted.dylib"}) {
    std::vector<Package> packages = named(inSite(name));
    ASSERT_THAT(packages, SizeIs(1));
    EXPECT_EQ(packages[0].name, "opencv_python");
    EXPECT_EQ(packages[0].distInfo, tree.path(inSite("opencv_python-4.10.0.dist-info")));
    EXPECT_THAT(names(packages[0].libraries), ElementsAre(name));
  }
  EXPECT_THAT(names(named(inSite("cv2/cv2.abi3.so")).at(0).siblings), ElementsAre("cv2/other.so"));
  // A RECORD protects a vendored copy, and files that it lists outside the site.
  tree.file("venv/lib/libdata.so", buildMachO({}));
  tree.file(inSite("data-1.0.dist-info/RECORD"), "../../libdata.so,,\n");
  EXPECT_EQ(refused("venv/lib/libdata.so").message, "belongs to the installed package data");
  tree.file(inSite("vendor/torchcodec/libtorchcodec_core7.dylib"), buildMachO({}));
  tree.file(inSite("vendor-1.0.dist-info/RECORD"),
            "vendor/torchcodec/libtorchcodec_core7.dylib,,\n");
  EXPECT_EQ(refused(inSite("vendor")).message, "belongs to the installed package vendor");
}

TEST_F(Packages, OfAFileOrDirectoryInsideASiteKeepTheirRecord) {
  tree.file(inSite("torchcodec/libtorchcodec_core7.dylib"), buildMachO({}));
  distInfo("0.9.1", "torchcodec/libtorchcodec_core7.dylib,,\n" +
                        library("torchcodec/libtorchcodec_core8.dylib"));
  std::vector<Package> file = named(inSite("torchcodec/libtorchcodec_core7.dylib"));
  ASSERT_THAT(file, SizeIs(1));
  EXPECT_THAT(names(file[0].libraries), ElementsAre("torchcodec/libtorchcodec_core7.dylib"));
  EXPECT_TRUE(file[0].hasRecord);
  EXPECT_THAT(names(file[0].siblings), ElementsAre("torchcodec/libtorchcodec_core8.dylib"));
  EXPECT_THAT(named(inSite("torchcodec")).at(0).libraries, SizeIs(2));
  // A library that no package owns.
  tree.file("ext.cpython-312-darwin.so", buildMachO({}));
  EXPECT_EQ(named("ext.cpython-312-darwin.so").at(0).name, "ext");
  EXPECT_THAT(named("ext.cpython-312-darwin.so").at(0).libraries,
              ElementsAre(tree.path("ext.cpython-312-darwin.so")));
}

TEST_F(Packages, OfWindowsHaveGraftedLibrariesBeside) {
  tree.file("win/pyvenv.cfg", "home = C:\\Python312\nversion = 3.12\n");
  tree.file("win/Lib/site-packages/torchcodec/libtorchcodec_core7.dll", buildPe({}));
  tree.file("win/Lib/site-packages/torchcodec/libtorchcodec_pybind_ops7.pyd", buildPe({}));
  tree.file("win/Lib/site-packages/torchcodec/msvcp140.dll", buildPe({}));
  llvm::Expected<env::Target> target =
      env::findTarget({tree.path("win"), "", "", {recipe::defaultRecipe()}});
  ASSERT_TRUE(bool(target));
  EXPECT_EQ(target->platform, Platform::Windows);
  EXPECT_EQ(target->arch, "x86_64");
  EXPECT_TRUE(target->disk.options().isWindows);
  EXPECT_FALSE(target->disk.knowsAbsolutePaths());
  EXPECT_THAT(target->packages.at(0).libraries, SizeIs(2));
  EXPECT_THAT(target->packages[0].grafted, SizeIs(1));
}

TEST_F(Packages, ShowTheTargetsPlatform) {
  library("torchcodec/libtorchcodec_core4.so", "text"); // not a library
  test::ElfSpec spec;
  spec.machine = 183;
  tree.file(inSite("torchcodec/libtorchcodec_core7.so"), test::buildElf(spec).bytes);
  llvm::Expected<env::Target> target =
      env::findTarget({tree.path("venv"), tree.path(), "", {recipe::defaultRecipe()}});
  ASSERT_TRUE(bool(target));
  EXPECT_EQ(target->platform, Platform::Linux);
  EXPECT_EQ(target->arch, "aarch64");
  EXPECT_TRUE(target->disk.knowsAbsolutePaths());
  llvm::Expected<env::Target> none =
      env::findTarget({tree.path("venv"), tree.path("absent"), "", {recipe::defaultRecipe()}});
  ASSERT_FALSE(bool(none));
  EXPECT_THAT(llvm::toString(none.takeError()), HasSubstr("no such directory"));
}

TEST_F(Packages, OfAnotherArchitectureAreOnAnotherMachine) {
  test::ElfSpec spec;
  for (auto [machine, arch] :
       {std::pair<uint16_t, llvm::StringRef>(62, "x86_64"), {183, "aarch64"}}) {
    spec.machine = machine;
    tree.file(inSite("torchcodec/libtorchcodec_core7.so"), test::buildElf(spec).bytes);
    llvm::Expected<env::Target> target =
        env::findTarget({tree.path("venv"), "", "", {recipe::defaultRecipe()}});
    ASSERT_TRUE(bool(target));
    bool isOwn = io::system::thisSystem() == io::system::System::Linux &&
                 io::system::thisArchitecture() == arch;
    EXPECT_EQ(target->disk.knowsAbsolutePaths(), isOwn) << arch.str();
  }
}

TEST_F(Packages, AfterOneOfTheSameNameAreHidden) {
  tree.file("venv/pyvenv.cfg",
            "home = " + tree.path("base/bin") + "\ninclude-system-site-packages = true\n");
  distInfo("0.9.1", library("torchcodec/libtorchcodec_core7.so"));
  std::string system = "base/lib/python3.12/site-packages/";
  for (const char* name : {"torchcodec-0.8.0.dist-info", "av-15.1.0.dist-info"})
    tree.makeFolder(system + name);
  EXPECT_THAT(found(), SizeIs(1));
  EXPECT_THAT(found("venv", recipe::recipeFor("av")), SizeIs(1));
  std::vector<std::string> texts;
  for (const Package& package :
       env::listPackages(*env::findEnvironment(tree.path("venv"), disk), disk))
    texts.push_back(package.name + " " + package.version);
  EXPECT_THAT(texts, ElementsAre("torchcodec 0.9.1", "av 15.1.0"));
}

TEST_F(Packages, OfWindowsAreSpelledAsOnDisk) {
  distInfo("0.9.1", "torchcodec/libtorchcodec_core7.dll,,\n");
  tree.file(inSite("TorchCodec/libtorchcodec_CORE7.dll"), "content");
  disk = io::TargetDisk({.isWindows = true});
  ASSERT_THAT(found(), SizeIs(1));
  EXPECT_THAT(names(found()[0].libraries), ElementsAre("TorchCodec/libtorchcodec_CORE7.dll"));
}

TEST_F(Packages, AreAllListed) {
  tree.makeFolder(inSite("av-15.1.0.dist-info"));
  tree.makeFolder(inSite("torch-2.9.1.dist-info"));
  std::vector<std::string> texts;
  for (const Package& package :
       env::listPackages(*env::findEnvironment(tree.path("venv"), disk), disk))
    texts.push_back(package.name + " " + package.version);
  EXPECT_THAT(texts, ElementsAre("av 15.1.0", "torch 2.9.1"));
}

TEST_F(Packages, AllWithLibrariesAreFoundByTheirRecords) {
  distInfo("0.9.1", library("torchcodec/libtorchcodec_core7.so"));
  tree.file(inSite("plain-1.dist-info/RECORD"), "plain/__init__.py,,\n");
  tree.file(inSite("native_one-2.dist-info/METADATA"), "Name: native-one\nVersion: 2\n");
  tree.file(inSite("native_one-2.dist-info/RECORD"),
            library("native/_x.abi3.so") + "native/_gone.abi3.so,,\n");
  tree.file(inSite("~ative_one-1.dist-info/RECORD"), "native/_x.abi3.so,,\n");
  llvm::Expected<env::Environment> environment = env::findEnvironment(tree.path("venv"), disk);
  ASSERT_TRUE(static_cast<bool>(environment));
  const std::vector<Package> all = env::findPackagesWithLibraries(*environment, disk);
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_EQ(all[0].name, "native-one");
  EXPECT_THAT(all[0].libraries, ElementsAre(tree.path(inSite("native/_x.abi3.so"))));
  EXPECT_THAT(all[0].gone, ElementsAre("native/_gone.abi3.so"));
  EXPECT_TRUE(all[0].recipe.isJudgedByModules);
  EXPECT_EQ(all[1].name, "torchcodec");
  EXPECT_FALSE(all[1].recipe.isNamespace);
}

TEST_F(Packages, ANamespaceHasNothingToImport) {
  const recipe::Recipe generic = recipe::recipeFor("nvidia-x");
  tree.file(inSite("nvidia_x-1.dist-info/RECORD"), library("nvidia/x/lib/libx.so.1"));
  ASSERT_THAT(found("venv", generic), SizeIs(1));
  EXPECT_EQ(found("venv", generic)[0].recipe.importName, "nvidia");
  EXPECT_EQ(found("venv", generic)[0].recipe.smokeTest("1"), "");
  tree.file(inSite("nvidia/__init__.py"), "");
  EXPECT_EQ(found("venv", generic)[0].recipe.smokeTest("1"), "import nvidia");
}

TEST_F(Packages, RequirementsAreThoseWithoutAnExtra) {
  tree.file(inSite("x-1.dist-info/METADATA"),
            "Name: x\nRequires-Dist: PyQt6-Qt6 (>=6.5)\nRequires-Dist: numpy>=2; python_version > "
            "'3'\nRequires-Dist: cuda ; extra == 'gpu'\n\nRequires-Dist: no\n");
  EXPECT_THAT(env::requirementsOf(tree.path(inSite("x-1.dist-info")), disk),
              ElementsAre("PyQt6-Qt6", "numpy"));
}

} // namespace
} // namespace tcfix::support
