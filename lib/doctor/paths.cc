// Search paths that are probably mistakes.
#include "doctor/rules.h"

#include "io/system.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/Path.h>

#include <map>

namespace tcfix::doctor {

using Kind = Defect::Kind;

namespace {

bool isAnchored(llvm::StringRef entry) {
  return entry.starts_with("@") || entry.starts_with("$") || entry.starts_with("%") ||
         entry.starts_with("/") || entry.starts_with("\\\\") ||
         (entry.size() > 1 && entry[1] == ':');
}

// Directories of continuous integration and packagers, which other machines do not have.
bool isBuildMachine(llvm::StringRef entry) {
  return llvm::any_of(std::initializer_list<llvm::StringRef>{"/Users/runner/", "/__w/",
                                                             "/home/conda/feedstock_root",
                                                             "/pytorch/", "/tmp/", "/private/tmp/",
                                                             "/builds/", "/croot/", "D:\\a\\"},
                      [&](llvm::StringRef prefix) { return entry.starts_with(prefix); });
}

std::optional<std::string> folderOf(const ExaminedPackage& package,
                                    const survey::LibraryFacts& library, llvm::StringRef entry) {
  const io::TargetDisk& disk = package.found.disk;
  llvm::StringRef rest = entry;
  for (llvm::StringRef word : {"@loader_path", "$ORIGIN", "${ORIGIN}"})
    if (rest.consume_front(word)) {
      std::string tail = rest.str();
      std::replace(tail.begin(), tail.end(), '\\', '/');
      return disk.find(llvm::sys::path::parent_path(library.path),
                       llvm::StringRef(tail).ltrim('/'));
    }
  std::optional<std::string> path = disk.hostPath(entry);
  return path && disk.isFolder(*path) ? path : std::nullopt;
}

std::optional<Kind> flawOf(const ExaminedPackage& package, const survey::LibraryFacts& library,
                           llvm::StringRef entry) {
  if (entry.empty())
    return Kind::SearchPathEmpty;
  if (!isAnchored(entry))
    return Kind::SearchPathRelative;
  // These depend on the process, or on a system that is not on this machine.
  if (entry.starts_with("@executable_path") || entry.starts_with("@rpath") ||
      entry.contains("$LIB") || entry.contains("$PLATFORM") || entry.contains('%'))
    return std::nullopt;
  bool isAbsolute = entry.front() == '/' || (entry.size() > 1 && entry[1] == ':');
  if (isAbsolute && !package.found.disk.knowsAbsolutePaths())
    return std::nullopt;
  // Written in advance, for software that is installed later.
  if (entry == package.facts.standingPlace.searchPath ||
      entry == providers::standingPlace(package.facts.platform, {}).searchPath)
    return std::nullopt;
  std::optional<std::string> folder = folderOf(package, library, entry);
  if (!folder)
    return isBuildMachine(entry) ? Kind::SearchPathBuildMachine : Kind::SearchPathDead;
  if (isAbsolute && io::system::isWritableByAll(*folder))
    return Kind::SearchPathWorldWritable;
  return std::nullopt;
}

} // namespace

void findPathDefects(const ExaminedPackage& package, Defects& defects) {
  // Libraries of one build have the same entries: one defect for all of them.
  std::map<std::pair<Kind, std::string>, std::vector<std::string>> flaws;
  for (const survey::LibraryFacts& library : package.facts.libraries)
    for (const std::string& entry : library.original.searchPaths)
      if (std::optional<Kind> flaw = flawOf(package, library, entry)) {
        std::vector<std::string>& files = flaws[{*flaw, entry}];
        if (!llvm::is_contained(files, library.path))
          files.push_back(library.path);
      }
  for (const auto& [key, files] : flaws) {
    Defect defect{key.first, files.front(), key.second};
    defect.items = files;
    defect.isCause = !package.isOneOfAll; // with --all, only what prevents loading counts
    defects.push_back(std::move(defect));
  }
}

} // namespace tcfix::doctor
