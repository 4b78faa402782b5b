// Simulates how macOS's dyld finds libraries; dyld_symbols.cc binds them. docs/loaders.md lists its
// rules, with references to dyld's sources.
#include "resolve/process.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/VersionTuple.h>

#include <set>

namespace tcfix::resolve {

namespace {

using State = Binding::State;

constexpr llvm::StringLiteral kRpath = "@rpath/";

/// True if the image was built with this SDK or a later one. Like dyld, treats an image without an
/// SDK version as old.
bool isBuiltSince(const Slice& slice, unsigned major, unsigned minor) {
  llvm::VersionTuple sdk;
  return !slice.sdk.empty() && !sdk.tryParse(slice.sdk) && sdk >= llvm::VersionTuple(major, minor);
}

/// Libraries in dyld's shared cache: macOS 11 and later have no files for them.
bool isInSharedCache(llvm::StringRef path) {
  return path.starts_with("/usr/lib/") || path.starts_with("/System/");
}

/// The same for a path below a search path. Not every name below /usr/lib is in the cache, so this
/// is a list of those that libraries look for in this way.
bool isFoundInSharedCache(llvm::StringRef path) {
  constexpr llvm::StringLiteral names[] = {
      "libSystem.B.dylib", "libbz2.1.0.dylib", "libc++.1.dylib",    "libc++abi.dylib",
      "libiconv.2.dylib",  "libobjc.A.dylib",  "libresolv.9.dylib", "libsqlite3.dylib",
      "libxml2.2.dylib",   "libz.1.dylib",
  };
  return path.consume_front("/usr/lib/") &&
         (path.starts_with("swift/libswift") || llvm::is_contained(names, path));
}

/// A file that dyld tries, and why.
struct TriedFile {
  std::optional<std::string> folder; ///< host path; empty: not on this machine
  std::string rest;                  ///< below the directory
  std::string text;                  ///< the path to print
  FoundBy::Kind kind = FoundBy::Kind::Nothing;
  llvm::StringRef entry, holder; ///< most attempts fail, so that FoundBy is made only for a success
  bool isRelative = false;       ///< to the current directory, which is unknown
  bool hasNoFolder = false;      ///< the directory does not exist

  FoundBy how() const { return {kind, entry.str(), holder.str()}; }
};

/// A search path entry of a module.
struct SearchedFolder {
  std::optional<std::string> host; ///< empty: not on this machine
  std::string text;                ///< to print, with a slash at the end
  bool isRelative = false;
  bool exists = false;
};

class Dyld {
public:
  Dyld(Process& process, LoadResult& result)
      : process(process), result(result), firstNew(process.modules.size()) {}

  void run(const std::string& hostPath) {
    result.bindings.reserve(kUsualBindings);
    Candidate candidate = open(process, Format::MachO, hostPath);
    if (process.findFile(*candidate.library))
      return;
    if (candidate.outcome != Candidate::Outcome::Good) {
      result.problems.push_back(problemOf(hostPath, candidate));
      return;
    }
    // dyld identifies every image by its real path.
    size_t root = addModule(process, candidate, candidate.library->path, std::nullopt);
    checkDuplicates(root);
    loadDependencies(root);
    if (process.isShallow)
      return;
    // Also if something is missing: the libraries that were found may be incompatible as well.
    if (!process.trustsSymbols)
      bindByDyld(process, firstNew, result);
  }

private:
  /// All direct dependencies, then those of the first one, and so on. Without recursion: a chain
  /// may be as long as there are libraries.
  void loadDependencies(size_t root) {
    std::vector<size_t> waiting = {root};
    while (!waiting.empty()) {
      const size_t module = waiting.back();
      waiting.pop_back();
      const std::vector<size_t> added = loadDirectDependencies(module);
      if (!process.isShallow)
        waiting.insert(waiting.end(), added.rbegin(), added.rend());
    }
  }

  /// Returns the new modules.
  std::vector<size_t> loadDirectDependencies(size_t module) {
    size_t count = process.modules[module].dependencies().size();
    std::vector<size_t> added;
    for (size_t i = 0; i < count; ++i) {
      if (process.modules[module].isDropped(i))
        continue;
      Dependency dependency = process.modules[module].dependencies()[i];
      Search search(process, module, dependency.name);
      size_t before = process.modules.size();
      int provider = resolve(search, module, dependency);
      process.modules.edit(module).providers[i] = provider;
      result.bindings.push_back(std::move(search.binding));
      if (process.modules.size() > before)
        added.push_back(before);
    }
    return added;
  }

  int resolve(Search& search, size_t module, const Dependency& dependency) {
    if (std::optional<int> found = find(search, module, dependency.name))
      return *found;
    if (dependency.kind == DependencyKind::Weak || dependency.isLazy) {
      search.binding.state = State::Optional;
      return kAbsent;
    }
    if (search.hasUnknownPlaces) {
      search.binding.state = State::Unknown;
      return kElsewhere;
    }
    search.binding.state = State::Missing;
    result.problems.push_back(problemOf(process, module, search));
    return kAbsent;
  }

