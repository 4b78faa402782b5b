// JSON without copies: what is valid, what is not, and what is in it.

#include "commit/json_view.h"

#include <llvm/Support/JSON.h>

#include <gmock/gmock.h>

namespace tcfix::support {
namespace {

using commit::JsonView;
using testing::Optional;

TEST(JsonView, ReadsObjectsArraysStringsAndNumbers) {
  const std::string text =
      R"({"list": [1, {"name": "a\nb"}, []], "empty": {}, "n": -7, "x": null})";
  std::optional<JsonView> view = JsonView::parse(text);
  ASSERT_TRUE(view);
  const JsonView::Value root = view->root();
  std::vector<JsonView::Value> list = root.get("list")->elements();
  ASSERT_EQ(list.size(), 3u);
  EXPECT_THAT(list[0].integer(), Optional(1));
  EXPECT_THAT(list[1].get("name")->string(), Optional(std::string("a\nb")));
  EXPECT_TRUE(list[2].isArray());
  EXPECT_TRUE(list[2].elements().empty());
  EXPECT_TRUE(root.get("empty")->isObject());
  EXPECT_THAT(root.get("n")->integer(), Optional(-7));
  EXPECT_FALSE(root.get("x")->string());
  EXPECT_FALSE(root.get("nam"));
  EXPECT_FALSE(root.get("name")); // of an object inside
}

TEST(JsonView, TheLastOfEqualKeysCounts) {
  EXPECT_THAT(JsonView::parse(R"({"a": "1", "\u0061": "2"})")->root().get("a")->string(),
              Optional(std::string("2")));
}

TEST(JsonView, AgreesWithLlvmOnWhatIsJson) {
  for (const char* text : {"{}",       "[]",      " [ 1 , 2 ] ", "\"\"",
                           "true",     "1e3",     "-0.5",        "{\"a\":{\"b\":[{}]}}",
                           "",         "{",       "}",           "[1,]",
                           "[,1]",     "{\"a\"}", "{\"a\":}",    "{\"a\":1,}",
                           "{a:1}",    "[1 2]",   "{} {}",       "tru",
                           "nul",      "\"a",     "\"\\\"",      "\"\x01\"",
                           "\"\xff\"", "[1]x",    "-",           "1.2.3",
                           "0x1p3",    "inf",     "truetrue"}) {
    llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
    EXPECT_EQ(JsonView::parse(text).has_value(), bool(value)) << text;
    llvm::consumeError(value.takeError());
  }
}

TEST(JsonView, RefusesDeepNesting) {
  EXPECT_TRUE(JsonView::parse(std::string(30, '[') + std::string(30, ']')));
  EXPECT_FALSE(JsonView::parse(std::string(1000000, '[') + std::string(1000000, ']')));
}

TEST(JsonView, AStringWithABadEscapeIsNone) {
  EXPECT_FALSE(JsonView::parse(R"(["\q"])")->root().elements().front().string());
}

} // namespace
} // namespace tcfix::support
