#include "report/graph.h"

#include "base/paths.h"
#include "providers/ffmpeg_name.h"
#include "providers/torch.h"
#include "report/text_parts.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/Path.h>

#include <set>

namespace tcfix::report {

using doctor::Diagnosis;
using doctor::GroupReport;
using resolve::Binding;
using resolve::LoadProblem;
using resolve::Verdict;
using Kind = Node::Kind;
using State = Node::State;

namespace {

std::string fileName(llvm::StringRef path) {
  return llvm::sys::path::filename(path).str();
}

State stateOf(Verdict verdict) {
  return verdict == Verdict::Loads   ? State::Loads
         : verdict == Verdict::Fails ? State::Fails
                                     : State::Unknown;
}

class Builder {
public:
  explicit Builder(const Diagnosis& diagnosis)
      : diagnosis(diagnosis), groups(diagnosis.groups()), needed(neededGroups(diagnosis)) {}

  Graph run() {
    for (size_t i = 0; i < groups.size(); ++i)
      addPackage(i);
    for (size_t i = 0; i < groups.size(); ++i)
      for (const doctor::LibraryReport& library : groups[i]->libraries) {
        for (const Binding& binding : library.loads.bindings)
          addBinding(*groups[i], needed[i], binding);
        for (const LoadProblem& problem : library.loads.problems)
          addProblem(*groups[i], needed[i], problem);
      }
    leaveOutIdle();
    leaveOutWhatFollows();
    leaveOutSystem();
    mergeTwins();
    return std::move(graph);
  }

private:
  // A major that is not needed is one node.
  void addPackage(size_t index) {
    const GroupReport& group = *groups[index];
    for (const doctor::LibraryReport& library : group.libraries) {
      std::string folder = llvm::sys::path::parent_path(library.path).str();
      ownFolders.insert(slashed(folder));
      std::string key =
          "package|" + (needed[index] ? library.path : "group " + std::to_string(index));
      State state = stateOf(needed[index] ? library.loads.verdict : group.loads);
      size_t node = nodeFor(key, Kind::Package, state, group.major, briefPath(diagnosis, folder));
      graph.nodes[node].isNeeded = needed[index];
      graph.nodes[node].libraries.push_back(fileName(library.path));
      graph.nodes[node].paths.push_back(library.path);
      byPath[library.path] = node;
    }
  }

  void addBinding(const GroupReport& group, bool isNeeded, const Binding& binding) {
    size_t from = nodeOf(binding.library, group, isNeeded);
    Use use{fileName(binding.library), binding.dependency, binding.how.text()};
    std::string leaf = leafOf(binding.dependency);
    switch (binding.state) {
    case Binding::State::Found:
      connect(from, nodeOf(binding.provider, group, isNeeded), false, std::move(use));
      return;
    case Binding::State::System:
    case Binding::State::Assumed:
      connect(from, memberOf("system", Kind::System, State::Loads, 0, leaf, isNeeded), false,
              std::move(use));
      return;
    case Binding::State::Unknown:
      use.how = "not found on this machine";
      break;
    case Binding::State::Optional:
      use.how = "not found, and not needed";
      isNeeded = false;
      break;
    case Binding::State::Missing:
      use.how = "not found";
      break;
    }
    bool isBroken = binding.state == Binding::State::Missing;
    // A library of the package that exists but is not found is not missing.
    for (const doctor::LibraryReport& library : group.libraries)
      if (fileName(library.path) == leaf)
        return connect(from, byPath[library.path], isBroken, std::move(use));
    State state = binding.state == Binding::State::Unknown ? State::Unknown : State::Missing;
    bool isFfmpeg = providers::parseFfmpegName(leaf).has_value();
    Kind kind = isFfmpeg                          ? Kind::Ffmpeg
                : providers::isTorchLibrary(leaf) ? Kind::Torch
                                                  : Kind::Other;
    int major = isFfmpeg ? majorOf(leaf, group) : 0;
    std::string key = "absent|" + std::to_string(static_cast<int>(kind)) + "|" +
                      std::to_string(static_cast<int>(binding.state)) + "|" + std::to_string(major);
    connect(from, memberOf(key, kind, state, major, leaf, isNeeded), isBroken, std::move(use));
  }

