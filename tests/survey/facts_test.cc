// Groups of libraries, and which groups decide whether a package works.

#include "survey/facts.h"

#include <gmock/gmock.h>

namespace tcfix::support {
namespace {

using resolve::Verdict;
using survey::Group;
using testing::ElementsAre;

survey::PackageFacts factsOf(const recipe::Recipe& recipe,
                             std::initializer_list<const char*> names) {
  survey::PackageFacts facts;
  facts.package.recipe = recipe;
  for (const char* name : names)
    facts.libraries.push_back(survey::describeLibrary(name, {}, recipe));
  return facts;
}

TEST(Facts, GroupLibrariesAsTorchcodecTriesThem) {
  survey::PackageFacts facts =
      factsOf(recipe::defaultRecipe(),
              {"libtorchcodec_core10.so", "libtorchcodec_core7.so", "libtorchcodec_core8.so",
               "libtorchcodec_custom_ops7.so", "libtorchcodec_heic.so", "libtorchcodec_image.so",
               "libtorchcodec_pybind_ops7.so"});
  std::swap(facts.libraries[1], facts.libraries[6]); // the order on disk does not matter
  std::vector<std::string> order;
  for (const Group& group : survey::groupsOf(facts)) {
    order.push_back("|");
    for (const survey::LibraryFacts* library : group.libraries)
      order.push_back(library->name.substr(14, library->name.size() - 17));
  }
  EXPECT_THAT(order, ElementsAre("|", "core10", "|", "core8", "|", "core7", "custom_ops7",
                                 "pybind_ops7", "|", "heic", "|", "image"));
}

Verdict verdictOf(const survey::PackageFacts& facts, std::initializer_list<Verdict> verdicts,
                  llvm::ArrayRef<int> required = {}) {
  return survey::verdictOf(
      survey::groupsOf(facts), [&](size_t i) { return verdicts.begin()[i]; }, required);
}

constexpr Verdict kLoads = Verdict::Loads, kFails = Verdict::Fails, kUnknown = Verdict::Unknown;

TEST(Facts, OneMajorIsEnoughUnlessMoreAreRequired) {
  const survey::PackageFacts facts =
      factsOf(recipe::defaultRecipe(),
              {"libtorchcodec_core8.so", "libtorchcodec_core7.so", "libtorchcodec_heic.so"});
  EXPECT_EQ(verdictOf(facts, {kFails, kLoads, kFails}), kLoads);
  EXPECT_EQ(verdictOf(facts, {kFails, kUnknown, kLoads}), kUnknown);
  EXPECT_EQ(verdictOf(facts, {kFails, kFails, kLoads}), kFails);
  EXPECT_EQ(verdictOf(facts, {kFails, kLoads, kFails}, {7}), kLoads);
  EXPECT_EQ(verdictOf(facts, {kFails, kLoads, kFails}, {7, 8}), kFails);
  EXPECT_EQ(verdictOf(facts, {kLoads, kLoads, kLoads}, {6}), kFails);
}

TEST(Facts, LibrariesLoadedByAnImportCountBesideTheMajors) {
  const survey::PackageFacts facts =
      factsOf(recipe::recipeFor("torchaudio"),
              {"libtorio_ffmpeg6.so", "libtorchaudio.so", "libtorchaudio_sox.so"});
  EXPECT_EQ(verdictOf(facts, {kLoads, kLoads, kFails}), kLoads);
  EXPECT_EQ(verdictOf(facts, {kLoads, kFails, kLoads}), kFails);
  EXPECT_EQ(verdictOf(facts, {kFails, kLoads, kLoads}), kFails);
}

TEST(Facts, WithoutMajorsEveryLibraryCounts) {
  const survey::PackageFacts facts = factsOf(recipe::recipeFor("x"), {"a.so", "b.so"});
  EXPECT_EQ(verdictOf(facts, {kLoads, kLoads}), kLoads);
  EXPECT_EQ(verdictOf(facts, {kLoads, kFails}), kFails);
  EXPECT_EQ(verdictOf(factsOf(recipe::recipeFor("x"), {}), {}), kFails);
}

TEST(Facts, LibrariesLoadedOnDemandDoNotCount) {
  survey::PackageFacts facts = factsOf(recipe::recipeFor("x"), {"a.so", "b.so"});
  facts.libraries[1].isNeeded = false;
  EXPECT_EQ(verdictOf(facts, {kLoads, kFails}), kLoads);
  EXPECT_EQ(verdictOf(facts, {kFails, kLoads}), kFails);
  facts.libraries[0].isNeeded = false;
  EXPECT_EQ(verdictOf(facts, {kFails, kFails}), kLoads);
}

} // namespace
} // namespace tcfix::support
