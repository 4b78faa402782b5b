// Rules for packages without a recipe: libraries that are loaded on demand, and NumPy's ABI.
#include "cases.h"

#include <gmock/gmock.h>

namespace tcfix::doctor {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using Code = LoadProblem::Code;

/// A package whose on-demand libraries lack these dependencies.
std::vector<Finding> findingsOnDemand(const std::vector<std::string>& missing,
                                      const std::string& name = "other") {
  Case one(Platform::Linux, name);
  for (const std::string& dependency : missing)
    one.addFailure(Code::MissingDependency, dependency, {}, {}, /*major=*/0);
  one.onDemand = std::move(one.groups);
  return one.run(findOnDemandDefects);
}

TEST(OnDemand, AMissingDependencyIsAWarning) {
  const std::vector<Finding> findings = findingsOnDemand({"libfoo.so.1"});
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].code, "on-demand-missing");
  EXPECT_EQ(findings[0].severity, Severity::Warning);
  EXPECT_THAT(findings[0].message, HasSubstr("(loaded on demand)"));
}

TEST(OnDemand, LibrariesThatLackTheSameAreOneFinding) {
  const std::vector<Finding> findings =
      findingsOnDemand({"libfoo.so.1", "libfoo.so.1", "libbar.so"});
  ASSERT_THAT(findings, SizeIs(2));
  EXPECT_THAT(findings[0].message, HasSubstr("(loaded on demand, as 1 more)"));
}

TEST(OnDemand, TheMachinesDriverIsInformation) {
  const std::vector<Finding> findings = findingsOnDemand({"libcuda.so.1"});
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].severity, Severity::Info);
  EXPECT_THAT(findings[0].message, HasSubstr("NVIDIA driver"));
}

TEST(OnDemand, NothingForAPackageWithARecipe) {
  EXPECT_THAT(findingsOnDemand({"libfoo.so.1"}, "torchcodec"), IsEmpty());
}

TEST(OnDemand, AMissingModuleIsAnError) {
  Case one(Platform::Linux, "other");
  one.facts.package.gone = {"other/ext.cpython-312-x86_64-linux-gnu.so", "other/libx.so",
                            "other.libs/libz-1234.so"};
  const std::vector<Finding> findings = one.run(findOnDemandDefects);
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].code, "package-damaged");
  EXPECT_EQ(findings[0].severity, Severity::Error);
  EXPECT_THAT(findings[0].message, HasSubstr("ext.cpython-312"));
  one.facts.package.gone = {"other/libx.so"}; // in a package without modules
  EXPECT_THAT(one.codes(findOnDemandDefects), ElementsAre("package-damaged"));
}

TEST(OnDemand, NamesOfModules) {
  EXPECT_TRUE(survey::isModuleName("other/ext.cpython-312-darwin.so"));
  EXPECT_TRUE(survey::isModuleName("other/ext.pyd"));
  EXPECT_FALSE(survey::isModuleName("other/libx.so"));
  EXPECT_FALSE(survey::isModuleName("other/x.dylib"));
}

/// A module with this text, in an environment with this NumPy.
std::vector<std::string> numpyCodes(const std::string& module, const std::string& numpy,
                                    const std::string& requirement = "numpy>=1.21") {
  Case one(Platform::Linux, "other");
  one.found.environment.sites = {{one.facts.package.site, "3.12"}};
  const std::string site = "/env/site-packages/";
  one.world.add(site + "numpy-" + numpy + ".dist-info/METADATA",
                bytesOf("Name: numpy\nVersion: " + numpy + "\n"));
  one.world.add(site + "torchcodec-0.9.1.dist-info/METADATA",
                bytesOf("Requires-Dist: " + requirement + "\n"));
  one.addLibrary("ext.so", bytesOf(module));
  one.facts.libraries.back().isModule = true;
  return one.codes(findNumpyDefects);
}

TEST(Numpy, AModuleForNumpy1) {
  const char* old = "numpy.core._multiarray_umath";
  EXPECT_THAT(numpyCodes(old, "2.1.0"), ElementsAre("numpy-abi"));
  EXPECT_THAT(numpyCodes("numpy.core.multiarray failed to import", "2.1.0"),
              ElementsAre("numpy-abi"));
  EXPECT_THAT(numpyCodes(old, "1.26.4"), IsEmpty());
  EXPECT_THAT(numpyCodes(old, "2.1.0", "scipy"), IsEmpty());
}

TEST(Numpy, AModuleThatTriesTheNewNameFirst) {
  EXPECT_THAT(numpyCodes("numpy._core numpy.core._multiarray_umath", "2.1.0"), IsEmpty());
  EXPECT_THAT(numpyCodes("uses no NumPy", "2.1.0"), IsEmpty());
}

} // namespace
} // namespace tcfix::doctor
