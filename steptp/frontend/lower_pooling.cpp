#include <algorithm>
#include <array>

#include "steptp/base/text.h"
#include "steptp/frontend/lowering_table.h"
#include "steptp/frontend/reductions.h"
#include "steptp/frontend/reshape.h"
#include "steptp/graph/windows.h"

namespace steptp::frontend {

namespace {

using graph::Windows;

/// The input with enough around it for every window, filled with `fill`; the input itself where nothing is missing.
Tensor surrounded(const Step& step, const Tensor& self, const Shape& out, const Windows& windows, const Value& fill) {
  const std::size_t first = self.shape.size() - windows.rank();
  std::vector<std::int64_t> before(self.shape.size(), 0);
  Shape shape = self.shape;
  for (std::size_t dim = 0; dim < windows.rank(); ++dim) {
    const std::int64_t span = windows.dilation[dim] * (windows.kernel[dim] - 1) + 1;
    before[first + dim] = windows.before[dim];
    shape[first + dim] = std::max(self.shape[first + dim] + windows.before[dim] + windows.after[dim],
                                  (out[first + dim] - 1) * windows.stride[dim] + span);
  }
  if (shape == self.shape) return self;
  const Tensor padded = step.temporary(self.dtype, shape);
  pad_constant(step, self, padded, before, fill);
  return padded;
}

Value window_element(const Tensor& source, const Windows& windows, const Subscripts& at, const Subscripts& inner) {
  const std::size_t first = at.size() - windows.rank();
  Subscripts place = at;
  for (std::size_t dim = 0; dim < windows.rank(); ++dim) {
    place[first + dim] = at[first + dim] * windows.stride[dim] + inner[dim] * windows.dilation[dim];
  }
  return source.exactly(place);
}

void max_pool(const Step& step) {
  if (step.outputs() > 1 && step.wanted(1)) step.unsupported("the indices of max pooling are not supported");
  const Tensor self = step.in("self");
  if (!is_float(self.dtype)) step.unsupported("max pooling of integers is not supported");
  const Windows windows = pooling_windows(step);
  const Tensor out = step.out();
  const Tensor source = surrounded(step, self, out.shape, windows, -infinity());
  step.fold(Fold::max, out, windows.kernel,
            [&](const Subscripts& at, const Subscripts& inner) { return window_element(source, windows, at, inner); });
}

/// How many elements a window counts in one dimension: all of it where it lies inside (or the padding counts), and
/// otherwise the part between the borders.
Value counted(const Windows& windows, std::size_t dim, std::int64_t extent, std::int64_t out, const Subscript& at,
              bool include_padding) {
  const std::int64_t kernel = windows.kernel[dim];
  const std::int64_t before = windows.before[dim];
  const std::int64_t stride = windows.stride[dim];
  const std::int64_t end = extent + (include_padding ? windows.after[dim] : 0);
  const bool overruns = (out - 1) * stride - before + kernel > end;
  const bool underruns = !include_padding && before > 0;
  const Value start = at * stride - before;
  const Value stop = overruns ? min(at * stride + (kernel - before), end) : Value(at * stride + (kernel - before));
  if (underruns) return stop - max(start, 0);
  return overruns ? stop - start : Value(kernel);
}

void avg_pool(const Step& step) {
  const Tensor self = step.in("self");
  const Windows windows = pooling_windows(step);
  const Tensor out = step.out();
  const bool include = step.flag("count_include_pad");
  const bool overridden = step.op().schema.find("divisor_override") && step.has("divisor_override");
  const Tensor source = surrounded(step, self, out.shape, windows, 0);
  const Tensor sum = step.temporary(out.dtype, out.shape);
  step.fold(Fold::sum, sum, windows.kernel,
            [&](const Subscripts& at, const Subscripts& inner) { return window_element(source, windows, at, inner); });
  const std::size_t first = self.shape.size() - windows.rank();
  step.map(out, [&](const Subscripts& at) {
    if (overridden) return sum.exactly(at) / step.integer("divisor_override");
    std::int64_t constant = 1;
    std::vector<Value> factors;
    for (std::size_t dim = 0; dim < windows.rank(); ++dim) {
      const Value number =
          counted(windows, dim, self.shape[first + dim], out.shape[first + dim], at[first + dim], include);
      if (std::holds_alternative<Literal>(number.expr()->node))
        constant *= windows.kernel[dim];
      else
        factors.push_back(number);
    }
    if (constant != 1 || factors.empty()) factors.insert(factors.begin(), Value(constant));
    Value divisor = factors.front();
    for (std::size_t number = 1; number < factors.size(); ++number) divisor = divisor * factors[number];
    return sum.exactly(at) / divisor;
  });
}

/// Window i of n covers the elements from floor(i*extent/n) up to ceil((i+1)*extent/n).
struct Adaptive {
  std::vector<std::int64_t> extent;
  std::vector<std::int64_t> number;
  std::vector<std::int64_t> longest;

