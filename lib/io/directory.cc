#include "io/directory.h"

#include "base/error.h"
#include "io/host.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/Path.h>

namespace tcfix::io {

namespace path = llvm::sys::path;

std::string Directory::pathOf(llvm::StringRef name) const {
  return (path() + (llvm::StringRef(path()).ends_with("/") ? "" : "/") + name).str();
}

void Directory::removeLeftovers() const {
  for (const std::string& name : names())
    if (system::isTemporaryName(name))
      (void)remove(name);
}

Place::Made::~Made() {
  for (const auto& [parent, name] : llvm::reverse(directories))
    parent.removeIfEmpty(name);
}

llvm::Expected<Place> Place::of(llvm::StringRef file) {
  llvm::StringRef parent = path::parent_path(file);
  std::optional<std::string> real = realPath(parent.empty() ? "." : parent);
  if (!real)
    return fail(ErrorCode::CannotWrite, "its directory does not exist");
  llvm::Expected<Directory> directory = Directory::open(*real);
  if (!directory)
    return directory.takeError();
  return Place{std::move(*directory), path::filename(file).str(), nullptr, file.str()};
}

llvm::Expected<Place> Place::ofNew(llvm::StringRef file) {
  const std::string whole = absolutePath(file);
  llvm::StringRef above = path::parent_path(whole);
  while (!exists(above) && path::parent_path(above) != above)
    above = path::parent_path(above);
  std::optional<std::string> real = realPath(above);
  llvm::Expected<Directory> directory = Directory::open(real ? *real : above.str());
  if (!directory)
    return directory.takeError();
  llvm::Expected<Place> place = below(*directory, llvm::StringRef(whole).drop_front(above.size()));
  if (place)
    place->path = file.str();
  return place;
}

llvm::Expected<Place> Place::below(const Directory& directory, llvm::StringRef relative) {
  auto made = std::make_shared<Made>();
  Place place{directory, path::filename(relative).str(), made, directory.pathOf(relative)};
  llvm::StringRef parent = path::parent_path(relative);
  for (llvm::StringRef part : llvm::make_range(path::begin(parent), path::end(parent))) {
    if (path::is_separator(part.front()) || part == ".")
      continue;
    llvm::Expected<Directory> next = place.directory.enter(part);
    if (!next) {
      Problem problem = toProblem(next.takeError(), {});
      if (problem.code != ErrorCode::NotFound)
        return toError(std::move(problem));
      next = place.directory.make(part);
      if (!next)
        return next.takeError();
      made->directories.emplace_back(place.directory, part.str());
    }
    place.directory = std::move(*next);
  }
  return place;
}

DirectoryLock::DirectoryLock(DirectoryLock&& other) noexcept
    : handle(std::exchange(other.handle, -1)) {}

} // namespace tcfix::io
