#include "wheel/repair.h"

#include "apply/library_rewrite.h"
#include "base/parallel.h"
#include "env/library_files.h"
#include "io/digest.h"
#include "io/host.h"
#include "wheel/bundle.h"
#include "wheel/output.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/Path.h>

#include <map>

namespace tcfix::wheel {

namespace path = llvm::sys::path;
using commit::FileOutcome;
using commit::FileStatus;

namespace {

/// A library of the wheel that is being repaired.
struct Library {
  const ZipMember* member;
  std::string place; ///< relative to site-packages
  ByteVector content;
  Image image;
};

bool needsRepair(const ZipMember& member) {
  llvm::StringRef name = path::filename(member.name, path::Style::posix);
  return !member.isFolder() && name.starts_with(recipe::defaultRecipe().libraryPrefix) &&
         env::isLibraryName(name) && !env::isInGraftedFolder(member.name);
}

class Repair {
public:
  Repair(llvm::ArrayRef<std::string> inputs, const RepairOptions& options,
         const OutputFolder& folder, WheelOutcome& outcome)
      : inputs(inputs), options(options), folder(folder), outcome(outcome) {}

  llvm::Error run();

private:
  llvm::Error readLibraries(const Contents& wheel);
  /// The FFmpeg for the libraries; null for the system's.
  llvm::Expected<const plan::FfmpegBeside*> chooseFfmpeg(const Contents& wheel);
  llvm::Error rewrite(const Library& library, const plan::UnknownDiskRequest& request,
                      FileOutcome& file, Changes& changes) const;
  llvm::Error write(const Contents& wheel, Changes changes);

