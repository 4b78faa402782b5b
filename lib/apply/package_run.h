// The run of `apply` for one package, from its libraries on the disk to the outcome.
#pragma once

#include "apply/apply.h"
#include "apply/library_stage.h"
#include "commit/locks.h"

namespace tcfix::apply {

/// A run for one package.
class PackageRun {
public:
  /// `target` and `package` must outlive the run; the target's disk remembers what the run sees.
  PackageRun(env::Target& target, const env::Package& package, const ApplyOptions& options)
      : target(target), package(package), options(options), place(journalOf(package)) {}

  llvm::Error run(const commit::Locks& locks);
  void report(TargetOutcome& outcome);
  /// Loads the current files with the environment's own Python.
  llvm::Expected<trial::Trial> tryOut(const trial::TrialOptions& how);
  /// Locks the directories that the run writes to; none in a dry run.
  commit::Locks lock(io::Notify notify) const;

private:
  void openLibraries(const commit::Locks& locks);
  void takeReplacement(LibraryWork& work);
  void plan();
  /// Makes the new bytes of the libraries that differ from the plan.
  void rewrite();
  std::optional<commit::CommitFailure> write(const commit::Locks& locks);
  survey::PackageLoads lookAgain();
  std::string smokeTest();
  LibraryWork* find(const std::string& path);

  env::Target& target; ///< its disk remembers from the moment the locks were acquired
  const env::Package& package;
  const ApplyOptions& options;
  JournalPlace place;
  PackageState state;
  std::vector<std::unique_ptr<LibraryWork>> works;
  std::optional<resolve::LibraryStore> present; ///< every library as it was before this run
  std::optional<resolve::LibraryStore> rebuilt; ///< the same after --replace-from, if that differs
  survey::PackageFacts facts;
  std::vector<survey::Group> groups;
  std::optional<survey::Simulation> simulation; ///< of the files that the plan starts from
  plan::PackagePlan planned;
  std::map<std::string, const plan::Draft*> drafts; ///< by path, into the plan
  bool hasRebuilt = false;                          ///< a replacement exists
  /// Often the same object; null: unknown.
  std::shared_ptr<const survey::PackageLoads> before, after;
  std::vector<Problem> warnings;
};

} // namespace tcfix::apply
