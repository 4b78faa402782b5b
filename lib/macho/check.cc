#include "macho/check.h"

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
    checkTexts();
    checkCounts();
    checkSegments();
    checkHeaderRoom();
    checkLinkedit();
    return std::move(problems);
  }

private:
  void report(std::string problem) { problems.push_back(std::move(problem)); }

  // UnsafeHeader::valid: every command is a multiple of eight, and says its own size.
  void checkSizes() {
    for (const LoadCommand& command : commands) {
      auto head = commandAs<load_command>(slice, command);
      if (head.cmd != command.kind || head.cmdsize != command.bytes.size())
        report(kindName(command.kind) + " contradicts its own header");
      if (command.bytes.size() % 8 != 0 || command.bytes.size() < sizeof(load_command))
        report(kindName(command.kind) + " has a size that is not a multiple of 8");
    }
  }

  // UnsafeHeader::validStructureLoadCommands, stringOverflow; and the duplicate rules of
  // validSemanticsDependents and validSemanticsRPath.
  void checkTexts() {
    std::set<std::string> paths, dependencies;
    for (const LoadCommand& command : commands) {
      bool isPath = command.kind == LC_RPATH;
      if (!isPath && !isDependency(command.kind) && command.kind != LC_ID_DYLIB)
        continue;
      uint32_t offset = commandAs<rpath_command>(slice, command).path;
      size_t least = isPath ? sizeof(rpath_command) : sizeof(dylib_command);
      if (offset < least || offset >= command.bytes.size())
        report(kindName(command.kind) + " has its text outside itself");
      std::string name = nameIn(slice, command).str();
      if (offset + name.size() >= command.bytes.size())
        report(kindName(command.kind) + " has a text without an end");
      if (isPath && !paths.insert(name).second)
        report("LC_RPATH " + name + " is there twice");
      if (isDependency(command.kind) && !dependencies.insert(name).second)
        report("dependency " + name + " is there twice");
    }
    if (dependencies.empty() && slice.fileType != MH_EXECUTE)
      report("there is no dependency; every library needs at least libSystem");
  }

  // validSemanticsUUID, validSemanticsInstallName, validSemanticsMain.
  void checkCounts() {
    auto count = [&](uint32_t kind) {
      return std::count_if(commands.begin(), commands.end(),
                           [&](const LoadCommand& command) { return command.kind == kind; });
    };
    for (uint32_t kind : {LC_UUID, LC_CODE_SIGNATURE, LC_SYMTAB, LC_DYSYMTAB, LC_MAIN})
      if (count(kind) > 1)
        report(kindName(kind) + " is there more than once");
    if (slice.fileType == MH_DYLIB && count(LC_ID_DYLIB) != 1)
      report("a shared library needs exactly one LC_ID_DYLIB");
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
        report("segment " + segment.name + " ends after the file");
      if (segment.fileSize > segment.memorySize)
        report("segment " + segment.name + " is larger in the file than in memory");
      if (segment.address + segment.memorySize < segment.address)
        report("segment " + segment.name + " wraps around the address space");
      if (segment.name == "__TEXT") {
        hasText = true;
        if (segment.fileOffset != 0)
          report("segment __TEXT does not begin with the file");
      }
      for (size_t j = 0; j < i; ++j)
        checkPair(segments[j], segment);
    }
    if (!hasText)
      report("there is no segment __TEXT");
  }

  void checkPair(const Segment& a, const Segment& b) {
    if (a.name == b.name)
      report("segment " + a.name + " is there twice");
    if (a.memorySize && b.memorySize && a.address < b.address + b.memorySize &&
        b.address < a.address + a.memorySize)
      report("segments " + a.name + " and " + b.name + " overlap in memory");
    if (a.fileSize && b.fileSize && a.fileOffset < b.fileOffset + b.fileSize &&
        b.fileOffset < a.fileOffset + a.fileSize)
      report("segments " + a.name + " and " + b.name + " overlap in the file");
  }

  // The kernel maps __TEXT and reads the commands from there; code must begin behind them.
  void checkHeaderRoom() {
    uint64_t end = slice.headerSize();
    for (const LoadCommand& command : commands)
      end += command.bytes.size();
    for (const Segment& segment : segmentsOf(slice, commands))
      if (segment.name == "__TEXT" && end > segment.fileSize)
        report("the load commands do not fit into __TEXT");
    for (const Section& section : sectionsOf(slice, commands))
      if (section.isInFile() && section.size > 0 && section.fileOffset < end)
        report("the load commands overlap section " + section.name);
  }

  // Image::validLinkedit; load_code_signature wants the signature inside the file, codesign at the
  // very end of __LINKEDIT.
  void checkLinkedit() {
    std::vector<Segment> segments = segmentsOf(slice, commands);
    auto linkedit = std::find_if(segments.begin(), segments.end(),
                                 [](const Segment& s) { return s.name == "__LINKEDIT"; });
    for (const LoadCommand& command : commands) {
      if (command.kind != LC_CODE_SIGNATURE)
        continue;
      auto data = commandAs<linkedit_data_command>(slice, command);
      if (!fits(data.dataoff, data.datasize, size))
        report("the code signature ends after the file");
      else if (linkedit == segments.end())
        report("there is a code signature but no segment __LINKEDIT");
      else if (data.dataoff < linkedit->fileOffset ||
               uint64_t(data.dataoff) + data.datasize > linkedit->fileOffset + linkedit->fileSize)
        report("the code signature lies outside __LINKEDIT");
    }
  }

  const FileSlice& slice;
  llvm::ArrayRef<LoadCommand> commands;
  uint64_t size;
  std::vector<std::string> problems;
};

} // namespace

std::vector<std::string> check(const FileSlice& slice, llvm::ArrayRef<LoadCommand> commands,
                               uint64_t size) {
  return Checker(slice, commands, size).run();
}

} // namespace tcfix::macho
