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

/// The libraries of one FFmpeg major, or, with major 0, all of a package without majors.
struct GroupReport {
  int major = 0;
  resolve::Verdict loads = resolve::Verdict::Unknown;
  resolve::Verdict loadsBare = resolve::Verdict::Unknown;
  std::vector<LibraryReport> libraries;
  std::string ffmpegFolder;  ///< host path of the FFmpeg that it uses; empty if it finds none
  bool isOnDemand = false;   ///< need not load
  bool isImprovable = false; ///< it fails, and tcfix apply repairs it

  /// Why it does not load; null if it does.
  const resolve::LoadProblem* firstCause() const;
  /// The first dependency whose place is not on this machine; null if there is none.
  const resolve::Binding* firstUnknown() const;
};

/// How many libraries a package has of each sort, and how many of them do not load.
struct Census {
  size_t needed = 0, failingNeeded = 0;     ///< those that must load
  bool areModules = false;                  ///< they are extension modules
  size_t onDemand = 0, failingOnDemand = 0; ///< all others
  size_t total() const { return needed + onDemand; }
};

struct PackageDiagnosis {
  std::string package;             ///< name and version, for people
  bool isOk = false;               ///< at least one major loads, and all that are required
  std::string summary;             ///< the verdict in one sentence
  std::string action;              ///< the command that repairs it; empty if there is none
  std::vector<GroupReport> groups; ///< in the order in which the package tries them
  std::vector<Finding> findings;
  std::optional<trial::Trial> trial = {}; ///< with --run
  std::string name = {}, version = {};
  resolve::Verdict verdict = resolve::Verdict::Unknown;
  Census census = {};
  /// The first reason why it cannot be used, or why that is unknown, in one sentence; else empty.
  std::string cause = {};

  size_t warnings() const; ///< how many findings are
};

struct Diagnosis {
  std::string target;        ///< as it was given
  bool isKnown = true;       ///< false: places of the target's system are out of reach
  bool isUnderstood = true;  ///< false: a text in which nothing was recognized
  std::string action;        ///< the command that comes next; empty if there is nothing to do
  std::vector<int> required; ///< majors that must load
  bool isOfAll = false;      ///< --all: of every package of the target
  std::vector<PackageDiagnosis> packages; ///< never empty, except with --all
  std::vector<Evidence> versions;         ///< versions and system, out of a traceback; else empty

  /// The target's disk; nothing if there is only a text.
  std::optional<io::TargetDisk> disk = {};

  bool isOk() const;
  resolve::Verdict verdict() const; ///< of all packages together
  /// The path as the target has it, for people: under --sysroot it differs from the host path.
  std::string shown(const std::string& hostPath) const {
    return disk ? disk->targetPath(hostPath) : hostPath;
  }
  /// Those of all packages together; nothing without --run.
  std::optional<trial::Trial> trial() const;
  /// The package that the verdict is about: the last one that is broken, else the first.
  const PackageDiagnosis& decisive() const;
  /// Those of all packages, in order.
  std::vector<const GroupReport*> groups() const;
  /// Those of all packages, the worst first.
  std::vector<const Finding*> findings() const;
};

} // namespace tcfix::doctor
