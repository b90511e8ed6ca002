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
Tensor surrounded(const CallLowering& call, const Tensor& self, const Shape& out, const Windows& windows,
                  const Value& fill) {
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
  const Tensor padded = call.temporary(self.dtype, shape);
  pad_constant(call, self, padded, before, fill);
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

/// The first place where a window reaches its maximum, as the row-major number of an element of the input's last
/// dimensions. `element` gives the subscripts in those dimensions and what must hold for them to lie in the input.
template <typename Element>
void find_places(const CallLowering& call, const Tensor& self, const Tensor& largest, const Shape& window,
                 const Element& element) {
  const std::size_t lead = self.shape.size() - window.size();
  const Shape inside(self.shape.begin() + static_cast<std::ptrdiff_t>(lead), self.shape.end());
  call.fold(Fold::min, call.out(1), window, [&](const Subscripts& at, const Subscripts& inner) {
    Subscripts place = at;
    const std::vector<Value> tests = element(place, inner);
    Subscript number = 0;
    for (std::size_t dim = 0; dim < inside.size(); ++dim) number = number * inside[dim] + place[lead + dim];
    // Some element reaches the maximum, so that what stands for the others never comes out.
    const Value none = graph::count(inside) - 1;
    const Value found = select(self.exactly(place) == largest.exactly(at), number, none);
    return tests.empty() ? found : select(all_of(tests), found, none);
  });
}

void max_pool(const CallLowering& call) {
  const Tensor self = call.in("self");
  if (!is_float(self.dtype)) call.unsupported("max pooling of integers is not supported");
  const Windows windows = pooling_windows(call);
  const Tensor out = call.wanted(0) ? call.out() : call.temporary(self.dtype, call.output_type(0).shape);
  const Tensor source = surrounded(call, self, out.shape, windows, -infinity());
  call.fold(Fold::max, out, windows.kernel,
            [&](const Subscripts& at, const Subscripts& inner) { return window_element(source, windows, at, inner); });
  if (call.outputs() == 1 || !call.wanted(1)) return;
  const std::size_t lead = self.shape.size() - windows.rank();
  find_places(call, self, out, windows.kernel, [&](Subscripts& place, const Subscripts& inner) {
    std::vector<Value> tests;
    for (std::size_t dim = 0; dim < windows.rank(); ++dim) {
      Subscript& one = place[lead + dim];
      one = one * windows.stride[dim] + inner[dim] * windows.dilation[dim] - windows.before[dim];
      if (source.name != self.name) tests.push_back(between(0, one, self.shape[lead + dim]));
    }
    return tests;
  });
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

void avg_pool(const CallLowering& call) {
  const Tensor self = call.in("self");
  const Windows windows = pooling_windows(call);
  const Tensor out = call.out();
  const bool include = call.flag("count_include_pad");
  const bool overridden = call.op().schema.find("divisor_override") && call.has("divisor_override");
  const Tensor source = surrounded(call, self, out.shape, windows, 0);
  const Tensor sum = call.temporary(out.dtype, out.shape);
  call.fold(Fold::sum, sum, windows.kernel,
            [&](const Subscripts& at, const Subscripts& inner) { return window_element(source, windows, at, inner); });
  const std::size_t first = self.shape.size() - windows.rank();
  call.map(out, [&](const Subscripts& at) {
    if (overridden) return sum.exactly(at) / call.integer("divisor_override");
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

void adaptive(const CallLowering& call, Fold how, const Tensor& target, const Adaptive& windows, const Value& neutral) {
  const Tensor self = call.in("self");
  const std::size_t lead = self.shape.size() - windows.extent.size();
  call.fold(how, target, windows.longest, [&](const Subscripts& at, const Subscripts& inner) {
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

void adaptive_avg(const CallLowering& call) {
  const Tensor self = call.in("self");
  const Tensor out = call.out();
  const Adaptive windows(self.shape, call.integers("output_size"));
  const std::size_t lead = self.shape.size() - windows.extent.size();
  if (windows.all_one()) {
    Division division{std::vector<bool>(self.shape.size(), true), self.shape};
    std::fill_n(division.reduced.begin(), lead, false);
    return mean_dimensions(call, out, division, [&](const Subscripts& at) { return self.exactly(at); });
  }
  const Tensor sum = call.temporary(out.dtype, out.shape);
  adaptive(call, Fold::sum, sum, windows, 0);
  call.map(out, [&](const Subscripts& at) {
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

void adaptive_max(const CallLowering& call) {
  const Tensor self = call.in("self");
  const Adaptive windows(self.shape, call.integers("output_size"));
  const Tensor out = call.wanted(0) ? call.out() : call.temporary(self.dtype, call.output_type(0).shape);
  adaptive(call, Fold::max, out, windows, -infinity());
  if (!call.wanted(1)) return;
  const std::size_t lead = self.shape.size() - windows.extent.size();
  find_places(call, self, out, windows.longest, [&](Subscripts& place, const Subscripts& inner) {
    std::vector<Value> tests;
    for (std::size_t dim = 0; dim < windows.extent.size(); ++dim) {
      const Subscript end = windows.end(dim, place[lead + dim]);
      place[lead + dim] = windows.first(dim, place[lead + dim]) + inner[dim];
      if (!windows.regular(dim)) tests.push_back(Value(place[lead + dim]) < end);
    }
    return tests;
  });
}

constexpr std::array kRows = {
    LoweringRow{"aten.max_pool1d.default", max_pool},
    LoweringRow{"aten.max_pool2d.default", max_pool},
    LoweringRow{"aten.max_pool3d.default", max_pool},
    LoweringRow{"aten.max_pool1d_with_indices.default", max_pool},
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
};

}  // namespace

std::span<const LoweringRow> pooling_lowerings() { return kRows; }

}  // namespace steptp::frontend
