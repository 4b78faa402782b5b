// Finds the native libraries of a package: by RECORD, or by file name if there is none.
#pragma once

#include "env/package.h"
#include "env/record.h"

#include <map>
#include <set>

namespace tcfix::env {

/// Whether a file has the name of a native library: x.so, x.so.1.2, x.dylib, x.dll, x.pyd.
bool isLibraryName(llvm::StringRef fileName);

/// Whether a file, given with slashes, is in a directory for bundled libraries of other projects:
/// auditwheel and delvewheel create NAME.libs, delocate creates .dylibs.
bool isInGraftedFolder(llvm::StringRef relative);

/// Collects the libraries of one package in one site.
class LibraryCollector {
public:
  /// `folder` is the name of the package's own directory in the site.
  LibraryCollector(const recipe::Recipe& recipe, const io::TargetDisk& disk, Package& package,
                   std::string folder)
      : recipe(recipe), disk(disk), package(package), folder(std::move(folder)) {}

  /// Adds what RECORD lists. Rows outside the site, and files that do not exist, become problems of
  /// the package.
  void addListed(const Record& record, const std::string& recordPath);

  /// Adds what is in the package's own directories, listed or not; all levels if `isDeep`.
  void addPresent(bool isDeep);

  /// Adds what is at most `levels` levels below a directory.
  void addBelow(const std::string& hostFolder, int levels);

  /// Moves the result into the package.
  void finish();

private:
  bool isThere(const std::string& relative);
  void add(const std::string& relative);
  void addFolder(const std::string& relative, int levels);
  std::string hostPathOf(const std::string& relative) const;

  const recipe::Recipe& recipe;
  const io::TargetDisk& disk;
  Package& package;
  std::string folder;
  std::set<std::string> libraries, grafted;              ///< relative to the site, with slashes
  std::map<std::string, std::set<std::string>> listings; ///< of directories, by relative path
};

} // namespace tcfix::env
