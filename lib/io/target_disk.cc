#include "io/target_disk.h"

#include "base/error.h"
#include "base/paths.h"
#include "io/disk_memory.h"
#include "io/system.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/Errc.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

#include <algorithm>

namespace tcfix::io {

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {

// The limit of Linux.
constexpr int kMostLinks = 40;

// Fewer entries than this: looking through them is faster than asking the system.
constexpr size_t kMostInSmall = 256;

using Parts = llvm::SmallVector<llvm::StringRef, 16>;

/// The components of a path, without its root.
Parts partsOf(llvm::StringRef text, bool isWindows) {
  Parts parts;
  llvm::SplitString(text, parts, isWindows ? "/\\" : "/");
  llvm::erase_if(parts, [](llvm::StringRef part) { return part == "."; });
  return parts;
}

/// True for an absolute POSIX path without empty parts, "." and "..".
bool isClean(llvm::StringRef text) {
  while (text.consume_front("/")) {
    const size_t length = std::min(text.find('/'), text.size());
    const llvm::StringRef part = text.take_front(length);
    if (part.empty() || part == "." || part == "..")
      return false;
    text = text.drop_front(length);
    if (text.empty())
      return true;
  }
  return false;
}

bool startsWithDrive(llvm::StringRef text) {
  return text.size() >= 3 && llvm::isAlpha(text[0]) && text[1] == ':' &&
         (text[2] == '\\' || text[2] == '/');
}

/// The components of a target path, the drive first; nothing if it is relative.
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

EntryKind kindFrom(fs::file_type type) {
  switch (type) {
  case fs::file_type::regular_file:
    return EntryKind::File;
  case fs::file_type::directory_file:
    return EntryKind::Directory;
  case fs::file_type::symlink_file:
    return EntryKind::Link;
  case fs::file_type::status_error:
  case fs::file_type::file_not_found:
    return EntryKind::None;
  default:
    return EntryKind::Other;
  }
}

/// Sorted by name; ends after `most` entries.
std::vector<DirectoryEntry> listNow(const std::string& folder, std::error_code& error,
                                    size_t most = SIZE_MAX) {
  std::vector<DirectoryEntry> found;
  for (fs::directory_iterator each(folder, error, /*follow_symlinks=*/false), end;
       !error && each != end && found.size() < most; each.increment(error)) {
    fs::file_type type = each->type();
    if (type == fs::file_type::type_unknown) // not every file system reports it
      type = fs::get_file_type(each->path(), /*Follow=*/false);
    found.push_back({path::filename(each->path()).str(), kindFrom(type)});
  }
  llvm::sort(found, [](const DirectoryEntry& left, const DirectoryEntry& right) {
    return left.name < right.name;
  });
  return found;
}

} // namespace

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
  // Simulated loaders call this for each search path and library, mostly with clean paths.
  if (!disk.isWindows && isClean(targetPath))
    return disk.sysroot + targetPath.str();
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
  // Windows writes the paths of any target's files with its own separator.
  std::string inside = path::convert_to_slash(hostPath.drop_front(disk.sysroot.size()));
  if (!disk.isWindows && isClean(inside))
    return inside;
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

// Component by component from the right, so that a caching disk looks up each directory once.
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
  // It has no links any more, so this system sees the same file as the target.
  const EntryKind kind = kindOf(next);
  std::optional<std::string> link = kind == EntryKind::Link ? system::readLink(next) : std::nullopt;
  if (!link)
    return kind == EntryKind::None ? std::nullopt : std::optional(next);
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
    // The sysroot has no links; ".." could leave it.
    if (isWithin(text, disk.sysroot) && !llvm::is_contained(partsOf(text, disk.isWindows), ".."))
      return realPath(text);
    // The path to the sysroot may contain links of this machine.
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
    return InputFile::openReal(*real, largest, memory && kindOf(*real) == EntryKind::File);
  if (disk.sysroot.empty())
    return InputFile::open(hostPath, largest); // for its error message
  return fail(ErrorCode::NotFound, "no such file");
}

std::optional<std::string> TargetDisk::openable(llvm::StringRef hostPath) const {
  return disk.sysroot.empty() ? std::optional(hostPath.str()) : realPath(hostPath);
}

EntryKind TargetDisk::kindNow(llvm::StringRef hostPath, bool follow) const {
  fs::file_status status;
  if (fs::status(hostPath, status, follow) == llvm::errc::permission_denied)
    recordForbidden(path::parent_path(hostPath));
  return kindFrom(status.type());
}

