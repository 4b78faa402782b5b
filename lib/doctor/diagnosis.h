// A diagnosis: for each package of a target whether it loads, why not, and what to do.
#pragma once

#include "doctor/finding.h"
#include "io/target_disk.h"
#include "resolve/session.h"
#include "trial/trial.h"

namespace tcfix::doctor {

struct LibraryReport {
  std::string path;          ///< host path
  resolve::LoadResult loads; ///< with torch imported
};

/// The libraries of one FFmpeg major; with major 0 all libraries of a package without majors.
struct GroupReport {
  int major = 0;
  resolve::Verdict loads = resolve::Verdict::Unknown;
  resolve::Verdict loadsBare = resolve::Verdict::Unknown;
  std::vector<LibraryReport> libraries;
  std::string ffmpegFolder;  ///< host path of the FFmpeg that it uses; empty if it finds none
  bool isOnDemand = false;   ///< need not load
  bool isImprovable = false; ///< it fails, but tcfix apply repairs it

  /// Why it does not load; null if it does.
  const resolve::LoadProblem* firstCause() const;
  /// The first dependency whose location is not on this machine; null if there is none.
  const resolve::Binding* firstUnknown() const;
};

/// The number of libraries of each kind in a package, and how many of them do not load.
struct Census {
  size_t needed = 0, failingNeeded = 0;     ///< those that must load
  bool areModules = false;                  ///< they are extension modules
  size_t onDemand = 0, failingOnDemand = 0; ///< all others
  size_t total() const { return needed + onDemand; }
};

struct PackageDiagnosis {
  std::string package;             ///< name and version, for people
  bool isOk = false;               ///< at least one major loads, and all required ones
  std::string summary;             ///< the verdict in one sentence
  std::string action;              ///< the command that repairs it; empty if there is none
  std::vector<GroupReport> groups; ///< in the order in which the package tries them
  std::vector<Finding> findings;
  std::optional<trial::Trial> trial = {}; ///< with --run
  std::string name = {}, version = {};
  resolve::Verdict verdict = resolve::Verdict::Unknown;
  Census census = {};
  /// The first reason why it cannot be used, or why that is unknown, in one sentence; may be empty.
  std::string cause = {};
  bool isRepairable = false; ///< the action is tcfix apply without other options

  size_t warnings() const; ///< the number of warnings among the findings
};

struct Diagnosis {
  std::string target;                     ///< as given
  bool isKnown = true;                    ///< false: the target's system directories are not here
  bool isUnderstood = true;               ///< false: a text in which nothing was recognized
  std::string action;                     ///< the next command; empty if there is nothing to do
  std::vector<int> required;              ///< majors that must load
  bool isOfAll = false;                   ///< --all: of every package of the target
  std::vector<PackageDiagnosis> packages; ///< never empty, except with --all
  std::vector<Evidence> versions;         ///< versions and system from a traceback; else empty

  /// The target's disk; nothing if there is only a text.
  std::optional<io::TargetDisk> disk = {};

  bool isOk() const;
  resolve::Verdict verdict() const; ///< of all packages together
  /// The target path, for people: with --sysroot it differs from the host path.
  std::string shown(const std::string& hostPath) const {
    return disk ? disk->targetPath(hostPath) : hostPath;
  }
  /// The combined trial of all packages; nothing without --run.
  std::optional<trial::Trial> trial() const;
  /// The package that the verdict is about: the last one that is broken, else the first.
  const PackageDiagnosis& decisive() const;
  /// The groups of all packages, in order.
  std::vector<const GroupReport*> groups() const;
  /// The findings of all packages, the worst first.
  std::vector<const Finding*> findings() const;
};

} // namespace tcfix::doctor
