#include "env/package_code.h"

#include "base/paths.h"
#include "env/distribution.h"
#include "env/python_source.h"

#include <llvm/ADT/STLExtras.h>

namespace tcfix::env {

namespace {

bool isCode(llvm::StringRef path) {
  return path.ends_with(".py") && !path.contains("/tests/") && !path.contains("/test/") &&
         !path.starts_with("..");
}

} // namespace

bool loadsLibrariesItself(const Package& package, Platform platform, const io::TargetDisk& disk) {
  if (!package.hasRecord)
    return true;
  const RecordFile file = readRecord({package.name, package.version, package.distInfo}, disk);
  if (!file.record)
    return true;
  auto loads = [&](const std::string& relative) {
    std::optional<io::InputFile> code =
        llvm::expectedToOptional(disk.open(joined(package.site, relative)));
    return code && callsALoader(textOf(code->bytes()), platform);
  };
  return loads(package.recipe.importName + "/__init__.py") ||
         llvm::any_of(file.record->rows(),
                      [&](const RecordRow& row) { return isCode(row.path) && loads(row.path); });
}

} // namespace tcfix::env
