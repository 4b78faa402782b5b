#include "macho/check.h"

#include <llvm/ADT/StringExtras.h>

#include <set>

namespace tcfix::macho {

using namespace llvm::MachO;

namespace {

class Checker {
public:
  Checker(const FileSlice& slice, llvm::ArrayRef<LoadCommand> commands, uint64_t size)
      : slice(slice), commands(commands), size(size) {}

  std::vector<std::string> run() {
    checkSizes();
    checkStrings();
    checkCounts();
    checkSegments();
    checkHeaderRoom();
    checkLinkedit();
    return std::move(problems);
  }

private:
  void report(std::string problem) { problems.push_back(std::move(problem)); }

  // UnsafeHeader::valid: the size of every command is a multiple of eight and matches its header.
  void checkSizes() {
    for (const LoadCommand& command : commands) {
      auto head = commandAs<load_command>(slice, command);
      if (head.cmd != command.kind || head.cmdsize != command.bytes.size())
        report(kindName(command.kind) + " does not match its own header");
      if (command.bytes.size() % 8 != 0 || command.bytes.size() < sizeof(load_command))
        report(kindName(command.kind) + ": size is not a multiple of 8");
    }
  }

  // UnsafeHeader::validStructureLoadCommands, stringOverflow; and the duplicate rules of
  // validSemanticsDependents and validSemanticsRPath.
  void checkStrings() {
    std::set<std::string> paths, dependencies;
    for (const LoadCommand& command : commands) {
      bool isPath = command.kind == LC_RPATH;
      if (!isPath && !isDependency(command.kind) && command.kind != LC_ID_DYLIB)
        continue;
      uint32_t offset = commandAs<rpath_command>(slice, command).path;
      size_t least = isPath ? sizeof(rpath_command) : sizeof(dylib_command);
      if (offset < least || offset >= command.bytes.size())
        report(kindName(command.kind) + ": string is out of bounds");
      std::string name = nameIn(slice, command).str();
      if (offset + name.size() >= command.bytes.size())
        report(kindName(command.kind) + ": string is not terminated");
      if (isPath && !paths.insert(name).second)
        report("duplicate LC_RPATH " + name);
      if (isDependency(command.kind) && !dependencies.insert(name).second)
        report("duplicate dependency " + name);
    }
    if (dependencies.empty() && slice.fileType != MH_EXECUTE)
      report("no dependencies; every library needs at least libSystem");
  }

  // validSemanticsUUID, validSemanticsInstallName, validSemanticsMain.
  void checkCounts() {
    auto count = [&](uint32_t kind) {
      return std::count_if(commands.begin(), commands.end(),
                           [&](const LoadCommand& command) { return command.kind == kind; });
    };
    for (uint32_t kind : {LC_UUID, LC_CODE_SIGNATURE, LC_SYMTAB, LC_DYSYMTAB, LC_MAIN})
      if (count(kind) > 1)
        report("more than one " + kindName(kind));
    if (slice.fileType == MH_DYLIB && count(LC_ID_DYLIB) != 1)
      report("a shared library must have exactly one LC_ID_DYLIB");
    if (slice.fileType != MH_DYLIB && count(LC_ID_DYLIB) != 0)
      report("only a shared library may have LC_ID_DYLIB");
  }

  // validSemanticsSegments and its per-segment checks.
  void checkSegments() {
    std::vector<Segment> segments = segmentsOf(slice, commands);
    bool hasText = false;
    for (size_t i = 0; i < segments.size(); ++i) {
      const Segment& segment = segments[i];
      if (!fits(segment.fileOffset, segment.fileSize, size))
        report("segment " + segment.name + " extends past the end of the file");
      if (segment.fileSize > segment.memorySize)
        report("segment " + segment.name + " is larger in the file than in memory");
      if (segment.address + segment.memorySize < segment.address)
        report("segment " + segment.name + " wraps around the address space");
      if (segment.name == "__TEXT") {
        hasText = true;
        if (segment.fileOffset != 0)
          report("segment __TEXT does not start at the beginning of the file");
      }
      for (size_t j = 0; j < i; ++j)
        checkPair(segments[j], segment);
    }
    if (!hasText)
      report("no segment __TEXT");
  }

  void checkPair(const Segment& a, const Segment& b) {
    if (a.name == b.name)
      report("duplicate segment " + a.name);
    if (a.memorySize && b.memorySize && a.address < b.address + b.memorySize &&
        b.address < a.address + a.memorySize)
      report("segments " + a.name + " and " + b.name + " overlap in memory");
    if (a.fileSize && b.fileSize && a.fileOffset < b.fileOffset + b.fileSize &&
        b.fileOffset < a.fileOffset + a.fileSize)
      report("segments " + a.name + " and " + b.name + " overlap in the file");
  }

  // The kernel maps __TEXT and reads the commands from there; code must start after them.
  void checkHeaderRoom() {
    uint64_t end = slice.headerSize();
    for (const LoadCommand& command : commands)
      end += command.bytes.size();
    for (const Segment& segment : segmentsOf(slice, commands))
      if (segment.name == "__TEXT" && end > segment.fileSize)
        report("the load commands do not fit in __TEXT");
    for (const Section& section : sectionsOf(slice, commands))
      if (section.isInFile() && section.size > 0 && section.fileOffset < end)
        report("the load commands overlap section " + section.name);
  }

