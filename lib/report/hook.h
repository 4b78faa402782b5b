// The output of `tcfix hook`.
#pragma once

#include "hook/hook.h"
#include "report/json.h"

namespace tcfix::report {

struct HookView {
  std::string verb;         ///< install, remove or status
  std::string target;       ///< as given
  bool isUnchanged = false; ///< an install that found everything in place
  bool isVerbose = false;   ///< list the files
};

std::string renderHook(const HookView& view, const hook::HookStatus& status, const Paint& paint);
std::string jsonForHook(const Preamble& preamble, const hook::HookStatus& status);
std::string jsonForSnippet(const Preamble& preamble, llvm::StringRef snippet);

} // namespace tcfix::report
