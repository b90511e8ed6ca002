#pragma once

// The enemy of `safe`: pairs that are equal as real functions, where `after` overflows or loses digits in a large part
// of the logarithmic range of at most three inputs.

#include <map>

#include "testing/attack_terms.h"
#include "testing/attacker.h"

namespace steptp::testing {

struct SafeAttack {
  std::string name;
  Program before;
  Program after;
  double bad = 0;  ///< the part of the points, evenly drawn on a logarithmic scale, at which `after` is bad
};
/// Nothing where fewer than one point in 64 is bad.
[[nodiscard]] std::optional<SafeAttack> make_safe_attack(Random& random);
/// Bad in a box of one to three inputs only, and the box is hard to see (safe_boxes.cpp).
[[nodiscard]] std::optional<SafeAttack> make_safe_box(Random& random);
using SafeAttackMaker = std::optional<SafeAttack> (*)(Random& random);
/// Of points that are evenly drawn on a logarithmic scale; `rounds` as in safety_at.
[[nodiscard]] double part_that_is_bad(const Term& before, const Term& after, DType dtype, Random& random,
                                      std::int64_t rounds = 1);

struct SafeCounts {
  std::uint64_t made = 0;
  std::uint64_t equal = 0;      ///< proved or exact: only then `safe` is asked
  std::uint64_t by_proof = 0;   ///< called safe by proof: a bug
  std::uint64_t by_search = 0;  ///< called safe by search: missed
  std::uint64_t found = 0;
  std::uint64_t unknown = 0;
};
/// By name of the pair. `seen` gets the answer of the judge as JSON.
[[nodiscard]] std::map<std::string, SafeCounts> attack_safe(
    SafeAttackMaker maker, std::uint64_t seed, std::uint64_t count,
    const std::function<void(const SafeAttack&, const Json&)>& seen = {});
[[nodiscard]] SafeCounts sum_of(const std::map<std::string, SafeCounts>& counts);
[[nodiscard]] std::string to_table(const std::map<std::string, SafeCounts>& counts);
[[nodiscard]] Json to_json(const SafeAttack& attack, const Json& answer);

}  // namespace steptp::testing
