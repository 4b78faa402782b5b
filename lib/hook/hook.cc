#include "hook/hook.h"

#include "apply/transaction.h"
#include "hook/files.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

namespace tcfix::hook {

namespace fs = llvm::sys::fs;
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

llvm::Error noSite() {
  return fail(ErrorCode::NotFound, "has no site-packages to put a hook into",
              "name a virtual environment or a site-packages folder");
}

/// The .dist-info folders of the hook, of this version or another.
std::vector<std::string> ownersIn(const std::string& site) {
  std::vector<std::string> owners;
  std::error_code error;
  for (fs::directory_iterator entry(site, error), end; !error && entry != end;
       entry.increment(error)) {
    llvm::StringRef name = path::filename(entry->path());
    if (name.starts_with("tcfix_hook-") && name.ends_with(".dist-info"))
      owners.push_back(entry->path());
  }
  return owners;
}

bool holds(const std::string& file, llvm::StringRef content) {
  llvm::Expected<io::InputFile> input = io::InputFile::open(file);
  if (input)
    return textOf(input->bytes()) == content;
  llvm::consumeError(input.takeError());
  return false;
}

// `old` keeps what a step needs to roll back.
llvm::Expected<apply::Step> stage(const std::string& file, const std::string& content,
                                  std::vector<std::unique_ptr<io::InputFile>>& old) {
  if (!fs::exists(file))
    return apply::Step::create(file, content);
  llvm::Expected<io::InputFile> present = io::InputFile::open(file);
  if (!present)
    return present.takeError();
  io::InputFile& kept = *old.emplace_back(std::make_unique<io::InputFile>(std::move(*present)));
  return apply::Step::replace(kept, file, differenceOf(kept.bytes(), bytesOf(content), "hook"));
}

HookStatus statusOf(const std::string& site) {
  HookStatus status;
  if (ownersIn(site).empty() && !fs::exists(site + "/tcfix_hook"))
    return status;
  std::optional<HookOptions> options = readOptions(site);
  status.state = State::Installed;
  if (!options) {
    status.state = State::Stale;
    status.remark = "its settings are damaged";
    return status;
  }
  for (const auto& [name, content] : hookFiles(*options)) {
    std::string file = site + "/" + name;
    if (fs::exists(file))
      status.files.push_back(file);
    if (holds(file, content))
      continue;
    status.state = State::Stale;
    status.remark = name + " is not as this tcfix writes it";
  }
  if (status.state == State::Installed && !fs::can_execute(options->program)) {
    status.state = State::Stale;
    status.remark = options->program + ", which it calls, is not there";
  }
  return status;
}

// Only folders of ours, and only if they are empty but for Python's cache.
void removeFolder(const std::string& folder) {
  fs::remove_directories(folder + "/__pycache__", /*IgnoreErrors=*/true);
  fs::remove(folder);
}

llvm::Error removeFrom(const std::string& site, std::vector<std::string>& removed) {
  std::vector<std::string> files(std::begin(kOwnNotes), std::end(kOwnNotes));
  for (const auto& [name, content] : hookFiles({}))
    files.push_back(name);
  for (const std::string& owner : ownersIn(site))
    for (const char* name : {"METADATA", "INSTALLER", "WHEEL", "REQUESTED", "RECORD"})
      files.push_back((path::filename(owner) + "/" + name).str());
  for (const std::string& name : files) {
    std::string file = site + "/" + name;
    if (!fs::exists(file))
      continue;
    if (llvm::Error error = io::system::removeFile(file))
      return within(file, std::move(error));
    removed.push_back(file);
  }
  removeFolder(site + "/tcfix_hook");
  for (const std::string& owner : ownersIn(site))
    removeFolder(owner);
  return llvm::Error::success();
}

} // namespace

llvm::StringRef nameOf(State state) {
  switch (state) {
  case State::Installed:
    return "installed";
  case State::Absent:
    return "absent";
  case State::Stale:
    break;
  }
  return "stale";
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
  if (sites.empty())
    return noSite();
  std::vector<apply::Step> steps;
  std::vector<std::unique_ptr<io::InputFile>> old;
  for (const std::string& site : sites) {
    // Another version's list of files would be left behind.
    std::vector<std::string> removed;
    for (const std::string& owner : ownersIn(site))
      if (path::filename(owner) != distInfoName())
        if (llvm::Error error = removeFrom(site, removed))
          return error;
    for (const auto& [name, content] : hookFiles(options)) {
      std::string file = site + "/" + name;
      if (holds(file, content))
        continue;
      llvm::Expected<apply::Step> step = stage(file, content, old);
      if (!step)
        return within(file, step.takeError());
      steps.push_back(std::move(*step));
    }
  }
  if (llvm::Error error = apply::commitAll(steps))
    return error;
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
