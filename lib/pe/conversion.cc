#include "pe/conversion.h"

#include "base/error.h"
#include "pe/helper/helper_code.h"
#include "pe/helper/layout.h"
#include "pe/image_changes.h"
#include "pe/section_builder.h"

#include <llvm/Support/ConvertUTF.h>
#include <llvm/Support/FormatVariadic.h>

namespace tcfix::pe {

using namespace llvm::object;
using llvm::support::endian::write16le;
using llvm::support::endian::write32le;
namespace COFF = llvm::COFF;

namespace {

// Writable, because the loader fills the helper's slots there. Windows ignores the code flag, but
// LIEF's layout check requires it for a section with slots outside the IAT directory.
constexpr uint32_t kDataCharacteristics = COFF::IMAGE_SCN_CNT_INITIALIZED_DATA |
                                          COFF::IMAGE_SCN_CNT_CODE | COFF::IMAGE_SCN_MEM_READ |
                                          COFF::IMAGE_SCN_MEM_WRITE;
constexpr uint32_t kCodeCharacteristics =
    COFF::IMAGE_SCN_CNT_CODE | COFF::IMAGE_SCN_MEM_READ | COFF::IMAGE_SCN_MEM_EXECUTE;

ByteVector utf16Of(const std::string& text) {
  llvm::SmallVector<llvm::UTF16, 128> units;
  llvm::convertUTF8ToUTF16String(text, units); // checkSearchPath() has validated the text
  ByteVector bytes(2 * units.size() + 2);
  for (size_t i = 0; i < units.size(); ++i)
    write16le(bytes.data() + 2 * i, units[i]);
  return bytes;
}

ByteVector zeroTerminated(llvm::StringRef text) {
  ByteVector bytes(text.bytes_begin(), text.bytes_end());
  bytes.push_back(0);
  return bytes;
}

// One conversion: the sections it builds, and the changes to the rest of the image.
class Conversion {
public:
  Conversion(ByteOverlay& image, const PeFile& file, llvm::ArrayRef<Import> imports,
             const ImportSettings& settings)
      : file(file), imports(imports), settings(settings), changes(image, file) {}

  llvm::Error run();

private:
  struct Wanted {
    const Import* import;
    const ImportOverride* setting;
    uint32_t name = 0;
  };

  llvm::Error findWanted();
  llvm::Error buildCode();
  void buildTables();
  void buildKernelImports();
  void changeImportTable();
  void changeDelayTable();
  void changeExceptionTable();
  llvm::Error changeTlsCallbacks();
  void finishRecord();

  bool hasHelper() const { return settings.hasDelayed(); }
  void setRecord(size_t field, uint32_t value) { write32le(data.at(recordAddress + field), value); }

