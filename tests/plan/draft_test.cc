// The edits and the override of a draft always agree.

#include "plan/draft.h"

#include <gmock/gmock.h>

namespace tcfix::support {
namespace {

using plan::Draft;
using testing::ElementsAre;
using testing::IsEmpty;

class DraftTest : public testing::Test {
protected:
  DraftTest() {
    facts.root = "/env";
    library.path = "/env/lib/python3.12/site-packages/torchcodec/libtorchcodec_core7.dylib";
    library.original.dependencies = {{"@rpath/libc10.dylib", DependencyKind::Normal},
                                     {"@rpath/libavutil.59.dylib", DependencyKind::Normal}};
  }
  std::string wayTo(const std::string& folder) {
    return plan::searchPathTo(facts, library, folder, io::TargetDisk({}));
  }

  survey::PackageFacts facts;
  survey::LibraryFacts library;
};

TEST_F(DraftTest, HasNoEditsAtFirst) {
  Draft draft(facts, library);
  EXPECT_THAT(draft.edits(), IsEmpty());
  EXPECT_THAT(draft.dependencies(), ElementsAre(0, 1));
}

TEST_F(DraftTest, AddsAnEntryOnce) {
  library.original.searchPaths = {"/old"};
  Draft draft(facts, library);
  for (const char* entry : {"/new", "/old", "/new"})
    draft.addSearchPath(entry, {plan::Reason::Kind::ToFind, "torch"});
  EXPECT_THAT(draft.wanted().searchPaths, ElementsAre("/old", "/new"));
  ASSERT_EQ(draft.edits().size(), 1u);
  EXPECT_EQ(std::get<AddSearchPath>(draft.edits()[0].edit).path, "/new");
  EXPECT_EQ(draft.edits()[0].reason.text(), "to find torch");
}

TEST_F(DraftTest, RemovesADuplicateAfterTheFirst) {
  library.original.searchPaths = {"/a", "/b", "/a"};
  Draft draft(facts, library);
  EXPECT_THAT(draft.wanted().searchPaths, ElementsAre("/a", "/b"));
  EXPECT_EQ(draft.edits().size(), 1u);
}

TEST_F(DraftTest, RenamesAndDrops) {
  Draft draft(facts, library);
  draft.rename(1, "@rpath/libavutil.59.39.100.dylib", {plan::Reason::Kind::ToFind, "torch"});
  draft.rename(1, "@rpath/libavutil.59.39.100.dylib", {plan::Reason::Kind::ToFind, "torch"});
  draft.drop(0, {plan::Reason::Kind::ToFind, "torch"});
  EXPECT_EQ(draft.edits().size(), 2u);
  EXPECT_EQ(draft.wanted().dependencies[1].name, "@rpath/libavutil.59.39.100.dylib");
  EXPECT_THAT(draft.dependencies(), ElementsAre(1));
}

TEST_F(DraftTest, SetsTheKindOnceAndOnlyWithEntries) {
  facts.platform = Platform::Linux;
  Draft draft(facts, library, SearchPathKind::Rpath);
  EXPECT_THAT(draft.edits(), IsEmpty());
  EXPECT_EQ(draft.wanted().searchPathKind, std::nullopt);
  draft.addSearchPath("/a", {plan::Reason::Kind::ToFind, "torch"});
  draft.addSearchPath("/b", {plan::Reason::Kind::ToFind, "torch"});
  EXPECT_EQ(draft.wanted().searchPathKind, SearchPathKind::Rpath);
  EXPECT_EQ(draft.edits().size(), 3u);
}

TEST_F(DraftTest, UsesRelativePathsOnlyInsideTheEnvironment) {
  EXPECT_EQ(wayTo("/env/lib/python3.12/site-packages/torch/lib"), "@loader_path/../torch/lib");
  EXPECT_EQ(wayTo("/env/lib/python3.12/site-packages/torchcodec"), "@loader_path");
  EXPECT_EQ(wayTo("/env/lib"), "@loader_path/../../..");
  EXPECT_EQ(wayTo("/environment/lib"), "/environment/lib");
  EXPECT_EQ(wayTo("/opt/homebrew/lib"), "/opt/homebrew/lib");
  facts.platform = Platform::Linux;
  EXPECT_EQ(wayTo("/env/lib"), "$ORIGIN/../../..");
  facts.platform = Platform::Windows;
  EXPECT_EQ(wayTo("/env/lib"), "$ORIGIN\\..\\..\\..");
}

} // namespace
} // namespace tcfix::support
