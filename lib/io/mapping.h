// A file in memory, read-only, which survives that someone truncates the file meanwhile (cp, rsync
// --inplace, an installer that was interrupted).
//
// POSIX raises SIGBUS in whichever thread reads a page that the file no longer has. Reading every
// file with read() instead would copy hundreds of megabytes of which a few pages are needed, and
// sigsetjmp() around every access is neither possible inside LLVM's readers nor safe in threads. So
// watchForTornFiles() installs a handler that knows all mappings: it puts zero pages over what was
// lost, marks the mapping as torn, and lets the read go on. Readers take zeros as they take any
// hostile bytes. Whoever uses a result asks isTorn() before anything comes of it; InputFile and the
// write engine do, and the program looks at tornFiles() before it ends.
//
// A fault anywhere else goes to the handler that was there before. Windows refuses to truncate a
// file that is mapped, so nothing is to do there; that a network drive goes away is fatal.
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
  /// Maps the first `size` bytes, of which there must be one. `path` is for tornFiles().
  static llvm::Expected<std::unique_ptr<Mapping>> of(llvm::sys::fs::file_t file, uint64_t size,
                                                     const std::string& path);
  ~Mapping();
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  Bytes bytes() const {
    return {reinterpret_cast<const uint8_t*>(region.const_data()), region.size()};
  }
  /// True when bytes were lost: those that were read are not the file's.
  bool isTorn() const;

private:
  Mapping(llvm::sys::fs::file_t file, uint64_t size, std::error_code& error)
      : region(file, llvm::sys::fs::mapped_file_region::readonly, size, 0, error) {}

  llvm::sys::fs::mapped_file_region region;
  WatchedRange* range = nullptr;
};

/// For programs, once, before files are read. A library leaves signals to its program.
void watchForTornFiles();

/// The paths of all files that were truncated while they were mapped.
std::vector<std::string> tornFiles();

} // namespace tcfix::io
