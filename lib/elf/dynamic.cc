#include "elf/dynamic.h"

#include "base/error.h"
#include "elf/search_paths.h"
#include "image/ensure.h"
#include "image/names.h"

#include <llvm/ADT/STLExtras.h>

namespace tcfix::elf {

using namespace llvm::ELF;

namespace {

uint64_t tagOf(SearchPathKind kind) {
  return kind == SearchPathKind::Rpath ? DT_RPATH : DT_RUNPATH;
}

/// Applies edits to the slots one after the other. The changes are the net difference.
class Planner {
public:
  Planner(const Model& model, llvm::ArrayRef<NeededFile> needed) : model(model), needed(needed) {
    for (const auto& [index, entry] : llvm::enumerate(model.entries()))
      slots.push_back({{entry.tag, entry.value, {}, index}, {}});
    plan.neededFiles.resize(needed.size());
  }

  // An overload for every kind of edit: a new kind does not compile until it is handled.
  llvm::Error operator()(const AddSearchPath& edit) { return keep(edit); }
  llvm::Error operator()(const RemoveSearchPath& edit) { return keep(edit); }
  llvm::Error operator()(const ReplaceSearchPath& edit) { return keep(edit); }
  llvm::Error operator()(const SetSearchPathKind& edit) {
    wantedKind = edit.kind;
    return llvm::Error::success();
  }
  llvm::Error operator()(const RenameDependency& edit) {
    return renameDependency(edit.from, edit.to);
  }
  llvm::Error operator()(const AddDependency& edit) { return addDependency(edit.name); }
  llvm::Error operator()(const RemoveDependency& edit) { return removeDependency(edit.name); }
  llvm::Error operator()(const SetIdentity& edit) { return setIdentity(edit.name); }
  llvm::Error operator()(const DelayDependency&) { return noDelay(); }
  llvm::Error operator()(const UndelayDependency&) { return noDelay(); }

  /// Called after all other edits: the search paths become one string, however many edits there
  /// are.
  llvm::Error planSearchPaths();

  DynamicPlan finish() {
    describe();
    compact();
    for (Draft& draft : slots)
      plan.slots.push_back(std::move(draft.slot));
    return std::move(plan);
  }

private:
  struct Draft {
    Slot slot;
    std::optional<std::string> whyRemoved; ///< empty for a slot that stays
  };

  llvm::StringRef originalText(const Draft& draft) const { return model.text(draft.slot.value); }
  llvm::StringRef text(const Draft& draft) const {
    return draft.slot.text ? llvm::StringRef(*draft.slot.text) : originalText(draft);
  }
  llvm::StringRef neededText(size_t index) const {
    const std::optional<std::string>& renamed = plan.neededFiles[index];
    return renamed ? llvm::StringRef(*renamed) : model.text(needed[index].name);
  }

  /// Sets the string of a slot; the file's own string needs no new place.
  void setText(Draft& draft, const std::string& wanted) {
    draft.slot.text = wanted;
    if (draft.slot.from && originalText(draft) == wanted)
      draft.slot.text.reset();
  }

  void append(uint64_t tag, const std::string& wanted) {
    slots.push_back({{tag, 0, wanted, {}}, {}});
  }

  Draft* find(uint64_t tag, llvm::StringRef wanted) {
    for (Draft& draft : slots)
      if (draft.slot.tag == tag && !draft.whyRemoved && text(draft) == wanted)
        return &draft;
    return nullptr;
  }

  llvm::Error checkName(const std::string& name) const {
    if (name.empty() || name.find('\0') != std::string::npos)
      return fail(ErrorCode::Usage, "the name of a library is empty or contains a zero byte");
    return llvm::Error::success();
  }

  llvm::Error keep(SearchPathEdit edit) {
    searchPathEdits.push_back(std::move(edit));
    return llvm::Error::success();
  }
  static llvm::Error noDelay() {
    return fail(ErrorCode::Unsupported, "--delay and --undelay are for Windows DLLs; this is ELF");
  }
  llvm::Error renameDependency(const std::string& from, const std::string& to);
  llvm::Error addDependency(const std::string& name);
  llvm::Error removeDependency(const std::string& name);
  llvm::Error setIdentity(const std::string& name);
  void describe();
  void compact();

