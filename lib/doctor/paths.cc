// Search paths that do not do what their author meant.
#include "doctor/rules.h"

#include "io/system.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/Path.h>

#include <map>

namespace tcfix::doctor {

namespace {

enum class Flaw { Empty, Relative, BuildMachine, Dead, WorldWritable };

bool isAnchored(llvm::StringRef entry) {
  return entry.starts_with("@") || entry.starts_with("$") || entry.starts_with("%") ||
         entry.starts_with("/") || entry.starts_with("\\\\") ||
         (entry.size() > 1 && entry[1] == ':');
}

// Where continuous integration and packagers keep their work; nobody else has such folders.
bool isBuildMachine(llvm::StringRef entry) {
  return llvm::any_of(std::initializer_list<llvm::StringRef>{"/Users/runner/", "/__w/",
                                                             "/home/conda/feedstock_root",
                                                             "/pytorch/", "/tmp/", "/private/tmp/",
                                                             "/builds/", "/croot/", "D:\\a\\"},
                      [&](llvm::StringRef prefix) { return entry.starts_with(prefix); });
}

std::optional<std::string> folderOf(const Case& facts, const survey::LibraryFacts& library,
                                    llvm::StringRef entry) {
  const io::TargetDisk& disk = facts.found.disk;
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

std::optional<Flaw> flawOf(const Case& facts, const survey::LibraryFacts& library,
                           llvm::StringRef entry) {
  if (entry.empty())
    return Flaw::Empty;
  if (!isAnchored(entry))
    return Flaw::Relative;
  // These depend on the process, or on a system that cannot be seen.
  if (entry.starts_with("@executable_path") || entry.starts_with("@rpath") ||
      entry.contains("$LIB") || entry.contains("$PLATFORM") || entry.contains('%'))
    return std::nullopt;
  bool isAbsolute = entry.front() == '/' || (entry.size() > 1 && entry[1] == ':');
  if (isAbsolute && !facts.found.disk.knowsAbsolutePaths())
    return std::nullopt;
  std::optional<std::string> folder = folderOf(facts, library, entry);
  if (!folder)
    return isBuildMachine(entry) ? Flaw::BuildMachine : Flaw::Dead;
  if (isAbsolute && io::system::isWritableByAll(*folder))
    return Flaw::WorldWritable;
  return std::nullopt;
}

Finding findingFor(Flaw flaw, const std::string& entry) {
  switch (flaw) {
  case Flaw::Empty:
    return {"search-path-empty",
            Severity::Warning,
            "an empty search path means the current folder, whatever that is",
            {},
            {},
            {}};
  case Flaw::Relative:
    return {"search-path-relative",
            Severity::Warning,
            entry + " is relative to the current folder, whatever that is",
            {},
            {},
            {}};
  case Flaw::BuildMachine:
    return {"search-path-build-machine",
            Severity::Info,
            entry + " is a folder of the machine that built it",
            {},
            {},
            {}};
  case Flaw::Dead:
    return {"search-path-dead", Severity::Info, entry + " leads to no folder", {}, {}, {}};
  case Flaw::WorldWritable:
    return {"search-path-world-writable",
            Severity::Warning,
            entry + " can be written by everybody: anyone could put a library there",
            {},
            {},
            {}};
  }
  return {};
}

} // namespace

void findPathProblems(const Case& facts, Findings& findings) {
  // Libraries of one build share their entries: one finding for all of them.
  std::map<std::pair<Flaw, std::string>, std::vector<std::string>> flaws;
  for (const survey::LibraryFacts& library : facts.facts.libraries)
    for (const std::string& entry : library.original.searchPaths)
      if (std::optional<Flaw> flaw = flawOf(facts, library, entry)) {
        std::vector<std::string>& files = flaws[{*flaw, entry}];
        if (!llvm::is_contained(files, library.path))
          files.push_back(library.path);
      }
  for (const auto& [key, files] : flaws) {
    Finding finding = findingFor(key.first, key.second);
    finding.path = files.front();
    finding.evidence = {{"entry", key.second}, {"libraries", files}};
    finding.action = "tcfix edit --remove-rpath '" + key.second + "' " + quoted(files.front());
    findings.push_back(std::move(finding));
  }
}

} // namespace tcfix::doctor
