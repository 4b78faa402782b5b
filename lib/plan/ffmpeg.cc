#include "plan/rules.h"

#include "image/names.h"

namespace tcfix::plan {

void addPathToFfmpeg(Draft& draft, const PackageFacts& facts, const Simulation& simulation,
                     const providers::FfmpegInstall& install) {
  const bool isRelative = install.searchPath.empty();
  const std::string entry =
      isRelative ? searchPathTo(facts, draft.library(), install.folder, simulation.disk())
                 : install.searchPath;
  const Reason reason =
      install.isOnTrust ? Reason{Reason::Kind::OnTrust}
                        : Reason{Reason::Kind::ToFind, "FFmpeg " + std::to_string(install.major) +
                                                           " from " + install.description};
  for (size_t index : draft.dependencies()) {
    const std::string name = draft.wanted().dependencies[index].name;
    std::optional<providers::FfmpegName> wanted = providers::parseFfmpegName(name);
    if (!wanted)
      continue;
    // Without a list of files, the directory is assumed to contain the usual names.
    auto file = install.files.find(wanted->component);
    if (file == install.files.end() && !install.files.empty())
      continue;
    if (file != install.files.end() && file->second != baseName(name)) {
      llvm::StringRef place = llvm::StringRef(name).drop_back(baseName(name).size());
      draft.rename(index, place.str() + file->second, {Reason::Kind::NameIn, install.description});
    }
    if (facts.platform == Platform::Windows)
      draft.delay(index);
    draft.addSearchPath(entry, reason);
  }
}

} // namespace tcfix::plan
