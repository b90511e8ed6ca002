#pragma once

// Plans for a program that a model writes without measuring, for `optimize` and `search`.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "steptp/cursor/cursor.h"
#include "steptp/tlm/weights.h"

namespace steptp::tlm {

struct ProposeRequest {
  std::size_t count = 64;  ///< sentences that the model writes
  std::uint64_t seed = 1;
};

/// A plan that a model wrote.
struct ProposedPlan {
  cursor::Cursor cursor;        ///< complete
  double log_probability = 0;   ///< of the sentence, by the model
  double expected_seconds = 0;  ///< by the analytic model; infinite where it says nothing
};

/// Different plans, those first that the analytic model expects to be fastest; of equals the likelier one. The error
/// says why the program has no plans, or why the weights do not fit.
[[nodiscard]] Result<std::vector<ProposedPlan>, std::string> propose_plans(
    const Program& program, const cursor::Target& target, const std::shared_ptr<const Weights>& weights,
    const ProposeRequest& request);

}  // namespace steptp::tlm
