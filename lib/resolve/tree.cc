#include "resolve/tree.h"

namespace tcfix::resolve {

Tree loadAlone(const std::string& path, const Image& image, const TreeOptions& options) {
  bool isReachable = !options.sysroot.empty() ||
                     formats::isForThisMachine(image.format, image.slices.front().arch);
  io::TargetDisk disk({.sysroot = options.sysroot,
                       .isWindows = image.format == Format::Pe,
                       .knowsAbsolutePaths = isReachable});
  LibraryStore store(disk);
  Session session(store, {.arch = options.arch});
  std::string root = disk.adopt(path).value_or(path);
  return {root, session.load(root)};
}

} // namespace tcfix::resolve
