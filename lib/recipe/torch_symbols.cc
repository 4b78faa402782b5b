// Which torch has a symbol: the C interface that PyTorch promises to keep, which has only ever
// grown, and the C++ functions that torchcodec's wheels used and torch has changed since.
//
// Source: the exports of libtorch_cpu and libc10 in the macOS wheels of
// torch 2.8.0, 2.9.1, 2.10.0, 2.11.0 and 2.12.0; without the operators of a single device.
#include "recipe/torch_symbols.h"

#include "base/demangle.h"

#include <llvm/ADT/STLExtras.h>

namespace tcfix::recipe {

namespace {

struct Arrivals {
  Version torch;
  const char* symbols; ///< separated by blanks
};

// clang-format off
constexpr Arrivals kArrivals[] = {
    {{2, 9},
     "aoti_torch_aten_amax aoti_torch_aten_fill__Scalar aoti_torch_aten_narrow "
     "aoti_torch_aten_new_empty aoti_torch_aten_new_zeros aoti_torch_aten_pad "
     "aoti_torch_create_device_guard aoti_torch_delete_device_guard aoti_torch_delete_stream "
     "aoti_torch_device_guard_set_index aoti_torch_empty_strided_pinned "
     "aoti_torch_get_current_device_index aoti_torch_get_current_stream aoti_torch_get_layout "
     "aoti_torch_is_defined aoti_torch_stream_id"},
    {{2, 10},
     "aoti_torch_aten_full aoti_torch_aten_subtract_Tensor aoti_torch_delete_c10_value_object "
     "aoti_torch_int64_to_ivalue aoti_torch_str_to_ivalue aoti_torch_strlist_to_ivalue "
     "aoti_torch_tensor_to_ivalue torch_call_dispatcher torch_delete_list torch_delete_string "
     "torch_get_const_data_ptr torch_get_mutable_data_ptr torch_get_num_threads "
     "torch_get_thread_idx torch_library_impl torch_list_get_item torch_list_push_back "
     "torch_list_set_item torch_list_size torch_new_list_reserve_size torch_new_string_handle "
     "torch_parallel_for torch_parse_device_string torch_set_requires_grad torch_string_c_str "
     "torch_string_length"},
    {{2, 11},
     "torch_dtype_float4_e2m1fn_x2 torch_dtype_float8_e8m0fnu torch_from_blob"},
    {{2, 12},
     "aoti_torch_dtype_float4_e2m1fn_x2 aoti_torch_dtype_float8_e8m0fnu "
     "torch_library_def_with_tags torch_tag_core torch_tag_cudagraph_unsafe "
     "torch_tag_data_dependent_output torch_tag_dynamic_output_shape torch_tag_flexible_layout "
     "torch_tag_generated torch_tag_inplace_view torch_tag_maybe_aliasing_or_mutating "
     "torch_tag_needs_contiguous_strides torch_tag_needs_exact_strides "
     "torch_tag_needs_fixed_stride_order torch_tag_nondeterministic_bitwise "
     "torch_tag_nondeterministic_seeded torch_tag_out_variant torch_tag_pointwise "
     "torch_tag_pt2_compliant_tag torch_tag_reduction torch_tag_view_copy"},
};
// clang-format on

/// The beginning and end of a demangled function; the middle depends on the standard library.
struct Departure {
  llvm::StringLiteral begin, end;
  Version torch; ///< the last one that has it
};
constexpr Departure kDepartures[] = {
    {"c10::MessageLogger::MessageLogger(char const*, int, int)", "", {2, 9}},
    {"torch::Library::_def(c10::FunctionSchema&&, c10::OperatorName*, std::",
     " const&, torch::_RegisterOrVerify) &",
     {2, 11}},
};

std::optional<Version> arrivalOf(llvm::StringRef symbol) {
  for (const Arrivals& arrivals : kArrivals) {
    llvm::StringRef rest = arrivals.symbols;
    while (!rest.empty()) {
      auto [name, tail] = rest.split(' ');
      if (name == symbol)
        return arrivals.torch;
      rest = tail;
    }
  }
  return std::nullopt;
}

std::optional<Version> departureOf(llvm::StringRef function) {
  for (const Departure& departure : kDepartures)
    if (function.starts_with(departure.begin) && function.ends_with(departure.end))
      return departure.torch;
  return std::nullopt;
}

} // namespace

bool isTorchSymbol(llvm::StringRef symbol) {
  // Microsoft's compiler puts the namespaces after the name.
  if (symbol.starts_with("?"))
    return llvm::any_of(std::initializer_list<llvm::StringRef>{"@c10@@", "@at@@", "@torch@@",
                                                               "@caffe2@@", "@jit@torch"},
                        [&](llvm::StringRef space) { return symbol.contains(space); });
  const std::string name = demangled(symbol);
  return llvm::any_of(
      std::initializer_list<llvm::StringRef>{
          "c10::", "at::", "torch::", "caffe2::", "torch_", "aoti_torch_",
          "typeinfo for c10::", "typeinfo for torch::", "vtable for c10::", "vtable for torch::"},
      [&](llvm::StringRef prefix) { return llvm::StringRef(name).starts_with(prefix); });
}

std::string TorchSpan::text() const {
  if (since.isKnown())
    return "in torch since " + since.text();
  return until.isKnown() ? "in torch until " + until.text() : std::string();
}

TorchSpan torchSpanOf(llvm::ArrayRef<std::string> symbols) {
  TorchSpan span;
  for (llvm::StringRef symbol : symbols) {
    llvm::StringRef plain = symbol;
    plain.consume_front("_"); // Mach-O prefixes every name with one
    if (std::optional<Version> since = arrivalOf(plain); since && !(*since < span.since))
      span.since = *since;
    std::optional<Version> until = departureOf(demangled(symbol));
    if (until && (!span.until.isKnown() || *until < span.until))
      span.until = *until;
  }
  return span;
}

} // namespace tcfix::recipe
