#pragma once

// Slips: mistakes that one makes while applying a strategy, and what one thinks while making them.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/random.h"
#include "steptp/exports/slip_edits.h"
#include "steptp/reasoning/trace.h"

namespace steptp::dataset {

/// One kind of slip.
struct Slip {
  std::string_view change;    ///< "a guard is left out": a column of near_miss
  std::string_view thoughts;  ///< ways to think it, with bars between them; {wrong} is what comes of it and
                              ///< {gone} a tensor that is made no more
  Edits (*edits)(const EditInput&) = nullptr;
  bool moves = false;  ///< expressions change places or go: addresses of the result lead elsewhere in the wrong program
};

/// Those that somebody makes who applies this strategy, the likeliest first.
[[nodiscard]] std::vector<const Slip*> slips_of(std::string_view strategy);

/// The reasoning of a step with the slip in it: where the result is first spoken of it says the thought that went
/// wrong, and what it quotes of the result from there on is the wrong program's. Sentences about parts that the wrong
/// program does not have are left out, and so are the numbers of what the step saves and costs where the wrong program
/// has others; of one that is not valid nothing is counted.
[[nodiscard]] std::string slipped_reasoning(const Trace& right, const Program& before, const Program& after,
                                            const Edited& wrong, const Slip& slip, bool is_valid, Random& random);

}  // namespace steptp::dataset
