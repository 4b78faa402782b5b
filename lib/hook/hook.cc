#include "hook/hook.h"

#include "base/enum_name.h"
#include "commit/locks.h"
#include "commit/transaction.h"
#include "env/distribution.h"
#include "env/library_files.h"
#include "hook/files.h"
#include "io/host.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/Path.h>

#include <set>

namespace tcfix::hook {

namespace path = llvm::sys::path;

namespace {

// A hook goes into the environment's own sites, not into those of the system.
std::vector<std::string> sitesOf(const env::Environment& environment) {
  std::vector<std::string> sites;
  for (const env::Site& site : environment.sites)
    if (site.kind == env::SiteKind::Own)
      sites.push_back(site.folder);
  return sites;
}

// Python reads .pth files only in these directories; a hook elsewhere would never run.
bool isReadAtStart(const std::string& site) {
  llvm::StringRef name = path::filename(site);
  return name.equals_insensitive("site-packages") || name == "dist-packages";
}

llvm::Error noSite() {
  return fail(ErrorCode::NotFound, "has no site-packages directory for the hook",
              "pass a virtual environment or a site-packages directory");
}

/// The .dist-info directories of the hook, of any version.
std::vector<std::string> ownersIn(const std::string& site) {
  std::vector<std::string> owners;
  for (llvm::StringRef name : io::namesIn(site))
    if (name.starts_with("tcfix_hook-") && name.ends_with(".dist-info"))
      owners.push_back(site + "/" + name.str());
  return owners;
}

/// The module names of a package: its name, unless a distribution with that name is installed that
/// has modules with other names.
std::vector<std::string> moduleNamesOf(const std::string& package,
                                       llvm::ArrayRef<std::string> sites) {
  std::string plain = env::moduleName(package);
  std::set<std::string> modules;
  for (const std::string& site : sites)
    for (const env::Distribution& each : env::distributionsOf(package, site, io::TargetDisk({})))
      for (llvm::StringRef file : recordedFiles(each.entry)) {
        auto [top, rest] = file.split('/');
        llvm::StringRef name = rest.empty() ? top.split('.').first : top;
        bool isModule = !rest.empty() || top.ends_with(".py") || env::isLibraryName(top);
        if (isModule && !name.empty() && name != "__pycache__" &&
            llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; }))
          modules.insert(name.str());
      }
  if (modules.empty() || modules.count(plain))
    return {plain};
  return {modules.begin(), modules.end()};
}

bool hasContent(const std::string& file, llvm::StringRef content) {
  std::optional<io::InputFile> input = llvm::expectedToOptional(io::InputFile::open(file));
  return input && textOf(input->bytes()) == content;
}

/// Changes files of several sites, all or none.
class SiteChange {
public:
  explicit SiteChange(const commit::Locks& locks) : locks(locks) {}

  /// Ensures that the file has this content.
  llvm::Error write(const std::string& file, llvm::StringRef content) {
    if (hasContent(file, content))
      return llvm::Error::success();
    std::unique_ptr<io::InputFile>& old = inputs.emplace_back();
    if (io::exists(file)) {
      llvm::Expected<io::InputFile> input = io::InputFile::open(file);
      if (!input)
        return at(file, input.takeError());
      old = std::make_unique<io::InputFile>(std::move(*input));
    }
    llvm::Expected<io::Place> place = locks.newPlace(file);
    if (!place)
      return at(file, place.takeError());
    return append(phase, file, commit::Step::write(old.get(), std::move(*place), content));
  }

  /// Ensures that the file does not exist.
  llvm::Error remove(const std::string& file) {
    if (!io::exists(file) && !io::isLink(file))
      return llvm::Error::success();
    llvm::Expected<io::Place> place = locks.place(file);
    if (!place)
      return at(file, place.takeError());
    phase.push_back(commit::Step::remove(std::move(*place)));
    removed.push_back(file);
    return llvm::Error::success();
  }

  llvm::Error commit() {
    llvm::Error error = commit::commitTogether(phase);
    phase.clear(); // deletes the removed files
    return error;
  }

  std::vector<std::string> removed;

private:
  const commit::Locks& locks;
  std::vector<std::unique_ptr<io::InputFile>> inputs; ///< for a rollback
  commit::Phase phase;
};

/// The hook's own directories in a site.
std::vector<std::string> directoriesIn(const std::string& site) {
  std::vector<std::string> directories = ownersIn(site);
  directories.push_back(site + "/tcfix_hook");
  return directories;
}

/// Locks the sites and the hook's own directories in them. A site may be reached through links, but
/// it must be inside the environment.
commit::Locks lockSites(const env::Environment& environment, llvm::ArrayRef<std::string> sites,
                        io::Notify notify) {
  std::vector<std::string> files;
  for (const std::string& site : sites) {
    files.push_back(site + "/tcfix_hook");
    for (const std::string& directory : directoriesIn(site))
      if (!io::isLink(directory))
        files.push_back(directory + "/RECORD");
  }
  return commit::Locks(files, {}, notify, commit::Links::Replaced, {{environment.root}});
}

/// An error if nothing can be written or deleted in the sites.
llvm::Error checkSites(llvm::ArrayRef<std::string> sites, const commit::Locks& locks) {
  for (const std::string& site : sites)
    for (const std::string& directory : directoriesIn(site))
      if (io::isLink(directory))
        return at(directory, fail(ErrorCode::Unsupported,
                                  "is a link; tcfix does not follow it to write or delete files",
                                  "remove the link, then run the same command again"));
  return locks.checkAll();
}

