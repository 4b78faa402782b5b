#include "hook/hook.h"

#include "apply/transaction.h"
#include "base/enum_name.h"
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

// A hook belongs to the environment itself, not to what it borrows from the system.
std::vector<std::string> sitesOf(const env::Environment& environment) {
  std::vector<std::string> sites;
  for (const env::Site& site : environment.sites)
    if (site.kind == env::SiteKind::Own)
      sites.push_back(site.folder);
  return sites;
}

// Python reads .pth files in these only; anywhere else a hook would lie idle.
bool isReadAtStart(const std::string& site) {
  llvm::StringRef name = path::filename(site);
  return name.equals_insensitive("site-packages") || name == "dist-packages";
}

llvm::Error noSite() {
  return fail(ErrorCode::NotFound, "has no site-packages to put a hook into",
              "name a virtual environment or a site-packages folder");
}

/// The .dist-info folders of the hook, of this version or another.
std::vector<std::string> ownersIn(const std::string& site) {
  std::vector<std::string> owners;
  for (llvm::StringRef name : io::namesIn(site))
    if (name.starts_with("tcfix_hook-") && name.ends_with(".dist-info"))
      owners.push_back(site + "/" + name.str());
  return owners;
}

/// What `import` calls a package: its name, unless a distribution of that name is installed whose
/// modules are called otherwise.
std::vector<std::string> importedAs(const std::string& package, llvm::ArrayRef<std::string> sites) {
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

bool holds(const std::string& file, llvm::StringRef content) {
  std::optional<io::InputFile> input = llvm::expectedToOptional(io::InputFile::open(file));
  return input && textOf(input->bytes()) == content;
}

// `old` keeps what a step needs to roll back.
llvm::Expected<apply::Step> stage(const std::string& file, const std::string& content,
                                  std::vector<std::unique_ptr<io::InputFile>>& old) {
  if (!io::exists(file))
    return apply::Step::create(file, content);
  llvm::Expected<io::InputFile> present = io::InputFile::open(file);
  if (!present)
    return present.takeError();
  io::InputFile& kept = *old.emplace_back(std::make_unique<io::InputFile>(std::move(*present)));
  return apply::Step::replace(kept, file, differenceOf(kept.bytes(), bytesOf(content), "hook"));
}

// Rows of a RECORD that lead elsewhere are nobody's business here.
bool isOurs(llvm::StringRef name) {
  bool isNamedSo = llvm::any_of(llvm::StringRef("/.-"), [&](char next) {
    return name.starts_with(std::string("tcfix_hook") + next);
  });
  return isNamedSo && !name.contains("..") && !name.contains('\\');
}

/// The names of all that a hook of this version, or of one whose list is there, may consist of,
/// without what it notes itself.
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
  for (llvm::StringRef note : kOwnNotes)
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
    status.remark = "its settings are damaged";
    return status;
  }
  HookFiles wanted = hookFiles(*options);
  for (const auto& [name, content] : wanted)
    if (!holds(site + "/" + name, content))
      status.remark = name + " is not as this tcfix writes it";
  if (status.remark.empty() && status.files.size() > wanted.size())
    status.remark = "another version has left files";
  if (status.remark.empty() && !io::isExecutable(options->program))
    status.remark = options->program + ", which it calls, is not there";
  if (status.remark.empty())
    status.state = State::Installed;
  return status;
}

// Only folders of ours, and only if they are empty but for Python's cache.
void removeFolder(const std::string& folder) {
  io::removeTree(folder + "/__pycache__");
  io::removeEmptyDirectory(folder);
}

llvm::Error removeFiles(const std::string& site, const std::set<std::string>& names,
                        std::vector<std::string>& removed) {
  for (const std::string& name : names) {
    std::string file = site + "/" + name;
    if (!io::exists(file))
      continue;
    if (llvm::Error error = io::system::removeFile(file))
      return within(file, std::move(error));
    removed.push_back(file);
  }
  return llvm::Error::success();
}

void removeEmptyFolders(const std::string& site) {
  removeFolder(site + "/tcfix_hook");
  for (const std::string& owner : ownersIn(site))
    removeFolder(owner);
}

llvm::Error removeFrom(const std::string& site, std::vector<std::string>& removed) {
  std::set<std::string> names = namesIn(site);
  names.insert(std::begin(kOwnNotes), std::end(kOwnNotes));
  if (llvm::Error error = removeFiles(site, names, removed))
    return error;
  removeEmptyFolders(site);
  return llvm::Error::success();
}

llvm::Error writeInto(llvm::ArrayRef<std::string> sites, const HookFiles& files) {
  std::vector<apply::Step> steps;
  std::vector<std::unique_ptr<io::InputFile>> old;
  for (const std::string& site : sites)
    for (const auto& [name, content] : files) {
      std::string file = site + "/" + name;
      if (holds(file, content))
        continue;
      llvm::Expected<apply::Step> step = stage(file, content, old);
      if (!step)
        return within(file, step.takeError());
      steps.push_back(std::move(*step));
    }
  return apply::commitAll(steps);
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
                                       const HookOptions& options) {
  std::vector<std::string> sites = sitesOf(environment);
  llvm::erase_if(sites, [](const std::string& site) { return !isReadAtStart(site); });
  if (sites.empty())
    return noSite();
  HookOptions named = options;
  named.packages.clear();
  for (const std::string& package : options.packages)
    llvm::append_range(named.packages, importedAs(package, sites));
  HookFiles files = hookFiles(named);
  if (llvm::Error error = writeInto(sites, files)) {
    llvm::for_each(sites, removeEmptyFolders);
    return error;
  }
  for (const std::string& site : sites) {
    // What another version had, and this one has not.
    std::set<std::string> others = namesIn(site);
    for (const auto& [name, content] : files)
      others.erase(name);
    std::vector<std::string> removed;
    if (llvm::Error error = removeFiles(site, others, removed))
      return error;
    for (const std::string& owner : ownersIn(site))
      if (path::filename(owner) != distInfoName())
        removeFolder(owner);
  }
  return findHook(environment);
}

llvm::Expected<HookStatus> removeHook(const env::Environment& environment) {
  std::vector<std::string> sites = sitesOf(environment);
  if (sites.empty())
    return noSite();
  HookStatus status;
  for (const std::string& site : sites)
    if (llvm::Error error = removeFrom(site, status.files))
      return error;
  return status;
}

} // namespace tcfix::hook
