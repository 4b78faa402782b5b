#include "pe/exports.h"
#include "pe/pe.h"
#include "pe/record.h"

#include <llvm/Support/FormatVariadic.h>

namespace tcfix::pe {

using namespace llvm::object;
namespace COFF = llvm::COFF;

namespace {

// Imports that tcfix delays without --lazy are bound when the DLL is loaded; all other delayed ones
// at the first call.
std::vector<Dependency> dependenciesOf(llvm::ArrayRef<Import> imports,
                                       const std::optional<ConversionRecord>& record) {
  std::vector<Dependency> dependencies;
  const std::vector<size_t> indexes = dependencyOfEach(imports);
  for (size_t i = 0; i < imports.size(); ++i) {
    const Import& import = imports[i];
    if (indexes[i] < dependencies.size())
      continue;
    const ImportOverride* setting = record ? record->settings.find(import.slots) : nullptr;
    const bool isEager = setting && setting->kind == OverrideKind::Eager;
    dependencies.push_back({import.name.str(),
                            import.isDelay ? DependencyKind::Delay : DependencyKind::Normal,
                            import.isDelay && !isEager});
  }
  return dependencies;
}

template <typename Pointer>
std::string describeTls(const PeFile& file) {
  const Directory& directory = file.directories[COFF::TLS_TABLE];
  const auto* tls = file.structAt<coff_tls_directory<Pointer>>(directory.address);
  if (!directory.isPresent() || !tls)
    return {};
  uint64_t callbacks = 0;
  if (tls->AddressOfCallBacks)
    while (file.pointerAt(tls->AddressOfCallBacks - file.imageBase + callbacks * file.pointerSize())
               .value_or(0))
      ++callbacks;
  const uint64_t begin = tls->StartAddressOfRawData, end = tls->EndAddressOfRawData;
  return llvm::formatv("{0} bytes, {1} callbacks", end - begin + tls->SizeOfZeroFill, callbacks);
}

void addDetails(const PeFile& file, Slice& slice) {
  auto add = [&](const char* name, std::string value) {
    slice.details.emplace_back(name, std::move(value));
  };
  auto hex = [](uint64_t value) { return llvm::formatv("{0:x}", value).str(); };
  add("machine", hex(file.machine));
  add("image base", hex(file.imageBase));
  add("checksum", file.checksum ? hex(file.checksum) : "none");
  const Directory& certificate = file.directories[COFF::CERTIFICATE_TABLE];
  add("certificate",
      certificate.isPresent() ? std::to_string(certificate.size) + " bytes" : "none");
  std::optional<uint32_t> guard = file.loadConfigField<llvm::support::ulittle32_t>(
      file.is64() ? offsetof(coff_load_configuration64, GuardFlags)
                  : offsetof(coff_load_configuration32, GuardFlags));
  if (guard)
    add("load config", "guard flags " + hex(*guard));
  add("flow guard",
      file.dllCharacteristics & COFF::IMAGE_DLL_CHARACTERISTICS_GUARD_CF ? "yes" : "no");
  std::string tls = file.is64() ? describeTls<llvm::support::ulittle64_t>(file)
                                : describeTls<llvm::support::ulittle32_t>(file);
  if (!tls.empty())
    add("TLS", tls);
  if (file.directories[COFF::BOUND_IMPORT].isPresent())
    add("bound imports", "yes");
  if (file.directories[COFF::CLR_RUNTIME_HEADER].isPresent())
    add(".NET", "yes");
}

llvm::Error addSymbols(const PeFile& file, llvm::ArrayRef<Import> imports, const Exports& exports,
                       Slice& slice) {
  for (const Import& import : imports) {
    llvm::Expected<std::vector<ImportedName>> names = readImportedNames(file, import);
    if (!names)
      return names.takeError();
    for (const ImportedName& name : *names)
      slice.imports.push_back({name.text(), import.name.str()});
  }
  for (llvm::StringRef name : exports.names)
    slice.exports.push_back(name.str());
  for (uint32_t ordinal : exports.namelessOrdinals)
    slice.exports.push_back("#" + std::to_string(ordinal));
  for (const Forwarder& forwarder : exports.forwarders)
    slice.details.emplace_back("forwarder " + forwarder.name, forwarder.target);
  return llvm::Error::success();
}

} // namespace

bool isPe(Bytes bytes) {
  const auto offset = part(bytes, offsetof(dos_header, AddressOfNewExeHeader), 4);
  if (!offset || !textOf(bytes).starts_with("MZ"))
    return false;
  const auto magic = part(bytes, llvm::support::endian::read32le(offset->data()), 4);
  // Also true if the PE header is cut off, so that the error can be specific.
  return !magic || textOf(*magic) == llvm::StringRef(COFF::PEMagic, sizeof(COFF::PEMagic));
}

llvm::Expected<Image> inspect(Bytes bytes, bool withSymbols, bool checksExports) {
  ByteOverlay content(bytes);
  llvm::Expected<PeFile> file = PeFile::read(content);
  if (!file)
    return file.takeError();
  llvm::Expected<std::vector<Import>> imports = readImports(*file);
  if (!imports)
    return imports.takeError();
  llvm::Expected<Exports> exports =
      withSymbols || checksExports ? readExports(*file) : readExportName(*file);
  if (!exports)
    return exports.takeError();
  llvm::Expected<std::optional<ConversionRecord>> record = readRecord(*file);
  if (!record)
    return record.takeError();

  Image image;
  image.format = Format::Pe;
  Slice& slice = image.slices.emplace_back();
  slice.arch = file->architecture();
  slice.fileType = file->isDll() ? "shared library" : "executable";
  slice.identity = exports->libraryName;
  slice.minOs = llvm::formatv("{0}.{1}", file->majorSubsystem, file->minorSubsystem);
  slice.dependencies = dependenciesOf(*imports, *record);
  if (*record)
    slice.searchPaths = (*record)->settings.searchPaths;
  addDetails(*file, slice);
  if (withSymbols)
    if (llvm::Error error = addSymbols(*file, *imports, *exports, slice))
      return error;
  return image;
}

} // namespace tcfix::pe