// Ignores rows of a RECORD for other files.
bool isOurs(llvm::StringRef name) {
  bool isNamedSo = llvm::any_of(llvm::StringRef("/.-"), [&](char next) {
    return name.starts_with(std::string("tcfix_hook") + next);
  });
  return isNamedSo && !name.contains("..") && !name.contains('\\') && name.count('/') <= 1;
}

/// The names of all files that a hook of this version, or of any version with a RECORD, may have,
/// without its stamps.
std::set<std::string> namesIn(const std::string& site) {
  std::set<std::string> names;
  for (const auto& [name, content] : hookFiles({}))
    names.insert(name);
  for (const std::string& owner : ownersIn(site)) {
    for (const char* name : {"METADATA", "INSTALLER", "WHEEL", "REQUESTED", "RECORD"})
      names.insert((path::filename(owner) + "/" + name).str());
    for (const std::string& name : recordedFiles(owner))
      if (isOurs(name))
        names.insert(name);
  }
  for (llvm::StringRef note : kStampFiles)
    names.erase(note.str());
  return names;
}

HookStatus statusOf(const std::string& site) {
  HookStatus status;
  for (const std::string& name : namesIn(site))
    if (std::string file = site + "/" + name; io::exists(file))
      status.files.push_back(file);
  if (status.files.empty() && ownersIn(site).empty() && !io::exists(site + "/tcfix_hook"))
    return status;
  std::optional<HookOptions> options = readOptions(site);
  status.state = State::Stale;
  if (!options) {
    status.remark = "its settings are invalid";
    return status;
  }
  HookFiles wanted = hookFiles(*options);
  for (const auto& [name, content] : wanted)
    if (!hasContent(site + "/" + name, content))
      status.remark = name + " differs from this version of tcfix";
  if (status.remark.empty() && status.files.size() > wanted.size())
    status.remark = "files of another version remain";
  if (status.remark.empty() && !io::isExecutable(options->program))
    status.remark = options->program + ", which it runs, does not exist";
  if (status.remark.empty())
    status.state = State::Installed;
  return status;
}

// Only a directory of the hook, and only if it is empty except for Python's cache, which contains
// only files.
void removeDirectory(const std::string& path, const commit::Locks& locks) {
  constexpr llvm::StringLiteral kCache = "__pycache__";
  if (const io::Directory* directory = locks.find(path)) {
    if (std::optional<io::Directory> cache = llvm::expectedToOptional(directory->enter(kCache)))
      for (const std::string& name : cache->names())
        (void)cache->remove(name);
    directory->removeIfEmpty(kCache);
    if (directory->readLink(kCache))
      (void)directory->remove(kCache);
  }
  locks.removeIfEmpty(path);
}

// Removes files that are not part of this version: another version left them.
llvm::Error install(llvm::ArrayRef<std::string> sites, const HookFiles& files,
                    const commit::Locks& locks) {
  SiteChange change(locks);
  for (const std::string& site : sites) {
    std::set<std::string> others = namesIn(site);
    for (const auto& [name, content] : files) {
      others.erase(name);
      if (llvm::Error error = change.write(site + "/" + name, content))
        return error;
    }
    for (const std::string& name : others)
      if (llvm::Error error = change.remove(site + "/" + name))
        return error;
  }
  return change.commit();
}

} // namespace

llvm::StringRef nameOf(State state) {
  return enumName<State::Stale>(state, {"installed", "absent", "stale"});
}

llvm::Expected<HookStatus> findHook(const env::Environment& environment) {
  std::vector<std::string> sites = sitesOf(environment);
  if (sites.empty())
    return noSite();
  HookStatus all;
  all.state = State::Installed;
  for (const std::string& site : sites) {
    HookStatus one = statusOf(site);
    llvm::append_range(all.files, one.files);
    if (one.state != State::Installed && all.state == State::Installed) {
      all.state = one.state;
      all.remark = one.remark;
    }
  }
  return all;
}

llvm::Expected<HookStatus> installHook(const env::Environment& environment,
                                       const HookOptions& options, io::Notify notify) {
  std::vector<std::string> sites = sitesOf(environment);
  llvm::erase_if(sites, [](const std::string& site) { return !isReadAtStart(site); });
  if (sites.empty())
    return noSite();
  HookOptions named = options;
  named.packages.clear();
  for (const std::string& package : options.packages)
    llvm::append_range(named.packages, moduleNamesOf(package, sites));
  commit::Locks locks = lockSites(environment, sites, notify);
  if (llvm::Error error = checkSites(sites, locks))
    return error;
  llvm::Error error = install(sites, hookFiles(named), locks);
  // Directories of another version; after a failure, also empty ones of this version.
  for (const std::string& site : sites)
    for (const std::string& directory : directoriesIn(site))
      if (error || path::filename(directory).ends_with(".dist-info"))
        removeDirectory(directory, locks);
  if (error)
    return error;
  return findHook(environment);
}

llvm::Expected<HookStatus> removeHook(const env::Environment& environment, io::Notify notify) {
  std::vector<std::string> sites = sitesOf(environment);
  if (sites.empty())
    return noSite();
  commit::Locks locks = lockSites(environment, sites, notify);
  if (llvm::Error error = checkSites(sites, locks))
    return error;
  SiteChange change(locks);
  for (const std::string& site : sites) {
    std::set<std::string> names = namesIn(site);
    names.insert(std::begin(kStampFiles), std::end(kStampFiles));
    for (const std::string& name : names)
      if (llvm::Error error = change.remove(site + "/" + name))
        return error;
  }
  if (llvm::Error error = change.commit())
    return error;
  for (const std::string& site : sites)
    for (const std::string& directory : directoriesIn(site))
      removeDirectory(directory, locks);
  HookStatus status;
  status.files = std::move(change.removed);
  return status;
}

} // namespace tcfix::hook
