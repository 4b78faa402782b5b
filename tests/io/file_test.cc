// Opening files: only regular files, without blocking, and with a stamp that detects a replacement.

#include "base/error.h"
#include "io/file.h"
#include "io/system.h"
#include "support/posix_file.h"
#include "support/temporary_folder.h"

#include <gmock/gmock.h>

namespace tcfix::support {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Problem refusalToOpen(const std::string& path) {
  llvm::Expected<io::InputFile> file = io::InputFile::open(path);
  if (!file)
    return toProblem(file.takeError(), path);
  ADD_FAILURE() << "could be opened";
  return {};
}

TEST(InputFile, HasTheBytesAndTheRealPath) {
  TemporaryFolder folder;
  std::string real = folder.write("real", bytesOf("content"));
  ASSERT_EQ(::symlink("real", folder.path("link").c_str()), 0);
  llvm::Expected<io::InputFile> file = io::InputFile::open(folder.path("link"));
  ASSERT_TRUE(bool(file));
  EXPECT_EQ(textOf(file->bytes()), "content");
  EXPECT_EQ(file->path(), real);
}

TEST(InputFile, MayBeEmpty) {
  TemporaryFolder folder;
  llvm::Expected<io::InputFile> file = io::InputFile::open(folder.write("empty", {}));
  ASSERT_TRUE(bool(file));
  EXPECT_TRUE(file->bytes().empty());
}

TEST(InputFile, RefusesOtherThanRegularFiles) {
  TemporaryFolder folder;
  EXPECT_EQ(refusalToOpen(folder.path()).code, ErrorCode::NotALibrary);
  ASSERT_EQ(::mkfifo(folder.path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(refusalToOpen(folder.path("pipe")).code, ErrorCode::NotALibrary);
  EXPECT_EQ(refusalToOpen("/dev/null").code, ErrorCode::NotALibrary);
}

TEST(InputFile, ReportsAMissingFile) {
  TemporaryFolder folder;
  std::string file = folder.write("file", bytesOf("x"));
  ASSERT_EQ(::symlink("nowhere", folder.path("dangling").c_str()), 0);
  for (const std::string& path : {folder.path("absent"), folder.path("dangling"),
                                  folder.path("absent/file"), file + "/below", std::string()})
    EXPECT_EQ(refusalToOpen(path).code, ErrorCode::NotFound) << path;
}

TEST(InputFile, RefusesLoopsAndOverlongNames) {
  TemporaryFolder folder;
  ASSERT_EQ(::symlink("loop", folder.path("loop").c_str()), 0);
  EXPECT_EQ(refusalToOpen(folder.path("loop")).code, ErrorCode::Unreadable);
  EXPECT_EQ(refusalToOpen(folder.path(std::string(300, 'x'))).code, ErrorCode::Unreadable);
  EXPECT_EQ(refusalToOpen(folder.path(std::string(5000, 'x'))).code, ErrorCode::Unreadable);
}

TEST(InputFile, ReportsDeniedAccess) {
  if (::geteuid() == 0)
    GTEST_SKIP() << "root may read everything";
  TemporaryFolder folder;
  std::string path = folder.write("secret", bytesOf("x"));
  ASSERT_EQ(::chmod(path.c_str(), 0), 0);
  EXPECT_EQ(refusalToOpen(path).code, ErrorCode::Unreadable);
}

TEST(InputFile, RefusesAFileThatIsTooLarge) {
  TemporaryFolder folder;
  std::string path = folder.write("file", bytesOf("x"));
  ASSERT_EQ(::truncate(path.c_str(), off_t(1) << 40), 0);
  Problem problem = refusalToOpen(path);
  EXPECT_EQ(problem.code, ErrorCode::Unsupported);
  EXPECT_EQ(problem.message, "is too large: 1.0 TiB; the limit is 64.0 GiB");
  ASSERT_EQ(::truncate(path.c_str(), 11), 0);
  EXPECT_FALSE(bool(llvm::expectedToOptional(io::InputFile::open(path, 10))));
  EXPECT_TRUE(bool(llvm::expectedToOptional(io::InputFile::open(path, 11))));
}

TEST(ReadWhole, ReadsFilesAndRefusesEndlessInput) {
  TemporaryFolder folder;
  std::string path = folder.write("file", ByteVector(200'000, 'x'));
  llvm::Expected<std::string> text = io::readWhole(path, 200'000);
  ASSERT_TRUE(bool(text));
  EXPECT_EQ(text->size(), 200'000u);
  for (const std::string& endless : {path, std::string("/dev/zero")})
    EXPECT_EQ(toProblem(io::readWhole(endless, 199'999).takeError(), {}).code,
              ErrorCode::Unsupported);
  EXPECT_EQ(toProblem(io::readWhole(folder.path(), 10).takeError(), {}).code,
            ErrorCode::Unreadable);
  EXPECT_EQ(toProblem(io::readWhole(folder.path("absent"), 10).takeError(), {}).code,
            ErrorCode::NotFound);
}

TEST(SizeText, IsReadable) {
  EXPECT_EQ(io::sizeText(0), "0 bytes");
  EXPECT_EQ(io::sizeText(1023), "1023 bytes");
  EXPECT_EQ(io::sizeText(1536), "1.5 KiB");
  EXPECT_EQ(io::sizeText(uint64_t(256) << 20), "256 MiB");
  EXPECT_EQ(io::sizeText(UINT64_MAX), "16.0 EiB");
}

TEST(ProgramPath, IsTheRunningFile) {
  std::string path = io::system::programPath();
  EXPECT_TRUE(llvm::StringRef(path).ends_with("/io_test")) << path;
  EXPECT_TRUE(bool(llvm::sys::fs::exists(path)));
}

} // namespace
} // namespace tcfix::support
