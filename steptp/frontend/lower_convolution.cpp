#include <array>

#include "steptp/frontend/lowering_table.h"
#include "steptp/frontend/reshape.h"
#include "steptp/graph/windows.h"

namespace steptp::frontend {

namespace {

using graph::Windows;

/// What every convolution here has: where the channels stand, and how they divide into groups.
struct Layout {
  Tensor input;
  Tensor weight;
  Tensor out;
  Windows windows;
  std::size_t channel = 1;  ///< 0 where there is no batch
  std::int64_t in_group = 1;
  std::int64_t out_group = 1;
  bool one_group = true;

  explicit Layout(const CallLowering& call)
      : input(call.in("input")), weight(call.in("weight")), out(call.out()), windows(convolution_windows(call)) {
    channel = input.shape.size() - windows.rank() - 1;
    const std::int64_t groups = call.integer("groups");
    in_group = input.shape[channel] / groups;
    out_group = out.shape[channel] / groups;
    one_group = groups == 1;
  }

  /// The channel of the input that the inner loop `inside` means for a channel of the output.
  [[nodiscard]] Subscript input_channel(const Subscript& output_channel, const Subscript& inside) const {
    if (one_group) return inside;
    const Subscript group = output_channel / out_group;
    return in_group == 1 ? group : group * in_group + inside;
  }
};

void add_bias(const CallLowering& call, const Layout& layout) {
  if (!call.has("bias")) return;
  const Tensor bias = call.in("bias");
  call.map(layout.out,
           [&](const Subscripts& at) { return layout.out.exactly(at) + bias.exactly({at[layout.channel]}); });
}

Shape inner_extents(const Layout& layout) {
  Shape out = {layout.in_group};
  out.insert(out.end(), layout.windows.kernel.begin(), layout.windows.kernel.end());
  return out;
}

void forward(const CallLowering& call, const Layout& layout) {
  const Windows& windows = layout.windows;
  std::vector<std::int64_t> before(layout.input.shape.size(), 0);
  Shape padded = layout.input.shape;
  for (std::size_t at = 0; at < windows.rank(); ++at) {
    before[layout.channel + 1 + at] = windows.before[at];
    padded[layout.channel + 1 + at] += windows.before[at] + windows.after[at];
  }
  const bool pads = padded != layout.input.shape;
  Tensor source = layout.input;
  if (pads) {
    source = call.temporary(layout.input.dtype, padded);
    pad_constant(call, layout.input, source, before, 0);
  }
  call.fold(Fold::sum, layout.out, inner_extents(layout), [&](const Subscripts& at, const Subscripts& inner) {
    Subscripts from(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(layout.channel));
    from.push_back(layout.input_channel(at[layout.channel], inner[0]));
    Subscripts tap = {at[layout.channel], inner[0]};
    for (std::size_t dim = 0; dim < windows.rank(); ++dim) {
      from.push_back(at[layout.channel + 1 + dim] * windows.stride[dim] + inner[1 + dim] * windows.dilation[dim]);
      tap.push_back(inner[1 + dim]);
    }
    const Value element = source.exactly(from);
    const Value factor = layout.weight.exactly(tap);
    return pads ? element * factor : factor * element;
  });
}

/// The input with its elements `stride` apart and zeros between and around, then a convolution with the kernel turned.
void transposed(const CallLowering& call, const Layout& layout) {
  const Windows& windows = layout.windows;
  const std::size_t first = layout.channel + 1;
  Shape spread = layout.input.shape;
  std::vector<std::int64_t> low(windows.rank());
  for (std::size_t dim = 0; dim < windows.rank(); ++dim) {
    const std::int64_t reach = windows.dilation[dim] * (windows.kernel[dim] - 1);
    low[dim] = reach - windows.before[dim];
    spread[first + dim] = layout.out.shape[first + dim] + reach;
  }
  const Tensor source = call.temporary(layout.input.dtype, spread);
  call.map(source, [&](const Subscripts& at) {
    std::vector<Value> hits;
    Subscripts from = at;
    for (std::size_t dim = 0; dim < windows.rank(); ++dim) {
      const Subscript offset = at[first + dim] - low[dim];
      const std::int64_t end = (layout.input.shape[first + dim] - 1) * windows.stride[dim] + 1;
      if (low[dim] > 0 || low[dim] + end < spread[first + dim])
        hits.push_back(between(low[dim], at[first + dim], low[dim] + end));
      if (windows.stride[dim] > 1) hits.push_back(Value(offset % windows.stride[dim]) == 0);
      from[first + dim] = offset / windows.stride[dim];
    }
    const Value element = layout.input.exactly(from);
    return hits.empty() ? element : select(all_of(hits), element, 0);
  });
  call.fold(Fold::sum, layout.out, inner_extents(layout), [&](const Subscripts& at, const Subscripts& inner) {
    const Subscript channel = layout.input_channel(at[layout.channel], inner[0]);
    Subscripts from(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(layout.channel));
    from.push_back(channel);
    Subscripts tap = {channel, layout.one_group ? at[layout.channel] : at[layout.channel] % layout.out_group};
    for (std::size_t dim = 0; dim < windows.rank(); ++dim) {
      from.push_back(at[first + dim] + inner[1 + dim] * windows.dilation[dim]);
      tap.push_back(Subscript(windows.kernel[dim] - 1) - inner[1 + dim]);
    }
    return source.exactly(from) * layout.weight.exactly(tap);
  });
}

void convolution(const CallLowering& call) {
  const Layout layout(call);
  if (layout.windows.transposed)
    transposed(call, layout);
  else
    forward(call, layout);
  add_bias(call, layout);
}

constexpr std::array kRows = {
    LoweringRow{"aten.conv1d.default", convolution},         LoweringRow{"aten.conv2d.default", convolution},
    LoweringRow{"aten.conv3d.default", convolution},         LoweringRow{"aten.conv1d.padding", convolution},
    LoweringRow{"aten.conv2d.padding", convolution},         LoweringRow{"aten.conv3d.padding", convolution},
    LoweringRow{"aten.convolution.default", convolution},    LoweringRow{"aten.conv_transpose1d.default", convolution},
    LoweringRow{"aten.conv_transpose2d.input", convolution}, LoweringRow{"aten.conv_transpose3d.input", convolution},
};

}  // namespace

std::span<const LoweringRow> convolution_lowerings() { return kRows; }

}  // namespace steptp::frontend
