#pragma once

#include <string>

#include "steptp/certify/certify.h"
#include "steptp/ir/program.h"

namespace steptp {

struct ReplayAnswer {
  bool reproduced = false;  ///< the programs differ there, with the very values that the counterexample gives
  bool unusable = false;    ///< the two programs cannot be compared at all
  std::string before;
  std::string after;
  std::string reason;  ///< what is not as the counterexample says
};

/// Confirms a counterexample: both programs at its draw, its seed and its element.
[[nodiscard]] ReplayAnswer replay(const Program& before, const Program& after, const certify::Counterexample& example);

}  // namespace steptp
