// Builds tiny ELF files in memory, in all four flavors, field by field and without the code under
// test. Every field is recorded by name, so that a test can corrupt one at a time.
#pragma once

#include "base/bytes.h"

#include <string>
#include <vector>

namespace tcfix::test {

struct ElfVersions {
  std::string file;
  std::vector<std::string> versions;
};

struct ElfSpec {
  bool is64 = true;
  bool isLittle = true;
  uint16_t type = 3; ///< ET_DYN
  uint16_t machine = 62;
  uint64_t base = 0;       ///< the first address
  uint64_t align = 0x1000; ///< of the segments

  std::string soname = "libtiny.so";
  std::vector<std::string> needed = {"libone.so", "libc.so.6"};
  std::string rpath;   ///< none if empty
  std::string runpath; ///< none if empty
  std::vector<ElfVersions> versions = {{"libc.so.6", {"GLIBC_2.2.5", "GLIBC_2.14"}}};
  std::vector<std::string> symbols = {"tiny_import", "malloc"}; ///< all undefined
  std::vector<std::pair<uint64_t, uint64_t>> moreEntries;       ///< tag and value

  unsigned spareSlots = 4;
  unsigned deadBytes = 0; ///< unused zero bytes at the end of the string table
  bool hasNote = true;
  bool hasNullSegment = false;
  bool hasInterp = false;
  bool hasSections = true;
  bool hasBss = true;
  unsigned roomAfterHeaders = 0; ///< unused bytes after the program headers
};

struct ElfField {
  std::string name; ///< such as "e_phoff", "LOAD0.p_offset", "DT_STRTAB", "verneed0.vn_next"
  uint64_t offset = 0;
  unsigned size = 0;
};

struct ElfImage {
  ElfSpec spec;
  ByteVector bytes;
  std::vector<ElfField> fields;

  const ElfField& field(const std::string& name) const;
  uint64_t get(const std::string& name) const;
  /// A copy with one field set to `value`.
  ByteVector with(const std::string& name, uint64_t value) const;
};

ElfImage buildElf(const ElfSpec& spec = {});

} // namespace tcfix::test