  void addProblem(const GroupReport& group, bool isNeeded, const LoadProblem& problem) {
    if (problem.provider.empty() || problem.symbols.empty())
      return;
    size_t to = nodeOf(problem.provider, group, isNeeded), others = problem.symbols.size() - 1;
    if (isNeeded && graph.nodes[to].state == State::Loads)
      graph.nodes[to].state = State::Unfit;
    connect(nodeOf(problem.library, group, isNeeded), to, /*isBroken=*/true,
            {fileName(problem.library), fileName(problem.provider),
             "lacks " + problem.symbols.front() +
                 (others ? " and " + std::to_string(others) + " more" : "")});
  }

  static int majorOf(llvm::StringRef leaf, const GroupReport& group) {
    std::optional<providers::FfmpegName> name = providers::parseFfmpegName(leaf);
    return name ? providers::ffmpegMajorOf(*name).value_or(group.major) : 0;
  }

  size_t nodeFor(const std::string& key, Kind kind, State state, int major, std::string folder) {
    auto [place, isNew] = byKey.try_emplace(key, graph.nodes.size());
    if (isNew)
      graph.nodes.push_back({kind, state, false, major, std::move(folder), {}, {}});
    return place->second;
  }

  /// Adds a library to the node.
  size_t memberOf(const std::string& key, Kind kind, State state, int major,
                  const std::string& leaf, bool isNeeded, std::string folder = {}) {
    size_t node = nodeFor(key, kind, state, major, std::move(folder));
    graph.nodes[node].isNeeded |= isNeeded;
    if (!llvm::is_contained(graph.nodes[node].libraries, leaf))
      graph.nodes[node].libraries.push_back(leaf);
    return node;
  }

  size_t nodeOf(const std::string& path, const GroupReport& group, bool isNeeded) {
    auto [known, isNew] = byPath.try_emplace(path, 0);
    if (!isNew) {
      Node& node = graph.nodes[known->second];
      node.isNeeded |= isNeeded && node.kind != Kind::Package;
      return known->second;
    }
    std::string brief = briefPath(diagnosis, llvm::sys::path::parent_path(path).str());
    std::string folder = slashed(llvm::sys::path::parent_path(path)), leaf = fileName(path);
    bool isInside =
        briefPath(folder) != folder ||
        llvm::any_of(ownFolders, [&](llvm::StringRef own) { return isWithin(folder, own); });
    int major = majorOf(leaf, group);
    Kind kind = providers::parseFfmpegName(leaf)                        ? Kind::Ffmpeg
                : llvm::StringRef("/" + folder).ends_with("/torch/lib") ? Kind::Torch
                : isInside                                              ? Kind::Other
                                                                        : Kind::System;
    if (kind == Kind::System)
      folder = brief = "";
    std::string key = kind == Kind::System ? "system"
                                           : "found|" + std::to_string(static_cast<int>(kind)) +
                                                 "|" + std::to_string(major) + "|" + folder;
    return known->second = memberOf(key, kind, State::Loads, major, leaf, isNeeded, brief);
  }

  void connect(size_t from, size_t to, bool isBroken, Use use) {
    if (from == to)
      return;
    auto [place, isNew] = byEnds.try_emplace({from, to}, graph.edges.size());
    if (isNew)
      graph.edges.push_back({from, to, false, {}});
    Edge& edge = graph.edges[place->second];
    edge.isBroken |= isBroken;
    edge.uses.push_back(std::move(use));
  }

  bool isReachable(size_t from, size_t to, const std::vector<bool>& isLeftOut) const {
    std::vector<bool> isSeen(graph.nodes.size(), false);
    std::vector<size_t> open = {from};
    while (!open.empty()) {
      size_t node = open.back();
      open.pop_back();
      for (size_t i = 0; i < graph.edges.size(); ++i) {
        if (isLeftOut[i] || graph.edges[i].from != node || isSeen[graph.edges[i].to])
          continue;
        if (graph.edges[i].to == to)
          return true;
        isSeen[graph.edges[i].to] = true;
        open.push_back(graph.edges[i].to);
      }
    }
    return false;
  }

  // For a major that is not needed, show only what it lacks.
  void leaveOutIdle() {
    llvm::erase_if(graph.edges, [&](const Edge& edge) {
      return !graph.nodes[edge.from].isNeeded && graph.nodes[edge.to].isNeeded;
    });
  }

  // All libraries of a major need FFmpeg, torch and the system, and custom_ops also needs core: it
  // is enough to show what core needs. Keep edges that are broken themselves.
  void leaveOutWhatFollows() {
    std::vector<bool> isLeftOut(graph.edges.size(), false);
    for (size_t i = 0; i < graph.edges.size(); ++i) {
      const Edge& edge = graph.edges[i];
      isLeftOut[i] = true;
      bool isShown = edge.isBroken && graph.nodes[edge.to].state != State::Missing;
      isLeftOut[i] = !isShown && isReachable(edge.from, edge.to, isLeftOut);
    }
    std::vector<Edge> kept;
    for (size_t i = 0; i < graph.edges.size(); ++i)
      if (!isLeftOut[i])
        kept.push_back(std::move(graph.edges[i]));
    graph.edges = std::move(kept);
  }

