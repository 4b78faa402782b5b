#include "apply/library_rewrite.h"

#include "image/names.h"
#include "io/digest.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/Path.h>

namespace tcfix::apply {

namespace {

/// The change that corresponds to a planned edit, for comparing and recording it.
Change changeFor(const plan::PlannedEdit& edit) {
  struct Visitor {
    Change operator()(const AddSearchPath& e) { return {Operation::AddRpath, e.path, {}, {}, {}}; }
    Change operator()(const RemoveSearchPath& e) {
      return {Operation::RemoveRpath, e.path, {}, {}, {}};
    }
    Change operator()(const ReplaceSearchPath& e) {
      return {Operation::ReplaceRpath, e.to, e.from, {}, {}};
    }
    Change operator()(const SetSearchPathKind& e) {
      return {Operation::SetRpathKind, nameOf(e.kind).str(), {}, {}, {}};
    }
    Change operator()(const RenameDependency& e) {
      return {Operation::RenameDependency, e.to, e.from, {}, {}};
    }
    Change operator()(const AddDependency& e) {
      return {Operation::AddDependency, e.name, {}, {}, {}};
    }
    Change operator()(const RemoveDependency& e) {
      return {Operation::RemoveDependency, e.name, {}, {}, {}};
    }
    Change operator()(const SetIdentity& e) { return {Operation::SetId, e.name, {}, {}, {}}; }
    Change operator()(const DelayDependency& e) {
      return {Operation::Delay, e.pattern, {}, {}, {}};
    }
    Change operator()(const UndelayDependency& e) {
      return {Operation::Undelay, e.pattern, {}, {}, {}};
    }
  };
  Change change = std::visit(Visitor(), edit.edit);
  change.reason = edit.reason.text();
  return change;
}

std::string textOfEdits(llvm::ArrayRef<plan::PlannedEdit> edits, const ApplyOptions& options) {
  std::string text;
  for (const plan::PlannedEdit& edit : edits) {
    Change change = changeFor(edit);
    text += nameOf(change.operation).str() + " " + change.value +
            (change.old.empty() ? "" : " for " + change.old) + "\n";
  }
  if (!options.signing.isWanted)
    text += "unsigned\n";
  if (options.signWithCodesign)
    text += "signed by codesign\n";
  return text;
}

constexpr llvm::StringLiteral kGone = "written by tcfix earlier, and no longer needed";
constexpr llvm::StringLiteral kBack = "as the installer left it";

// The dependencies of `slice` that `other` does not have.
std::vector<const Dependency*> onlyIn(const Slice& slice, const Slice& other) {
  std::vector<const Dependency*> only;
  for (const Dependency& dependency : slice.dependencies)
    if (llvm::none_of(other.dependencies, [&](const Dependency& one) {
          return one.name == dependency.name && one.kind == dependency.kind;
        }))
      only.push_back(&dependency);
  return only;
}

// A renamed dependency keeps its position, so if as many were added as removed, they correspond in
// order.
void addDependencyDifferences(const Slice& now, const Slice& wanted, std::vector<Change>& changes) {
  std::vector<const Dependency*> gone = onlyIn(now, wanted), come = onlyIn(wanted, now);
  if (gone.size() != come.size()) {
    for (const Dependency* one : gone)
      changes.push_back({Operation::RemoveDependency, one->name, {}, kGone.str(), {}});
    for (const Dependency* one : come)
      changes.push_back({Operation::AddDependency, one->name, {}, kBack.str(), {}});
    return;
  }
  for (auto [before, after] : llvm::zip(gone, come)) {
    if (before->name != after->name)
      changes.push_back({Operation::RenameDependency, after->name, before->name, kBack.str(), {}});
    if (before->kind != after->kind)
      changes.push_back(
          {after->kind == DependencyKind::Delay ? Operation::Delay : Operation::Undelay,
           after->name,
           {},
           kBack.str(),
           {}});
  }
}

// For a file that tcfix has changed before: the differences from that state.
std::vector<Change> differencesOf(const Slice& now, const Slice& wanted,
                                  llvm::ArrayRef<plan::PlannedEdit> edits) {
  std::vector<Change> changes;
  for (const std::string& path : now.searchPaths)
    if (!llvm::is_contained(wanted.searchPaths, path))
      changes.push_back({Operation::RemoveRpath, path, {}, kGone.str(), {}});
  for (const std::string& path : wanted.searchPaths)
    if (!llvm::is_contained(now.searchPaths, path))
      changes.push_back({Operation::AddRpath, path, {}, kBack.str(), {}});
  if (wanted.searchPathKind && now.searchPathKind != wanted.searchPathKind)
    changes.push_back(
        {Operation::SetRpathKind, nameOf(*wanted.searchPathKind).str(), {}, kGone.str(), {}});
  addDependencyDifferences(now, wanted, changes);
  explain(changes, edits);
  return changes;
}

} // namespace

// The reasons are in the plan; the formats only report what they did.
void explain(std::vector<Change>& changes, llvm::ArrayRef<plan::PlannedEdit> edits) {
  for (Change& change : changes)
    for (const plan::PlannedEdit& edit : edits) {
      Change planned = changeFor(edit);
      if (planned.operation == change.operation && planned.value == change.value)
        change.reason = planned.reason;
    }
}

namespace {

/// True if library_stage hashes the new file in any case.
bool isHashedWhenStaged(const LibraryWork& work, const ApplyOptions& options) {
  return options.isWriting && work.history.empty() && !work.replacement;
}

llvm::Error rewriteNow(LibraryWork& work, const plan::Draft& draft, const ApplyOptions& options) {
  FileOutcome& outcome = work.outcome;
  formats::EditRequest request;
  request.signing = options.signing;
  for (const plan::PlannedEdit& edit : draft.edits())
    request.edits.push_back(edit.edit);
  Bytes base = work.base(), now = work.input->bytes();
  llvm::Expected<EditOutcome> edit =
      formats::rewrite(base, llvm::sys::path::filename(work.path), request);
  if (!edit)
    return edit.takeError();
  outcome.edit = std::move(*edit);
  explain(outcome.edit.changes, draft.edits());
  if (!work.isPristine())
    outcome.edit.rewrite =
        differenceOf(now, rewritten(outcome.edit.rewrite, base), "planned again");
  work.change = outcome.edit.rewrite;
  bool isChanged = !work.change.isIdentity();
  // For a library that tcfix has edited before, report only the differences from that state.
  bool withImages = !options.isWriting || work.edits() || work.replacement;
  if (llvm::Error error =
          commit::describeRewrite(outcome, now,
                                  {.isWriting = options.isWriting,
                                   .withHashes = options.withHashes || isChanged,
                                   .isHashedLater = isHashedWhenStaged(work, options),
                                   .withImages = withImages}))
    return error;
  if (!isChanged) {
    outcome.edit.changes.clear();
    return llvm::Error::success();
  }
  if (work.edits() && !work.replacement) {
    std::vector<Change> changes =
        differencesOf(outcome.before->slices.front(), outcome.after->slices.front(), draft.edits());
    llvm::copy_if(outcome.edit.changes, std::back_inserter(changes),
                  [](const Change& change) { return change.operation == Operation::Sign; });
    outcome.edit.changes = std::move(changes);
  }
  if (work.replacement)
    outcome.edit.changes.insert(
        outcome.edit.changes.begin(),
        {Operation::ReplaceFile, work.replacement->path(), {}, "rebuilt", {}});
  return llvm::Error::success();
}

} // namespace

bool isUpToDate(LibraryWork& work, const plan::Draft& draft, const ApplyOptions& options) {
  work.editsText = textOfEdits(draft.edits(), options);
  if (work.replacement || !work.isAsLeft() || work.edits()->plan->editsText != work.editsText)
    return false;
  work.outcome.sha256Before = work.outcome.sha256After = work.edits()->sha256After;
  return true;
}

llvm::Error rewriteLibrary(LibraryWork& work, const plan::Draft& draft,
                           const ApplyOptions& options) {
  return work.input->checkWhole(rewriteNow(work, draft, options));
}

AppliedPlan rememberPlan(const plan::Draft& draft, const Image& changed, const std::string& arch) {
  const Slice* slice = &changed.slices.front();
  for (const Slice& one : changed.slices)
    if (one.arch == arch)
      slice = &one;
  const resolve::LibraryOverride& original = draft.library().original;
  AppliedPlan plan;
  plan.searchPaths = original.searchPaths;
  plan.searchPathKind = original.searchPathKind;
  // The changed file may list its dependencies in another order (on Windows delayed ones come
  // last), so they are matched by name.
  std::vector<bool> isUsed(original.dependencies.size());
  for (const Dependency& dependency : slice->dependencies) {
    Dependency known = dependency;
    for (size_t i = 0; i < original.dependencies.size(); ++i)
      if (!isUsed[i] && draft.wanted().dependencies[i].name == dependency.name) {
        known = original.dependencies[i];
        isUsed[i] = true;
        break;
      }
    plan.dependencies.push_back(std::move(known));
  }
  for (size_t i = 0; i < original.dependencies.size(); ++i)
    if (!isUsed[i])
      plan.dependencies.push_back(original.dependencies[i]);
  return plan;
}

} // namespace tcfix::apply
