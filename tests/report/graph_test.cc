// The graph of a diagnosis: which libraries share a node, which arrows are drawn, and the colours.
#include "diagnoses.h"
#include "report/graph.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace tcfix::report {
namespace {

using namespace test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using Kind = Node::Kind;
using State = Node::State;

std::string folderOf7() {
  return kSite + "av.libs";
}

const Node* find(const Graph& graph, const std::string& title) {
  auto node = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                           [&](const Node& each) { return each.title() == title; });
  return node == graph.nodes.end() ? nullptr : &*node;
}

const Edge* findEdge(const Graph& graph, const std::string& from, const std::string& to) {
  for (const Edge& edge : graph.edges)
    if (graph.nodes[edge.from].title() == from && graph.nodes[edge.to].title() == to)
      return &edge;
  return nullptr;
}

TEST(Graph, TheMissingLibrariesOfAnFfmpegAreOneNode) {
  Graph graph = graphOf(diagnosisOf({majorGroup(8), majorGroup(7)}, false));
  const Node* ffmpeg = find(graph, "FFmpeg 8");
  ASSERT_TRUE(ffmpeg);
  EXPECT_EQ(ffmpeg->state, State::Missing);
  EXPECT_TRUE(ffmpeg->isNeeded);
  EXPECT_EQ(ffmpeg->sign(), "✕");
  EXPECT_THAT(ffmpeg->libraries, ElementsAre("libavcodec.so.62", "libavutil.so.60"));
  EXPECT_THAT(linesOf(*ffmpeg, 40), ElementsAre("FFmpeg 8", "avcodec 62, avutil 60", "✕ missing"));
  const Edge* edge = findEdge(graph, "libtorchcodec_core8.so", "FFmpeg 8");
  ASSERT_TRUE(edge);
  EXPECT_TRUE(edge->isBroken);
  EXPECT_EQ(edge->uses.size(), 2u);
}

TEST(Graph, ALibraryThatExistsButIsNotFoundIsNotMissing) {
  Graph graph = graphOf(diagnosisOf({majorGroup(8)}, false));
  EXPECT_EQ(std::count_if(
                graph.nodes.begin(), graph.nodes.end(),
                [](const Node& node) { return node.title().find("core8") != node.title().npos; }),
            1);
  const Edge* edge = findEdge(graph, "libtorchcodec_custom_ops8.so", "libtorchcodec_core8.so");
  ASSERT_TRUE(edge);
  EXPECT_TRUE(edge->isBroken);
}

TEST(Graph, ArrowsThatFollowFromOthersAreOmitted) {
  Graph graph = graphOf(diagnosisOf({majorGroup(7, folderOf7())}, true));
  EXPECT_TRUE(findEdge(graph, "libtorchcodec_custom_ops7.so", "libtorchcodec_core7.so"));
  EXPECT_TRUE(findEdge(graph, "libtorchcodec_core7.so", "torch"));
  EXPECT_FALSE(findEdge(graph, "libtorchcodec_custom_ops7.so", "torch"));
  EXPECT_FALSE(findEdge(graph, "libtorchcodec_custom_ops7.so", "FFmpeg 7"));
}

TEST(Graph, AnArrowToALibraryThatLacksSymbolsStays) {
  Diagnosis diagnosis = diagnosisOf({majorGroup(7, folderOf7())}, false);
  LibraryReport& ops = diagnosis.packages[0].groups[0].libraries[1];
  ops.loads.verdict = Verdict::Fails;
  ops.loads.problems = {{LoadProblem::Code::MissingSymbols,
                         ops.path,
                         "libtorch.so",
                         kSite + "torch/lib/libtorch.so",
                         {"torch_from_blob", "other"},
                         {},
                         "no"}};
  Graph graph = graphOf(diagnosis);
  const Edge* edge = findEdge(graph, "libtorchcodec_custom_ops7.so", "torch");
  ASSERT_TRUE(edge);
  EXPECT_TRUE(edge->isBroken);
  EXPECT_EQ(edge->uses.back().how, "lacks torch_from_blob and 1 more");
  EXPECT_EQ(find(graph, "torch")->state, State::Unfit);
  EXPECT_EQ(linesOf(*find(graph, "torch"), 40).back(), "✕ found, but lacks symbols");
}

TEST(Graph, AMajorThatIsNotNeededIsOneGreyNodeWithWhatItLacks) {
  Graph graph = graphOf(diagnosisOf({majorGroup(8), majorGroup(7, folderOf7())}, true));
  const Node* idle = find(graph, "2 libraries for FFmpeg 8");
  ASSERT_TRUE(idle);
  EXPECT_FALSE(idle->isNeeded);
  EXPECT_EQ(idle->sign(), "–");
  EXPECT_EQ(idle->status(), "does not load, not needed");
  EXPECT_FALSE(find(graph, "FFmpeg 8")->isNeeded);
  EXPECT_TRUE(findEdge(graph, "2 libraries for FFmpeg 8", "FFmpeg 8"));
  EXPECT_FALSE(findEdge(graph, "2 libraries for FFmpeg 8", "torch"));
  EXPECT_TRUE(find(graph, "torch")->isNeeded);
  EXPECT_TRUE(find(graph, "FFmpeg 7")->isNeeded);
  EXPECT_EQ(find(graph, "FFmpeg 7")->folder, "av.libs");
}

TEST(Graph, EachPackageHasAMajorInUse) {
  Diagnosis diagnosis = diagnosisOf({majorGroup(8), majorGroup(7, folderOf7())}, true);
  diagnosis.packages.push_back(
      diagnosisOf({majorGroup(8, "/usr/lib"), majorGroup(7)}, true).packages[0]);
  EXPECT_THAT(neededGroups(diagnosis), ElementsAre(false, true, true, false));
  diagnosis.required = {8};
  EXPECT_THAT(neededGroups(diagnosis), ElementsAre(true, true, true, false));
  EXPECT_THAT(neededGroups(diagnosisOf({majorGroup(8), majorGroup(7)}, false)),
              ElementsAre(true, true));
}

