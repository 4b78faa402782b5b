#include "env/conda_record.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/JSON.h>

#include <vector>

namespace tcfix::env {

namespace {

/// A JSON value and its position in the text.
struct Node {
  size_t begin = 0, end = 0;
  char kind = 0;   ///< its first character
  std::string key; ///< of a member
  std::vector<Node> members;
  std::vector<Node> items;

  const Node* find(llvm::StringRef name, char wanted) const {
    for (const Node& node : members)
      if (node.key == name && node.kind == wanted)
        return &node;
    return nullptr;
  }
};

std::string unquoted(llvm::StringRef token) {
  if (!token.contains('\\'))
    return token.drop_front().drop_back().str();
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(token);
  if (!value) {
    llvm::consumeError(value.takeError());
    return {};
  }
  auto text = value->getAsString();
  return text ? text->str() : std::string();
}

/// A JSON scanner that finds the positions of values.
class Scanner {
public:
  explicit Scanner(llvm::StringRef text) : text(text) {}

  std::optional<Node> run() {
    Node root;
    if (!scan(root, 0))
      return std::nullopt;
    skipSpace();
    return at == text.size() ? std::optional<Node>(std::move(root)) : std::nullopt;
  }

private:
  static constexpr int kMaxDepth = 32; // conda's files need four

  void skipSpace() { at = std::min(text.find_first_not_of(" \t\r\n", at), text.size()); }

  bool consume(char letter) {
    skipSpace();
    if (at >= text.size() || text[at] != letter)
      return false;
    ++at;
    return true;
  }

  bool scan(Node& node, int depth) {
    skipSpace();
    if (at >= text.size() || depth > kMaxDepth)
      return false;
    node.begin = at;
    node.kind = text[at];
    bool isGood = node.kind == '{'   ? scanMembers(node, depth)
                  : node.kind == '[' ? scanItems(node, depth)
                  : node.kind == '"' ? scanText()
                                     : scanWord();
    node.end = at;
    return isGood;
  }

  bool scanMembers(Node& node, int depth) {
    ++at;
    if (consume('}'))
      return true;
    do {
      skipSpace();
      size_t key = at;
      if (!scanText())
        return false;
      Node& member = node.members.emplace_back();
      member.key = unquoted(text.slice(key, at));
      if (!consume(':') || !scan(member, depth + 1))
        return false;
    } while (consume(','));
    return consume('}');
  }

  bool scanItems(Node& node, int depth) {
    ++at;
    if (consume(']'))
      return true;
    do {
      if (!scan(node.items.emplace_back(), depth + 1))
        return false;
    } while (consume(','));
    return consume(']');
  }

  bool scanText() {
    if (at >= text.size() || text[at] != '"')
      return false;
    for (++at; at < text.size() && text[at] != '"'; ++at)
      if (text[at] == '\\')
        ++at;
    return at++ < text.size();
  }

  bool scanWord() {
    size_t begin = at;
    at = std::min(text.find_first_of(" \t\r\n,]}", at), text.size());
    return at > begin;
  }

  llvm::StringRef text;
  size_t at = 0;
};

/// The two lists in the current text.
struct Lists {
  Node root;
  const Node* files = nullptr;
  const Node* paths = nullptr; ///< null in records written by old versions
};

std::optional<Lists> read(llvm::StringRef text) {
  std::optional<Node> root = Scanner(text).run();
  if (!root)
    return std::nullopt;
  Lists lists{std::move(*root), nullptr, nullptr};
  lists.files = lists.root.find("files", '[');
  if (const Node* data = lists.root.find("paths_data", '{'))
    lists.paths = data->find("paths", '[');
  return lists.files ? std::optional<Lists>(std::move(lists)) : std::nullopt;
}

llvm::StringRef textAt(llvm::StringRef text, const Node& node) {
  return text.slice(node.begin, node.end);
}

/// The item of a list for this path: the path itself, or an object that contains it.
const Node* itemFor(llvm::StringRef text, const Node& list, llvm::StringRef path) {
  for (const Node& item : list.items) {
    const Node* name = item.kind == '{' ? item.find("_path", '"') : &item;
    if (name && name->kind == '"' && unquoted(textAt(text, *name)) == path)
      return &item;
  }
  return nullptr;
}

std::string appended(llvm::StringRef text, const Node& list, const std::string& item) {
  if (list.items.empty())
    return (text.take_front(list.begin + 1) + item + text.drop_front(list.end - 1)).str();
  llvm::StringRef space = text.slice(list.begin + 1, list.items.front().begin);
  size_t end = list.items.back().end;
  return (text.take_front(end) + "," + space + item + text.drop_front(end)).str();
}

std::string without(llvm::StringRef text, const Node& list, const Node& item) {
  auto index = static_cast<size_t>(&item - list.items.data());
  size_t begin = index ? list.items[index - 1].end : item.begin;
  size_t end = index || list.items.size() == 1 ? item.end : list.items[1].begin;
  return (text.take_front(begin) + text.drop_front(end)).str();
}

std::string jsonString(llvm::StringRef text) {
  std::string result;
  llvm::raw_string_ostream out(result);
  out << llvm::json::Value(text);
  return out.str();
}

} // namespace

llvm::Expected<CondaRecord> CondaRecord::parse(llvm::StringRef text) {
  if (!read(text))
    return fail(ErrorCode::Malformed, "is not a conda package record");
  return CondaRecord(text.str());
}

void CondaRecord::set(llvm::StringRef path, llvm::StringRef sha256Hex, uint64_t size) {
  std::optional<Lists> lists = read(content);
  const Node* item = lists && lists->paths ? itemFor(content, *lists->paths, path) : nullptr;
  if (!item || item->kind != '{')
    return;
  // The file in the prefix may differ from the one in the archive, whose hash is kept.
  const Node* digest = item->find("sha256_in_prefix", '"');
  if (!digest)
    digest = item->find("sha256", '"');
  std::vector<std::pair<const Node*, std::string>> edits;
  if (digest)
    edits.emplace_back(digest, "\"" + sha256Hex.str() + "\"");
  for (const Node& node : item->members)
    if (node.key == "size_in_bytes")
      edits.emplace_back(&node, std::to_string(size));
  llvm::sort(edits, [](const auto& a, const auto& b) { return a.first->begin > b.first->begin; });
  for (const auto& [node, value] : edits)
    content.replace(node->begin, node->end - node->begin, value);
}

void CondaRecord::add(llvm::StringRef path) {
  const std::string name = jsonString(path);
  if (std::optional<Lists> lists = read(content);
      lists && lists->paths && !itemFor(content, *lists->paths, path))
    content =
        appended(content, *lists->paths, "{\"_path\": " + name + ", \"path_type\": \"hardlink\"}");
  if (std::optional<Lists> lists = read(content); lists && !itemFor(content, *lists->files, path))
    content = appended(content, *lists->files, name);
}

void CondaRecord::remove(llvm::StringRef path) {
  for (bool isInFiles : {false, true}) {
    std::optional<Lists> lists = read(content);
    const Node* list = !lists ? nullptr : isInFiles ? lists->files : lists->paths;
    if (const Node* item = list ? itemFor(content, *list, path) : nullptr)
      content = without(content, *list, *item);
  }
}

} // namespace tcfix::env
