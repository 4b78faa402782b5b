#include "macho/export_trie.h"

#include <llvm/BinaryFormat/MachO.h>
#include <llvm/Support/LEB128.h>

#include <algorithm>

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

/// Reads the string of an edge and removes it from the front of `name`, if `name` starts with it.
/// Nothing if the string is not terminated. Edges are short, so a plain loop is faster than calls.
std::optional<bool> consumeEdge(Bytes trie, uint64_t& at, llvm::StringRef& name) {
  size_t length = 0;
  bool isEqual = true;
  for (; at < trie.size() && trie[at] != 0; ++at, ++length)
    isEqual = isEqual && length < name.size() && static_cast<uint8_t>(name[length]) == trie[at];
  if (at++ >= trie.size())
    return std::nullopt;
  if (isEqual)
    name = name.drop_front(length);
  return isEqual;
}

} // namespace

std::optional<std::vector<std::string>> exportNames(Bytes trie) {
  std::optional<TrieReader::Result> result = TrieReader(trie).run();
  return result ? std::optional(std::move(result->names)) : std::nullopt;
}

std::optional<std::vector<uint64_t>> reexportOrdinals(Bytes trie) {
  std::optional<TrieReader::Result> result = TrieReader(trie).run();
  return result ? std::optional(std::move(result->reexports)) : std::nullopt;
}

std::optional<TrieEntry> ExportFinder::find(llvm::StringRef name) {
  // Continue from the last node that this name shares with the previous one.
  size_t shared =
      std::mismatch(name.begin(), name.end(), last.begin(), last.end()).first - name.begin();
  while (path.size() > 1 && path.back().length > shared)
    path.pop_back();
  last = name;
  // The loop ends: each iteration consumes characters or follows an empty edge, and both are
  // bounded.
  for (size_t iteration = 0; iteration <= trie.size(); ++iteration) {
    llvm::StringRef rest = name.drop_front(path.back().length);
    uint64_t at = path.back().node;
    std::optional<uint64_t> exportSize = readNumber(trie, at);
    if (!exportSize || !fits(at, *exportSize, trie.size()))
      return std::nullopt;
    if (rest.empty() && *exportSize > 0)
      return entryAt(at);
    at += *exportSize;
    if (at >= trie.size())
      return std::nullopt;
    bool hasNext = false;
    for (unsigned edges = trie[at++]; edges > 0 && !hasNext; --edges) {
      std::optional<bool> matches = consumeEdge(trie, at, rest);
      std::optional<uint64_t> child = matches ? readNumber(trie, at) : std::nullopt;
      if (!child)
        return std::nullopt;
      hasNext = *matches;
      Step next{name.size() - rest.size(), *child};
      if (hasNext && next.length == path.back().length)
        path.back() = next; // an empty edge must not make the path longer
      else if (hasNext)
        path.push_back(next);
    }
    if (!hasNext)
      return std::nullopt;
  }
  return std::nullopt;
}

TrieEntry ExportFinder::entryAt(uint64_t at) const {
  TrieEntry entry;
  std::optional<uint64_t> flags = readNumber(trie, at);
  entry.isReexport = flags && (*flags & llvm::MachO::EXPORT_SYMBOL_FLAGS_REEXPORT);
  if (entry.isReexport) {
    entry.ordinal = readNumber(trie, at).value_or(0);
    entry.importedName = readString(trie, at).value_or(llvm::StringRef());
  }
  return entry;
}

} // namespace tcfix::macho
