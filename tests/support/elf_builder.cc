#include "support/elf_builder.h"

#include <cstdio>
#include <cstdlib>
#include <map>

namespace tcfix::test {

namespace {

/// Appends fields in the flavor's byte order and records their positions.
class ElfBuilder {
public:
  explicit ElfBuilder(const ElfSpec& spec) : spec(spec) { image.spec = spec; }

  ElfImage build();

private:
  struct Section {
    std::string name;
    uint32_t type;
    uint64_t flags, address, offset, size, entsize;
    uint32_t link, info;
  };

  uint64_t here() const { return image.bytes.size(); }
  uint64_t word() const { return spec.is64 ? 8 : 4; }
  uint64_t address(uint64_t offset) const { return spec.base + offset; }

  void put(unsigned size, uint64_t value, const std::string& name = {}) {
    if (!name.empty())
      image.fields.push_back({name, here(), size});
    for (unsigned i = 0; i < size; ++i)
      image.bytes.push_back(uint8_t(value >> 8 * (spec.isLittle ? i : size - 1 - i)));
  }
  void putWord(uint64_t value, const std::string& name = {}) { put(word(), value, name); }
  void align(uint64_t to) { image.bytes.resize(alignUp(here(), to)); }
  void set(const std::string& name, uint64_t value) { image.bytes = image.with(name, value); }

  uint32_t text(const std::string& value) {
    auto [place, isNew] = texts.try_emplace(value, strings.size());
    if (isNew)
      strings += value + '\0';
    return place->second;
  }

  void putHeader(unsigned segments);
  void putSegment(const std::string& name, uint32_t type, uint32_t flags, uint64_t align);
  void setSegment(const std::string& name, uint64_t offset, uint64_t size, uint64_t memory);
  void putSymbols();
  void putVersions();
  void putDynamic();
  void putSections();
  void beginSection(const std::string& name, uint32_t type, uint64_t flags, uint64_t entsize = 0,
                    uint32_t link = 0, uint32_t info = 0) {
    sections.push_back({name, type, flags, address(here()), here(), 0, entsize, link, info});
  }
  void endSection() { sections.back().size = here() - sections.back().offset; }
  const Section& section(const std::string& name) const {
    for (const Section& candidate : sections)
      if (candidate.name == name)
        return candidate;
    std::abort();
  }

