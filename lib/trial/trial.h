// A trial: the environment's own Python runs the package's smoke test and loads its libraries, and
// the result is compared with the simulation.
//
// Python is started without a shell, isolated from the user's variables (-I), writes no bytecode,
// and has a minute for each process. One process runs the smoke test; one process for each group
// loads its libraries, with torch imported first, as in the simulation's preloaded regime.
#pragma once

#include "trial/interpreter.h"

#include <chrono>

namespace tcfix::trial {

struct TrialOptions {
  std::vector<int> required = {};                             ///< majors that must load
  std::chrono::milliseconds limit = std::chrono::seconds(60); ///< for each process
};

/// The simulation's result for a group.
struct Expectation {
  resolve::Verdict loads = resolve::Verdict::Unknown;
  std::string cause = {}; ///< why it does not load
};
Expectation expectationOf(resolve::Verdict verdict, llvm::ArrayRef<resolve::LoadResult> results);

struct LibraryTrial {
  std::string path; ///< host path
  bool loads = false;
  std::string message = {}; ///< the loader's message, or how Python ended
};

/// The libraries of one FFmpeg major; with major 0 those that belong to none, or one of those.
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
  std::string failure;            ///< Python's message if the smoke test failed; empty: it passed
  std::optional<int> ffmpegMajor; ///< the major that the package loaded
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

/// Tries a package; `expected` has one entry for each group. Fails only if interrupted.
llvm::Expected<Trial> tryOut(const Interpreter& python, const survey::PackageFacts& facts,
                             llvm::ArrayRef<survey::Group> groups,
                             llvm::ArrayRef<Expectation> expected, const TrialOptions& options);

/// Tries each library that must load in its own process, after importing the Python package that
/// contains it; no smoke test. For packages whose libraries are independent of each other.
llvm::Expected<Trial> tryEach(const Interpreter& python, const survey::PackageFacts& facts,
                              llvm::ArrayRef<survey::Group> groups,
                              llvm::ArrayRef<Expectation> expected, const TrialOptions& options);

/// The combined result for several packages.
Trial together(std::vector<Trial> trials);

} // namespace tcfix::trial
