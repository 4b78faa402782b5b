// A library file in a LibraryStore: mapped, inspected, its symbols opened when first asked for.
#pragma once

#include "base/error.h"
#include "io/file.h"
#include "resolve/library.h"

#include <map>
#include <mutex>

namespace tcfix::resolve {

class Library {
public:
  std::string path;               ///< the real host path
  Image image;                    ///< without slices where there is a problem
  std::optional<Problem> problem; ///< why it is no library

  /// The symbols for one architecture of the image; null if their tables are damaged.
  const SymbolTable* symbols(const std::string& arch) const;

private:
  friend class LibraryStore;
  void read(const io::TargetDisk& disk, std::optional<Bytes> replacement);

  std::once_flag isRead;
  std::optional<io::InputFile> file;
  Bytes bytes;
  mutable std::mutex mutex;
  mutable std::map<std::string, std::unique_ptr<SymbolTable>> tables;
};

} // namespace tcfix::resolve
