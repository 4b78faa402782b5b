#include "macho/export_trie.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/BinaryFormat/MachO.h>
#include <llvm/Support/LEB128.h>

#include <algorithm>
#include <numeric>

namespace tcfix::macho {

namespace {

std::optional<uint64_t> readLongNumber(Bytes trie, uint64_t& at) {
  if (at > trie.size())
    return std::nullopt;
  unsigned length = 0;
  const char* error = nullptr;
  uint64_t value = llvm::decodeULEB128(trie.data() + at, &length, trie.end(), &error);
  if (error)
    return std::nullopt;
  at += length;
  return value;
}

// Fast path: most numbers have one byte, and a lookup reads dozens of them.
inline std::optional<uint64_t> readNumber(Bytes trie, uint64_t& at) {
  return at < trie.size() && trie[at] < 0x80 ? trie[at++] : readLongNumber(trie, at);
}

/// The string at `at`; advances `at` past its terminator.
std::optional<llvm::StringRef> readString(Bytes trie, uint64_t& at) {
  llvm::StringRef rest = textOf(trie.drop_front(std::min<uint64_t>(at, trie.size())));
  size_t length = rest.find('\0');
  if (length == llvm::StringRef::npos)
    return std::nullopt;
  at += length + 1;
  return rest.take_front(length);
}

// Limits the expansion of a malicious trie. Real names share prefixes, but far less than this.
constexpr uint64_t kMaxNamesPerByte = 256;

class TrieReader {
public:
  explicit TrieReader(Bytes trie)
      : trie(trie), isVisited(trie.size()), allowance(trie.size() * kMaxNamesPerByte) {}

  struct Result {
    std::vector<std::string> names;
    std::vector<uint64_t> reexports; ///< where their ordinals stand
  };

  std::optional<Result> run() {
    pending.push_back({0, {}});
    while (!pending.empty()) {
      Node node = std::move(pending.back());
      pending.pop_back();
      if (!visit(node))
        return std::nullopt;
    }
    return std::move(result);
  }

private:
  struct Node {
    uint64_t offset;
    std::string prefix;
  };

  bool visit(const Node& node) {
    if (node.offset >= trie.size() || isVisited[node.offset])
      return false;
    isVisited[node.offset] = true;
    uint64_t at = node.offset;
    std::optional<uint64_t> exportSize = readNumber(trie, at);
    if (!exportSize || !fits(at, *exportSize, trie.size()))
      return false;
    if (*exportSize > 0 && !node.prefix.empty())
      result.names.push_back(node.prefix);
    if (uint64_t inside = at; *exportSize > 0) {
      std::optional<uint64_t> flags = readNumber(trie, inside);
      if (flags && (*flags & llvm::MachO::EXPORT_SYMBOL_FLAGS_REEXPORT))
        result.reexports.push_back(inside);
    }
    at += *exportSize;
    if (at >= trie.size())
      return false;
    for (unsigned edges = trie[at++]; edges > 0; --edges) {
      std::optional<llvm::StringRef> edge = readString(trie, at);
      if (!edge)
        return false;
      std::optional<uint64_t> child = readNumber(trie, at);
      uint64_t size = node.prefix.size() + edge->size();
      if (!child || size > allowance)
        return false;
      allowance -= size;
      pending.push_back({*child, node.prefix + edge->str()});
    }
    return true;
  }

  Bytes trie;
  std::vector<bool> isVisited;
  uint64_t allowance;
  std::vector<Node> pending;
  Result result;
};

/// Names that are looked up together, sorted: those that have the same beginning are neighbours.
class ExportSearch {
public:
  ExportSearch(Bytes trie, llvm::ArrayRef<llvm::StringRef> names)
      : trie(trie), names(names), order(names.size()), entries(names.size()) {
    std::iota(order.begin(), order.end(), 0);
    auto isBefore = [&](size_t a, size_t b) { return names[a] < names[b]; };
    if (!std::is_sorted(order.begin(), order.end(), isBefore)) // symbol tables are
      std::sort(order.begin(), order.end(), isBefore);
  }

