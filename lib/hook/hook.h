// The hook: a small distribution in site-packages that runs `tcfix apply` when an installer has
// replaced the libraries. Its Python code is in python/hook.
#pragma once

#include "base/error.h"
#include "env/environment.h"
#include "io/system.h"

namespace tcfix::hook {

struct HookOptions {
  std::string program;                ///< the tcfix program that the hook runs
  std::vector<std::string> packages;  ///< it runs when one of these is imported; empty: the default
  std::vector<std::string> arguments; ///< options for apply
};

enum class State { Installed, Absent, Stale };
llvm::StringRef nameOf(State state);

struct HookStatus {
  State state = State::Absent;
  std::vector<std::string> files; ///< host paths of the files that exist, or were just removed
  std::string remark;             ///< why it is stale; else empty
};

/// The state of the hook in an environment; with several Pythons, the worst one.
llvm::Expected<HookStatus> findHook(const env::Environment& environment);

/// Writes the hook into every site of the environment, or into none. Files that are up to date are
/// not written again.
llvm::Expected<HookStatus> installHook(const env::Environment& environment,
                                       const HookOptions& options, io::Notify notify);

/// Removes exactly what install wrote, and Python's cache of it; all or nothing.
llvm::Expected<HookStatus> removeHook(const env::Environment& environment, io::Notify notify);

/// The example for ci, conda, docker, github-action or pre-commit (examples/); empty for anything
/// else.
llvm::StringRef snippetFor(llvm::StringRef kind);

} // namespace tcfix::hook