  int found(Search& search, size_t module, FoundBy how) {
    search.found(process.modules[module], std::move(how));
    return static_cast<int>(module);
  }

  int foundInSystem(Search& search) {
    search.binding.state = State::System;
    search.binding.how = {FoundBy::Kind::PlatformRule, "macOS"};
    return kElsewhere;
  }

  std::optional<int> find(Search& search, size_t requester, llvm::StringRef name) {
    if (std::optional<size_t> loaded = process.findNamed(name))
      return found(search, *loaded, {FoundBy::Kind::AlreadyLoaded});
    std::optional<int> result;
    const bool isFound = tryEach(requester, name, [&](const TriedFile& attempt) {
      bool isSystems =
          attempt.text == name ? isInSharedCache(name) : isFoundInSharedCache(attempt.text);
      if (attempt.isRelative) {
        search.tried(attempt.text, "is relative to the current directory");
      } else if (!attempt.folder && !isSystems) {
        search.hasUnknownPlaces = true;
        search.tried(attempt.text, "not on this machine");
      } else if (attempt.folder) {
        result = tryFile(search, requester, attempt);
      }
      if (!result && isSystems)
        result = foundInSystem(search);
      return result.has_value();
    });
    if (isFound)
      return result;
    // Python's own search paths come last, and those of a Python on another machine are unknown.
    if (name.starts_with(kRpath) && !process.hasExecutable && !process.disk().knowsAbsolutePaths())
      search.hasUnknownPlaces = true;
    return std::nullopt;
  }

  std::optional<int> tryFile(Search& search, size_t requester, const TriedFile& attempt) {
    if (std::optional<size_t> loaded = process.findNamed(attempt.text))
      return found(search, *loaded, {FoundBy::Kind::AlreadyLoaded});
    std::optional<std::string> path =
        attempt.hasNoFolder ? std::nullopt : process.disk().find(*attempt.folder, attempt.rest);
    if (!path) {
      search.tried(attempt.text, "not found");
      return std::nullopt;
    }
    Candidate candidate = open(process, Format::MachO, *path);
    if (std::optional<size_t> same = process.findFile(*candidate.library))
      return found(search, *same, {FoundBy::Kind::AlreadyLoaded});
    if (candidate.outcome != Candidate::Outcome::Good) {
      search.tried(attempt.text, candidate);
      return std::nullopt;
    }
    size_t module = addModule(process, candidate, candidate.library->path, requester);
    checkDuplicates(module);
    return found(search, module, attempt.how());
  }

  /// Returns true when the search is over.
  using Try = llvm::function_ref<bool(const TriedFile&)>;

  /// Tries the files that a name may refer to, in dyld's order.
  bool tryEach(size_t requester, llvm::StringRef name, Try attempt) const {
    if (tryVariable("DYLD_LIBRARY_PATH", name, attempt))
      return true;
    if (name.starts_with(kRpath)) {
      llvm::StringRef rest = name.drop_front(kRpath.size());
      std::optional<size_t> holder = requester;
      for (; holder; holder = process.modules[*holder].loader)
        if (trySearchPaths(*holder, rest, attempt))
          return true;
      if (process.hasExecutable && trySearchPaths(0, rest, attempt))
        return true;
    } else if (attempt(expand(requester, name, {}, FoundBy::Kind::OwnPath,
                              name.starts_with("@") ? name : llvm::StringRef()))) {
      return true;
    }
    constexpr const char* kFallback = "DYLD_FALLBACK_LIBRARY_PATH";
    if (!process.variable(kFallback).trim(':').empty())
      return tryVariable(kFallback, name, attempt);
    if (isBuiltSince(*process.modules[requester].slice, 14, 0))
      return false;
    for (llvm::StringRef folder : {"/usr/local/lib", "/usr/lib"})
      if (attempt(expand(requester, folder, leafOf(name), FoundBy::Kind::Fallback, folder)))
        return true;
    return false;
  }

  bool tryVariable(const char* variable, llvm::StringRef name, Try attempt) const {
    llvm::SmallVector<llvm::StringRef> folders;
    llvm::SplitString(process.variable(variable), folders, ":");
    return llvm::any_of(folders, [&](llvm::StringRef folder) {
      return attempt(expand(0, folder, leafOf(name), FoundBy::Kind::Variable, folder, variable));
    });
  }

  static llvm::StringRef leafOf(llvm::StringRef name) {
    return llvm::sys::path::filename(name, llvm::sys::path::Style::posix);
  }

  bool trySearchPaths(size_t holder, llvm::StringRef rest, Try attempt) const {
    // Trying may add modules, but does not change this one.
    const Module& module = process.modules[holder];
    llvm::StringRef owner = llvm::sys::path::filename(module.path);
    const bool isName = isPlainName(rest);
    for (size_t i = 0; i < module.searchPaths().size(); ++i) {
      const std::string& entry = module.searchPaths()[i];
      if (attempt(isName ? inside(searched(holder, i), rest, entry, owner)
                         : expand(holder, entry, rest, FoundBy::Kind::SearchPath, entry, owner)))
        return true;
    }
    return false;
  }

