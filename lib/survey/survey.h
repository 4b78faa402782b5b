// The survey: a target on the command line becomes facts.
#pragma once

#include "env/target.h"
#include "survey/facts.h"

namespace tcfix::survey {

struct SurveyOptions {
  std::string sysroot;
  std::string arch;                  ///< of the process; empty: python's, else the libraries'
  std::string macosVersion;          ///< of the target; empty: unknown
  std::string ffmpeg;                ///< the folder of an FFmpeg; empty: none was named
  std::vector<std::string> packages; ///< empty: the default one
};

/// What env must find for these options.
env::TargetQuery queryFor(const std::string& target, const SurveyOptions& options);

/// The target with the packages that were asked for. NotFound if one of them is not in it.
llvm::Expected<env::Target> locate(const std::string& target, const SurveyOptions& options);

/// What a loader needs to know of one package, with its libraries as the store has them.
PackageFacts gatherLoaderFacts(const env::Target& target, const env::Package& package,
                               resolve::LibraryStore& store, const SurveyOptions& options);

/// All facts of one package, with its libraries as the store has them.
PackageFacts gatherFacts(const env::Target& target, const env::Package& package,
                         resolve::LibraryStore& store, const SurveyOptions& options);

} // namespace tcfix::survey
