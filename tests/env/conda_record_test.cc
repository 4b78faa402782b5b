// conda's list of a package's files: values change, every other byte stays.

#include "env/conda_record.h"
#include "support/guarded_bytes.h"

#include <gmock/gmock.h>

namespace tcfix::support {
namespace {

using env::CondaRecord;

constexpr llvm::StringLiteral kCondaText = R"({
  "build": "py312_0",
  "files": [
    "lib/a.dylib",
    "lib/\u0062.dylib"
  ],
  "paths_data": {"paths_version": 1, "paths": [
    {"_path": "lib/a.dylib", "size_in_bytes": 7, "sha256": "aa", "sha256_in_prefix": "bb"},
    {"_path": "lib/b.dylib", "sha256": "cc",
     "size_in_bytes": 8}
  ]},
  "depends": ["x", {"y": [1.5e3, true, null]}]
}
)";

CondaRecord parsedConda(llvm::StringRef text) {
  return llvm::cantFail(CondaRecord::parse(text));
}

std::string replaced(std::string text, llvm::StringRef from, llvm::StringRef to) {
  size_t at = text.find(from.str());
  EXPECT_NE(at, std::string::npos) << from.str();
  return text.replace(at, from.size(), to.str());
}

TEST(CondaRecord, KeepsEveryByteThatDoesNotChange) {
  CondaRecord record = parsedConda(kCondaText);
  EXPECT_EQ(record.text(), kCondaText);
  record.set("lib/absent.dylib", "ff", 1);
  EXPECT_EQ(record.text(), kCondaText);
}

TEST(CondaRecord, UpdatesTheHashInThePrefixAndTheSize) {
  CondaRecord record = parsedConda(kCondaText);
  record.set("lib/a.dylib", "ff00", 123456);
  std::string wanted = replaced(kCondaText.str(), R"("bb")", R"("ff00")");
  EXPECT_EQ(record.text(), replaced(wanted, ": 7,", ": 123456,"));
}

TEST(CondaRecord, UpdatesTheOnlyHashIfThereIsNoOther) {
  CondaRecord record = parsedConda(kCondaText);
  record.set("lib/b.dylib", "ff", 9);
  EXPECT_EQ(record.text(),
            replaced(replaced(kCondaText.str(), R"("cc")", R"("ff")"), ": 8}", ": 9}"));
}

TEST(CondaRecord, ListsAFileOnceInBothLists) {
  CondaRecord record = parsedConda(kCondaText);
  record.add("lib/j.json");
  std::string once = record.text();
  EXPECT_THAT(once, testing::HasSubstr("\"lib/\\u0062.dylib\",\n    \"lib/j.json\"\n  ]"));
  EXPECT_THAT(once, testing::HasSubstr(R"({"_path": "lib/j.json", "path_type": "hardlink"})"));
  record.add("lib/j.json");
  EXPECT_EQ(record.text(), once);
  record.remove("lib/j.json");
  EXPECT_EQ(record.text(), kCondaText);
}

TEST(CondaRecord, RemovesTheFirstTheOnlyAndTheEscapedOne) {
  CondaRecord record = parsedConda(kCondaText);
  record.remove("lib/a.dylib");
  EXPECT_THAT(record.text(), testing::HasSubstr("\"files\": [\n    \"lib/\\u0062.dylib\"\n  ]"));
  record.remove("lib/b.dylib");
  EXPECT_THAT(record.text(), testing::HasSubstr("\"files\": [\n    \n  ]"));
  record.add("x");
  EXPECT_THAT(parsedConda(record.text()).text(), testing::HasSubstr("\"files\": [\"x\"],"));
}

TEST(CondaRecord, ReadsRecordsOfOldVersions) {
  CondaRecord record = parsedConda(R"({"files": []})");
  record.set("a", "ff", 1);
  record.add("j");
  EXPECT_EQ(record.text(), R"({"files": ["j"]})");
}

TEST(CondaRecord, RefusesOtherFiles) {
  for (const std::string& text :
       {std::string(), std::string("[]"), std::string("{\"files\": 3}"), std::string("{}"),
        std::string("{\"files\": []"), std::string("{\"files\": [\"a]}"),
        std::string("{\"files\": []} x"), std::string("{\"files\": [\"\\"),
        "{\"files\": " + std::string(100000, '[')}) {
    llvm::Expected<CondaRecord> record = CondaRecord::parse(text);
    EXPECT_FALSE(static_cast<bool>(record)) << text.substr(0, 40);
    EXPECT_EQ(toProblem(record.takeError(), {}).code, ErrorCode::Malformed);
  }
}

TEST(CondaRecord, SurvivesEveryTruncation) {
  for (size_t size = 0; size + 2 < kCondaText.size(); ++size) {
    GuardedBytes text(bytesOf(kCondaText.take_front(size)));
    llvm::Expected<CondaRecord> record = CondaRecord::parse(textOf(text));
    EXPECT_FALSE(static_cast<bool>(record));
    llvm::consumeError(record.takeError());
  }
}

} // namespace
} // namespace tcfix::support
