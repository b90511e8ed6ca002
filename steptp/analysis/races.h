#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "steptp/analysis/concurrency.h"
#include "steptp/analysis/value_facts.h"

namespace steptp {

/// Two accesses to one element, at least one of them a write, that run at the same time (docs/language.md R10).
struct Race {
  enum class Kind : std::uint8_t {
    certain,
    possible,   ///< it could not be shown that there is none
    redundant,  ///< one equation that writes the same in every iteration: allowed
  };
  Kind kind = Kind::certain;
  const Access* write = nullptr;
  const Access* other = nullptr;
  Concurrency way;
  std::vector<std::int64_t> point;  ///< certain: the values of the loops of both, first those of `write`
  std::string_view why;             ///< possible: what was not known
  std::size_t position = 0;         ///< redundant: the loop, by its position
};

struct RaceOptions {
  std::optional<std::uint32_t> expression;  ///< only inside this top-level nest
  bool only_one = false;                    ///< stop at the first that is not allowed
};

/// No two iterations of a P or V loop, no two threads of a block without a barrier between, and no two blocks of a
/// launch may touch one element that one of them writes; parallel reductions and collectives are not listed. One entry
/// for a tensor and a loop, or the threads or blocks of a kernel.
[[nodiscard]] std::vector<Race> find_races(const AccessTable& table, const ValueFacts& facts,
                                           const RaceOptions& options = {});

}  // namespace steptp
