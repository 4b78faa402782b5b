#include "commit/json_view.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/JSON.h>

namespace tcfix::commit {

namespace {

/// The content of a string, escapes included; nothing if one is invalid.
std::optional<std::string> decoded(llvm::StringRef quoted) {
  if (!quoted.contains('\\'))
    return quoted.drop_front().drop_back().str();
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(quoted);
  if (value)
    if (std::optional<llvm::StringRef> text = value->getAsString())
      return text->str();
  llvm::consumeError(value.takeError());
  return std::nullopt;
}

} // namespace

class JsonView::Parser {
public:
  Parser(llvm::StringRef text, std::vector<Node>& nodes)
      : at(text.begin()), end(text.end()), nodes(nodes) {}

  bool document() {
    if (!value(0))
      return false;
    skipSpace();
    return at == end;
  }

private:
  void skipSpace() {
    while (at != end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
      ++at;
  }

  bool consume(char wanted) {
    skipSpace();
    if (at == end || *at != wanted)
      return false;
    ++at;
    return true;
  }

  bool value(int depth) {
    skipSpace();
    if (at == end || depth > kMaxDepth || nodes.size() == UINT32_MAX)
      return false;
    if (*at == '"')
      return string();
    if (*at == '{')
      return group(Kind::Object, '}', depth);
    if (*at == '[')
      return group(Kind::Array, ']', depth);
    return other();
  }

  bool group(Kind kind, char last, int depth) {
    const size_t index = add(kind, at++, 1);
    if (!consume(last)) {
      do {
        skipSpace();
        if (kind == Kind::Object && !(at != end && *at == '"' && string() && consume(':')))
          return false;
        if (!value(depth + 1))
          return false;
      } while (consume(','));
      if (!consume(last))
        return false;
    }
    nodes[index].end = static_cast<uint32_t>(nodes.size());
    return true;
  }

  bool string() {
    const char* begin = at++;
    for (; at != end && *at != '"'; ++at) {
      if (static_cast<unsigned char>(*at) < 0x20)
        return false;
      if (*at == '\\' && ++at == end)
        return false;
    }
    if (at == end)
      return false;
    ++at;
    add(Kind::String, begin, at - begin);
    return true;
  }

  /// A number, true, false or null.
  bool other() {
    const llvm::StringRef rest(at, end - at);
    llvm::StringRef text;
    for (llvm::StringRef word : {"true", "false", "null"})
      if (rest.starts_with(word))
        text = rest.take_front(word.size());
    if (text.empty())
      text = rest.take_front(rest.find_first_not_of("0123456789+-.eE"));
    double number = 0;
    if (text.empty() || (!llvm::isAlpha(text.front()) && text.getAsDouble(number)))
      return false;
    add(Kind::Other, at, text.size());
    at += text.size();
    return true;
  }

  size_t add(Kind kind, const char* begin, size_t size) {
    nodes.push_back(
        {begin, static_cast<uint32_t>(size), static_cast<uint32_t>(nodes.size() + 1), kind});
    return nodes.size() - 1;
  }

  const char* at;
  const char* end;
  std::vector<Node>& nodes;
};

std::optional<JsonView> JsonView::parse(llvm::StringRef text) {
  JsonView view;
  if (text.size() > UINT32_MAX || !llvm::json::isUTF8(text) || !Parser(text, view.nodes).document())
    return std::nullopt;
  return view;
}

std::optional<JsonView::Value> JsonView::Value::get(llvm::StringRef key) const {
  std::optional<Value> found;
  if (!isObject())
    return found;
  for (uint32_t at = index + 1; at < node().end;) {
    const llvm::StringRef name = document->nodes[at].text();
    const Value value(*document, at + 1);
    if (name.size() == key.size() + 2 ? name.drop_front().starts_with(key)
                                      : name.contains('\\') && decoded(name) == key)
      found = value;
    at = value.node().end;
  }
  return found;
}

std::vector<JsonView::Value> JsonView::Value::elements() const {
  std::vector<Value> values;
  for (uint32_t at = index + 1; isArray() && at < node().end; at = document->nodes[at].end)
    values.push_back(Value(*document, at));
  return values;
}

std::optional<std::string> JsonView::Value::string() const {
  return node().kind == Kind::String ? decoded(node().text()) : std::nullopt;
}

std::optional<int64_t> JsonView::Value::integer() const {
  int64_t number = 0;
  if (node().kind != Kind::Other || node().text().getAsInteger(10, number))
    return std::nullopt;
  return number;
}

} // namespace tcfix::commit
