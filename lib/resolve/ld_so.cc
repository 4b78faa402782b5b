// Simulates how glibc's ld.so finds libraries; ld_so_symbols.cc binds them. docs/loaders.md lists
// its rules, with references to glibc's sources.
#include "resolve/ld_so_places.h"
#include "resolve/process.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/Path.h>

namespace tcfix::resolve {

namespace {

using State = Binding::State;

const LdSoSystem& systemOf(Process& process) {
  if (!process.ldSo)
    process.ldSo = std::make_shared<const LdSoSystem>(process.disk(), process.options.arch);
  return *process.ldSo;
}

class LdSo {
public:
  LdSo(Process& process, LoadResult& result)
      : process(process), system(systemOf(process)), result(result) {}

  void run(const std::string& hostPath) {
    Candidate candidate = open(process, Format::Elf, hostPath);
    if (process.findFile(*candidate.library))
      return;
    if (candidate.outcome != Candidate::Outcome::Good)
      return result.problems.push_back(problemOf(hostPath, candidate));
    const size_t root = addModule(process, candidate, hostPath, std::nullopt);
    // Breadth first: modules are appended while the list is walked.
    for (size_t i = root; i < process.modules.size(); ++i)
      mapDependencies(i);
    bindByLdSo(process, root, result);
  }

  void startPython() {
    for (llvm::StringRef name : {"libpthread.so.0", "libdl.so.2", "libm.so.6", "libc.so.6"})
      for (const std::string& path : system.find(name)) {
        Candidate candidate = open(process, Format::Elf, path);
        if (candidate.outcome != Candidate::Outcome::Good)
          continue;
        if (!process.findFile(*candidate.library))
          addModule(process, candidate, path, std::nullopt);
        break;
      }
    for (size_t i = 0; i < process.modules.size(); ++i)
      mapDependencies(i);
    process.globalCount = process.modules.size();
  }

private:
  void mapDependencies(size_t module) {
    for (size_t i = 0; i < process.modules[module].dependencies().size(); ++i) {
      if (process.modules[module].isDropped(i))
        continue;
      std::string name = process.modules[module].dependencies()[i].name;
      Search search(process, module, name);
      std::optional<size_t> found = find(search, module, name);
      int provider = found ? static_cast<int>(*found) : conclude(search, module, name);
      process.modules.edit(module).providers[i] = provider;
      result.bindings.push_back(std::move(search.binding));
    }
  }

  /// The result of a search that found nothing.
  int conclude(Search& search, size_t module, llvm::StringRef name) {
    BaseLibrary base = baseLibrary(name);
    if (base.isBase && !system.hasLibc()) {
      search.binding.state = State::Assumed;
      search.binding.how = {FoundBy::Kind::PlatformRule, "a base library of every glibc system"};
      return kElsewhere;
    }
    if (search.hasUnknownPlaces && search.unreadable.empty()) {
      search.binding.state = State::Unknown;
      return kElsewhere;
    }
    search.binding.state = State::Missing;
    result.problems.push_back(problemOf(process, module, search));
    return kAbsent;
  }

  std::optional<size_t> found(Search& search, size_t module, FoundBy how) {
    search.found(process.modules[module], std::move(how));
    return module;
  }

  std::optional<size_t> find(Search& search, size_t requester, llvm::StringRef name) {
    if (std::optional<size_t> loaded = process.findNamed(name))
      return found(search, *loaded, {FoundBy::Kind::AlreadyLoaded});
    if (name.contains('/')) {
      Place place = system.placeOf(name, originOf(requester));
      search.hasUnknownPlaces |= place.isUnknown;
      std::optional<std::string> path =
          place.folder ? process.disk().find(*place.folder, place.rest) : std::nullopt;
      return path ? take(search, requester, name, *path, {FoundBy::Kind::OwnPath})
                  : (search.tried(name.str(), "not found"), std::nullopt);
    }
    const Module& asking = process.modules[requester];
    std::optional<size_t> module;
    if (asking.searchPathKind() != SearchPathKind::Runpath) {
      for (std::optional<size_t> holder = requester; holder && isSearching(search, module);
           holder = process.modules[*holder].loader)
        module = searchPaths(search, requester, name, *holder, SearchPathKind::Rpath);
      if (process.hasExecutable && isSearching(search, module))
        module = searchPaths(search, requester, name, 0, SearchPathKind::Rpath);
    }
    if (isSearching(search, module))
      module = searchEnvironment(search, requester, name);
    if (isSearching(search, module))
      module = searchPaths(search, requester, name, requester, SearchPathKind::Runpath);
    if (isSearching(search, module))
      module = searchSystem(search, requester, name);
    return module;
  }

  /// A file that is not a library ends the search; one for another machine does not.
  static bool isSearching(const Search& search, const std::optional<size_t>& found) {
    return !found && search.unreadable.empty();
  }

