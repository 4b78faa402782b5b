// Tiny Mach-O images for tests, built in code so that every test runs on every host.
//
// An image has what a loader requires: __TEXT with the header, padding and a __text section, __DATA
// with a zero-filled section, __LINKEDIT with a symbol table and, on request, a signature. Each
// field of a MachOSpec controls one property of the image.
#pragma once

#include "support/signature_builder.h"

#include <llvm/BinaryFormat/MachO.h>

#include <optional>
#include <vector>

namespace tcfix::support {

struct Architecture {
  uint32_t cpuType;
  uint32_t cpuSubtype;
  bool is64;
  bool isLittleEndian;
  uint64_t page;
};

inline constexpr Architecture kArm64 = {llvm::MachO::CPU_TYPE_ARM64, 0, true, true, 0x4000};
/// With the pointer authentication version that Apple's linker sets.
inline constexpr Architecture kArm64e = {llvm::MachO::CPU_TYPE_ARM64, 0x80000002, true, true,
                                         0x4000};
inline constexpr Architecture kX86_64 = {llvm::MachO::CPU_TYPE_X86_64, 3, true, true, 0x1000};
inline constexpr Architecture kI386 = {llvm::MachO::CPU_TYPE_I386, 3, false, true, 0x1000};
inline constexpr Architecture kPpc = {llvm::MachO::CPU_TYPE_POWERPC, 0, false, false, 0x1000};

struct DependencySpec {
  std::string name;
  uint32_t command = llvm::MachO::LC_LOAD_DYLIB;
};

struct SymbolSpec {
  std::string name;
  uint8_t ordinal = 0; ///< the dependency it is imported from; 0: defined here
};

struct MachOSpec {
  Architecture arch = kArm64;
  uint32_t fileType = llvm::MachO::MH_DYLIB;
  std::string id = "@rpath/libdemo.dylib"; ///< shared libraries only
  std::vector<DependencySpec> dependencies = {{"/usr/lib/libSystem.B.dylib"}};
  std::vector<std::string> rpaths = {};
  bool hasRpathsLast = false;                 ///< after all other commands, where tcfix adds them
  bool hasUuid = true;                        ///< kUuid
  bool hasBuildVersion = true;                ///< macOS 11.0; else LC_VERSION_MIN_MACOSX 10.15.7
  uint32_t sdk = 0x0e0400;                    ///< 14.4
  std::vector<ByteVector> otherCommands = {}; ///< complete load commands, copied verbatim
  uint64_t headerPadding = 512; ///< bytes between the load commands and the first section
  uint64_t codeSize = 0x5000;   ///< of __text: several pages
  std::string infoPlist = {};   ///< embedded in __TEXT,__info_plist
  std::vector<SymbolSpec> symbols = {{"_demo"}, {"_malloc", 1}};
  ByteVector exportTrie = {}; ///< what LC_DYLD_EXPORTS_TRIE points to
  SignatureSpec signature = {};
};

inline constexpr uint8_t kUuid[16] = {0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
                                      0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff};

ByteVector buildMachO(const MachOSpec& spec);

/// `spec` with a signature of this style.
MachOSpec signedAs(SignatureStyle style, MachOSpec spec = {});

/// Load command `kind` with `content` after its header; the size is a multiple of 8.
ByteVector loadCommand(uint32_t kind, llvm::StringRef content);

struct UniversalSpec {
  bool hasWideTable = false; ///< FAT_MAGIC_64
  uint32_t alignment = 14;   ///< of slices, as a power of two
  uint64_t gap = 0;          ///< extra bytes before each slice but the first, a multiple of that
};

struct UniversalSlice {
  Architecture arch;
  ByteVector bytes;
};

ByteVector buildUniversal(llvm::ArrayRef<UniversalSlice> slices, const UniversalSpec& spec = {});

} // namespace tcfix::support
