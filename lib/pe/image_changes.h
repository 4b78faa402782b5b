// ImageChanges: the changes that a conversion makes outside tcfix's own sections.
//
// Collects them, keeps the old bytes (for the record, see record.h), and appends the new sections
// to the image.
#pragma once

#include "pe/file.h"
#include "pe/section_builder.h"

namespace tcfix::pe {

struct NewSection {
  llvm::StringRef name;
  uint32_t characteristics;
  const SectionBuilder* content;
};

class ImageChanges {
public:
  ImageChanges(ByteOverlay& image, const PeFile& file) : image(image), file(file) {}

  void atOffset(uint64_t offset, Bytes bytes, llvm::StringRef reason);
  /// An address that is not in the file makes apply() fail.
  void atAddress(uint32_t address, Bytes bytes, llvm::StringRef reason);
  void field32(uint64_t offset, uint32_t value, llvm::StringRef reason);
  void field32AtAddress(uint32_t address, uint32_t value, llvm::StringRef reason);
  void directory(unsigned index, Directory value, llvm::StringRef reason);

  /// Writes bytes into the padding of the section that ends at `end`; false if they do not fit.
  bool growSection(uint64_t end, Bytes bytes, llvm::StringRef reason);

  /// Makes room for the headers of new sections; call after all other changes.
  llvm::Error reserveSections(size_t count);

  /// The old bytes of all changed ranges, in the record's format.
  ByteVector saved() const;
  uint32_t count() const { return static_cast<uint32_t>(changes.size()); }

  /// Writes all changes and the sections into the image.
  llvm::Error apply(llvm::ArrayRef<NewSection> sections);

private:
  struct Change {
    uint64_t offset;
    ByteVector bytes;
    std::string reason;
  };

  /// Registers a change whose value is known only when the sections are complete.
  void announce(uint64_t offset, uint64_t length, llvm::StringRef reason);
  /// The bytes of the change registered for this offset.
  uint8_t* announced(uint64_t offset);
  void fillHeaders(llvm::ArrayRef<NewSection> sections, uint64_t offset);

  ByteOverlay& image;
  const PeFile& file;
  std::vector<Change> changes;
  std::vector<uint64_t> overlayPointers; ///< fields that point past the image's last section
  bool isOutside = false;
};

} // namespace tcfix::pe
