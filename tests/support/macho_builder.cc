#include "support/macho_builder.h"

#include "support/byte_writer.h"

namespace tcfix::support {

using namespace llvm::MachO;

namespace {

constexpr uint64_t kDataSize = 64;
constexpr uint64_t kBssSize = 256;

// The positions of all parts, computed in a first pass that only measures the commands.
struct Layout {
  uint64_t code = 0;
  uint64_t infoPlist = 0;
  uint64_t textSize = 0; // __DATA begins here
  uint64_t linkedit = 0;
  uint64_t strings = 0;
  uint64_t exportTrie = 0;
  uint64_t signature = 0;
  uint64_t signatureRoom = 0;
  uint64_t end = 0;
};

class MachOBuilder {
public:
  explicit MachOBuilder(const MachOSpec& spec) : spec(spec), arch(spec.arch) {}

  ByteVector build() {
    makeTables();
    Layout layout = layOut(headerSize() + commands({}).size());
    ByteVector head = commands(layout);

    ByteWriter out(arch.isLittleEndian, arch.is64);
    out.u32(arch.is64 ? MH_MAGIC_64 : MH_MAGIC);
    out.u32(arch.cpuType);
    out.u32(arch.cpuSubtype);
    out.u32(spec.fileType);
    out.u32(commandCount);
    out.u32(head.size());
    out.u32(MH_DYLDLINK | MH_TWOLEVEL | MH_NOUNDEFS |
            (spec.fileType == MH_EXECUTE ? uint32_t(MH_PIE) : 0));
    out.padTo(headerSize());
    out.raw(head);
    out.padTo(layout.code);
    for (uint64_t i = 0; i < spec.codeSize; ++i) // every page differs from the others
      out.u8(static_cast<uint8_t>(1 + (i >> 8) * 7 + i % 251));
    out.text(spec.infoPlist);
    out.padTo(layout.textSize);
    out.bytes.insert(out.bytes.end(), kDataSize, 0xda);
    out.padTo(layout.linkedit);
    out.raw(symbolTable);
    out.raw(stringTable);
    out.raw(spec.exportTrie);
    out.padTo(layout.signature);
    if (layout.signatureRoom > 0)
      out.raw(buildSignature(spec.signature, imageFor(out.bytes, layout)));
    out.padTo(layout.end);
    return out.bytes;
  }

private:
  uint64_t headerSize() const { return arch.is64 ? 32 : 28; }
  bool isExecutable() const { return spec.fileType == MH_EXECUTE; }

  SignedImage imageFor(Bytes code, const Layout& layout) const {
    return {code, layout.textSize, isExecutable(), spec.infoPlist};
  }

  void makeTables() {
    ByteWriter symbols(arch.isLittleEndian, arch.is64), strings(arch.isLittleEndian);
    strings.text(llvm::StringRef(" \0", 2));
    for (const SymbolSpec& symbol : spec.symbols) {
      symbols.u32(strings.size());
      bool isDefined = symbol.ordinal == 0;
      symbols.u8(static_cast<uint8_t>(isDefined ? N_SECT : N_UNDF) | uint8_t(N_EXT));
      symbols.u8(isDefined ? 1 : 0);
      symbols.u16(static_cast<uint16_t>(symbol.ordinal << 8));
      symbols.word(isDefined ? 0x1000 : 0);
      strings.text(symbol.name);
      strings.u8(0);
    }
    strings.padTo(alignUp(strings.size(), 8));
    symbolTable = symbols.bytes;
    stringTable = strings.bytes;
  }

  Layout layOut(uint64_t endOfCommands) const {
    Layout layout;
    layout.code = endOfCommands + spec.headerPadding;
    layout.infoPlist = layout.code + spec.codeSize;
    layout.textSize = alignUp(layout.infoPlist + spec.infoPlist.size(), arch.page);
    layout.linkedit = layout.textSize + arch.page;
    layout.strings = layout.linkedit + symbolTable.size();
    layout.exportTrie = layout.strings + stringTable.size();
    layout.end = layout.signature = layout.exportTrie + spec.exportTrie.size();
    if (spec.signature.style != SignatureStyle::None) {
      layout.signature = alignUp(layout.signature, 16);
      ByteVector zeros(layout.signature);
      layout.signatureRoom = support::signatureRoom(spec.signature, imageFor(zeros, layout));
      layout.end = layout.signature + layout.signatureRoom;
    }
    return layout;
  }

