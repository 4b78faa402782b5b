// RECORD: an installed package's list of its files, with hashes and sizes.
//
// Only the rows that change are written anew; every other byte, quoting and line ends included,
// stays as the installer wrote it.
#pragma once

#include "base/bytes.h"

#include <llvm/Support/Error.h>

#include <optional>
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
  /// Malformed, with the line, if it is not a RECORD.
  static llvm::Expected<Record> parse(llvm::StringRef text);

  const std::vector<RecordRow>& rows() const { return table; }
  const RecordRow* find(llvm::StringRef path) const;

  /// Gives the row a new digest and size, or adds one at the end.
  void set(llvm::StringRef path, llvm::StringRef digest, uint64_t size);
  void remove(llvm::StringRef path);

  std::string text() const;

private:
  std::vector<RecordRow> table;
  std::vector<std::string> lines; ///< each row's own bytes, line end included
};

/// "sha256=…" of a SHA-256 digest given in hexadecimal.
std::string recordDigest(llvm::StringRef sha256Hex);

} // namespace tcfix::env
