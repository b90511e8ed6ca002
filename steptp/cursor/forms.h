#pragma once

// Lists of choices, by kind, before anybody has tried them.

#include <string>
#include <vector>

#include "steptp/planner/proposals.h"

namespace steptp::cursor {

/// A choice, and a name that is equal for those that strategies treat alike.
struct Candidate {
  Values values;
  std::vector<PlannedMove> moves;
  std::string alike;
  std::size_t kernels = 0;  ///< that all of the run has to become; 0: any number
};

struct CandidateList {
  std::string_view kind;
  std::vector<std::string_view> parameters;
  std::vector<Candidate> candidates;
};

/// The lists that have candidates, but for what stays as it is and for tiles. The program is the run's section, of so
/// many expressions.
[[nodiscard]] std::vector<CandidateList> candidates_of(View& section, std::uint32_t count,
                                                       const std::vector<Proposal>& proposals,
                                                       const PlanTarget& target);

}  // namespace steptp::cursor
