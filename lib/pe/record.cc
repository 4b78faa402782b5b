#include "pe/record.h"

#include "base/error.h"
#include "pe/helper/layout.h"

#include <llvm/Support/ConvertUTF.h>
#include <llvm/Support/Endian.h>

namespace tcfix::pe {

using llvm::support::ulittle16_t;
using llvm::support::ulittle32_t;
using llvm::support::endian::read32le;

namespace {

llvm::Error corruptRecord() {
  return fail(ErrorCode::Malformed, "the section .tcfixd is corrupt",
              "start again from the original file");
}

// The file offset where the sections before tcfix's end.
uint64_t endBefore(const PeFile& file, size_t firstSection) {
  uint64_t end = file.sizeOfHeaders;
  for (size_t i = 0; i < firstSection; ++i)
    end = std::max(end, file.sections[i].fileEnd());
  return end;
}

std::optional<std::string> readUtf16(const PeFile& file, uint64_t rva, uint64_t& next) {
  std::vector<llvm::UTF16> units;
  for (;; rva += 2) {
    const auto* unit = file.structAt<ulittle16_t>(rva);
    if (!unit)
      return std::nullopt;
    if (*unit == 0)
      break;
    units.push_back(*unit);
  }
  next = rva + 2;
  std::string text;
  if (!llvm::convertUTF16ToUTF8String(llvm::ArrayRef<llvm::UTF16>(units), text))
    return std::nullopt;
  return text;
}

bool readOverrides(const PeFile& file, uint32_t rva, uint32_t count,
                   std::vector<ImportOverride>& overrides) {
  for (uint32_t i = 0; i < count; ++i) {
    const uint64_t at = uint64_t(rva) + uint64_t(i) * sizeof(TcfixEntry);
    std::optional<Bytes> bytes = file.bytesAt(at, sizeof(TcfixEntry));
    if (!bytes)
      return false;
    auto field = [&](size_t offset) { return read32le(bytes->data() + offset); };
    ImportOverride setting;
    setting.slots = field(offsetof(TcfixEntry, slots));
    const uint32_t kind = field(offsetof(TcfixEntry, kind));
    if (kind > kTcfixLazy)
      return false;
    setting.kind = static_cast<OverrideKind>(kind);
    if (uint32_t newName = field(offsetof(TcfixEntry, newName))) {
      std::optional<llvm::StringRef> name = file.stringAt(newName);
      if (!name)
        return false;
      setting.newName = name->str();
    }
    overrides.push_back(std::move(setting));
  }
  return true;
}

bool readSearchPaths(const PeFile& file, uint64_t at, std::vector<std::string>& paths) {
  for (;;) {
    std::optional<std::string> path = readUtf16(file, at, at);
    if (!path)
      return false;
    if (path->empty())
      return true;
    paths.push_back(std::move(*path));
  }
}

bool readSaved(const PeFile& file, uint64_t at, uint32_t count, uint64_t limit,
               std::vector<SavedBytes>& saved) {
  for (uint32_t i = 0; i < count; ++i) {
    std::optional<Bytes> header = file.bytesAt(at, 8);
    if (!header)
      return false;
    const uint32_t offset = read32le(header->data()), length = read32le(header->data() + 4);
    std::optional<Bytes> bytes = file.bytesAt(at + 8, length);
    if (!bytes || !fits(offset, length, limit))
      return false;
    saved.push_back({offset, *bytes});
    at += 8 + uint64_t(length);
  }
  return true;
}

} // namespace

bool ImportSettings::hasDelayed() const {
  for (const ImportOverride& setting : overrides)
    if (setting.isDelayed())
      return true;
  return false;
}

const ImportOverride* ImportSettings::find(uint32_t slots) const {
  for (const ImportOverride& setting : overrides)
    if (setting.slots == slots)
      return &setting;
  return nullptr;
}

ImportOverride& ImportSettings::of(uint32_t slots) {
  for (ImportOverride& setting : overrides)
    if (setting.slots == slots)
      return setting;
  overrides.push_back({slots, OverrideKind::Renamed, {}});
  return overrides.back();
}

llvm::Expected<std::optional<ConversionRecord>> readRecord(const PeFile& file) {
  size_t index = 0;
  while (index < file.sections.size() && file.sections[index].name != kDataSection)
    ++index;
  if (index == file.sections.size())
    return std::nullopt;
  if (index + 1 != file.sections.size())
    return fail(ErrorCode::Unsupported, "another tool added sections after those that tcfix added",
                "start again from the original file");
  const Section& section = file.sections[index];
  std::optional<Bytes> bytes = file.bytesAt(section.address, sizeof(TcfixRecord));
  if (!bytes || !textOf(*bytes).starts_with(TCFIX_MAGIC))
    return corruptRecord();
  auto field = [&](size_t offset) { return read32le(bytes->data() + offset); };

  ConversionRecord record;
  record.firstSection = index;
  if (index > 0 && file.sections[index - 1].name == kCodeSection)
    --record.firstSection;
  if (!readOverrides(file, field(offsetof(TcfixRecord, entries)),
                     field(offsetof(TcfixRecord, entryCount)), record.settings.overrides) ||
      !readSearchPaths(file, field(offsetof(TcfixRecord, searchList)),
                       record.settings.searchPaths) ||
      !readSaved(file, field(offsetof(TcfixRecord, savedBytes)),
                 field(offsetof(TcfixRecord, savedCount)), endBefore(file, record.firstSection),
                 record.saved))
    return corruptRecord();
  return record;
}

void restore(ByteOverlay& image, const PeFile& file, const ConversionRecord& record) {
  for (const SavedBytes& saved : record.saved)
    image.write(saved.offset, saved.bytes, "original bytes");
  image.resize(endBefore(file, record.firstSection));
}

} // namespace tcfix::pe
