#include "hook/hook.h"
#include "hook_examples.h"

#include <llvm/ADT/StringSwitch.h>

namespace tcfix::hook {

llvm::StringRef snippetFor(llvm::StringRef kind) {
  return llvm::StringSwitch<llvm::StringRef>(kind)
      .Case("ci", examples::examples_ci_sh)
      .Case("conda", examples::examples_conda_sh)
      .Case("docker", examples::examples_Dockerfile)
      .Case("github-action", examples::examples_github_action_yml)
      .Case("pre-commit", examples::examples_pre_commit_yaml)
      .Default({});
}

} // namespace tcfix::hook
