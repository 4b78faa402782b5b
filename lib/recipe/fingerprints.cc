// Source: the Python sources in the wheels of torchcodec 0.0.3 to 0.17.0, of torch 2.2.0 to 2.15.0
// and of torchaudio 2.8.0 to 2.11.0 (for macOS; a release's Python sources are the same on every
// platform).
#include "recipe/fingerprints.h"

#include <algorithm>

namespace tcfix::recipe {

namespace {

constexpr Version kNewest = {0, 17}, kNewestTorch = {2, 15};

constexpr FrameFingerprint kPackageFrames[] = {
    {"torchcodec/decoders/_core/video_decoder_ops.py", "", 0, {{0, 0}, {0, 2}}},
    // Where the libraries are loaded. Up to 0.9 only the lines that raise and import appear.
    {"torchcodec/_core/ops.py", "load_torchcodec_shared_libraries", 71, {{0, 3}, {0, 4}}},
    {"torchcodec/_core/ops.py", "<module>", 86, {{0, 3}, {0, 4}}},
    {"torchcodec/_core/ops.py", "load_torchcodec_shared_libraries", 69, {{0, 5}, {0, 8}}},
    {"torchcodec/_core/ops.py", "<module>", 84, {{0, 5}, {0, 8}}},
    {"torchcodec/_core/ops.py", "load_torchcodec_shared_libraries", 70, {{0, 9}, {0, 9}}},
    {"torchcodec/_core/ops.py", "<module>", 85, {{0, 9}, {0, 9}}},
    {"torchcodec/_core/ops.py", "load_torchcodec_shared_libraries", 75, {{0, 9}, {0, 9}}},
    {"torchcodec/_core/ops.py", "<module>", 104, {{0, 9}, {0, 9}}},
    {"torchcodec/_core/ops.py", "load_torchcodec_shared_libraries", 57, {{0, 10}, {0, 10}}},
    {"torchcodec/_core/ops.py", "load_torchcodec_shared_libraries", 58, {{0, 10}, {0, 10}}},
    {"torchcodec/_core/ops.py", "load_torchcodec_shared_libraries", 76, {{0, 10}, {0, 10}}},
    {"torchcodec/_core/ops.py", "<module>", 109, {{0, 10}, {0, 10}}},
    {"torchcodec/_core/ops.py", "load_torchcodec_shared_libraries", 0, {{0, 3}, {0, 10}}},
    {"torchcodec/_core/ops.py", "<module>", 38, {{0, 11}, {0, 15}}},
    {"torchcodec/_internally_replaced_utils.py",
     "load_torchcodec_shared_libraries",
     0,
     {{0, 11}, {0, 15}}},
    {"torchcodec/_internally_replaced_utils.py", "load_core_libraries", 0, {{0, 16}, kNewest}},
    {"torchcodec/_internally_replaced_utils.py", "load_image_library", 0, {{0, 16}, kNewest}},
    {"torchcodec/_internally_replaced_utils.py", "load_pybind_ops", 0, {{0, 16}, kNewest}},
    {"torchcodec/_internally_replaced_utils.py", "load_heic_library", 0, {{0, 16}, kNewest}},
    {"torchcodec/_internally_replaced_utils.py", "_get_extension_path", 35, {{0, 3}, {0, 8}}},
    {"torchcodec/_internally_replaced_utils.py", "_get_extension_path", 36, {{0, 9}, {0, 10}}},
    {"torchcodec/_internally_replaced_utils.py", "_get_extension_path", 43, {{0, 11}, {0, 15}}},
    {"torchcodec/_internally_replaced_utils.py", "_get_extension_path", 44, {{0, 16}, kNewest}},
};

constexpr WordFingerprint kPackageWords[] = {
    // 0.8.0 lists the majors up to 7, but also tries 8.
    {"versions 4, 5, 6 and 7.", {{0, 0}, {0, 8}}},
    {"and 8 on Mac and Linux", {{0, 8}, {0, 8}}},
    {"versions 4, 5, 6, 7, and 8.", {{0, 9}, {0, 9}}},
    {"versions 4, 5, 6, 7, and 8, and we attempt", {{0, 10}, {0, 15}}},
    {"versions 4, 5, 6, 7, 8, and 9", {{0, 16}, kNewest}},
    {"TORCHCODEC_DEVICE_BACKEND_AUTOLOAD", {{0, 15}, kNewest}},
    {"Failed to load the HEIC decoding library", {{0, 16}, kNewest}},
    // Libraries that older or newer releases do not have.
    {"libtorchcodec_decoder", {{0, 3}, {0, 4}}},
    {"libtorchcodec_core4", {{0, 5}, kNewest}},
    {"libtorchcodec_core8", {{0, 8}, kNewest}},
    {"libtorchcodec_core9", {{0, 16}, kNewest}},
    {"libtorchcodec_image", {{0, 16}, kNewest}},
    {"libavutil.so.60: cannot open", {{0, 8}, kNewest}},
    {"libavutil.so.61: cannot open", {{0, 16}, kNewest}},
    {"FFmpeg version 8:", {{0, 8}, kNewest}},
    {"FFmpeg version 9:", {{0, 16}, kNewest}},
};

// `_ops.py`: the call of ctypes.CDLL, the "Could not load this library" that 2.9 added, and the
// call of an operator's overload.
constexpr FrameFingerprint kTorchFrames[] = {
    {"torch/_ops.py", "load_library", 1295, {{2, 4}, {2, 4}}},
    {"torch/_ops.py", "__call__", 667, {{2, 4}, {2, 4}}},
    {"torch/_ops.py", "load_library", 1350, {{2, 5}, {2, 5}}},
    {"torch/_ops.py", "__call__", 716, {{2, 5}, {2, 5}}},
    {"torch/_ops.py", "load_library", 1357, {{2, 6}, {2, 6}}},
    {"torch/_ops.py", "__call__", 723, {{2, 6}, {2, 6}}},
    {"torch/_ops.py", "load_library", 1392, {{2, 7}, {2, 7}}},
    {"torch/_ops.py", "__call__", 756, {{2, 7}, {2, 7}}},
    {"torch/_ops.py", "load_library", 1478, {{2, 8}, {2, 8}}},
    {"torch/_ops.py", "__call__", 829, {{2, 8}, {2, 8}}},
    {"torch/_ops.py", "load_library", 1488, {{2, 9}, {2, 9}}},
    {"torch/_ops.py", "load_library", 1490, {{2, 9}, {2, 9}}},
    {"torch/_ops.py", "__call__", 841, {{2, 9}, {2, 9}}},
    {"torch/_ops.py", "load_library", 1442, {{2, 10}, {2, 10}}},
    {"torch/_ops.py", "load_library", 1444, {{2, 10}, {2, 10}}},
    {"torch/_ops.py", "__call__", 819, {{2, 10}, {2, 10}}},
    {"torch/_ops.py", "load_library", 1503, {{2, 11}, {2, 11}}},
    {"torch/_ops.py", "load_library", 1505, {{2, 11}, {2, 11}}},
    {"torch/_ops.py", "__call__", 865, {{2, 11}, {2, 11}}},
    {"torch/_ops.py", "load_library", 1509, {{2, 12}, {2, 12}}},
    {"torch/_ops.py", "load_library", 1511, {{2, 12}, {2, 12}}},
    {"torch/_ops.py", "__call__", 871, {{2, 12}, {2, 12}}},
    {"torch/_ops.py", "load_library", 1516, {{2, 13}, {2, 13}}},
    {"torch/_ops.py", "load_library", 1518, {{2, 13}, {2, 13}}},
    {"torch/_ops.py", "__call__", 875, {{2, 13}, {2, 13}}},
    {"torch/_ops.py", "load_library", 1587, {{2, 14}, {2, 15}}},
    {"torch/_ops.py", "load_library", 1589, {{2, 14}, {2, 15}}},
    {"torch/_ops.py", "__call__", 916, {{2, 14}, {2, 15}}},
    // The call of a module's forward().
    {"torch/nn/modules/module.py", "_wrapped_call_impl", 1511, {{2, 2}, {2, 2}}},
    {"torch/nn/modules/module.py", "_wrapped_call_impl", 1532, {{2, 3}, {2, 3}}},
    {"torch/nn/modules/module.py", "_wrapped_call_impl", 1553, {{2, 4}, {2, 4}}},
    {"torch/nn/modules/module.py", "_wrapped_call_impl", 1736, {{2, 5}, {2, 5}}},
    {"torch/nn/modules/module.py", "_wrapped_call_impl", 1739, {{2, 6}, {2, 6}}},
    {"torch/nn/modules/module.py", "_wrapped_call_impl", 1751, {{2, 7}, {2, 7}}},
    {"torch/nn/modules/module.py", "_wrapped_call_impl", 1773, {{2, 8}, {2, 8}}},
    {"torch/nn/modules/module.py", "_wrapped_call_impl", 1775, {{2, 9}, {2, 9}}},
    {"torch/nn/modules/module.py", "_wrapped_call_impl", 1776, {{2, 10}, {2, 10}}},
    {"torch/nn/modules/module.py", "_wrapped_call_impl", 1779, {{2, 11}, {2, 11}}},
    {"torch/nn/modules/module.py", "_wrapped_call_impl", 1778, {{2, 12}, {2, 13}}},
    {"torch/nn/modules/module.py", "_wrapped_call_impl", 1783, {{2, 14}, {2, 14}}},
    {"torch/nn/modules/module.py", "_wrapped_call_impl", 1787, {{2, 15}, {2, 15}}},
    // Where a missing NumPy causes a warning.
    {"torch/_subclasses/functional_tensor.py", "", 258, {{2, 4}, {2, 4}}},
    {"torch/_subclasses/functional_tensor.py", "", 295, {{2, 5}, {2, 5}}},
    {"torch/_subclasses/functional_tensor.py", "", 275, {{2, 6}, {2, 6}}},
    {"torch/_subclasses/functional_tensor.py", "", 276, {{2, 7}, {2, 7}}},
    {"torch/_subclasses/functional_tensor.py", "", 279, {{2, 8}, {2, 9}}},
    {"torch/_subclasses/functional_tensor.py", "", 283, {{2, 10}, {2, 10}}},
    {"torch/_subclasses/functional_tensor.py", "", 307, {{2, 11}, {2, 11}}},
    {"torch/_subclasses/functional_tensor.py", "", 362, {{2, 12}, {2, 12}}},
    {"torch/_subclasses/functional_tensor.py", "", 368, {{2, 13}, {2, 14}}},
    {"torch/_subclasses/functional_tensor.py", "", 377, {{2, 15}, {2, 15}}},
    // Where `import torch` loads its own libraries.
    {"torch/__init__.py", "<module>", 290, {{2, 4}, {2, 4}}},
    {"torch/__init__.py", "<module>", 368, {{2, 5}, {2, 5}}},
    {"torch/__init__.py", "<module>", 367, {{2, 5}, {2, 5}}},
    {"torch/__init__.py", "<module>", 405, {{2, 6}, {2, 6}}},
    {"torch/__init__.py", "<module>", 409, {{2, 7}, {2, 7}}},
    {"torch/__init__.py", "<module>", 416, {{2, 8}, {2, 8}}},
    {"torch/__init__.py", "<module>", 427, {{2, 9}, {2, 9}}},
    {"torch/__init__.py", "<module>", 431, {{2, 10}, {2, 10}}},
    {"torch/__init__.py", "<module>", 442, {{2, 11}, {2, 11}}},
    {"torch/__init__.py", "<module>", 444, {{2, 12}, {2, 12}}},
    {"torch/__init__.py", "<module>", 445, {{2, 13}, {2, 13}}},
    {"torch/__init__.py", "<module>", 496, {{2, 14}, {2, 14}}},
    {"torch/__init__.py", "<module>", 505, {{2, 15}, {2, 15}}},
    // The same on Windows.
    {"torch/__init__.py", "_load_dll_libraries", 258, {{2, 5}, {2, 5}}},
    {"torch/__init__.py", "_load_dll_libraries", 270, {{2, 6}, {2, 6}}},
    {"torch/__init__.py", "_load_dll_libraries", 266, {{2, 7}, {2, 7}}},
    {"torch/__init__.py", "_load_dll_libraries", 274, {{2, 8}, {2, 8}}},
    {"torch/__init__.py", "_load_dll_libraries", 277, {{2, 9}, {2, 9}}},
    {"torch/__init__.py", "_load_dll_libraries", 276, {{2, 10}, {2, 10}}},
    {"torch/__init__.py", "_load_dll_libraries", 281, {{2, 11}, {2, 11}}},
    {"torch/__init__.py", "_load_dll_libraries", 283, {{2, 12}, {2, 12}}},
    {"torch/__init__.py", "_load_dll_libraries", 284, {{2, 13}, {2, 13}}},
    {"torch/__init__.py", "_load_dll_libraries", 305, {{2, 14}, {2, 14}}},
    {"torch/__init__.py", "_load_dll_libraries", 315, {{2, 15}, {2, 15}}},
    // torchaudio has torch's version numbers; 2.11 is its last, and works with every later torch.
    {"torchaudio/_torchcodec.py", "load_with_torchcodec", 81, {{2, 8}, {2, 8}}},
    {"torchaudio/_torchcodec.py", "load_with_torchcodec", 83, {{2, 8}, {2, 8}}},
    {"torchaudio/_torchcodec.py", "save_with_torchcodec", 253, {{2, 8}, {2, 8}}},
    {"torchaudio/_torchcodec.py", "save_with_torchcodec", 255, {{2, 8}, {2, 8}}},
    {"torchaudio/_torchcodec.py", "load_with_torchcodec", 0, {{2, 9}, kNewestTorch}},
    {"torchaudio/_torchcodec.py", "save_with_torchcodec", 0, {{2, 9}, kNewestTorch}},
};

} // namespace

VersionSpan VersionSpan::sharedWith(const VersionSpan& other) const {
  if (!isKnown() || !other.isKnown())
    return isKnown() ? *this : other;
  VersionSpan shared{std::max(first, other.first), std::min(last, other.last)};
  return shared.last < shared.first ? VersionSpan() : shared;
}

std::string VersionSpan::text() const {
  return isOne() ? first.text() : first.text() + " to " + last.text();
}

Fingerprints packageFingerprints() {
  return {kPackageFrames, kPackageWords};
}

Fingerprints torchFingerprints() {
  return {kTorchFrames, {}};
}

} // namespace tcfix::recipe
