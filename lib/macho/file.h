// A Mach-O file: its slices, and the load commands of each slice.
//
// Reads thin and universal files (32- and 64-bit tables) through LLVM Object, which rejects
// inconsistent files. Structures and constants are those of Apple's <mach-o/loader.h> and
// <mach-o/fat.h>, as LLVM defines them in llvm/BinaryFormat/MachO.h.
#pragma once

#include "base/bytes.h"

#include <llvm/BinaryFormat/MachO.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/SwapByteOrder.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace tcfix::macho {

struct LoadCommand {
  uint32_t kind = 0;              ///< LC_…
  ByteVector bytes;               ///< the whole command, in the slice's byte order
  std::optional<uint64_t> offset; ///< in the slice; empty for a new command
  std::string reason;             ///< why the command is new or changed
};

/// One architecture of a file. A thin file is one slice.
struct FileSlice {
  uint64_t offset = 0; ///< in the file
  uint64_t size = 0;
  uint32_t alignment = 0; ///< of the offset, as a power of two; 0 in a thin file
  std::string arch;
  uint32_t cpuType = 0;
  uint32_t fileType = 0;
  uint32_t flags = 0;
  bool is64 = false;
  bool isLittleEndian = false;
  std::vector<LoadCommand> commands;
  uint64_t commandsSize = 0; ///< of all load commands, according to the header

  uint64_t headerSize() const {
    return is64 ? sizeof(llvm::MachO::mach_header_64) : sizeof(llvm::MachO::mach_header);
  }
  /// tcfix edits what current versions of macOS load, and only inspects everything else.
  bool isEditable() const;
  /// Apple silicon refuses to load these without a signature.
  bool mustBeSigned() const { return cpuType == llvm::MachO::CPU_TYPE_ARM64; }
};

struct File {
  bool isUniversal = false;
  bool hasWideTable = false; ///< FAT_MAGIC_64
  std::vector<FileSlice> slices;
};

bool isMachO(Bytes bytes);

/// Rejects truncated and inconsistent files, and universal archives of object files.
llvm::Expected<File> read(Bytes bytes);

/// A command as the structure of its kind, in host byte order.
template <typename Structure>
Structure commandAs(const FileSlice& slice, const LoadCommand& command) {
  Structure result{};
  std::memcpy(&result, command.bytes.data(), std::min(sizeof result, command.bytes.size()));
  if (slice.isLittleEndian != llvm::sys::IsLittleEndianHost)
    llvm::MachO::swapStruct(result);
  return result;
}

/// The zero-terminated string at `offset` of the command.
llvm::StringRef stringAt(const LoadCommand& command, uint32_t offset);

bool isDependency(uint32_t kind); ///< LC_LOAD_DYLIB and its variants

/// The name in an LC_RPATH, LC_ID_DYLIB or dependency command.
llvm::StringRef nameIn(const FileSlice& slice, const LoadCommand& command);

/// The paths of the LC_RPATH commands, in order.
std::vector<std::string> searchPathsOf(const FileSlice& slice);

struct Segment {
  std::string name;
  uint64_t address = 0;
  uint64_t memorySize = 0;
  uint64_t fileOffset = 0;
  uint64_t fileSize = 0;
  size_t command = 0; ///< its index in the slice's commands
};

std::vector<Segment> segmentsOf(const FileSlice& slice, llvm::ArrayRef<LoadCommand> commands);

struct Section {
  std::string segment;
  std::string name;
  uint64_t address = 0;
  uint64_t size = 0;
  uint64_t fileOffset = 0;
  uint32_t flags = 0;
  bool isInFile() const;
};

std::vector<Section> sectionsOf(const FileSlice& slice, llvm::ArrayRef<LoadCommand> commands);

/// The name of a load command's kind, such as "LC_RPATH"; a number if it is unknown.
std::string kindName(uint32_t kind);

} // namespace tcfix::macho
