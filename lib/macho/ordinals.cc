#include "macho/ordinals.h"

#include "macho/export_trie.h"

#include <llvm/Support/Endian.h>
#include <llvm/Support/LEB128.h>

namespace tcfix::macho {

using namespace llvm::MachO;
namespace endian = llvm::support::endian;

namespace {

class Renumbering {
public:
  Renumbering(Bytes sliceBytes, const FileSlice& slice, llvm::ArrayRef<uint64_t> renumbered)
      : sliceBytes(sliceBytes), slice(slice), renumbered(renumbered) {}

  std::optional<std::vector<Replacement>> run() {
    for (const LoadCommand& command : slice.commands)
      if (!visit(command))
        return std::nullopt;
    return std::move(tables);
  }

private:
  bool visit(const LoadCommand& command) {
    switch (command.kind) {
    case LC_SYMTAB: {
      auto table = commandAs<symtab_command>(slice, command);
      ByteVector* entries = take(table.symoff, uint64_t(table.nsyms) * sizeof(nlist_64),
                                 "symbol table: library ordinals");
      return entries && renumberSymbols(*entries);
    }
    case LC_DYLD_INFO:
    case LC_DYLD_INFO_ONLY: {
      auto info = commandAs<dyld_info_command>(slice, command);
      ByteVector* bind = take(info.bind_off, info.bind_size, "bindings: library ordinals");
      if (!bind || !renumberOpcodes(*bind, /*isLazy=*/false))
        return false;
      ByteVector* lazy =
          take(info.lazy_bind_off, info.lazy_bind_size, "lazy bindings: library ordinals");
      return lazy && renumberOpcodes(*lazy, /*isLazy=*/true) &&
             renumberTrie(info.export_off, info.export_size);
    }
    case LC_DYLD_EXPORTS_TRIE: {
      auto data = commandAs<linkedit_data_command>(slice, command);
      return renumberTrie(data.dataoff, data.datasize);
    }
    case LC_DYLD_CHAINED_FIXUPS: {
      auto data = commandAs<linkedit_data_command>(slice, command);
      ByteVector* fixups = take(data.dataoff, data.datasize, "chained fixups: library ordinals");
      return fixups && renumberImports(*fixups);
    }
    default:
      return true;
    }
  }

  /// A copy of a table, which becomes its replacement.
  ByteVector* take(uint64_t offset, uint64_t size, const char* reason) {
    std::optional<Bytes> bytes = part(sliceBytes, offset, size);
    if (!bytes)
      return nullptr;
    tables.push_back({offset, ByteVector(bytes->begin(), bytes->end()), reason});
    return &tables.back().bytes;
  }

  std::optional<uint64_t> renumber(uint64_t ordinal) const {
    if (ordinal == 0 || ordinal > renumbered.size())
      return std::nullopt;
    return renumbered[ordinal - 1];
  }

  bool renumberSymbols(ByteVector& entries) const {
    if ((slice.flags & MH_TWOLEVEL) == 0)
      return true;
    for (size_t at = 0; at < entries.size(); at += sizeof(nlist_64)) {
      const uint8_t type = entries[at + offsetof(nlist_64, n_type)];
      uint8_t& ordinal = entries[at + offsetof(nlist_64, n_desc) + 1]; // the upper byte
      const uint8_t kind = type & N_TYPE;
      if ((type & N_STAB) != 0 || (kind != N_UNDF && kind != N_PBUD) ||
          ordinal == SELF_LIBRARY_ORDINAL || ordinal >= DYNAMIC_LOOKUP_ORDINAL)
        continue;
      std::optional<uint64_t> next = renumber(ordinal);
      if (!next)
        return false;
      ordinal = static_cast<uint8_t>(*next);
    }
    return true;
  }

  /// Writes a number over one of `length` bytes that is at least as large.
  static void writeNumber(ByteVector& bytes, size_t at, unsigned length, uint64_t value) {
    llvm::encodeULEB128(value, bytes.data() + at, length);
  }

  /// Replaces the ULEB128 number at `at`, and moves past it.
  bool renumberNumber(ByteVector& bytes, size_t& at) const {
    const size_t begin = at;
    std::optional<uint64_t> ordinal = readNumber(bytes, at);
    std::optional<uint64_t> next = ordinal ? renumber(*ordinal) : std::nullopt;
    if (!next)
      return false;
    writeNumber(bytes, begin, static_cast<unsigned>(at - begin), *next);
    return true;
  }

  static std::optional<uint64_t> readNumber(const ByteVector& bytes, size_t& at) {
    unsigned length = 0;
    const char* error = nullptr;
    uint64_t value =
        llvm::decodeULEB128(bytes.data() + at, &length, bytes.data() + bytes.size(), &error);
    at += length;
    return error ? std::nullopt : std::optional(value);
  }

