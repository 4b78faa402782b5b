// Pasted text.
#include "traceback/plain_text.h"

#include <gtest/gtest.h>

namespace tcfix::traceback {
namespace {

TEST(PlainText, ColoursCarriageReturnsAndUtf16) {
  EXPECT_EQ(plainText("\x1b[31mred\x1b[0m\r\nnext\rlast"), "red\nnext\nlast");
  EXPECT_EQ(plainText("[31mred[0m [1, 2] list[int]"), "red [1, 2] list[int]");
  EXPECT_EQ(plainText(llvm::StringRef("\xff\xfe"
                                      "a\0b\0",
                                      6)),
            "ab");
  EXPECT_EQ(plainText(llvm::StringRef("i\0m\0p\0o\0r\0t\0", 12)), "import"); // without a mark
}

TEST(PlainText, EntitiesAndEscapes) {
  EXPECT_EQ(plainText("&#39;a&#39; &lt;b&gt; &amp;lt; R&D"), "'a' <b> &lt; R&D");
  EXPECT_EQ(plainText("biblioth\\xe8que d\\u2019x"), "bibliothèque d’x");
  EXPECT_EQ(plainText("C:\\new\\xbox\\users"), "C:\\new\\xbox\\users");
  EXPECT_EQ(plainText("causes:\\n   1. FFmpeg"), "causes:\n   1. FFmpeg");
  // JSON: the whole text is a string.
  EXPECT_EQ(plainText(R"({"e": "a \"b\"\nC:\\x\nlast\n"})"), "{\"e\": \"a \"b\"\nC:\\x\nlast\n\"}");
}

TEST(PlainText, PrefixesOfLines) {
  for (const char* line :
       {"> OSError: x", "> > OSError: x", "| OSError: x", "web-1  | OSError: x",
        "(EngineCore_DP0 pid=12) OSError: x", "2026-07-07T15:44:47.316014996Z OSError: x",
        "(APIServer pid=1) ERROR 07-07 15:44:01 [core.py:12] OSError: x", "E       OSError: x",
        "[2026-01-02 03:04:05,678] OSError: x", "Nov  3 11:02:17 gpu01 python[4711]: OSError: x",
        "2026-11-03T11:02:17.123456789Z stderr F OSError: x",
        "2026-11-03 11:02:17.123 | ERROR    | app.worker:run:88 - OSError: x", "│ OSError: x"})
    EXPECT_EQ(llvm::StringRef(plainText(line)).trim(), "OSError: x") << line;
  for (const char* line : {"OSError: x", "  File \"a.py\", line 1", "    57 code", "--> 57 code",
                           "1. FFmpeg is", "(note) x", "Error: 12:30 is late", "a | b",
                           "Mar 3 is a day", "a.py:7 - x", "March: 10:20:30 x y: z"})
    EXPECT_EQ(plainText(line), line);
}

TEST(FindWords, RegardlessOfLineBreaks) {
  auto found = [](llvm::StringRef text) {
    std::optional<Span> span = findWords(text, "open shared object file");
    return span ? text.slice(span->begin, span->end).str() : "";
  };
  EXPECT_EQ(found("cannot open shared object file: No"), "open shared object file");
  EXPECT_EQ(found("cannot open shared\n   object file: No"), "open shared\n   object file");
  EXPECT_EQ(found("cannot open shared\n> object\n> file"), "open shared\n> object\n> file");
  EXPECT_EQ(found("open shared > object file"), "");
  EXPECT_EQ(found("open sharedobject file"), "");
  EXPECT_EQ(found("object file"), "");
  EXPECT_EQ(found(""), "");
}

} // namespace
} // namespace tcfix::traceback
