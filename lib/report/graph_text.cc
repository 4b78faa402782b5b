// The graph as text: the lines of its nodes, and the whole graph as DOT.
#include "report/graph.h"
#include "report/text.h"

#include <llvm/ADT/StringExtras.h>

namespace tcfix::report {

using Kind = Node::Kind;
using State = Node::State;

namespace {

std::string counted(size_t count, llvm::StringRef what) {
  return std::to_string(count) + " " + what.str();
}

/// FFmpeg's libraries by component and major, others by file name.
std::string briefName(const Node& node, const std::string& library) {
  if (node.kind == Kind::Ffmpeg)
    if (std::optional<providers::FfmpegName> name = providers::parseFfmpegName(library))
      return name->component + " " + std::to_string(name->libraryMajor);
  return printable(library);
}

/// The characters of a string, each as its UTF-8 bytes.
std::vector<llvm::StringRef> charactersOf(llvm::StringRef text) {
  std::vector<llvm::StringRef> characters;
  for (size_t begin = 0, end; begin < text.size(); begin = end) {
    for (end = begin + 1; end < text.size() && (text[end] & 0xC0) == 0x80; ++end)
      continue;
    characters.push_back(text.slice(begin, end));
  }
  return characters;
}

/// The text with its middle elided if it is longer than `columns`: names differ at both ends.
std::string shortened(const std::string& text, size_t columns) {
  std::vector<llvm::StringRef> characters = charactersOf(text);
  if (characters.size() <= columns)
    return text;
  size_t head = columns / 2, tail = columns - head - 1;
  return llvm::join(llvm::ArrayRef(characters).take_front(head), "") + "…" +
         llvm::join(llvm::ArrayRef(characters).take_back(tail), "");
}

/// The libraries' names on a few lines; the last line counts those that do not fit.
std::vector<std::string> namesOf(const Node& node, size_t columns) {
  constexpr size_t kLines = 3;
  std::vector<std::string> lines;
  size_t lineStart = 0;
  for (size_t i = 0; i < node.libraries.size(); ++i) {
    std::string name = shortened(briefName(node, node.libraries[i]), columns - 1);
    if (i + 1 < node.libraries.size())
      name += ",";
    if (!lines.empty() && charactersOf(lines.back() + " " + name).size() <= columns) {
      lines.back() += " " + name;
    } else if (lines.size() == kLines) {
      lines.back() = "and " + std::to_string(node.libraries.size() - lineStart) + " more";
      break;
    } else {
      lines.push_back(name);
      lineStart = i;
    }
  }
  return lines;
}

std::string quoted(llvm::StringRef text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    if (c == '&')
      out += "&amp;"; // Graphviz interprets HTML entities in any label
    else if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out + "\"";
}

llvm::StringRef styleOf(const Node& node) {
  if (!node.isNeeded)
    return "style=\"rounded,dashed\", color=\"gray55\", fontcolor=\"gray35\"";
  switch (node.state) {
  case State::Missing:
    return "style=\"rounded,dashed,bold\", color=\"firebrick\", fontcolor=\"firebrick\"";
  case State::Fails:
  case State::Unfit:
    return "style=\"rounded,bold\", color=\"firebrick\"";
  case State::Unknown:
    return "style=\"rounded,dotted\"";
  case State::Loads:
    break;
  }
  return "style=\"rounded\"";
}

} // namespace

std::string Node::title() const {
  switch (kind) {
  case Kind::Package:
    if (libraries.size() == 1)
      break;
    return counted(libraries.size(), "libraries") +
           (major ? " for FFmpeg " + std::to_string(major) : "");
  case Kind::Ffmpeg:
    return major ? "FFmpeg " + std::to_string(major) : "FFmpeg";
  case Kind::Torch:
    return "torch";
  case Kind::Other:
    if (libraries.size() == 1)
      break;
    return counted(libraries.size(), state == State::Loads ? "bundled libraries" : "libraries");
  case Kind::System:
    return "the system";
  }
  return libraries.front();
}

std::string Node::status() const {
  std::string words;
  switch (state) {
  case State::Loads:
    if (!isNeeded)
      return "not needed";
    return kind == Kind::Package ? "loads" : "found";
  case State::Fails:
    words = "does not load";
    break;
  case State::Missing:
    words = "missing";
    break;
  case State::Unfit:
    words = "found, but lacks symbols";
    break;
  case State::Unknown:
    words = "unknown: not on this machine";
    break;
  }
  return isNeeded ? words : words + ", not needed";
}

llvm::StringRef Node::sign() const {
  if (!isNeeded)
    return "–";
  return state == State::Loads ? "✓" : state == State::Unknown ? "?" : "✕";
}

std::vector<std::string> linesOf(const Node& node, size_t columns) {
  std::vector<std::string> lines = {shortened(printable(node.title()), columns)};
  if (node.kind != Kind::Package && !node.folder.empty())
    lines.push_back(shortened(printable(node.folder), columns));
  if (node.kind == Kind::System)
    lines.push_back(node.libraries.size() == 1 ? shortened(printable(node.libraries[0]), columns)
                                               : counted(node.libraries.size(), "libraries"));
  else if (node.libraries.size() > 1 || node.title() != node.libraries[0])
    for (std::string& line : namesOf(node, columns))
      lines.push_back(std::move(line));
  lines.push_back((node.sign() + " " + node.status()).str());
  return lines;
}

std::string renderDot(const Graph& graph) {
  constexpr size_t kLabelColumns = 40;
  std::string out = "digraph tcfix {\n"
                    "  rankdir=LR;\n"
                    "  node [shape=box, fontname=\"monospace\", fontsize=11];\n"
                    "  edge [fontname=\"monospace\", fontsize=9];\n";
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    out += "  n" + std::to_string(i) +
           " [label=" + quoted(llvm::join(linesOf(node, kLabelColumns), "\n")) + ", " +
           styleOf(node).str() + "];\n";
  }
  for (const Edge& edge : graph.edges) {
    std::vector<std::string> uses;
    for (const Use& use : edge.uses)
      uses.push_back(printable(use.library) + ": " + printable(use.dependency) +
                     (use.how.empty() ? "" : " (" + printable(use.how) + ")"));
    out += "  n" + std::to_string(edge.from) + " -> n" + std::to_string(edge.to) +
           " [edgetooltip=" + quoted(llvm::join(uses, "\n"));
    if (!graph.nodes[edge.from].isNeeded)
      out += ", color=\"gray55\"";
    else if (edge.isBroken)
      out += ", color=\"firebrick\", style=\"bold\", label=\"✕\"";
    out += "];\n";
  }
  return out + "}\n";
}

} // namespace tcfix::report
