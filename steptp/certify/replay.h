#pragma once

#include <string>

#include "steptp/certify/certify.h"

namespace steptp::certify {

/// What the two programs give at the input and the element of a counterexample.
struct Replayed {
  bool differs = false;  ///< also where only `after` has no value
  std::string before;
  std::string after;
  std::string reason;
};

/// Evaluates both programs once more at one element, with the draw and the seed that the counterexample names and
/// nothing else of the search that found it. The programs have one signature and have passed the structural checks.
[[nodiscard]] Replayed replay(const Program& before, const Program& after, const Counterexample& example,
                              const CertifyOptions& options = {});

}  // namespace steptp::certify