  ByteVector commands(const Layout& layout) {
    out = ByteWriter(arch.isLittleEndian, arch.is64);
    commandCount = 0;
    segments(layout);
    if (spec.fileType == MH_DYLIB || spec.fileType == MH_DYLIB_STUB)
      library(LC_ID_DYLIB, spec.id);
    command(LC_SYMTAB, [&] {
      out.u32(layout.linkedit);
      out.u32(spec.symbols.size());
      out.u32(layout.strings);
      out.u32(stringTable.size());
    });
    command(LC_DYSYMTAB, [&] { dynamicSymbols(); });
    if (!spec.exportTrie.empty())
      linkeditData(LC_DYLD_EXPORTS_TRIE, layout.exportTrie, spec.exportTrie.size());
    if (spec.hasUuid)
      command(LC_UUID, [&] { out.raw(kUuid); });
    version();
    if (isExecutable()) {
      text(LC_LOAD_DYLINKER, "/usr/lib/dyld", [] {});
      command(LC_MAIN, [&] {
        out.u64(layout.code);
        out.u64(0);
      });
    }
    for (const DependencySpec& dependency : spec.dependencies)
      library(dependency.command, dependency.name);
    for (const ByteVector& other : spec.otherCommands) {
      out.raw(other);
      ++commandCount;
    }
    if (!spec.hasRpathsLast)
      rpaths();
    if (spec.signature.style != SignatureStyle::None)
      linkeditData(LC_CODE_SIGNATURE, layout.signature, layout.signatureRoom);
    if (spec.hasRpathsLast)
      rpaths();
    return out.bytes;
  }

  // Writes a command's header, its content, padding, and then its real size.
  template <typename Content>
  void command(uint32_t kind, Content content) {
    uint64_t start = out.size();
    out.u32(kind);
    out.u32(0);
    content();
    out.padTo(alignUp(out.size(), arch.is64 ? 8 : 4));
    ByteWriter size(arch.isLittleEndian);
    size.u32(out.size() - start);
    std::copy(size.bytes.begin(), size.bytes.end(), out.bytes.begin() + start + 4);
    ++commandCount;
  }

  template <typename Fields>
  void text(uint32_t kind, llvm::StringRef value, Fields fields) {
    command(kind, [&] {
      uint64_t start = out.size() - 8;
      out.u32(0);
      fields();
      ByteWriter offset(arch.isLittleEndian);
      offset.u32(out.size() - start);
      std::copy(offset.bytes.begin(), offset.bytes.end(), out.bytes.begin() + start + 8);
      out.text(value);
      out.u8(0);
    });
  }

  void library(uint32_t kind, llvm::StringRef name) {
    text(kind, name, [&] {
      out.u32(2);       // timestamp, as linkers write it
      out.u32(0x10203); // current version
      out.u32(0x10000); // compatibility version
    });
  }

  void linkeditData(uint32_t kind, uint64_t offset, uint64_t size) {
    command(kind, [&] {
      out.u32(offset);
      out.u32(size);
    });
  }

  void rpaths() {
    for (const std::string& path : spec.rpaths)
      text(LC_RPATH, path, [] {});
  }

  void version() {
    if (spec.hasBuildVersion)
      command(LC_BUILD_VERSION, [&] {
        out.u32(PLATFORM_MACOS);
        out.u32(0x0b0000);
        out.u32(spec.sdk);
        out.u32(0); // tools
      });
    else
      command(LC_VERSION_MIN_MACOSX, [&] {
        out.u32(0x0a0f07);
        out.u32(spec.sdk);
      });
  }

  void dynamicSymbols() {
    uint32_t defined = 0;
    for (const SymbolSpec& symbol : spec.symbols)
      defined += symbol.ordinal == 0;
    for (uint32_t value : {0u, 0u, 0u, defined, defined, uint32_t(spec.symbols.size()) - defined})
      out.u32(value);
    for (int i = 0; i < 12; ++i)
      out.u32(0);
  }

