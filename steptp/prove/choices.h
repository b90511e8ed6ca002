#pragma once

#include <optional>
#include <vector>

#include "steptp/prove/room.h"

namespace steptp::forms {

/// Values that are one of several: by a condition, or as the greatest or least of them.
class Choices : private Room {
 public:
  explicit Choices(Arena& arena) : Room(arena) {}

  [[nodiscard]] PolynomialId select(ConditionId condition, PolynomialId if_true, PolynomialId if_false);
  [[nodiscard]] PolynomialId extremum(bool is_max, const std::vector<PolynomialId>& operands);
  /// The greatest number of which all coefficients are whole multiples.
  [[nodiscard]] mpq_class common_factor(const std::vector<PolynomialId>& polynomials) const;

 private:
  /// The operands of an extremum, as they are collected.
  struct Operands {
    std::vector<PolynomialId> flat;
    std::optional<mpq_class> limit;  ///< the one number that counts
    bool may_be_nan = false;
    bool had_neutral = false;
  };
  void collect(bool is_max, PolynomialId neutral, PolynomialId id, Operands& out);
  [[nodiscard]] bool has_idle_limit(bool is_max, const Operands& operands);
  [[nodiscard]] bool join_two_folds(bool is_max, std::vector<PolynomialId>& operands);
  [[nodiscard]] bool lengthen_fold(bool is_max, std::vector<PolynomialId>& operands);
  [[nodiscard]] std::optional<PolynomialId> joined_choices(ConditionId condition, PolynomialId if_true,
                                                           PolynomialId if_false);
  [[nodiscard]] ConditionId at_an_end(ConditionId condition);
  [[nodiscard]] std::optional<std::vector<PolynomialId>> all_exponents(const std::vector<PolynomialId>& operands);
  [[nodiscard]] std::optional<std::vector<PolynomialId>> all_squares(const std::vector<PolynomialId>& operands);
};

}  // namespace steptp::forms
