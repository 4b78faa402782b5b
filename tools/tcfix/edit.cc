#include "command_line.h"
#include "editing.h"

namespace tcfix::cli {

namespace {

llvm::Expected<std::pair<std::string, std::string>> splitPair(const Argument& argument) {
  size_t equals = argument.value.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == argument.value.size())
    return fail(ErrorCode::Usage, "--" + argument.key + " takes OLD=NEW");
  return std::make_pair(argument.value.substr(0, equals), argument.value.substr(equals + 1));
}

// The edit for an option; nothing for options that are not edits.
llvm::Expected<std::optional<Edit>> editFor(const Argument& argument, bool isLazy) {
  const std::string& key = argument.key;
  const std::string& value = argument.value;
  bool takesPair = key == "replace-rpath" || key == "rename-dependency";
  if (takesPair) {
    auto pair = splitPair(argument);
    if (!pair)
      return pair.takeError();
    if (key == "replace-rpath")
      return Edit(ReplaceSearchPath{pair->first, pair->second});
    return Edit(RenameDependency{pair->first, pair->second});
  }
  if (key == "rpath-kind") {
    if (value == "keep")
      return std::nullopt;
    return Edit(
        SetSearchPathKind{value == "rpath" ? SearchPathKind::Rpath : SearchPathKind::Runpath});
  }
  std::optional<Edit> edit;
  if (key == "add-rpath")
    edit = AddSearchPath{value, false};
  else if (key == "prepend-rpath")
    edit = AddSearchPath{value, true};
  else if (key == "remove-rpath")
    edit = RemoveSearchPath{value};
  else if (key == "add-dependency")
    edit = AddDependency{value};
  else if (key == "remove-dependency")
    edit = RemoveDependency{value};
  else if (key == "set-id")
    edit = SetIdentity{value};
  else if (key == "delay")
    edit = DelayDependency{value, isLazy};
  else if (key == "undelay")
    edit = UndelayDependency{value};
  if (edit && value.empty())
    return fail(ErrorCode::Usage, "--" + key + " must not be empty");
  return edit;
}

int runEdit(Invocation& invocation) {
  formats::EditRequest request;
  for (const Argument& argument : invocation.arguments()) {
    llvm::Expected<std::optional<Edit>> edit = editFor(argument, invocation.isOn("lazy"));
    if (!edit)
      return invocation.usageError(toProblem(edit.takeError(), {}).message);
    if (*edit)
      request.edits.push_back(std::move(**edit));
  }
  if (request.edits.empty())
    return invocation.usageError("no edit given, such as --add-rpath PATH");
  return runEditing(invocation, std::move(request));
}

} // namespace

Command editCommand() {
  static constexpr Option kOptions[] = {
      {"add-rpath", "add a search path at the end", "PATH"},
      {"prepend-rpath", "add a search path at the front, or move it there", "PATH"},
      {"remove-rpath", "remove a search path", "PATH"},
      {"replace-rpath", "replace a search path", "OLD=NEW"},
      {"rename-dependency", "depend on NEW instead of OLD", "OLD=NEW"},
      {"add-dependency", "add a dependency (ELF)", "NAME"},
      {"remove-dependency", "remove a dependency (ELF, PE)", "NAME"},
      {"set-id", "set the library's own name: install name or SONAME (Mach-O, ELF)", "NAME"},
      {"rpath-kind", "set the kind of the search paths (ELF)", "runpath|rpath|keep"},
      {"delay", "load this DLL through the embedded search list; a name or a glob (PE)", "DLL"},
      {"lazy", "with --delay: load it at the first call, not with the library (PE)"},
      {"undelay", "make it an ordinary import again (PE)", "DLL"},
      {"no-sign", "leave the signature as it is, even if that breaks it"},
  };
  return {"edit",
          "edit search paths, dependencies and the identity of libraries",
          "Makes the edits in the order of the options. All edits are idempotent: a second\n"
          "run writes nothing. Duplicate search paths are removed. Mach-O files are signed\n"
          "again, ad hoc.\n",
          "FILE...",
          R"(  tcfix edit --add-rpath @loader_path/../torch/lib *.dylib
  tcfix edit -n --rename-dependency @rpath/libx.1.dylib=libx.2.dylib *.dylib
  tcfix edit --journal undo.json --add-rpath '$ORIGIN/../torch/lib' libfoo.so
  tcfix undo --journal undo.json
  tcfix edit --delay 'av*' --add-rpath '$ORIGIN\..\av.libs' core7.dll
)",
          {{"", kOptions}, editingOptions()},
          runEdit};
}

} // namespace tcfix::cli