  std::vector<std::optional<TrieEntry>> run() {
    pending.push_back({0, 0, {0, order.size()}, 0});
    while (!pending.empty()) {
      Visit visit = pending.back();
      pending.pop_back();
      if (visit.range.last - visit.range.first == 1)
        lookForOne(visit);
      else
        look(visit);
    }
    return std::move(entries);
  }

private:
  /// A part of `order`.
  struct Range {
    size_t first = 0, last = 0;
  };
  /// A node, and the names whose first `length` characters lead to it.
  struct Visit {
    uint64_t node = 0;
    size_t length = 0;
    Range range;
    uint64_t emptyEdges = 0; ///< in a row; a circle of them must end
  };

  llvm::StringRef restOf(size_t place, const Visit& visit) const {
    return names[order[place]].drop_front(visit.length);
  }

  void look(Visit visit) {
    uint64_t at = visit.node;
    std::optional<uint64_t> exportSize = readNumber(trie, at);
    if (!exportSize || !fits(at, *exportSize, trie.size()))
      return;
    Range& range = visit.range;
    for (; *exportSize > 0 && range.first < range.last && restOf(range.first, visit).empty();
         ++range.first)
      entries[order[range.first]] = entryAt(at);
    at += *exportSize;
    if (range.first == range.last || at >= trie.size())
      return;
    taken.clear();
    const int lowest = letterOf(range.first, visit), highest = letterOf(range.last - 1, visit);
    for (unsigned edges = trie[at++]; edges > 0; --edges) {
      std::optional<llvm::StringRef> string = readString(trie, at);
      if (!string)
        return;
      const llvm::StringRef edge = *string;
      // Most edges of a node are of no interest: one look at their first letter.
      const int letter = edge.empty() ? -1 : static_cast<uint8_t>(edge.front());
      const bool mayFit = letter >= lowest && letter <= highest;
      const Range found = edge.empty() ? range : mayFit ? startingWith(edge, visit) : Range();
      if (found.first == found.last) {
        skipNumber(at);
        continue;
      }
      std::optional<uint64_t> child = readNumber(trie, at);
      if (!child)
        return;
      follow(visit, edge, *child, found);
    }
  }

  /// The same for one name, which most of a search is about: it needs no ranges.
  void lookForOne(const Visit& visit) {
    const size_t index = order[visit.range.first];
    llvm::StringRef rest = names[index].drop_front(visit.length);
    uint64_t node = visit.node, emptyEdges = visit.emptyEdges;
    for (;;) {
      uint64_t at = node;
      std::optional<uint64_t> exportSize = readNumber(trie, at);
      if (!exportSize || !fits(at, *exportSize, trie.size()))
        return;
      if (*exportSize > 0 && rest.empty()) {
        entries[index] = entryAt(at);
        return;
      }
      at += *exportSize;
      std::optional<llvm::StringRef> edge = fittingEdge(at, rest);
      std::optional<uint64_t> child = edge ? readNumber(trie, at) : std::nullopt;
      if (!child)
        return;
      emptyEdges = edge->empty() ? emptyEdges + 1 : 0;
      if (emptyEdges > trie.size())
        return;
      rest = rest.drop_front(edge->size());
      node = *child;
    }
  }

  /// The first of a node's edges that `rest` starts with; `at` is then at its number.
  std::optional<llvm::StringRef> fittingEdge(uint64_t& at, llvm::StringRef rest) const {
    if (at >= trie.size())
      return std::nullopt;
    for (unsigned edges = trie[at++]; edges > 0; --edges) {
      std::optional<llvm::StringRef> edge = readString(trie, at);
      if (!edge || rest.starts_with(*edge))
        return edge;
      skipNumber(at);
    }
    return std::nullopt;
  }

  void skipNumber(uint64_t& at) const {
    while (at < trie.size() && trie[at] >= 0x80)
      ++at;
    ++at;
  }

