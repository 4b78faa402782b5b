#include "env/library_files.h"

#include "base/paths.h"
#include "env/origin.h"
#include "env/prefix.h"
#include "io/host.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/Path.h>

namespace tcfix::env {

namespace path = llvm::sys::path;

namespace {

/// How deep a package's own directories are searched if there is no RECORD.
constexpr int kMaxLevelsBelow = 8;

/// RECORD's path without "." and ".."; nothing if it is outside the site.
std::optional<std::string> insideSite(llvm::StringRef listed, bool isWindows) {
  if (listed.starts_with("/") || (isWindows && (listed.starts_with("\\") || listed.contains(':'))))
    return std::nullopt;
  llvm::SmallVector<llvm::StringRef, 8> parts, kept;
  llvm::SplitString(listed, parts, isWindows ? "/\\" : "/");
  for (llvm::StringRef part : parts) {
    if (part == "..") {
      if (kept.empty())
        return std::nullopt;
      kept.pop_back();
    } else if (part != ".") {
      kept.push_back(part);
    }
  }
  return llvm::join(kept, "/");
}

bool marksOthers(llvm::StringRef name) {
  return name == "pyvenv.cfg" || name == "conda-meta" || name.ends_with(".dist-info");
}

llvm::StringRef fileNameOf(llvm::StringRef relative) {
  return relative.substr(relative.rfind('/') + 1);
}

} // namespace

bool isLibraryName(llvm::StringRef fileName) {
  std::string lower = fileName.lower();
  llvm::StringRef name = lower;
  for (llvm::StringRef ending : {".dylib", ".so", ".dll", ".pyd"})
    if (name.ends_with(ending))
      return name.size() > ending.size();
  size_t at = name.rfind(".so.");
  return at != llvm::StringRef::npos && at > 0 && name.size() > at + 4 &&
         llvm::all_of(name.substr(at + 4),
                      [](char letter) { return llvm::isDigit(letter) || letter == '.'; });
}

bool isInGraftedFolder(llvm::StringRef relative) {
  llvm::SmallVector<llvm::StringRef, 8> parts;
  relative.split(parts, '/');
  parts.pop_back();
  return llvm::any_of(
      parts, [](llvm::StringRef part) { return part == ".dylibs" || part.ends_with(".libs"); });
}

bool LibraryCollector::isThere(const std::string& relative) {
  std::string parent = path::parent_path(relative, path::Style::posix).str();
  auto [listing, isNew] = listings.try_emplace(parent);
  if (isNew)
    for (std::string& name : disk.list(hostPathOf(parent)))
      listing->second.insert(disk.options().isWindows ? llvm::StringRef(name).lower() : name);
  llvm::StringRef name = fileNameOf(relative);
  return listing->second.count(disk.options().isWindows ? name.lower() : name.str()) > 0;
}

void LibraryCollector::add(const std::string& relative) {
  llvm::StringRef name = fileNameOf(relative);
  if (!isLibraryName(name))
    return;
  if (isInGraftedFolder(relative))
    grafted.insert(relative);
  else if (name.starts_with(recipe.libraryPrefix))
    libraries.insert(relative);
  else if (name.ends_with_insensitive(".dll"))
    grafted.insert(relative);
}

void LibraryCollector::addListed(const Record& record, const std::string& recordPath) {
  for (const RecordRow& row : record.rows()) {
    llvm::StringRef name = row.path;
    if (!isLibraryName(name.substr(name.find_last_of("/\\") + 1)))
      continue;
    std::optional<std::string> relative = insideSite(row.path, disk.options().isWindows);
    if (!relative)
      package.problems.push_back({std::nullopt,
                                  "lists " + row.path + ", which is outside the site; ignored",
                                  recordPath,
                                  {}});
    else if (isThere(*relative))
      add(*relative);
    else {
      package.gone.push_back(*relative);
      package.problems.push_back({std::nullopt, "lists " + row.path + ", which does not exist",
                                  recordPath, reinstallHint(package, disk)});
    }
  }
}

void LibraryCollector::addFolder(const std::string& relative, int levels) {
  std::string host = joined(package.site, relative);
  const std::vector<std::string> names = disk.list(host);
  if (relative != folder && llvm::any_of(names, marksOthers))
    return; // an environment or a site inside the package is not part of it
  for (const std::string& name : names) {
    std::string child = relative.empty() ? name : relative + "/" + name;
    if (isLibraryName(name))
      add(child);
    else if (levels > 0 && !io::isLink(joined(host, name)) && disk.isFolder(joined(host, name)))
      addFolder(child, levels - 1);
  }
}

void LibraryCollector::addPresent(bool isDeep) {
  addFolder(folder, isDeep ? kMaxLevelsBelow : 0);
  addFolder(folder + "/.dylibs", 0);
  addFolder(folder + ".libs", 0);
  for (const std::string& name : disk.list(package.site)) // a single-file module
    if (llvm::StringRef(name).starts_with(folder + "."))
      add(name);
}

void LibraryCollector::addBelow(const std::string& hostFolder, int levels) {
  llvm::StringRef relative = hostFolder;
  relative.consume_front(package.site);
  addFolder(relative.ltrim("/\\").str(), levels);
}

// On a case-insensitive file system, RECORD may spell a name differently.
std::string LibraryCollector::hostPathOf(const std::string& relative) const {
  std::string listed = joined(package.site, relative);
  return disk.options().isWindows ? disk.find(package.site, relative).value_or(listed) : listed;
}

void LibraryCollector::finish() {
  for (const std::string& relative : libraries)
    package.libraries.push_back(hostPathOf(relative));
  for (const std::string& relative : grafted)
    package.grafted.push_back(hostPathOf(relative));
}

} // namespace tcfix::env
