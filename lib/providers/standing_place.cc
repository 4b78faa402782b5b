#include "providers/standing_place.h"

#include "base/paths.h"
#include "providers/places.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/Path.h>

namespace tcfix::providers {

StandingPlace standingPlace(Platform platform, llvm::StringRef arch) {
  switch (platform) {
  case Platform::MacOs:
    return {homebrewPrefixes(arch).front() + "/lib", {}};
  case Platform::Windows:
    return {"%FFMPEG_SHARED_BIN%", {}};
  case Platform::Linux:
    break;
  }
  return {};
}

StandingPlace standingPlace(const env::Environment& environment, const FfmpegQuery& query) {
  if (query.platform == Platform::MacOs) {
    if (!environment.condaMeta.empty())
      return {{}, joined(llvm::sys::path::parent_path(environment.condaMeta), "lib")};
    // A default prefix is ignored: it is for the terminal's architecture, which may differ from
    // python's.
    auto variable = query.variables.find("HOMEBREW_PREFIX");
    if (variable != query.variables.end()) {
      const std::string prefix = llvm::StringRef(variable->second).rtrim('/').str();
      if (llvm::sys::path::is_absolute(prefix, llvm::sys::path::Style::posix) &&
          !llvm::is_contained(homebrewPrefixes(query.arch), prefix))
        return {prefix + "/lib", {}};
    }
  }
  return standingPlace(query.platform, query.arch);
}

} // namespace tcfix::providers
