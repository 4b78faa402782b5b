// A target's disk in a temporary directory, filled with tiny libraries, and processes on it.
#pragma once

#include "resolve/session.h"
#include "support/elf_builder.h"
#include "support/macho_builder.h"
#include "support/pe_builder.h"
#include "support/temporary_folder.h"

#include <gmock/gmock.h>

namespace tcfix::resolve {

class World {
public:
  explicit World(bool isWindows = false)
      : disk({.sysroot = folder.path(), .isWindows = isWindows}), store(disk) {}

  /// The host path of a target path such as "/opt/lib/x" or "C/x".
  std::string at(llvm::StringRef target) const {
    return folder.path() + (target.starts_with("/") ? "" : "/") + target.str();
  }

  std::string add(llvm::StringRef target, Bytes content) const {
    std::string path = at(target);
    EXPECT_FALSE(llvm::sys::fs::create_directories(llvm::sys::path::parent_path(path)));
    std::error_code error;
    llvm::raw_fd_ostream(path, error) << textOf(content);
    EXPECT_FALSE(error) << path;
    return path;
  }

  void link(llvm::StringRef target, llvm::StringRef leadsTo) const {
    std::string path = at(target);
    EXPECT_FALSE(llvm::sys::fs::create_directories(llvm::sys::path::parent_path(path)));
    EXPECT_FALSE(llvm::sys::fs::create_link(leadsTo, path));
  }

  Session session(ProcessOptions options = {}) { return Session(store, std::move(options)); }

  support::TemporaryFolder folder;
  io::TargetDisk disk;
  LibraryStore store;
};

/// How the first dependency of that name was resolved.
inline Binding bindingOf(const LoadResult& result, llvm::StringRef dependency) {
  for (const Binding& binding : result.bindings)
    if (binding.dependency == dependency)
      return binding;
  ADD_FAILURE() << "nothing requires " << dependency.str();
  return {};
}

inline std::vector<std::string> placesOf(llvm::ArrayRef<Attempt> attempts) {
  std::vector<std::string> places;
  for (const Attempt& attempt : attempts)
    places.push_back(attempt.place);
  return places;
}

inline std::vector<std::string> codesOf(const LoadResult& result) {
  std::vector<std::string> codes;
  for (const LoadProblem& problem : result.problems)
    codes.push_back(nameOf(problem.code).str());
  return codes;
}

} // namespace tcfix::resolve
