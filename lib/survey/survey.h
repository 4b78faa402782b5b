// The survey: turns a target on the command line into facts.
#pragma once

#include "env/target.h"
#include "survey/facts.h"
#include "survey/needs.h"

namespace tcfix::survey {

struct SurveyOptions {
  std::string sysroot;
  std::string arch;                  ///< of the process; empty: Python's, else the libraries'
  std::string macosVersion;          ///< of the target; empty: unknown
  std::string ffmpeg;                ///< --ffmpeg, the directory of an FFmpeg; empty: not given
  std::vector<std::string> packages; ///< --package; empty: the default package
  bool wantsEveryPackage = false;    ///< --all
  std::vector<std::string> search;   ///< --search: directories that may contain missing libraries
};

/// The target with its packages. NotFound if a directory to search does not exist.
llvm::Expected<env::Target> find(const std::string& target, const SurveyOptions& options);

/// The target with the requested packages. NotFound also if one of them is not in it.
llvm::Expected<env::Target> locate(const std::string& target, const SurveyOptions& options);

/// The host path of the Python that would load a package; empty if there is none.
std::string pythonOf(const env::Target& target, const env::Package& package);

/// The facts that a loader depends on, with the libraries as they are in the store. `demand` is
/// what the packages of the target require; without it, it is determined if needed.
PackageFacts gatherLoaderFacts(const env::Target& target, const env::Package& package,
                               resolve::LibraryStore& store, const SurveyOptions& options,
                               const Demand* demand = nullptr);

/// Adds the possible providers of missing libraries, which a loader does not depend on.
void addProviders(PackageFacts& facts, const env::Target& target, const SurveyOptions& options);

/// All facts of one package, with its libraries as they are in the store.
PackageFacts gatherFacts(const env::Target& target, const env::Package& package,
                         resolve::LibraryStore& store, const SurveyOptions& options);

} // namespace tcfix::survey
