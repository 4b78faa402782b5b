#include "macho/commands.h"

#include "base/error.h"
#include "image/ensure.h"

#include <llvm/Support/Endian.h>

#include <map>
#include <optional>

namespace tcfix::macho {

using namespace llvm::MachO;
using llvm::support::endian::write32le;

namespace {

LoadCommand searchPathCommand(llvm::StringRef path) {
  uint8_t fixed[sizeof(rpath_command)];
  write32le(fixed, LC_RPATH);
  write32le(fixed + 4, 0);
  write32le(fixed + 8, sizeof fixed);
  LoadCommand command;
  command.kind = LC_RPATH;
  command.bytes = withString(fixed, path);
  command.reason = ("LC_RPATH " + path).str();
  return command;
}

// Makes the LC_RPATH commands match `paths`, in order. Commands that already hold the right path
// stay as they are, surplus ones are removed, and new ones go after all other commands, as with
// install_name_tool.
void setSearchPaths(SliceDraft& draft, const std::vector<std::string>& paths) {
  std::vector<LoadCommand> commands;
  size_t next = 0;
  for (LoadCommand& command : draft.commands) {
    if (command.kind != LC_RPATH) {
      commands.push_back(std::move(command));
    } else if (next < paths.size()) {
      const std::string& path = paths[next++];
      if (nameIn(*draft.original, command) == path)
        commands.push_back(std::move(command));
      else
        commands.push_back(searchPathCommand(path));
    }
  }
  while (next < paths.size())
    commands.push_back(searchPathCommand(paths[next++]));
  draft.commands = std::move(commands);
}

void setName(const SliceDraft& draft, LoadCommand& command, llvm::StringRef name) {
  uint32_t nameOffset = commandAs<dylib_command>(*draft.original, command).dylib.name;
  command.reason =
      (kindName(command.kind) + " " + nameIn(*draft.original, command) + " -> " + name).str();
  command.bytes = withString(Bytes(command.bytes).take_front(nameOffset), name);
}

LoadCommand* findDependency(SliceDraft& draft, llvm::StringRef name) {
  for (LoadCommand& command : draft.commands)
    if (isDependency(command.kind) && nameIn(*draft.original, command) == name)
      return &command;
  return nullptr;
}

llvm::Error renameDependency(SliceDraft& draft, const RenameDependency& rename) {
  if (rename.from == rename.to)
    return llvm::Error::success();
  LoadCommand* from = findDependency(draft, rename.from);
  LoadCommand* to = findDependency(draft, rename.to);
  if (from && to)
    return fail(ErrorCode::Conflict,
                "already depends on " + rename.to + "; renaming " + rename.from +
                    " would list it twice, and recent versions of macOS reject such a file",
                "rename the other dependency first");
  if (!from && !to)
    draft.warnings.push_back("no dependency " + rename.from + " to rename");
  if (!from)
    return llvm::Error::success();
  // Several commands may name the same library; all of them are renamed.
  while ((from = findDependency(draft, rename.from)))
    setName(draft, *from, rename.to);
  return llvm::Error::success();
}

llvm::Error setIdentity(SliceDraft& draft, const SetIdentity& set) {
  for (LoadCommand& command : draft.commands) {
    if (command.kind != LC_ID_DYLIB)
      continue;
    if (nameIn(*draft.original, command) != set.name)
      setName(draft, command, set.name);
    return llvm::Error::success();
  }
  return fail(ErrorCode::Unsupported, "has no install name: only shared libraries have one");
}

// Has an overload for every kind of edit, so that a new kind does not compile until it is handled.
struct Editor {
  SliceDraft& draft;
  std::vector<SearchPathEdit> searchPathEdits = {}; ///< done together, after all others

  llvm::Error operator()(const AddSearchPath& edit) { return keep(edit); }
  llvm::Error operator()(const RemoveSearchPath& edit) { return keep(edit); }
  llvm::Error operator()(const ReplaceSearchPath& edit) { return keep(edit); }
  llvm::Error operator()(const RenameDependency& edit) { return renameDependency(draft, edit); }
  llvm::Error operator()(const SetIdentity& edit) { return setIdentity(draft, edit); }
  llvm::Error operator()(const RemoveDependency& edit) {
    if (!findDependency(draft, edit.name))
      return llvm::Error::success();
    return fail(ErrorCode::Unsupported,
                "cannot remove the dependency " + edit.name +
                    ": symbols are bound to dependencies by their position in the file",
                "use --rename-dependency to replace it with a library that has the same symbols");
  }
  llvm::Error operator()(const AddDependency&) {
    return unsupported("--add-dependency is for ELF files; this is Mach-O");
  }
  llvm::Error operator()(const SetSearchPathKind&) {
    return unsupported("--rpath-kind is for ELF files; this is Mach-O");
  }
  llvm::Error operator()(const DelayDependency&) { return unsupported(kNoDelay); }
  llvm::Error operator()(const UndelayDependency&) { return unsupported(kNoDelay); }

private:
  static constexpr const char* kNoDelay =
      "--delay and --undelay are for Windows DLLs; this is Mach-O";

