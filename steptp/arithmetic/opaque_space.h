#pragma once

#include <cstdint>
#include <map>
#include <unordered_set>
#include <vector>

#include "steptp/arithmetic/decimal.h"
#include "steptp/arithmetic/extremum_sets.h"
#include "steptp/arithmetic/twin_field.h"

namespace steptp::certify {

/// The numbers that stand in a program.
struct WrittenNumbers {
  std::vector<Decimal> decimals;
  std::vector<std::int64_t> integers;
};

/// What two programs share that are evaluated without knowing which way their comparisons go (opaque_arithmetic.h): the
/// primes, the differences that have been compared with zero, the sets of which maxima were taken.
class OpaqueSpace {
 public:
  OpaqueSpace(std::uint64_t seed, const WrittenNumbers& before, const WrittenNumbers& after);

  bool poles_are_hazards = false;  ///< zeros of divisors matter although they are a set of measure zero

  /// A difference as a multiple of one that stands for it: d = factor * base. Which sign d has, is what sign base has.
  struct Difference {
    bool is_positive = true;  ///< the factor
    Twin above;               ///< the unknown that is 1 where base > 0 and 0 elsewhere
    Twin zero;                ///< the same for base = 0
  };
  /// `d` is not zero.
  [[nodiscard]] Difference difference(Twin d);
  /// The sign of the number k among the constants of both programs with w = k*d; 0 where there is none.
  [[nodiscard]] int sign_of_ratio(Twin w, Twin d) const;

  /// Sets of places at which a function leaves its domain, by number; 0 is the empty one.
  [[nodiscard]] std::uint32_t hazard(std::uint64_t place);
  [[nodiscard]] std::uint32_t united_hazards(std::uint32_t a, std::uint32_t b);
  [[nodiscard]] bool includes_hazards(std::uint32_t all, std::uint32_t some) const;
  /// The same for equal sets; 0 for the empty one.
  [[nodiscard]] std::uint64_t hash_of_hazards(std::uint32_t set) const;

  TwinField field;
  ExtremumSets sets;

 private:
  struct Constant {
    Twin value;
    Twin inverse;
    bool is_positive = true;
  };
  void add_constant(Twin value, bool is_positive);
  void add_constants(const WrittenNumbers& numbers);

  std::vector<Constant> constants_;           ///< 1 and -1 first
  std::unordered_set<std::uint64_t> bases_;   ///< residues
  using Places = std::vector<std::uint64_t>;  ///< sorted
  [[nodiscard]] std::uint32_t number_of(Places places);
  std::map<Places, std::uint32_t> hazard_numbers_;
  std::vector<const Places*> hazards_;  ///< by number
};

}  // namespace steptp::certify
