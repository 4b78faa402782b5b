// A file mapped read-only, which stays readable if another process truncates the file (cp, rsync
// --inplace, an interrupted installer).
//
// POSIX raises SIGBUS in the thread that reads a page the file no longer has. Reading every file
// with read() instead would copy hundreds of megabytes of which a few pages are needed, and
// sigsetjmp() around every access is neither possible inside LLVM's readers nor safe with threads.
// Therefore watchForTornFiles() installs a handler that has a list of all mappings: it maps zero
// pages over the lost part, marks the mapping as torn, and lets the read continue. Readers treat
// zeros like any untrusted bytes. Callers must check isTorn() before they act on a result;
// InputFile and the write engine do, and the program checks tornFiles() before it exits.
//
// A fault at any other address is passed to the previous handler. Windows does not allow a mapped
// file to be truncated, so nothing is needed there; losing a network drive is fatal.
#pragma once

#include "base/bytes.h"

#include <llvm/Support/Error.h>
#include <llvm/Support/FileSystem.h>

#include <memory>
#include <string>
#include <vector>

namespace tcfix::io {

struct WatchedRange;

class Mapping {
public:
  /// Maps the first `size` bytes; `size` must not be 0. `path` is for tornFiles().
  static llvm::Expected<std::unique_ptr<Mapping>> of(llvm::sys::fs::file_t file, uint64_t size,
                                                     const std::string& path);
  ~Mapping();
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  Bytes bytes() const {
    return {reinterpret_cast<const uint8_t*>(region.const_data()), region.size()};
  }
  /// True if bytes were lost: the bytes read are not the file's.
  bool isTorn() const;

private:
  Mapping(llvm::sys::fs::file_t file, uint64_t size, std::error_code& error)
      : region(file, llvm::sys::fs::mapped_file_region::readonly, size, 0, error) {}

  llvm::sys::fs::mapped_file_region region;
  WatchedRange* range = nullptr;
};

/// For programs, once, before any file is read. A library must leave signals to its program.
void watchForTornFiles();

/// The paths of all files that were truncated while mapped.
std::vector<std::string> tornFiles();

} // namespace tcfix::io
