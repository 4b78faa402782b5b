#include "apply/library_rewrite.h"

#include "image/names.h"
#include "io/digest.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/Path.h>

namespace tcfix::apply {

namespace {

/// An edit in the words of a change, so that both can be compared and written down.
Change changeFor(const plan::PlannedEdit& wish) {
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
  Change change = std::visit(Visitor(), wish.edit);
  change.reason = wish.reason.text();
  return change;
}

std::string textOfWishes(llvm::ArrayRef<plan::PlannedEdit> wishes, const ApplyOptions& options) {
  std::string text;
  for (const plan::PlannedEdit& wish : wishes) {
    Change change = changeFor(wish);
    text += nameOf(change.operation).str() + " " + change.value +
            (change.old.empty() ? "" : " for " + change.old) + "\n";
  }
  if (!options.signing.isWanted)
    text += "unsigned\n";
  if (options.signWithCodesign)
    text += "signed by codesign\n";
  return text;
}

constexpr llvm::StringLiteral kGone = "tcfix wrote it before, and it no longer serves";
constexpr llvm::StringLiteral kBack = "as the installer left it";

// Those of `slice` that `other` has not.
std::vector<const Dependency*> onlyIn(const Slice& slice, const Slice& other) {
  std::vector<const Dependency*> only;
  for (const Dependency& dependency : slice.dependencies)
    if (llvm::none_of(other.dependencies, [&](const Dependency& one) {
          return one.name == dependency.name && one.kind == dependency.kind;
        }))
      only.push_back(&dependency);
  return only;
}

// Renamed ones keep their places; so, if as many came as went, each came for one that went.
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

// A file that tcfix changed before: what is different from then.
std::vector<Change> differencesOf(const Slice& now, const Slice& wanted,
                                  llvm::ArrayRef<plan::PlannedEdit> wishes) {
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
  explain(changes, wishes);
  return changes;
}

} // namespace

// The plan has the reasons; the formats only report what they did.
void explain(std::vector<Change>& changes, llvm::ArrayRef<plan::PlannedEdit> wishes) {
  for (Change& change : changes)
    for (const plan::PlannedEdit& wish : wishes) {
      Change planned = changeFor(wish);
      if (planned.operation == change.operation && planned.value == change.value)
        change.reason = planned.reason;
    }
}

llvm::Error rewriteLibrary(LibraryWork& work, const plan::Draft& draft,
                           const ApplyOptions& options) {
  FileOutcome& outcome = work.outcome;
  work.wishes = textOfWishes(draft.edits(), options);
  if (!work.replacement && work.isAsLeft() && work.edits()->plan->wishes == work.wishes) {
    outcome.sha256Before = outcome.sha256After = work.edits()->sha256After;
    return llvm::Error::success();
  }
  formats::EditRequest request;
  request.signing = options.signing;
  for (const plan::PlannedEdit& wish : draft.edits())
    request.edits.push_back(wish.edit);
  Bytes base = work.base(), now = work.input->bytes();
  llvm::Expected<EditOutcome> edit =
      formats::rewrite(base, llvm::sys::path::filename(work.path), request);
  if (!edit)
    return edit.takeError();
  outcome.edit = std::move(*edit);
  explain(outcome.edit.changes, draft.edits());
  if (!work.isPristine())
    outcome.edit.rewrite = differenceOf(now, rewritten(outcome.edit.rewrite, base), "planned anew");
  work.change = outcome.edit.rewrite;
  bool isChanged = !work.change.isIdentity();
  // A library that has edits of ours gets only the differences from them, as its reader sees both.
  bool withImages = !options.isWriting || work.edits() || work.replacement;
  if (llvm::Error error = commit::describeRewrite(outcome, now,
                                                  {.isWriting = options.isWriting,
                                                   .withHashes = options.withHashes || isChanged,
                                                   .withImages = withImages}))
    return error;
  if (!isChanged) {
    outcome.edit.changes.clear();
    return llvm::Error::success();
  }
  if (work.edits() && !work.replacement)
    outcome.edit.changes =
        differencesOf(outcome.before->slices.front(), outcome.after->slices.front(), draft.edits());
  if (work.replacement)
    outcome.edit.changes.insert(
        outcome.edit.changes.begin(),
        {Operation::ReplaceFile, work.replacement->path(), {}, "rebuilt", {}});
  return llvm::Error::success();
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
  // The changed file may list its dependencies in another order (delayed ones come last on
  // Windows); names tell which is which.
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