  llvm::ArrayRef<std::string> inputs; ///< of the whole run
  const RepairOptions& options;
  const OutputFolder& folder;
  WheelOutcome& outcome;
  std::vector<Library> libraries;
  Bundle bundle;
};

llvm::Error Repair::readLibraries(const Contents& wheel) {
  uint64_t most = kMaxBytes; // for all libraries together, since all are in memory
  for (const ZipMember& member : wheel.members()) {
    if (!needsRepair(member))
      continue;
    llvm::Expected<ByteVector> content = wheel.read(member, most);
    if (!content)
      return content.takeError();
    most -= content->size();
    llvm::Expected<Image> image = formats::inspect(*content);
    if (!image) {
      Problem problem = toProblem(image.takeError(), {});
      problem.message = member.name + ": " + problem.message;
      if (problem.hint.empty())
        problem.hint = "download the wheel again, or rebuild it";
      return toError(std::move(problem));
    }
    libraries.push_back(
        {&member, wheel.installedPath(member.name).str(), std::move(*content), std::move(*image)});
  }
  if (libraries.empty())
    return fail(ErrorCode::Unsupported, "contains no library of " + recipe::defaultRecipe().name,
                "pass only wheels of " + recipe::defaultRecipe().name +
                    "; tcfix does not repair others");
  return llvm::Error::success();
}

llvm::Expected<const plan::FfmpegBeside*> Repair::chooseFfmpeg(const Contents& wheel) {
  if (!options.bundleFrom.empty()) {
    std::vector<const Image*> images;
    for (const Library& library : libraries)
      images.push_back(&library.image);
    llvm::Expected<Bundle> made = bundleFfmpeg(options.bundleFrom, wheel, images, options.signing);
    if (!made)
      return made.takeError();
    bundle = std::move(*made);
    outcome.warnings = std::move(bundle.warnings);
    return &bundle.ffmpeg;
  }
  if (options.pyavs.empty())
    return nullptr;
  const Image& image = libraries.front().image;
  auto fits = [&](const PyavWheel& pyav) {
    return pyav.platform == platformOf(image.format) &&
           llvm::any_of(image.slices, [&](const Slice& slice) { return slice.arch == pyav.arch; });
  };
  auto found = llvm::find_if(options.pyavs, fits);
  if (found == options.pyavs.end())
    return fail(ErrorCode::Unsupported,
                ("is for " + formats::nameOf(image.format) + " " + image.slices.front().arch +
                 ", and there is no PyAV wheel for that platform")
                    .str(),
                "add another --av-wheel");
  auto asksFor = [](const plan::FfmpegBeside& ffmpeg) {
    return [&](const Library& library) {
      return llvm::any_of(library.image.slices.front().dependencies, [&](const Dependency& one) {
        return ffmpeg.files.find(one.name) != nullptr;
      });
    };
  };
  if (llvm::none_of(libraries, asksFor(found->ffmpeg)))
    outcome.warnings.push_back({std::nullopt,
                                "no library is built for the FFmpeg in " +
                                    found->ffmpeg.description + "; all use the system's FFmpeg",
                                outcome.input,
                                "pass a PyAV wheel with another FFmpeg version as --av-wheel"});
  return &found->ffmpeg;
}

llvm::Error Repair::rewrite(const Library& library, const plan::UnknownDiskRequest& request,
                            FileOutcome& file, Changes& changes) const {
  std::vector<plan::PlannedEdit> planned = portableEdits(library.image, library.place, request);
  file.sha256Before = file.sha256After = io::sha256Hex(library.content);
  if (planned.empty())
    return llvm::Error::success();
  formats::EditRequest edits;
  edits.signing = options.signing;
  for (const plan::PlannedEdit& edit : planned)
    edits.edits.push_back(edit.edit);
  llvm::Expected<EditOutcome> edit =
      formats::rewrite(library.content, path::filename(library.member->name), edits);
  if (!edit)
    return edit.takeError();
  file.edit = std::move(*edit);
  if (file.edit.rewrite.isIdentity()) {
    file.edit.changes.clear();
    return llvm::Error::success();
  }
  apply::explain(file.edit.changes, planned);
  ByteVector changed = rewritten(file.edit.rewrite, library.content);
  file.status = FileStatus::Changed;
  file.sha256After = io::sha256Hex(changed);
  changes.contents[library.member->name] = std::move(changed);
  return llvm::Error::success();
}

llvm::Error Repair::write(const Contents& wheel, Changes changes) {
  if (llvm::Error error = checkRest(wheel, changes))
    return error;
  if (llvm::Error error = folder.check())
    return error;
  llvm::SmallString<256> target(options.outputFolder);
  path::append(target, repairedName(wheel).text());
  // Otherwise the result would depend on whether that input is read before or after this write.
  const bool isInput =
      llvm::any_of(inputs, [&](const std::string& input) { return io::isSameFile(target, input); });
  llvm::Expected<io::Place> place = folder.place(repairedName(wheel).text());
  if (!place)
    return at(std::string(target), place.takeError());
  llvm::Expected<bool> isWritten =
      writeWheel(wheel, std::move(changes), std::move(*place), isInput);
  if (!isWritten)
    return at(std::string(target), isWritten.takeError());
  outcome.output = std::string(target);
  outcome.isWritten = *isWritten;
  return llvm::Error::success();
}

llvm::Error Repair::run() {
  if (io::system::isInterrupted())
    return fail(ErrorCode::Interrupted, "not repaired: interrupted");
  llvm::Expected<Contents> wheel = Contents::open(outcome.input);
  if (!wheel)
    return wheel.takeError();
  if (llvm::Error error = readLibraries(*wheel))
    return error;
  plan::UnknownDiskRequest request;
  request.searchPaths = options.searchPaths;
  llvm::Expected<const plan::FfmpegBeside*> ffmpeg = chooseFfmpeg(*wheel);
  if (!ffmpeg)
    return ffmpeg.takeError();
  request.ffmpeg = *ffmpeg;
  Changes changes;
  for (const Library& library : libraries) {
    FileOutcome& file = outcome.files.emplace_back();
    file.path = library.member->name;
    if (llvm::Error error = rewrite(library, request, file, changes)) {
      file.status = FileStatus::Failed;
      file.problem = toProblem(std::move(error), outcome.input + "/" + file.path);
    }
  }
  for (BundledFile& file : bundle.files) {
    changes.additions[file.outcome.path] = std::move(file.content);
    outcome.files.push_back(std::move(file.outcome));
  }
  if (changes.contents.empty() ||
      llvm::any_of(outcome.files, [](const FileOutcome& file) { return file.problem; }))
    return llvm::Error::success();
  if (io::system::isInterrupted())
    return fail(ErrorCode::Interrupted, "not repaired: interrupted");
  return write(*wheel, std::move(changes));
}

} // namespace

FileStatus WheelOutcome::status() const {
  if (problem || llvm::any_of(files, [](const FileOutcome& file) { return file.problem; }))
    return FileStatus::Failed;
  return output.empty() ? FileStatus::Unchanged : FileStatus::Changed;
}

std::vector<WheelOutcome> repairWheels(llvm::ArrayRef<std::string> paths,
                                       const RepairOptions& options, io::Notify notify) {
  std::vector<WheelOutcome> outcomes(paths.size());
  OutputFolder folder(options.outputFolder, notify);
  std::map<std::string, std::string> seen;
  for (size_t i = 0; i < paths.size(); ++i) {
    outcomes[i].input = paths[i];
    auto [first, isNew] = seen.try_emplace(path::filename(paths[i]).str(), paths[i]);
    if (!isNew)
      outcomes[i].problem = {ErrorCode::Conflict,
                             "would be written to the same file as " + first->second, paths[i],
                             "repair it in a separate run, into another directory"};
  }
  parallelFor(paths.size(), options.jobs, [&](size_t i) {
    if (outcomes[i].problem)
      return;
    WheelOutcome& outcome = outcomes[i];
    if (llvm::Error error = Repair(paths, options, folder, outcome).run())
      outcome.problem = toProblem(std::move(error), paths[i]);
    for (FileOutcome& file : outcome.files) {
      if (outcome.output.empty() && file.status == FileStatus::Changed) // was not written
        file.status = FileStatus::Skipped;
      // Drop the bytes: reports of wheels do not show them, and a run may have thousands of wheels.
      file.edit.rewrite = {};
    }
  });
  return outcomes;
}

} // namespace tcfix::wheel
