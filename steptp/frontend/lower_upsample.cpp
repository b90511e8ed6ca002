#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "steptp/frontend/lowering_table.h"

namespace steptp::frontend {

namespace {

/// No table of places is made for more elements than this.
constexpr std::int64_t kLongest = std::int64_t{1} << 20;

Tensor upsampled_input(const CallLowering& call) { return call.in(call.op().schema.find("input") ? "input" : "self"); }

/// The scale factor of each dimension that PyTorch computes with, where it is not the quotient of the sizes: one that
/// gives no whole number of elements. Without factors, and where both say the same, the sizes decide.
std::vector<std::optional<double>> odd_factors(const CallLowering& call, const Shape& from, const Shape& to) {
  std::vector<std::optional<double>> out(from.size() - 2);
  std::vector<double> listed;
  for (const std::string_view name : {"scales", "scales_d", "scales_h", "scales_w"}) {
    if (call.op().schema.find(name) && call.has(name)) listed.push_back(call.real(name));
  }
  const std::vector<double>* factors = listed.size() == out.size() ? &listed : nullptr;
  if (call.op().schema.find("scale_factors") && !call.has("output_size")) {
    factors = std::get_if<std::vector<double>>(&call.argument("scale_factors"));
  }
  for (std::size_t dim = 0; factors && dim < out.size(); ++dim) {
    const double factor = (*factors)[dim];
    if (!(factor > 0) || to[2 + dim] > kLongest) call.unsupported("this scale factor is not supported");
    if (static_cast<double>(from[2 + dim]) * factor != static_cast<double>(to[2 + dim])) out[dim] = factor;
  }
  return out;
}

struct Fraction {
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;
};

bool operator<(const Fraction& left, const Fraction& right) {
  return left.numerator * right.denominator < right.numerator * left.denominator;
}

/// A fraction f, with the least denominator there is, such that the element n of `places` is
/// floor((2n+odd)*f/2 - shift/2): then the place is a subscript. Places that are negative stand before the first
/// element, and may be any negative number.
Fraction fraction_for(const CallLowering& call, const std::vector<std::int64_t>& places, int odd, int shift) {
  Fraction low{0, 1};
  Fraction high{std::numeric_limits<std::int32_t>::max(), 1};
  for (std::size_t n = 0; n < places.size(); ++n) {
    const std::int64_t factor = 2 * static_cast<std::int64_t>(n) + odd;
    if (factor == 0) continue;
    const Fraction least{2 * places[n] + shift, factor};
    const Fraction above{2 * std::max<std::int64_t>(places[n], -1) + shift + 2, factor};
    if (places[n] >= 0 && low < least) low = least;
    if (above < high) high = above;
  }
  // The lower bound itself is one, with a denominator of at most twice the number of places.
  for (std::int64_t denominator = 1; low < high && denominator <= low.denominator; ++denominator) {
    const std::int64_t numerator = (low.numerator * denominator + low.denominator - 1) / low.denominator;
    const Fraction next{numerator, denominator};
    if (numerator > 0 && next < high) return next;
  }
  call.unsupported("PyTorch's places for this scale factor are not a line");
}

/// The places that PyTorch computes, in f32 whatever the dtype of the tensor is. Odd: 1 for the middle of an element.
std::vector<std::int64_t> nearest_places(std::int64_t from, std::int64_t to, std::optional<double> factor, int odd) {
  const float scale = factor ? static_cast<float>(1.0 / *factor) : static_cast<float>(from) / static_cast<float>(to);
  std::vector<std::int64_t> out;
  for (std::int64_t n = 0; n < to; ++n) {
    const float position = (static_cast<float>(n) + static_cast<float>(odd) / 2) * scale;
    out.push_back(std::min(static_cast<std::int64_t>(std::floor(position)), from - 1));
  }
  return out;
}

/// A fraction that gives the places of one dimension: that of the sizes, where it does.
Fraction nearest_fraction(const CallLowering& call, std::int64_t from, std::int64_t to, std::optional<double> factor,
                          int odd) {
  if (to > kLongest && !factor) return {from, to};
  const std::vector<std::int64_t> places = nearest_places(from, to, factor, odd);
  bool plain = true;
  for (std::int64_t n = 0; n < to; ++n) {
    plain = plain && places[static_cast<std::size_t>(n)] == (2 * n + odd) * from / (2 * to);
  }
  return plain ? Fraction{from, to} : fraction_for(call, places, odd, 0);
}

template <int Odd>
void upsample_nearest(const CallLowering& call) {
  const Tensor input = upsampled_input(call);
  const Tensor out = call.out();
  const std::vector<std::optional<double>> factors = odd_factors(call, input.shape, out.shape);
  std::vector<Fraction> fractions(out.shape.size());
  for (std::size_t dim = 2; dim < out.shape.size(); ++dim)
    fractions[dim] = nearest_fraction(call, input.shape[dim], out.shape[dim], factors[dim - 2], Odd);
  call.map(out, [&](const Subscripts& at) {
    Subscripts place = at;
    for (std::size_t dim = 2; dim < at.size(); ++dim) {
      const auto [from, to] = fractions[dim];
      if (to % from == 0) {
        place[dim] = at[dim] / (to / from);
      } else if (Odd == 0) {
        place[dim] = (at[dim] * from) / to;
      } else {
        place[dim] = (at[dim] * (2 * from) + from) / (2 * to);
      }
    }
    return input.exactly(place);
  });
}

/// Where an element of the result lies in the source: the element before it, and how far behind that one it is.
struct Position {
  Subscript left;
  Value rest;
};

class Positions {
 public:
  Positions(const CallLowering& call, std::int64_t from, std::int64_t to, bool align, std::optional<double> factor)
      : from_(from), to_(to), align_(align) {
    if (align || !factor) return;
    scale_ = 1.0 / *factor;
    std::vector<std::int64_t> places;
    for (std::int64_t n = 0; n < to; ++n)
      places.push_back(static_cast<std::int64_t>(std::floor(*scale_ * (static_cast<double>(n) + 0.5) - 0.5)));
    fraction_ = fraction_for(call, places, 1, 1);
  }

