#include "plan/unseen.h"

#include "image/names.h"
#include "providers/places.h"
#include "providers/torch.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/Path.h>

namespace tcfix::plan {

namespace {

/// The name without hash or exact version, which any FFmpeg of that major has.
std::string plainName(const providers::FfmpegName& name, Platform platform) {
  std::string number = std::to_string(name.libraryMajor);
  switch (platform) {
  case Platform::MacOs:
    return "lib" + name.component + "." + number + ".dylib";
  case Platform::Linux:
    return "lib" + name.component + ".so." + number;
  case Platform::Windows:
    return name.component + "-" + number + ".dll";
  }
  return {};
}

/// The rules for one library.
class UnseenRules {
public:
  UnseenRules(Draft& draft, const survey::PackageFacts& facts, const UnseenRequest& request)
      : draft(draft), platform(facts.platform), request(request) {
    const recipe::Recipe& recipe = facts.package.recipe;
    for (size_t index : draft.dependencies()) {
      llvm::StringRef name = nameOf(index);
      if (providers::isTorchLibrary(name))
        torch.push_back(index);
      else if (providers::parseFfmpegName(name))
        ffmpeg.push_back(index);
      else if (name.consume_front("@rpath/") &&
               (recipe.libraryPrefix.empty() || !name.starts_with(recipe.libraryPrefix)))
        others.push_back(index);
    }
  }

  void run() {
    const bool hasEntries = !request.searchPaths.empty();
    for (const std::string& entry : request.searchPaths)
      add(entry, {});
    delay(torch);
    if (!torch.empty() && !hasEntries)
      add(entryTo("torch/lib"), {Reason::Kind::LeadsTo, "torch"});
    // All of it from one place: a library that finds only a part there takes none.
    const bool isBeside =
        request.ffmpeg && !ffmpeg.empty() &&
        llvm::all_of(ffmpeg, [&](size_t index) { return request.ffmpeg->find(nameOf(index)); });
    if (isBeside)
      leadToFfmpegBeside();
    else
      leadToFfmpegOfSystem(hasEntries);
    if (platform == Platform::Linux)
      finishElf(isBeside);
  }

private:
  const std::string& nameOf(size_t index) const { return draft.wanted().dependencies[index].name; }

  std::string entryTo(llvm::StringRef target) const {
    return relativeSearchPath(
        platform, llvm::sys::path::parent_path(draft.library().path, llvm::sys::path::Style::posix),
        target);
  }

  void add(const std::string& entry, Reason reason) {
    // Windows' list is for the DLLs that are delayed; without them it has no reader.
    if (platform != Platform::Windows || !torch.empty() || !ffmpeg.empty())
      draft.addSearchPath(entry, std::move(reason));
  }

  void delay(llvm::ArrayRef<size_t> dependencies) {
    if (platform == Platform::Windows)
      for (size_t index : dependencies)
        draft.delay(index);
  }

  void leadToFfmpegBeside() {
    const std::string& description = request.ffmpeg->description;
    for (size_t index : ffmpeg) {
      const std::string& name = nameOf(index);
      const std::string place = name.substr(0, name.size() - baseName(name).size());
      draft.rename(index, place + *request.ffmpeg->find(name), {Reason::Kind::NameIn, description});
    }
    delay(ffmpeg);
    add(entryTo(request.ffmpeg->folder), {Reason::Kind::LeadsTo, description});
  }

  void leadToFfmpegOfSystem(bool hasEntries) {
    // A name with a hash or an exact version is one certain file's, and has its entry already.
    llvm::erase_if(ffmpeg, [&](size_t index) {
      const std::string plain = plainName(*providers::parseFfmpegName(nameOf(index)), platform);
      return !baseName(nameOf(index)).equals_insensitive(plain);
    });
    delay(ffmpeg);
    const std::string standing = standingEntryOf(platform);
    if (standing.empty() || hasEntries || (ffmpeg.empty() && others.empty()))
      return;
    add(standing, {Reason::Kind::LeadsTo, ffmpeg.empty() ? baseName(nameOf(others.front())).str()
                                          : platform == Platform::MacOs
                                              ? "Homebrew's FFmpeg"
                                              : "FFmpeg where that variable is set"});
  }

  // RPATH, unless the library has the other kind already: in an environment whose Python finds
  // FFmpeg by its own RPATH (conda's does), a RUNPATH here would switch that off. RPATH also
  // reaches the dependencies of dependencies, which PyAV's libraries need.
  void finishElf(bool mustReachFar) {
    if (!draft.edits().empty() && (draft.library().original.searchPaths.empty() || mustReachFar))
      draft.useKind(SearchPathKind::Rpath, {Reason::Kind::RunpathHides});
    for (size_t index : draft.dependencies())
      if (llvm::StringRef(nameOf(index)).starts_with("libpython"))
        draft.drop(index, {Reason::Kind::InterpreterLacksIt});
  }

  Draft& draft;
  const Platform platform;
  const UnseenRequest& request;
  std::vector<size_t> torch, ffmpeg; ///< dependencies
  std::vector<size_t> others;        ///< macOS: looked for in search paths, too; libheif
};

} // namespace

const std::string* FfmpegBeside::find(llvm::StringRef dependency) const {
  std::optional<providers::FfmpegName> name = providers::parseFfmpegName(dependency);
  if (!name)
    return nullptr;
  auto found = files.find({name->component, name->libraryMajor});
  return found == files.end() ? nullptr : &found->second;
}

std::string standingEntryOf(Platform platform) {
  switch (platform) {
  case Platform::MacOs:
    return providers::kHomebrewPrefix.str() + "/lib";
  case Platform::Windows:
    return "%FFMPEG_SHARED_BIN%";
  case Platform::Linux:
    break;
  }
  return {};
}

void planUnseen(Draft& draft, const survey::PackageFacts& facts, const UnseenRequest& request) {
  UnseenRules(draft, facts, request).run();
}

} // namespace tcfix::plan
