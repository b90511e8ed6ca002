#include "steptp/verify/precision_way.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace steptp {

Width narrower(const Width& a, const Width& b) {
  return {std::min(a.precision, b.precision), std::min(a.exponent, b.exponent)};
}
Width wider(const Width& a, const Width& b) {
  return {std::max(a.precision, b.precision), std::max(a.exponent, b.exponent)};
}

Width width_of(DType dtype) {
  const DTypeInfo& type = info(dtype);
  if (is_float(dtype)) return {type.precision, type.max_exponent};
  return {type.precision, type.precision};
}

bool Way::is_computed() const {
  return std::any_of(computed.begin(), computed.end(), [](const Width& one) { return one.is_limited(); });
}

Width Way::held() const {
  if (stored.is_limited()) return stored;
  Width all;
  for (const Width& one : computed) all = narrower(all, one);
  return all.is_limited() ? all : own;
}

Width Way::widest_held() const {
  Width all{0, 0};
  for (const Width& one : widest) all = wider(all, one);
  if (stored.is_limited()) all = wider(all, stored);
  return all == Width{0, 0} ? held() : all;
}

Width width_of(double value) {
  if (value == 0 || !std::isfinite(value)) return {1, 1};
  int exponent = 0;
  const double fraction = std::fabs(std::frexp(value, &exponent));
  const auto mantissa = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
  return {53 - std::countr_zero(mantissa), std::max(1, std::abs(exponent - 1))};
}

Width width_of(const Interval& range) {
  const Wide most = std::max(range.high, -range.low);
  if (most > (Wide{1} << 62)) return width_of(DType::i64);
  const auto bits_of = [](Wide value) {
    return std::max(1, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(value))));
  };
  return {bits_of(std::max<Wide>(most - 1, 1)), bits_of(most)};
}

Width width_of(const Variable& variable) {
  const Width all = width_of(variable.dtype);
  if (is_float(variable.dtype) || variable.domain.kind != Domain::Kind::range) return all;
  const double most = std::max(std::fabs(variable.domain.low), std::ceil(variable.domain.high) - 1);
  return most < 0x1p62 ? narrower(all, width_of(Interval{0, static_cast<std::int64_t>(most)})) : all;
}

void settle(Way& way) {
  if (!way.pending.is_limited()) return;
  if (way.pending_lost) {
    way.lost = narrower(way.lost, way.pending);
  } else {
    Width& kept = (way.is_leading ? way.kept_first : way.kept)[static_cast<std::size_t>(way.last)];
    kept = narrower(kept, way.pending);
  }
  way.stored = narrower(way.stored, way.pending);
  way.pending = {};
}

void operate(Way& way, Rounding rounding, DType dtype) {
  if (way.is_over()) return;
  settle(way);
  if (!is_float(dtype)) {
    way.is_exact = true;
    way.own = width_of(dtype);
    return;
  }
  Width& computed = way.computed[static_cast<std::size_t>(rounding)];
  computed = narrower(computed, width_of(dtype));
  if (!way.first.is_limited()) way.first = width_of(dtype);
  way.is_leading = way.is_leading && way.first.holds(width_of(dtype));
  if (way.is_leading) way.leading[static_cast<std::size_t>(rounding)] = way.first;
  Width& widest = way.widest[static_cast<std::size_t>(rounding)];
  widest = wider(widest, width_of(dtype));
  way.is_exact = false;
  way.own = width_of(dtype);
  way.last = rounding;
}

void convert(Way& way, DType dtype) {
  if (way.is_over() || !is_float(dtype) || width_of(dtype).holds(way.own)) return;
  operate(way, Rounding::conversion, dtype);
}

void decide(Way& way) {
  if (way.is_over()) return;
  settle(way);
  way.decides = true;
}

void store(Way& way, DType dtype) {
  if (way.is_over()) return;
  const Width width = width_of(dtype);
  if (!is_float(dtype)) {
    settle(way);
    const bool was_exact = std::exchange(way.is_exact, true);
    // Conversion to bool is a comparison with zero, which what was held before decides.
    way.decides = dtype == DType::boolean;
    // What was held exactly, and is held here too, has no more digits than before.
    if (!way.decides && !(was_exact && width.holds(way.own))) way.own = width;
    return;
  }
  const bool is_lost = !width.holds(way.own);
  if (way.is_exact && !is_lost) return;
  settle(way);
  way.pending = width;
  way.pending_lost = is_lost;
  way.is_exact = true;
  way.own = width;
}

}  // namespace steptp
