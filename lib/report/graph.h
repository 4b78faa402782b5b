// Who loads what from where, as a graph small enough to look at: libraries that stand for the same
// thing, such as the seven of one FFmpeg, are one node. renderDot gives it to Graphviz, renderSvg
// (report/svg.h) draws it.
#pragma once

#include "doctor/diagnosis.h"

namespace tcfix::report {

struct Node {
  enum class Kind {
    Package, ///< of the package that is looked at
    Ffmpeg,
    Torch,
    Other,  ///< anything else inside the environment, or nowhere
    System, ///< anything else outside of it
  };
  enum class State {
    Loads,
    Fails,
    Missing,
    Unfit, ///< found, and lacks symbols that are asked of it
    Unknown,
  };

  Kind kind = Kind::Package;
  State state = State::Loads;
  bool isNeeded = true; ///< false: it does not matter that it fails or is missing
  int major = 0;        ///< FFmpeg's, where it is about one
  std::string folder;   ///< below site-packages, or a target path; empty where there is none
  std::vector<std::string> libraries; ///< file names, in load order
  std::vector<std::string> paths;     ///< host paths, for the package's own

  std::string title() const;
  /// What is the matter, in a few words: "loads", "missing", "does not load", "not needed".
  std::string status() const;
  /// A sign for it, so that no colour carries meaning alone.
  llvm::StringRef sign() const;
};

/// One library's dependency on another, as the loader met it.
struct Use {
  std::string library;    ///< file name
  std::string dependency; ///< as it asks for it
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
  std::vector<Edge> edges; ///< those that follow from others are left out
};

Graph graphOf(const doctor::Diagnosis& diagnosis);

/// The texts of a node, from its title to its status; none is longer than `columns`.
std::vector<std::string> linesOf(const Node& node, size_t columns);

/// Graphviz's language.
std::string renderDot(const Graph& graph);

/// The path as it is best read: below site-packages where it is inside, with forward slashes.
std::string briefPath(llvm::StringRef path);

/// The same of a host path, for people: the target's path where it is outside.
std::string briefPath(const doctor::Diagnosis& diagnosis, const std::string& hostPath);

/// A dependency's last part, as any platform writes it.
std::string leafOf(llvm::StringRef dependency);

/// For each group whether it matters: a package needs one major only, the first that loads, and
/// those that are required.
std::vector<bool> neededGroups(const doctor::Diagnosis& diagnosis);

} // namespace tcfix::report
