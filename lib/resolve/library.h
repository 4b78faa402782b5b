// Libraries for the simulated loaders: read once, shared by all sessions, and optionally with the
// changes of a plan.
#pragma once

#include "formats/formats.h"
#include "io/target_disk.h"

namespace tcfix::resolve {

class Library;

/// What a plan would change in a library. Its symbols, code and path stay the same.
struct LibraryOverride {
  std::vector<Dependency> dependencies = {}; ///< replace the file's own, one for one
  std::vector<bool> isDropped = {};          ///< for each dependency; empty: none is dropped
  std::vector<std::string> searchPaths = {};
  std::optional<SearchPathKind> searchPathKind = {};
};

/// All libraries opened so far, by real host path. Thread-safe.
class LibraryStore {
public:
  /// A disk that remembers shares what it knows with the store.
  explicit LibraryStore(const io::TargetDisk& disk);
  ~LibraryStore();
  LibraryStore(LibraryStore&&) noexcept;

  /// A store for the same disk that reads these files again, because they were written since, and
  /// shares all others with this one, which must outlive it.
  LibraryStore after(llvm::ArrayRef<std::string> writtenHostPaths) const;

  const io::TargetDisk& disk() const;

  /// The library's image, without symbols and without verifying its signature, or an error.
  llvm::Expected<const Image*> image(const std::string& hostPath);

  /// The library's image with its signature verified, which reads every page of it; null if it is
  /// not a library.
  const Image* judgedImage(const std::string& hostPath);

  /// The file that the image was read from; null if it could not be opened.
  std::shared_ptr<const io::InputFile> file(const std::string& hostPath);

  /// Closes the file at this path. Its image stays; its symbols must not be used again.
  void close(const std::string& hostPath);

  /// Replaces the content of the file at this path, such as with the original bytes of a file that
  /// tcfix has changed. They must outlive the store. Call before the file is used.
  void replace(const std::string& hostPath, Bytes bytes);

  /// For the simulated loaders: the file, even if it is not a library.
  const Library& open(const std::string& hostPath);

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace tcfix::resolve
