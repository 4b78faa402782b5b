#include "macho/export_trie.h"

#include <llvm/BinaryFormat/MachO.h>
#include <llvm/Support/LEB128.h>

#include <algorithm>

namespace tcfix::macho {

namespace {

std::optional<uint64_t> readNumber(Bytes trie, uint64_t& at) {
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

/// The text at `at`, which then stands behind its zero byte.
std::optional<llvm::StringRef> readText(Bytes trie, uint64_t& at) {
  llvm::StringRef rest = textOf(trie.drop_front(std::min<uint64_t>(at, trie.size())));
  size_t length = rest.find('\0');
  if (length == llvm::StringRef::npos)
    return std::nullopt;
  at += length + 1;
  return rest.take_front(length);
}

// Names share their beginnings, but not that often: more is a bomb.
constexpr uint64_t kMostNamesPerByte = 256;

class TrieReader {
public:
  explicit TrieReader(Bytes trie)
      : trie(trie), isVisited(trie.size()), allowance(trie.size() * kMostNamesPerByte) {}

  std::optional<std::vector<std::string>> run() {
    pending.push_back({0, {}});
    while (!pending.empty()) {
      Node node = std::move(pending.back());
      pending.pop_back();
      if (!visit(node))
        return std::nullopt;
    }
    return std::move(names);
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
      names.push_back(node.prefix);
    at += *exportSize;
    if (at >= trie.size())
      return false;
    for (unsigned edges = trie[at++]; edges > 0; --edges) {
      std::optional<llvm::StringRef> edge = readText(trie, at);
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
  std::vector<std::string> names;
};

} // namespace

std::optional<std::vector<std::string>> exportNames(Bytes trie) {
  return TrieReader(trie).run();
}

std::optional<TrieEntry> findExport(Bytes trie, llvm::StringRef name) {
  uint64_t node = 0;
  // Every turn but the first uses up letters, or leads past a node without any: bounded by both.
  for (size_t turn = 0; turn <= trie.size(); ++turn) {
    uint64_t at = node;
    std::optional<uint64_t> exportSize = readNumber(trie, at);
    if (!exportSize || !fits(at, *exportSize, trie.size()))
      return std::nullopt;
    if (name.empty() && *exportSize > 0) {
      TrieEntry entry;
      std::optional<uint64_t> flags = readNumber(trie, at);
      entry.isReexport = flags && (*flags & llvm::MachO::EXPORT_SYMBOL_FLAGS_REEXPORT);
      if (entry.isReexport) {
        entry.ordinal = readNumber(trie, at).value_or(0);
        entry.importedName = readText(trie, at).value_or(llvm::StringRef());
      }
      return entry;
    }
    at += *exportSize;
    if (at >= trie.size())
      return std::nullopt;
    bool hasNext = false;
    for (unsigned edges = trie[at++]; edges > 0 && !hasNext; --edges) {
      std::optional<llvm::StringRef> edge = readText(trie, at);
      std::optional<uint64_t> child = edge ? readNumber(trie, at) : std::nullopt;
      if (!child)
        return std::nullopt;
      if (name.consume_front(*edge)) {
        hasNext = true;
        node = *child;
      }
    }
    if (!hasNext)
      return std::nullopt;
  }
  return std::nullopt;
}

} // namespace tcfix::macho
