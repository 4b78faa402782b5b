// Siblings: libraries of one package that its Python code loads before others need them.

#include "resolve/world.h"
#include "survey/simulation.h"

#include <gmock/gmock.h>

namespace tcfix::survey {
namespace {

using resolve::Verdict;

class Siblings : public testing::Test {
protected:
  void add(const std::string& name, std::vector<std::string> needed,
           const std::string& runpath = {}) {
    test::ElfSpec spec;
    spec.soname = name;
    spec.needed = std::move(needed);
    spec.runpath = runpath;
    spec.versions = {};
    spec.symbols = {};
    const std::string path = world.add("/env/x/" + name, test::buildElf(spec).bytes);
    llvm::Expected<const Image*> image = world.store.image(path);
    ASSERT_TRUE(static_cast<bool>(image));
    facts.libraries.push_back(
        describeLibrary(path, (*image)->slices.front(), facts.package.recipe));
  }
  GroupLoads load(size_t library, Regime regime) {
    return Simulation(facts, world.store)
        .load({0, Group::Need::Always, {&facts.libraries[library]}}, {}, regime);
  }

  resolve::World world;
  PackageFacts facts;
};

TEST_F(Siblings, CountAsLoadedOnceThePackagesCodeHasRun) {
  add("_x.so", {"libx.so"});
  add("libx.so", {"libbase.so"});
  add("libbase.so", {});
  EXPECT_EQ(load(0, Regime::Preloaded).verdict, Verdict::Loads);
  EXPECT_EQ(load(0, Regime::Bare).verdict, Verdict::Fails);
  facts.package.recipe.loadsSiblingsFirst = false;
  EXPECT_EQ(load(0, Regime::Preloaded).verdict, Verdict::Fails);
}

TEST_F(Siblings, OfAnInstalledPackageCountOnlyIfItsCodeLoadsLibraries) {
  add("_x.so", {"libx.so"});
  add("libx.so", {});
  facts.package.recipe.isJudgedByModules = true;
  facts.package.site = world.at("/env");
  facts.package.distInfo = world.at("/env/x-1.dist-info");
  facts.package.hasRecord = true;
  const std::string record = "x/__init__.py,,\nx/tests/test_x.py,,\n";
  world.add("/env/x-1.dist-info/RECORD", bytesOf(record));
  world.add("/env/x/__init__.py", bytesOf("import x._x\n"));
  world.add("/env/x/tests/test_x.py", bytesOf("ctypes.CDLL('y')\n"));
  EXPECT_EQ(load(0, Regime::Preloaded).verdict, Verdict::Fails);
  world.add("/env/x/__init__.py", bytesOf("import ctypes; ctypes.CDLL('libx.so')\n"));
  EXPECT_EQ(load(0, Regime::Preloaded).verdict, Verdict::Loads);
}

/// An installed package whose modules are imported by its own code.
class ImportedBefore : public Siblings {
protected:
  ImportedBefore() {
    facts.package.recipe.isJudgedByModules = true;
    facts.package.site = world.at("/env");
    facts.package.distInfo = world.at("/env/x-1.dist-info");
    facts.package.hasRecord = true;
    facts.sites = {world.at("/env")};
  }

  void code(llvm::StringRef name, const std::string& text) {
    world.add("/env/x/" + name.str(), bytesOf(text));
    record += "x/" + name.str() + ",,\n";
    world.add("/env/x-1.dist-info/RECORD", bytesOf(record));
  }

  /// `_a.so` finds libx.so by its search path; `_b.so` has none.
  void addTwoModules() {
    test::ElfSpec spec;
    spec.soname = "libx.so";
    spec.needed = {};
    spec.versions = {};
    spec.symbols = {};
    world.add("/env/x.libs/libx.so", test::buildElf(spec).bytes);
    add("_a.so", {"libx.so"}, "$ORIGIN/../x.libs");
    add("_b.so", {"libx.so"});
    for (LibraryFacts& library : facts.libraries)
      library.isModule = true;
  }

  std::string record;
};

TEST_F(ImportedBefore, AModuleFindsTheLibrariesOfThoseThatTheCodeImportsFirst) {
  addTwoModules();
  code("__init__.py", "from . import _b, _a\n");
  EXPECT_EQ(load(1, Regime::Preloaded).verdict, Verdict::Fails);
  code("__init__.py", "from . import _a, _b\n");
  EXPECT_EQ(load(1, Regime::Preloaded).verdict, Verdict::Loads);
  EXPECT_EQ(load(1, Regime::Bare).verdict, Verdict::Fails);
}

TEST_F(ImportedBefore, CodeThatWasNotExecutedLoadsNoSibling) {
  add("_x.so", {"libx.so"});
  add("libx.so", {});
  facts.libraries[0].isModule = true;
  code("__init__.py", "from . import _x\nfrom . import later\n");
  code("later.py", "ctypes.CDLL('libx.so')\n");
  EXPECT_EQ(load(0, Regime::Preloaded).verdict, Verdict::Fails);
  code("__init__.py", "from . import later\nfrom . import _x\n");
  EXPECT_EQ(load(0, Regime::Preloaded).verdict, Verdict::Loads);
}

TEST_F(Siblings, AreTheCauseWhenTheyFail) {
  add("_x.so", {"libx.so"});
  add("libx.so", {"libgone.so"});
  const GroupLoads loads = load(0, Regime::Preloaded);
  EXPECT_EQ(loads.verdict, Verdict::Fails);
  ASSERT_EQ(loads.results[0].problems.size(), 1u);
  EXPECT_EQ(loads.results[0].problems[0].dependency, "libgone.so");
}

TEST_F(Siblings, InACycleTerminate) {
  add("a.so", {"b.so"});
  add("b.so", {"a.so"});
  EXPECT_EQ(load(0, Regime::Preloaded).verdict, Verdict::Fails);
}

} // namespace
} // namespace tcfix::survey
