#include "pe/file.h"

#include "base/error.h"
#include "image/appended.h"

#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/MathExtras.h>

namespace tcfix::pe {

using namespace llvm::object;
namespace COFF = llvm::COFF;

namespace {

llvm::Error malformed(std::string message) {
  return fail(ErrorCode::Malformed, std::move(message));
}

template <typename T>
const T* structIn(const ByteOverlay& image, uint64_t offset) {
  static_assert(alignof(T) == 1, "on-disk structs need no alignment");
  std::optional<Bytes> bytes = image.read(offset, sizeof(T));
  return bytes ? reinterpret_cast<const T*>(bytes->data()) : nullptr;
}

} // namespace

template <typename Header>
void PeFile::readOptionalHeader(const Header& header) {
  imageBase = header.ImageBase;
  entryPoint = header.AddressOfEntryPoint;
  sizeOfCode = header.SizeOfCode;
  sizeOfInitializedData = header.SizeOfInitializedData;
  sectionAlignment = header.SectionAlignment;
  fileAlignment = header.FileAlignment;
  sizeOfImage = header.SizeOfImage;
  sizeOfHeaders = header.SizeOfHeaders;
  checksum = header.CheckSum;
  majorSubsystem = header.MajorSubsystemVersion;
  minorSubsystem = header.MinorSubsystemVersion;
  dllCharacteristics = header.DLLCharacteristics;
}

llvm::Expected<PeFile> PeFile::read(const ByteOverlay& image) {
  PeFile file(image);
  const auto* dos = structIn<dos_header>(image, 0);
  if (!dos || dos->Magic[0] != 'M' || dos->Magic[1] != 'Z')
    return fail(ErrorCode::NotALibrary, "is not a PE file");
  if (llvm::Error error = checkAppended(image.size(), kMostIn32Bits))
    return error;
  file.headersOffset = dos->AddressOfNewExeHeader;
  std::optional<Bytes> magic = image.read(file.headersOffset, sizeof(COFF::PEMagic));
  const auto* header = structIn<coff_file_header>(image, file.headersOffset + 4);
  if (!magic || !header || *magic != Bytes(reinterpret_cast<const uint8_t*>(COFF::PEMagic), 4))
    return malformed("no PE header at the offset given in the DOS header");
  file.machine = header->Machine;
  file.characteristics = header->Characteristics;
  file.symbolTable = header->PointerToSymbolTable;

  const uint64_t optionalHeader = file.headersOffset + 24;
  const uint64_t optionalSize = header->SizeOfOptionalHeader;
  std::optional<Bytes> optional = image.read(optionalHeader, optionalSize);
  if (!optional || optionalSize < sizeof(pe32_header))
    return malformed("the optional header is truncated");
  const auto* pe32 = reinterpret_cast<const pe32_header*>(optional->data());
  uint32_t fixedSize = sizeof(pe32_header), directories = pe32->NumberOfRvaAndSize;
  if (pe32->Magic == COFF::PE32Header::PE32) {
    file.readOptionalHeader(*pe32);
  } else if (pe32->Magic == COFF::PE32Header::PE32_PLUS &&
             optionalSize >= sizeof(pe32plus_header)) {
    const auto* plus = reinterpret_cast<const pe32plus_header*>(optional->data());
    file.isPlus = true;
    fixedSize = sizeof(pe32plus_header);
    directories = plus->NumberOfRvaAndSize;
    file.readOptionalHeader(*plus);
  } else {
    return malformed(llvm::formatv("unknown optional header magic {0:x}", uint16_t(pe32->Magic)));
  }
  if (llvm::Error error =
          file.readDirectories(optionalHeader + fixedSize, optionalSize - fixedSize, directories))
    return error;
  file.sectionTable = optionalHeader + optionalSize;
  if (!fits(file.sectionTable, header->NumberOfSections * sizeof(coff_section),
            file.sizeOfHeaders) ||
      file.sizeOfHeaders > image.size())
    return malformed("the headers are larger than SizeOfHeaders");
  if (llvm::Error error = file.readSections(header->NumberOfSections))
    return error;
  return file;
}

llvm::Error PeFile::readDirectories(uint64_t offset, uint64_t room, uint32_t count) {
  if (count > kDirectories) // Windows reads sixteen, whatever the header says
    count = kDirectories;
  if (uint64_t(count) * sizeof(data_directory) > room)
    return malformed("the optional header is too small for its data directories");
  directoryCount = count;
  for (unsigned i = 0; i < count; ++i) {
    const auto* entry = structIn<data_directory>(*content, offset + i * sizeof(data_directory));
    directories[i] = {entry->RelativeVirtualAddress, entry->Size};
  }
  return llvm::Error::success();
}

llvm::Error PeFile::readSections(uint32_t count) {
  if (!llvm::isPowerOf2_32(sectionAlignment) || !llvm::isPowerOf2_32(fileAlignment) ||
      fileAlignment > sectionAlignment || sectionAlignment > (1u << 30))
    return malformed(llvm::formatv("invalid alignments: {0} in memory, {1} in the file",
                                   sectionAlignment, fileAlignment));
  uint64_t end = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const auto* header = structIn<coff_section>(*content, sectionTable + i * sizeof(coff_section));
    Section section;
    section.name = llvm::StringRef(header->Name, COFF::NameSize).split('\0').first.str();
    section.address = header->VirtualAddress;
    section.memorySize = header->VirtualSize ? header->VirtualSize : header->SizeOfRawData;
    section.offset = header->PointerToRawData;
    section.fileSize = header->PointerToRawData ? uint32_t(header->SizeOfRawData) : 0;
    section.characteristics = header->Characteristics;
    if (section.address < end)
      return malformed(llvm::formatv("section {0} overlaps the previous one", i + 1));
    if (section.end() > UINT32_MAX || !fits(section.offset, section.fileSize, content->size()))
      return malformed(llvm::formatv("section {0} extends past the end of the file", i + 1));
    end = section.end();
    sections.push_back(std::move(section));
  }
  return llvm::Error::success();
}

