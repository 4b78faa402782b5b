#include "plan/unseen.h"

#include "image/names.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/Path.h>

namespace tcfix::plan {

namespace {

constexpr llvm::StringLiteral kTorchFolder = "torch/lib";

bool isOfTorch(llvm::StringRef dependency, const recipe::Recipe& recipe) {
  std::string lower = baseName(dependency).lower();
  llvm::StringRef name = lower;
  if (!name.ends_with(".dll") && !name.consume_front("lib"))
    return false;
  return name.starts_with("c10") || (name.starts_with("torch") && !name.starts_with(recipe.name));
}

/// The name without hash or exact version, which any FFmpeg of that major has.
std::string plainName(const env::FfmpegName& name, Format platform) {
  std::string number = std::to_string(name.libraryMajor);
  switch (platform) {
  case Format::MachO:
    return "lib" + name.component + "." + number + ".dylib";
  case Format::Elf:
    return "lib" + name.component + ".so." + number;
  case Format::Pe:
    return name.component + "-" + number + ".dll";
  }
  return {};
}

/// The rules for one library.
class UnseenRules {
public:
  UnseenRules(Draft& draft, const survey::PackageFacts& facts, const UnseenRequest& request)
      : draft(draft), facts(facts), request(request) {
    for (size_t index : draft.dependencies())
      sort(index);
  }

  void run() {
    for (const std::string& entry : request.searchPaths)
      add(entry, {});
    if (!torch.empty()) {
      delay(torch);
      if (request.searchPaths.empty())
        add(entryTo(kTorchFolder), {Reason::Kind::LeadsTo, "torch"});
    }
    const bool isBeside = isFfmpegBeside();
    if (isBeside)
      leadToFfmpegBeside();
    else
      leadToFfmpegOfSystem();
    if (facts.platform == Format::Elf)
      finishElf(isBeside);
  }

private:
  const std::string& nameOf(size_t index) const { return draft.wanted().dependencies[index].name; }

  void sort(size_t index) {
    llvm::StringRef name = nameOf(index);
    const std::string& own = facts.package.recipe.libraryPrefix;
    if (isOfTorch(name, facts.package.recipe))
      torch.push_back(index);
    else if (env::parseFfmpegName(name))
      ffmpeg.push_back(index);
    else if (name.consume_front("@rpath/") && (own.empty() || !name.starts_with(own)))
      others.push_back(index);
  }

  std::string entryTo(llvm::StringRef target) const {
    const llvm::StringRef folder =
        llvm::sys::path::parent_path(draft.library().path, llvm::sys::path::Style::posix);
    return relativeSearchPath(facts.platform, folder, target);
  }

  void add(const std::string& entry, Reason reason) {
    // Windows' list is for the DLLs that are delayed; without them it has no reader.
    if (facts.platform != Format::Pe || !torch.empty() || !ffmpeg.empty())
      draft.addSearchPath(entry, std::move(reason));
  }

  void delay(llvm::ArrayRef<size_t> dependencies) {
    if (facts.platform == Format::Pe)
      for (size_t index : dependencies)
        draft.delay(index);
  }

  // All of it from one place: a library that finds only a part there takes none.
  bool isFfmpegBeside() const {
    return request.ffmpeg && !ffmpeg.empty() &&
           llvm::all_of(ffmpeg, [&](size_t index) { return request.ffmpeg->find(nameOf(index)); });
  }

  void leadToFfmpegBeside() {
    for (size_t index : ffmpeg) {
      const std::string& name = nameOf(index);
      draft.rename(
          index, name.substr(0, name.size() - baseName(name).size()) + *request.ffmpeg->find(name),
          {Reason::Kind::NameIn, request.ffmpeg->description});
    }
    delay(ffmpeg);
    add(entryTo(request.ffmpeg->folder), {Reason::Kind::LeadsTo, request.ffmpeg->description});
  }

  void leadToFfmpegOfSystem() {
    // A name with a hash or an exact version is one certain file's, and has its entry already.
    llvm::erase_if(ffmpeg, [&](size_t index) {
      return !baseName(nameOf(index))
                  .equals_insensitive(
                      plainName(*env::parseFfmpegName(nameOf(index)), facts.platform));
    });
    delay(ffmpeg);
    if (!request.searchPaths.empty() || (ffmpeg.empty() && others.empty()))
      return;
    const std::string standing = standingEntryOf(facts.platform);
    if (facts.platform == Format::MachO)
      add(standing, {Reason::Kind::LeadsTo, ffmpeg.empty() ? baseName(nameOf(others.front())).str()
                                                           : "Homebrew's FFmpeg"});
    if (facts.platform == Format::Pe)
      add(standing, {Reason::Kind::LeadsTo, "FFmpeg where that variable is set"});
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
  const survey::PackageFacts& facts;
  const UnseenRequest& request;
  std::vector<size_t> torch, ffmpeg; ///< dependencies
  std::vector<size_t> others;        ///< macOS: looked for in search paths, too; libheif
};

} // namespace

const std::string* FfmpegBeside::find(llvm::StringRef dependency) const {
  std::optional<env::FfmpegName> name = env::parseFfmpegName(dependency);
  if (!name)
    return nullptr;
  auto found = files.find({name->component, name->libraryMajor});
  return found == files.end() ? nullptr : &found->second;
}

std::string standingEntryOf(Format platform) {
  switch (platform) {
  case Format::MachO:
    return "/opt/homebrew/lib";
  case Format::Pe:
    return "%FFMPEG_SHARED_BIN%";
  case Format::Elf:
    break;
  }
  return {};
}

void planUnseen(Draft& draft, const survey::PackageFacts& facts, const UnseenRequest& request) {
  UnseenRules(draft, facts, request).run();
}

} // namespace tcfix::plan
