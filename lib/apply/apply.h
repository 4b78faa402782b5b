// apply: repairs every library of a package so that it loads.
//
// discover -> survey -> resolve -> plan (lib/plan) -> rewrite in memory -> stage -> journal ->
// commit -> check again. Everything happens under a lock; either all files are written or none.
#pragma once

#include "apply/edit_files.h"
#include "plan/plan.h"
#include "providers/ffmpeg.h"
#include "survey/survey.h"
#include "trial/trial.h"

namespace tcfix::apply {

struct ApplyOptions {
  survey::SurveyOptions survey;
  plan::Request request;
  formats::Signing signing;
  bool signWithCodesign = false;
  bool isForced = false; ///< also inside uv's cache or the Nix store
  bool isWriting = true; ///< false: a dry run, or a check
  bool withHashes = false;
  /// --run: the environment's own Python tries the package afterwards.
  std::optional<trial::TrialOptions> trial = {};
  std::string replaceFrom; ///< a directory with rebuilt libraries of the same names; empty: none
};

struct Loads {
  resolve::Verdict before = resolve::Verdict::Unknown;
  resolve::Verdict after = resolve::Verdict::Unknown;
};

/// The FFmpeg that will be used: the highest major that loads.
struct ChosenFfmpeg {
  int major = 0;
  std::string path;                              ///< target path of its directory
  std::optional<providers::FfmpegSource> source; ///< nothing: the libraries find it by themselves
};

struct TargetOutcome {
  std::string path;         ///< as given
  bool isOfDefault = false; ///< one of its packages is the default package
  std::vector<FileOutcome> files;
  Loads loads;                    ///< after the package's own Python code has run
  Loads loadsBare;                ///< with nothing loaded before
  bool hasMajors = false;         ///< there are libraries for FFmpeg majors
  std::vector<int> loadingMajors; ///< afterwards, with torch imported; includes unknown ones
  std::optional<ChosenFfmpeg> ffmpeg;
  std::optional<providers::TorchInstall> torch; ///< the one that the package would import
  std::vector<std::string> smokeTests; ///< Python code that proves success, one for each package
  bool isFullyKnown = true;            ///< false: the target's system directories are not here
  std::string assumedFfmpeg;           ///< the search path written for an FFmpeg that may not exist
  std::optional<trial::Trial> trial;   ///< the result of --run
  std::vector<int> required;           ///< --require
  std::vector<std::string> causes;     ///< why majors do not load afterwards, one sentence each
  std::vector<Problem> problems;
  std::vector<Problem> warnings;
};

/// Repairs the packages of one target. Targets are independent of each other.
TargetOutcome applyTo(const std::string& target, const ApplyOptions& options, io::Notify notify);

} // namespace tcfix::apply
