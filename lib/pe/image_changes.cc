#include "pe/image_changes.h"

#include "base/error.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/FormatVariadic.h>

namespace tcfix::pe {

using namespace llvm::object;
using llvm::support::endian::read32le;
using llvm::support::endian::write16le;
using llvm::support::endian::write32le;
namespace COFF = llvm::COFF;

void ImageChanges::atOffset(uint64_t offset, Bytes bytes, llvm::StringRef reason) {
  changes.push_back({offset, {bytes.begin(), bytes.end()}, reason.str()});
}

void ImageChanges::atAddress(uint32_t address, Bytes bytes, llvm::StringRef reason) {
  if (std::optional<uint64_t> offset = file.offsetOf(address, bytes.size()))
    atOffset(*offset, bytes, reason);
  else
    isOutside = true;
}

void ImageChanges::field32(uint64_t offset, uint32_t value, llvm::StringRef reason) {
  uint8_t bytes[4];
  write32le(bytes, value);
  atOffset(offset, bytes, reason);
}

void ImageChanges::field32AtAddress(uint32_t address, uint32_t value, llvm::StringRef reason) {
  if (std::optional<uint64_t> offset = file.offsetOf(address, 4))
    field32(*offset, value, reason);
  else
    isOutside = true;
}

void ImageChanges::directory(unsigned index, Directory value, llvm::StringRef reason) {
  if (index >= file.directoryCount) {
    isOutside = true;
    return;
  }
  uint8_t bytes[sizeof(data_directory)];
  write32le(bytes, value.address);
  write32le(bytes + 4, value.size);
  atOffset(file.directoryField(index), bytes, reason);
}

bool ImageChanges::growSection(uint64_t end, Bytes bytes, llvm::StringRef reason) {
  for (size_t i = 0; i < file.sections.size(); ++i) {
    const Section& section = file.sections[i];
    if (section.end() != end)
      continue;
    const uint64_t newSize = section.memorySize + bytes.size();
    const bool isLast = i + 1 == file.sections.size();
    if (newSize > section.fileSize ||
        (!isLast && section.address + newSize > file.sections[i + 1].address))
      return false;
    const uint64_t offset = section.offset + section.memorySize;
    if (!llvm::all_of(*image.read(offset, bytes.size()), [](uint8_t byte) { return byte == 0; }))
      return false;
    atOffset(offset, bytes, reason);
    field32(file.sectionTableOffset() + i * sizeof(coff_section) +
                offsetof(coff_section, VirtualSize),
            static_cast<uint32_t>(newSize), (reason + " grew").str());
    return true;
  }
  return false;
}

void ImageChanges::announce(uint64_t offset, uint64_t length, llvm::StringRef reason) {
  if (std::optional<Bytes> bytes = image.read(offset, length))
    atOffset(offset, *bytes, reason);
  else
    isOutside = true;
}

uint8_t* ImageChanges::announced(uint64_t offset) {
  for (Change& change : changes)
    if (change.offset == offset)
      return change.bytes.data();
  llvm_unreachable("no change was announced for this offset");
}

llvm::Error ImageChanges::reserveSections(size_t count) {
  // The headers of the new sections go after the existing ones, if there are only zeros.
  uint64_t limit = file.sizeOfHeaders;
  for (const Section& section : file.sections)
    if (section.fileSize)
      limit = std::min<uint64_t>(limit, section.offset);
  const uint64_t begin = file.sectionTableEnd();
  const uint64_t needed = count * sizeof(coff_section);
  const Directory& bound = file.directories[COFF::BOUND_IMPORT]; // dropped by every conversion
  uint64_t free = 0;
  auto isFree = [&](uint64_t offset) {
    return *image.read(offset, 1)->data() == 0 || (offset >= bound.address && offset < bound.end());
  };
  while (begin + free < limit && free < needed && isFree(begin + free))
    ++free;
  if (free < needed)
    return fail(
        ErrorCode::NoRoom,
        llvm::formatv("not enough header padding: {1} bytes needed, {0} available", free, needed),
        "relink it with more header padding, such as with the linker's /FILEALIGN option");
  if (file.sections.size() + count > 96) // the limit of Windows
    return fail(ErrorCode::NoRoom, "already has the maximum number of sections");

  announce(file.fileHeaderField(offsetof(coff_file_header, NumberOfSections)), 2,
           "number of sections");
  announce(begin, needed, "headers of the new sections");
  announce(TCFIX_OPTIONAL_FIELD(file, SizeOfImage), 4, "size of the image");
  announce(TCFIX_OPTIONAL_FIELD(file, SizeOfInitializedData), 4, "size of the data");
  announce(TCFIX_OPTIONAL_FIELD(file, SizeOfCode), 4, "size of the code");
  if (file.checksum)
    announce(TCFIX_OPTIONAL_FIELD(file, CheckSum), 4, "checksum");

  // The data after the image moves, and these fields point into it.
  if (file.symbolTable >= file.imageFileEnd())
    overlayPointers.push_back(
        file.fileHeaderField(offsetof(coff_file_header, PointerToSymbolTable)));
  const Directory& debug = file.directories[COFF::DEBUG_DIRECTORY];
  for (uint64_t at = debug.address;
       debug.isPresent() && at + sizeof(debug_directory) <= debug.end();
       at += sizeof(debug_directory)) {
    const auto* entry = file.structAt<debug_directory>(at);
    if (!entry)
      break;
    if (entry->PointerToRawData >= file.imageFileEnd())
      overlayPointers.push_back(*file.offsetOf(at + offsetof(debug_directory, PointerToRawData)));
  }
  for (uint64_t pointer : overlayPointers)
    announce(pointer, 4, "pointer to data after the image");
  return llvm::Error::success();
}

ByteVector ImageChanges::saved() const {
  ByteVector result;
  for (const Change& change : changes) {
    const size_t at = result.size();
    result.resize(at + 8);
    write32le(result.data() + at, static_cast<uint32_t>(change.offset));
    write32le(result.data() + at + 4, static_cast<uint32_t>(change.bytes.size()));
    const Bytes before = *image.read(change.offset, change.bytes.size());
    result.insert(result.end(), before.begin(), before.end());
  }
  return result;
}

// Fills in the header of every new section and the totals over all sections. `offset` is the file
// offset of the first one.
void ImageChanges::fillHeaders(llvm::ArrayRef<NewSection> sections, uint64_t offset) {
  uint8_t* header = announced(file.sectionTableEnd());
  uint32_t codeSize = file.sizeOfCode, dataSize = file.sizeOfInitializedData;
  for (const NewSection& section : sections) {
    const uint64_t size = section.content->bytes().size();
    const uint32_t fileSize = static_cast<uint32_t>(alignUp(size, file.fileAlignment));
    std::fill_n(header, sizeof(coff_section), 0); // there may have been bound imports
    std::copy(section.name.begin(), section.name.end(), header);
    write32le(header + offsetof(coff_section, VirtualSize), static_cast<uint32_t>(size));
    write32le(header + offsetof(coff_section, VirtualAddress), section.content->begin());
    write32le(header + offsetof(coff_section, SizeOfRawData), fileSize);
    write32le(header + offsetof(coff_section, PointerToRawData), static_cast<uint32_t>(offset));
    write32le(header + offsetof(coff_section, Characteristics), section.characteristics);
    header += sizeof(coff_section);
    offset += fileSize;
    (section.characteristics & COFF::IMAGE_SCN_MEM_EXECUTE ? codeSize : dataSize) += fileSize;
  }
  const uint64_t imageEnd = alignUp(sections.back().content->end(), file.sectionAlignment);
  write16le(announced(file.fileHeaderField(offsetof(coff_file_header, NumberOfSections))),
            static_cast<uint16_t>(file.sections.size() + sections.size()));
  write32le(announced(TCFIX_OPTIONAL_FIELD(file, SizeOfImage)), static_cast<uint32_t>(imageEnd));
  write32le(announced(TCFIX_OPTIONAL_FIELD(file, SizeOfCode)), codeSize);
  write32le(announced(TCFIX_OPTIONAL_FIELD(file, SizeOfInitializedData)), dataSize);
}

llvm::Error ImageChanges::apply(llvm::ArrayRef<NewSection> sections) {
  if (isOutside)
    return fail(ErrorCode::Malformed, "a table that has to change is not completely in the file");
  const uint64_t oldEnd = file.imageFileEnd();
  const uint64_t begin = alignUp(oldEnd, file.fileAlignment);
  ByteVector content;
  for (const NewSection& section : sections) {
    content.insert(content.end(), section.content->bytes().begin(), section.content->bytes().end());
    content.resize(alignUp(content.size(), file.fileAlignment));
  }
  const uint64_t end = begin + content.size();
  if (end > UINT32_MAX)
    return fail(ErrorCode::NoRoom, "the file is too large for another section");
  fillHeaders(sections, begin);
  for (uint64_t pointer : overlayPointers) {
    uint8_t* field = announced(pointer);
    write32le(field, static_cast<uint32_t>(read32le(field) + (end - oldEnd)));
  }
  for (const Change& change : changes)
    image.write(change.offset, change.bytes, change.reason);
  image.resize(end);
  image.write(oldEnd, ByteVector(begin - oldEnd), "padding");
  image.write(begin, content, "sections added by tcfix");
  return llvm::Error::success();
}

} // namespace tcfix::pe
