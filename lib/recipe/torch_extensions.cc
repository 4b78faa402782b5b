#include "recipe/torch_extensions.h"

#include "base/version.h"

namespace tcfix::recipe {

namespace {

/// Source: the documents of PyG and of the packages (`pip install flash-attn
/// --no-build-isolation`).
constexpr TorchExtension kExtensions[] = {
    {"torch_scatter", "torch-scatter", true}, {"torch_sparse", "torch-sparse", true},
    {"torch_cluster", "torch-cluster", true}, {"torch_spline_conv", "torch-spline-conv", true},
    {"flash_attn", "flash-attn", false},      {"causal_conv1d", "causal-conv1d", false},
    {"mamba_ssm", "mamba-ssm", false},        {"selective_scan_cuda", "mamba-ssm", false},
};

} // namespace

const TorchExtension* torchExtensionOf(llvm::StringRef module) {
  for (const TorchExtension& each : kExtensions)
    if (module.starts_with(each.module))
      return &each;
  return nullptr;
}

std::string extensionIndex(const TorchBuild& torch) {
  const std::optional<Version> version = parseVersion(torch.version);
  const bool isKnown = torch.channel == "cpu" || torch.cudaMajor.value_or(0) != 0;
  return version && isKnown && !torch.channel.empty()
             ? "https://data.pyg.org/whl/torch-" + version->text() + ".0+" + torch.channel + ".html"
             : std::string();
}

} // namespace tcfix::recipe
