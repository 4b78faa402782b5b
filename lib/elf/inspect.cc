#include "elf/dynamic.h"
#include "elf/elf.h"
#include "elf/notes.h"
#include "elf/search_paths.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/VersionTuple.h>

#include <map>

namespace tcfix::elf {

using namespace llvm::ELF;

namespace {

/// The name printed by `uname -m`; a number for machines without Python.
std::string archOf(const Model& model) {
  bool isLittle = model.flavor.isLittle, is64 = model.flavor.is64;
  switch (model.header.machine) {
  case EM_X86_64:
    return is64 ? "x86_64" : "x32";
  case EM_386:
    return "i386";
  case EM_AARCH64:
    return isLittle ? "aarch64" : "aarch64_be";
  case EM_ARM:
    return isLittle ? "arm" : "armeb";
  case EM_PPC64:
    return isLittle ? "ppc64le" : "ppc64";
  case EM_PPC:
    return "ppc";
  case EM_S390:
    return is64 ? "s390x" : "s390";
  case EM_RISCV:
    return is64 ? "riscv64" : "riscv32";
  case EM_MIPS:
    return std::string(is64 ? "mips64" : "mips") + (isLittle ? "el" : "");
  case EM_LOONGARCH:
    return is64 ? "loongarch64" : "loongarch32";
  case EM_SPARCV9:
    return "sparc64";
  default:
    return "machine " + std::to_string(model.header.machine);
  }
}

std::optional<std::string> interpreterOf(const Model& model) {
  for (const Segment& segment : model.segments)
    if (segment.type == PT_INTERP)
      return textOf(*model.source->read(segment.offset, segment.filesz)).rtrim('\0').str();
  return std::nullopt;
}

std::string fileTypeOf(const Model& model) {
  if (model.header.type == ET_EXEC)
    return "program";
  if (isProgram(model))
    return "position-independent program";
  return "shared library";
}

/// From the notes in segments or, if an edit reused that program header, in sections.
std::string buildIdOf(const Model& model) {
  std::vector<std::pair<uint64_t, uint64_t>> places;
  for (const Segment& segment : model.segments)
    if (segment.type == PT_NOTE)
      places.emplace_back(segment.offset, segment.filesz);
  for (const Section& section : model.sections)
    if (section.type == SHT_NOTE)
      places.emplace_back(section.offset, section.size);
  for (auto [offset, size] : places)
    if (std::optional<Bytes> id = findBuildId(model, offset, size))
      return llvm::toHex(*id, /*LowerCase=*/true);
  return {};
}

/// The highest GLIBC_x.y among the required versions: older systems cannot load the file.
std::string leastGlibc(const Model& model, llvm::ArrayRef<NeededFile> needed) {
  llvm::VersionTuple highest;
  for (const NeededFile& file : needed)
    for (const VersionNeed& version : file.versions) {
      llvm::StringRef name = model.text(version.name);
      llvm::VersionTuple parsed;
      if (name.consume_front("GLIBC_") && !parsed.tryParse(name) && highest < parsed)
        highest = parsed;
    }
  return highest.empty() ? std::string() : highest.getAsString();
}

void addDetails(const Model& model, llvm::ArrayRef<NeededFile> needed, Slice& slice) {
  auto add = [&](const char* name, const std::string& value) {
    if (!value.empty())
      slice.details.emplace_back(name, value);
  };
  add("interpreter", interpreterOf(model).value_or(""));
  slice.minGlibc = leastGlibc(model, needed);
  add("needs glibc", slice.minGlibc);
  for (const NeededFile& file : needed) {
    std::vector<std::string> names;
    for (const VersionNeed& version : file.versions)
      names.push_back(model.text(version.name).str());
    add("versions", model.text(file.name).str() + ": " + llvm::join(names, ", "));
  }
  for (const std::string& text : readSearchPaths(model).ignored)
    add("ignored", text + " (loaders use only one of DT_RPATH and DT_RUNPATH)");
  add("build id", buildIdOf(model));
  if (model.dynamicSegment)
    add("spare slots", std::to_string(model.dynamic.size() - model.usedSlots - 1));
}

llvm::Error addSymbols(const Model& model, llvm::ArrayRef<NeededFile> needed, Slice& slice) {
  llvm::Expected<Bytes> symbols = symbolBytes(model);
  if (!symbols)
    return symbols.takeError();
  std::map<uint16_t, llvm::StringRef> libraries;
  for (const NeededFile& file : needed)
    for (const VersionNeed& version : file.versions)
      libraries[version.index & VERSYM_VERSION] = model.text(file.name);
  std::optional<Bytes> versions;
  uint64_t count = symbols->size() / symbolSize(model.flavor);
  if (std::optional<uint64_t> address = model.find(DT_VERSYM))
    versions = model.readAt(*address, count * 2);

  forEachSymbol(model.flavor, *symbols, [&](size_t index, const Symbol& symbol) {
    if (index == 0 || symbol.binding() == STB_LOCAL || symbol.name == 0)
      return;
    std::string name = model.text(symbol.name).str();
    if (symbol.shndx != SHN_UNDEF) {
      if (symbol.visibility() == STV_DEFAULT || symbol.visibility() == STV_PROTECTED)
        slice.exports.push_back(std::move(name));
      return;
    }
    llvm::StringRef from;
    if (versions)
      from = libraries[model.flavor.read16(versions->data() + index * 2) & VERSYM_VERSION];
    slice.imports.push_back({std::move(name), from.str(), symbol.binding() == STB_WEAK});
  });
  return llvm::Error::success();
}

} // namespace

llvm::Expected<Image> inspect(Bytes bytes, bool withSymbols) {
  Source source(bytes);
  llvm::Expected<Model> model = Model::read(source);
  if (!model)
    return model.takeError();
  llvm::Expected<std::vector<NeededFile>> needed = readNeededVersions(*model);
  if (!needed)
    return needed.takeError();
  Slice slice;
  slice.arch = archOf(*model);
  slice.fileType = fileTypeOf(*model);
  if (std::optional<uint64_t> identity = model->find(DT_SONAME))
    slice.identity = model->text(*identity).str();
  for (const DynamicEntry& entry : model->entries())
    if (entry.tag == DT_NEEDED)
      slice.dependencies.push_back({model->text(entry.value).str()});
  SearchPaths search = readSearchPaths(*model);
  slice.searchPaths = std::move(search.paths);
  slice.searchPathKind = search.kind;
  addDetails(*model, *needed, slice);
  if (withSymbols && model->strings)
    if (llvm::Error error = addSymbols(*model, *needed, slice))
      return error;
  Image image;
  image.format = Format::Elf;
  image.slices.push_back(std::move(slice));
  return image;
}

} // namespace tcfix::elf
