// apply: every library of a package in an environment is made to load.
//
// discover -> survey -> resolve -> plan (lib/plan) -> rewrite in memory -> stage -> journal ->
// commit -> look again. All of it under a lock; nothing is written unless all of it could be.
#pragma once

#include "apply/edit_files.h"
#include "plan/plan.h"
#include "survey/survey.h"

namespace tcfix::apply {

struct ApplyOptions {
  survey::SurveyOptions survey;
  plan::Request request;
  formats::Signing signing;
  bool signWithCodesign = false;
  bool isForced = false; ///< also inside uv's cache or the Nix store
  bool isWriting = true; ///< false: a dry run, or a check
  bool withHashes = false;
  std::string replaceFrom; ///< a folder with rebuilt libraries of the same names; empty: none
};

struct Loads {
  resolve::Verdict before = resolve::Verdict::Unknown;
  resolve::Verdict after = resolve::Verdict::Unknown;
};

/// The FFmpeg that will be used: that of the highest major that loads.
struct ChosenFfmpeg {
  int major = 0;
  std::string path; ///< the target's path of its folder
  std::string source;
};

struct TargetOutcome {
  std::string path; ///< as it was given
  std::vector<FileOutcome> files;
  Loads loads;                    ///< as after the package's own Python code
  Loads loadsBare;                ///< with nothing loaded
  bool hasMajors = false;         ///< there are libraries for FFmpeg majors
  std::vector<int> loadingMajors; ///< afterwards, with torch imported, or not known to fail
  std::optional<ChosenFfmpeg> ffmpeg;
  std::optional<providers::TorchInstall> torch; ///< that the package would import
  std::vector<std::string> smokeTests; ///< Python code that shows success, one for each package
  bool isFullyKnown = true;            ///< false: places of the target's system are out of reach
  std::string assumedFfmpeg; ///< the search path written for an FFmpeg that may be there or not
  std::vector<std::string> causes; ///< why majors do not load afterwards, one sentence each
  std::vector<Problem> problems;
  std::vector<Problem> warnings;
};

/// Repairs the packages of one target. Targets do not depend on one another.
TargetOutcome applyTo(const std::string& target, const ApplyOptions& options, io::Notify notify);

} // namespace tcfix::apply
