#include "macho/file.h"

#include "base/error.h"
#include "image/appended.h"

#include <llvm/BinaryFormat/Magic.h>
#include <llvm/Object/MachO.h>
#include <llvm/Object/MachOUniversal.h>

namespace tcfix::macho {

using namespace llvm::MachO;
using llvm::object::MachOObjectFile;
using llvm::object::MachOUniversalBinary;

namespace {

llvm::MemoryBufferRef bufferOf(Bytes bytes) {
  return {textOf(bytes), "library"};
}

llvm::Error malformed(llvm::Error cause) {
  // LLVM's messages have a prefix of their own and may end with a full stop or a bracket.
  std::string text = llvm::toString(std::move(cause));
  llvm::StringRef sentence = text;
  sentence.consume_front("truncated or malformed object ");
  sentence.consume_front("truncated or malformed fat file ");
  sentence = sentence.trim(" ()");
  return fail(ErrorCode::Malformed, ("corrupt Mach-O file: " + sentence).str(),
              "reinstall the package; tcfix does not edit corrupt files");
}

llvm::Expected<FileSlice> readSlice(Bytes bytes) {
  llvm::file_magic magic = llvm::identify_magic(textOf(bytes));
  if (bytes.size() < sizeof(mach_header) || !magic.is_object() ||
      llvm::StringRef(textOf(bytes)).starts_with("!<arch>"))
    return fail(ErrorCode::NotALibrary, "contains no Mach-O library");
  if (llvm::Error error = checkAppended(bytes.size(), kMostIn32Bits))
    return error;
  uint32_t first;
  std::memcpy(&first, bytes.data(), sizeof first);
  FileSlice slice;
  slice.is64 = first == MH_MAGIC_64 || first == MH_CIGAM_64;
  bool isHostOrder = first == MH_MAGIC || first == MH_MAGIC_64;
  if (!isHostOrder && first != MH_CIGAM && first != MH_CIGAM_64)
    return fail(ErrorCode::NotALibrary, "contains no Mach-O library");
  slice.isLittleEndian = isHostOrder == llvm::sys::IsLittleEndianHost;
  slice.size = bytes.size();

  auto object = MachOObjectFile::create(bufferOf(bytes), slice.isLittleEndian, slice.is64);
  if (!object)
    return malformed(object.takeError());
  const mach_header& header = (*object)->getHeader();
  slice.cpuType = header.cputype;
  slice.fileType = header.filetype;
  slice.flags = header.flags;
  slice.commandsSize = header.sizeofcmds;
  const char* archFlag = nullptr;
  MachOObjectFile::getArchTriple(header.cputype, header.cpusubtype, nullptr, &archFlag);
  slice.arch = archFlag ? archFlag : "cpu" + std::to_string(header.cputype);

  // LLVM's list repeats the command after LC_IDENT, so the commands are read here. Like loaders,
  // LLVM does not check that the last one ends where the header says.
  uint64_t expected = slice.headerSize();
  const uint64_t end = expected + slice.commandsSize;
  const auto* start = reinterpret_cast<const char*>(bytes.data());
  for (const auto& info : (*object)->load_commands()) {
    LoadCommand command;
    command.kind = info.C.cmd;
    command.offset = static_cast<uint64_t>(info.Ptr - start);
    std::optional<Bytes> whole = part(bytes, *command.offset, info.C.cmdsize);
    if (!whole || info.C.cmdsize < sizeof(load_command) || command.offset != expected ||
        expected + info.C.cmdsize > end)
      return fail(ErrorCode::Malformed, "corrupt Mach-O file: a load command has an invalid size");
    expected += info.C.cmdsize;
    command.bytes.assign(whole->begin(), whole->end());
    slice.commands.push_back(std::move(command));
  }
  return slice;
}

} // namespace

bool isMachO(Bytes bytes) {
  switch (llvm::identify_magic(textOf(bytes))) {
  case llvm::file_magic::macho_object:
  case llvm::file_magic::macho_executable:
  case llvm::file_magic::macho_fixed_virtual_memory_shared_lib:
  case llvm::file_magic::macho_core:
  case llvm::file_magic::macho_preload_executable:
  case llvm::file_magic::macho_dynamically_linked_shared_lib:
  case llvm::file_magic::macho_dynamic_linker:
  case llvm::file_magic::macho_bundle:
  case llvm::file_magic::macho_dynamically_linked_shared_lib_stub:
  case llvm::file_magic::macho_dsym_companion:
  case llvm::file_magic::macho_kext_bundle:
  case llvm::file_magic::macho_universal_binary:
    return true;
  default:
    return false;
  }
}

bool FileSlice::isEditable() const {
  return is64 && isLittleEndian &&
         (fileType == MH_DYLIB || fileType == MH_BUNDLE || fileType == MH_EXECUTE);
}

llvm::Expected<File> read(Bytes bytes) {
  File file;
  if (llvm::identify_magic(textOf(bytes)) != llvm::file_magic::macho_universal_binary) {
    llvm::Expected<FileSlice> slice = readSlice(bytes);
    if (!slice)
      return slice.takeError();
    file.slices.push_back(std::move(*slice));
    return file;
  }
  auto universal = MachOUniversalBinary::create(bufferOf(bytes));
  if (!universal)
    return malformed(universal.takeError());
  file.isUniversal = true;
  file.hasWideTable = (*universal)->getMagic() == FAT_MAGIC_64;
  for (const auto& entry : (*universal)->objects()) {
    std::optional<Bytes> content = part(bytes, entry.getOffset(), entry.getSize());
    if (!content)
      return fail(ErrorCode::Malformed,
                  "corrupt universal file: a slice extends past the end of the file");
    llvm::Expected<FileSlice> slice = readSlice(*content);
    if (!slice)
      return within("slice " + entry.getArchFlagName(), slice.takeError());
    slice->offset = entry.getOffset();
    slice->alignment = entry.getAlign();
    file.slices.push_back(std::move(*slice));
  }
  if (file.slices.empty())
    return fail(ErrorCode::Malformed, "corrupt universal file: no slices");
  if (llvm::Error error = checkAppended(bytes.size(), kMostIn32Bits))
    return error;
  return file;
}

llvm::StringRef stringAt(const LoadCommand& command, uint32_t offset) {
  llvm::StringRef whole = textOf(command.bytes);
  return whole.drop_front(std::min<size_t>(offset, whole.size())).split('\0').first;
}

bool isDependency(uint32_t kind) {
  return kind == LC_LOAD_DYLIB || kind == LC_LOAD_WEAK_DYLIB || kind == LC_REEXPORT_DYLIB ||
         kind == LC_LOAD_UPWARD_DYLIB || kind == LC_LAZY_LOAD_DYLIB;
}

llvm::StringRef nameIn(const FileSlice& slice, const LoadCommand& command) {
  // The third word of both rpath_command and dylib_command is the string's offset.
  return stringAt(command, commandAs<rpath_command>(slice, command).path);
}

std::vector<std::string> searchPathsOf(const FileSlice& slice) {
  std::vector<std::string> paths;
  for (const LoadCommand& command : slice.commands)
    if (command.kind == LC_RPATH)
      paths.push_back(nameIn(slice, command).str());
  return paths;
}

namespace {

std::string fixedName(const char (&name)[16]) {
  return std::string(name, strnlen(name, sizeof name));
}

template <typename Command>
Segment segmentFrom(const Command& command, size_t index) {
  return {fixedName(command.segname), command.vmaddr, command.vmsize, command.fileoff,
          command.filesize,           index};
}

template <typename SectionStructure, typename Command>
void addSections(std::vector<Section>& sections, const FileSlice& slice,
                 const LoadCommand& command) {
  uint32_t count = commandAs<Command>(slice, command).nsects;
  for (uint64_t i = 0; i < count; ++i) {
    std::optional<Bytes> bytes = part(command.bytes, sizeof(Command) + i * sizeof(SectionStructure),
                                      sizeof(SectionStructure));
    if (!bytes)
      return;
    SectionStructure section;
    std::memcpy(&section, bytes->data(), sizeof section);
    if (slice.isLittleEndian != llvm::sys::IsLittleEndianHost)
      swapStruct(section);
    sections.push_back({fixedName(section.segname), fixedName(section.sectname), section.addr,
                        section.size, section.offset, section.flags});
  }
}

} // namespace

std::vector<Segment> segmentsOf(const FileSlice& slice, llvm::ArrayRef<LoadCommand> commands) {
  std::vector<Segment> segments;
  for (size_t i = 0; i < commands.size(); ++i) {
    if (commands[i].kind == LC_SEGMENT_64)
      segments.push_back(segmentFrom(commandAs<segment_command_64>(slice, commands[i]), i));
    else if (commands[i].kind == LC_SEGMENT)
      segments.push_back(segmentFrom(commandAs<segment_command>(slice, commands[i]), i));
  }
  return segments;
}

bool Section::isInFile() const {
  uint32_t type = flags & SECTION_TYPE;
  return type != S_ZEROFILL && type != S_GB_ZEROFILL && type != S_THREAD_LOCAL_ZEROFILL;
}

std::vector<Section> sectionsOf(const FileSlice& slice, llvm::ArrayRef<LoadCommand> commands) {
  std::vector<Section> sections;
  for (const LoadCommand& command : commands) {
    if (command.kind == LC_SEGMENT_64)
      addSections<section_64, segment_command_64>(sections, slice, command);
    else if (command.kind == LC_SEGMENT)
      addSections<section, segment_command>(sections, slice, command);
  }
  return sections;
}

std::string kindName(uint32_t kind) {
  switch (kind) {
#define HANDLE_LOAD_COMMAND(name, value, structure)                                                \
  case value:                                                                                      \
    return #name;
#include <llvm/BinaryFormat/MachO.def>
  default:
    return "load command " + std::to_string(kind);
  }
}

} // namespace tcfix::macho
