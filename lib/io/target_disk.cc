#include "io/target_disk.h"

#include "base/error.h"
#include "base/paths.h"
#include "io/system.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/Support/Errc.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

#include <algorithm>
#include <map>
#include <mutex>

namespace tcfix::io {

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {

// As many as Linux follows.
constexpr int kMostLinks = 40;

using Parts = llvm::SmallVector<llvm::StringRef, 16>;

/// The folders and the name that a path is made of, without its root.
Parts partsOf(llvm::StringRef text, bool isWindows) {
  Parts parts;
  llvm::SplitString(text, parts, isWindows ? "/\\" : "/");
  llvm::erase_if(parts, [](llvm::StringRef part) { return part == "."; });
  return parts;
}

bool startsWithDrive(llvm::StringRef text) {
  return text.size() >= 3 && llvm::isAlpha(text[0]) && text[1] == ':' &&
         (text[2] == '\\' || text[2] == '/');
}

/// A target path's parts from the root on, the drive being the first; nothing if it is relative.
std::optional<Parts> absoluteParts(llvm::StringRef target, bool isWindows) {
  if (!isWindows)
    return target.starts_with("/") ? std::optional(partsOf(target, false)) : std::nullopt;
  target.consume_front("\\\\?\\");
  if (!startsWithDrive(target))
    return std::nullopt;
  Parts parts = partsOf(target.drop_front(2), true);
  parts.insert(parts.begin(), target.take_front(1));
  return parts;
}

std::string absolute(llvm::StringRef typed) {
  llvm::SmallString<256> text(typed);
  fs::make_absolute(text);
  return text.str().str();
}

} // namespace

struct TargetDisk::Memory {
  std::mutex mutex;
  llvm::StringMap<std::optional<std::string>> real, found;
  std::vector<std::string> forbidden;
  /// The names in a folder by their small letters, for disks where case does not count.
  std::map<std::string, llvm::StringMap<std::string>> spellings;

