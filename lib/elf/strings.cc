#include "elf/strings.h"

#include "base/error.h"

#include <llvm/ADT/STLExtras.h>

namespace tcfix::elf {

using namespace llvm::ELF;

namespace {

/// Tags of the gABI, of glibc and of common linkers. Others may refer to the string table in
/// unknown ways.
bool isKnownTag(uint64_t tag) {
  constexpr uint64_t kLastGeneric = 38; // DT_RELRENT + 1 in <elf.h>
  switch (tag) {
  case DT_GNU_HASH:
  case DT_VERSYM:
  case DT_RELACOUNT:
  case DT_RELCOUNT:
  case DT_FLAGS_1:
  case DT_VERDEF:
  case DT_VERDEFNUM:
  case DT_VERNEED:
  case DT_VERNEEDNUM:
  case DT_TLSDESC_PLT:
  case DT_TLSDESC_GOT:
  case 0x70000001: // DT_AARCH64_BTI_PLT and other processors' flags and addresses
  case 0x70000003:
  case 0x70000005:
    return true;
  default:
    return tag <= kLastGeneric || isText(tag);
  }
}

bool areReadersKnown(const Model& model) {
  for (const DynamicEntry& entry : model.entries())
    if (!isKnownTag(entry.tag))
      return false;
  std::optional<size_t> strings = model.findSection(SHT_STRTAB, model.strings->address);
  for (const Section& section : model.sections) {
    bool isKnown = section.type == SHT_DYNSYM || section.type == SHT_DYNAMIC ||
                   section.type == SHT_GNU_verneed || section.type == SHT_GNU_verdef;
    if (strings && section.link == *strings && !isKnown)
      return false;
  }
  return true;
}

/// Whether a section header confirms the size of the table. Without one, bytes that seem unused may
/// belong to something else.
bool isExtentConfirmed(const Model& model) {
  std::optional<size_t> section = model.findSection(SHT_STRTAB, model.strings->address);
  return section && model.sections[*section].size == model.strings->bytes.size();
}

/// Nothing else may be inside the table.
llvm::Error checkAlone(const Model& model) {
  uint64_t begin = model.strings->address, size = model.strings->bytes.size();
  for (const DynamicEntry& entry : model.entries())
    if (isAddress(entry.tag) && entry.tag != DT_STRTAB && entry.value > begin &&
        entry.value - begin < size)
      return malformed("the dynamic string table overlaps what dynamic entry " + hex(entry.tag) +
                       " points to");
  return llvm::Error::success();
}

/// The strings that an edit can replace.
std::vector<uint64_t> replaceableStrings(const Model& model, llvm::ArrayRef<NeededFile> needed) {
  std::vector<uint64_t> offsets;
  for (const DynamicEntry& entry : model.entries())
    if (isText(entry.tag))
      offsets.push_back(entry.value);
  for (const NeededFile& file : needed)
    offsets.push_back(file.name);
  return offsets;
}

} // namespace

StringAllocator::StringAllocator(Bytes table) : table(table), newSize(table.size()) {
  inUse.resize(table.size());
}

llvm::Expected<StringAllocator> StringAllocator::measure(const Model& model,
                                                         llvm::ArrayRef<NeededFile> needed,
                                                         const DynamicPlan& plan) {
  constexpr uint64_t kMaxSize = 1u << 30; // far above any real one; llvm::BitVector counts in ints
  if (model.strings->bytes.size() > kMaxSize)
    return fail(ErrorCode::Unsupported, "the dynamic string table is larger than 1 GiB");
  if (llvm::Error error = checkAlone(model))
    return error;
  StringAllocator allocator(model.strings->bytes);
  llvm::Expected<std::optional<uint64_t>> count = countSymbols(model);
  if (!count)
    return count.takeError();
  llvm::Expected<Bytes> symbols = symbolBytes(model);
  if (!symbols)
    return symbols.takeError();
  llvm::Expected<std::vector<DefinedVersion>> defined = readDefinedVersions(model);
  if (!defined)
    return defined.takeError();

  forEachSymbol(model.flavor, *symbols,
                [&](size_t, const Symbol& symbol) { allocator.use(symbol.name); });
  allocator.use(0);
  for (const Slot& slot : plan.slots)
    if (isText(slot.tag) && !slot.text)
      allocator.use(slot.value);
  for (const auto& [index, file] : llvm::enumerate(needed)) {
    if (!plan.neededFiles[index])
      allocator.use(file.name);
    for (const VersionNeed& version : file.versions)
      allocator.use(version.name);
  }
  for (const DefinedVersion& version : *defined)
    for (uint64_t name : version.names)
      allocator.use(name);
  if (!*count || !areReadersKnown(model))
    allocator.inUse.set();
  else if (!isExtentConfirmed(model))
    allocator.freeOnly(replaceableStrings(model, needed));
  return allocator;
}

/// Marks everything as used except `offsets`, the strings that may be overwritten.
void StringAllocator::freeOnly(llvm::ArrayRef<uint64_t> offsets) {
  llvm::BitVector free(table.size());
  for (uint64_t offset : offsets)
    for (; !inUse.test(offset); ++offset) {
      free.set(offset);
      if (table[offset] == 0)
        break;
    }
  inUse = free.flip();
}

void StringAllocator::use(uint64_t offset) {
  // Stop where the string shares its tail with one already seen.
  for (; !inUse.test(offset); ++offset) {
    inUse.set(offset);
    if (table[offset] == 0)
      return;
  }
}

uint64_t StringAllocator::place(const std::string& text) {
  for (const Write& write : placed)
    if (write.text == text)
      return write.offset;
  llvm::StringRef wanted(text.c_str(), text.size() + 1);
  llvm::StringRef all = textOf(table);
  auto isKept = [&](size_t at) {
    return inUse.find_first_unset_in(at, at + wanted.size()) == -1 &&
           llvm::none_of(placed, [&](const Write& write) {
             return write.offset < at + wanted.size() && at <= write.offset + write.text.size();
           });
  };
  for (size_t at = all.find(wanted); at != llvm::StringRef::npos; at = all.find(wanted, at + 1))
    if (isKept(at))
      return at;

  uint64_t end = inUse.find_last() + 1;
  uint64_t offset = end;
  for (int begin = inUse.find_first_unset(); begin != -1 && uint64_t(begin) < end;) {
    int next = inUse.find_next(begin);
    if (uint64_t(next - begin) >= wanted.size()) {
      offset = begin;
      break;
    }
    begin = inUse.find_next_unset(next);
  }
  newSize = std::max<uint64_t>(newSize, offset + wanted.size());
  inUse.resize(newSize);
  inUse.set(offset, offset + wanted.size());
  placed.push_back({offset, text});
  return offset;
}

} // namespace tcfix::elf
