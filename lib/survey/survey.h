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
  std::vector<std::string> search;   ///< directories where what is missing may be
};

/// What env must find for these options.
env::TargetQuery queryFor(const std::string& target, const SurveyOptions& options);

/// The target with the packages that were asked for. NotFound if one of them is not in it, or a
/// directory to search is not there.
llvm::Expected<env::Target> locate(const std::string& target, const SurveyOptions& options);

/// The facts of one package, with its libraries as the store has them.
PackageFacts gatherFacts(const env::Target& target, const env::Package& package,
                         resolve::LibraryStore& store, const SurveyOptions& options);

} // namespace tcfix::survey