  static bool isPlainName(llvm::StringRef rest) {
    return !rest.empty() && rest != "." && rest != ".." && !rest.contains('/');
  }

  /// A module's search path entry: expanded once for all names that are looked for in it.
  const SearchedFolder& searched(size_t holder, size_t entry) const {
    if (folders.size() <= holder)
      folders.resize(process.modules.size());
    std::vector<SearchedFolder>& known = folders[holder];
    while (known.size() <= entry) {
      llvm::StringRef path = process.modules[holder].searchPaths()[known.size()];
      TriedFile expanded = expand(holder, path, {}, {}, {});
      SearchedFolder folder{{}, std::move(expanded.text), expanded.isRelative, true};
      if (!path.starts_with("@")) {
        folder.host = process.disk().hostPath(path);
        folder.text = path;
      } else if (expanded.folder) {
        folder.host = process.disk().find(*expanded.folder, expanded.rest);
        folder.exists = folder.host.has_value();
        folder.host = folder.host.value_or(*expanded.folder);
      }
      if (!expanded.folder || !path.starts_with("@") ||
          !llvm::StringRef(folder.text).ends_with("/"))
        folder.text += "/";
      known.push_back(std::move(folder));
    }
    return known[entry];
  }

  static TriedFile inside(const SearchedFolder& folder, llvm::StringRef name, llvm::StringRef entry,
                          llvm::StringRef owner) {
    TriedFile attempt;
    attempt.folder = folder.host;
    attempt.rest = name.str();
    attempt.text = folder.text + attempt.rest;
    attempt.kind = FoundBy::Kind::SearchPath;
    attempt.entry = entry;
    attempt.holder = owner;
    attempt.isRelative = folder.isRelative;
    attempt.hasNoFolder = !folder.exists;
    return attempt;
  }

  /// `path` with its @ prefix replaced, followed by `rest`.
  TriedFile expand(size_t holder, llvm::StringRef path, llvm::StringRef rest, FoundBy::Kind kind,
                   llvm::StringRef entry, llvm::StringRef owner = {}) const {
    TriedFile attempt;
    attempt.kind = kind;
    attempt.entry = entry;
    attempt.holder = owner;
    auto withRest = [&](llvm::StringRef folder) {
      return rest.empty() ? folder.str() : (folder + "/" + rest).str();
    };
    attempt.text = withRest(path);
    llvm::StringRef below = path;
    size_t base = holder;
    if (consumeWord(below, "@executable_path")) {
      if (!process.hasExecutable)
        return attempt;
      base = 0;
    } else if (!consumeWord(below, "@loader_path")) {
      attempt.isRelative = !path.starts_with("/");
      attempt.folder = process.disk().hostPath(path);
      attempt.rest = rest.str();
      if (attempt.folder && rest.empty()) {
        attempt.rest = llvm::sys::path::filename(*attempt.folder).str();
        attempt.folder->resize(llvm::sys::path::parent_path(*attempt.folder).size());
      }
      return attempt;
    }
    attempt.folder = llvm::sys::path::parent_path(process.modules[base].path).str();
    attempt.rest = withRest(below);
    llvm::SmallString<256> whole(*attempt.folder);
    whole += attempt.rest;
    llvm::sys::path::remove_dots(whole, /*remove_dot_dot=*/true);
    attempt.text = process.disk().targetPath(whole);
    return attempt;
  }

  static bool consumeWord(llvm::StringRef& path, llvm::StringRef word) {
    llvm::StringRef rest = path;
    if (!rest.consume_front(word) || (!rest.empty() && rest.front() != '/'))
      return false;
    path = rest;
    return true;
  }

  /// Duplicate entries are fatal for images built with recent SDKs.
  void checkDuplicates(size_t index) {
    const Module& module = process.modules[index];
    auto report = [&](LoadProblem::Code code, const char* kind, const std::string& text) {
      LoadProblem problem;
      problem.code = code;
      problem.library = module.path;
      problem.dependency = text;
      problem.message = describeRequester(process, index) + " has " + kind + " " + text +
                        " twice, which dyld rejects";
      result.problems.push_back(std::move(problem));
    };
    std::set<std::string> seen;
    if (isBuiltSince(*module.slice, 15, 4))
      for (const std::string& path : module.searchPaths())
        if (!seen.insert(path).second)
          return report(LoadProblem::Code::DuplicateEntry, "LC_RPATH", path);
    seen.clear();
    if (isBuiltSince(*module.slice, 26, 0))
      for (const Dependency& dependency : module.dependencies())
        if (!seen.insert(dependency.name).second)
          return report(LoadProblem::Code::DuplicateDependency, "dependency", dependency.name);
  }

  static constexpr size_t kUsualBindings = 16;

  Process& process;
  LoadResult& result;
  size_t firstNew;
  mutable std::vector<std::vector<SearchedFolder>> folders; ///< by module and entry
};

} // namespace

LoadResult loadByDyld(Process& process, const std::string& hostPath) {
  LoadResult result;
  Dyld(process, result).run(hostPath);
  return result;
}

} // namespace tcfix::resolve
