// The hook: a tiny distribution in site-packages that calls `tcfix apply` when an installer has
// replaced the libraries. Its Python side is python/hook.
#pragma once

#include "base/error.h"
#include "env/environment.h"
#include "io/system.h"

namespace tcfix::hook {

struct HookOptions {
  std::string program;                ///< the tcfix that the hook shall call
  std::vector<std::string> packages;  ///< whose import wakes it; empty: the default one
  std::vector<std::string> arguments; ///< for its apply
};

enum class State { Installed, Absent, Stale };
llvm::StringRef nameOf(State state);

struct HookStatus {
  State state = State::Absent;
  std::vector<std::string> files; ///< host paths of what is there, or was until now
  std::string remark;             ///< why it is stale; else empty
};

/// How things stand in an environment; with several Pythons the worst counts.
llvm::Expected<HookStatus> findHook(const env::Environment& environment);

/// Writes the hook into every site of the environment, or into none. What is there already is not
/// written again.
llvm::Expected<HookStatus> installHook(const env::Environment& environment,
                                       const HookOptions& options, io::Notify notify);

/// Removes exactly what install wrote, and what Python cached of it; all of it, or nothing.
llvm::Expected<HookStatus> removeHook(const env::Environment& environment, io::Notify notify);

/// The example for ci, conda, docker, github-action or pre-commit (examples/); empty for anything
/// else.
llvm::StringRef snippetFor(llvm::StringRef kind);

} // namespace tcfix::hook