  [[nodiscard]] Position at(const Subscript& at) const {
    if (scale_) {
      const Subscript left = (at * (2 * fraction_.numerator) + (fraction_.numerator - fraction_.denominator)) /
                             (2 * fraction_.denominator);
      return {left, Value(at) * decimal(*scale_) + decimal(*scale_ / 2 - 0.5) - left};
    }
    const std::int64_t divisor = align_ ? std::max<std::int64_t>(to_ - 1, 1) : 2 * to_;
    const Subscript position = align_ ? at * (from_ - 1) : at * (2 * from_) + (from_ - to_);
    return {position / divisor, Value(position % divisor) / decimal(static_cast<double>(divisor))};
  }

 private:
  std::int64_t from_;
  std::int64_t to_;
  bool align_;
  std::optional<double> scale_;
  Fraction fraction_;
};

/// One dimension of an interpolation; at the borders the outermost element stands for its neighbours.
using Interpolate = Value (*)(const std::function<Value(const Subscript&)>& element, const Position& position,
                              std::int64_t extent);

Value linear(const std::function<Value(const Subscript&)>& element, const Position& position, std::int64_t extent) {
  const Subscript& left = position.left;
  const Value first = select(Value(left) < 0, element(0), element(left));
  const Value second = select(Value(left + 1) < extent, element(left + 1), element(extent - 1));
  return first + position.rest * (second - first);
}

/// Cubic convolution with the coefficient -0.75, over four neighbours.
Value cubic(const std::function<Value(const Subscript&)>& element, const Position& position, std::int64_t extent) {
  const auto neighbour = [&](std::int64_t offset) {
    const Subscript place = position.left + offset;
    const Value inside = select(Value(place) < extent, element(place), element(extent - 1));
    return select(Value(place) < 0, element(0), inside);
  };
  const Value t = position.rest;
  const auto near = [](const Value& x) { return (decimal(1.25) * x - decimal(2.25)) * x * x + 1; };
  const auto far = [](const Value& x) {
    return ((decimal(-0.75) * x + decimal(3.75)) * x - decimal(6.0)) * x + decimal(3.0);
  };
  return far(t + 1) * neighbour(-1) + near(t) * neighbour(0) + near(Value(1) - t) * neighbour(1) +
         far(Value(2) - t) * neighbour(2);
}

template <Interpolate How>
void upsample(const CallLowering& call) {
  Tensor source = upsampled_input(call);
  const Tensor out = call.out();
  const std::vector<std::optional<double>> factors = odd_factors(call, source.shape, out.shape);
  for (std::size_t dim = 2; dim < out.shape.size(); ++dim) {
    const std::int64_t extent = source.shape[dim];
    const Positions positions(call, extent, out.shape[dim], call.flag("align_corners"), factors[dim - 2]);
    Shape shape = source.shape;
    shape[dim] = out.shape[dim];
    const Tensor next = dim + 1 == out.shape.size() ? out : call.temporary(out.dtype, shape);
    call.map(next, [&](const Subscripts& at) {
      const auto element = [&](const Subscript& place) {
        Subscripts where = at;
        where[dim] = place;
        return source.exactly(where);
      };
      return How(element, positions.at(at[dim]), extent);
    });
    source = next;
  }
}

constexpr std::array kRows = {
    LoweringRow{"aten.upsample_nearest1d.vec", upsample_nearest<0>},
    LoweringRow{"aten.upsample_nearest2d.vec", upsample_nearest<0>},
    LoweringRow{"aten.upsample_nearest3d.vec", upsample_nearest<0>},
    LoweringRow{"aten.upsample_nearest1d.default", upsample_nearest<0>},
    LoweringRow{"aten.upsample_nearest2d.default", upsample_nearest<0>},
    LoweringRow{"aten._upsample_nearest_exact1d.vec", upsample_nearest<1>},
    LoweringRow{"aten._upsample_nearest_exact2d.vec", upsample_nearest<1>},
    LoweringRow{"aten._upsample_nearest_exact3d.vec", upsample_nearest<1>},
    LoweringRow{"aten.upsample_linear1d.vec", upsample<linear>},
    LoweringRow{"aten.upsample_bilinear2d.default", upsample<linear>},
    LoweringRow{"aten.upsample_bilinear2d.vec", upsample<linear>},
    LoweringRow{"aten.upsample_trilinear3d.vec", upsample<linear>},
    LoweringRow{"aten.upsample_bicubic2d.vec", upsample<cubic>},
    LoweringRow{"aten.upsample_nearest3d.default", upsample_nearest<0>},
    LoweringRow{"aten._upsample_nearest_exact1d.default", upsample_nearest<1>},
    LoweringRow{"aten._upsample_nearest_exact2d.default", upsample_nearest<1>},
    LoweringRow{"aten._upsample_nearest_exact3d.default", upsample_nearest<1>},
    LoweringRow{"aten.upsample_linear1d.default", upsample<linear>},
    LoweringRow{"aten.upsample_trilinear3d.default", upsample<linear>},
    LoweringRow{"aten.upsample_bicubic2d.default", upsample<cubic>},
};

}  // namespace

std::span<const LoweringRow> upsample_lowerings() { return kRows; }

}  // namespace steptp::frontend
