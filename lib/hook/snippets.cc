#include "hook/hook.h"

namespace tcfix::hook {

namespace {

constexpr llvm::StringLiteral kCi =
    R"text(# Fails when torchcodec is not repaired, or does not load.
tcfix apply --check && tcfix doctor
)text";

constexpr llvm::StringLiteral kConda =
    R"text(# In a conda environment: repair whenever it is activated.
mkdir -p "$CONDA_PREFIX/etc/conda/activate.d"
echo 'tcfix apply --quiet "$CONDA_PREFIX"' > "$CONDA_PREFIX/etc/conda/activate.d/tcfix.sh"
)text";

constexpr llvm::StringLiteral kDocker =
    R"text(# After the packages are installed, in the same layer.
RUN pip install --no-cache-dir torch torchcodec av tcfix \
 && tcfix apply "$(python -c 'import sys; print(sys.prefix)')"
)text";

constexpr llvm::StringLiteral kGithubAction = R"text(- name: Repair and check torchcodec
  shell: bash
  run: |
    pip install tcfix
    tcfix apply "$(python -c 'import sys; print(sys.prefix)')"
    tcfix doctor "$(python -c 'import sys; print(sys.prefix)')"
)text";

constexpr llvm::StringLiteral kPreCommit = R"text(- repo: local
  hooks:
    - id: tcfix
      name: torchcodec is repaired
      entry: tcfix apply --check
      language: system
      pass_filenames: false
      always_run: true
)text";

} // namespace

llvm::StringRef snippetFor(llvm::StringRef kind) {
  if (kind == "ci")
    return kCi;
  if (kind == "conda")
    return kConda;
  if (kind == "docker")
    return kDocker;
  if (kind == "github-action")
    return kGithubAction;
  if (kind == "pre-commit")
    return kPreCommit;
  return {};
}

} // namespace tcfix::hook
