#include "elf/symbol_table.h"

#include "elf/hash_table.h"
#include "elf/versions.h"

#include <llvm/ADT/STLExtras.h>

#include <map>
#include <mutex>
#include <set>

namespace tcfix::elf {

using namespace llvm::ELF;

namespace {

class ElfSymbols : public SymbolTable {
public:
  explicit ElfSymbols(Bytes bytes) : source(bytes) {}

  llvm::Error read();
  llvm::Expected<std::vector<NeededSymbol>> needed() const override;
  SymbolLookup find(const NeededSymbol& wanted) const override;
  llvm::ArrayRef<NeededVersion> neededVersions() const override { return versionNeeds; }
  bool accepts(llvm::StringRef version) const override;
  bool isReferenced(const NeededSymbol& symbol) const override;

private:
  void readNeeds(llvm::ArrayRef<NeededFile> files);
  std::optional<Symbol> symbolAt(uint64_t index) const;
  uint16_t versionAt(uint64_t index) const;
  bool isOffered(const Symbol& symbol) const;
  void readReferences() const;

  Source source;
  Model model;
  HashTable hashes;
  Bytes symbols;  ///< from DT_SYMTAB to the segment's end, since their number is not recorded
  Bytes versions; ///< from DT_VERSYM, likewise
  std::map<uint16_t, size_t> needByIndex;             ///< into versionNeeds
  std::map<uint16_t, llvm::StringRef> definedByIndex; ///< without the base version
  std::vector<NeededVersion> versionNeeds;
  bool definesVersions = false;
  mutable std::once_flag areReferencesRead;
  mutable std::set<llvm::StringRef> references; ///< the names that relocations refer to
  mutable bool hasRelocations = false;
};

llvm::Error ElfSymbols::read() {
  llvm::Expected<Model> readModel = Model::read(source);
  if (!readModel)
    return readModel.takeError();
  model = std::move(*readModel);
  llvm::Expected<HashTable> readHashes = HashTable::read(model);
  if (!readHashes)
    return readHashes.takeError();
  hashes = *readHashes;
  if (std::optional<uint64_t> address = model.find(DT_SYMTAB))
    symbols = model.readFrom(*address);
  if (std::optional<uint64_t> address = model.find(DT_VERSYM))
    versions = model.readFrom(*address);
  llvm::Expected<std::vector<NeededFile>> files = readNeededVersions(model);
  if (!files)
    return files.takeError();
  readNeeds(*files);
  llvm::Expected<std::vector<DefinedVersion>> defined = readDefinedVersions(model);
  if (!defined)
    return defined.takeError();
  definesVersions = !defined->empty();
  for (const DefinedVersion& version : *defined)
    if (!(version.flags & VER_FLG_BASE) && !version.names.empty())
      definedByIndex[version.index & VERSYM_VERSION] = model.text(version.names.front());
  return llvm::Error::success();
}

void ElfSymbols::readNeeds(llvm::ArrayRef<NeededFile> files) {
  std::vector<llvm::StringRef> dependencies;
  for (const DynamicEntry& entry : model.entries())
    if (entry.tag == DT_NEEDED)
      dependencies.push_back(model.text(entry.value));
  for (const NeededFile& file : files) {
    llvm::StringRef library = model.text(file.name);
    std::optional<size_t> dependency;
    if (auto it = llvm::find(dependencies, library); it != dependencies.end())
      dependency = it - dependencies.begin();
    for (const VersionNeed& version : file.versions) {
      needByIndex[version.index & VERSYM_VERSION] = versionNeeds.size();
      versionNeeds.push_back(
          {library, dependency, model.text(version.name), (version.flags & VER_FLG_WEAK) != 0});
    }
  }
}

std::optional<Symbol> ElfSymbols::symbolAt(uint64_t index) const {
  uint64_t size = symbolSize(model.flavor);
  if (!model.strings || index >= symbols.size() / size)
    return std::nullopt;
  Symbol symbol;
  forEachSymbol(model.flavor, symbols.slice(index * size, size),
                [&](size_t, const Symbol& read) { symbol = read; });
  return symbol.name < model.strings->bytes.size() ? std::optional<Symbol>(symbol) : std::nullopt;
}

/// The entry in DT_VERSYM; 1 (global, no version) in a file without it.
uint16_t ElfSymbols::versionAt(uint64_t index) const {
  return index < versions.size() / 2 ? model.flavor.read16(versions.data() + index * 2)
                                     : uint16_t(VER_NDX_GLOBAL);
}

bool ElfSymbols::isOffered(const Symbol& symbol) const {
  uint8_t type = symbol.info & 0xf;
  if (symbol.shndx == SHN_UNDEF ||
      (symbol.value == 0 && symbol.shndx != SHN_ABS && type != STT_TLS))
    return false;
  return symbol.binding() != STB_LOCAL &&
         (symbol.visibility() == STV_DEFAULT || symbol.visibility() == STV_PROTECTED);
}

llvm::Expected<std::vector<NeededSymbol>> ElfSymbols::needed() const {
  std::vector<NeededSymbol> result;
  // With a GNU hash table, only the undefined symbols need to be read: they come first.
  std::optional<uint64_t> end = hashes.firstDefined();
  if (!end) {
    llvm::Expected<std::optional<uint64_t>> count = countSymbols(model);
    if (!count)
      return count.takeError();
    end = count->value_or(0);
  }
  for (uint64_t index = 1; index < *end; ++index) {
    std::optional<Symbol> symbol = symbolAt(index);
    if (!symbol)
      return malformed("the dynamic symbol table is too small for its " + std::to_string(*end) +
                       " symbols");
    if (symbol->shndx != SHN_UNDEF || symbol->binding() == STB_LOCAL || symbol->name == 0)
      continue;
    NeededSymbol wanted;
    wanted.name = model.text(symbol->name);
    wanted.hash = gnuHashOf(wanted.name);
    wanted.isOptional = symbol->binding() == STB_WEAK;
    if (auto need = needByIndex.find(versionAt(index) & VERSYM_VERSION);
        need != needByIndex.end()) {
      wanted.version = versionNeeds[need->second].name;
      wanted.dependency = versionNeeds[need->second].dependency;
    }
    result.push_back(wanted);
  }
  return result;
}

/// check_match() of elf/dl-lookup.c.
SymbolLookup ElfSymbols::find(const NeededSymbol& wanted) const {
  bool isFound = false;
  unsigned visibleVersions = 0;
  hashes.forEachCandidate(wanted.name, wanted.hash, [&](uint64_t index) {
    std::optional<Symbol> symbol = symbolAt(index);
    if (!symbol || model.text(symbol->name) != wanted.name || !isOffered(*symbol))
      return false;
    if (versions.empty())
      return isFound = true;
    uint16_t version = versionAt(index);
    bool isHidden = (version & VERSYM_HIDDEN) != 0;
    version &= VERSYM_VERSION;
    if (!wanted.version.empty()) {
      auto defined = definedByIndex.find(version);
      return isFound =
                 defined == definedByIndex.end() ? !isHidden : defined->second == wanted.version;
    }
    // Without a version, the base version matches, or the only one that is not hidden.
    if (version < 3)
      return isFound = true;
    visibleVersions += !isHidden;
    return false;
  });
  SymbolLookup lookup;
  if (isFound || visibleVersions == 1)
    lookup.kind = SymbolLookup::Kind::Defined;
  lookup.hasNoVersions = isFound && versions.empty() && !wanted.version.empty();
  return lookup;
}

bool ElfSymbols::accepts(llvm::StringRef version) const {
  return !definesVersions || llvm::any_of(definedByIndex, [&](const auto& defined) {
    return defined.second == version;
  });
}

// ld.so looks up what relocations refer to. libstdc++'s headers, for example, record a symbol only
// to link the object that defines it.
bool ElfSymbols::isReferenced(const NeededSymbol& symbol) const {
  std::call_once(areReferencesRead, [this] { readReferences(); });
  return !hasRelocations || references.count(symbol.name);
}

void ElfSymbols::readReferences() const {
  struct Table {
    uint64_t address, size;
    bool hasAddends;
  };
  const bool isPltWithAddends = model.find(DT_PLTREL).value_or(DT_RELA) == DT_RELA;
  for (const auto& [address, size, hasAddends] :
       {Table{DT_RELA, DT_RELASZ, true}, Table{DT_REL, DT_RELSZ, false},
        Table{DT_JMPREL, DT_PLTRELSZ, isPltWithAddends}}) {
    const std::optional<uint64_t> start = model.find(address), length = model.find(size);
    if (!start || !length)
      continue;
    Bytes table = model.readFrom(*start);
    table = table.take_front(std::min<uint64_t>(*length, table.size()));
    const uint64_t word = model.flavor.wordSize(), entry = word * (hasAddends ? 3 : 2);
    std::optional<uint64_t> last; // most symbols have several
    for (; table.size() >= entry; table = table.drop_front(entry)) {
      hasRelocations = true;
      const uint8_t* info = table.data() + word;
      const uint64_t index =
          model.flavor.is64 ? model.flavor.read64(info) >> 32 : model.flavor.read32(info) >> 8;
      if (index == 0 || index == last)
        continue;
      last = index;
      if (const std::optional<Symbol> symbol = symbolAt(index))
        references.insert(model.text(symbol->name));
    }
  }
}

} // namespace

llvm::Expected<std::unique_ptr<SymbolTable>> openSymbols(Bytes bytes) {
  auto symbols = std::make_unique<ElfSymbols>(bytes);
  if (llvm::Error error = symbols->read())
    return error;
  return symbols;
}

} // namespace tcfix::elf
