// RECORD: an installed package's list of its files, with hashes and sizes.
//
// Only the rows that change are written anew; every other byte, quoting and line ends included,
// stays as the installer wrote it.
#pragma once

#include "base/bytes.h"

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/Support/Error.h>

#include <string>
#include <vector>

namespace tcfix::env {

struct RecordRow {
  std::string path;   ///< relative to the folder that holds the .dist-info, with slashes
  std::string digest; ///< such as "sha256=…" (URL-safe base64 without padding); may be empty
  std::optional<uint64_t> size;
};

class Record {
public:
  /// Malformed, with the line, if it is not a RECORD. Rows may lack digest and size, and be
  /// separated by empty lines, as Python's own readers allow.
  static llvm::Expected<Record> parse(llvm::StringRef text);

  const std::vector<RecordRow>& rows() const { return table; }
  const RecordRow* find(llvm::StringRef path) const;

  /// Gives the row a new digest and size, or adds one at the end; equal digests and sizes change
  /// no byte.
  void set(llvm::StringRef path, llvm::StringRef digest, std::optional<uint64_t> size);
  void remove(llvm::StringRef path);
  /// Gives each row the path that `renamed` makes of its own; quoted as before, and where it must
  /// be.
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