  const PeFile& file;
  llvm::ArrayRef<Import> imports;
  const ImportSettings& settings;
  ImageChanges changes;
  SectionBuilder code, data;
  uint32_t recordAddress = 0;
  std::vector<Wanted> wanted; ///< delayed ones first, in the order of the import table
  std::vector<uint32_t> thunks;
  uint32_t kernelLookup = 0, kernelName = 0, delayTable = 0;
};

llvm::Error Conversion::findWanted() {
  for (bool isDelayed : {true, false})
    for (const Import& import : imports) {
      const ImportOverride* setting = settings.find(import.slots);
      if (setting && setting->isDelayed() == isDelayed)
        wanted.push_back({&import, setting});
    }
  if (wanted.size() != settings.overrides.size())
    return fail(ErrorCode::Malformed, "the section .tcfixd lists imports that do not exist",
                "start again from the original file");
  return llvm::Error::success();
}

llvm::Error Conversion::buildCode() {
  code.add(kHelperCode, 1);
  code.align(16);
  for (const Wanted& each : wanted) {
    thunks.push_back(0);
    if (each.setting->kind != OverrideKind::Lazy)
      continue;
    llvm::Expected<uint32_t> count = countSlots(file, *each.import);
    if (!count)
      return count.takeError();
    thunks.back() = code.end();
    for (uint32_t i = 0; i < *count; ++i) {
      uint8_t thunk[kTcfixThunkSize] = {0xb8, 0, 0, 0, 0, 0xe9}; // mov eax, slot; jmp helper
      write32le(thunk + 1, each.import->slots + i * file.pointerSize());
      write32le(thunk + 6, code.begin() + kHelperLazyCall - (code.end() + kTcfixThunkSize));
      code.add(thunk, 1);
    }
  }
  return llvm::Error::success();
}

void Conversion::buildTables() {
  recordAddress = data.addZeros(sizeof(TcfixRecord), 8);
  std::copy_n(TCFIX_MAGIC, 8, data.at(recordAddress));
  for (Wanted& each : wanted)
    each.name = each.setting->newName.empty() ? each.import->nameAddress
                                              : data.add(zeroTerminated(each.setting->newName), 2);

  const uint32_t entries = data.addZeros(wanted.size() * sizeof(TcfixEntry), 4);
  uint32_t delayed = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    uint8_t* entry = data.at(entries + uint32_t(i * sizeof(TcfixEntry)));
    const ImportOverride& setting = *wanted[i].setting;
    delayed += setting.isDelayed();
    write32le(entry + offsetof(TcfixEntry, slots), setting.slots);
    write32le(entry + offsetof(TcfixEntry, kind), static_cast<uint32_t>(setting.kind));
    write32le(entry + offsetof(TcfixEntry, newName), setting.newName.empty() ? 0 : wanted[i].name);
    write32le(entry + offsetof(TcfixEntry, thunks), hasHelper() ? thunks[i] : 0);
  }
  setRecord(offsetof(TcfixRecord, entries), entries);
  setRecord(offsetof(TcfixRecord, entryCount), static_cast<uint32_t>(wanted.size()));
  setRecord(offsetof(TcfixRecord, delayedCount), delayed);
}

void Conversion::buildKernelImports() {
#define TCFIX_NAME(name) #name,
  static constexpr const char* kNames[] = {TCFIX_KERNEL_FUNCTIONS(TCFIX_NAME)};
#undef TCFIX_NAME
  kernelName = data.add(zeroTerminated("KERNEL32.dll"), 2);
  kernelLookup = data.addZeros(8 * (kTcfixKernelFunctions + 1), 8);
  for (unsigned i = 0; i < kTcfixKernelFunctions; ++i) {
    ByteVector hintAndName = zeroTerminated(kNames[i]);
    hintAndName.insert(hintAndName.begin(), 2, 0);
    const uint32_t address = data.add(hintAndName, 2);
    write32le(data.at(kernelLookup + 8 * i), address);
    write32le(data.at(recordAddress + uint32_t(offsetof(TcfixRecord, kernel)) + 8 * i), address);
  }
}

// Removes the descriptors of delayed DLLs and adds the helper's own at the end; the others keep
// their order. A table that loses at least one descriptor fits in place.
void Conversion::changeImportTable() {
  const Directory& directory = file.directories[COFF::IMPORT_TABLE];
  constexpr size_t kSize = sizeof(coff_import_directory_table_entry);
  const bool wasBound = file.directories[COFF::BOUND_IMPORT].isPresent();
  ByteVector table;
  size_t count = 0;
  for (const Import& import : imports) {
    if (import.isDelay)
      continue;
    ++count;
    const ImportOverride* setting = settings.find(import.slots);
    if (setting && setting->isDelayed())
      continue;
    Bytes descriptor = *file.bytesAt(import.descriptor, kSize);
    table.insert(table.end(), descriptor.begin(), descriptor.end());
    uint8_t* copy = table.data() + table.size() - kSize;
    if (wasBound) {
      write32le(copy + offsetof(coff_import_directory_table_entry, TimeDateStamp), 0);
      write32le(copy + offsetof(coff_import_directory_table_entry, ForwarderChain), 0);
    }
    for (const Wanted& each : wanted)
      if (each.import == &import)
        write32le(copy + offsetof(coff_import_directory_table_entry, NameRVA), each.name);
  }
  if (hasHelper()) {
    table.resize(table.size() + kSize);
    uint8_t* own = table.data() + table.size() - kSize;
    write32le(own + offsetof(coff_import_directory_table_entry, ImportLookupTableRVA),
              kernelLookup);
    write32le(own + offsetof(coff_import_directory_table_entry, NameRVA), kernelName);
    write32le(own + offsetof(coff_import_directory_table_entry, ImportAddressTableRVA),
              recordAddress + offsetof(TcfixRecord, kernel));
  }
  table.resize(count * kSize);
  if (count)
    changes.atAddress(directory.address, table, "import table");
}

void Conversion::changeDelayTable() {
  constexpr size_t kSize = sizeof(delay_import_directory_table_entry);
  if (!hasHelper()) {
    for (const Wanted& each : wanted)
      if (each.import->isDelay)
        changes.field32AtAddress(each.import->descriptor +
                                     offsetof(delay_import_directory_table_entry, Name),
                                 each.name, "delay import's name");
    return;
  }
  // The directory must be contiguous: existing descriptors are copied, new ones and an empty one
  // follow.
  ByteVector table;
  for (const Import& import : imports) {
    if (!import.isDelay)
      continue;
    Bytes descriptor = *file.bytesAt(import.descriptor, kSize);
    table.insert(table.end(), descriptor.begin(), descriptor.end());
    for (const Wanted& each : wanted)
      if (each.import == &import)
        write32le(table.data() + table.size() - kSize +
                      offsetof(delay_import_directory_table_entry, Name),
                  each.name);
  }
  const size_t ours = table.size();
  for (const Wanted& each : wanted) {
    if (!each.setting->isDelayed())
      continue;
    table.resize(table.size() + kSize);
    uint8_t* entry = table.data() + table.size() - kSize;
    write32le(entry + offsetof(delay_import_directory_table_entry, Attributes), 1); // RVAs
    write32le(entry + offsetof(delay_import_directory_table_entry, Name), each.name);
    write32le(entry + offsetof(delay_import_directory_table_entry, ModuleHandle),
              data.addZeros(8, 8));
    write32le(entry + offsetof(delay_import_directory_table_entry, DelayImportAddressTable),
              each.import->slots);
    write32le(entry + offsetof(delay_import_directory_table_entry, DelayImportNameTable),
              each.import->lookup);
  }
  table.resize(table.size() + kSize);
  delayTable = data.add(table, 8);
  setRecord(offsetof(TcfixRecord, delayTable), delayTable + static_cast<uint32_t>(ours));
  changes.directory(COFF::DELAY_IMPORT_DESCRIPTOR, {delayTable, uint32_t(table.size())},
                    "delay-import directory");
}

// Stack walking uses binary search on this table. The helper is after all other code, so its
// entries come last. They go into the padding after the table if they fit, else the table is
// copied.
void Conversion::changeExceptionTable() {
  const Directory& directory = file.directories[COFF::EXCEPTION_TABLE];
  ByteVector own;
  for (const HelperFunction& function : kHelperFunctions)
    for (uint32_t offset : {function.begin, function.end, function.unwind}) {
      own.resize(own.size() + 4);
      write32le(own.data() + own.size() - 4, code.begin() + offset);
    }
  const uint32_t size = directory.size + static_cast<uint32_t>(own.size());
  if (directory.size && changes.growSection(directory.end(), own, "unwind table")) {
    changes.directory(COFF::EXCEPTION_TABLE, {directory.address, size}, "unwind table's size");
    return;
  }
  ByteVector table;
  if (std::optional<Bytes> old = file.bytesAt(directory.address, directory.size))
    table.assign(old->begin(), old->end());
  table.insert(table.end(), own.begin(), own.end());
  changes.directory(COFF::EXCEPTION_TABLE, {data.add(table, 4), size}, "unwind table copied");
}

// TLS callbacks run before the entry point. The slot of the first one already has a base
// relocation, so its address can be replaced.
llvm::Error Conversion::changeTlsCallbacks() {
  const Directory& directory = file.directories[COFF::TLS_TABLE];
  if (!directory.isPresent())
    return llvm::Error::success();
  const auto* tls = file.structAt<coff_tls_directory64>(directory.address);
  if (!tls)
    return fail(ErrorCode::Malformed, "the TLS directory is outside the file");
  if (tls->AddressOfCallBacks == 0)
    return llvm::Error::success();
  const uint64_t callbacks = tls->AddressOfCallBacks - file.imageBase;
  std::optional<uint64_t> first = file.pointerAt(callbacks);
  if (!first)
    return fail(ErrorCode::Malformed, "the TLS callbacks are outside the file");
  if (*first == 0)
    return llvm::Error::success();
  const uint64_t address = *first - file.imageBase;
  if (!file.sectionAt(address))
    return fail(ErrorCode::Malformed, "a TLS callback is outside the image");
  setRecord(offsetof(TcfixRecord, tlsCallbacks), static_cast<uint32_t>(callbacks));
  setRecord(offsetof(TcfixRecord, firstTlsCallback), static_cast<uint32_t>(address));
  uint8_t pointer[8];
  llvm::support::endian::write64le(pointer, file.imageBase + code.begin() + kHelperTlsCallback);
  changes.atAddress(static_cast<uint32_t>(callbacks), pointer, "first TLS callback");
  return llvm::Error::success();
}

// The search list comes last, so that an edit of it does not move anything else.
void Conversion::finishRecord() {
  const ByteVector saved = changes.saved();
  setRecord(offsetof(TcfixRecord, savedBytes), data.add(saved, 4));
  setRecord(offsetof(TcfixRecord, savedCount), changes.count());
  data.align(2);
  setRecord(offsetof(TcfixRecord, searchList), data.end());
  for (const std::string& path : settings.searchPaths)
    data.add(utf16Of(path), 2);
  data.addZeros(2, 2);
  setRecord(offsetof(TcfixRecord, size), data.end() - data.begin());
}

llvm::Error Conversion::run() {
  if (llvm::Error error = findWanted())
    return error;
  uint64_t address =
      alignUp(file.sections.empty() ? file.sizeOfHeaders : file.sections.back().end(),
              file.sectionAlignment);
  if (address > INT32_MAX)
    return fail(ErrorCode::NoRoom, "the image is too large for another section");
  if (hasHelper()) {
    code = SectionBuilder(static_cast<uint32_t>(address));
    if (llvm::Error error = buildCode())
      return error;
    address = alignUp(code.end(), file.sectionAlignment);
  }
  data = SectionBuilder(static_cast<uint32_t>(address));
  buildTables();
  if (hasHelper()) {
    buildKernelImports();
    setRecord(offsetof(TcfixRecord, originalEntry), file.entryPoint);
    write32le(code.at(code.begin() + kHelperPlace + offsetof(TcfixPlace, selfRva)),
              code.begin() + kHelperPlace);
    write32le(code.at(code.begin() + kHelperPlace + offsetof(TcfixPlace, recordRva)),
              recordAddress);
    changes.field32(TCFIX_OPTIONAL_FIELD(file, AddressOfEntryPoint), code.begin() + kHelperEntry,
                    "entry point");
    if (llvm::Error error = changeTlsCallbacks())
      return error;
    changeExceptionTable();
  }
  // Bound imports are where the new section headers go, and would be out of date anyway.
  const bool wasBound = file.directories[COFF::BOUND_IMPORT].isPresent();
  if (wasBound)
    changes.directory(COFF::BOUND_IMPORT, {}, "bound imports dropped");
  if (wasBound || !wanted.empty())
    changeImportTable();
  changeDelayTable();
  std::vector<NewSection> sections;
  if (hasHelper())
    sections.push_back({kCodeSection, kCodeCharacteristics, &code});
  sections.push_back({kDataSection, kDataCharacteristics, &data});
  if (llvm::Error error = changes.reserveSections(sections.size()))
    return error;
  finishRecord();
  return changes.apply(sections);
}

} // namespace

