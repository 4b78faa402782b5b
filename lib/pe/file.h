// PeFile: the headers of a PE image, checked, and its content by address.
//
// Follows Microsoft's "PE Format" specification. Rejects, as Windows does, what makes addresses
// ambiguous: headers that do not fit the file, alignments that are not powers of two, sections out
// of order or overlapping. The on-disk structs are LLVM's; its reader (COFFObjectFile) is not used,
// because it does not check offsets from the file.
#pragma once

#include "pe/byte_overlay.h"

#include <llvm/Object/COFF.h>
#include <llvm/Support/Error.h>

#include <array>

namespace tcfix::pe {

struct Section {
  std::string name;
  uint32_t address = 0;    ///< RVA
  uint32_t memorySize = 0; ///< VirtualSize, or SizeOfRawData where that is 0
  uint32_t offset = 0;     ///< in the file
  uint32_t fileSize = 0;   ///< SizeOfRawData
  uint32_t characteristics = 0;

  uint64_t end() const { return uint64_t(address) + memorySize; }
  uint64_t fileEnd() const { return fileSize ? uint64_t(offset) + fileSize : 0; }
  bool contains(uint64_t rva) const { return rva >= address && rva < end(); }
};

struct Directory {
  uint32_t address = 0; ///< RVA; for the certificates, a file offset
  uint32_t size = 0;

  bool isPresent() const { return address != 0; }
  uint64_t end() const { return uint64_t(address) + size; }
};

constexpr size_t kDirectories = llvm::COFF::NUM_DATA_DIRECTORIES;

class PeFile {
public:
  /// `image` must outlive the result.
  static llvm::Expected<PeFile> read(const ByteOverlay& image);

  const ByteOverlay& image() const { return *content; }
  bool is64() const { return isPlus; }
  bool isDll() const;
  std::string architecture() const; ///< such as `x86_64`
  uint32_t pointerSize() const { return isPlus ? 8 : 4; }

  /// The file offset of a field of the file header or of the optional header.
  uint64_t fileHeaderField(size_t field) const { return headersOffset + 4 + field; }
  uint64_t optionalHeaderField(size_t field) const { return headersOffset + 24 + field; }
  uint64_t directoryField(unsigned index) const;
  uint64_t sectionTableOffset() const { return sectionTable; }
  uint64_t sectionTableEnd() const { return sectionTable + 40 * sections.size(); }

  const Section* sectionAt(uint64_t rva) const;

  /// The file offset of [rva, rva + length); nothing unless all of it is in one section's bytes.
  std::optional<uint64_t> offsetOf(uint64_t rva, uint64_t length = 1) const;
  std::optional<Bytes> bytesAt(uint64_t rva, uint64_t length) const;
  /// The zero-terminated string at `rva`.
  std::optional<llvm::StringRef> stringAt(uint64_t rva) const;
  /// The number of bytes from `rva` to the end of its section in the file.
  uint64_t bytesFrom(uint64_t rva) const;
  std::optional<uint64_t> pointerAt(uint64_t rva) const;

  template <typename T>
  const T* structAt(uint64_t rva) const {
    static_assert(alignof(T) == 1, "on-disk structs need no alignment");
    std::optional<Bytes> bytes = bytesAt(rva, sizeof(T));
    return bytes ? reinterpret_cast<const T*>(bytes->data()) : nullptr;
  }

  /// A field of the load configuration, whose size grows with Windows versions; nothing if it is
  /// too short for the field. `Field` is an on-disk integer.
  template <typename Field>
  std::optional<typename Field::value_type> loadConfigField(size_t offset) const {
    const Directory& directory = directories[llvm::COFF::LOAD_CONFIG_TABLE];
    const auto* size = structAt<llvm::support::ulittle32_t>(directory.address);
    if (!directory.isPresent() || !size || *size < offset + sizeof(Field))
      return std::nullopt;
    const auto* field = structAt<Field>(directory.address + offset);
    return field ? std::optional<typename Field::value_type>(*field) : std::nullopt;
  }

  /// The end of the last section's bytes: what follows is not part of the image.
  uint64_t imageFileEnd() const;

  uint16_t machine = 0;
  uint16_t characteristics = 0;
  uint16_t dllCharacteristics = 0;
  uint16_t majorSubsystem = 0;
  uint16_t minorSubsystem = 0;
  uint32_t symbolTable = 0; ///< file offset of COFF symbols; 0 if there are none
  uint64_t imageBase = 0;
  uint32_t entryPoint = 0;
  uint32_t sizeOfCode = 0;
  uint32_t sizeOfInitializedData = 0;
  uint32_t sectionAlignment = 0;
  uint32_t fileAlignment = 0;
  uint32_t sizeOfImage = 0;
  uint32_t sizeOfHeaders = 0;
  uint32_t checksum = 0;
  unsigned directoryCount = 0; ///< as many as the header has, at most kDirectories
  std::array<Directory, kDirectories> directories;
  std::vector<Section> sections;

private:
  explicit PeFile(const ByteOverlay& image) : content(&image) {}

  template <typename Header>
  void readOptionalHeader(const Header& header);
  llvm::Error readDirectories(uint64_t offset, uint64_t room, uint32_t count);
  llvm::Error readSections(uint32_t count);

  const ByteOverlay* content;
  bool isPlus = false;
  uint64_t headersOffset = 0; ///< of "PE\0\0"
  uint64_t sectionTable = 0;
};

/// The offset of a field whose position differs between PE32 and PE32+.
#define TCFIX_OPTIONAL_FIELD(file, name)                                                           \
  ((file).optionalHeaderField((file).is64() ? offsetof(llvm::object::pe32plus_header, name)        \
                                            : offsetof(llvm::object::pe32_header, name)))

} // namespace tcfix::pe