  static llvm::Error unsupported(const char* message) {
    return fail(ErrorCode::Unsupported, message);
  }
  llvm::Error keep(SearchPathEdit edit) {
    searchPathEdits.push_back(std::move(edit));
    return llvm::Error::success();
  }
};

// Reports the net difference in names: an edit that another one reverts is no change. No edit adds
// or removes these commands, so old and new ones pair up in order.
void recordRenames(SliceDraft& draft) {
  auto named = [](llvm::ArrayRef<LoadCommand> commands) {
    std::vector<const LoadCommand*> found;
    for (const LoadCommand& command : commands)
      if (isDependency(command.kind) || command.kind == LC_ID_DYLIB)
        found.push_back(&command);
    return found;
  };
  std::vector<const LoadCommand*> before = named(draft.original->commands);
  std::vector<const LoadCommand*> after = named(draft.commands);
  for (size_t i = 0; i < after.size(); ++i) {
    llvm::StringRef old = nameIn(*draft.original, *before[i]);
    llvm::StringRef name = nameIn(*draft.original, *after[i]);
    if (old != name)
      draft.changes.push_back(
          {after[i]->kind == LC_ID_DYLIB ? Operation::SetId : Operation::RenameDependency,
           name.str(),
           old.str(),
           {},
           {}});
  }
}

std::string duplicateWarning(const std::string& name) {
  return "lists the dependency " + name +
         " twice, and recent versions of macOS reject such a file; it cannot be merged";
}

bool isMergeable(uint32_t kind) {
  return kind == LC_REEXPORT_DYLIB || kind == LC_LOAD_DYLIB || kind == LC_LOAD_WEAK_DYLIB;
}

// The kind of one load command that stands for two: what either of them requires. Nothing for those
// that are loaded at another time.
std::optional<uint32_t> mergedKind(uint32_t one, uint32_t other) {
  for (uint32_t kind : {LC_REEXPORT_DYLIB, LC_LOAD_DYLIB, LC_LOAD_WEAK_DYLIB})
    if ((one == kind && isMergeable(other)) || (other == kind && isMergeable(one)))
      return kind;
  return std::nullopt;
}

// dyld rejects a file that lists a dependency twice. The first command stays; symbols of the others
// are bound to it, and later ordinals shift.
void mergeDuplicates(SliceDraft& draft, Bytes sliceBytes) {
  std::vector<LoadCommand> commands;
  std::map<std::string, std::pair<size_t, uint64_t>> seen; // name: index, ordinal
  std::vector<uint64_t> renumbered;
  std::vector<Change> removed;
  uint64_t count = 0;
  for (const LoadCommand& command : draft.commands) {
    if (!isDependency(command.kind)) {
      commands.push_back(command);
      continue;
    }
    const std::string name = nameIn(*draft.original, command).str();
    auto [first, isNew] = seen.try_emplace(name, commands.size(), count + 1);
    const auto [index, ordinal] = first->second;
    std::optional<uint32_t> kind =
        isNew ? command.kind : mergedKind(commands[index].kind, command.kind);
    if (isNew || !kind) {
      commands.push_back(command);
      renumbered.push_back(++count);
      if (!kind)
        draft.warnings.push_back(duplicateWarning(name));
      continue;
    }
    if (commands[index].kind != *kind) {
      commands[index].kind = *kind;
      write32le(commands[index].bytes.data(), *kind);
      commands[index].reason = kindName(*kind) + " " + name;
    }
    renumbered.push_back(ordinal);
    removed.push_back({Operation::RemoveDependency, name, {}, "duplicate", {}});
  }
  if (removed.empty())
    return;
  auto tables = renumberOrdinals(sliceBytes, *draft.original, renumbered);
  if (!tables) {
    for (const Change& change : removed)
      draft.warnings.push_back(duplicateWarning(change.value));
    return;
  }
  draft.commands = std::move(commands);
  draft.tables = std::move(*tables);
  draft.changes.insert(draft.changes.end(), removed.begin(), removed.end());
}

} // namespace

ByteVector withString(Bytes fixed, llvm::StringRef text) {
  ByteVector bytes(fixed.begin(), fixed.end());
  bytes.insert(bytes.end(), text.bytes_begin(), text.bytes_end());
  bytes.resize(alignUp(bytes.size() + 1, 8));
  write32le(bytes.data() + 4, static_cast<uint32_t>(bytes.size()));
  return bytes;
}

SliceDraft draftOf(const FileSlice& slice) {
  SliceDraft draft;
  draft.original = &slice;
  draft.commands = slice.commands;
  draft.size = slice.size;
  return draft;
}

llvm::Error edit(SliceDraft& draft, llvm::ArrayRef<Edit> edits, Bytes sliceBytes) {
  if (edits.empty())
    return llvm::Error::success();
  Editor editor{draft};
  for (const Edit& wanted : edits)
    if (llvm::Error error = std::visit(editor, wanted))
      return error;
  EnsuredSearchPaths ensured =
      ensureSearchPaths(searchPathsOf(*draft.original), editor.searchPathEdits);
  setSearchPaths(draft, ensured.paths);
  draft.changes = std::move(ensured.changes);
  draft.warnings.insert(draft.warnings.begin(), ensured.warnings.begin(), ensured.warnings.end());
  recordRenames(draft);
  mergeDuplicates(draft, sliceBytes);
  return llvm::Error::success();
}

} // namespace tcfix::macho
