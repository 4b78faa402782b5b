#include "image/ensure.h"
#include "image/names.h"

#include <gtest/gtest.h>

namespace tcfix {
namespace {

using Paths = std::vector<std::string>;

std::vector<std::string> described(const std::vector<Change>& changes) {
  std::vector<std::string> lines;
  for (const Change& change : changes)
    lines.push_back(nameOf(change.operation).str() + " " + change.value +
                    (change.old.empty() ? "" : " was " + change.old));
  return lines;
}

struct Case {
  const char* name;
  Paths before;
  std::vector<SearchPathEdit> edits;
  Paths after;
  Paths changes;
};

class Ensure : public testing::TestWithParam<Case> {};

TEST_P(Ensure, ReturnsTheListAndTheNetChanges) {
  EnsuredSearchPaths first = ensureSearchPaths(GetParam().before, GetParam().edits);
  EXPECT_EQ(first.paths, GetParam().after);
  EXPECT_EQ(described(first.changes), GetParam().changes);
}

TEST_P(Ensure, IsIdempotent) {
  EnsuredSearchPaths second = ensureSearchPaths(GetParam().after, GetParam().edits);
  EXPECT_EQ(second.paths, GetParam().after);
  EXPECT_EQ(described(second.changes), Paths{});
}

INSTANTIATE_TEST_SUITE_P(
    SearchPaths, Ensure,
    testing::Values(
        Case{"AddsAtTheEnd", {"a"}, {AddSearchPath{"b"}}, {"a", "b"}, {"add_rpath b"}},
        Case{"AddsNothingTwice", {"b", "a"}, {AddSearchPath{"b"}}, {"b", "a"}, {}},
        Case{"AddsAtTheFront", {"a"}, {AddSearchPath{"b", true}}, {"b", "a"}, {"add_rpath b"}},
        Case{
            "MovesToTheFront", {"a", "b"}, {AddSearchPath{"b", true}}, {"b", "a"}, {"add_rpath b"}},
        Case{"TwoFronts",
             {"a"},
             {AddSearchPath{"b", true}, AddSearchPath{"c", true}},
             {"c", "b", "a"},
             {"add_rpath c", "add_rpath b"}},
        Case{"Removes", {"a", "b"}, {RemoveSearchPath{"a"}}, {"b"}, {"remove_rpath a"}},
        Case{"RemovesWhatIsAbsent", {"b"}, {RemoveSearchPath{"a"}}, {"b"}, {}},
        Case{"ReplacesInPlace",
             {"a", "b", "c"},
             {ReplaceSearchPath{"b", "x"}},
             {"a", "x", "c"},
             {"replace_rpath x was b"}},
        Case{"ReplacesByOneThatIsThere",
             {"a", "b"},
             {ReplaceSearchPath{"a", "b"}},
             {"b"},
             {"remove_rpath a"}},
        Case{"RemovesRepeats", {"a", "b", "a"}, {}, {"a", "b"}, {"remove_rpath a"}},
        Case{"AddedAndRemovedIsNothing",
             {"a"},
             {AddSearchPath{"b"}, RemoveSearchPath{"b"}},
             {"a"},
             {}}),
    [](const auto& param) { return param.param.name; });

TEST(Ensure, WarnsAboutAMissingPathToReplace) {
  EXPECT_EQ(ensureSearchPaths({"a"}, {ReplaceSearchPath{"b", "c"}}).warnings.size(), 1u);
  EXPECT_TRUE(ensureSearchPaths({"c"}, {ReplaceSearchPath{"b", "c"}}).warnings.empty());
}

} // namespace
} // namespace tcfix
