// The dependency graph, small enough to read: libraries with the same role, such as the seven of
// one FFmpeg, are one node. renderDot prints it for Graphviz, renderSvg (report/svg.h) draws it.
#pragma once

#include "doctor/diagnosis.h"

namespace tcfix::report {

struct Node {
  enum class Kind {
    Package, ///< of the examined package
    Ffmpeg,
    Torch,
    Other,  ///< anything else inside the environment, or missing
    System, ///< anything else outside of it
  };
  enum class State {
    Loads,
    Fails,
    Missing,
    Unfit, ///< found, but lacks required symbols
    Unknown,
  };

  Kind kind = Kind::Package;
  State state = State::Loads;
  bool isNeeded = true;               ///< false: it may fail or be missing
  int major = 0;                      ///< FFmpeg's, if it belongs to one
  std::string folder;                 ///< relative to site-packages, or a target path; may be empty
  std::vector<std::string> libraries; ///< file names, in load order
  std::vector<std::string> paths;     ///< host paths, for the package's own

  std::string title() const;
  /// The state in a few words: "loads", "missing", "does not load", "not needed".
  std::string status() const;
  /// A symbol for it, so that colour is never the only sign.
  llvm::StringRef sign() const;
};

/// One library's dependency on another, as the loader resolved it.
struct Use {
  std::string library;    ///< file name
  std::string dependency; ///< as written in the library
  std::string how;        ///< how it was found, or what is wrong
};

struct Edge {
  size_t from = 0;
  size_t to = 0;
  bool isBroken = false; ///< not found, or found and lacking symbols
  std::vector<Use> uses;
};

struct Graph {
  std::vector<Node> nodes;
  std::vector<Edge> edges; ///< without those that follow from others
};

Graph graphOf(const doctor::Diagnosis& diagnosis);

/// The lines of a node, from its title to its status; none is longer than `columns`.
std::vector<std::string> linesOf(const Node& node, size_t columns);

/// The graph in Graphviz's language.
std::string renderDot(const Graph& graph);

/// A short form of a path: relative to site-packages if it is inside, with forward slashes.
std::string briefPath(llvm::StringRef path);

/// The same for a host path, for people: the target path if it is outside.
std::string briefPath(const doctor::Diagnosis& diagnosis, const std::string& hostPath);

/// The last component of a dependency, in the notation of any platform.
std::string leafOf(llvm::StringRef dependency);

/// Which groups are needed: the package needs only one major, the first that loads, and the
/// required ones.
std::vector<bool> neededGroups(const doctor::Diagnosis& diagnosis);

} // namespace tcfix::report
