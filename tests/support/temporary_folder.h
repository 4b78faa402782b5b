// A temporary directory for one test, removed with its contents when the test ends.
#pragma once

#include "base/bytes.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

namespace tcfix::support {

class TemporaryFolder {
public:
  TemporaryFolder() {
    llvm::SmallString<128> made, real;
    EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("tcfix-test", made));
    EXPECT_FALSE(llvm::sys::fs::real_path(made, real));
    folder = real.str().str();
  }
  ~TemporaryFolder() { llvm::sys::fs::remove_directories(folder); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return folder; }
  std::string path(llvm::StringRef name) const { return folder + "/" + name.str(); }

  /// Creates a file and returns its path.
  std::string write(llvm::StringRef name, Bytes content) const {
    std::string file = path(name);
    std::ofstream out(file, std::ios::binary);
    out.write(reinterpret_cast<const char*>(content.data()),
              static_cast<std::streamsize>(content.size()));
    EXPECT_TRUE(out.good()) << file;
    return file;
  }

  /// The names in the directory, unordered.
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    std::error_code error;
    for (llvm::sys::fs::directory_iterator entry(folder, error), end; entry != end && !error;
         entry.increment(error))
      found.push_back(llvm::sys::path::filename(entry->path()).str());
    return found;
  }

private:
  std::string folder;
};

inline ByteVector readFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return ByteVector(std::istreambuf_iterator<char>(in), {});
}

} // namespace tcfix::support