  /// What is known under this key, else what `ask` says, from now on.
  template <typename Ask>
  std::optional<std::string> recall(llvm::StringMap<std::optional<std::string>>& answers,
                                    llvm::StringRef key, Ask ask) {
    {
      std::lock_guard<std::mutex> guard(mutex);
      if (auto known = answers.find(key); known != answers.end())
        return known->second;
    }
    std::optional<std::string> answer = ask();
    std::lock_guard<std::mutex> guard(mutex);
    return answers.try_emplace(key, std::move(answer)).first->second;
  }
};

TargetDisk TargetDisk::remembering() const {
  TargetDisk copy = *this;
  copy.memory = std::make_shared<Memory>();
  return copy;
}

TargetDisk::TargetDisk(TargetDiskOptions options) : disk(std::move(options)) {
  if (disk.sysroot.empty())
    return;
  llvm::SmallString<256> real;
  disk.sysroot = fs::real_path(disk.sysroot, real) ? absolute(disk.sysroot) : real.str().str();
  disk.knowsAbsolutePaths = true;
}

std::optional<std::string> TargetDisk::hostPath(llvm::StringRef targetPath) const {
  if (!disk.knowsAbsolutePaths)
    return std::nullopt;
  std::optional<Parts> parts = absoluteParts(targetPath, disk.isWindows);
  if (!parts)
    return std::nullopt;
  if (disk.sysroot.empty())
    return targetPath.str();
  std::string result = disk.sysroot;
  for (llvm::StringRef part : *parts)
    result = part == ".." ? parent(result) : entry(result, part);
  return result;
}

std::string TargetDisk::targetPath(llvm::StringRef hostPath) const {
  if (disk.sysroot.empty() || !isWithin(hostPath, disk.sysroot))
    return hostPath.str();
  llvm::StringRef inside = hostPath.drop_front(disk.sysroot.size());
  // Simulated loaders ask this of every library, mostly of paths that are clean already.
  if (!disk.isWindows && !inside.empty() && !inside.contains("//") && !inside.contains("/./"))
    return inside.str();
  Parts parts = partsOf(inside, disk.isWindows);
  if (!disk.isWindows)
    return "/" + llvm::join(parts, "/");
  if (parts.empty())
    return {};
  std::string drive = parts.front().upper() + ":\\";
  return drive + llvm::join(parts.begin() + 1, parts.end(), "\\");
}

std::optional<std::string> TargetDisk::realPath(llvm::StringRef hostPath) const {
  return resolved(path::is_absolute(hostPath) ? hostPath.str() : absolute(hostPath), 0);
}

std::optional<std::string> TargetDisk::resolved(llvm::StringRef hostPath, int links) const {
  if (!memory)
    return resolvedNow(hostPath, links);
  return memory->recall(memory->real, hostPath, [&] { return resolvedNow(hostPath, links); });
}

// Folder by folder from the right, so that a disk which remembers asks once for each folder.
std::optional<std::string> TargetDisk::resolvedNow(llvm::StringRef hostPath, int links) const {
  if (disk.sysroot.empty() && system::thisSystem() == system::System::Windows) {
    llvm::SmallString<256> real;
    return fs::real_path(hostPath, real) ? std::nullopt : std::optional(real.str().str());
  }
  std::string top = topAbove(hostPath);
  if (hostPath.size() <= top.size())
    return top;
  std::optional<std::string> folder = resolved(path::parent_path(hostPath), links);
  llvm::StringRef name = path::filename(hostPath);
  if (!folder || name == ".")
    return folder;
  if (name == "..")
    return *folder == topAbove(*folder) ? folder : path::parent_path(*folder).str();
  std::string next = entry(*folder, name);
  std::optional<std::string> link = system::readLink(next);
  // Links are gone from it, so that the system sees what the target would.
  if (!link)
    return fs::exists(next) ? std::optional(next) : std::nullopt;
  if (links == kMostLinks)
    return std::nullopt;
  std::optional<Parts> inside = absoluteParts(*link, disk.isWindows);
  std::string ahead = !inside                ? *folder
                      : disk.sysroot.empty() ? path::root_path(next).str()
                                             : disk.sysroot;
  for (llvm::StringRef part : inside ? *inside : partsOf(*link, disk.isWindows))
    ahead = joined(ahead, part);
  return resolved(ahead, links + 1);
}

std::string TargetDisk::topAbove(llvm::StringRef hostPath) const {
  return !disk.sysroot.empty() && isWithin(hostPath, disk.sysroot)
             ? disk.sysroot
             : path::root_path(hostPath).str();
}

std::optional<std::string> TargetDisk::adopt(llvm::StringRef typed) const {
  if (typed.empty())
    return std::nullopt;
  std::string text = absolute(typed);
  if (!disk.sysroot.empty()) {
    // The sysroot may be reached through links of this machine.
    for (llvm::StringRef above = text; !above.empty(); above = path::parent_path(above)) {
      llvm::SmallString<256> real;
      if (!fs::real_path(above, real) && real == disk.sysroot)
        return realPath(disk.sysroot + text.substr(above.size()));
    }
  }
  llvm::SmallString<256> real;
  if (fs::real_path(text, real))
    return std::nullopt;
  return real.str().str();
}

llvm::Expected<InputFile> TargetDisk::open(llvm::StringRef hostPath, uint64_t largest) const {
  if (std::optional<std::string> real = realPath(hostPath))
    return InputFile::openReal(*real, largest);
  if (disk.sysroot.empty())
    return InputFile::open(hostPath, largest); // says why
  return fail(ErrorCode::NotFound, "there is no such file");
}

std::optional<std::string> TargetDisk::openable(llvm::StringRef hostPath) const {
  return disk.sysroot.empty() ? std::optional(hostPath.str()) : realPath(hostPath);
}

bool TargetDisk::isFile(llvm::StringRef hostPath) const {
  std::optional<std::string> real = openable(hostPath);
  return real && fs::is_regular_file(*real);
}

bool TargetDisk::isFolder(llvm::StringRef hostPath) const {
  std::optional<std::string> real = openable(hostPath);
  return real && fs::is_directory(*real);
}

std::vector<std::string> TargetDisk::list(llvm::StringRef hostFolder) const {
  std::vector<std::string> names;
  for (DirectoryEntry& each : entries(hostFolder))
    names.push_back(std::move(each.name));
  return names;
}

std::vector<DirectoryEntry> TargetDisk::entries(llvm::StringRef hostFolder) const {
  std::vector<DirectoryEntry> found;
  std::optional<std::string> real = openable(hostFolder);
  if (!real)
    return found;
  std::error_code error;
  for (fs::directory_iterator each(*real, error, /*follow_symlinks=*/false), end;
       !error && each != end; each.increment(error)) {
    fs::file_type type = each->type();
    if (type == fs::file_type::type_unknown) // some file systems do not say
      type = fs::get_file_type(each->path(), /*Follow=*/false);
    found.push_back({path::filename(each->path()).str(), type == fs::file_type::directory_file});
  }
  if (error == llvm::errc::permission_denied && memory) {
    std::lock_guard<std::mutex> guard(memory->mutex);
    if (!llvm::is_contained(memory->forbidden, hostFolder))
      memory->forbidden.push_back(hostFolder.str());
  }
  llvm::sort(found, [](const DirectoryEntry& left, const DirectoryEntry& right) {
    return left.name < right.name;
  });
  return found;
}

std::vector<std::string> TargetDisk::forbidden() const {
  if (!memory)
    return {};
  std::lock_guard<std::mutex> guard(memory->mutex);
  return memory->forbidden;
}

std::optional<std::string> TargetDisk::find(llvm::StringRef hostFolder,
                                            llvm::StringRef name) const {
  if (!memory)
    return findNow(hostFolder, name);
  std::string key = (hostFolder + llvm::StringRef("\0", 1) + name).str();
  return memory->recall(memory->found, key, [&] { return findNow(hostFolder, name); });
}

std::optional<std::string> TargetDisk::findNow(llvm::StringRef hostFolder,
                                               llvm::StringRef name) const {
  std::string current = hostFolder.str();
  for (llvm::StringRef part : partsOf(name, disk.isWindows)) {
    if (part != "..")
      current = entry(current, part);
    else if (disk.isWindows || exists(current))
      current = parent(current);
    else
      return std::nullopt;
  }
  return exists(current) ? std::optional(current) : std::nullopt;
}

bool TargetDisk::exists(const std::string& hostPath) const {
  return disk.sysroot.empty() ? fs::exists(hostPath) : realPath(hostPath).has_value();
}

std::string TargetDisk::entry(const std::string& folder, llvm::StringRef name) const {
  std::string exact = joined(folder, name);
  if (!disk.isWindows || fs::exists(exact) || system::readLink(exact))
    return exact;
  if (memory) {
    std::lock_guard<std::mutex> guard(memory->mutex);
    if (auto known = memory->spellings.find(folder); known != memory->spellings.end()) {
      auto other = known->second.find(name.lower());
      return other == known->second.end() ? exact : joined(folder, other->second);
    }
  }
  llvm::StringMap<std::string> spellings;
  for (const std::string& other : list(folder))
    spellings.try_emplace(llvm::StringRef(other).lower(), other);
  auto other = spellings.find(name.lower());
  const std::string found = other == spellings.end() ? exact : joined(folder, other->second);
  if (memory) {
    std::lock_guard<std::mutex> guard(memory->mutex);
    memory->spellings.try_emplace(folder, std::move(spellings));
  }
  return found;
}

std::string TargetDisk::parent(const std::string& folder) const {
  // Behind a link ".." is the parent of what the link leads to; Windows looks at the text alone.
  std::string child = disk.isWindows ? folder : realPath(folder).value_or(folder);
  if (child == disk.sysroot || child == path::root_path(child))
    return child;
  return path::parent_path(child).str();
}

} // namespace tcfix::io
