// Plugins of torch itself, which it loads when it is imported.
#pragma once

#include <llvm/ADT/StringRef.h>

namespace tcfix::recipe {

/// An environment variable that prevents them from loading if it is 0 (torch/__init__.py).
constexpr llvm::StringLiteral kTorchPluginSwitch = "TORCH_DEVICE_BACKEND_AUTOLOAD";

} // namespace tcfix::recipe
