#include "pe/edit.h"

#include "base/error.h"
#include "image/ensure.h"
#include "pe/conversion.h"
#include "pe/search_path.h"
#include "pe/usage.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/GlobPattern.h>

namespace tcfix::pe {

namespace {

// A name or a glob, compared without regard to case, as on Windows.
struct NamePattern {
  std::string text;

  bool isLiteral() const { return text.find_first_of("*?[") == std::string::npos; }

  llvm::Error check() const {
    llvm::Expected<llvm::GlobPattern> glob = llvm::GlobPattern::create(text);
    return glob ? llvm::Error::success()
                : fail(ErrorCode::Usage,
                       "invalid pattern " + text + ": " + llvm::toString(glob.takeError()));
  }

  bool matches(llvm::StringRef name) const {
    if (isLiteral())
      return name.equals_insensitive(text);
    const std::string lowerCase = llvm::StringRef(text).lower();
    return llvm::cantFail(llvm::GlobPattern::create(lowerCase)).match(name.lower());
  }
};

llvm::Error checkName(llvm::StringRef name) {
  if (name.find_first_of("\\/:") != llvm::StringRef::npos)
    return fail(ErrorCode::Unsupported,
                (name + " is a path; a DLL can import others only by file name").str(),
                "use --delay, and --add-rpath with the folder");
  if (!llvm::all_of(name, [](char c) { return c > ' ' && c < 127; }))
    return fail(ErrorCode::Unsupported, (name + " is not a valid name for a DLL").str());
  return llvm::Error::success();
}

class Editor {
public:
  explicit Editor(Editing& editing) : editing(editing), settings(editing.settings) {}

  llvm::Error run(llvm::ArrayRef<Edit> edits) {
    for (const Edit& edit : edits) {
      // A removal may have changed the tables.
      llvm::Expected<PeFile> read = PeFile::read(editing.image);
      if (!read)
        return read.takeError();
      llvm::Expected<std::vector<Import>> readAgain = readImports(*read);
      if (!readAgain)
        return readAgain.takeError();
      file = &*read;
      imports = std::move(*readAgain);
      if (llvm::Error error = std::visit([&](const auto& e) { return apply(e); }, edit))
        return error;
    }
    llvm::erase_if(settings.overrides,
                   [](const ImportOverride& setting) { return setting.isEmpty(); });
    applySearchPaths();
    return llvm::Error::success();
  }

private:
  // An overload for every kind of edit: a new kind does not compile until it is handled.
  llvm::Error apply(const RenameDependency& edit);
  llvm::Error apply(const RemoveDependency& edit);
  llvm::Error apply(const DelayDependency& edit);
  llvm::Error apply(const UndelayDependency& edit);
  llvm::Error apply(const AddSearchPath& edit) {
    searchPathEdits.push_back(edit);
    return checkSearchPath(edit.path);
  }
  llvm::Error apply(const ReplaceSearchPath& edit) {
    searchPathEdits.push_back(edit);
    return checkSearchPath(edit.to);
  }
  llvm::Error apply(const RemoveSearchPath& edit) {
    searchPathEdits.push_back(edit);
    return llvm::Error::success();
  }
  llvm::Error apply(const SetSearchPathKind&) {
    return unsupported("--rpath-kind is for ELF files; this is a DLL");
  }
  llvm::Error apply(const AddDependency&) {
    return unsupported("--add-dependency is for ELF files; this is a DLL");
  }
  llvm::Error apply(const SetIdentity&) {
    return unsupported("--set-id is for Mach-O and ELF files; this is a DLL");
  }
  void applySearchPaths();
  llvm::Error checkLazy(const Import& import);
  /// Visits the matching imports, with their current names. Warns if there are none.
  llvm::Error
  forEachMatch(const NamePattern& pattern, const char* verb,
               llvm::function_ref<llvm::Error(const Import&, const std::string&)> visit);

  static llvm::Error unsupported(const char* message) {
    return fail(ErrorCode::Unsupported, message);
  }

  std::string currentName(const Import& import) const {
    const ImportOverride* setting = settings.find(import.slots);
    return setting && !setting->newName.empty() ? setting->newName : import.name.str();
  }

  void changed(Operation operation, std::string value, std::string old = {}) {
    editing.changes.push_back({operation, std::move(value), std::move(old), {}, {}});
  }

  void warn(std::string message) { editing.warnings.push_back(std::move(message)); }

