#include "resolve/explain.h"
#include "resolve/library_file.h"

#include <shared_mutex>

namespace tcfix::resolve {

struct LibraryStore::State {
  explicit State(io::TargetDisk disk) : disk(std::move(disk)) {}

  io::TargetDisk disk; ///< caches results: a store is a snapshot
  std::shared_mutex mutex;
  std::map<std::string, std::shared_ptr<Library>> libraries; ///< by real path
  std::map<std::string, Library*> known;                     ///< by path, as requested
  std::map<std::string, Bytes> replacements;                 ///< by real path
};

LibraryStore::LibraryStore(const io::TargetDisk& disk)
    : state(std::make_unique<State>(disk.isRemembering() ? disk : disk.remembering())) {}

LibraryStore::~LibraryStore() = default;
LibraryStore::LibraryStore(LibraryStore&&) noexcept = default;

LibraryStore LibraryStore::after(llvm::ArrayRef<std::string> writtenHostPaths) const {
  LibraryStore next(state->disk.remembering());
  next.state->libraries = state->libraries;
  for (const std::string& path : writtenHostPaths)
    for (const io::TargetDisk* disk : {&state->disk, &next.state->disk}) // may have been a link
      next.state->libraries.erase(disk->realPath(path).value_or(path));
  return next;
}

const io::TargetDisk& LibraryStore::disk() const {
  return state->disk;
}

llvm::Expected<const Image*> LibraryStore::image(const std::string& hostPath) {
  const Library& library = open(hostPath);
  if (library.problem)
    return toError({library.problem->code, library.problem->message, {}, library.problem->hint});
  return &library.image;
}

const Image* LibraryStore::judgedImage(const std::string& hostPath) {
  const Library& library = open(hostPath);
  if (library.problem || library.image.format != Format::MachO)
    return library.problem ? nullptr : &library.image;
  std::lock_guard lock(library.mutex);
  if (!library.judged) {
    llvm::Expected<Image> image = formats::inspect(library.bytes);
    if (image)
      library.judged = std::move(*image);
    else
      llvm::consumeError(image.takeError()); // image() reports it
  }
  return library.judged ? &*library.judged : nullptr;
}

std::shared_ptr<const io::InputFile> LibraryStore::file(const std::string& hostPath) {
  return open(hostPath).file;
}

void LibraryStore::close(const std::string& hostPath) {
  std::shared_ptr<const io::InputFile> file; // closed outside the lock
  std::lock_guard lock(state->mutex);
  if (auto known = state->known.find(hostPath); known != state->known.end())
    file = std::move(known->second->file);
}

void LibraryStore::replace(const std::string& hostPath, Bytes bytes) {
  std::lock_guard lock(state->mutex);
  state->replacements[state->disk.realPath(hostPath).value_or(hostPath)] = bytes;
}

const Library& LibraryStore::open(const std::string& hostPath) {
  Library* library = nullptr;
  std::optional<Bytes> replacement;
  auto find = [&] {
    auto known = state->known.find(hostPath);
    if (known == state->known.end())
      return false;
    library = known->second;
    if (auto it = state->replacements.find(library->path); it != state->replacements.end())
      replacement = it->second;
    return true;
  };
  bool isKnown = false;
  {
    std::shared_lock lock(state->mutex); // most calls are for the same few libraries
    isKnown = find();
  }
  if (!isKnown) {
    std::lock_guard lock(state->mutex);
    std::string real = state->disk.realPath(hostPath).value_or(hostPath);
    std::shared_ptr<Library>& entry = state->libraries[real];
    if (!entry) {
      entry = std::make_shared<Library>();
      entry->path = real;
    }
    state->known[hostPath] = entry.get();
    find();
  }
  // Outside the lock, so that threads can read different libraries in parallel. std::call_once
  // would call the system for each of them.
  if (!library->isRead.load(std::memory_order_acquire)) {
    std::lock_guard lock(library->reading);
    if (!library->isRead.load(std::memory_order_relaxed)) {
      library->read(state->disk, replacement);
      library->isRead.store(true, std::memory_order_release);
    }
  }
  return *library;
}

void Library::read(const io::TargetDisk& disk, std::optional<Bytes> replacement) {
  if (replacement) {
    bytes = *replacement;
  } else {
    llvm::Expected<io::InputFile> opened = disk.open(path);
    if (!opened) {
      problem = toProblem(opened.takeError(), path);
      return;
    }
    file = std::make_shared<const io::InputFile>(std::move(*opened));
    bytes = file->bytes();
  }
  llvm::Expected<Image> inspected =
      formats::inspect(bytes, {.withSymbols = false, .isThorough = false});
  llvm::Error unread = inspected.takeError();
  // Only an error needs the second look: what is written is checked again before.
  if (file && (unread || file->isTorn()))
    unread = file->checkWhole(std::move(unread));
  if (unread)
    problem = toProblem(std::move(unread), path);
  else
    image = std::move(*inspected);
}

const MissingByDependency&
Library::missing(SymbolQuery query, llvm::function_ref<MissingByDependency()> compute) const {
  {
    std::lock_guard lock(mutex);
    if (auto known = queries.find(query); known != queries.end())
      return *known->second;
  }
  auto made = std::make_unique<const MissingByDependency>(compute());
  std::lock_guard lock(mutex);
  return *queries.try_emplace(std::move(query), std::move(made)).first->second;
}

bool Library::isKnownToBind(const std::vector<const void*>& providers,
                            const llvm::DenseSet<const void*>& tables) const {
  std::lock_guard lock(mutex);
  auto known = binders.find(providers);
  return known != binders.end() &&
         llvm::any_of(known->second, [&](llvm::ArrayRef<const void*> all) {
           return llvm::all_of(all, [&](const void* one) { return tables.contains(one); });
         });
}

void Library::keepBinders(const std::vector<const void*>& providers,
                          std::vector<const void*> all) const {
  std::lock_guard lock(mutex);
  binders[providers].push_back(std::move(all));
}

Library::Table& Library::table(const std::string& arch) const {
  auto [entry, isNew] = tables.try_emplace(arch);
  if (isNew)
    entry->second.symbols =
        llvm::expectedToOptional(formats::openSymbols(bytes, arch)).value_or(nullptr);
  return entry->second;
}

const SymbolTable* Library::symbols(const std::string& arch) const {
  std::lock_guard lock(mutex);
  return table(arch).symbols.get();
}

void Library::findEach(
    const std::string& arch, llvm::ArrayRef<NeededSymbol> wanted,
    llvm::function_ref<void(const NeededSymbol&, const SymbolLookup&)> report) const {
  using Kind = SymbolLookup::Kind;
  // A library that needs more is part of torch, and no other one needs the same.
  constexpr size_t kMostCached = 512;
  const SymbolTable* symbols = this->symbols(arch);
  if (wanted.size() > kMostCached) {
    symbols->findEach(wanted, report);
    return;
  }
  std::vector<SymbolLookup> found(wanted.size());
  std::vector<NeededSymbol> unknown;
  std::vector<size_t> places; // of the unknown ones
  {
    std::lock_guard lock(mutex);
    const Table& known = table(arch);
    for (size_t i = 0; i < wanted.size(); ++i)
      if (auto it = known.isDefined.find(wanted[i].name); it != known.isDefined.end()) {
        found[i].kind = it->second ? Kind::Defined : Kind::Absent;
      } else {
        unknown.push_back(wanted[i]);
        places.push_back(i);
      }
  }
  size_t next = 0;
  symbols->findEach(unknown, [&](const NeededSymbol&, const SymbolLookup& lookup) {
    found[places[next++]] = lookup;
  });
  {
    std::lock_guard lock(mutex);
    Table& known = table(arch);
    for (size_t i : places)
      if (found[i].kind != Kind::Forwarded)
        known.isDefined.try_emplace(wanted[i].name, found[i].kind == Kind::Defined);
  }
  for (size_t i = 0; i < wanted.size(); ++i)
    report(wanted[i], found[i]);
}

llvm::StringSet<> Library::exportedScopes(const llvm::StringSet<>& wanted) const {
  std::lock_guard lock(mutex);
  size_t known = scopes.size();
  for (const auto& scope : wanted)
    scopes.try_emplace(scope.getKey(), false);
  if (scopes.size() > known) {
    llvm::Expected<Image> all = formats::inspect(bytes, {.withSymbols = true, .isThorough = false});
    if (!all) {
      llvm::consumeError(all.takeError()); // not fatal: only the explanation is less detailed
      return {};
    }
    for (const std::string& symbol : all->slices.front().exports)
      for (llvm::StringRef scope : scopesOf(symbol))
        if (auto asked = scopes.find(scope); asked != scopes.end())
          asked->second = true;
  }
  llvm::StringSet<> shared;
  for (const auto& scope : wanted)
    if (scopes.lookup(scope.getKey()))
      shared.insert(scope.getKey());
  return shared;
}

llvm::ArrayRef<NeededSymbol> Library::needed(const std::string& arch) const {
  std::lock_guard lock(mutex);
  Table& known = table(arch);
  if (!known.needed && known.symbols)
    known.needed = llvm::expectedToOptional(known.symbols->needed());
  if (!known.needed)
    known.needed.emplace();
  return *known.needed;
}

} // namespace tcfix::resolve
