#include "formats/formats.h"

#include "base/enum_name.h"
#include "base/error.h"
#include "elf/elf.h"
#include "elf/symbol_table.h"
#include "formats/macho_file.h"
#include "io/system.h"
#include "macho/file.h"
#include "pe/pe.h"
#include "pe/symbol_table.h"

namespace tcfix::formats {

namespace {

llvm::Error notALibrary(Bytes bytes) {
  if (bytes.empty())
    return fail(ErrorCode::NotALibrary, "is empty");
  return fail(ErrorCode::NotALibrary, "is not a native library (Mach-O, ELF or PE)");
}

/// Page hashes stop early when the user wants to stop; nothing may come of them then.
template <typename Value>
llvm::Expected<Value> unlessInterrupted(llvm::Expected<Value> value) {
  llvm::Error interrupted = io::system::refuseIfInterrupted();
  if (!interrupted)
    return value;
  llvm::consumeError(value.takeError());
  return interrupted;
}

llvm::Error refuseSignature(Format format) {
  return fail(ErrorCode::Unsupported, ("is " + llvm::Twine(format == Format::Elf ? "an " : "a ") +
                                       nameOf(format) + " file; only Mach-O files are signed")
                                          .str());
}

} // namespace

std::optional<Format> sniff(Bytes bytes) {
  if (macho::isMachO(bytes))
    return Format::MachO;
  if (elf::isElf(bytes))
    return Format::Elf;
  if (pe::isPe(bytes))
    return Format::Pe;
  return std::nullopt;
}

llvm::StringRef nameOf(Format format) {
  return enumName<Format::Pe>(format, {"Mach-O", "ELF", "PE"});
}

Format thisMachinesFormat() {
  switch (io::system::thisSystem()) {
  case io::system::System::Linux:
    return Format::Elf;
  case io::system::System::MacOs:
    return Format::MachO;
  case io::system::System::Windows:
    return Format::Pe;
  }
  return Format::Elf;
}

bool isForThisMachine(Format format, llvm::StringRef arch) {
  bool isForeign = format == Format::Elf && arch != io::system::thisArchitecture() &&
                   (arch == "x86_64" || arch == "aarch64");
  return format == thisMachinesFormat() && !isForeign;
}

llvm::Expected<Image> inspect(Bytes bytes, const InspectOptions& options) {
  std::optional<Format> format = sniff(bytes);
  if (format == Format::MachO)
    return inspectMachO(bytes, options);
  if (format == Format::Elf)
    return elf::inspect(bytes, options.withSymbols);
  if (format == Format::Pe)
    return pe::inspect(bytes, options.withSymbols, options.isThorough);
  return notALibrary(bytes);
}

llvm::Expected<std::unique_ptr<SymbolTable>> openSymbols(Bytes bytes, llvm::StringRef arch) {
  std::optional<Format> format = sniff(bytes);
  if (format == Format::MachO)
    return openSymbolsOfMachO(bytes, arch);
  if (format == Format::Elf)
    return elf::openSymbols(bytes);
  if (format == Format::Pe)
    return pe::openSymbols(bytes);
  return notALibrary(bytes);
}

llvm::Expected<EditOutcome> rewrite(Bytes bytes, llvm::StringRef fileName,
                                    const EditRequest& request) {
  std::optional<Format> format = sniff(bytes);
  if (format == Format::MachO)
    return unlessInterrupted(rewriteMachO(bytes, fileName, request));
  if (format && request.signing.alsoUnsigned)
    return refuseSignature(*format);
  if (format == Format::Elf)
    return elf::rewrite(bytes, request.edits);
  if (format == Format::Pe)
    return pe::rewrite(bytes, request.edits, {.replaceSignature = request.signing.replaceForeign});
  return notALibrary(bytes);
}

llvm::Expected<SignatureVerdict> verify(Bytes bytes) {
  std::optional<Format> format = sniff(bytes);
  if (format == Format::MachO)
    return unlessInterrupted(verifyMachO(bytes));
  if (format)
    return refuseSignature(*format);
  return notALibrary(bytes);
}

std::string signatureIdentifier(Bytes bytes, llvm::StringRef fileName) {
  return sniff(bytes) == Format::MachO ? identifierOfMachO(bytes, fileName) : std::string();
}

} // namespace tcfix::formats
