// A directory tree for one test, created from the names of its files and links.
#pragma once

#include "support/temporary_folder.h"

#include <unistd.h>

namespace tcfix::support {

class FolderTree : public TemporaryFolder {
public:
  /// Creates a file and its directories; returns its path.
  std::string file(llvm::StringRef name, Bytes content) const {
    makeFolder(llvm::sys::path::parent_path(name));
    return write(name, content);
  }
  std::string file(llvm::StringRef name, llvm::StringRef content = "content") const {
    return file(name, bytesOf(content));
  }
  std::string link(llvm::StringRef name, llvm::StringRef says) const {
    makeFolder(llvm::sys::path::parent_path(name));
    EXPECT_EQ(::symlink(says.str().c_str(), path(name).c_str()), 0) << name.str();
    return path(name);
  }
  std::string makeFolder(llvm::StringRef name) const {
    EXPECT_FALSE(llvm::sys::fs::create_directories(path(name))) << name.str();
    return path(name);
  }
};

} // namespace tcfix::support
