// What `tcfix hook` says.
#pragma once

#include "hook/hook.h"
#include "report/json.h"

namespace tcfix::report {

/// `verb` is what was asked for: install, remove or status.
std::string renderHook(llvm::StringRef verb, llvm::StringRef target, const hook::HookStatus& status,
                       const Paint& paint);
std::string jsonForHook(const Preamble& preamble, const hook::HookStatus& status);
std::string jsonForSnippet(const Preamble& preamble, llvm::StringRef snippet);

} // namespace tcfix::report