  Editing& editing;
  ImportSettings& settings;
  const PeFile* file = nullptr;
  std::vector<Import> imports;
  std::vector<SearchPathEdit> searchPathEdits; ///< done together, after all others
};

llvm::Error Editor::apply(const RenameDependency& edit) {
  if (llvm::Error error = checkName(edit.to))
    return error;
  bool isFound = false;
  for (const Import& import : imports) {
    const std::string name = currentName(import);
    isFound |= name == edit.to;
    if (name == edit.to || !llvm::StringRef(name).equals_insensitive(edit.from))
      continue;
    if (import.usesAddresses)
      return unsupported("delay imports with addresses instead of RVAs cannot be renamed");
    settings.of(import.slots).newName = import.name == edit.to ? std::string() : edit.to;
    isFound = true;
    // A DLL may have several descriptors; they are reported as one dependency.
    const bool isReported = llvm::any_of(editing.changes, [&](const Change& change) {
      return change.operation == Operation::RenameDependency && change.value == edit.to &&
             change.old == name;
    });
    if (!isReported)
      changed(Operation::RenameDependency, edit.to, name);
  }
  if (!isFound)
    warn("no dependency " + edit.from + " to rename");
  return llvm::Error::success();
}

llvm::Error Editor::checkLazy(const Import& import) {
  if (import.lookup == import.slots)
    return fail(ErrorCode::Unsupported,
                (import.name + " has no lookup table, which --lazy requires").str(),
                "use --delay without --lazy");
  llvm::Expected<std::vector<ImportedName>> names = readImportedNames(*file, import);
  if (!names)
    return names.takeError();
  const std::vector<bool> isCalled =
      findCalledSlots(*file, import, static_cast<uint32_t>(names->size()));
  for (size_t i = 0; i < names->size(); ++i)
    if (!isCalled[i])
      return fail(
          ErrorCode::Unsupported,
          llvm::formatv("{0} of {1} is not called directly: it may be data, which --lazy does "
                        "not support",
                        (*names)[i].text(), import.name),
          "use --delay without --lazy");
  return llvm::Error::success();
}

llvm::Error
Editor::forEachMatch(const NamePattern& pattern, const char* verb,
                     llvm::function_ref<llvm::Error(const Import&, const std::string&)> visit) {
  if (llvm::Error error = pattern.check())
    return error;
  bool isFound = false;
  for (const Import& import : imports) {
    const std::string name = currentName(import);
    // The pattern may also match the original name: a repeated command must find what the first one
    // renamed.
    if (!pattern.matches(name) && !pattern.matches(import.name))
      continue;
    isFound = true;
    if (llvm::Error error = visit(import, name))
      return error;
  }
  if (!isFound)
    warn("no dependency " + pattern.text + " to " + verb);
  return llvm::Error::success();
}

llvm::Error Editor::apply(const DelayDependency& edit) {
  const NamePattern pattern{edit.pattern};
  const OverrideKind kind = edit.lazy ? OverrideKind::Lazy : OverrideKind::Eager;
  return forEachMatch(
      pattern, "delay", [&](const Import& import, const std::string& name) -> llvm::Error {
        const ImportOverride* setting = settings.find(import.slots);
        if (import.isDelay || (setting && setting->kind == kind))
          return llvm::Error::success();
        if (llvm::StringRef(name).equals_insensitive("KERNEL32.dll")) {
          if (pattern.isLiteral())
            return unsupported("KERNEL32.dll cannot be delayed: tcfix's helper requires it");
          warn("KERNEL32.dll stays an ordinary import: tcfix's helper requires it");
          return llvm::Error::success();
        }
        if (llvm::Error error = canDelay(*file))
          return error;
        if (llvm::Error error = checkName(name))
          return error;
        if (edit.lazy)
          if (llvm::Error error = checkLazy(import))
            return error;
        settings.of(import.slots).kind = kind;
        changed(Operation::Delay, name);
        return llvm::Error::success();
      });
}

llvm::Error Editor::apply(const UndelayDependency& edit) {
  const NamePattern pattern{edit.pattern};
  return forEachMatch(
      pattern, "undelay", [&](const Import& import, const std::string& name) -> llvm::Error {
        const ImportOverride* setting = settings.find(import.slots);
        if (import.isDelay) {
          if (pattern.isLiteral())
            return unsupported(
                "delayed by the linker; only imports that tcfix delayed can be undelayed");
          warn(name + " was delayed by the linker and stays delayed");
        } else if (setting && setting->isDelayed()) {
          settings.of(import.slots).kind = OverrideKind::Renamed;
          changed(Operation::Undelay, name);
        }
        return llvm::Error::success();
      });
}

llvm::Error Editor::apply(const RemoveDependency& edit) {
  // From the last to the first, because each removal moves the following entries up.
  for (const Import& import : llvm::reverse(imports)) {
    const std::string name = currentName(import);
    if (!llvm::StringRef(name).equals_insensitive(edit.name))
      continue;
    llvm::Expected<bool> isNeeded = isUsed(*file, import);
    if (!isNeeded)
      return isNeeded.takeError();
    if (*isNeeded)
      return fail(ErrorCode::Conflict,
                  "cannot remove the dependency " + name + ": its symbols are used",
                  "use --rename-dependency to replace it with a DLL that has these symbols");
    const size_t size = import.isDelay ? sizeof(llvm::object::delay_import_directory_table_entry)
                                       : sizeof(llvm::object::coff_import_directory_table_entry);
    uint64_t end = import.descriptor;
    for (const Import& other : imports)
      if (other.isDelay == import.isDelay)
        end = std::max<uint64_t>(end, other.descriptor);
    std::optional<uint64_t> offset =
        file->offsetOf(import.descriptor, end + size - import.descriptor);
    if (!offset)
      return fail(ErrorCode::Malformed, "the import table spans several sections");
    const Bytes rest = *editing.image.read(*offset + size, end - import.descriptor);
    ByteVector table(rest.begin(), rest.end());
    table.resize(table.size() + size);
    editing.image.write(*offset, table, "import removed");
    editing.isEdited = true;
    llvm::erase_if(settings.overrides,
                   [&](const ImportOverride& setting) { return setting.slots == import.slots; });
    changed(Operation::RemoveDependency, name);
  }
  return llvm::Error::success();
}

void Editor::applySearchPaths() {
  EnsuredSearchPaths ensured = ensureSearchPaths(settings.searchPaths, searchPathEdits);
  settings.searchPaths = std::move(ensured.paths);
  llvm::append_range(editing.warnings, ensured.warnings);
  if (!ensured.changes.empty() && !settings.searchPaths.empty() && !settings.hasDelayed())
    warn("the search paths apply only to delayed dependencies, and there are none: use --delay");
  llvm::append_range(editing.changes, ensured.changes);
}

// Room for a longer name in the padding of the section that contains the old one.
std::optional<uint32_t> takePadding(ByteOverlay& image, const PeFile& file, const Import& import,
                                    size_t size) {
  const Section* section = file.sectionAt(import.nameAddress);
  if (!section || section == &file.sections.back() || section->memorySize >= section->fileSize)
    return std::nullopt;
  const uint64_t newSize = section->memorySize + size;
  if (newSize > section->fileSize || section->address + newSize > (section + 1)->address)
    return std::nullopt;
  const Bytes padding = *image.read(section->offset + section->memorySize, size);
  if (!llvm::all_of(padding, [](uint8_t byte) { return byte == 0; }))
    return std::nullopt;
  const size_t index = section - file.sections.data();
  uint8_t field[4];
  llvm::support::endian::write32le(field, static_cast<uint32_t>(newSize));
  image.write(file.sectionTableOffset() + index * sizeof(llvm::object::coff_section) +
                  offsetof(llvm::object::coff_section, VirtualSize),
              field, "padding used for a dependency's name");
  return static_cast<uint32_t>(section->end());
}

} // namespace

llvm::Error applyEdits(Editing& editing, llvm::ArrayRef<Edit> edits) {
  return Editor(editing).run(edits);
}

llvm::Error renameInPlace(Editing& editing) {
  if (editing.settings.hasDelayed() || !editing.settings.searchPaths.empty())
    return llvm::Error::success(); // a new section is needed anyway; it has room for the names
  for (ImportOverride& setting : editing.settings.overrides) {
    llvm::Expected<PeFile> file = PeFile::read(editing.image);
    if (!file)
      return file.takeError();
    llvm::Expected<std::vector<Import>> imports = readImports(*file);
    if (!imports)
      return imports.takeError();
    auto import = llvm::find_if(
        *imports, [&](const Import& candidate) { return candidate.slots == setting.slots; });
    if (import == imports->end())
      continue;
    ByteVector name(setting.newName.begin(), setting.newName.end());
    name.resize(std::max(name.size(), import->name.size()) + 1);
    uint64_t address = import->nameAddress;
    if (setting.newName.size() > import->name.size()) {
      std::optional<uint32_t> padding = takePadding(editing.image, *file, *import, name.size());
      if (!padding)
        continue;
      address = *padding;
      uint8_t field[4];
      llvm::support::endian::write32le(field, *padding);
      const size_t nameField =
          import->isDelay ? offsetof(llvm::object::delay_import_directory_table_entry, Name)
                          : offsetof(llvm::object::coff_import_directory_table_entry, NameRVA);
      editing.image.write(*file->offsetOf(import->descriptor + nameField, 4), field,
                          "address of a dependency's name");
    }
    const Section* section = file->sectionAt(import->nameAddress);
    editing.image.write(section->offset + (address - section->address), name, "dependency's name");
    editing.isEdited = true;
    setting.newName.clear();
  }
  llvm::erase_if(editing.settings.overrides,
                 [](const ImportOverride& setting) { return setting.isEmpty(); });
  return llvm::Error::success();
}

} // namespace tcfix::pe
