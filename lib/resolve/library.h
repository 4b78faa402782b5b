// Libraries as the simulated loaders see them: read once, shared by all sessions, and, while a plan
// is being tried, as they would be after it.
#pragma once

#include "formats/formats.h"
#include "io/target_disk.h"

namespace tcfix::resolve {

class Library;

/// What a plan would change in a library. It keeps its symbols, code and place.
struct LibraryOverride {
  std::vector<Dependency> dependencies = {}; ///< in the place of the file's own, one for one
  std::vector<bool> isDropped = {};          ///< dependencies that are gone; empty: none
  std::vector<std::string> searchPaths = {};
  std::optional<SearchPathKind> searchPathKind = {};
};

/// Every library that was asked for, by its real host path. Safe to use from several threads.
class LibraryStore {
public:
  /// `disk` must outlive the store.
  explicit LibraryStore(const io::TargetDisk& disk);
  ~LibraryStore();
  LibraryStore(LibraryStore&&) noexcept;

  /// A store of the same disk that looks again, but keeps what is known of all libraries except
  /// these, which were written since. This one must outlive it.
  LibraryStore after(llvm::ArrayRef<std::string> writtenHostPaths) const;

  const io::TargetDisk& disk() const;

  /// The library's image, without symbols and without a judged signature, or why it has none.
  llvm::Expected<const Image*> image(const std::string& hostPath);

  /// The library's image with its signature judged, which reads every page of it; null if it is no
  /// library.
  const Image* judgedImage(const std::string& hostPath);

  /// From now on the file at this path counts as having these bytes, such as the original ones of
  /// a file that tcfix has changed. They must outlive the store. Call it before the file is used.
  void replace(const std::string& hostPath, Bytes bytes);

  /// For the simulated loaders: the file, whether it is a library or not.
  const Library& open(const std::string& hostPath);

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace tcfix::resolve
