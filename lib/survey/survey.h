// The survey: a target on the command line becomes facts.
#pragma once

#include "env/target.h"
#include "survey/facts.h"
#include "survey/needs.h"

namespace tcfix::survey {

struct SurveyOptions {
  std::string sysroot;
  std::string arch;                  ///< of the process; empty: python's, else the libraries'
  std::string macosVersion;          ///< of the target; empty: unknown
  std::string ffmpeg;                ///< the folder of an FFmpeg; empty: none was named
  std::vector<std::string> packages; ///< empty: the default one
  bool wantsEveryPackage = false;    ///< --all: instead of those
  std::vector<std::string> search;   ///< directories where what is missing may be
};

/// The target, with those packages that are in it. NotFound if a directory to search is not there.
llvm::Expected<env::Target> find(const std::string& target, const SurveyOptions& options);

/// The target with the packages that were asked for. NotFound also if one of them is not in it.
llvm::Expected<env::Target> locate(const std::string& target, const SurveyOptions& options);

/// The python that would load a package, by its host path; empty if there is none.
std::string pythonOf(const env::Target& target, const env::Package& package);

/// What a loader needs to know of one package, with its libraries as the store has them. `demand`
/// is what the packages of the target ask for; without it, that is found out where it matters.
PackageFacts gatherLoaderFacts(const env::Target& target, const env::Package& package,
                               resolve::LibraryStore& store, const SurveyOptions& options,
                               const Demand* demand = nullptr);

/// Adds who may provide what is missing, which a loader does not ask for.
void addProviders(PackageFacts& facts, const env::Target& target, const SurveyOptions& options);

/// All facts of one package, with its libraries as the store has them.
PackageFacts gatherFacts(const env::Target& target, const env::Package& package,
                         resolve::LibraryStore& store, const SurveyOptions& options,
                         const Demand* demand = nullptr);

} // namespace tcfix::survey
