// conda's own list of a package's files: conda-meta/NAME-VERSION-BUILD.json.
//
// conda removes what "files" lists, mamba and pixi what "paths_data" does; both hold hashes. Only
// the values that change are written anew; every other byte stays as the installer wrote it.
#pragma once

#include "base/error.h"

namespace tcfix::env {

class CondaRecord {
public:
  /// Malformed if it is no such list.
  static llvm::Expected<CondaRecord> parse(llvm::StringRef text);

  /// Gives a listed file a new hash and size. Paths are relative to the environment, with slashes.
  void set(llvm::StringRef path, llvm::StringRef sha256Hex, uint64_t size);
  /// Lists a file, without a hash, unless it is listed.
  void add(llvm::StringRef path);
  void remove(llvm::StringRef path);

  const std::string& text() const { return content; }

private:
  explicit CondaRecord(std::string text) : content(std::move(text)) {}

  std::string content;
};

} // namespace tcfix::env