  const ElfSpec& spec;
  ElfImage image;
  std::string strings = std::string(1, '\0');
  std::map<std::string, uint32_t> texts;
  std::vector<Section> sections = {{}};
};

void ElfBuilder::putHeader(unsigned segments) {
  for (char byte : {'\x7f', 'E', 'L', 'F'})
    put(1, byte);
  put(1, spec.is64 ? 2 : 1, "EI_CLASS");
  put(1, spec.isLittle ? 1 : 2, "EI_DATA");
  put(1, 1, "EI_VERSION");
  align(16);
  put(2, spec.type, "e_type");
  put(2, spec.machine, "e_machine");
  put(4, 1, "e_version");
  putWord(0, "e_entry");
  putWord(spec.is64 ? 64 : 52, "e_phoff");
  putWord(0, "e_shoff");
  put(4, 0, "e_flags");
  put(2, spec.is64 ? 64 : 52, "e_ehsize");
  put(2, spec.is64 ? 56 : 32, "e_phentsize");
  put(2, segments, "e_phnum");
  put(2, spec.hasSections ? (spec.is64 ? 64 : 40) : 0, "e_shentsize");
  put(2, 0, "e_shnum");
  put(2, 0, "e_shstrndx");
}

void ElfBuilder::putSegment(const std::string& name, uint32_t type, uint32_t flags,
                            uint64_t align) {
  put(4, type, name + ".p_type");
  if (spec.is64)
    put(4, flags, name + ".p_flags");
  for (const char* field : {".p_offset", ".p_vaddr", ".p_paddr", ".p_filesz", ".p_memsz"})
    putWord(0, name + field);
  if (!spec.is64)
    put(4, flags, name + ".p_flags");
  putWord(align, name + ".p_align");
}

void ElfBuilder::setSegment(const std::string& name, uint64_t offset, uint64_t size,
                            uint64_t memory) {
  set(name + ".p_offset", offset);
  set(name + ".p_vaddr", address(offset));
  set(name + ".p_paddr", address(offset));
  set(name + ".p_filesz", size);
  set(name + ".p_memsz", memory);
}

void ElfBuilder::putSymbols() {
  unsigned count = 1 + spec.symbols.size();
  beginSection(".hash", 5, 2, 4, 2);
  put(4, 1, "hash.nbucket");
  put(4, count, "hash.nchain");
  put(4, count > 1 ? 1 : 0, "hash.bucket0");
  for (unsigned i = 0; i < count; ++i)
    put(4, i && i + 1 < count ? i + 1 : 0);
  endSection();
  align(8);
  beginSection(".dynsym", 11, 2, spec.is64 ? 24 : 16, 3, 1);
  for (unsigned i = 0; i < count; ++i) {
    std::string name = "symbol" + std::to_string(i);
    put(4, i ? text(spec.symbols[i - 1]) : 0, name + ".st_name");
    auto putKind = [&] {
      put(1, i ? 0x12 : 0, name + ".st_info"); // a global function
      put(1, 0);
      put(2, 0, name + ".st_shndx");
    };
    if (spec.is64)
      putKind();
    putWord(0, name + ".st_value");
    putWord(0);
    if (!spec.is64)
      putKind();
  }
  endSection();
}

void ElfBuilder::putVersions() {
  beginSection(".gnu.version_r", 0x6ffffffe, 2, 0, 3, spec.versions.size());
  unsigned index = 2;
  for (size_t i = 0; i < spec.versions.size(); ++i) {
    std::string name = "verneed" + std::to_string(i);
    size_t count = spec.versions[i].versions.size();
    bool isLast = i + 1 == spec.versions.size();
    put(2, 1, name + ".vn_version");
    put(2, count, name + ".vn_cnt");
    put(4, text(spec.versions[i].file), name + ".vn_file");
    put(4, 16, name + ".vn_aux");
    put(4, isLast ? 0 : 16 + 16 * count, name + ".vn_next");
    for (size_t k = 0; k < count; ++k) {
      std::string aux = name + ".aux" + std::to_string(k);
      put(4, 0x1234);
      put(2, 0);
      put(2, index++, aux + ".vna_other");
      put(4, text(spec.versions[i].versions[k]), aux + ".vna_name");
      put(4, k + 1 < count ? 16 : 0, aux + ".vna_next");
    }
  }
  endSection();
}

void ElfBuilder::putDynamic() {
  auto entry = [&](const std::string& name, uint64_t tag, uint64_t value) {
    putWord(tag, name + ".tag");
    putWord(value, name);
  };
  beginSection(".dynamic", 6, 3, 2 * word(), 3);
  for (size_t i = 0; i < spec.needed.size(); ++i)
    entry("DT_NEEDED" + std::to_string(i), 1, text(spec.needed[i]));
  if (!spec.soname.empty())
    entry("DT_SONAME", 14, text(spec.soname));
  if (!spec.rpath.empty())
    entry("DT_RPATH", 15, text(spec.rpath));
  if (!spec.runpath.empty())
    entry("DT_RUNPATH", 29, text(spec.runpath));
  entry("DT_HASH", 4, section(".hash").address);
  entry("DT_STRTAB", 5, section(".dynstr").address);
  entry("DT_SYMTAB", 6, section(".dynsym").address);
  entry("DT_STRSZ", 10, section(".dynstr").size);
  entry("DT_SYMENT", 11, section(".dynsym").entsize);
  if (!spec.versions.empty()) {
    entry("DT_VERNEED", 0x6ffffffe, section(".gnu.version_r").address);
    entry("DT_VERNEEDNUM", 0x6fffffff, spec.versions.size());
  }
  for (size_t i = 0; i < spec.moreEntries.size(); ++i)
    entry("more" + std::to_string(i), spec.moreEntries[i].first, spec.moreEntries[i].second);
  for (unsigned i = 0; i < 1 + spec.spareSlots; ++i)
    entry("DT_NULL" + std::to_string(i), 0, 0);
  endSection();
}

void ElfBuilder::putSections() {
  std::string names(1, '\0');
  std::vector<uint32_t> nameOffsets;
  sections.push_back({".shstrtab", 3, 0, 0, here(), 0, 0, 0, 0});
  for (const Section& candidate : sections) {
    nameOffsets.push_back(candidate.name.empty() ? 0 : names.size());
    if (!candidate.name.empty())
      names += candidate.name + '\0';
  }
  image.bytes.insert(image.bytes.end(), names.begin(), names.end());
  sections.back().size = names.size();
  align(8);
  set("e_shoff", here());
  set("e_shnum", sections.size());
  set("e_shstrndx", sections.size() - 1);
  for (size_t i = 0; i < sections.size(); ++i) {
    const Section& each = sections[i];
    std::string name = "section" + std::to_string(i);
    put(4, nameOffsets[i], name + ".sh_name");
    put(4, each.type, name + ".sh_type");
    putWord(each.flags, name + ".sh_flags");
    putWord(each.address, name + ".sh_addr");
    putWord(each.offset, name + ".sh_offset");
    putWord(each.size, name + ".sh_size");
    put(4, each.link, name + ".sh_link");
    put(4, each.info, name + ".sh_info");
    putWord(each.type ? 1 : 0, name + ".sh_addralign");
    putWord(each.entsize, name + ".sh_entsize");
  }
}

ElfImage ElfBuilder::build() {
  unsigned segments = 4 + spec.hasNote + spec.hasNullSegment + spec.hasInterp;
  putHeader(segments);
  if (spec.hasInterp)
    putSegment("INTERP", 3, 4, 1);
  putSegment("LOAD0", 1, 5, spec.align);
  putSegment("LOAD1", 1, 6, spec.align);
  putSegment("DYNAMIC", 2, 6, word());
  if (spec.hasNote)
    putSegment("NOTE", 4, 4, 4);
  putSegment("GNU_STACK", 0x6474e551, 6, 16);
  if (spec.hasNullSegment)
    putSegment("NULL", 0, 0, 0);
  image.bytes.resize(here() + spec.roomAfterHeaders);

  if (spec.hasInterp) {
    static const std::string kLoader("/lib/ld.so\0", 11);
    beginSection(".interp", 1, 2);
    image.bytes.insert(image.bytes.end(), kLoader.begin(), kLoader.end());
    endSection();
    setSegment("INTERP", section(".interp").offset, kLoader.size(), kLoader.size());
    align(8);
  }
  putSymbols();
  // The strings of versions and of the dynamic section are collected before the table is written.
  for (const ElfVersions& versions : spec.versions) {
    text(versions.file);
    for (const std::string& version : versions.versions)
      text(version);
  }
  for (const std::string& name : spec.needed)
    text(name);
  for (const std::string& name : {spec.soname, spec.rpath, spec.runpath})
    if (!name.empty())
      text(name);
  beginSection(".dynstr", 3, 2);
  image.bytes.insert(image.bytes.end(), strings.begin(), strings.end());
  image.bytes.resize(here() + spec.deadBytes);
  endSection();
  align(8);
  if (!spec.versions.empty())
    putVersions();
  if (spec.hasNote) {
    beginSection(".note.gnu.build-id", 7, 2);
    put(4, 4, "note.n_namesz");
    put(4, 8, "note.n_descsz");
    put(4, 3, "note.n_type");
    for (char letter : {'G', 'N', 'U', '\0'})
      put(1, letter);
    put(8, 0x1122334455667788);
    endSection();
    setSegment("NOTE", section(".note.gnu.build-id").offset, 24, 24);
  }
  setSegment("LOAD0", 0, here(), here());
  align(spec.align);
  uint64_t begin = here();
  putDynamic();
  setSegment("DYNAMIC", begin, here() - begin, here() - begin);
  setSegment("LOAD1", begin, here() - begin, here() - begin + (spec.hasBss ? 0x20 : 0));
  if (spec.hasSections) {
    // Sections refer to each other by number, so .dynsym and .dynstr are resolved after all are
    // numbered.
    for (Section& each : sections)
      for (size_t i = 0; i < sections.size(); ++i) {
        bool wantsSymbols = each.type == 5;
        bool wantsStrings = each.type == 11 || each.type == 6 || each.type == 0x6ffffffe;
        if ((wantsSymbols && sections[i].name == ".dynsym") ||
            (wantsStrings && sections[i].name == ".dynstr"))
          each.link = i;
      }
    putSections();
  }
  return std::move(image);
}

} // namespace

const ElfField& ElfImage::field(const std::string& name) const {
  for (const ElfField& candidate : fields)
    if (candidate.name == name)
      return candidate;
  std::fprintf(stderr, "no field %s\n", name.c_str());
  std::abort();
}

uint64_t ElfImage::get(const std::string& name) const {
  const ElfField& place = field(name);
  uint64_t value = 0;
  for (unsigned i = 0; i < place.size; ++i)
    value |= uint64_t(bytes[place.offset + i]) << 8 * (spec.isLittle ? i : place.size - 1 - i);
  return value;
}

ByteVector ElfImage::with(const std::string& name, uint64_t value) const {
  const ElfField& place = field(name);
  ByteVector changed = bytes;
  for (unsigned i = 0; i < place.size; ++i)
    changed[place.offset + i] = uint8_t(value >> 8 * (spec.isLittle ? i : place.size - 1 - i));
  return changed;
}

ElfImage buildElf(const ElfSpec& spec) {
  return ElfBuilder(spec).build();
}

} // namespace tcfix::test
