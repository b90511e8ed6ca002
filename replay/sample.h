#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "replay/draws.h"
#include "replay/form_value.h"

namespace steptp::replayer {

/// Inputs of one draw, as forms and as programs read them.
struct Sample {
  /// `bits`: of a second reckoning, see Numbers.
  Sample(const Certificate& certificate, Kind kind, std::uint64_t seed, long bits);
  Sample(const Sample&) = delete;
  Sample& operator=(const Sample&) = delete;

  Numbers numbers;
  Draws draws;
  Leaves leaves;
  Sources sources;
  Uniform uniform;
};

}  // namespace steptp::replayer