  Adaptive(const Shape& shape, const std::vector<std::int64_t>& size) : number(size) {
    extent.assign(shape.end() - static_cast<std::ptrdiff_t>(size.size()), shape.end());
    for (std::size_t dim = 0; dim < size.size(); ++dim) {
      std::int64_t most = 0;
      for (std::int64_t window = 0; window < number[dim]; ++window)
        most = std::max(most, stop(dim, window) - start(dim, window));
      longest.push_back(most);
    }
  }
  [[nodiscard]] std::int64_t start(std::size_t dim, std::int64_t window) const {
    return window * extent[dim] / number[dim];
  }
  [[nodiscard]] std::int64_t stop(std::size_t dim, std::int64_t window) const {
    return ((window + 1) * extent[dim] + number[dim] - 1) / number[dim];
  }
  [[nodiscard]] bool regular(std::size_t dim) const { return extent[dim] % number[dim] == 0; }
  [[nodiscard]] Subscript first(std::size_t dim, const Subscript& window) const {
    return regular(dim) ? window * (extent[dim] / number[dim]) : (window * extent[dim]) / number[dim];
  }
  [[nodiscard]] Subscript end(std::size_t dim, const Subscript& window) const {
    return (window * extent[dim] + (extent[dim] + number[dim] - 1)) / number[dim];
  }
  [[nodiscard]] bool all_one() const {
    return std::all_of(number.begin(), number.end(), [](std::int64_t size) { return size == 1; });
  }
};

void adaptive(const Step& step, Fold how, const Tensor& target, const Adaptive& windows, const Value& neutral) {
  const Tensor self = step.in("self");
  const std::size_t lead = self.shape.size() - windows.extent.size();
  step.fold(how, target, windows.longest, [&](const Subscripts& at, const Subscripts& inner) {
    Subscripts place = at;
    std::vector<Value> inside;
    for (std::size_t dim = 0; dim < windows.extent.size(); ++dim) {
      place[lead + dim] = windows.first(dim, at[lead + dim]) + inner[dim];
      if (!windows.regular(dim)) inside.push_back(Value(place[lead + dim]) < windows.end(dim, at[lead + dim]));
    }
    const Value element = self.exactly(place);
    return inside.empty() ? element : select(all_of(inside), element, neutral);
  });
}

void adaptive_avg(const Step& step) {
  const Tensor self = step.in("self");
  const Tensor out = step.out();
  const Adaptive windows(self.shape, step.integers("output_size"));
  const std::size_t lead = self.shape.size() - windows.extent.size();
  if (windows.all_one()) {
    Division division{std::vector<bool>(self.shape.size(), true), self.shape};
    std::fill_n(division.reduced.begin(), lead, false);
    return mean_dimensions(step, out, division, [&](const Subscripts& at) { return self.exactly(at); });
  }
  const Tensor sum = step.temporary(out.dtype, out.shape);
  adaptive(step, Fold::sum, sum, windows, 0);
  step.map(out, [&](const Subscripts& at) {
    Value divisor(1);
    for (std::size_t dim = 0; dim < windows.extent.size(); ++dim) {
      const Value length = windows.regular(dim)
                               ? Value(windows.longest[dim])
                               : Value(windows.end(dim, at[lead + dim]) - windows.first(dim, at[lead + dim]));
      divisor = dim == 0 ? length : divisor * length;
    }
    return sum.exactly(at) / divisor;
  });
}

void adaptive_max(const Step& step) {
  if (step.wanted(1)) step.unsupported("the indices of max pooling are not supported");
  adaptive(step, Fold::max, step.out(), Adaptive(step.shape("self"), step.integers("output_size")), -infinity());
}

/// Scale factors are used where they say the same as the sizes; PyTorch computes with the factor itself.
void want_exact_scale(const Step& step, const Shape& from, const Shape& to) {
  std::vector<double> listed;
  for (const std::string_view name : {"scales", "scales_h", "scales_w"}) {
    if (step.op().schema.find(name) && step.has(name)) listed.push_back(step.real(name));
  }
  const std::vector<double>* factors = listed.size() == from.size() - 2 ? &listed : nullptr;
  if (step.op().schema.find("scale_factors") && !step.has("output_size")) {
    factors = std::get_if<std::vector<double>>(&step.argument("scale_factors"));
  }
  if (!factors) return;
  for (std::size_t dim = 0; dim < factors->size(); ++dim) {
    if (static_cast<double>(from[2 + dim]) * (*factors)[dim] != static_cast<double>(to[2 + dim])) {
      step.unsupported("a scale factor that does not give a whole number of elements is not supported");
    }
  }
}

Tensor upsampled_input(const Step& step) { return step.in(step.op().schema.find("input") ? "input" : "self"); }

void upsample_nearest(const Step& step) {
  const Tensor input = upsampled_input(step);
  const Tensor out = step.out();
  want_exact_scale(step, input.shape, out.shape);
  step.map(out, [&](const Subscripts& at) {
    Subscripts place = at;
    for (std::size_t dim = 2; dim < at.size(); ++dim) {
      const std::int64_t from = input.shape[dim];
      const std::int64_t to = out.shape[dim];
      place[dim] = to % from == 0 ? at[dim] / (to / from) : (at[dim] * from) / to;
    }
    return input.exactly(place);
  });
}

/// One dimension of linear interpolation. The source position is a fraction p/q; the elements on both sides of it are
/// weighted, and at the borders the outermost element stands for its neighbour.
void interpolate_dimension(const Step& step, const Tensor& source, const Tensor& target, std::size_t dim, bool align) {
  const std::int64_t from = source.shape[dim];
  const std::int64_t to = target.shape[dim];
  const std::int64_t divisor = align ? std::max<std::int64_t>(to - 1, 1) : 2 * to;
  step.map(target, [&](const Subscripts& at) {
    const Subscript position = align ? at[dim] * (from - 1) : at[dim] * (2 * from) + (from - to);
    const Subscript left = position / divisor;
    const auto element = [&](const Subscript& place) {
      Subscripts where = at;
      where[dim] = place;
      return source.exactly(where);
    };
    const Value first = select(Value(left) < 0, element(0), element(left));
    const Value second = select(Value(left + 1) < from, element(left + 1), element(from - 1));
    const Value weight = Value(position % divisor) / decimal(static_cast<double>(divisor));
    return first + weight * (second - first);
  });
}

void upsample_linear(const Step& step) {
  Tensor source = upsampled_input(step);
  const Tensor out = step.out();
  want_exact_scale(step, source.shape, out.shape);
  for (std::size_t dim = 2; dim < out.shape.size(); ++dim) {
    Shape shape = source.shape;
    shape[dim] = out.shape[dim];
    const Tensor next = dim + 1 == out.shape.size() ? out : step.temporary(out.dtype, shape);
    interpolate_dimension(step, source, next, dim, step.flag("align_corners"));
    source = next;
  }
}

constexpr std::array kRows = {
    LoweringRow{"aten.max_pool1d.default", max_pool},
    LoweringRow{"aten.max_pool2d.default", max_pool},
    LoweringRow{"aten.max_pool3d.default", max_pool},
    LoweringRow{"aten.max_pool2d_with_indices.default", max_pool},
    LoweringRow{"aten.max_pool3d_with_indices.default", max_pool},
    LoweringRow{"aten.avg_pool1d.default", avg_pool},
    LoweringRow{"aten.avg_pool2d.default", avg_pool},
    LoweringRow{"aten.avg_pool3d.default", avg_pool},
    LoweringRow{"aten.adaptive_avg_pool1d.default", adaptive_avg},
    LoweringRow{"aten.adaptive_avg_pool2d.default", adaptive_avg},
    LoweringRow{"aten.adaptive_avg_pool3d.default", adaptive_avg},
    LoweringRow{"aten._adaptive_avg_pool2d.default", adaptive_avg},
    LoweringRow{"aten._adaptive_avg_pool3d.default", adaptive_avg},
    LoweringRow{"aten.adaptive_max_pool1d.default", adaptive_max},
    LoweringRow{"aten.adaptive_max_pool2d.default", adaptive_max},
    LoweringRow{"aten.adaptive_max_pool3d.default", adaptive_max},
    LoweringRow{"aten.upsample_nearest1d.vec", upsample_nearest},
    LoweringRow{"aten.upsample_nearest2d.vec", upsample_nearest},
    LoweringRow{"aten.upsample_nearest3d.vec", upsample_nearest},
    LoweringRow{"aten.upsample_nearest1d.default", upsample_nearest},
    LoweringRow{"aten.upsample_nearest2d.default", upsample_nearest},
    LoweringRow{"aten.upsample_bilinear2d.default", upsample_linear},
    LoweringRow{"aten.upsample_linear1d.vec", upsample_linear},
    LoweringRow{"aten.upsample_bilinear2d.vec", upsample_linear},
    LoweringRow{"aten.upsample_trilinear3d.vec", upsample_linear},
};

}  // namespace

std::span<const LoweringRow> pooling_lowerings() { return kRows; }

}  // namespace steptp::frontend
