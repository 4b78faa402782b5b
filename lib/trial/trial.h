// A trial: the environment's own python runs the package's smoke test and loads its libraries, and
// what happens is compared with what the simulation expects.
//
// Python is started without a shell, isolated from the user's variables (-I), writes no bytecode,
// and has a minute for each process. One process runs the smoke test, one each loads the libraries
// of a group, with torch imported first, as in the simulation's preloaded regime.
#pragma once

#include "trial/interpreter.h"

#include <chrono>

namespace tcfix::trial {

struct TrialOptions {
  std::vector<int> required = {};                             ///< majors that must load
  std::chrono::milliseconds limit = std::chrono::seconds(60); ///< for each process
};

/// What the simulation says of a group.
struct Expectation {
  resolve::Verdict loads = resolve::Verdict::Unknown;
  std::string cause = {}; ///< why it does not load
};
Expectation expectationOf(resolve::Verdict verdict, llvm::ArrayRef<resolve::LoadResult> results);

struct LibraryTrial {
  std::string path; ///< host path
  bool loads = false;
  std::string message = {}; ///< the loader's own words, or how python ended
};

/// The libraries of one FFmpeg major, or, with major 0, those that belong to none, or one of them.
struct GroupTrial {
  std::string package = {};
  int major = 0;
  Expectation expected = {};
  std::vector<LibraryTrial> libraries = {};
  bool isOneLibrary = false;

  bool loads() const;
  bool agrees() const;
  std::string name() const;  ///< "FFmpeg 7", "the libraries", or the one library's name
  std::string cause() const; ///< of the first library that does not load
};

struct Trial {
  std::string python;
  std::string smokeTest;          ///< Python code; empty where there is none
  std::string failure;            ///< of the smoke test, as python reports it; empty: it passed
  std::optional<int> ffmpegMajor; ///< that the package took
  double seconds = 0;
  std::vector<GroupTrial> groups; ///< in the order in which the package tries them
  /// The package works: the smoke test passes, and the required majors load.
  bool isOk = false;

  bool agrees() const;
  bool loads(int major) const;
  /// Enough libraries load for the package to work.
  bool librariesLoad() const;
  /// The reason in one line; empty if it works.
  std::string reason(llvm::ArrayRef<int> required) const;
};

/// Tries a package; `expected` has one entry for each group. An error only if interrupted.
llvm::Expected<Trial> tryOut(const Interpreter& python, const survey::PackageFacts& facts,
                             llvm::ArrayRef<survey::Group> groups,
                             llvm::ArrayRef<Expectation> expected, const TrialOptions& options);

/// Tries each library that must load in a process of its own, after the Python package around it
/// was imported; no smoke test. For packages whose libraries do not belong together.
llvm::Expected<Trial> tryEach(const Interpreter& python, const survey::PackageFacts& facts,
                              llvm::ArrayRef<survey::Group> groups,
                              llvm::ArrayRef<Expectation> expected, const TrialOptions& options);

/// What the trials of several packages amount to.
Trial together(std::vector<Trial> trials);

} // namespace tcfix::trial
