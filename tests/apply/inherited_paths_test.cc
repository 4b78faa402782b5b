// An edit that adds DT_RUNPATH warns about libraries that will no longer be found, and only then.

#include "apply/editing.h"
#include "support/elf_builder.h"

#include <gmock/gmock.h>
#include <llvm/Support/FileSystem.h>

namespace tcfix::support {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Warnings = std::vector<std::string>;

// The layout of auditwheel: pkg/main.so, which searches pkg.libs, needs libmid.so; libmid.so needs
// libleaf.so beside it and has no search path.
class Package {
public:
  explicit Package(SearchPathKind kind = SearchPathKind::Rpath) {
    for (const char* directory : {"pkg", "pkg.libs", "other"})
      EXPECT_FALSE(llvm::sys::fs::create_directory(folder.path(directory)));
    test::ElfSpec main, unrelated;
    (kind == SearchPathKind::Rpath ? main.rpath : main.runpath) = "$ORIGIN/../pkg.libs";
    unrelated.rpath = "/opt";
    add("pkg/main.so", "main.so", "libmid.so", main);
    add("pkg.libs/libmid.so", "libmid.so", "libleaf.so");
    add("pkg.libs/libleaf.so", "libleaf.so", "libc.so.6");
    add("other/unrelated.so", "unrelated.so", "libc.so.6", unrelated);
  }

  void add(const std::string& file, const std::string& soname, const std::string& needed,
           test::ElfSpec spec = {}) {
    spec.soname = soname;
    spec.needed = {needed};
    spec.versions.clear();
    folder.write(file, test::buildElf(spec).bytes);
  }

  /// The warnings of a dry run, which does not change the package.
  Warnings warningsOf(const std::string& file, std::vector<Edit> edits) const {
    apply::EditOptions options;
    options.isDryRun = true;
    apply::EditRun run = apply::editFiles({folder.path(file)}, asking(std::move(edits)), options,
                                          [](const std::string&) {});
    EXPECT_EQ(run.files[0].status, apply::FileStatus::WouldChange);
    return run.files[0].edit.warnings;
  }

private:
  TemporaryFolder folder;
};

const Edit kElsewhere = AddSearchPath{"/no/such/directory"};

TEST(InheritedPaths, ANewRunpathDisablesTheRpathOfALoader) {
  EXPECT_THAT(Package().warningsOf("pkg.libs/libmid.so", {kElsewhere}),
              ElementsAre(AllOf(HasSubstr("the DT_RPATH inherited from main.so"),
                                HasSubstr("no longer found: libleaf.so"),
                                HasSubstr("--rpath-kind rpath"))));
}

TEST(InheritedPaths, IndirectLoadersCount) {
  Package package;
  package.add("pkg.libs/libmid.so", "libmid.so", "liblow.so");
  package.add("pkg.libs/liblow.so", "liblow.so", "libleaf.so");
  EXPECT_THAT(package.warningsOf("pkg.libs/liblow.so", {kElsewhere}),
              ElementsAre(AllOf(HasSubstr("main.so"), HasSubstr("libleaf.so"))));
}

TEST(InheritedPaths, NoWarningIfEverythingIsStillFound) {
  Package package;
  EXPECT_THAT(package.warningsOf("pkg.libs/libmid.so", {AddSearchPath{"$ORIGIN"}}), IsEmpty());
  EXPECT_THAT(package.warningsOf("pkg.libs/libleaf.so", {kElsewhere}), IsEmpty());
  EXPECT_THAT(package.warningsOf("pkg.libs/libmid.so",
                                 {kElsewhere, SetSearchPathKind{SearchPathKind::Rpath}}),
              IsEmpty());
  EXPECT_THAT(package.warningsOf("pkg/main.so", {kElsewhere}), IsEmpty())
      << "the kind is still DT_RPATH";
  EXPECT_THAT(package.warningsOf("pkg.libs/libmid.so", {SetIdentity{"libother.so"}}), IsEmpty());
}

TEST(InheritedPaths, TheRunpathOfALoaderIsNotInherited) {
  Package package(SearchPathKind::Runpath);
  EXPECT_THAT(package.warningsOf("pkg.libs/libmid.so", {kElsewhere}), IsEmpty());
}

TEST(InheritedPaths, AnRpathIsConvertedToARunpath) {
  EXPECT_THAT(
      Package().warningsOf("pkg/main.so", {SetSearchPathKind{SearchPathKind::Runpath}}),
      ElementsAre(AllOf(HasSubstr("is not inherited by dependencies"), HasSubstr("libleaf.so"))));
}

} // namespace
} // namespace tcfix::support
