#include "replay/trail.h"

#include <algorithm>
#include <bit>

namespace steptp::replayer {

void Width::meet(const Width& other) {
  digits = std::min(digits, other.digits);
  exponent = std::min(exponent, other.exponent);
}

Width width_of(DType dtype) {
  switch (dtype) {
    case DType::f64: return {53, 1023};
    case DType::f32: return {24, 127};
    case DType::f16: return {11, 15};
    case DType::bf16: return {8, 127};
    case DType::i64:
    case DType::i32:
    case DType::i16:
    case DType::i8:
    case DType::u8:
    case DType::boolean: break;
  }
  const auto bits = static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(info(dtype).greatest)));
  return {bits, bits};
}

Width Trail::held() const {
  if (stored.is_type()) return stored;
  Width all;
  for (const Width& one : computed) all.meet(one);
  return all.is_type() ? all : now;
}

void Trail::wake() {
  if (!resting.is_type()) return;
  (rests_lossily ? lossy : kept[static_cast<std::size_t>(last)]).meet(resting);
  stored.meet(resting);
  resting = {};
}

void compute(Trail& trail, OperationKind step, DType dtype) {
  if (trail.is_over()) return;
  trail.wake();
  trail.now = width_of(dtype);
  trail.is_exact = !is_float(dtype);
  if (trail.is_exact) return;
  if (!trail.first.is_type()) trail.first = trail.now;
  trail.is_early = trail.is_early && trail.first.holds(trail.now);
  if (trail.is_early) trail.early[static_cast<std::size_t>(step)] = trail.first;
  trail.computed[static_cast<std::size_t>(step)].meet(trail.now);
  trail.last = step;
}

void decide(Trail& trail) {
  if (trail.is_over()) return;
  trail.wake();
  trail.decides = true;
}

void put(Trail& trail, DType dtype) {
  if (trail.is_over()) return;
  const Width type = width_of(dtype);
  if (dtype == DType::boolean) return decide(trail);
  const bool is_held = type.holds(trail.now);
  if (is_float(dtype)) {
    if (trail.is_exact && is_held) return;
    trail.wake();
    trail.resting = type;
    trail.rests_lossily = !is_held;
    trail.now = type;
  } else {
    trail.wake();
    if (!trail.is_exact || !is_held) trail.now = type;
  }
  trail.is_exact = true;
}

}  // namespace steptp::replayer
