#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "steptp/prove/room.h"

namespace steptp::forms {

/// Which values a maximum is the greatest of: where the maximum is -inf, they are -inf too.
class Maxima : private Room {
 public:
  explicit Maxima(Arena& arena) : Room(arena) {}

  /// Never inf; it may be -inf.
  [[nodiscard]] bool is_below_infinity(PolynomialId id) const;
  /// The greatest of many values, none of them inf or NaN; it may be -inf.
  [[nodiscard]] bool is_maximum(GeneratorId id) const;
  /// Where the maximum is -inf, so is the value: it is taken in, or it is a maximum of what is.
  [[nodiscard]] bool is_below(PolynomialId value, GeneratorId maximum);
  /// Where the maximum is -inf, the value is 0: every summand has a factor exp(x+...) with an x that is taken in.
  [[nodiscard]] bool vanishes_with(PolynomialId value, GeneratorId maximum);

 private:
  struct Reading {
    std::pair<Generator::Kind, std::uint32_t> tensor;
    std::vector<AffineId> subscripts;
  };
  [[nodiscard]] bool generator_is_below_infinity(GeneratorId id) const;
  /// The terms that may be infinite.
  [[nodiscard]] Polynomial infinite_terms(PolynomialId id) const;
  [[nodiscard]] bool takes_in(GeneratorId maximum, PolynomialId value);
  [[nodiscard]] bool takes_in_at(GeneratorId maximum, const Substitution& place, PolynomialId value);
  [[nodiscard]] std::vector<Reading> readings(PolynomialId id);
  void solve_subscript(const Affine& pattern, const Affine& target, const std::function<bool(VariableId)>& is_own,
                       Substitution& place);
  [[nodiscard]] bool factor_vanishes_with(GeneratorId factor, GeneratorId maximum);
};

}  // namespace steptp::forms
