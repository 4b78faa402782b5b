#include "env/environment.h"

#include "base/enum_name.h"
#include "base/error.h"
#include "base/paths.h"
#include "env/prefix.h"
#include "formats/formats.h"
#include "io/host.h"
#include "io/system.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/Path.h>

namespace tcfix::env {

namespace path = llvm::sys::path;

namespace {

/// "3.12.1.final.0" gives "3.12".
std::string majorAndMinor(llvm::StringRef version) {
  auto [major, rest] = version.split('.');
  return rest.empty() ? major.str() : (major + "." + rest.split('.').first).str();
}

/// The version of Python, which is not part of the paths in Windows' layout.
std::string versionBeside(const std::string& prefix, const VenvConfig& config,
                          const io::TargetDisk& disk) {
  for (const char* key : {"version", "version_info"})
    if (auto value = config.find(key); value != config.end())
      return majorAndMinor(value->second);
  for (const std::string& name : disk.list(joined(prefix, "conda-meta"))) {
    llvm::StringRef rest = name; // python-3.12.4-h99e199e_1.json
    if (rest.consume_front("python-") && !rest.empty() && llvm::isDigit(rest.front()))
      return majorAndMinor(rest.split('-').first);
  }
  for (const std::string& name : disk.list(prefix)) {
    std::string lower = llvm::StringRef(name).lower(); // python312.dll
    llvm::StringRef digits = lower;
    if (digits.consume_front("python") && digits.consume_back(".dll") && digits.size() > 1 &&
        llvm::all_of(digits, llvm::isDigit))
      return (digits.take_front(1) + "." + digits.drop_front(1)).str();
  }
  return {};
}

/// `isOnly`: there is no other Python here, so names without a version are unambiguous.
std::string executableOf(const std::string& prefix, const std::string& version, bool isOnly,
                         const io::TargetDisk& disk) {
  std::vector<std::string> names = {"bin/python" + version, "bin/pypy" + version};
  if (isOnly)
    names.insert(names.end(), {"bin/python3", "bin/python", "Scripts/python.exe", "python.exe"});
  for (const std::string& name : names)
    if (std::optional<std::string> found = disk.find(prefix, name); found && disk.isFile(*found))
      return *found;
  return {};
}

/// The installation that a virtual environment is based on: the directory above that of its python.
std::string basePrefixOf(const VenvConfig& config, const io::TargetDisk& disk) {
  if (auto value = config.find("base-prefix"); value != config.end()) // virtualenv writes it
    return disk.hostPath(value->second).value_or("");
  auto home = config.find("home");
  if (home == config.end())
    return {};
  std::string folder = disk.hostPath(home->second).value_or("");
  return path::filename(folder) == "bin" ? path::parent_path(folder).str() : folder;
}

/// The sites of an installation for one version, or for all. Homebrew has them in a framework;
/// Debian and Fedora also use /usr/local for the Python in /usr, where another Python may be
/// installed.
std::vector<Site> installedSites(const std::string& prefix, const std::string& version,
                                 const io::TargetDisk& disk) {
  std::vector<Site> sites;
  auto add = [&](const std::string& from, llvm::function_ref<bool(const Site&)> isWanted) {
    for (Site& site : sitesOf(from, disk))
      if (isCompatible(site.pythonVersion, version) && isWanted(site))
        addSite(sites, std::move(site), disk);
  };
  auto any = [](const Site&) { return true; };
  if (disk.targetPath(prefix) == "/usr") {
    std::vector<std::string> versions = versionsOf(prefix, disk);
    add(joined(prefix, "local"), [&](const Site& site) {
      return path::filename(site.folder) == "dist-packages" ||
             llvm::is_contained(versions, site.pythonVersion);
    });
  }
  add(prefix, any);
  add(joined(prefix, "Frameworks/Python.framework/Versions/" + version), any);
  return sites;
}

/// Where `pip install --user` installs packages, if the target is this machine.
std::vector<Site> userSites(const std::vector<Python>& pythons, const io::TargetDisk& disk) {
  std::vector<Site> sites;
  if (!disk.options().sysroot.empty() || !disk.knowsAbsolutePaths())
    return sites;
  auto add = [&](const char* variable, const std::string& below, const Python& python) {
    std::optional<std::string> folder = io::environmentVariable(variable);
    if (folder && path::is_absolute(*folder) && !python.version.empty())
      addSite(sites, {joined(*folder, below), python.version, SiteKind::User}, disk);
  };
  for (const Python& python : pythons) {
    std::string digits = python.version;
    llvm::erase_if(digits, [](char letter) { return letter == '.'; });
    add("HOME", ".local/lib/python" + python.version + "/site-packages", python);
    add("HOME", "Library/Python/" + python.version + "/lib/python/site-packages", python);
    add("APPDATA", "Python/Python" + digits + "/site-packages", python);
  }
  return sites;
}

/// Describes what a prefix contains. False if it is not a prefix.
bool describePrefix(const std::string& prefix, const io::TargetDisk& disk,
                    Environment& environment) {
  bool isVenv = disk.isFile(joined(prefix, "pyvenv.cfg")) ||
                disk.isFile(joined(prefix, "bin/activate_this.py")); // virtualenv before 20
  bool isConda = !isVenv && disk.isFolder(joined(prefix, "conda-meta"));
  std::vector<Site> own =
      isVenv || isConda ? sitesOf(prefix, disk) : installedSites(prefix, {}, disk);
  if (!isVenv && !isConda && own.empty())
    return false;
  environment.kind = isVenv    ? EnvironmentKind::Venv
                     : isConda ? EnvironmentKind::Conda
                               : EnvironmentKind::SystemPython;
  if (isConda)
    environment.condaMeta = joined(prefix, "conda-meta");
  VenvConfig config = readVenvConfig(prefix, disk);
  std::string base = isVenv ? basePrefixOf(config, disk) : std::string();

  std::vector<std::string> versions = versionsOf(prefix, disk);
  for (Site& site : own) {
    if (site.pythonVersion.empty())
      site.pythonVersion = versionBeside(prefix, config, disk);
    if (site.pythonVersion != "3" && !llvm::is_contained(versions, site.pythonVersion))
      versions.push_back(site.pythonVersion);
  }
  for (const std::string& version : versions) {
    std::string executable = executableOf(prefix, version, versions.size() == 1, disk);
    // Directories left by a removed Python do not count.
    if (!executable.empty() ||
        llvm::any_of(own, [&](const Site& site) { return site.pythonVersion == version; }))
      environment.pythons.push_back({version, executable, base});
  }

  // The order of sys.path: the virtual environment's own, the user's, the system's; outside a
  // virtual environment, the user's come first.
  auto add = [&](std::vector<Site> sites, SiteKind kind) {
    for (Site& site : sites) {
      site.kind = kind;
      addSite(environment.sites, std::move(site), disk);
    }
  };
  bool seesSystem = llvm::StringRef(config["include-system-site-packages"]).lower() == "true";
  if (isVenv)
    add(own, SiteKind::Own);
  if (!isVenv || seesSystem)
    add(userSites(environment.pythons, disk), SiteKind::User);
  if (!isVenv)
    add(own, SiteKind::Own);
  else if (seesSystem && !base.empty())
    for (const Python& python : environment.pythons)
      add(installedSites(base, python.version, disk), SiteKind::System);
  return true;
}

/// The sites of the environment that contains a file or directory; the site that contains it, or is
/// it, becomes the only Own one.
void describeSurroundings(const std::string& site, const io::TargetDisk& disk,
                          Environment& environment) {
  Site own{site, {}, SiteKind::Own};
  Environment around;
  environment.whole = site;
  std::optional<std::string> prefix = prefixAround(site);
  if (prefix && describePrefix(*prefix, disk, around)) {
    environment.whole = *prefix;
    std::optional<std::string> real = disk.realPath(site);
    for (const Site& other : around.sites)
      if (disk.realPath(other.folder) == real)
        own.pythonVersion = other.pythonVersion;
    environment.condaMeta = around.condaMeta;
    for (Python& python : around.pythons)
      if (isCompatible(python.version, own.pythonVersion))
        environment.pythons.push_back(std::move(python));
  }
  environment.sites.push_back(own);
  for (Site& other : around.sites)
    if (isCompatible(other.pythonVersion, own.pythonVersion)) {
      if (other.kind == SiteKind::Own)
        other.kind = SiteKind::System; // such as lib64 beside lib: on sys.path, but not the target
      addSite(environment.sites, std::move(other), disk);
    }
}

llvm::Error checkIsLibrary(const std::string& file, const io::TargetDisk& disk) {
  llvm::Expected<io::InputFile> input = disk.open(file);
  if (!input)
    return input.takeError();
  if (!formats::sniff(input->bytes()))
    return fail(ErrorCode::NotALibrary, "is neither an environment nor a native library");
  return llvm::Error::success();
}

} // namespace

llvm::StringRef nameOf(EnvironmentKind kind) {
  return enumName<EnvironmentKind::File>(kind, {"virtual environment", "conda environment",
                                                "Python installation", "folder of packages",
                                                "folder", "file"});
}

llvm::StringRef nameOf(SiteKind kind) {
  return kind == SiteKind::Own ? "own" : kind == SiteKind::System ? "system" : "user";
}

llvm::Error permissionDenied() {
  return fail(ErrorCode::Unreadable, "permission denied",
              "run tcfix as a user with permission to read this directory");
}

llvm::Expected<Environment> findEnvironment(llvm::StringRef target, const io::TargetDisk& disk) {
  Environment environment;
  environment.path = target.str();
  std::optional<std::string> root = disk.adopt(target);
  if (!root)
    return io::isForbidden(target) ? permissionDenied()
                                   : fail(ErrorCode::NotFound, "no such file or directory");
  environment.root = environment.whole = *root;
  if (!disk.isFolder(*root)) {
    if (target.ends_with_insensitive(".whl"))
      return fail(ErrorCode::Usage, "is a wheel, not an environment",
                  ("to repair a wheel, run: tcfix wheel " + target + " -o DIR").str());
    if (llvm::Error error = checkIsLibrary(*root, disk))
      return error;
    environment.kind = EnvironmentKind::File;
    // The file itself may be a link to an installer's cache outside the environment.
    llvm::StringRef folder = path::parent_path(target);
    if (std::optional<std::string> real = disk.adopt(folder.empty() ? "." : folder))
      environment.root = joined(*real, path::filename(target));
    std::string beside = path::parent_path(environment.root).str();
    describeSurroundings(siteAround(beside, disk).value_or(beside), disk, environment);
    return environment;
  }
  if (describePrefix(*root, disk, environment))
    return environment;
  std::optional<std::string> site = siteAround(*root, disk);
  environment.kind = site == *root ? EnvironmentKind::SitePackages : EnvironmentKind::Folder;
  describeSurroundings(site.value_or(*root), disk, environment);
  return environment;
}

llvm::Expected<std::string> defaultTarget() {
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (std::optional<std::string> value = io::environmentVariable(name); value && !value->empty())
      return *value;
  for (const char* name : {".venv", "venv"})
    if (io::isDirectory(name))
      return std::string(name);
  // If tcfix was installed with pip, use the environment that contains it; with uv it may be a
  // link.
  for (const std::string& program : {io::system::calledPath(), io::system::programPath()}) {
    std::string around = path::parent_path(path::parent_path(program)).str();
    if (!around.empty() &&
        (io::exists(around + "/pyvenv.cfg") || io::isDirectory(around + "/conda-meta")))
      return around;
  }
  return fail(ErrorCode::Usage, "no environment given, and none is active",
              "activate an environment, or pass its directory");
}

} // namespace tcfix::env