  void segments(const Layout& layout) {
    uint64_t base = 0;
    if (isExecutable()) {
      base = arch.is64 ? 0x100000000 : 0x1000;
      segment("__PAGEZERO", 0, base, 0, 0, 0, 0, [] {});
    }
    segment("__TEXT", base, layout.textSize, 0, layout.textSize, 5, spec.infoPlist.empty() ? 1 : 2,
            [&] {
              section("__text", "__TEXT", base + layout.code, spec.codeSize, layout.code,
                      S_ATTR_PURE_INSTRUCTIONS | S_ATTR_SOME_INSTRUCTIONS);
              if (!spec.infoPlist.empty())
                section("__info_plist", "__TEXT", base + layout.infoPlist, spec.infoPlist.size(),
                        layout.infoPlist, 0);
            });
    uint64_t data = base + layout.textSize;
    segment("__DATA", data, arch.page, layout.textSize, arch.page, 3, 2, [&] {
      section("__data", "__DATA", data, kDataSize, layout.textSize, 0);
      section("__bss", "__DATA", data + kDataSize, kBssSize, 0, S_ZEROFILL);
    });
    uint64_t size = layout.end - layout.linkedit;
    segment("__LINKEDIT", data + arch.page, alignUp(size, arch.page), layout.linkedit, size, 1, 0,
            [] {});
  }

  template <typename Sections>
  void segment(const char* name, uint64_t address, uint64_t memorySize, uint64_t fileOffset,
               uint64_t fileSize, uint32_t protection, uint32_t count, Sections sections) {
    command(arch.is64 ? LC_SEGMENT_64 : LC_SEGMENT, [&] {
      out.name16(name);
      out.word(address);
      out.word(memorySize);
      out.word(fileOffset);
      out.word(fileSize);
      out.u32(protection);
      out.u32(protection);
      out.u32(count);
      out.u32(0);
      sections();
    });
  }

  void section(const char* name, const char* segment, uint64_t address, uint64_t size,
               uint64_t offset, uint32_t flags) {
    out.name16(name);
    out.name16(segment);
    out.word(address);
    out.word(size);
    out.u32(offset);
    out.u32(0); // alignment
    out.u32(0); // relocations
    out.u32(0);
    out.u32(flags);
    for (int i = 0; i < (arch.is64 ? 3 : 2); ++i)
      out.u32(0);
  }

  const MachOSpec& spec;
  Architecture arch;
  ByteWriter out{true};
  uint32_t commandCount = 0;
  ByteVector symbolTable;
  ByteVector stringTable;
};

} // namespace

ByteVector buildMachO(const MachOSpec& spec) {
  return MachOBuilder(spec).build();
}

MachOSpec signedAs(SignatureStyle style, MachOSpec spec) {
  spec.signature.style = style;
  return spec;
}

ByteVector loadCommand(uint32_t kind, llvm::StringRef content) {
  ByteWriter out(/*isLittleEndian=*/true);
  out.u32(kind);
  out.u32(alignUp(8 + content.size(), 8));
  out.text(content);
  out.padTo(alignUp(out.size(), 8));
  return out.bytes;
}

ByteVector buildUniversal(llvm::ArrayRef<UniversalSlice> slices, const UniversalSpec& spec) {
  uint64_t alignment = uint64_t(1) << spec.alignment;
  ByteWriter out(/*isLittleEndian=*/false, /*is64=*/spec.hasWideTable);
  out.u32(spec.hasWideTable ? FAT_MAGIC_64 : FAT_MAGIC);
  out.u32(slices.size());
  std::vector<uint64_t> offsets;
  uint64_t place = alignUp(8 + slices.size() * (spec.hasWideTable ? 32 : 20), alignment);
  for (const UniversalSlice& slice : slices) {
    offsets.push_back(place);
    out.u32(slice.arch.cpuType);
    out.u32(slice.arch.cpuSubtype);
    out.word(place);
    out.word(slice.bytes.size());
    out.u32(spec.alignment);
    if (spec.hasWideTable)
      out.u32(0);
    place = alignUp(place + slice.bytes.size(), alignment) + spec.gap;
  }
  for (size_t i = 0; i < slices.size(); ++i) {
    out.padTo(offsets[i]);
    out.raw(slices[i].bytes);
  }
  return out.bytes;
}

} // namespace tcfix::support
