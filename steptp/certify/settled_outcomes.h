#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <tuple>

#include "steptp/machine/trace.h"

namespace steptp::certify {

/// Outcomes of branches that were shown not to exist, so that nobody has to see them.
class SettledOutcomes {
 public:
  void add(bool in_before, std::uint32_t branch, bool outcome) { known_.insert({in_before, branch, outcome}); }
  [[nodiscard]] bool contains(bool in_before, std::uint32_t branch, bool outcome) const {
    return known_.contains({in_before, branch, outcome});
  }
  /// The steps of a trace without the comparisons whose other outcome does not exist, and without ties: what ties has
  /// no identity.
  [[nodiscard]] Trace open_steps(const Trace& trace, bool in_before) const {
    Trace out;
    std::copy_if(trace.begin(), trace.end(), std::back_inserter(out), [&](const TraceStep& step) {
      return !(step.is_tie() && step.identity == 0) && !contains(in_before, step.branch, !step.outcome);
    });
    return out;
  }

 private:
  std::set<std::tuple<bool, std::uint32_t, bool>> known_;
};

}  // namespace steptp::certify
