#include "plan/rules.h"

#include "image/names.h"

namespace tcfix::plan {

void leadToFfmpeg(Draft& draft, const PackageFacts& facts, const Simulation& simulation,
                  const providers::FfmpegInstall& install) {
  const bool isRelative = install.searchPath.empty();
  const std::string entry =
      isRelative ? searchPathTo(facts, draft.library(), install.folder, simulation.disk())
                 : install.searchPath;
  const std::string reason =
      install.isOnTrust
          ? "asked for; cannot be looked at from here"
          : "leads to FFmpeg " + std::to_string(install.major) + " of " + install.description;
  for (size_t index : draft.dependencies()) {
    const std::string name = draft.look().dependencies[index].name;
    std::optional<providers::FfmpegName> wanted = providers::parseFfmpegName(name);
    if (!wanted)
      continue;
    // Without a list of files the folder is taken on trust, with the usual names.
    auto file = install.files.find(wanted->component);
    if (file == install.files.end() && !install.files.empty())
      continue;
    if (file != install.files.end() && file->second != baseName(name)) {
      llvm::StringRef place = llvm::StringRef(name).drop_back(baseName(name).size());
      draft.rename(index, place.str() + file->second, "its name in " + install.description);
    }
    if (facts.platform == Format::Pe)
      draft.delay(index, "so that the search list leads to it");
    draft.addSearchPath(entry, reason);
  }
}

} // namespace tcfix::plan
