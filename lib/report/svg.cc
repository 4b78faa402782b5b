#include "report/svg.h"

#include "report/layout.h"
#include "report/markup.h"

#include <llvm/Support/FormatVariadic.h>

namespace tcfix::report {

using Kind = Node::Kind;
using State = Node::State;
using llvm::formatv;

namespace {

// The reader's fonts are unknown: widths are those of the widest common monospaced fonts.
constexpr size_t kBoxColumns = 36;
constexpr double kNameCharacter = 7.3;
constexpr double kCharacter = 6.7;
constexpr double kLineHeight = 16;
constexpr double kPadding = 10;
constexpr double kMargin = 12;
constexpr double kLeastScale = 0.85; ///< smaller is hard to read; the page scrolls instead

/// 1 for most characters, 2 for those that may be wide: U+1000 and above.
size_t columnsOf(llvm::StringRef text) {
  size_t columns = 0;
  for (unsigned char byte : text)
    columns += (byte & 0xC0) == 0x80 ? 0 : byte > 0xE0 && byte != 0xE2 ? 2 : 1;
  return columns;
}

size_t bandOf(const Node& node) {
  return node.kind == Kind::Package ? 0 : node.kind == Kind::System ? 2 : 1;
}

std::string number(double value) {
  return formatv("{0:f1}", value).str();
}

std::string classesOf(const Node& node) {
  std::string classes = "node";
  if (!node.isNeeded)
    return classes + " idle";
  switch (node.state) {
  case State::Fails:
  case State::Unfit:
    return classes + " fails";
  case State::Missing:
    return classes + " missing";
  case State::Unknown:
    return classes + " unknown";
  case State::Loads:
    break;
  }
  return classes + (node.kind == Kind::Package ? " loads" : "");
}

std::string usesText(const Edge& edge) {
  constexpr size_t kMost = 12;
  std::string out;
  for (const Use& use : llvm::ArrayRef(edge.uses).take_front(kMost))
    out += escaped(use.library) + " needs " + escaped(use.dependency) +
           (use.how.empty() ? "" : ": " + escaped(use.how)) + "\n";
  if (edge.uses.size() > kMost)
    out += "and " + std::to_string(edge.uses.size() - kMost) + " more\n";
  return out;
}

std::string membersText(const Node& node) {
  constexpr size_t kMost = 40;
  std::string out = escaped(node.title() + ": " + node.status()) + "\n";
  if (!node.folder.empty())
    out += "in " + escaped(node.folder) + "\n";
  for (const std::string& library : llvm::ArrayRef(node.libraries).take_front(kMost))
    out += escaped(library) + "\n";
  if (node.libraries.size() > kMost)
    out += "and " + std::to_string(node.libraries.size() - kMost) + " more\n";
  return out;
}

/// A curve that begins and ends horizontally and crosses layers in straight lines.
std::string pathOf(llvm::ArrayRef<Point> way) {
  std::string out = "M" + number(way[0].x) + " " + number(way[0].y);
  for (size_t i = 1; i < way.size(); ++i) {
    const Point &from = way[i - 1], &to = way[i];
    double middle = (from.x + to.x) / 2;
    out += from.y == to.y ? "L" + number(to.x) + " " + number(to.y)
                          : formatv("C{0} {1} {0} {2} {3} {2}", number(middle), number(from.y),
                                    number(to.y), number(to.x))
                                .str();
  }
  return out;
}

std::string edgeMarkup(const Graph& graph, const Edge& edge, llvm::ArrayRef<Point> way) {
  if (way.empty())
    return {};
  bool isIdle = !graph.nodes[edge.from].isNeeded;
  const bool isBroken = edge.isBroken && !isIdle;
  llvm::StringRef kind = isIdle ? "idle" : isBroken ? "broken" : "good";
  std::string out = formatv("<g class=\"edge {0}\" aria-hidden=\"true\" data-from=\"{1}\" "
                            "data-to=\"{2}\"><title>{3}</title>"
                            "<path d=\"{4}\" marker-end=\"url(#arrow-{0})\"/>",
                            kind, edge.from, edge.to, usesText(edge), pathOf(way))
                        .str();
  if (isBroken) {
    size_t middle = (way.size() - 1) / 2;
    const Point &a = way[middle], &b = way[middle + 1];
    out += formatv("<text class=\"cut\" x=\"{0}\" y=\"{1}\">✕</text>", number((a.x + b.x) / 2),
                   number((a.y + b.y) / 2 + 5))
               .str();
  }
  return out + "</g>\n";
}

std::string nodeMarkup(size_t index, const Node& node, const Box& box, Point corner,
                       const std::string& anchor) {
  std::string tag = anchor.empty() ? "g" : "a";
  std::string out = formatv("<{0} class=\"{1}\" data-node=\"{2}\"", tag, classesOf(node), index);
  if (!anchor.empty())
    out += " href=\"#" + escaped(anchor) + "\"";
  out += formatv("><title>{0}</title><rect x=\"{1}\" y=\"{2}\" width=\"{3}\" height=\"{4}\" "
                 "rx=\"7\"/>",
                 membersText(node), number(corner.x), number(corner.y), number(box.width),
                 number(box.height));
  std::vector<std::string> lines = linesOf(node, kBoxColumns);
  for (size_t i = 0; i < lines.size(); ++i) {
    llvm::StringRef kind = i == 0 ? "name" : i + 1 == lines.size() ? "status" : "detail";
    double baseline = corner.y + kPadding + kLineHeight * static_cast<double>(i) + 11;
    out += formatv("<text class=\"{0}\" x=\"{1}\" y=\"{2}\">{3}</text>", kind,
                   number(corner.x + kPadding), number(baseline), escaped(lines[i]));
  }
  return out + "</" + tag + ">\n";
}

} // namespace

std::string renderSvg(const Graph& graph,
                      llvm::function_ref<std::string(const std::string& path)> anchorOf) {
  std::vector<Box> boxes;
  for (const Node& node : graph.nodes) {
    std::vector<std::string> lines = linesOf(node, kBoxColumns);
    double width = static_cast<double>(columnsOf(lines.front())) * kNameCharacter;
    for (const std::string& line : lines)
      width = std::max(width, static_cast<double>(columnsOf(line)) * kCharacter);
    boxes.push_back({width + 2 * kPadding,
                     static_cast<double>(lines.size()) * kLineHeight + 2 * kPadding - 4,
                     bandOf(node)});
  }
  std::vector<Arrow> arrows;
  for (const Edge& edge : graph.edges)
    arrows.push_back({edge.from, edge.to});
  Layout layout = layOut(boxes, arrows);

  std::string out = formatv(
      "<svg width=\"{0}\" height=\"{1}\" "
      "viewBox=\"{2} {2} {0} {1}\" style=\"min-width:{5}px\" role=\"group\" "
      "aria-labelledby=\"graph-title graph-text\">\n"
      "<title id=\"graph-title\">Dependencies</title>\n"
      "<desc id=\"graph-text\">{3} boxes represent libraries; {4} arrows point from each to what "
      "it "
      "needs. The search traces below contain the same information.</desc>\n<defs>",
      number(layout.width + 2 * kMargin), number(layout.height + 2 * kMargin), number(-kMargin),
      graph.nodes.size(), graph.edges.size(), number((layout.width + 2 * kMargin) * kLeastScale));
  for (llvm::StringRef kind : {"good", "broken", "idle"})
    out += formatv("<marker id=\"arrow-{0}\" class=\"{0}\" viewBox=\"0 0 8 8\" refX=\"7.5\" "
                   "refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">"
                   "<path d=\"M0 0.5L8 4L0 7.5z\"/></marker>",
                   kind);
  out += "</defs>\n";
  for (size_t i = 0; i < graph.edges.size(); ++i)
    out += edgeMarkup(graph, graph.edges[i], layout.ways[i]);
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    out += nodeMarkup(i, graph.nodes[i], boxes[i], layout.boxes[i],
                      graph.nodes[i].paths.empty() ? "" : anchorOf(graph.nodes[i].paths.front()));
  return out + "</svg>\n";
}

} // namespace tcfix::report
