// Several tcfix processes at once lose no edit and no journal entry.

#include "apply/editing.h"
#include "commit/journal.h"

#include <gmock/gmock.h>

#include <deque>
#include <thread>

namespace tcfix::support {
namespace {

using apply::FileStatus;
using testing::ElementsAre;
using testing::UnorderedElementsAreArray;

std::vector<std::string> sixPaths() {
  return {"/a", "/b", "/c", "/d", "/e", "/f"};
}

TEST(Concurrent, ThreadsLoseNoEdit) {
  TemporaryFolder folder;
  std::string file = folder.write("libdemo.dylib", library());
  std::vector<std::thread> threads;
  for (const std::string& path : sixPaths())
    threads.emplace_back([&file, path] {
      EXPECT_EQ(addingRpath({file}, path).files[0].status, FileStatus::Changed);
    });
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_THAT(sliceOf(readFile(file)).searchPaths, UnorderedElementsAreArray(sixPaths()));
  EXPECT_TRUE(signatureProblems(readFile(file)).empty());
  EXPECT_THAT(folder.names(), ElementsAre("libdemo.dylib")) << "locks leave no file";
}

TEST(Concurrent, ProcessesLoseNoEdit) {
  TemporaryFolder folder;
  std::string file = folder.write("libdemo.dylib", library());
  std::deque<Process> processes;
  for (const std::string& path : sixPaths())
    processes.emplace_back(
        [&] { return addingRpath({file}, path).files[0].status == FileStatus::Changed; });
  for (Process& process : processes)
    EXPECT_TRUE(process.succeeds());
  EXPECT_THAT(sliceOf(readFile(file)).searchPaths, UnorderedElementsAreArray(sixPaths()));
}

TEST(Concurrent, OneJournalForManyDirectoriesLosesNoEntry) {
  TemporaryFolder notes;
  std::string journal = notes.path("journal.json");
  std::deque<TemporaryFolder> folders;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    std::string file = folders.emplace_back().write("libdemo.dylib", library());
    threads.emplace_back([file, journal] { addingRpath({file}, "/opt/a", journalling(journal)); });
  }
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(valueOf(commit::readJournal(journal)).entries.size(), 8u);
}

TEST(Concurrent, LocksOfSeveralDirectoriesNeverDeadlock) {
  TemporaryFolder one, two;
  std::string first = one.write("libdemo.dylib", library());
  std::string second = two.write("libdemo.dylib", library());
  std::thread forward([&] { addingRpath({first, second}, "/a"); });
  std::thread backward([&] { addingRpath({second, first}, "/b"); });
  forward.join();
  backward.join();
  for (const std::string& file : {first, second})
    EXPECT_EQ(sliceOf(readFile(file)).searchPaths.size(), 2u);
}

} // namespace
} // namespace tcfix::support