TEST(Graph, LibrariesOutsideTheEnvironmentAreTheSystem) {
  Diagnosis diagnosis = diagnosisOf({majorGroup(7, "/usr/lib")}, true);
  LibraryReport& core = diagnosis.packages[0].groups[0].libraries[0];
  core.loads.bindings.push_back(found("/usr/lib/libavcodec.so.61", "/usr/lib/libx264.so.164"));
  core.loads.bindings.push_back(found(core.path, kSite + "torchcodec.libs/libz-1.so"));
  Graph graph = graphOf(diagnosis);
  EXPECT_EQ(find(graph, "FFmpeg 7")->folder, "/usr/lib");
  ASSERT_TRUE(find(graph, "the system"));
  EXPECT_THAT(find(graph, "the system")->libraries, ElementsAre("libc.so.6", "libx264.so.164"));
  ASSERT_TRUE(find(graph, "libz-1.so"));
  EXPECT_EQ(find(graph, "libz-1.so")->kind, Kind::Other);
}

TEST(Graph, TheSystemHasAnArrowOnlyIfNothingElseIsNeeded) {
  Graph graph = graphOf(diagnosisOf({majorGroup(7, folderOf7())}, true));
  EXPECT_FALSE(find(graph, "the system"));
  GroupReport group{0, Verdict::Loads, Verdict::Loads, {}, {}};
  group.libraries = {reportOn(own("a.so"), Verdict::Loads, {found(own("a.so"), "/lib/libm.so.6")})};
  EXPECT_TRUE(findEdge(graphOf(diagnosisOf({group}, true)), "a.so", "the system"));
}

TEST(Graph, OptionalAndUnknownLibrariesAreNotMissing) {
  GroupReport group{0, Verdict::Unknown, Verdict::Unknown, {}, {}};
  std::string path = own("ext.so");
  group.libraries = {reportOn(path, Verdict::Unknown,
                              {lost(path, "libweak.so", Binding::State::Optional),
                               lost(path, "libfar.so", Binding::State::Unknown)})};
  Graph graph = graphOf(diagnosisOf({group}, true));
  ASSERT_TRUE(find(graph, "libweak.so") && find(graph, "libfar.so"));
  EXPECT_FALSE(find(graph, "libweak.so")->isNeeded);
  EXPECT_EQ(find(graph, "libfar.so")->sign(), "?");
  EXPECT_FALSE(findEdge(graph, "ext.so", "libfar.so")->isBroken);
}

TEST(Graph, LibrariesWithTheSameDependenciesAreOneNode) {
  GroupReport group{0, Verdict::Loads, Verdict::Loads, {}, {}};
  for (int i = 0; i < 100; ++i) {
    std::string path = own("part" + std::to_string(i) + ".so");
    group.libraries.push_back(reportOn(path, Verdict::Loads, {found(path, "/usr/lib/libm.so.6")}));
  }
  Graph graph = graphOf(diagnosisOf({group}, true));
  EXPECT_EQ(graph.nodes.size(), 2u);
  ASSERT_EQ(graph.edges.size(), 1u);
  EXPECT_EQ(graph.edges[0].uses.size(), 100u);
  std::vector<std::string> lines = linesOf(graph.nodes[0], 30);
  EXPECT_EQ(lines.front(), "100 libraries");
  EXPECT_EQ(lines[3], "and 94 more"); // after two lines with three names each
  for (const std::string& line : lines)
    EXPECT_LE(line.size(), 30u) << line;
}

TEST(Graph, LibrariesInACycleStayConnected) {
  GroupReport group{0, Verdict::Loads, Verdict::Loads, {}, {}};
  std::string a = own("a.so"), b = own("b.so"), c = own("c.so");
  group.libraries = {reportOn(a, Verdict::Loads, {found(a, b), found(a, c)}),
                     reportOn(b, Verdict::Loads, {found(b, c), found(b, a)}),
                     reportOn(c, Verdict::Loads, {found(c, a), found(c, b)})};
  Graph graph = graphOf(diagnosisOf({group}, true));
  std::vector<bool> isEntered(3), isLeft(3);
  for (const Edge& edge : graph.edges)
    isLeft[edge.from] = isEntered[edge.to] = true;
  EXPECT_THAT(isEntered, ElementsAre(true, true, true));
  EXPECT_THAT(isLeft, ElementsAre(true, true, true));
}

TEST(Graph, LongNamesAreElidedBetweenCharacters) {
  Node node;
  node.libraries = {"lib" + std::string(50, 'a') + "ééééééé.so"};
  EXPECT_EQ(linesOf(node, 12).front(), "libaaa…éé.so");
}

TEST(Dot, NamesCannotLeaveTheirQuotes) {
  GroupReport group{0, Verdict::Fails, Verdict::Fails, {}, {}};
  std::string path = own("a\"]; evil [label=\"\\N&lt;\n.so");
  group.libraries = {reportOn(path, Verdict::Fails, {lost(path, "libx.so")})};
  std::string dot = renderDot(graphOf(diagnosisOf({group}, false)));
  EXPECT_THAT(dot, HasSubstr("a\\\"]; evil [label=\\\"\\\\N&amp;lt;\\\\x0a.so"));
  EXPECT_THAT(dot, HasSubstr("n0 -> n1 ["));
  EXPECT_THAT(dot, HasSubstr("style=\"rounded,dashed,bold\", color=\"firebrick\""));
}

} // namespace
} // namespace tcfix::report