  // Everything needs the system; show it only for nodes that need nothing else.
  void leaveOutSystem() {
    std::vector<size_t> counts(graph.nodes.size(), 0);
    for (const Edge& edge : graph.edges)
      ++counts[edge.from];
    llvm::erase_if(graph.edges, [&](const Edge& edge) {
      return graph.nodes[edge.to].kind == Kind::System && counts[edge.from] > 1 && !edge.isBroken;
    });
  }

  // Merges nodes with the same dependencies: a package may have a hundred such libraries.
  void mergeTwins() {
    constexpr size_t kTooMany = 4;
    using Ends = std::pair<std::set<size_t>, std::set<size_t>>;
    std::vector<Ends> ends(graph.nodes.size());
    for (const Edge& edge : graph.edges) {
      ends[edge.from].first.insert(edge.to);
      ends[edge.to].second.insert(edge.from);
    }
    std::map<std::tuple<Ends, std::string, State, bool, int>, std::vector<size_t>> twins;
    for (size_t i = 0; i < graph.nodes.size(); ++i)
      if (const Node& node = graph.nodes[i]; node.kind == Kind::Package)
        twins[{ends[i], node.folder, node.state, node.isNeeded, node.major}].push_back(i);
    std::vector<size_t> becomes(graph.nodes.size());
    for (size_t i = 0; i < becomes.size(); ++i)
      becomes[i] = i;
    for (const auto& [what, list] : twins)
      for (size_t i = 1; list.size() >= kTooMany && i < list.size(); ++i) {
        becomes[list[i]] = list[0];
        llvm::move(graph.nodes[list[i]].libraries,
                   std::back_inserter(graph.nodes[list[0]].libraries));
        llvm::move(graph.nodes[list[i]].paths, std::back_inserter(graph.nodes[list[0]].paths));
      }
    Graph merged;
    std::vector<size_t> places(graph.nodes.size());
    auto isLonely = [&](size_t node) { return ends[node] == Ends(); };
    for (size_t i = 0; i < graph.nodes.size(); ++i)
      if (becomes[i] == i && !(graph.nodes[i].kind == Kind::System && isLonely(i))) {
        places[i] = merged.nodes.size();
        merged.nodes.push_back(std::move(graph.nodes[i]));
      }
    byEnds.clear();
    std::vector<Edge> edges = std::move(graph.edges);
    graph = std::move(merged);
    for (Edge& edge : edges)
      for (Use& use : edge.uses)
        connect(places[becomes[edge.from]], places[becomes[edge.to]], edge.isBroken,
                std::move(use));
  }

  const Diagnosis& diagnosis;
  std::vector<const GroupReport*> groups;
  std::vector<bool> needed; ///< for each group
  Graph graph;
  std::set<std::string> ownFolders;
  std::map<std::string, size_t> byKey;
  std::map<std::string, size_t> byPath;
  std::map<std::pair<size_t, size_t>, size_t> byEnds; ///< edges
};

} // namespace

std::string leafOf(llvm::StringRef dependency) {
  return dependency.substr(dependency.find_last_of("/\\") + 1).str();
}

std::string briefPath(llvm::StringRef path) {
  return slashed(belowSite(path));
}

std::string briefPath(const Diagnosis& diagnosis, const std::string& hostPath) {
  std::string brief = briefPath(hostPath);
  return brief == slashed(hostPath) ? diagnosis.shown(hostPath) : brief;
}

std::vector<bool> neededGroups(const Diagnosis& diagnosis) {
  std::vector<bool> needed;
  for (const doctor::PackageDiagnosis& package : diagnosis.packages) {
    auto used = llvm::find_if(package.groups, [](const GroupReport& group) {
      return group.major != 0 && group.loads == Verdict::Loads;
    });
    for (const GroupReport& group : package.groups)
      needed.push_back(!group.isOnDemand &&
                       (group.major == 0 || used == package.groups.end() || &group == &*used ||
                        llvm::is_contained(diagnosis.required, group.major)));
  }
  return needed;
}

Graph graphOf(const Diagnosis& diagnosis) {
  return Builder(diagnosis).run();
}

} // namespace tcfix::report