  /// Skips the operands of an opcode that has no ordinal.
  static bool skipOperands(const ByteVector& bytes, uint8_t opcode, uint8_t immediate, size_t& at) {
    switch (opcode) {
    case BIND_OPCODE_SET_SYMBOL_TRAILING_FLAGS_IMM: {
      auto end = std::find(bytes.begin() + static_cast<ptrdiff_t>(at), bytes.end(), 0);
      at = static_cast<size_t>(end - bytes.begin()) + 1;
      return end != bytes.end();
    }
    case BIND_OPCODE_SET_ADDEND_SLEB: // ends like an unsigned number
    case BIND_OPCODE_SET_SEGMENT_AND_OFFSET_ULEB:
    case BIND_OPCODE_ADD_ADDR_ULEB:
    case BIND_OPCODE_DO_BIND_ADD_ADDR_ULEB:
      return skipNumber(bytes, at);
    case BIND_OPCODE_DO_BIND_ULEB_TIMES_SKIPPING_ULEB:
      return skipNumber(bytes, at) && skipNumber(bytes, at);
    case kOpcodeThreaded:
      return immediate != kSetTableSize || skipNumber(bytes, at);
    case BIND_OPCODE_DONE:
    case BIND_OPCODE_SET_DYLIB_SPECIAL_IMM:
    case BIND_OPCODE_SET_TYPE_IMM:
    case BIND_OPCODE_DO_BIND:
    case BIND_OPCODE_DO_BIND_ADD_ADDR_IMM_SCALED:
      return true;
    default:
      return false;
    }
  }

  static bool skipNumber(const ByteVector& bytes, size_t& at) {
    while (at < bytes.size() && (bytes[at] & 0x80) != 0)
      ++at;
    return at++ < bytes.size();
  }

  // Each lazy binding ends with DONE; the other tables end at the first one.
  bool renumberOpcodes(ByteVector& bytes, bool isLazy) const {
    for (size_t at = 0; at < bytes.size();) {
      const size_t begin = at++;
      const uint8_t opcode = bytes[begin] & BIND_OPCODE_MASK;
      const uint8_t immediate = bytes[begin] & BIND_IMMEDIATE_MASK;
      if (opcode == BIND_OPCODE_DONE && !isLazy)
        return true;
      if (opcode == BIND_OPCODE_SET_DYLIB_ORDINAL_ULEB) {
        if (!renumberNumber(bytes, at))
          return false;
      } else if (opcode == BIND_OPCODE_SET_DYLIB_ORDINAL_IMM) {
        std::optional<uint64_t> next = immediate ? renumber(immediate) : 0; // 0: this image
        if (!next)
          return false;
        bytes[begin] = static_cast<uint8_t>(opcode | *next);
      } else if (!skipOperands(bytes, opcode, immediate, at)) {
        return false;
      }
    }
    return true;
  }

  bool renumberImports(ByteVector& bytes) const {
    // dyld_chained_fixups_header: imports_offset at 8, imports_count at 16, imports_format at 20.
    if (bytes.size() < 28)
      return false;
    const uint64_t offset = endian::read32le(&bytes[8]);
    const uint64_t count = endian::read32le(&bytes[16]);
    const uint32_t format = endian::read32le(&bytes[20]);
    // Plain, with a 32-bit addend, with a 64-bit addend; the ordinal is the lowest bits, signed.
    if (format < 1 || format > 3)
      return false;
    const uint64_t size = format == 1 ? 4 : format == 2 ? 8 : 16;
    if (offset < 28 || !fits(offset, count * size, bytes.size()))
      return false;
    for (uint64_t i = 0; i < count; ++i) {
      uint8_t* import = &bytes[offset + i * size];
      const bool isWide = format == 3;
      const auto ordinal =
          isWide ? static_cast<int16_t>(endian::read16le(import)) : static_cast<int8_t>(*import);
      if (ordinal <= 0 && ordinal >= kLeastSpecial)
        continue; // this image, the executable, a flat or a weak lookup
      std::optional<uint64_t> next = renumber(isWide ? static_cast<uint16_t>(ordinal) : *import);
      if (!next)
        return false;
      if (isWide)
        endian::write16le(import, static_cast<uint16_t>(*next));
      else
        *import = static_cast<uint8_t>(*next);
    }
    return true;
  }

  bool renumberTrie(uint64_t offset, uint64_t size) {
    ByteVector* trie = take(offset, size, "export trie: library ordinals of re-exports");
    if (!trie || trie->empty())
      return trie != nullptr;
    std::optional<std::vector<uint64_t>> places = reexportOrdinals(*trie);
    if (!places)
      return false;
    for (size_t at : *places)
      if (!renumberNumber(*trie, at))
        return false;
    return true;
  }

  static constexpr uint8_t kOpcodeThreaded = 0xD0; ///< arm64e before chained fixups
  static constexpr uint8_t kSetTableSize = 0;
  static constexpr int kLeastSpecial = -3; ///< BIND_SPECIAL_DYLIB_WEAK_LOOKUP

  Bytes sliceBytes;
  const FileSlice& slice;
  llvm::ArrayRef<uint64_t> renumbered;
  std::vector<Replacement> tables;
};

} // namespace

std::optional<std::vector<Replacement>> renumberOrdinals(Bytes sliceBytes, const FileSlice& slice,
                                                         llvm::ArrayRef<uint64_t> renumbered) {
  return Renumbering(sliceBytes, slice, renumbered).run();
}

} // namespace tcfix::macho