  /// The next letter of a name; -1 at its end.
  int letterOf(size_t place, const Visit& visit) const {
    const llvm::StringRef rest = restOf(place, visit);
    return rest.empty() ? -1 : static_cast<uint8_t>(rest.front());
  }

  /// The names of a visit that go on with this string, which is not empty.
  Range startingWith(llvm::StringRef edge, const Visit& visit) const {
    // By the first letter, which mostly decides, then by the others.
    const Range same = between(visit.range, [&](size_t place) {
      return letterOf(place, visit) - static_cast<uint8_t>(edge.front());
    });
    auto fits = [&](size_t place) { return restOf(place, visit).starts_with(edge); };
    if (same.first == same.last || (fits(same.first) && fits(same.last - 1)))
      return same;
    return between(same, [&](size_t place) {
      return restOf(place, visit).take_front(edge.size()).compare(edge);
    });
  }

  /// The places in a range where `compare` returns 0; it is negative before and positive after.
  template <typename Compare>
  static Range between(Range range, Compare compare) {
    const size_t first = endOf(range, [&](size_t place) { return compare(place) < 0; });
    return {first, endOf({first, range.last}, [&](size_t place) { return compare(place) == 0; })};
  }

  /// The end of the places at the beginning of a range where `fits` is true. libc++'s
  /// partition_point cannot search LLVM's ranges of numbers.
  template <typename Fits>
  static size_t endOf(Range range, Fits fits) {
    while (range.first < range.last) {
      const size_t middle = range.first + (range.last - range.first) / 2;
      if (fits(middle))
        range.first = middle + 1;
      else
        range.last = middle;
    }
    return range.first;
  }

  /// Of two edges that fit, as only a corrupt trie has them, the first is followed.
  void follow(const Visit& visit, llvm::StringRef edge, uint64_t child, Range found) {
    const uint64_t emptyEdges = edge.empty() ? visit.emptyEdges + 1 : 0;
    if (emptyEdges > trie.size())
      return;
    size_t next = found.first;
    auto push = [&](size_t last) {
      if (next < last)
        pending.push_back({child, visit.length + edge.size(), {next, last}, emptyEdges});
    };
    for (const Range& other : taken) { // sorted; within `found`, around it, or elsewhere
      if (other.last <= next || other.first >= found.last)
        continue;
      push(other.first);
      next = std::max(next, other.last);
    }
    push(found.last);
    taken.insert(
        llvm::upper_bound(taken, found,
                          [](const Range& a, const Range& b) { return a.first < b.first; }),
        found);
  }

  TrieEntry entryAt(uint64_t at) const {
    TrieEntry entry;
    std::optional<uint64_t> flags = readNumber(trie, at);
    entry.isReexport = flags && (*flags & llvm::MachO::EXPORT_SYMBOL_FLAGS_REEXPORT);
    if (entry.isReexport) {
      entry.ordinal = readNumber(trie, at).value_or(0);
      entry.importedName = readString(trie, at).value_or(llvm::StringRef());
    }
    return entry;
  }

  Bytes trie;
  llvm::ArrayRef<llvm::StringRef> names;
  std::vector<size_t> order; ///< indexes of the names
  std::vector<std::optional<TrieEntry>> entries;
  std::vector<Visit> pending;
  std::vector<Range> taken; ///< what edges of the present node have led away
};

} // namespace

std::optional<std::vector<std::string>> exportNames(Bytes trie) {
  std::optional<TrieReader::Result> result = TrieReader(trie).run();
  return result ? std::optional(std::move(result->names)) : std::nullopt;
}

std::optional<std::vector<uint64_t>> reexportOrdinals(Bytes trie) {
  std::optional<TrieReader::Result> result = TrieReader(trie).run();
  return result ? std::optional(std::move(result->reexports)) : std::nullopt;
}

std::vector<std::optional<TrieEntry>> findExports(Bytes trie,
                                                  llvm::ArrayRef<llvm::StringRef> names) {
  return ExportSearch(trie, names).run();
}

} // namespace tcfix::macho