llvm::Error canDelay(const PeFile& file) {
  if (file.machine != COFF::IMAGE_FILE_MACHINE_AMD64 || !file.is64())
    return fail(ErrorCode::Unsupported,
                "--delay supports only x86_64 so far, not " + file.architecture(),
                "--rename-dependency works for this file");
  if (file.loadConfigField<llvm::support::ulittle64_t>(
              offsetof(coff_load_configuration64, CHPEMetadataPointer))
          .value_or(0))
    return fail(ErrorCode::Unsupported, "--delay supports only x86_64 so far, not ARM64EC");
  if (!file.isDll())
    return fail(ErrorCode::Unsupported, "is a program; --delay is only for DLLs",
                "put the DLLs in the program's folder instead");
  if (file.directories[COFF::CLR_RUNTIME_HEADER].isPresent())
    return fail(ErrorCode::Unsupported, "is a .NET assembly; --delay is only for native DLLs");
  if (file.dllCharacteristics & COFF::IMAGE_DLL_CHARACTERISTICS_GUARD_CF)
    return fail(ErrorCode::Unsupported,
                "is protected by Control Flow Guard, which would reject the helper's entry point",
                "relink it without /guard:cf");
  return llvm::Error::success();
}

llvm::Error convert(ByteOverlay& image, const PeFile& file, llvm::ArrayRef<Import> imports,
                    const ImportSettings& settings) {
  return Conversion(image, file, imports, settings).run();
}

} // namespace tcfix::pe
