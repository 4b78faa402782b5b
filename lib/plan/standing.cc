#include "plan/rules.h"

#include "image/names.h"
#include "providers/torch.h"

#include <llvm/ADT/STLExtras.h>

namespace tcfix::plan {

namespace {

/// The name without hash or exact version, which any FFmpeg of that major provides.
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

} // namespace

LaterDependencies laterDependenciesOf(const Draft& draft, const PackageFacts& facts) {
  const std::string& own = facts.package.recipe.libraryPrefix;
  LaterDependencies later;
  for (size_t index : draft.dependencies()) {
    llvm::StringRef name = draft.wanted().dependencies[index].name;
    if (std::optional<providers::FfmpegName> ffmpeg = providers::parseFfmpegName(name)) {
      if (baseName(name).equals_insensitive(plainName(*ffmpeg, facts.platform)))
        later.ffmpeg.push_back(index);
    } else if (!own.empty() && !providers::isTorchLibrary(name) && name.consume_front("@rpath/") &&
               !name.starts_with(own)) {
      later.others.push_back(index); // libheif
    }
  }
  return later;
}

void addPathToLaterInstall(Draft& draft, Platform platform, const LaterDependencies& dependencies,
                           const std::string& entry) {
  if (platform == Platform::Windows)
    for (size_t index : dependencies.ffmpeg)
      draft.delay(index);
  if (entry.empty())
    return;
  if (!dependencies.ffmpeg.empty())
    draft.addSearchPath(entry, {Reason::Kind::InstalledLater});
  else if (!dependencies.others.empty())
    draft.addSearchPath(
        entry, {Reason::Kind::ToFind,
                baseName(draft.wanted().dependencies[dependencies.others.front()].name).str()});
}

bool addPathToStandingPlace(Draft& draft, const Request& request, const PackageFacts& facts,
                            llvm::ArrayRef<resolve::Binding> bindings, const io::TargetDisk& disk) {
  using State = resolve::Binding::State;
  const providers::StandingPlace& place = facts.standingPlace;
  LaterDependencies later = laterDependenciesOf(draft, facts);
  // Entries for directories that are not on this machine are assumed to contain all of them.
  if (request.ffmpeg == Request::Ffmpeg::None ||
      llvm::any_of(request.searchPaths,
                   [&](const std::string& entry) { return !isOnThisMachine(entry, disk); }))
    return false;
  auto isMet = [&](size_t index) {
    return llvm::any_of(bindings, [&](const resolve::Binding& binding) {
      return binding.library == draft.library().path &&
             binding.dependency == draft.wanted().dependencies[index].name &&
             binding.state != State::Missing && binding.state != State::Unknown;
    });
  };
  llvm::erase_if(later.ffmpeg, isMet);
  llvm::erase_if(later.others, isMet);
  addPathToLaterInstall(draft, facts.platform, later,
                        place.directory.empty()
                            ? place.searchPath
                            : searchPathTo(facts, draft.library(), place.directory, disk));
  const std::optional<std::string> directory =
      place.directory.empty() ? disk.hostPath(place.searchPath) : place.directory;
  auto mayBeThere = [&](size_t index) {
    return !disk.knowsAbsolutePaths() ||
           (directory && disk.find(*directory, baseName(draft.wanted().dependencies[index].name)));
  };
  return llvm::any_of(later.ffmpeg, mayBeThere) || llvm::any_of(later.others, mayBeThere);
}

} // namespace tcfix::plan