  /// $ORIGIN: the directory of the path that it was opened by, without resolving links.
  llvm::StringRef originOf(size_t module) const {
    return llvm::sys::path::parent_path(process.modules[module].path);
  }

  std::optional<size_t> searchPaths(Search& search, size_t requester, llvm::StringRef name,
                                    size_t holder, SearchPathKind kind) {
    const Module& module = process.modules[holder];
    if (module.searchPathKind() != kind)
      return std::nullopt;
    std::optional<size_t> result;
    for (size_t i = 0; i < module.searchPaths().size() && isSearching(search, result); ++i) {
      // By index: adding a module invalidates references.
      std::string entry = process.modules[holder].searchPaths()[i];
      result = searchPlace(
          search, requester, name, system.placeOf(entry, originOf(holder)),
          {kind == SearchPathKind::Rpath ? FoundBy::Kind::Rpath : FoundBy::Kind::Runpath, entry,
           llvm::sys::path::filename(process.modules[holder].path).str()});
      if (result)
        break;
    }
    return result;
  }

  std::optional<size_t> searchEnvironment(Search& search, size_t requester, llvm::StringRef name) {
    llvm::SmallVector<llvm::StringRef> entries;
    std::string value = process.variable("LD_LIBRARY_PATH").str();
    llvm::SplitString(value, entries, ":;");
    std::optional<size_t> module;
    for (llvm::StringRef entry : entries)
      if (isSearching(search, module))
        module = searchPlace(search, requester, name, system.placeOf(entry, {}),
                             {FoundBy::Kind::Variable, entry.str(), "LD_LIBRARY_PATH"});
    return module;
  }

  std::optional<size_t> searchSystem(Search& search, size_t requester, llvm::StringRef name) {
    if (!process.disk().knowsAbsolutePaths()) {
      search.hasUnknownPlaces = true;
      search.tried("the system directories", "not on this machine");
      return std::nullopt;
    }
    std::vector<std::string> cached = system.findInCache(name);
    if (cached.empty())
      search.tried("ld.so.cache", "not found");
    std::optional<size_t> module;
    for (const std::string& path : cached)
      if (isSearching(search, module) && process.disk().isFile(path))
        module = take(search, requester, name, path, {FoundBy::Kind::Cache});
    for (const Place& place : system.defaultPlaces())
      if (isSearching(search, module))
        module = searchPlace(search, requester, name, place,
                             {FoundBy::Kind::DefaultDirectory, place.text});
    return module;
  }

  std::optional<size_t> searchPlace(Search& search, size_t requester, llvm::StringRef name,
                                    const Place& place, const FoundBy& how) {
    if (!place.folder) {
      search.hasUnknownPlaces |= place.isUnknown;
      search.tried(place.text + "/" + name.str(),
                   place.isUnknown ? "not on this machine" : "not found");
      return std::nullopt;
    }
    for (const std::string& subfolder : system.subfoldersOf(place)) {
      std::optional<std::string> path =
          process.disk().find(*place.folder, place.rest + "/" + subfolder + "/" + name.str());
      if (path)
        if (std::optional<size_t> module = take(search, requester, name, *path, how))
          return module;
      if (!path && subfolder.empty())
        search.tried(describe(place, name), "not found");
    }
    return std::nullopt;
  }

  std::string describe(const Place& place, llvm::StringRef name) const {
    llvm::SmallString<256> path(*place.folder);
    path += place.rest;
    llvm::sys::path::append(path, name);
    llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
    return process.disk().targetPath(path);
  }

  std::optional<size_t> take(Search& search, size_t requester, llvm::StringRef name,
                             const std::string& path, const FoundBy& how) {
    Candidate candidate = open(process, Format::Elf, path);
    if (std::optional<size_t> same = process.findFile(*candidate.library)) {
      process.modules.edit(*same).aliases.push_back(name.str());
      return found(search, *same, {FoundBy::Kind::AlreadyLoaded, process.disk().targetPath(path)});
    }
    if (candidate.outcome != Candidate::Outcome::Good) {
      search.tried(process.disk().targetPath(path), candidate);
      return std::nullopt;
    }
    size_t module = addModule(process, candidate, path, requester);
    process.modules.edit(module).aliases.push_back(name.str());
    return found(search, module, how);
  }

  Process& process;
  const LdSoSystem& system;
  LoadResult& result;
};

} // namespace

void startPythonByLdSo(Process& process) {
  LoadResult ignored; // Python runs, so any problem found here is a limit of the simulation
  LdSo(process, ignored).startPython();
}

LoadResult loadByLdSo(Process& process, const std::string& hostPath) {
  LoadResult result;
  LdSo(process, result).run(hostPath);
  return result;
}

} // namespace tcfix::resolve
