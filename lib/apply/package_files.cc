#include "apply/package_files.h"

#include "base/paths.h"
#include "env/distribution.h"
#include "io/digest.h"
#include "io/host.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Support/Path.h>

#include <algorithm>
#include <set>

namespace tcfix::apply {

namespace path = llvm::sys::path;

namespace {
constexpr llvm::StringLiteral kListedName = "tcfix-journal.json";

/// The journal of a directory of libraries.
std::string journalBeside(llvm::StringRef folder) {
  return joined(folder, (kJournalFolder + "/journal.json").str());
}

/// The maximum number of levels between a library and the directory of its package.
constexpr int kMostLevels = 4;
} // namespace

JournalPlace journalOf(const env::Package& package) {
  if (!package.distInfo.empty()) {
    std::string folder = package.libraries.empty()
                             ? joined(package.site, env::moduleName(package.name))
                             : path::parent_path(package.libraries.front()).str();
    std::string stray = journalBeside(folder);
    return {joined(package.distInfo, kListedName), package.site,
            joined(package.distInfo, "RECORD"),    package.condaMeta,
            relativePath(package.site, folder),    io::exists(stray) ? stray : ""};
  }
  auto in = [](llvm::StringRef folder) -> JournalPlace {
    return {journalBeside(folder), folder.str(), {}, {}, {}, {}};
  };
  // A directory above it may have been repaired as a whole before.
  llvm::StringRef above = package.home;
  for (int level = 0; level < kMostLevels && !above.empty(); ++level)
    if (JournalPlace place = in(above); io::exists(place.path))
      return place;
    else
      above = path::parent_path(above);
  return in(package.home);
}

commit::Bounds boundsOf(const JournalPlace& place, const env::Environment& environment,
                        const io::TargetDisk& disk) {
  commit::Bounds bounds{{}, disk};
  auto add = [&](const std::string& directory) {
    if (std::optional<std::string> real = disk.realPath(directory))
      bounds.roots.push_back(std::move(*real));
  };
  bool isLoneFile =
      environment.kind == env::EnvironmentKind::File && environment.whole == environment.root;
  add(isLoneFile ? path::parent_path(environment.root).str() : environment.whole);
  // The owner of an environment controls its pyvenv.cfg, and so which sites it inherits: root
  // accepts only sites of the same owner.
  const std::optional<unsigned> owner = io::system::otherOwner(environment.whole);
  for (const env::Site& site : environment.sites)
    if (site.kind != env::SiteKind::Own && (!owner || io::system::otherOwner(site.folder) == owner))
      add(site.folder);
  if (place.record.empty())
    add(place.base);
  return bounds;
}

std::string relativeTo(const JournalPlace& place, const std::string& file) {
  return file.empty() ? file : relativePath(place.base, file);
}

Bytes LibraryWork::base() {
  if (replacement)
    return replacement->bytes();
  if (!edits())
    return input->bytes();
  if (madeBase.empty())
    madeBase = rewritten(edits()->reverse, input->bytes());
  return madeBase;
}

llvm::Error findHistory(LibraryWork& work, const Journal& journal, const std::string& relative) {
  std::string now;
  bool isNamed = false;
  for (const JournalEntry& entry : journal.entries)
    if (entry.path == relative && entry.reverse.oldSize == work.input->bytes().size()) {
      isNamed = true;
      if (entry.plan && entry.plan->stamp == work.input->stamp())
        now = entry.sha256After; // an equal stamp makes hashing the file unnecessary
    }
  if (!isNamed)
    return llvm::Error::success();
  if (now.empty())
    if (llvm::Error error = io::sha256Of(work.input->bytes()).moveInto(now))
      return error;
  work.history = commit::historyOf(journal, relative, now);
  // The hashes in a journal are only claims. Discard a history whose sizes do not match, or which
  // no edit of this file could have.
  constexpr uint64_t kMaxWork = uint64_t(16) << 30; // bytes written while the edits are undone
  uint64_t size = work.input->bytes().size(), most = 4 * size + commit::kMaxZeros, total = 0;
  for (const JournalEntry& entry : work.history)
    for (const BytePatch& patch : entry.reverse.patches)
      most += patch.after.size();
  for (const JournalEntry& entry : llvm::reverse(work.history)) {
    total += entry.reverse.newSize;
    if (entry.reverse.oldSize != size || entry.reverse.newSize > most ||
        total > std::max(most, kMaxWork)) {
      work.history.clear();
      break;
    }
    size = entry.reverse.newSize;
  }
  return llvm::Error::success();
}

llvm::Expected<bool> isOriginal(const LibraryWork& work, const Journal& journal,
                                const std::string& relative) {
  std::set<std::string> digests; // of originals with the same size
  for (const JournalEntry& entry : journal.entries)
    if (entry.path == relative && entry.reverse.newSize == work.input->bytes().size())
      digests.insert(entry.sha256Before);
  if (digests.empty())
    return false;
  llvm::Expected<std::string> now = io::sha256Of(work.input->bytes());
  if (!now)
    return now.takeError();
  return digests.count(*now) > 0;
}

llvm::Expected<std::vector<JournalEntry>>
keptEntries(const LibraryWork& work, const Journal& journal, const std::string& relative) {
  if (!work.history.empty())
    return work.history;
  llvm::Expected<bool> isAsInstalled = isOriginal(work, journal, relative);
  if (!isAsInstalled)
    return isAsInstalled.takeError();
  std::vector<JournalEntry> kept;
  if (!*isAsInstalled)
    llvm::copy_if(journal.entries, std::back_inserter(kept),
                  [&](const JournalEntry& entry) { return entry.path == relative; });
  return kept;
}

OriginalFile originalOf(const LibraryWork& work) {
  OriginalFile original;
  original.bytes = work.input->bytes();
  original.modifiedNs = work.input->stamp().modifiedNs;
  for (const JournalEntry& entry : llvm::reverse(work.history)) {
    if (io::system::isInterrupted()) // hashing the result, the next step, reports it
      break;
    original.made = rewritten(entry.reverse, original.bytes);
    original.bytes = original.made;
    original.modifiedNs = entry.modifiedNs;
    original.link = entry.link;
  }
  if (work.history.empty())
    original.link = io::system::readLink(work.path).value_or("");
  return original;
}

bool leadsTo(const std::string& file, const std::string& link, Bytes bytes,
             const io::TargetDisk& disk) {
  if (link.empty())
    return false;
  llvm::SmallString<256> place(path::parent_path(file));
  if (path::is_absolute(link))
    place = disk.hostPath(link).value_or(link);
  else
    path::append(place, link);
  std::optional<io::InputFile> target = llvm::expectedToOptional(disk.open(place));
  return target && target->bytes() == bytes;
}

} // namespace tcfix::apply
