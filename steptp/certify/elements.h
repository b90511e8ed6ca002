#pragma once

#include <cstdint>
#include <string>

#include "steptp/certify/certify.h"
#include "steptp/ir/program.h"

namespace steptp::certify {

/// What evaluating every element of every output has shown.
struct ElementsAnswer {
  bool agrees = false;
  std::uint64_t elements = 0;
  double bound_log2 = 0;  ///< the chance of an error, all elements together
  std::string reason;     ///< where not: what stood in the way
  std::uint64_t work = 0;
};

/// Shows two programs equal element by element, each whichever way its comparisons of reals go (every_way.h). Nothing
/// is drawn but the unknowns: programs that read integers or bools, or make integers of reals, are left to others, and
/// so are outputs with too many elements. Domains are those that the signature states.
[[nodiscard]] ElementsAnswer show_every_element(const Program& before, const Program& after,
                                                const CertifyOptions& options);

}  // namespace steptp::certify