  // Image::validLinkedit; load_code_signature requires the signature to be inside the file,
  // codesign at the very end of __LINKEDIT.
  void checkLinkedit() {
    std::vector<Segment> segments = segmentsOf(slice, commands);
    auto linkedit = std::find_if(segments.begin(), segments.end(),
                                 [](const Segment& s) { return s.name == "__LINKEDIT"; });
    for (const LoadCommand& command : commands) {
      if (command.kind != LC_CODE_SIGNATURE)
        continue;
      auto data = commandAs<linkedit_data_command>(slice, command);
      if (!fits(data.dataoff, data.datasize, size))
        report("the code signature extends past the end of the file");
      else if (linkedit == segments.end())
        report("there is a code signature, but no segment __LINKEDIT");
      else if (data.dataoff < linkedit->fileOffset ||
               uint64_t(data.dataoff) + data.datasize > linkedit->fileOffset + linkedit->fileSize)
        report("the code signature is outside __LINKEDIT");
    }
  }

  const FileSlice& slice;
  llvm::ArrayRef<LoadCommand> commands;
  uint64_t size;
  std::vector<std::string> problems;
};

// The kinds with LC_REQ_DYLD that UnsafeHeader::validStructureLoadCommands handles. LLVM's list is
// not used: it may be newer or older than dyld's.
bool isRequiredKindKnown(uint32_t kind) {
  switch (kind) {
  case LC_LOAD_WEAK_DYLIB:
  case LC_RPATH:
  case LC_REEXPORT_DYLIB:
  case LC_DYLD_INFO_ONLY:
  case LC_LOAD_UPWARD_DYLIB:
  case LC_MAIN:
  case LC_DYLD_EXPORTS_TRIE:
  case LC_DYLD_CHAINED_FIXUPS:
  case LC_FILESET_ENTRY:
    return true;
  default:
    return false;
  }
}

// The exact size that validStructureLoadCommands requires; nothing if any size is valid. LLVM
// accepts some of these commands with extra bytes.
std::optional<uint64_t> requiredSize(const FileSlice& slice, const LoadCommand& command) {
  // Defined in dyld's <mach-o/loader.h>, but not in every LLVM.
  constexpr uint32_t kAtomInfo = 0x36, kFunctionVariants = 0x37, kFunctionVariantFixups = 0x38;
  switch (command.kind) {
  case LC_SYMTAB:
    return sizeof(symtab_command);
  case LC_DYSYMTAB:
    return sizeof(dysymtab_command);
  case LC_SEGMENT_SPLIT_INFO:
  case LC_FUNCTION_STARTS:
  case LC_DYLD_EXPORTS_TRIE:
  case LC_DYLD_CHAINED_FIXUPS:
  case kAtomInfo:
  case kFunctionVariants:
  case kFunctionVariantFixups:
    return sizeof(linkedit_data_command);
  case LC_ENCRYPTION_INFO:
    return sizeof(encryption_info_command);
  case LC_ENCRYPTION_INFO_64:
    return sizeof(encryption_info_command_64);
  case LC_DYLD_INFO:
  case LC_DYLD_INFO_ONLY:
    return sizeof(dyld_info_command);
  case LC_VERSION_MIN_MACOSX:
  case LC_VERSION_MIN_IPHONEOS:
  case LC_VERSION_MIN_TVOS:
  case LC_VERSION_MIN_WATCHOS:
    return sizeof(version_min_command);
  case LC_UUID:
    return sizeof(uuid_command);
  case LC_MAIN:
    return sizeof(entry_point_command);
  case LC_BUILD_VERSION:
    return sizeof(build_version_command) +
           uint64_t(commandAs<build_version_command>(slice, command).ntools) *
               sizeof(build_tool_version);
  case LC_SEGMENT:
    return sizeof(segment_command) +
           uint64_t(commandAs<segment_command>(slice, command).nsects) * sizeof(section);
  case LC_SEGMENT_64:
    return sizeof(segment_command_64) +
           uint64_t(commandAs<segment_command_64>(slice, command).nsects) * sizeof(section_64);
  default:
    return std::nullopt;
  }
}

} // namespace

std::vector<std::string> checkStructure(const FileSlice& slice) {
  std::vector<std::string> problems;
  uint64_t size = 0;
  for (size_t i = 0; i < slice.commands.size(); ++i) {
    const LoadCommand& command = slice.commands[i];
    const std::string name = "load command " + std::to_string(i + 1);
    size += command.bytes.size();
    if ((command.kind & LC_REQ_DYLD) != 0 && !isRequiredKindKnown(command.kind))
      problems.push_back(name + " (0x" + llvm::utohexstr(command.kind) +
                         ") is unknown and marked as required, so dyld rejects the file");
    if (std::optional<uint64_t> required = requiredSize(slice, command);
        required && *required != command.bytes.size())
      problems.push_back(name + " (" + kindName(command.kind) + ") has " +
                         std::to_string(command.bytes.size()) + " bytes instead of " +
                         std::to_string(*required) + ", so dyld rejects the file");
  }
  // dyld keeps reading while commands are left; Apple's tools reject the file.
  if (size != slice.commandsSize)
    problems.push_back("the header lists " + std::to_string(slice.commands.size()) +
                       " load commands in " + std::to_string(slice.commandsSize) +
                       " bytes, but they take " + std::to_string(size));
  return problems;
}

std::vector<std::string> check(const FileSlice& slice, llvm::ArrayRef<LoadCommand> commands,
                               uint64_t size) {
  return Checker(slice, commands, size).run();
}

} // namespace tcfix::macho