bool PeFile::isDll() const {
  return characteristics & COFF::IMAGE_FILE_DLL;
}

std::string PeFile::architecture() const {
  switch (machine) {
  case COFF::IMAGE_FILE_MACHINE_AMD64:
    return "x86_64";
  case COFF::IMAGE_FILE_MACHINE_I386:
    return "i386";
  case COFF::IMAGE_FILE_MACHINE_ARM64:
    return "arm64";
  default:
    return llvm::formatv("machine {0:x}", machine);
  }
}

uint64_t PeFile::directoryField(unsigned index) const {
  return optionalHeaderField(isPlus ? sizeof(pe32plus_header) : sizeof(pe32_header)) +
         index * sizeof(data_directory);
}

const Section* PeFile::sectionAt(uint64_t rva) const {
  for (const Section& section : sections)
    if (section.contains(rva))
      return &section;
  return nullptr;
}

std::optional<uint64_t> PeFile::offsetOf(uint64_t rva, uint64_t length) const {
  const Section* section = sectionAt(rva);
  if (!section)
    return fits(rva, length, std::min<uint64_t>(sizeOfHeaders, content->size()))
               ? std::optional(rva)
               : std::nullopt;
  uint64_t inside = rva - section->address;
  if (!fits(inside, length, section->fileSize))
    return std::nullopt;
  return section->offset + inside;
}

std::optional<Bytes> PeFile::bytesAt(uint64_t rva, uint64_t length) const {
  std::optional<uint64_t> offset = offsetOf(rva, length);
  return offset ? content->read(*offset, length) : std::nullopt;
}

uint64_t PeFile::bytesFrom(uint64_t rva) const {
  const Section* section = sectionAt(rva);
  const uint64_t begin = section ? section->address : 0;
  const uint64_t size =
      section ? section->fileSize : std::min<uint64_t>(sizeOfHeaders, content->size());
  return rva - begin < size ? size - (rva - begin) : 0;
}

std::optional<llvm::StringRef> PeFile::stringAt(uint64_t rva) const {
  // Names are short: reading in small steps avoids copying large changed ranges.
  const uint64_t room = bytesFrom(rva);
  for (uint64_t length = std::min<uint64_t>(room, 256); length;
       length = std::min(room, length * 8)) {
    std::optional<Bytes> bytes = bytesAt(rva, length);
    if (!bytes)
      return std::nullopt;
    size_t end = textOf(*bytes).find('\0');
    if (end != llvm::StringRef::npos)
      return textOf(*bytes).take_front(end);
    if (length == room)
      break;
  }
  return std::nullopt;
}

std::optional<uint64_t> PeFile::pointerAt(uint64_t rva) const {
  std::optional<Bytes> bytes = bytesAt(rva, pointerSize());
  if (!bytes)
    return std::nullopt;
  return isPlus ? llvm::support::endian::read64le(bytes->data())
                : llvm::support::endian::read32le(bytes->data());
}

uint64_t PeFile::imageFileEnd() const {
  uint64_t end = sizeOfHeaders;
  for (const Section& section : sections)
    end = std::max(end, section.fileEnd());
  return end;
}

} // namespace tcfix::pe
