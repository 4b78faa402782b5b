// The journal restores the original bytes and times, or reports why it cannot.

#include "apply/editing.h"
#include "apply/undo.h"
#include "commit/journal.h"

#include <gmock/gmock.h>

namespace tcfix::support {
namespace {

using apply::FileStatus;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

apply::UndoRun undone(const std::string& journal) {
  return valueOf(apply::undoJournal(journal, [](const std::string&) {}));
}

class Journal : public testing::Test {
protected:
  TemporaryFolder folder;
  TemporaryFolder notes;
  std::string journal = notes.path("journal.json");
};

TEST_F(Journal, RestoresBytesModeAndTime) {
  std::string path = folder.write("libdemo.dylib", library());
  ASSERT_EQ(::chmod(path.c_str(), 0751), 0);
  int64_t modified = modifiedNs(path);
  addingRpath({path}, "/opt/a", journalling(journal));
  ASSERT_FALSE(readFile(path) == library());
  apply::UndoRun run = undone(journal);
  EXPECT_THAT(run.restored, ElementsAre(path));
  EXPECT_THAT(run.problems, IsEmpty());
  EXPECT_TRUE(readFile(path) == library());
  EXPECT_EQ(modifiedNs(path), modified);
  EXPECT_EQ(statusOf(path).st_mode & 07777, 0751u);
}

TEST_F(Journal, UndoesSeveralEditsInReverseOrder) {
  std::string path = folder.write("libdemo.dylib", library());
  std::string other = folder.write("other.dylib", buildMachO({})); // grows by a signature
  addingRpath({path}, "/opt/a", journalling(journal));
  addingRpath({path, other}, "/opt/b", journalling(journal));
  addingRpath({path}, "/opt/c", journalling(journal));
  EXPECT_EQ(valueOf(commit::readJournal(journal)).entries.size(), 4u);
  EXPECT_THAT(undone(journal).restored, ElementsAre(path, other));
  EXPECT_TRUE(readFile(path) == library());
  EXPECT_TRUE(readFile(other) == buildMachO({}));
}

TEST_F(Journal, OfAnEarlierVersionCanBeUndone) {
  std::string path = folder.write("file", bytesOf("\x7f"
                                                  "ELF bytes now"));
  notes.write("journal.json", bytesOf(R"({"entries":[{"changed_size":"14",)"
                                      R"("modified_ns":"1794978405132468690","moves":[],)"
                                      R"("original_size":"12","patches":[)"
                                      R"({"bytes":"746865206f726967696e616c","offset":"0"}],)"
                                      R"("path":")" +
                                      path +
                                      R"(","sha256_after":"256d5c2ba99b32cb6130832ad5390ef817d94f)"
                                      R"(ca8caf1d57a823a1ed18a3de70","sha256_before":"65892be1098)"
                                      R"(3370462badce4d0fa9c9dee0cf6f5173e07f5ea53d763c818b826"}],)"
                                      R"("journal":1})"));
  EXPECT_THAT(undone(journal).restored, ElementsAre(path));
  EXPECT_EQ(textOf(readFile(path)), "the original");
  EXPECT_EQ(modifiedNs(path), 1794978405132468690);
}

TEST_F(Journal, ASecondUndoHasNothingToDo) {
  std::string path = folder.write("libdemo.dylib", library());
  addingRpath({path}, "/opt/a", journalling(journal));
  undone(journal);
  ino_t inode = inodeOf(path);
  apply::UndoRun again = undone(journal);
  EXPECT_THAT(again.restored, IsEmpty());
  EXPECT_THAT(again.skipped, ElementsAre(path));
  EXPECT_EQ(inodeOf(path), inode);
}

TEST_F(Journal, ARunWithoutChangesWritesNoJournal) {
  MachOSpec spec = signedAs(SignatureStyle::AdHoc);
  spec.rpaths = {"/opt/a"};
  std::string path = folder.write("libdemo.dylib", buildMachO(spec));
  addingRpath({path}, "/opt/a", journalling(journal));
  EXPECT_THAT(notes.names(), IsEmpty());
}

