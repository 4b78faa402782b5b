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

constexpr llvm::StringLiteral kAskedFor = "asked for";

// A name, or a glob. Compared as Windows compares names: without regard to case.
struct NamePattern {
  std::string text;

  bool isLiteral() const { return text.find_first_of("*?[") == std::string::npos; }

  llvm::Error check() const {
    llvm::Expected<llvm::GlobPattern> glob = llvm::GlobPattern::create(text);
    return glob ? llvm::Error::success()
                : fail(ErrorCode::Usage,
                       text + " is no valid pattern: " + llvm::toString(glob.takeError()));
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
                (name + " is a path; Windows takes plain names there").str(),
                "use --delay with --add-rpath for the folder");
  if (!llvm::all_of(name, [](char c) { return c > ' ' && c < 127; }))
    return fail(ErrorCode::Unsupported, (name + " cannot be the name of a DLL").str());
  return llvm::Error::success();
}

class Editor {
public:
  explicit Editor(Editing& editing) : editing(editing), wishes(editing.wishes) {}

  llvm::Error run(llvm::ArrayRef<Edit> edits) {
    for (const Edit& edit : edits) {
      // A removal may have changed the tables.
      llvm::Expected<PeFile> read = PeFile::read(editing.draft);
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
    llvm::erase_if(wishes.tweaks, [](const Tweak& tweak) { return tweak.isNothing(); });
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
    return unsupported("a DLL has no kinds of search path");
  }
  llvm::Error apply(const AddDependency&) {
    return unsupported("an import without symbols cannot be added to a DLL");
  }
  llvm::Error apply(const SetIdentity&) { return unsupported("a DLL is known by its file name"); }
  void applySearchPaths();
  llvm::Error checkLazy(const Import& import);
  /// Visits the imports that the pattern means, with their current names. None is a warning.
  llvm::Error
  forEachMatch(const NamePattern& pattern, const char* verb,
               llvm::function_ref<llvm::Error(const Import&, const std::string&)> visit);

  static llvm::Error unsupported(const char* sentence) {
    return fail(ErrorCode::Unsupported, sentence);
  }

  std::string currentName(const Import& import) const {
    const Tweak* tweak = wishes.find(import.slots);
    return tweak && !tweak->newName.empty() ? tweak->newName : import.name.str();
  }

  void changed(Operation operation, std::string value, std::string old = {}) {
    editing.changes.push_back({operation, std::move(value), std::move(old), kAskedFor.str(), {}});
  }

  void warn(std::string sentence) { editing.warnings.push_back(std::move(sentence)); }

  Editing& editing;
  Wishes& wishes;
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
      return unsupported("its delay imports are of a kind that tcfix does not rename");
    wishes.of(import.slots).newName = import.name == edit.to ? std::string() : edit.to;
    isFound = true;
    // Windows may know one DLL by several descriptors; for people it is one dependency.
    const bool isTold = llvm::any_of(editing.changes, [&](const Change& change) {
      return change.operation == Operation::RenameDependency && change.value == edit.to &&
             change.old == name;
    });
    if (!isTold)
      changed(Operation::RenameDependency, edit.to, name);
  }
  if (!isFound)
    warn("there is no dependency " + edit.from + " to rename");
  return llvm::Error::success();
}

llvm::Error Editor::checkLazy(const Import& import) {
  if (import.lookup == import.slots)
    return fail(ErrorCode::Unsupported,
                (import.name + " has no lookup table, which binding at the first call needs").str(),
                "leave out --lazy");
  llvm::Expected<std::vector<ImportedName>> names = readImportedNames(*file, import);
  if (!names)
    return names.takeError();
  const std::vector<bool> isCalled =
      findCalledSlots(*file, import, static_cast<uint32_t>(names->size()));
  for (size_t i = 0; i < names->size(); ++i)
    if (!isCalled[i])
      return fail(
          ErrorCode::Unsupported,
          llvm::formatv("{0} of {1} is not called directly: it may be data, which cannot be "
                        "bound at the first call",
                        (*names)[i].text(), import.name),
          "leave out --lazy");
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
    // A pattern may also mean the name that the linker wrote: a repeated command must find what
    // the first one renamed.
    if (!pattern.matches(name) && !pattern.matches(import.name))
      continue;
    isFound = true;
    if (llvm::Error error = visit(import, name))
      return error;
  }
  if (!isFound)
    warn("there is no dependency " + pattern.text + " to " + verb);
  return llvm::Error::success();
}

