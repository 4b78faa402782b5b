#include "macho/export_trie.h"

#include <llvm/Support/LEB128.h>

namespace tcfix::macho {

namespace {

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
    std::optional<uint64_t> exportSize = number(at);
    if (!exportSize || !fits(at, *exportSize, trie.size()))
      return false;
    if (*exportSize > 0 && !node.prefix.empty())
      names.push_back(node.prefix);
    at += *exportSize;
    if (at >= trie.size())
      return false;
    for (unsigned edges = trie[at++]; edges > 0; --edges) {
      llvm::StringRef rest = textOf(trie.drop_front(at));
      size_t length = rest.find('\0');
      if (length == llvm::StringRef::npos)
        return false;
      at += length + 1;
      std::optional<uint64_t> child = number(at);
      uint64_t size = node.prefix.size() + length;
      if (!child || size > allowance)
        return false;
      allowance -= size;
      pending.push_back({*child, node.prefix + rest.take_front(length).str()});
    }
    return true;
  }

  std::optional<uint64_t> number(uint64_t& at) const {
    unsigned length = 0;
    const char* error = nullptr;
    uint64_t value = llvm::decodeULEB128(trie.data() + at, &length, trie.end(), &error);
    if (error)
      return std::nullopt;
    at += length;
    return value;
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

} // namespace tcfix::macho
