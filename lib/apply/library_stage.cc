#include "apply/library_stage.h"

#include "commit/codesign_tool.h"
#include "io/digest.h"

#include <algorithm>

namespace tcfix::apply {

namespace {

llvm::Expected<JournalEntry> replacementEntry(const LibraryWork& work, const OriginalFile& original,
                                              const std::string& relative) {
  Bytes rebuilt = work.replacement->bytes();
  JournalEntry entry{relative, {}, {}, original.modifiedNs, {}, original.link, std::nullopt};
  if (llvm::Error error = io::sha256Of(original.bytes).moveInto(entry.sha256Before))
    return error;
  if (llvm::Error error = io::sha256Of(rebuilt).moveInto(entry.sha256After))
    return error;
  entry.reverse = differenceOf(rebuilt, original.bytes, "undo");
  return entry;
}

/// Whether a file has the bytes that were planned for it.
bool isAsPlanned(Bytes written, const LibraryWork& work) {
  constexpr uint64_t kStep = 1 << 16; // patches are in few of them, and only those are copied
  const RewrittenView planned(work.input->bytes(), work.change);
  ByteVector scratch;
  bool isSame = written.size() == planned.size();
  for (uint64_t offset = 0; isSame && offset < written.size(); offset += kStep) {
    const uint64_t length = std::min<uint64_t>(kStep, written.size() - offset);
    isSame = planned.read(offset, length, scratch) == written.slice(offset, length);
  }
  return isSame;
}

// The journal's entry for the edits, made from the new file on disk.
llvm::Expected<std::optional<JournalEntry>> editEntry(StagedLibrary& staged,
                                                      const plan::Draft& draft,
                                                      const StageContext& context,
                                                      const OriginalFile& original) {
  LibraryWork& work = *staged.work;
  llvm::Expected<io::InputFile> file =
      io::InputFile::openReal(staged.step->staged()->path(), io::kLargestFile,
                              /*isKnownFile=*/true);
  if (!file)
    return file.takeError();
  JournalEntry entry;
  entry.path = relativeTo(context.place, work.path);
  entry.sha256Before = work.outcome.sha256Before;
  if (!work.isPristine())
    if (llvm::Error error = io::sha256Of(work.base()).moveInto(entry.sha256Before))
      return error;
  if (llvm::Error error = io::sha256Of(file->bytes()).moveInto(entry.sha256After))
    return error;
  // The planned bytes have been checked; now check what is on disk.
  if (!context.options.signWithCodesign && !isAsPlanned(file->bytes(), work))
    return fail(ErrorCode::CannotWrite, "the new file differs from what was written to it",
                "check the disk, then run the same command again; the file was not changed");
  work.outcome.sha256After = entry.sha256After;
  if (entry.sha256Before == entry.sha256After)
    return std::nullopt;
  entry.modifiedNs = original.modifiedNs;
  entry.link = original.link;
  entry.reverse = work.isPristine() ? reverseOf(work.change, work.input->bytes())
                                    : differenceOf(file->bytes(), work.base(), "undo");
  llvm::Expected<Image> image =
      formats::inspect(file->bytes(), {.withSymbols = false, .isThorough = false});
  if (!image)
    return image.takeError();
  entry.plan = rememberPlan(draft, *image, context.arch);
  entry.plan->editsText = work.editsText;
  entry.plan->stamp = file->stamp();
  return entry;
}

} // namespace

llvm::Expected<StagedLibrary> stageLibrary(LibraryWork& work, const plan::Draft& draft,
                                           const StageContext& context) {
  StagedLibrary staged;
  staged.work = &work;
  OriginalFile original = originalOf(work);
  if (work.replacement) {
    llvm::Expected<JournalEntry> entry =
        replacementEntry(work, original, relativeTo(context.place, work.path));
    if (!entry)
      return entry.takeError();
    staged.history.push_back(std::move(*entry));
  } else if (!work.history.empty() && !work.history.front().plan)
    staged.history.push_back(work.history.front());

  if (staged.history.empty() && !work.history.empty() && draft.edits().empty() &&
      work.outcome.sha256After == work.history.front().sha256Before)
    return stageOriginal(work, context.disk, context.locks);
  llvm::Expected<io::Place> place = context.locks.place(work.path);
  if (!place)
    return place.takeError();
  llvm::Expected<Step> step = Step::replace(*work.input, std::move(*place), work.change);
  if (!step)
    return step.takeError();
  staged.step.emplace(std::move(*step));
  if (work.replacement)
    if (llvm::Error error = staged.step->staged()->checkReadableByOwner(*work.replacement))
      return at(work.replacement->path(), std::move(error));
  if (context.options.signWithCodesign) {
    llvm::Expected<std::optional<Rewrite>> rewrite =
        commit::signWithTool(*staged.step, *work.input);
    if (!rewrite)
      return rewrite.takeError();
    if (*rewrite)
      work.change = std::move(**rewrite);
  }
  llvm::Expected<std::optional<JournalEntry>> entry = editEntry(staged, draft, context, original);
  if (!entry)
    return entry.takeError();
  if (*entry)
    staged.history.push_back(std::move(**entry));
  // While other libraries are staged.
  if (llvm::Error error = staged.step->sync())
    return error;
  return staged;
}

llvm::Expected<StagedLibrary> stageOriginal(LibraryWork& work, const io::TargetDisk& disk,
                                            const commit::Locks& locks) {
  OriginalFile original = originalOf(work);
  llvm::Expected<std::string> digest = io::sha256Of(original.bytes);
  if (!digest)
    return digest.takeError();
  if (*digest != work.history.front().sha256Before)
    return fail(ErrorCode::Malformed, "the journal does not restore the original bytes",
                "reinstall the package to restore them");
  StagedLibrary staged;
  staged.work = &work;
  llvm::Expected<io::Place> place = locks.place(work.path);
  if (!place)
    return place.takeError();
  llvm::Expected<Step> step =
      leadsTo(work.path, original.link, original.bytes, disk)
          ? llvm::Expected<Step>(Step::link(*work.input, std::move(*place), original.link))
          : Step::replace(*work.input, std::move(*place),
                          differenceOf(work.input->bytes(), original.bytes, "undo"),
                          original.modifiedNs);
  if (!step)
    return step.takeError();
  staged.step.emplace(std::move(*step));
  return staged;
}

} // namespace tcfix::apply
