#include "steptp/graph/windows.h"

#include <algorithm>

#include "steptp/base/text.h"
#include "steptp/graph/operator.h"

namespace steptp::graph {

namespace {

/// A list by dimension; one number stands for all, and an empty list for `otherwise`.
std::vector<std::int64_t> spread(const Call& call, std::string_view name, std::size_t rank,
                                 const std::vector<std::int64_t>& otherwise, std::int64_t least) {
  if (!call.op().schema.find(name)) return otherwise;
  std::vector<std::int64_t> items = call.integers(name);
  if (items.empty()) return otherwise;
  if (items.size() == 1) items.resize(rank, items.front());
  if (items.size() != rank) call.fail(concat("'", name, "' has ", items.size(), " entries for ", rank, " dimensions"));
  for (const std::int64_t item : items) {
    if (item < least) call.fail(concat("'", name, "' has ", item, ", which is less than ", least));
  }
  return items;
}

}  // namespace

std::int64_t Windows::extent(const Call& call, std::size_t dimension, std::int64_t input) const {
  const std::int64_t span = dilation[dimension] * (kernel[dimension] - 1) + 1;
  const std::int64_t padding = before[dimension] + after[dimension];
  if (transposed) {
    return (input - 1) * stride[dimension] - padding + span + output_padding[dimension];
  }
  const std::int64_t room = input + padding - span;
  if (room < 0) call.fail(concat("a window of ", span, " does not fit into ", input + padding));
  if (!ceil_mode) return room / stride[dimension] + 1;
  std::int64_t windows = (room + stride[dimension] - 1) / stride[dimension] + 1;
  // A last window that would start in the padding at the end is dropped.
  if ((windows - 1) * stride[dimension] >= input + before[dimension]) --windows;
  return windows;
}

Windows convolution_windows(const Call& call) {
  const Shape& weight = call.shape("weight");
  if (weight.size() < 3 || weight.size() > 5) call.fail(concat("'weight' has the shape ", to_text(weight)));
  Windows out;
  out.kernel.assign(weight.begin() + 2, weight.end());
  const std::size_t rank = out.kernel.size();
  const std::vector<std::int64_t> ones(rank, 1);
  const std::vector<std::int64_t> zeros(rank, 0);
  out.transposed = call.op().schema.name.find("transpose") != std::string::npos ||
                   (call.op().schema.find("transposed") && call.flag("transposed"));
  out.stride = spread(call, "stride", rank, ones, 1);
  out.dilation = spread(call, "dilation", rank, ones, 1);
  out.output_padding = spread(call, "output_padding", rank, zeros, 0);
  if (const std::string* word = std::get_if<std::string>(&call.argument("padding"))) {
    out.before = zeros;
    out.after = zeros;
    if (*word != "same" && *word != "valid")
      call.fail(concat("'padding' is \"same\" or \"valid\", not \"", *word, "\""));
    for (std::size_t at = 0; at < rank && *word == "same"; ++at) {
      if (out.stride[at] != 1) call.fail("padding \"same\" wants a stride of 1");
      const std::int64_t total = out.dilation[at] * (out.kernel[at] - 1);
      out.before[at] = total / 2;
      out.after[at] = total - total / 2;
    }
  } else {
    out.before = out.after = spread(call, "padding", rank, zeros, 0);
  }
  return out;
}

Windows pooling_windows(const Call& call) {
  Windows out;
  const std::string& name = call.op().schema.name;
  const std::size_t rank = name.find("1d") != std::string::npos ? 1 : name.find("2d") != std::string::npos ? 2 : 3;
  out.kernel = spread(call, "kernel_size", rank, {}, 1);
  if (out.kernel.empty()) call.fail("'kernel_size' is empty");
  out.stride = spread(call, "stride", rank, out.kernel, 1);
  out.before = out.after = spread(call, "padding", rank, std::vector<std::int64_t>(rank, 0), 0);
  out.dilation = spread(call, "dilation", rank, std::vector<std::int64_t>(rank, 1), 1);
  out.ceil_mode = call.flag("ceil_mode");
  for (std::size_t at = 0; at < rank; ++at) {
    if (2 * out.before[at] > out.kernel[at]) {
      call.fail(concat("the padding ", out.before[at], " is more than half of the kernel ", out.kernel[at]));
    }
  }
  return out;
}

}  // namespace steptp::graph
