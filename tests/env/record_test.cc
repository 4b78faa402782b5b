// RECORD is parsed as Python does and changed row by row; all other bytes are kept.

#include "base/error.h"
#include "env/record.h"
#include "support/guarded_bytes.h"

#include <gmock/gmock.h>

namespace tcfix::support {
namespace {

using env::Record;
using testing::HasSubstr;

constexpr llvm::StringLiteral kRecordText = "torchcodec/__init__.py,sha256=abc,12\r\n"
                                            "\"torchcodec/a,b \"\"c\"\".so\",sha256=def,34\r\n"
                                            "\r\n"
                                            "torchcodec/libtorchcodec_core7.so,sha256=ghi,56\r\n"
                                            "torchcodec-0.9.1.dist-info/RECORD,,\r\n"
                                            "../../../bin/\xff\xfe,,\r\n";

Record parsedRecord(llvm::StringRef text) {
  llvm::Expected<Record> record = Record::parse(text);
  if (record)
    return *record;
  ADD_FAILURE() << llvm::toString(record.takeError());
  return {};
}

std::string refusal(llvm::StringRef text) {
  llvm::Expected<Record> record = Record::parse(text);
  if (record)
    return "parsed";
  Problem problem = toProblem(record.takeError(), {});
  EXPECT_EQ(problem.code, ErrorCode::Malformed);
  return problem.message;
}

TEST(Record, ReturnsRowsAndKeepsBytes) {
  Record record = parsedRecord(kRecordText);
  ASSERT_EQ(record.rows().size(), 5u);
  EXPECT_EQ(record.rows()[1].path, "torchcodec/a,b \"c\".so");
  EXPECT_EQ(record.rows()[1].digest, "sha256=def");
  EXPECT_EQ(record.rows()[1].size, 34u);
  EXPECT_EQ(record.rows()[3].size, std::nullopt);
  EXPECT_EQ(record.rows()[4].path, "../../../bin/\xff\xfe");
  EXPECT_EQ(record.text(), kRecordText);
}

TEST(Record, ChangesOneRowOnly) {
  Record record = parsedRecord(kRecordText);
  record.set("torchcodec/libtorchcodec_core7.so", "sha256=new", 78);
  record.set("torchcodec/a,b \"c\".so", "sha256=def", 34); // unescaped
  std::string expected = kRecordText.str();
  size_t at = expected.find("sha256=ghi,56");
  expected.replace(at, 13, "sha256=new,78");
  EXPECT_EQ(record.text(), expected);
  record.set("torchcodec/a,b \"c\".so", "sha256=xyz", 90);
  EXPECT_THAT(record.text(), HasSubstr("\"torchcodec/a,b \"\"c\"\".so\",sha256=xyz,90\r\n"));
}

TEST(Record, AddsAndRemovesRows) {
  Record record = parsedRecord(kRecordText);
  record.set("new, \"quoted\"", "sha256=new", 1);
  EXPECT_EQ(record.text(), kRecordText.str() + "\"new, \"\"quoted\"\"\",sha256=new,1\r\n");
  record.remove("new, \"quoted\"");
  EXPECT_EQ(record.text(), kRecordText);
  record.remove("torchcodec/libtorchcodec_core7.so");
  EXPECT_EQ(record.find("torchcodec/libtorchcodec_core7.so"), nullptr);
  EXPECT_THAT(record.text(), HasSubstr(",34\r\n\r\ntorchcodec-0.9.1"));
}

TEST(Record, EndsTheLastLineBeforeItAddsOne) {
  Record record = parsedRecord("a,,\nb,,");
  record.set("c", "sha256=x", 3);
  EXPECT_EQ(record.text(), "a,,\nb,,\nc,sha256=x,3\n");
  Record empty = parsedRecord("");
  empty.set("c", "sha256=x", 3);
  EXPECT_EQ(empty.text(), "c,sha256=x,3\n");
}

TEST(Record, AllowsWhatPythonAllows) {
  EXPECT_EQ(parsedRecord("only-a-path\n").rows().size(), 1u);
  EXPECT_EQ(parsedRecord("path,sha256=x\n").rows()[0].digest, "sha256=x");
  EXPECT_EQ(parsedRecord("\xef\xbb\xbf"
                         "a,,\n")
                .rows()[0]
                .path,
            "a");
  EXPECT_EQ(parsedRecord("\"two\nlines\",,\n").rows()[0].path, "two\nlines");
}

TEST(Record, ReportsTheMalformedLine) {
  EXPECT_EQ(refusal("a,,\n\"open"), "line 2 has an unterminated quote");
  EXPECT_EQ(refusal("a,,\n\n\"x\nx\",,\na,b,c,d\n"), "line 5 has more than three fields");
  EXPECT_EQ(refusal("a,,12x\n"), "line 1 has an invalid size");
  EXPECT_EQ(refusal("a,,99999999999999999999999\n"), "line 1 has an invalid size");
  EXPECT_EQ(refusal(",,\n"), "line 1 has no path");
  EXPECT_EQ(refusal("\"a\"b,,\n"), "line 1 has text after a quoted field");
  EXPECT_EQ(refusal(llvm::StringRef("\x7f"
                                    "ELF\0\0",
                                    6)),
            "line 1 has no path");
}

TEST(Record, WritesDigestsAsPipDoes) {
  EXPECT_EQ(env::recordDigest("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            "sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU");
}

TEST(Record, SurvivesEveryTruncationAndEveryFlippedByte) {
  ByteVector bytes(bytesOf(kRecordText));
  auto tryIt = [](Bytes content) {
    GuardedBytes guarded(content);
    llvm::Expected<Record> record = Record::parse(textOf(guarded));
    if (record)
      EXPECT_EQ(record->text(), textOf(content));
    else
      llvm::consumeError(record.takeError());
  };
  for (size_t size = 0; size < bytes.size(); ++size)
    tryIt(Bytes(bytes).take_front(size));
  for (uint8_t& byte : bytes)
    for (char value : {'\0', '"', ',', '\n', '\r', '\xff'}) {
      uint8_t old = std::exchange(byte, static_cast<uint8_t>(value));
      tryIt(bytes);
      byte = old;
    }
}

TEST(Record, RenamesRows) {
  Record record = parsedRecord(kRecordText);
  record.rename([](llvm::StringRef path) {
    return path.starts_with("torchcodec/") ? ("other/" + path.drop_front(11)).str() : path.str();
  });
  EXPECT_EQ(record.text(), "other/__init__.py,sha256=abc,12\r\n"
                           "\"other/a,b \"\"c\"\".so\",sha256=def,34\r\n"
                           "\r\n"
                           "other/libtorchcodec_core7.so,sha256=ghi,56\r\n"
                           "torchcodec-0.9.1.dist-info/RECORD,,\r\n"
                           "../../../bin/\xff\xfe,,\r\n");
  EXPECT_NE(record.find("other/__init__.py"), nullptr);
  // Unnecessary quotes are kept; necessary ones are added.
  record = parsedRecord("\"a.py\",,\nb.py,,\n");
  record.rename([](llvm::StringRef path) { return path == "a.py" ? "c.py" : "d,e.py"; });
  EXPECT_EQ(record.text(), "\"c.py\",,\n\"d,e.py\",,\n");
}

} // namespace
} // namespace tcfix::support
