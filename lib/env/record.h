// RECORD: an installed package's list of its files, with hashes and sizes.
//
// Only rows that change are rewritten; every other byte, including quoting and line ends, stays as
// the installer wrote it.
#pragma once

#include "base/bytes.h"

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/Support/Error.h>

#include <string>
#include <vector>

namespace tcfix::env {

struct RecordRow {
  std::string path;   ///< relative to the site, with slashes
  std::string digest; ///< such as "sha256=…" (URL-safe base64 without padding); may be empty
  std::optional<uint64_t> size;
};

class Record {
public:
  /// Malformed, with the line number, if it is not a RECORD. Like Python's own readers, accepts
  /// rows without digest and size, and empty lines.
  static llvm::Expected<Record> parse(llvm::StringRef text);

  const std::vector<RecordRow>& rows() const { return table; }
  const RecordRow* find(llvm::StringRef path) const;

  /// Sets the digest and size of a row, or adds a row at the end; equal values change no byte.
  void set(llvm::StringRef path, llvm::StringRef digest, std::optional<uint64_t> size);
  void remove(llvm::StringRef path);
  /// Replaces the path of each row with what `renamed` returns for it; quoted if it was before or
  /// if necessary.
  void rename(llvm::function_ref<std::string(llvm::StringRef path)> renamed);

  std::string text() const;

private:
  /// A row's own bytes, and those around it.
  struct Line {
    std::string before; ///< empty lines
    std::string path;   ///< quoted, if it was
    std::string rest;   ///< from the first comma on
    std::string end;
  };

  std::vector<RecordRow> table;
  std::vector<Line> lines; ///< one for each row
  std::string tail;        ///< empty lines at the end
};

/// Whether these bytes are what the row lists. The size comes first: only bytes that have it are
/// hashed. False if the user wants to stop meanwhile.
bool hasListedContent(const RecordRow& row, Bytes bytes);

/// "sha256=…" of a SHA-256 digest given in hexadecimal.
std::string recordDigest(llvm::StringRef sha256Hex);

} // namespace tcfix::env
