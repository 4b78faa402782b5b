// Truncating a mapped file causes an error, not a crash.

#include "io/mapping.h"

#include "base/error.h"
#include "io/digest.h"
#include "io/file.h"
#include "io/memory.h"
#include "support/posix_file.h"
#include "support/temporary_folder.h"

#include <gmock/gmock.h>

#include <csignal>
#include <numeric>
#include <thread>

namespace tcfix::support {
namespace {

using testing::Contains;

constexpr size_t kPages = 16 * 4096;

class MappingTest : public testing::Test {
protected:
  void SetUp() override { io::watchForTornFiles(); }

  io::InputFile open(const std::string& path) {
    llvm::Expected<io::InputFile> file = io::InputFile::open(path);
    EXPECT_TRUE(bool(file));
    return std::move(*file);
  }

  TemporaryFolder folder;
  std::string path = folder.write("file", ByteVector(kPages, 1));
};

size_t sumOf(Bytes bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), size_t(0));
}

TEST_F(MappingTest, ATruncatedFileReadsAsZerosAndIsTorn) {
  io::InputFile file = open(path);
  EXPECT_EQ(sumOf(file.bytes()), kPages);
  ASSERT_EQ(::truncate(path.c_str(), kPages / 2), 0);
  EXPECT_EQ(sumOf(file.bytes()), kPages / 2);
  EXPECT_TRUE(file.isTorn());
  EXPECT_EQ(toProblem(file.checkWhole(), path).code, ErrorCode::ChangedMeanwhile);
  EXPECT_THAT(io::tornFiles(), Contains(path));
  // Even if the file's length and time are restored.
  ASSERT_EQ(::truncate(path.c_str(), kPages), 0);
  file.unmap();
  EXPECT_TRUE(file.isTorn());
}

TEST_F(MappingTest, WhatWasPassedComesBack) {
  const std::string large = folder.write("large", ByteVector(4 << 20, 1));
  io::InputFile file = open(large);
  EXPECT_EQ(sumOf(file.bytes()), file.bytes().size());
  io::passed(file.bytes());
  EXPECT_EQ(sumOf(file.bytes()), file.bytes().size());
  const ByteVector own(4 << 20, 1); // is not a file's
  io::passed(own);
  EXPECT_EQ(sumOf(own), own.size());
}

TEST_F(MappingTest, ManyThreadsMayReadATornFile) {
  io::InputFile file = open(path);
  ASSERT_EQ(::truncate(path.c_str(), 0), 0);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      for (size_t at = i * 4096; at < kPages; at += 4096)
        EXPECT_EQ(file.bytes()[at], 0);
    });
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_TRUE(file.isTorn());
}

TEST_F(MappingTest, OtherFilesAreNotAffected) {
  io::InputFile torn = open(path);
  io::InputFile other = open(folder.write("other", ByteVector(kPages, 1)));
  ASSERT_EQ(::truncate(path.c_str(), 0), 0);
  EXPECT_EQ(sumOf(torn.bytes()), 0u);
  EXPECT_EQ(sumOf(other.bytes()), kPages);
  EXPECT_FALSE(other.isTorn());
  EXPECT_FALSE(bool(other.checkWhole()));
}

// Losing less than a page causes no fault: the rest of the page reads as zeros.
TEST_F(MappingTest, AChangeWithoutAFaultIsDetectedByTheStamp) {
  io::InputFile file = open(path);
  ASSERT_EQ(::truncate(path.c_str(), kPages - 10), 0);
  EXPECT_EQ(sumOf(file.bytes()), kPages - 10);
  EXPECT_FALSE(file.isTorn());
  EXPECT_EQ(toProblem(file.checkWhole(), path).message, "changed while it was being read");
}

TEST_F(MappingTest, AFileThatIsReplacedAsAWholeIsStillComplete) {
  io::InputFile file = open(path);
  ASSERT_EQ(::rename(folder.write("new", bytesOf("new")).c_str(), path.c_str()), 0);
  EXPECT_EQ(sumOf(file.bytes()), kPages);
  EXPECT_FALSE(bool(file.checkWhole()));
}

TEST_F(MappingTest, TakesPrecedenceOverErrorsAboutTheLostBytes) {
  io::InputFile file = open(path);
  ASSERT_EQ(::truncate(path.c_str(), 10), 0);
  llvm::Error error = file.checkWhole(fail(ErrorCode::Malformed, "has no header"));
  EXPECT_EQ(toProblem(std::move(error), path).code, ErrorCode::ChangedMeanwhile);
}

TEST_F(MappingTest, AnUnrelatedSignalStillEndsTheProgram) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGBUS, SIG_DFL);
    io::watchForTornFiles();
    ::raise(SIGBUS);
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS) << status;
}

} // namespace
} // namespace tcfix::support
