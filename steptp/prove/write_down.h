#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "steptp/prove/cells.h"
#include "steptp/prove/flow.h"
#include "steptp/prove/record.h"

namespace steptp::forms {

/// What was just shown, and by which value numbers.
struct ProofSource {
  Shared& shared;
  Flow& before;
  Flow& after;
  const std::map<std::uint32_t, std::pair<std::vector<std::int64_t>, Value>>& numbers;  ///< shape and form of each
  const Numbering& left;
  const Numbering& right;
  const std::set<Need>& needs;
};

/// Writes down a proof by normal forms: the outputs, and every value number that they are made of.
[[nodiscard]] ProofRecord write_down(const ProofSource& shown);
/// Likewise what was shown cell by cell: the cover of each output, in the order of the signature.
[[nodiscard]] ProofRecord write_down(const ProofSource& shown, const std::vector<std::vector<Cell>>& covers);

}  // namespace steptp::forms
