// RECORD and conda's list are updated with the libraries, and restored to what the installer wrote.

#include "apply/record_file.h"
#include "io/digest.h"
#include "support/folder_tree.h"
#include "support/outcomes.h"

#include <gmock/gmock.h>

namespace tcfix::support {
namespace {

using apply::RecordWork;
using testing::HasSubstr;
using testing::Not;

constexpr llvm::StringLiteral kRecord = "torchcodec/lib.so,sha256=abc,3\n"
                                        "torchcodec-1.dist-info/RECORD,,\n";
constexpr llvm::StringLiteral kConda = R"({"files": ["lib/site/torchcodec/lib.so"], "paths_data": {
"paths": [{"_path": "lib/site/torchcodec/lib.so", "sha256_in_prefix": "ab", "size_in_bytes": 3}]}})";

class Lists : public testing::Test {
protected:
  Lists() {
    place.base = tree.makeFolder("lib/site");
    place.record = tree.file("lib/site/torchcodec-1.dist-info/RECORD", kRecord);
    place.path = place.base + "/torchcodec-1.dist-info/tcfix-journal.json";
    place.condaMeta = tree.file("conda-meta/torchcodec-1-0.json", kConda);
  }
  RecordWork record(bool isChanged = true) {
    return valueOf(apply::planRecord(requestFor(isChanged)));
  }
  RecordWork conda(bool isChanged = true) {
    return valueOf(apply::planCondaMeta(requestFor(isChanged)));
  }
  apply::RecordRequest requestFor(bool isChanged) {
    apply::RecordRequest request{place, journal, disk, {}, isChanged};
    if (isChanged)
      request.changes = {{"torchcodec/lib.so", io::sha256Hex(bytesOf("new")), 4096}};
    return request;
  }
  /// Writes the list, as a commit would.
  void commit(const RecordWork& work) {
    journal.entries = {*work.entry};
    tree.write(llvm::StringRef(work.path).drop_front(tree.path().size() + 1), bytesOf(work.wanted));
  }

  FolderTree tree;
  apply::JournalPlace place;
  apply::Journal journal;
  io::TargetDisk disk{{}};
};

TEST_F(Lists, RecordIsUpdatedAndRestored) {
  RecordWork work = record();
  EXPECT_TRUE(work.isChanged());
  EXPECT_THAT(work.wanted, HasSubstr(",4096\n"));
  EXPECT_THAT(work.wanted, HasSubstr("torchcodec-1.dist-info/tcfix-journal.json,,\n"));
  ASSERT_TRUE(work.entry);
  EXPECT_EQ(work.entry->path, "torchcodec-1.dist-info/RECORD");
  commit(work);
  EXPECT_FALSE(record().isChanged()); // a second run
  RecordWork undone = record(/*isChanged=*/false);
  EXPECT_EQ(undone.wanted, kRecord);
  EXPECT_FALSE(undone.entry);
  EXPECT_EQ(undone.modifiedNs, work.modifiedNs);
}

TEST_F(Lists, ARewrittenRecordLosesOnlyTheJournalsRow) {
  commit(record());
  tree.write(
      "lib/site/torchcodec-1.dist-info/RECORD",
      bytesOf("torchcodec/lib.so,sha256=xyz,5\ntorchcodec-1.dist-info/tcfix-journal.json,,\n"));
  EXPECT_EQ(record(/*isChanged=*/false).wanted, "torchcodec/lib.so,sha256=xyz,5\n");
}

TEST_F(Lists, CondasListIsUpdatedAndRestored) {
  RecordWork work = conda();
  EXPECT_THAT(work.wanted, HasSubstr(io::sha256Hex(bytesOf("new"))));
  EXPECT_THAT(work.wanted, HasSubstr("\"size_in_bytes\": 4096"));
  EXPECT_THAT(work.wanted, HasSubstr("lib/site/torchcodec-1.dist-info/tcfix-journal.json"));
  ASSERT_TRUE(work.entry);
  EXPECT_EQ(work.entry->path, "../../conda-meta/torchcodec-1-0.json");
  commit(work);
  EXPECT_FALSE(conda().isChanged());
  EXPECT_EQ(conda(/*isChanged=*/false).wanted, kConda);
}

TEST_F(Lists, AMalformedListIsAnError) {
  tree.write("lib/site/torchcodec-1.dist-info/RECORD", bytesOf("\"open,,\n"));
  tree.write("conda-meta/torchcodec-1-0.json", bytesOf("{"));
  for (auto* plan : {apply::planRecord, apply::planCondaMeta}) {
    llvm::Expected<RecordWork> work = plan(requestFor(true));
    ASSERT_FALSE(static_cast<bool>(work));
    EXPECT_EQ(toProblem(work.takeError(), {}).code, ErrorCode::Malformed);
  }
}

} // namespace
} // namespace tcfix::support
