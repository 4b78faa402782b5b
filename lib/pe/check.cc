#include "pe/check.h"

#include "pe/exports.h"
#include "pe/pe.h"
#include "pe/relocations.h"

#include <llvm/Support/FormatVariadic.h>

namespace tcfix::pe {

using namespace llvm::object;
namespace COFF = llvm::COFF;

namespace {

using Problems = std::vector<std::string>;

constexpr uint32_t kPage = 4096;

void checkSections(const PeFile& file, Problems& problems) {
  if (file.sections.size() > 96)
    problems.push_back("has more than 96 sections");
  uint64_t expected = alignUp(file.sizeOfHeaders, file.sectionAlignment);
  uint64_t fileEnd = 0;
  for (const Section& section : file.sections) {
    if (section.address % file.sectionAlignment)
      problems.push_back("section " + section.name + " is not aligned in memory");
    // Alignments below the page size are for drivers, which are mapped without change.
    if (file.sectionAlignment >= kPage && section.address != expected)
      problems.push_back("section " + section.name +
                         " does not directly follow the previous one in memory");
    if (section.fileSize && section.offset % std::min<uint32_t>(file.fileAlignment, 512))
      problems.push_back("section " + section.name + " is not aligned in the file");
    if (section.fileSize && section.offset < fileEnd)
      problems.push_back("section " + section.name + " overlaps another one in the file");
    fileEnd = std::max(fileEnd, section.fileEnd());
    expected = alignUp(section.end(), file.sectionAlignment);
  }
  if (!file.sections.empty() && alignUp(file.sizeOfImage, file.sectionAlignment) != expected)
    problems.push_back("the size of the image does not match the end of its last section");
}

void checkEntryPoint(const PeFile& file, Problems& problems) {
  const Section* section = file.sectionAt(file.entryPoint);
  if (file.entryPoint && !(section && section->characteristics & COFF::IMAGE_SCN_MEM_EXECUTE))
    problems.push_back("the entry point is not in executable memory");
}

void checkDirectories(const PeFile& file, Problems& problems) {
  for (unsigned i = 0; i < file.directoryCount; ++i) {
    const Directory& directory = file.directories[i];
    if (!directory.isPresent())
      continue;
    const bool isInside = i == COFF::CERTIFICATE_TABLE || directory.end() <= file.sizeOfImage;
    if (!isInside)
      problems.push_back(llvm::formatv("data directory {0} is outside the image", i));
  }
  if (file.dllCharacteristics & COFF::IMAGE_DLL_CHARACTERISTICS_FORCE_INTEGRITY &&
      !file.directories[COFF::CERTIFICATE_TABLE].isPresent())
    problems.push_back("requires a certificate (FORCE_INTEGRITY), but has none");
}

// While the loader fills the slots, it makes the pages of the IAT directory writable; slots
// elsewhere must be in a writable section.
void checkImports(const PeFile& file, Problems& problems) {
  llvm::Expected<std::vector<Import>> imports = readImports(file);
  if (!imports) {
    problems.push_back(llvm::toString(imports.takeError()));
    return;
  }
  const Directory& table = file.directories[COFF::IAT];
  for (const Import& import : *imports) {
    llvm::Expected<std::vector<ImportedName>> names = readImportedNames(file, import);
    if (!names) {
      problems.push_back(llvm::toString(names.takeError()));
      continue;
    }
    const uint64_t size = names->size() * file.pointerSize();
    const Section* section = file.sectionAt(import.slots);
    if (!section || !fits(import.slots - section->address, size, section->memorySize)) {
      problems.push_back(("the slots for " + import.name + " are outside the image").str());
      continue;
    }
    const bool isCovered = import.slots >= table.address && import.slots + size <= table.end();
    if (!import.isDelay && table.isPresent() && !isCovered &&
        !(section->characteristics & COFF::IMAGE_SCN_MEM_WRITE))
      problems.push_back(("the loader cannot write to the slots for " + import.name).str());
  }
}

void checkExports(const PeFile& file, Problems& problems) {
  if (llvm::Error error = readExports(file).takeError())
    problems.push_back(llvm::toString(std::move(error)));
}

void checkUnwindTable(const PeFile& file, Problems& problems) {
  const Directory& directory = file.directories[COFF::EXCEPTION_TABLE];
  if (file.machine != COFF::IMAGE_FILE_MACHINE_AMD64 || !directory.isPresent())
    return;
  std::optional<Bytes> bytes = file.bytesAt(directory.address, directory.size);
  if (!bytes || directory.size % sizeof(coff_runtime_function_x64)) {
    problems.push_back("the unwind table is outside the file");
    return;
  }
  llvm::ArrayRef functions(reinterpret_cast<const coff_runtime_function_x64*>(bytes->data()),
                           bytes->size() / sizeof(coff_runtime_function_x64));
  uint32_t begin = 0;
  for (const coff_runtime_function_x64& function : functions) {
    if (function.BeginAddress < begin || function.EndAddress < function.BeginAddress) {
      problems.push_back("the unwind table is not sorted");
      return;
    }
    begin = function.BeginAddress;
  }
}

void checkRelocations(const PeFile& file, Problems& problems) {
  bool isInside = true;
  bool isReadable =
      forEachRelocation(file, [&](uint64_t rva, unsigned) { isInside &= rva < file.sizeOfImage; });
  if (!isReadable || !isInside)
    problems.push_back("the base relocations are corrupt");
}

} // namespace

std::vector<std::string> findProblems(const PeFile& file) {
  Problems problems;
  checkSections(file, problems);
  checkEntryPoint(file, problems);
  checkDirectories(file, problems);
  checkImports(file, problems);
  checkExports(file, problems);
  checkUnwindTable(file, problems);
  checkRelocations(file, problems);
  return problems;
}

llvm::Expected<std::vector<std::string>> check(Bytes bytes) {
  ByteOverlay image(bytes);
  llvm::Expected<PeFile> file = PeFile::read(image);
  if (!file)
    return file.takeError();
  return findProblems(*file);
}

} // namespace tcfix::pe
