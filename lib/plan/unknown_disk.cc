#include "plan/unknown_disk.h"

#include "image/names.h"
#include "providers/torch.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/Path.h>

namespace tcfix::plan {

namespace {

/// The rules for one library.
class UnknownDiskRules {
public:
  UnknownDiskRules(Draft& draft, const PackageFacts& facts, const UnknownDiskRequest& request)
      : draft(draft), facts(facts), platform(facts.platform), request(request) {
    for (size_t index : draft.dependencies())
      if (providers::isTorchLibrary(nameOf(index)))
        torch.push_back(index);
      else if (providers::parseFfmpegName(nameOf(index)))
        ffmpeg.push_back(index);
  }

  void run() {
    const bool hasEntries = !request.searchPaths.empty();
    for (const std::string& entry : request.searchPaths)
      add(entry, {});
    delay(torch);
    if (!torch.empty() && !hasEntries)
      add(entryTo("torch/lib"), {Reason::Kind::ToFind, "torch"});
    // From one place only: a library that finds just a part of its FFmpeg there gets no entry.
    const bool isBeside =
        request.ffmpeg && !ffmpeg.empty() && llvm::all_of(ffmpeg, [&](size_t index) {
          return request.ffmpeg->files.find(nameOf(index));
        });
    if (isBeside)
      addPathToFfmpegBeside();
    else
      addPathToLaterInstall(draft, platform, laterDependenciesOf(draft, facts),
                            hasEntries ? std::string() : facts.standingPlace.searchPath);
    if (platform == Platform::Linux)
      finishPortableElf(draft, isBeside);
  }

private:
  const std::string& nameOf(size_t index) const { return draft.wanted().dependencies[index].name; }

  std::string entryTo(llvm::StringRef target) const {
    return relativeSearchPath(
        platform, llvm::sys::path::parent_path(draft.library().path, llvm::sys::path::Style::posix),
        target);
  }

  void add(const std::string& entry, Reason reason) {
    // The search list applies only to delayed DLLs; without any it is useless.
    if (platform != Platform::Windows || !torch.empty() || !ffmpeg.empty())
      draft.addSearchPath(entry, std::move(reason));
  }

  void delay(llvm::ArrayRef<size_t> dependencies) {
    if (platform == Platform::Windows)
      for (size_t index : dependencies)
        draft.delay(index);
  }

  void addPathToFfmpegBeside() {
    const std::string& description = request.ffmpeg->description;
    for (size_t index : ffmpeg) {
      const std::string& name = nameOf(index);
      const std::string place = name.substr(0, name.size() - baseName(name).size());
      draft.rename(index, place + *request.ffmpeg->files.find(name),
                   {Reason::Kind::NameIn, description});
    }
    delay(ffmpeg);
    add(entryTo(request.ffmpeg->folder), {Reason::Kind::ToFind, description});
  }

  Draft& draft;
  const PackageFacts& facts;
  const Platform platform;
  const UnknownDiskRequest& request;
  std::vector<size_t> torch, ffmpeg; ///< dependencies
};

} // namespace

void planForUnknownDisk(Draft& draft, const PackageFacts& facts,
                        const UnknownDiskRequest& request) {
  UnknownDiskRules(draft, facts, request).run();
}

} // namespace tcfix::plan