llvm::Error Editor::apply(const DelayDependency& edit) {
  const NamePattern pattern{edit.pattern};
  const TweakKind kind = edit.lazy ? TweakKind::Lazy : TweakKind::Eager;
  return forEachMatch(
      pattern, "delay", [&](const Import& import, const std::string& name) -> llvm::Error {
        const Tweak* tweak = wishes.find(import.slots);
        if (import.isDelay || (tweak && tweak->kind == kind))
          return llvm::Error::success();
        if (llvm::StringRef(name).equals_insensitive("KERNEL32.dll")) {
          if (pattern.isLiteral())
            return unsupported("KERNEL32.dll cannot be delayed: the helper itself needs it");
          warn("KERNEL32.dll stays an ordinary import: the helper itself needs it");
          return llvm::Error::success();
        }
        if (llvm::Error error = canDelay(*file))
          return error;
        if (llvm::Error error = checkName(name))
          return error;
        if (edit.lazy)
          if (llvm::Error error = checkLazy(import))
            return error;
        wishes.of(import.slots).kind = kind;
        changed(Operation::Delay, name);
        return llvm::Error::success();
      });
}

llvm::Error Editor::apply(const UndelayDependency& edit) {
  const NamePattern pattern{edit.pattern};
  return forEachMatch(
      pattern, "undelay", [&](const Import& import, const std::string& name) -> llvm::Error {
        const Tweak* tweak = wishes.find(import.slots);
        if (import.isDelay) {
          if (pattern.isLiteral())
            return unsupported(
                "it was delayed by its linker; only what tcfix delayed can be undelayed");
          warn(name + " was delayed by its linker and stays so");
        } else if (tweak && tweak->isDelayed()) {
          wishes.of(import.slots).kind = TweakKind::Renamed;
          changed(Operation::Undelay, name);
        }
        return llvm::Error::success();
      });
}

llvm::Error Editor::apply(const RemoveDependency& edit) {
  // From the last to the first: each removal moves up what follows it in its table.
  for (const Import& import : llvm::reverse(imports)) {
    const std::string name = currentName(import);
    if (!llvm::StringRef(name).equals_insensitive(edit.name))
      continue;
    llvm::Expected<bool> isNeeded = isUsed(*file, import);
    if (!isNeeded)
      return isNeeded.takeError();
    if (*isNeeded)
      return fail(ErrorCode::Conflict, name + " cannot be removed: symbols of it are used",
                  "use --rename-dependency to take them from another DLL");
    const size_t size = import.isDelay ? sizeof(llvm::object::delay_import_directory_table_entry)
                                       : sizeof(llvm::object::coff_import_directory_table_entry);
    uint64_t end = import.descriptor;
    for (const Import& other : imports)
      if (other.isDelay == import.isDelay)
        end = std::max<uint64_t>(end, other.descriptor);
    std::optional<uint64_t> offset =
        file->offsetOf(import.descriptor, end + size - import.descriptor);
    if (!offset)
      return fail(ErrorCode::Malformed, "the import table does not lie in one section");
    const Bytes rest = *editing.draft.read(*offset + size, end - import.descriptor);
    ByteVector table(rest.begin(), rest.end());
    table.resize(table.size() + size);
    editing.draft.write(*offset, table, "import removed");
    editing.isEdited = true;
    llvm::erase_if(wishes.tweaks, [&](const Tweak& tweak) { return tweak.slots == import.slots; });
    changed(Operation::RemoveDependency, name);
  }
  return llvm::Error::success();
}