void TargetDisk::recordForbidden(llvm::StringRef folder) const {
  if (!memory)
    return;
  std::lock_guard guard(memory->mutex);
  if (!llvm::is_contained(memory->forbidden, folder))
    memory->forbidden.push_back(folder.str());
}

EntryKind TargetDisk::kindOf(const std::string& hostPath) const {
  auto now = [&] { return kindNow(hostPath, /*follow=*/false); };
  if (!memory)
    return now();
  if (std::optional<EntryKind> known = memory->listed(hostPath))
    return *known;
  return memory->recall(memory->kinds, hostPath, [&] {
    const std::string folder = path::parent_path(hostPath).str();
    if (memory->isWorthListing(folder) && listIfSmall(folder))
      if (std::optional<EntryKind> known = memory->listed(hostPath))
        return *known;
    return now();
  });
}

bool TargetDisk::listIfSmall(const std::string& folder) const {
  std::error_code error;
  std::vector<DirectoryEntry> found = listNow(folder, error, kMostInSmall);
  if (error || found.size() == kMostInSmall)
    return false;
  std::lock_guard guard(memory->mutex);
  memory->listings.try_emplace(folder, std::make_shared<const Listing>(std::move(found), true));
  return true;
}

EntryKind TargetDisk::kindBehind(llvm::StringRef hostPath) const {
  // With a cache, most of the way is known; without one, the system is faster.
  std::optional<std::string> clean = memory ? realPath(hostPath) : openable(hostPath);
  if (!clean) // on this machine's own disk, the system may follow a link that the target cannot
    return disk.sysroot.empty() ? kindNow(hostPath, /*follow=*/true) : EntryKind::None;
  return memory ? kindOf(*clean) : kindNow(*clean, /*follow=*/true);
}

bool TargetDisk::isFile(llvm::StringRef hostPath) const {
  return kindBehind(hostPath) == EntryKind::File;
}

bool TargetDisk::isFolder(llvm::StringRef hostPath) const {
  return kindBehind(hostPath) == EntryKind::Directory;
}

bool TargetDisk::isLink(llvm::StringRef hostPath) const {
  std::optional<std::string> folder = realPath(path::parent_path(hostPath));
  return folder && kindOf(joined(*folder, path::filename(hostPath))) == EntryKind::Link;
}

std::vector<std::string> TargetDisk::list(llvm::StringRef hostFolder) const {
  std::vector<std::string> names;
  std::optional<std::string> real = openable(hostFolder);
  if (!real)
    return names;
  const std::shared_ptr<const Listing> found = listing(*real);
  for (const DirectoryEntry& each : found->entries)
    names.push_back(each.name);
  return names;
}

std::vector<DirectoryEntry> TargetDisk::entries(llvm::StringRef hostFolder) const {
  std::optional<std::string> real = openable(hostFolder);
  return real ? listing(*real)->entries : std::vector<DirectoryEntry>();
}

std::shared_ptr<const TargetDisk::Listing> TargetDisk::listing(const std::string& folder) const {
  auto now = [&] {
    std::error_code error;
    std::vector<DirectoryEntry> found = listNow(folder, error);
    if (error == llvm::errc::permission_denied)
      recordForbidden(folder);
    const bool isSmall = !error && found.size() < kMostInSmall;
    return std::make_shared<const Listing>(std::move(found), isSmall);
  };
  return memory ? memory->recall(memory->listings, folder, now) : now();
}

std::vector<std::string> TargetDisk::forbidden() const {
  if (!memory)
    return {};
  std::lock_guard guard(memory->mutex);
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
  return kindBehind(hostPath) != EntryKind::None;
}

std::string TargetDisk::entry(const std::string& folder, llvm::StringRef name) const {
  std::string exact = joined(folder, name);
  if (!disk.isWindows || kindOf(exact) != EntryKind::None)
    return exact;
  if (memory) {
    std::lock_guard guard(memory->mutex);
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
    std::lock_guard guard(memory->mutex);
    memory->spellings.try_emplace(folder, std::move(spellings));
  }
  return found;
}

std::string TargetDisk::parent(const std::string& folder) const {
  // After a link, ".." is the parent of the link's target; Windows only looks at the string.
  std::string child = disk.isWindows ? folder : realPath(folder).value_or(folder);
  if (child == disk.sysroot || child == path::root_path(child))
    return child;
  return path::parent_path(child).str();
}

} // namespace tcfix::io
