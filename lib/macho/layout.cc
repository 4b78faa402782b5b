// Where edited load commands and edited slices go in the file.

#include "base/error.h"
#include "macho/commands.h"

#include <llvm/Support/Endian.h>

#include <numeric>

namespace tcfix::macho {

using namespace llvm::MachO;
using llvm::support::endian::write32be;
using llvm::support::endian::write32le;
using llvm::support::endian::write64be;

namespace {

uint64_t sizeOfCommands(llvm::ArrayRef<LoadCommand> commands) {
  uint64_t size = 0;
  for (const LoadCommand& command : commands)
    size += command.bytes.size();
  return size;
}

// The first byte after the load commands that is in use.
uint64_t startOfContent(const FileSlice& slice) {
  uint64_t begin = slice.size;
  for (const Segment& segment : segmentsOf(slice, slice.commands)) {
    if (segment.fileSize == 0)
      continue;
    // The segment that contains the header limits it by its end, the others by their start.
    begin = std::min(begin, segment.fileOffset == 0 ? segment.fileSize : segment.fileOffset);
  }
  for (const Section& section : sectionsOf(slice, slice.commands))
    if (section.isInFile() && section.size > 0)
      begin = std::min(begin, section.fileOffset);
  return begin;
}

} // namespace

uint64_t freeRoom(const FileSlice& slice) {
  uint64_t end = slice.headerSize() + sizeOfCommands(slice.commands);
  uint64_t begin = startOfContent(slice);
  return begin > end ? begin - end : 0;
}

llvm::Expected<Rewrite> layOut(const SliceDraft& draft, Bytes sliceBytes) {
  const FileSlice& slice = *draft.original;
  Rewrite rewrite = identityOf(sliceBytes);
  uint64_t oldSize = sizeOfCommands(slice.commands);
  uint64_t newSize = sizeOfCommands(draft.commands);
  uint64_t room = freeRoom(slice);
  if (newSize > oldSize + room)
    return fail(ErrorCode::NoRoom,
                "not enough header padding: " + std::to_string(newSize - oldSize) +
                    " bytes needed, " + std::to_string(room) + " available",
                "use a shorter path, remove another search path in the same run, or relink the "
                "library with -headerpad_max_install_names");

  // mach_header_64: ncmds at 16, sizeofcmds at 20.
  uint8_t counts[8];
  write32le(counts, static_cast<uint32_t>(draft.commands.size()));
  write32le(counts + 4, static_cast<uint32_t>(newSize));
  put(rewrite, sliceBytes, 16, counts,
      "mach header: " + std::to_string(draft.commands.size()) + " load commands, " +
          std::to_string(newSize) + " bytes");

  uint64_t offset = slice.headerSize();
  for (const LoadCommand& command : draft.commands) {
    std::string reason =
        command.reason.empty() ? kindName(command.kind) + " moves" : command.reason;
    put(rewrite, sliceBytes, offset, command.bytes, reason);
    offset += command.bytes.size();
  }
  uint64_t oldEnd = slice.headerSize() + oldSize;
  if (offset < oldEnd)
    put(rewrite, sliceBytes, offset, ByteVector(oldEnd - offset),
        "padding after the load commands");
  for (const Replacement& table : draft.tables)
    put(rewrite, sliceBytes, table.offset, table.bytes, table.reason);
  rewrite.newSize = std::max(rewrite.newSize, draft.size);
  seal(rewrite);
  return rewrite;
}

llvm::Expected<Rewrite> assemble(Bytes fileBytes, const File& file,
                                 llvm::ArrayRef<Rewrite> slices) {
  if (!file.isUniversal)
    return slices[0];
  Rewrite whole = identityOf(fileBytes);

  // Slices in order of their offset; the table keeps its own order.
  std::vector<size_t> order(file.slices.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return file.slices[a].offset < file.slices[b].offset; });

  uint64_t end = 0;    // of the slices placed so far
  uint64_t oldEnd = 0; // of the slices in the old file
  for (size_t index : order) {
    const FileSlice& slice = file.slices[index];
    const Rewrite& change = slices[index];
    uint64_t place = slice.offset;
    std::string reason = "slice " + slice.arch;
    if (place < end) {
      place = alignUp(end, uint64_t(1) << slice.alignment);
      whole.moves.push_back({slice.offset, place, slice.size, reason + " moves"});
      put(whole, fileBytes, end, ByteVector(place - end), "padding before " + reason);
    }
    end = place + change.newSize;
    oldEnd = std::max(oldEnd, slice.offset + slice.size);
    for (const BytePatch& patch : change.patches) {
      BytePatch moved = patch;
      moved.offset += place;
      moved.reason = reason + ": " + patch.reason;
      // If the slice has moved or an earlier one has grown, the old bytes here are another part.
      std::optional<Bytes> before =
          part(fileBytes, moved.offset,
               std::min<uint64_t>(moved.after.size(),
                                  fileBytes.size() -
                                      std::min<uint64_t>(fileBytes.size(), moved.offset)));
      moved.before = before ? ByteVector(before->begin(), before->end()) : ByteVector();
      whole.patches.push_back(std::move(moved));
    }
    // fat_arch: cputype, cpusubtype, offset, size, align; fat_arch_64 has 64-bit offset and size.
    if (file.hasWideTable) {
      uint8_t entry[16];
      write64be(entry, place);
      write64be(entry + 8, change.newSize);
      put(whole, fileBytes, sizeof(fat_header) + index * sizeof(fat_arch_64) + 8, entry,
          "universal header: offset of " + reason);
    } else {
      if (end > UINT32_MAX)
        return fail(ErrorCode::NoRoom, "would grow past the 4 GiB limit of its universal header");
      uint8_t entry[8];
      write32be(entry, static_cast<uint32_t>(place));
      write32be(entry + 4, static_cast<uint32_t>(change.newSize));
      put(whole, fileBytes, sizeof(fat_header) + index * sizeof(fat_arch) + 8, entry,
          "universal header: offset of " + reason);
    }
  }
  Bytes rest = fileBytes.drop_front(oldEnd);
  bool hasDataAfter = std::any_of(rest.begin(), rest.end(), [](uint8_t byte) { return byte; });
  if (end > oldEnd && hasDataAfter)
    return fail(ErrorCode::Unsupported,
                "has data after its last slice, which a longer signature would overwrite");
  whole.newSize = std::max(whole.newSize, end);
  std::sort(whole.moves.begin(), whole.moves.end(),
            [](const Move& a, const Move& b) { return a.to < b.to; });
  seal(whole);
  return whole;
}

} // namespace tcfix::macho
