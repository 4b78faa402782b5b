#include "elf/appended_segment.h"

#include "base/error.h"
#include "elf/notes.h"
#include "elf/pieces.h"

#include <llvm/ADT/STLExtras.h>

#include <algorithm>

namespace tcfix::elf {

using namespace llvm::ELF;

namespace {

/// The largest page size of Linux on the machine: segments must not share a page.
uint64_t largestPage(uint16_t machine) {
  switch (machine) {
  case EM_AARCH64:
  case EM_PPC:
  case EM_PPC64:
  case EM_MIPS:
  case EM_LOONGARCH:
  case EM_IA_64:
  case EM_ALPHA:
    return 0x10000;
  case EM_SPARC:
  case EM_SPARC32PLUS:
  case EM_SPARCV9:
    return 0x2000;
  default:
    return 0x1000;
  }
}

/// The smallest alignment of the file's own segments, but at least a page. The largest would also
/// work, but `strip` pads the file to it: 2 MB in some libraries.
uint64_t segmentAlignment(const Model& model) {
  uint64_t least = UINT64_MAX;
  for (const Segment& segment : model.segments)
    if (segment.type == PT_LOAD)
      least = std::min(least, segment.align);
  return std::max(least, largestPage(model.header.machine));
}

/// Places the pieces from `offset` on and returns their end. addressPieces() sets the addresses.
uint64_t placePieces(Layout& layout, uint64_t offset) {
  for (Piece& piece : layout.pieces) {
    piece.newOffset = alignUp(offset, piece.align);
    offset = piece.newOffset + piece.newSize;
  }
  return offset;
}

void addressPieces(Layout& layout, const Segment& segment) {
  for (Piece& piece : layout.pieces)
    piece.newAddress = segment.vaddr + (piece.newOffset - segment.offset);
}

/// The loader writes to the dynamic section; everything else is read-only.
uint32_t neededFlags(const Layout& layout) {
  bool hasDynamic = llvm::any_of(
      layout.pieces, [](const Piece& piece) { return piece.sectionType == SHT_DYNAMIC; });
  return hasDynamic ? PF_R | PF_W : PF_R;
}

/// The segment of an earlier edit, if it is no longer at the end of the file (`strip` added
/// something after it) and can be emptied by moving a little more. It must not stay as an empty
/// segment: `strip` would give it a file offset that no loader accepts.
std::optional<size_t> emptyOldSegment(const Model& model, Layout& layout) {
  for (const auto& [index, segment] : llvm::enumerate(model.segments)) {
    bool holdsPiece = llvm::any_of(layout.pieces, [&, &each = segment](const Piece& piece) {
      return overlaps(piece.oldOffset, piece.oldSize, each);
    });
    if (segment.type != PT_LOAD || segment.filesz != segment.memsz || !holdsPiece)
      continue;
    std::optional<std::vector<Piece>> rest = restOf(model, layout, segment);
    if (!rest)
      continue;
    layout.pieces.insert(layout.pieces.begin(), rest->begin(), rest->end());
    return index;
  }
  return std::nullopt;
}

/// The value of a PT_NOTE header: none if PT_GNU_PROPERTY covers the same note, and the most if it
/// is the build ID, which debuggers look for. The note's section stays in any case.
int valueOfNote(const Model& model, const Segment& note) {
  for (const Segment& segment : model.segments)
    if (segment.type == PT_GNU_PROPERTY && segment.offset == note.offset)
      return 0;
  return findBuildId(model, note.offset, note.filesz) ? 2 : 1;
}

std::optional<size_t> findReplaceableHeader(const Model& model) {
  std::optional<size_t> best;
  int bestValue = 0;
  for (const auto& [index, segment] : llvm::enumerate(model.segments)) {
    if (segment.type == PT_NULL)
      return index;
    if (segment.type != PT_NOTE)
      continue;
    int value = valueOfNote(model, segment);
    if (!best || value < bestValue) {
      best = index;
      bestValue = value;
    }
  }
  return best;
}

/// Makes room for one more program header after the existing ones.
llvm::Error makeHeaderRoom(const Model& model, Layout& layout) {
  uint64_t begin = model.header.phoff + model.segments.size() * segmentSize(model.flavor);
  uint64_t end = begin + segmentSize(model.flavor);
  auto refuse = [](const std::string& why) {
    return fail(ErrorCode::NoRoom,
                "no room for another program header, and no PT_NOTE to replace: " + why,
                "relink the library with --build-id or with a longer search path");
  };
  if (model.sections.empty())
    return refuse(
        "without section headers, the use of the bytes after the program headers is unknown");
  bool isMapped = llvm::any_of(model.segments, [&](const Segment& segment) {
    return segment.type == PT_LOAD && segment.offset <= model.header.phoff &&
           end <= segment.offset + segment.filesz;
  });
  if (!isMapped || model.segments.size() + 1 >= kTooManySegments)
    return refuse("the program headers are not loaded");
  if (model.header.shoff < end && model.header.shoff + 1 > begin)
    return refuse("the section headers follow them");
  for (const Section& section : model.sections) {
    if (section.type == SHT_NOBITS || section.size == 0)
      continue;
    if ((section.flags & SHF_ALLOC) && model.offsetOf(section.addr, section.size) != section.offset)
      return refuse("the section headers do not match the segments");
    if (section.offset >= end || section.offset + section.size <= begin)
      continue;
    if (isMoving(layout, section.offset))
      continue;
    if (!canMove(model, section))
      return refuse("the section at " + hex(section.offset) + " cannot be moved");
    layout.pieces.insert(layout.pieces.begin(), pieceOf(model, section));
  }
  return llvm::Error::success();
}

/// Inserts the new segment, which has the highest address, after all PT_LOAD headers; those between
/// `slot` and the last one move up. Other entries stay.
void insertSegment(std::vector<Segment>& segments, size_t slot, const Segment& appended) {
  for (size_t i = slot + 1; i < segments.size(); ++i)
    if (segments[i].type == PT_LOAD) {
      segments[slot] = segments[i];
      slot = i;
    }
  segments[slot] = appended;
}

} // namespace

std::optional<size_t> findSegmentAtEnd(const Model& model) {
  std::optional<size_t> last;
  for (const auto& [index, segment] : llvm::enumerate(model.segments))
    if (segment.type == PT_LOAD)
      last = index;
  const Segment& segment = model.segments[*last];
  // patchelf leaves a few bytes after it.
  bool endsFile = holdsOnlyPadding(model, segment.offset + segment.filesz, model.source->size());
  return endsFile && segment.filesz == segment.memsz ? last : std::nullopt;
}

llvm::Error placeAtEnd(const Model& model, Layout& layout) {
  std::optional<size_t> last = findSegmentAtEnd(model);
  Layout emptied = layout;
  std::optional<size_t> slot = emptyOldSegment(model, emptied);
  if (slot && slot != last)
    layout.pieces = emptied.pieces;
  uint32_t flags = neededFlags(layout);
  if (last && (!slot || slot == last)) {
    Segment& segment = layout.segments[*last];
    uint64_t end = placePieces(layout, model.source->size());
    bool isExecutable = segment.flags & PF_X;
    if (!(isExecutable && (flags & PF_W)) &&
        segment.vaddr <= model.flavor.limit() - (end - segment.offset)) {
      segment.filesz = segment.memsz = end - segment.offset;
      segment.flags |= flags;
      addressPieces(layout, segment);
      layout.fileSize = end;
      layout.segmentReason = "the last segment grows to include the appended data";
      return llvm::Error::success();
    }
  }

  if (!slot)
    slot = findReplaceableHeader(model);
  if (!slot) {
    if (llvm::Error error = makeHeaderRoom(model, layout))
      return error;
    slot = layout.segments.size();
    layout.segments.emplace_back();
    for (Segment& segment : layout.segments)
      if (segment.type == PT_PHDR)
        segment.filesz = segment.memsz = layout.segments.size() * segmentSize(model.flavor);
  }
  constexpr uint64_t kPieceAlignment = 8; // of the first piece
  uint64_t begin = alignUp(model.source->size(), kPieceAlignment);
  uint64_t end = placePieces(layout, begin);
  uint64_t align = segmentAlignment(model);
  uint64_t top = 0;
  for (const auto& [index, segment] : llvm::enumerate(model.segments))
    if (segment.type == PT_LOAD && index != *slot)
      top = std::max(top, segment.vaddr + segment.memsz);
  // The gap is in addresses only: the file needs no padding, whatever the alignment. eu-elflint
  // assumes that a relocation writes as many bytes as its symbol is long, and complains if these
  // bytes reach a read-only segment; none is large enough to cross this distance.
  constexpr uint64_t kDistance = 1u << 20, kMaxAlignment = 1u << 30;
  uint64_t space = kDistance + 2 * align + (end - begin);
  if (align > kMaxAlignment || end > model.flavor.limit() || space > model.flavor.limit() ||
      top > model.flavor.limit() - space)
    return fail(ErrorCode::NoRoom, "no room for another segment in the address space");
  Segment appended;
  appended.type = PT_LOAD;
  appended.flags = flags;
  appended.offset = begin;
  appended.vaddr = appended.paddr = alignUp(top + kDistance, align) + begin % align;
  appended.filesz = appended.memsz = end - begin;
  appended.align = align;
  addressPieces(layout, appended);
  insertSegment(layout.segments, *slot, appended);
  layout.fileSize = end;
  layout.segmentReason = "a segment for the appended data";
  return llvm::Error::success();
}

} // namespace tcfix::elf
