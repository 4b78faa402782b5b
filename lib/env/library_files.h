// Which files of a package are its native libraries: by RECORD, and by name where RECORD is silent.
#pragma once

#include "env/package.h"
#include "env/record.h"

#include <map>
#include <set>

namespace tcfix::env {

/// Whether a file is called like a native library: x.so, x.so.1.2, x.dylib, x.dll, x.pyd.
bool isLibraryName(llvm::StringRef fileName);

/// Whether a file, given with slashes, lies where wheel tools put libraries of others: auditwheel
/// and delvewheel make NAME.libs, delocate makes .dylibs.
bool isInGraftedFolder(llvm::StringRef relative);

/// Collects the libraries of one package in one site.
class LibraryCollector {
public:
  /// `folder` is the name of the package's own folder in the site.
  LibraryCollector(const recipe::Recipe& recipe, const io::TargetDisk& disk, Package& package,
                   std::string folder)
      : recipe(recipe), disk(disk), package(package), folder(std::move(folder)) {}

  /// What RECORD lists. Rows that lead out of the site, and files that are not there, become
  /// problems of the package.
  void addListed(const Record& record, const std::string& recordPath);

  /// What lies in the package's own folders, listed or not; all levels if `isDeep`.
  void addPresent(bool isDeep);

  /// What lies at most `levels` folders below one.
  void addBelow(const std::string& hostFolder, int levels);

  /// Hands over what was collected.
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
  std::map<std::string, std::set<std::string>> listings; ///< of folders, by relative path
};

} // namespace tcfix::env
