#include "base/error.h"
#include "elf/check.h"
#include "elf/elf.h"
#include "elf/layout.h"
#include "elf/strings.h"

#include <llvm/ADT/STLExtras.h>

#include <algorithm>

namespace tcfix::elf {

using namespace llvm::ELF;

namespace {

/// Everything needed to write the new file.
struct RewritePlan {
  const Model& model;
  llvm::ArrayRef<NeededFile> needed;
  DynamicPlan dynamic;
  StringAllocator allocator;
  Layout layout;
};

void putPieces(Rewrite& rewrite, const Layout& layout) {
  for (const Piece& piece : layout.pieces)
    if (piece.isCopied)
      rewrite.moves.push_back({piece.oldOffset, piece.newOffset, piece.oldSize, piece.reason});
  rewrite.newSize = layout.fileSize;
}

void putHeaders(Rewrite& rewrite, Bytes original, const RewritePlan& plan) {
  const Model& model = plan.model;
  const Layout& layout = plan.layout;
  FileHeader header = model.header;
  header.phnum = layout.segments.size();
  put(rewrite, original, 0, encode(model.flavor, header, original), "one more program header");
  for (const auto& [index, segment] : llvm::enumerate(layout.segments))
    put(rewrite, original, header.phoff + index * segmentSize(model.flavor),
        encode(model.flavor, segment), layout.segmentReason);
  for (const auto& [index, section] : llvm::enumerate(layout.sections))
    put(rewrite, original, header.shoff + index * sectionSize(model.flavor),
        encode(model.flavor, section), "section header");
}

/// The value of an entry, updated if it is the address of something that moved.
uint64_t updatedValue(const RewritePlan& plan, const Slot& slot, size_t index) {
  const Layout& layout = plan.layout;
  if (slot.tag == DT_STRSZ)
    return layout.stringsSize;
  for (const Piece& piece : layout.pieces)
    if (piece.tag && piece.tag == slot.tag && piece.oldAddress == slot.value)
      return piece.newAddress;
  // This address is relative to the entry itself.
  if (slot.tag == DT_MIPS_RLD_MAP_REL && plan.model.header.machine == EM_MIPS && slot.from) {
    uint64_t size = dynamicSize(plan.model.flavor);
    uint64_t before = plan.model.segments[*plan.model.dynamicSegment].vaddr;
    return slot.value + (before + *slot.from * size) - (layout.dynamicAddress + index * size);
  }
  return slot.value;
}

void putDynamic(Rewrite& rewrite, Bytes original, RewritePlan& plan) {
  const Layout& layout = plan.layout;
  Flavor flavor = plan.model.flavor;
  for (uint64_t i = 0; i < layout.dynamicSlots; ++i) {
    DynamicEntry entry{DT_NULL, 0};
    std::string reason = "end of the dynamic section";
    if (i < plan.dynamic.slots.size()) {
      const Slot& slot = plan.dynamic.slots[i];
      entry = {slot.tag,
               slot.text ? plan.allocator.place(*slot.text) : updatedValue(plan, slot, i)};
      reason = slot.text ? "reference to " + *slot.text : "dynamic entry " + hex(slot.tag);
    } else if (i >= std::max(plan.model.usedSlots, plan.dynamic.slots.size() + 1)) {
      continue; // a spare slot, before and after
    }
    put(rewrite, original, layout.dynamicOffset + i * dynamicSize(flavor), encode(flavor, entry),
        reason);
  }
}

void putStrings(Rewrite& rewrite, Bytes original, const RewritePlan& plan) {
  for (const StringAllocator::Write& write : plan.allocator.writes())
    put(rewrite, original, plan.layout.stringsOffset + write.offset,
        bytesOf({write.text.c_str(), write.text.size() + 1}), "string " + write.text);
}

void putVersions(Rewrite& rewrite, Bytes original, RewritePlan& plan) {
  for (const auto& [index, file] : llvm::enumerate(plan.needed))
    if (const std::optional<std::string>& name = plan.dynamic.neededFiles[index])
      put(rewrite, original, plan.layout.placeOf(file.nameField),
          plan.model.flavor.write32(plan.allocator.place(*name)), "symbol versions of " + *name);
}

/// Section symbols and _DYNAMIC move with their section. They are local, so they are all in the
/// first part of each symbol table.
void putSymbols(Rewrite& rewrite, Bytes original, const RewritePlan& plan) {
  const Model& model = plan.model;
  uint64_t size = symbolSize(model.flavor);
  for (const Section& table : model.sections) {
    if ((table.type != SHT_SYMTAB && table.type != SHT_DYNSYM) || table.entsize != size)
      continue;
    uint64_t locals = std::min<uint64_t>(table.info, table.size / size);
    forEachSymbol(model.flavor, original.slice(table.offset, locals * size),
                  [&](size_t index, const Symbol& symbol) {
                    if (symbol.shndx == SHN_UNDEF || symbol.shndx >= model.sections.size())
                      return;
                    uint64_t before = model.sections[symbol.shndx].addr;
                    uint64_t after = plan.layout.sections[symbol.shndx].addr;
                    if (before != after && symbol.value == before)
                      put(rewrite, original,
                          plan.layout.placeOf(table.offset + index * size) +
                              symbolValueAt(model.flavor),
                          model.flavor.writeWord(after), "symbol of a section that was copied");
                  });
  }
}

/// Places all strings before the layout is planned, so that the size of the table is known.
void placeStrings(StringAllocator& allocator, const DynamicPlan& plan) {
  for (const Slot& slot : plan.slots)
    if (slot.text)
      allocator.place(*slot.text);
  for (const std::optional<std::string>& name : plan.neededFiles)
    if (name)
      allocator.place(*name);
}

/// An edit must not introduce a problem; existing problems do not stop it.
llvm::Error checkResult(Bytes original, const Rewrite& rewrite) {
  std::vector<std::string> before = check(original);
  for (const std::string& problem : checkSource(Source(original, rewrite)))
    if (!llvm::is_contained(before, problem))
      return fail(ErrorCode::Conflict, "would be invalid after this edit: " + problem,
                  "the file is corrupt, or this is a bug in tcfix: if it loads, please report it");
  return llvm::Error::success();
}

/// Static programs and loaders relocate themselves, and fail if their own dynamic section has
/// entries that they do not expect.
llvm::Error refuseStaticAndLoader(const Model& model) {
  bool hasLoader = llvm::any_of(model.segments,
                                [](const Segment& segment) { return segment.type == PT_INTERP; });
  if (!model.strings || (isProgram(model) && !hasLoader))
    return fail(ErrorCode::Unsupported, "is a static program and cannot be edited",
                "only dynamically linked files have search paths");
  std::optional<uint64_t> soname = model.find(DT_SONAME);
  llvm::StringRef name = soname ? model.text(*soname) : llvm::StringRef();
  for (llvm::StringRef loader : {"ld-linux", "ld-musl", "ld64.so", "ld.so"})
    if (name.starts_with(loader))
      return fail(ErrorCode::Unsupported, "is the dynamic loader and cannot be edited");
  return llvm::Error::success();
}

} // namespace

bool isElf(Bytes bytes) {
  return textOf(bytes).take_front(4) == llvm::StringRef(ElfMagic, 4);
}

llvm::Expected<EditOutcome> rewrite(Bytes original, llvm::ArrayRef<Edit> edits) {
  Source source(original);
  llvm::Expected<Model> model = Model::read(source);
  if (!model)
    return model.takeError();
  EditOutcome outcome;
  outcome.rewrite = identityOf(original);
  if (edits.empty())
    return outcome;
  if (llvm::Error error = refuseStaticAndLoader(*model))
    return error;
  llvm::Expected<std::vector<NeededFile>> needed = readNeededVersions(*model);
  if (!needed)
    return needed.takeError();
  llvm::Expected<DynamicPlan> dynamic = planDynamic(*model, *needed, edits);
  if (!dynamic)
    return dynamic.takeError();
  outcome.warnings = dynamic->warnings;
  if (dynamic->changes.empty())
    return outcome;
  outcome.changes = dynamic->changes;
  llvm::Expected<StringAllocator> allocator = StringAllocator::measure(*model, *needed, *dynamic);
  if (!allocator)
    return allocator.takeError();
  placeStrings(*allocator, *dynamic);
  llvm::Expected<Layout> layout = planLayout(*model, allocator->size(), dynamic->slots.size());
  if (!layout)
    return layout.takeError();

  RewritePlan plan{*model, *needed, std::move(*dynamic), std::move(*allocator), std::move(*layout)};
  putPieces(outcome.rewrite, plan.layout);
  putHeaders(outcome.rewrite, original, plan);
  putDynamic(outcome.rewrite, original, plan);
  putStrings(outcome.rewrite, original, plan);
  putVersions(outcome.rewrite, original, plan);
  putSymbols(outcome.rewrite, original, plan);
  seal(outcome.rewrite);
  if (llvm::Error error = checkResult(original, outcome.rewrite))
    return error;
  return outcome;
}

} // namespace tcfix::elf
