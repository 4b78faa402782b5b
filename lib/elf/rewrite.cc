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

/// Everything that was decided, to be put into bytes.
struct Decision {
  const Model& model;
  llvm::ArrayRef<NeededFile> needed;
  DynamicPlan plan;
  StringRoom room;
  Layout layout;
};

void putPieces(Rewrite& rewrite, const Layout& layout) {
  for (const Piece& piece : layout.pieces)
    if (piece.isCopied)
      rewrite.moves.push_back({piece.oldOffset, piece.newOffset, piece.oldSize, piece.reason});
  rewrite.newSize = layout.fileSize;
}

void putHeaders(Rewrite& rewrite, Bytes original, const Decision& decision) {
  const Model& model = decision.model;
  const Layout& layout = decision.layout;
  FileHeader header = model.header;
  header.phnum = layout.segments.size();
  put(rewrite, original, 0, encode(model.flavor, header, original), "one more program header");
  for (const auto& [index, segment] : llvm::enumerate(layout.segments))
    put(rewrite, original, header.phoff + index * segmentSize(model.flavor),
        encode(model.flavor, segment), layout.segmentReason);
  for (const auto& [index, section] : llvm::enumerate(layout.sections))
    put(rewrite, original, header.shoff + index * sectionSize(model.flavor),
        encode(model.flavor, section), "the section header follows");
}

/// Entries whose value is an address follow what they point to.
uint64_t followed(const Decision& decision, const Slot& slot, size_t index) {
  const Layout& layout = decision.layout;
  if (slot.tag == DT_STRSZ)
    return layout.stringsSize;
  for (const Piece& piece : layout.pieces)
    if (piece.tag && piece.tag == slot.tag && piece.oldAddress == slot.value)
      return piece.newAddress;
  // This one is relative to its own place.
  if (slot.tag == DT_MIPS_RLD_MAP_REL && decision.model.header.machine == EM_MIPS && slot.from) {
    uint64_t size = dynamicSize(decision.model.flavor);
    uint64_t before = decision.model.segments[*decision.model.dynamicSegment].vaddr;
    return slot.value + (before + *slot.from * size) - (layout.dynamicAddress + index * size);
  }
  return slot.value;
}

void putDynamic(Rewrite& rewrite, Bytes original, Decision& decision) {
  const Layout& layout = decision.layout;
  Flavor flavor = decision.model.flavor;
  for (uint64_t i = 0; i < layout.dynamicSlots; ++i) {
    DynamicEntry entry{DT_NULL, 0};
    std::string reason = "the dynamic section ends here";
    if (i < decision.plan.slots.size()) {
      const Slot& slot = decision.plan.slots[i];
      entry = {slot.tag, slot.text ? decision.room.place(*slot.text) : followed(decision, slot, i)};
      reason = slot.text ? "refers to " + *slot.text : "dynamic entry " + hex(slot.tag);
    } else if (i >= std::max(decision.model.usedSlots, decision.plan.slots.size() + 1)) {
      continue; // spare before and after
    }
    put(rewrite, original, layout.dynamicOffset + i * dynamicSize(flavor), encode(flavor, entry),
        reason);
  }
}

void putStrings(Rewrite& rewrite, Bytes original, const Decision& decision) {
  for (const StringRoom::Write& write : decision.room.writes())
    put(rewrite, original, decision.layout.stringsOffset + write.offset,
        bytesOf({write.text.c_str(), write.text.size() + 1}), "the text " + write.text);
}

void putVersions(Rewrite& rewrite, Bytes original, Decision& decision) {
  for (const auto& [index, file] : llvm::enumerate(decision.needed))
    if (const std::optional<std::string>& name = decision.plan.neededFiles[index])
      put(rewrite, original, decision.layout.placeOf(file.nameField),
          decision.model.flavor.write32(decision.room.place(*name)),
          "symbol versions are those of " + *name);
}

/// Symbols that stand for a section, or for _DYNAMIC, go where their section goes. They are local,
/// so that the first part of each symbol table holds them all.
void putSymbols(Rewrite& rewrite, Bytes original, const Decision& decision) {
  const Model& model = decision.model;
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
                    uint64_t after = decision.layout.sections[symbol.shndx].addr;
                    if (before != after && symbol.value == before)
                      put(rewrite, original,
                          decision.layout.placeOf(table.offset + index * size) +
                              symbolValueAt(model.flavor),
                          model.flavor.writeWord(after), "the symbol of a section that was copied");
                  });
  }
}

/// Every text gets its place before the layout is made, so that the table's size is known.
void placeTexts(StringRoom& room, const DynamicPlan& plan) {
  for (const Slot& slot : plan.slots)
    if (slot.text)
      room.place(*slot.text);
  for (const std::optional<std::string>& name : plan.neededFiles)
    if (name)
      room.place(*name);
}

/// An edit must not break what was whole; what was broken before is not its fault.
llvm::Error checkResult(Bytes original, const Rewrite& rewrite) {
  std::vector<std::string> before = check(original);
  for (const std::string& problem : checkSource(Source(original, rewrite)))
    if (!llvm::is_contained(before, problem))
      return fail(ErrorCode::Conflict, "would not be whole after this edit: " + problem,
                  "the file is damaged, or this is a bug in tcfix: if it loads, please report it");
  return llvm::Error::success();
}

/// A static program links itself and a loader links others: both trip over entries that they do not
/// expect in their own dynamic section.
llvm::Error refuseWhatNobodyLoads(const Model& model) {
  bool hasLoader = llvm::any_of(model.segments,
                                [](const Segment& segment) { return segment.type == PT_INTERP; });
  if (!model.strings || (isProgram(model) && !hasLoader))
    return fail(ErrorCode::Unsupported, "is a static program, which no loader links",
                "only files that a loader links at run time have search paths");
  std::optional<uint64_t> soname = model.find(DT_SONAME);
  llvm::StringRef name = soname ? model.text(*soname) : llvm::StringRef();
  for (llvm::StringRef loader : {"ld-linux", "ld-musl", "ld64.so", "ld.so"})
    if (name.starts_with(loader))
      return fail(ErrorCode::Unsupported, "is the system's loader itself, which none can link");
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
  if (llvm::Error error = refuseWhatNobodyLoads(*model))
    return error;
  llvm::Expected<std::vector<NeededFile>> needed = readNeededVersions(*model);
  if (!needed)
    return needed.takeError();
  llvm::Expected<DynamicPlan> plan = planDynamic(*model, *needed, edits);
  if (!plan)
    return plan.takeError();
  outcome.warnings = plan->warnings;
  if (plan->changes.empty())
    return outcome;
  outcome.changes = plan->changes;
  llvm::Expected<StringRoom> room = StringRoom::measure(*model, *needed, *plan);
  if (!room)
    return room.takeError();
  placeTexts(*room, *plan);
  llvm::Expected<Layout> layout = planLayout(*model, room->size(), plan->slots.size());
  if (!layout)
    return layout.takeError();

  Decision decision{*model, *needed, std::move(*plan), std::move(*room), std::move(*layout)};
  putPieces(outcome.rewrite, decision.layout);
  putHeaders(outcome.rewrite, original, decision);
  putDynamic(outcome.rewrite, original, decision);
  putStrings(outcome.rewrite, original, decision);
  putVersions(outcome.rewrite, original, decision);
  putSymbols(outcome.rewrite, original, decision);
  seal(outcome.rewrite);
  if (llvm::Error error = checkResult(original, outcome.rewrite))
    return error;
  return outcome;
}

} // namespace tcfix::elf