void Editor::applySearchPaths() {
  EnsuredSearchPaths ensured = ensureSearchPaths(wishes.searchPaths, searchPathEdits);
  wishes.searchPaths = std::move(ensured.paths);
  llvm::append_range(editing.warnings, ensured.warnings);
  if (!ensured.changes.empty() && !wishes.searchPaths.empty() && !wishes.hasDelayed())
    warn("the search list serves delayed dependencies only, and there are none yet: use --delay");
  llvm::append_range(editing.changes, ensured.changes);
}

// Where a longer name can go: the padding of the section that holds the old one.
std::optional<uint32_t> takePadding(Draft& draft, const PeFile& file, const Import& import,
                                    size_t size) {
  const Section* section = file.sectionAt(import.nameAddress);
  if (!section || section == &file.sections.back() || section->memorySize >= section->fileSize)
    return std::nullopt;
  const uint64_t newSize = section->memorySize + size;
  if (newSize > section->fileSize || section->address + newSize > (section + 1)->address)
    return std::nullopt;
  const Bytes padding = *draft.read(section->offset + section->memorySize, size);
  if (!llvm::all_of(padding, [](uint8_t byte) { return byte == 0; }))
    return std::nullopt;
  const size_t index = section - file.sections.data();
  uint8_t field[4];
  llvm::support::endian::write32le(field, static_cast<uint32_t>(newSize));
  draft.write(file.sectionTableOffset() + index * sizeof(llvm::object::coff_section) +
                  offsetof(llvm::object::coff_section, VirtualSize),
              field, "padding used for a name");
  return static_cast<uint32_t>(section->end());
}

} // namespace

llvm::Error applyEdits(Editing& editing, llvm::ArrayRef<Edit> edits) {
  return Editor(editing).run(edits);
}

llvm::Error renameInPlace(Editing& editing) {
  if (editing.wishes.hasDelayed() || !editing.wishes.searchPaths.empty())
    return llvm::Error::success(); // a section is needed anyway, and keeps the original names
  for (Tweak& tweak : editing.wishes.tweaks) {
    llvm::Expected<PeFile> file = PeFile::read(editing.draft);
    if (!file)
      return file.takeError();
    llvm::Expected<std::vector<Import>> imports = readImports(*file);
    if (!imports)
      return imports.takeError();
    auto import = llvm::find_if(
        *imports, [&](const Import& candidate) { return candidate.slots == tweak.slots; });
    if (import == imports->end())
      continue;
    ByteVector name(tweak.newName.begin(), tweak.newName.end());
    name.resize(std::max(name.size(), import->name.size()) + 1);
    uint64_t address = import->nameAddress;
    if (tweak.newName.size() > import->name.size()) {
      std::optional<uint32_t> padding = takePadding(editing.draft, *file, *import, name.size());
      if (!padding)
        continue;
      address = *padding;
      uint8_t field[4];
      llvm::support::endian::write32le(field, *padding);
      const size_t nameField =
          import->isDelay ? offsetof(llvm::object::delay_import_directory_table_entry, Name)
                          : offsetof(llvm::object::coff_import_directory_table_entry, NameRVA);
      editing.draft.write(*file->offsetOf(import->descriptor + nameField, 4), field,
                          "dependency's name moved");
    }
    const Section* section = file->sectionAt(import->nameAddress);
    editing.draft.write(section->offset + (address - section->address), name, "dependency's name");
    editing.isEdited = true;
    tweak.newName.clear();
  }
  llvm::erase_if(editing.wishes.tweaks, [](const Tweak& tweak) { return tweak.isNothing(); });
  return llvm::Error::success();
}

} // namespace tcfix::pe
