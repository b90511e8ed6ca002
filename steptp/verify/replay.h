#pragma once

#include <string>

#include "steptp/certify/certify.h"
#include "steptp/certify/unsafe.h"
#include "steptp/ir/program.h"

namespace steptp {

struct ReplayAnswer {
  bool reproduced = false;  ///< the programs differ there, with the very values that the counterexample gives
  bool unusable = false;    ///< the two programs cannot be compared at all
  std::string before;
  std::string after;
  std::string what;    ///< of an unsafe example: what goes wrong in `after`
  std::string reason;  ///< what is not as the counterexample says
};

/// Confirms that `after` is numerically worse than `before` at the inputs of an example, in the words of the example.
[[nodiscard]] ReplayAnswer replay(const Program& before, const Program& after, const certify::UnsafeExample& example);

/// Confirms a counterexample: both programs at its draw, its seed and its element.
[[nodiscard]] ReplayAnswer replay(const Program& before, const Program& after, const certify::Counterexample& example);

}  // namespace steptp
