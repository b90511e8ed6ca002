#include <algorithm>
#include <array>

#include "steptp/base/text.h"
#include "steptp/graph/operator.h"
#include "steptp/graph/windows.h"

namespace steptp::graph {

namespace {

using Types = std::vector<TensorType>;

Types pooled(const Call& call) {
  TensorType out = call.tensor("self");
  const Windows windows = pooling_windows(call);
  if (out.shape.size() < windows.rank() + 1 || out.shape.size() > windows.rank() + 2) {
    call.fail(concat("not for ", to_text(out)));
  }
  const std::size_t first = out.shape.size() - windows.rank();
  // PyTorch's average in three dimensions wants a window to fit into the input itself.
  const bool whole = call.op().schema.name == "aten.avg_pool3d.default";
  for (std::size_t at = 0; at < windows.rank(); ++at) {
    if (whole && windows.kernel[at] > out.shape[first + at]) {
      call.fail(concat("a window of ", windows.kernel[at], " does not fit into ", out.shape[first + at]));
    }
    out.shape[first + at] = windows.extent(call, at, out.shape[first + at]);
  }
  return {out};
}
Types pooled_with_indices(const Call& call) {
  const TensorType out = pooled(call).front();
  return {out, {DType::i64, out.shape}};
}

Types adaptive(const Call& call) {
  TensorType out = call.tensor("self");
  const std::vector<std::int64_t>& size = call.integers("output_size");
  if (out.shape.size() < size.size() + 1 || out.shape.size() > size.size() + 2)
    call.fail(concat("not for ", to_text(out)));
  std::copy(size.begin(), size.end(), out.shape.end() - static_cast<std::ptrdiff_t>(size.size()));
  return {out};
}
Types adaptive_with_indices(const Call& call) {
  const TensorType out = adaptive(call).front();
  return {out, {DType::i64, out.shape}};
}

constexpr std::array kRows = {
    OperatorRow{"max_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, int[1] dilation=1, "
                "bool ceil_mode=False) -> Tensor",
                pooled, "F.max_pool1d({self}, {kernel_size}, {stride}, {padding}, {dilation}, {ceil_mode})"},
    OperatorRow{"max_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, "
                "bool ceil_mode=False) -> Tensor",
                pooled, "F.max_pool2d({self}, {kernel_size}, {stride}, {padding}, {dilation}, {ceil_mode})"},
    OperatorRow{"max_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] dilation=1, "
                "bool ceil_mode=False) -> Tensor",
                pooled, "F.max_pool3d({self}, {kernel_size}, {stride}, {padding}, {dilation}, {ceil_mode})"},
    OperatorRow{"max_pool1d_with_indices(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, int[1] "
                "dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)",
                pooled_with_indices},
    OperatorRow{"max_pool2d_with_indices(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] "
                "dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)",
                pooled_with_indices},
    OperatorRow{"max_pool3d_with_indices(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] "
                "dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)",
                pooled_with_indices},
    OperatorRow{"avg_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, bool ceil_mode=False, "
                "bool count_include_pad=True) -> Tensor",
                pooled, "F.avg_pool1d({self}, {kernel_size}, {stride}, {padding}, {ceil_mode}, {count_include_pad})"},
    OperatorRow{"avg_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, bool ceil_mode=False, "
                "bool count_include_pad=True, int? divisor_override=None) -> Tensor",
                pooled,
                "F.avg_pool2d({self}, {kernel_size}, {stride}, {padding}, {ceil_mode}, {count_include_pad}, "
                "{divisor_override})"},
    OperatorRow{"avg_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, bool ceil_mode=False, "
                "bool count_include_pad=True, int? divisor_override=None) -> Tensor",
                pooled,
                "F.avg_pool3d({self}, {kernel_size}, {stride}, {padding}, {ceil_mode}, {count_include_pad}, "
                "{divisor_override})"},
    OperatorRow{"adaptive_avg_pool1d(Tensor self, int[1] output_size) -> Tensor", adaptive, "F.adaptive_avg_pool1d"},
    OperatorRow{"adaptive_avg_pool2d(Tensor self, int[2] output_size) -> Tensor", adaptive, "F.adaptive_avg_pool2d"},
    OperatorRow{"adaptive_avg_pool3d(Tensor self, int[3] output_size) -> Tensor", adaptive, "F.adaptive_avg_pool3d"},
    OperatorRow{"_adaptive_avg_pool2d(Tensor self, int[2] output_size) -> Tensor", adaptive},
    OperatorRow{"_adaptive_avg_pool3d(Tensor self, int[3] output_size) -> Tensor", adaptive},
    OperatorRow{"adaptive_max_pool1d(Tensor self, int[1] output_size) -> (Tensor, Tensor)", adaptive_with_indices},
    OperatorRow{"adaptive_max_pool2d(Tensor self, int[2] output_size) -> (Tensor, Tensor)", adaptive_with_indices},
    OperatorRow{"adaptive_max_pool3d(Tensor self, int[3] output_size) -> (Tensor, Tensor)", adaptive_with_indices},
};

}  // namespace

std::span<const OperatorRow> pooling_operators() { return kRows; }

}  // namespace steptp::graph
