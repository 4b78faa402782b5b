// conda's record of a package's files: conda-meta/NAME-VERSION-BUILD.json.
//
// conda removes the files in "files", mamba and pixi those in "paths_data"; hashes are in the
// latter. Only values that change are rewritten; every other byte stays as the installer wrote it.
#pragma once

#include "base/error.h"

namespace tcfix::env {

class CondaRecord {
public:
  /// Malformed if it is not a conda record.
  static llvm::Expected<CondaRecord> parse(llvm::StringRef text);

  /// Sets the hash and size of a listed file. Paths are relative to the environment, with slashes.
  void set(llvm::StringRef path, llvm::StringRef sha256Hex, uint64_t size);
  /// Adds a file without a hash, unless it is listed already.
  void add(llvm::StringRef path);
  void remove(llvm::StringRef path);

  const std::string& text() const { return content; }

private:
  explicit CondaRecord(std::string text) : content(std::move(text)) {}

  std::string content;
};

} // namespace tcfix::env
