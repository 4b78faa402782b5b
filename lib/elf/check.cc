#include "elf/check.h"

#include "base/error.h"
#include "elf/elf.h"
#include "elf/versions.h"

#include <llvm/ADT/STLExtras.h>

#include <map>

namespace tcfix::elf {

using namespace llvm::ELF;

namespace {

using Problems = std::vector<std::string>;

/// glibc asserts that each library with needed versions is loaded (elf/dl-version.c).
void checkVersions(const Model& model, Problems& problems) {
  llvm::Expected<std::vector<NeededFile>> needed = readNeededVersions(model);
  if (!needed) {
    problems.push_back(toProblem(needed.takeError(), {}).message);
    return;
  }
  for (const NeededFile& file : *needed) {
    llvm::StringRef name = model.text(file.name);
    bool isNamed = llvm::any_of(model.entries(), [&](const DynamicEntry& entry) {
      return entry.tag == DT_NEEDED && model.text(entry.value) == name;
    });
    if (!isNamed)
      problems.push_back("requires symbol versions of " + name.str() +
                         ", which is not a dependency");
  }
  llvm::Expected<std::vector<DefinedVersion>> defined = readDefinedVersions(model);
  if (!defined)
    problems.push_back(toProblem(defined.takeError(), {}).message);
}

void checkSymbols(const Model& model, Problems& problems) {
  llvm::Expected<Bytes> symbols = symbolBytes(model);
  if (!symbols)
    problems.push_back(toProblem(symbols.takeError(), {}).message);
}

void checkAddresses(const Model& model, Problems& problems) {
  for (const DynamicEntry& entry : model.entries())
    if (isAddress(entry.tag) && entry.value != 0 && !model.offsetOf(entry.value, 1))
      problems.push_back("dynamic entry " + hex(entry.tag) + " points outside of all segments");
}

void checkEntries(const Model& model, Problems& problems) {
  std::map<uint64_t, int> seen;
  for (const DynamicEntry& entry : model.entries())
    ++seen[entry.tag];
  for (uint64_t tag : {DT_STRTAB, DT_STRSZ, DT_SYMTAB, DT_SONAME, DT_RPATH, DT_RUNPATH})
    if (seen[tag] > 1)
      problems.push_back("dynamic entry " + hex(tag) + " occurs more than once");
  if (seen[DT_RPATH] && seen[DT_RUNPATH])
    problems.push_back("has both DT_RPATH and DT_RUNPATH");
}

/// glibc: "ELF load command alignment not page-aligned"; ld.so and the kernel find the program
/// headers in memory.
void checkSegments(const Model& model, Problems& problems) {
  uint64_t table = model.segments.size() * segmentSize(model.flavor);
  bool isTableLoaded = false;
  for (const Segment& segment : model.segments) {
    if (segment.type == PT_LOAD) {
      isTableLoaded |= segment.offset <= model.header.phoff &&
                       fits(model.header.phoff - segment.offset, table, segment.filesz);
      if (segment.align % kLeastPage)
        problems.push_back("a segment is not page-aligned");
    }
    if (segment.type == PT_PHDR && segment.filesz != table)
      problems.push_back("size of PT_PHDR differs from the program headers");
    bool mustBeLoaded = segment.type == PT_PHDR || segment.type == PT_INTERP ||
                        segment.type == PT_GNU_EH_FRAME || segment.type == PT_TLS;
    if (mustBeLoaded && segment.filesz &&
        model.offsetOf(segment.vaddr, segment.filesz) != segment.offset)
      problems.push_back("a segment of type " + hex(segment.type) +
                         " is not loaded at its stated address");
  }
  if (!isTableLoaded)
    problems.push_back("the program headers are not loaded");
}

/// readelf, objdump, strip and patchelf use section headers, which must match what the loader sees.
void checkSections(const Model& model, Problems& problems) {
  bool hasDynamic = false, hasStrings = false;
  for (const Section& section : model.sections) {
    bool isLoaded = section.flags & SHF_ALLOC;
    if (isLoaded && section.type != SHT_NOBITS && section.size &&
        model.offsetOf(section.addr, section.size) != section.offset)
      problems.push_back("a section of type " + hex(section.type) +
                         " is not loaded at its stated address");
    if (model.dynamicSegment && section.type == SHT_DYNAMIC) {
      const Segment& segment = model.segments[*model.dynamicSegment];
      hasDynamic |= section.addr == segment.vaddr && section.size == segment.filesz;
    }
    if (model.strings && section.type == SHT_STRTAB)
      hasStrings |=
          section.addr == model.strings->address && section.size == model.strings->bytes.size();
  }
  if (model.sections.empty())
    return;
  if (model.dynamicSegment && !hasDynamic)
    problems.push_back("no section header for the dynamic section");
  if (model.strings && !hasStrings)
    problems.push_back("no section header for the dynamic string table");
}

} // namespace

std::vector<std::string> checkSource(const Source& source) {
  llvm::Expected<Model> model = Model::read(source);
  if (!model)
    return {toProblem(model.takeError(), {}).message};
  Problems problems;
  for (auto* rule :
       {checkSegments, checkSections, checkEntries, checkAddresses, checkVersions, checkSymbols})
    rule(*model, problems);
  return problems;
}

std::vector<std::string> check(Bytes bytes) {
  return checkSource(Source(bytes));
}

} // namespace tcfix::elf
