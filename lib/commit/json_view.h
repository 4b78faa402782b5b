// A JSON document that is read without copying it: a journal is read by every run of apply, and
// building values for its thousands of small parts would take longer than anything else there.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tcfix::commit {

class JsonView {
  enum class Kind : uint8_t { Object, Array, String, Other };
  /// Followed by the nodes inside it: elements, or keys and values in turns.
  struct Node {
    const char* begin = nullptr; ///< a string with its quotes
    uint32_t size = 0;
    uint32_t end = 0; ///< the index after all nodes inside it
    Kind kind = Kind::Other;

    llvm::StringRef text() const { return {begin, size}; }
  };

public:
  /// More than a journal needs, which has five levels; the parser recurses for each.
  static constexpr int kMaxDepth = 32;

  /// A value of the document, which must outlive it.
  class Value {
  public:
    bool isObject() const { return node().kind == Kind::Object; }
    bool isArray() const { return node().kind == Kind::Array; }
    /// The value of a key; of the last one, if there are several.
    std::optional<Value> get(llvm::StringRef key) const;
    std::vector<Value> elements() const; ///< none if it is not an array
    std::optional<std::string> string() const;
    std::optional<int64_t> integer() const;

  private:
    friend class JsonView;
    Value(const JsonView& document, uint32_t index) : document(&document), index(index) {}
    const Node& node() const { return document->nodes[index]; }

    const JsonView* document;
    uint32_t index;
  };

  /// Nothing if the text is not JSON, or nested too deeply. The text must outlive the view.
  static std::optional<JsonView> parse(llvm::StringRef text);
  Value root() const { return Value(*this, 0); }

private:
  class Parser;

  std::vector<Node> nodes;
};

} // namespace tcfix::commit