TEST_F(Journal, AFileChangedByAnotherProgramIsNotRestored) {
  std::string path = folder.write("libdemo.dylib", library());
  std::string other = folder.write("other.dylib", library());
  addingRpath({path, other}, "/opt/a", journalling(journal));
  addingRpath({path}, "/opt/someone/else");
  ByteVector changed = readFile(path);
  apply::UndoRun run = undone(journal);
  ASSERT_EQ(run.problems.size(), 1u);
  EXPECT_EQ(run.problems[0].code, ErrorCode::ChangedMeanwhile);
  EXPECT_EQ(run.problems[0].path, path);
  EXPECT_TRUE(readFile(path) == changed);
  EXPECT_THAT(run.restored, ElementsAre(other)) << "the others are restored";
}

TEST_F(Journal, AMissingFileIsReported) {
  std::string path = folder.write("libdemo.dylib", library());
  addingRpath({path}, "/opt/a", journalling(journal));
  ASSERT_EQ(::unlink(path.c_str()), 0);
  apply::UndoRun run = undone(journal);
  ASSERT_EQ(run.problems.size(), 1u);
  EXPECT_EQ(run.problems[0].code, ErrorCode::NotFound);
}

TEST_F(Journal, KeepsAnyName) {
  std::string path = folder.write("with\nnew line, 路径 and \xff.dylib", library());
  addingRpath({path}, "/opt/a", journalling(journal));
  EXPECT_THAT(undone(journal).restored, ElementsAre(path));
  EXPECT_TRUE(readFile(path) == library());
}

TEST_F(Journal, WithoutAJournalNothingIsChanged) {
  std::string path = folder.write("libdemo.dylib", library());
  notes.write("journal.json", bytesOf("not a journal"));
  for (const std::string& wrong : {journal, notes.path("absent/journal.json"), notes.path()}) {
    apply::EditRun run = addingRpath({path}, "/opt/a", journalling(wrong));
    EXPECT_EQ(run.files[0].status, FileStatus::Failed) << wrong;
    EXPECT_EQ(run.problems.size(), 1u);
    EXPECT_TRUE(readFile(path) == library());
  }
  EXPECT_EQ(textOf(readFile(journal)), "not a journal");
  EXPECT_THAT(folder.names(), ElementsAre("libdemo.dylib"));
}

TEST_F(Journal, ACorruptJournalIsRefusedAndNothingChanges) {
  std::string path = folder.write("libdemo.dylib", library());
  addingRpath({path}, "/opt/a", journalling(journal));
  ByteVector changed = readFile(path);
  ByteVector good = readFile(journal);
  // Replace each byte with a digit in turn: sizes, offsets, bytes and names become invalid.
  for (size_t i = 0; i < good.size(); i += 3) {
    ByteVector bad = good;
    bad[i] = bad[i] == '7' ? '8' : '7';
    notes.write("journal.json", bad);
    llvm::Expected<apply::UndoRun> run = apply::undoJournal(journal, [](const std::string&) {});
    ByteVector now = readFile(path);
    EXPECT_TRUE(now == changed || now == library()) << "byte " << i;
    if (!run) {
      EXPECT_EQ(toProblem(run.takeError(), {}).code, ErrorCode::Malformed);
      EXPECT_TRUE(now == changed);
    }
    if (now != changed)
      addingRpath({path}, "/opt/a");
  }
}

TEST_F(Journal, AMissingJournalIsAnError) {
  EXPECT_EQ(problemOf(commit::readJournal(journal)).code, ErrorCode::NotFound);
  EXPECT_EQ(problemOf(apply::undoJournal(journal, [](const std::string&) {})).code,
            ErrorCode::NotFound);
}

} // namespace
} // namespace tcfix::support