  const Model& model;
  llvm::ArrayRef<NeededFile> needed;
  std::vector<Draft> slots;
  std::vector<SearchPathEdit> searchPathEdits;
  std::optional<SearchPathKind> wantedKind;
  DynamicPlan plan;
};

llvm::Error Planner::renameDependency(const std::string& from, const std::string& to) {
  if (llvm::Error error = checkName(to))
    return error;
  bool isKnown = find(DT_NEEDED, to) != nullptr;
  while (Draft* draft = from == to ? nullptr : find(DT_NEEDED, from)) {
    if (find(DT_NEEDED, to))
      draft->whyRemoved = "the file already depends on " + to;
    else
      setText(*draft, to);
    isKnown = true;
  }
  if (!isKnown)
    plan.warnings.push_back("no dependency " + from + " to rename");
  // Also if only the versions still have the old name: ld.so aborts on such a file.
  if (isKnown)
    for (size_t i = 0; i < needed.size(); ++i)
      if (neededText(i) == from)
        plan.neededFiles[i] = to;
  return llvm::Error::success();
}

llvm::Error Planner::addDependency(const std::string& name) {
  if (llvm::Error error = checkName(name))
    return error;
  if (find(DT_NEEDED, name))
    return llvm::Error::success();
  for (Draft& draft : slots) // removed by an earlier edit
    if (draft.slot.tag == DT_NEEDED && draft.whyRemoved.has_value() && text(draft) == name) {
      draft.whyRemoved.reset();
      return llvm::Error::success();
    }
  append(DT_NEEDED, name);
  return llvm::Error::success();
}

llvm::Error Planner::removeDependency(const std::string& name) {
  for (const auto& [index, file] : llvm::enumerate(needed))
    if (neededText(index) == name && find(DT_NEEDED, name))
      return fail(ErrorCode::Conflict,
                  "cannot remove the dependency " + name + ": the file uses " +
                      std::to_string(file.versions.size()) +
                      " of its symbol versions, and ld.so aborts if it is not listed",
                  "use --rename-dependency to replace it with a library that has these versions");
  while (Draft* draft = find(DT_NEEDED, name))
    draft->whyRemoved.emplace();
  return llvm::Error::success();
}

llvm::Error Planner::setIdentity(const std::string& name) {
  if (llvm::Error error = checkName(name))
    return error;
  if (isProgram(model))
    return fail(ErrorCode::Unsupported, "a program has no SONAME; only libraries have one");
  bool isSet = false;
  for (Draft& draft : slots)
    if (draft.slot.tag == DT_SONAME) {
      setText(draft, name);
      isSet = true;
    }
  if (!isSet)
    append(DT_SONAME, name);
  return llvm::Error::success();
}

llvm::Error Planner::planSearchPaths() {
  SearchPaths current = readSearchPaths(model);
  llvm::Expected<std::vector<SearchPathEdit>> spelled = spellLike(current.paths, searchPathEdits);
  if (!spelled)
    return spelled.takeError();
  EnsuredSearchPaths wanted = ensureSearchPaths(current.paths, *spelled);
  SearchPathKind kind = wantedKind.value_or(current.kind.value_or(SearchPathKind::Runpath));

  llvm::append_range(plan.changes, wanted.changes);
  llvm::append_range(plan.warnings, wanted.warnings);
  if (kind != current.kind.value_or(SearchPathKind::Runpath) && !wanted.paths.empty())
    plan.changes.push_back({Operation::SetRpathKind,
                            nameOf(kind).str(),
                            current.kind ? nameOf(*current.kind).str() : std::string(),
                            {},
                            {}});
  if (!current.ignored.empty())
    plan.warnings.push_back(
        "had both DT_RPATH and DT_RUNPATH, of which loaders use one; the other was removed");
  for (const std::string& text : current.ignored)
    plan.changes.push_back(
        {Operation::RemoveRpath, text, {}, "loaders ignore it because of DT_RUNPATH", {}});

  for (auto [index, draft] : llvm::enumerate(slots))
    if ((draft.slot.tag == DT_RPATH || draft.slot.tag == DT_RUNPATH) && index != current.slot)
      draft.whyRemoved = "ignored";
  if (!current.slot) {
    if (!wanted.paths.empty())
      append(tagOf(kind), joinSearchPath(wanted.paths));
    return llvm::Error::success();
  }
  if (wanted.paths == current.paths && kind == current.kind)
    return llvm::Error::success();
  Draft& kept = slots[*current.slot];
  if (wanted.paths.empty()) {
    kept.whyRemoved = "empty";
  } else {
    kept.slot.tag = tagOf(kind);
    setText(kept, joinSearchPath(wanted.paths));
  }
  return llvm::Error::success();
}

/// Reports the net difference in names: an edit that another one reverts is no change.
void Planner::describe() {
  for (const Draft& draft : slots) {
    const Slot& slot = draft.slot;
    std::string old = slot.from && isText(slot.tag) ? originalText(draft).str() : std::string();
    if (slot.tag == DT_NEEDED) {
      if (!slot.from) {
        if (!draft.whyRemoved)
          plan.changes.push_back({Operation::AddDependency, *slot.text, {}, {}, {}});
      } else if (draft.whyRemoved.has_value()) {
        plan.changes.push_back({Operation::RemoveDependency, old, {}, *draft.whyRemoved, {}});
      } else if (slot.text) {
        plan.changes.push_back({Operation::RenameDependency, *slot.text, old, {}, {}});
      }
    } else if (slot.tag == DT_SONAME && slot.text) {
      plan.changes.push_back({Operation::SetId, *slot.text, old, {}, {}});
    }
  }
  for (size_t i = 0; i < needed.size(); ++i) {
    llvm::StringRef old = model.text(needed[i].name);
    if (plan.neededFiles[i] == old)
      plan.neededFiles[i].reset();
    bool isReported = llvm::any_of(plan.changes, [&](const Change& change) {
      return change.old == old || change.value == old;
    });
    if (plan.neededFiles[i] && !isReported)
      plan.changes.push_back({Operation::RenameDependency,
                              *plan.neededFiles[i],
                              old.str(),
                              "only the symbol versions still had the old name",
                              {}});
  }
}

/// Closes the gaps left by removed slots. The last slot fills a gap if the order does not matter;
/// otherwise, to keep the order of DT_NEEDED, the following slots move up.
void Planner::compact() {
  auto isOrdered = [](uint64_t tag) {
    return tag == DT_NEEDED || tag == DT_AUXILIARY || tag == DT_FILTER;
  };
  for (size_t i = 0; i < slots.size();) {
    if (!slots[i].whyRemoved) {
      ++i;
      continue;
    }
    if (i + 1 < slots.size() && !slots.back().whyRemoved && !isOrdered(slots.back().slot.tag)) {
      slots[i] = std::move(slots.back());
      slots.pop_back();
    } else {
      slots.erase(slots.begin() + i);
    }
  }
}

} // namespace

SearchPaths readSearchPaths(const Model& model) {
  SearchPaths result;
  for (uint64_t tag : {DT_RPATH, DT_RUNPATH})
    for (const auto& [index, entry] : llvm::enumerate(model.entries()))
      if (entry.tag == tag) {
        result.slot = index;
        result.kind = tag == DT_RPATH ? SearchPathKind::Rpath : SearchPathKind::Runpath;
      }
  for (const auto& [index, entry] : llvm::enumerate(model.entries())) {
    if (index == result.slot)
      result.paths = splitSearchPath(model.text(entry.value));
    else if (entry.tag == DT_RPATH || entry.tag == DT_RUNPATH)
      result.ignored.push_back(model.text(entry.value).str());
  }
  return result;
}

bool isProgram(const Model& model) {
  bool isPie = model.find(DT_FLAGS_1).value_or(0) & DF_1_PIE;
  return model.header.type == ET_EXEC || isPie;
}

llvm::Expected<DynamicPlan> planDynamic(const Model& model, llvm::ArrayRef<NeededFile> needed,
                                        llvm::ArrayRef<Edit> edits) {
  Planner planner(model, needed);
  for (const Edit& edit : edits)
    if (llvm::Error error = std::visit(planner, edit))
      return error;
  if (llvm::Error error = planner.planSearchPaths())
    return error;
  return planner.finish();
}

} // namespace tcfix::elf
