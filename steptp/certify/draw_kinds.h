#pragma once

#include <cstdint>

#include "steptp/certify/judged_pair.h"

namespace steptp::certify {

/// Whether a kind of draw is worth trying. Analytic functions that agree at generic points agree everywhere; only what
/// depends on order, on integers, or may be undefined asks for special points. `asks_order`: it matters which way
/// comparisons of reals go (ShownWays).
[[nodiscard]] bool is_wanted(DrawKind kind, const JudgedPair& pair, bool asks_order);

/// How many seeds of a kind are tried at most. A draw of thresholds meets one threshold exactly at one element in some
/// twenty, so it takes many to meet them all.
[[nodiscard]] std::uint64_t seeds_of(DrawKind kind, const InputModel& model);

/// So many generic draws, at least. A few integers coincide often: A_{C_{0}} and A_{C_{1}} are the same element in
/// every other draw where C has two values, and the bound of the field knows nothing of it.
[[nodiscard]] std::uint32_t least_trials(const JudgedPair& pair);

}  // namespace steptp::certify
