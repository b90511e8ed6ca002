#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "steptp/prove/room.h"

namespace steptp::forms {

/// Folds (sums, products, maxima, minima) over boxes of bound variables. How one fold comes to its normal form is in
/// reducer.h; here are the folds that stand already.
class Reductions : private Room {
 public:
  explicit Reductions(Arena& arena) : Room(arena) {}

  /// The fold of `body` over all values of `variables` (in their ranges) at which the conditions hold.
  [[nodiscard]] PolynomialId reduce(ArithmeticOp op, std::vector<VariableId> variables,
                                    const std::vector<ConditionId>& conditions, PolynomialId body);
  [[nodiscard]] PolynomialId identity(ArithmeticOp op);
  [[nodiscard]] OpenedFold opened(GeneratorId fold);
  /// A fold with another range of one of its variables.
  [[nodiscard]] PolynomialId with_range(GeneratorId fold, std::size_t number,
                                        std::pair<std::int64_t, std::int64_t> range);
  /// The conditions hold at the first or at the last place of all variables, wherever the fold stands.
  [[nodiscard]] bool is_filled(const Generator& fold, std::uint32_t height);

  // ---- folds over neighbouring ranges are one fold (joins.cpp)
  /// Folds of this operator: a maximum of two sums is no sum.
  [[nodiscard]] std::optional<PolynomialId> join_two(ArithmeticOp op, GeneratorId left, GeneratorId right);
  /// A fold that goes one step further on one side, if what it would have there is there.
  [[nodiscard]] std::optional<PolynomialId> longer_by(GeneratorId fold,
                                                      const std::function<bool(PolynomialId)>& is_there);
  [[nodiscard]] PolynomialId join_reductions(PolynomialId sum);

 private:
  /// A variable of an opened fold that goes up to an index outside of it.
  struct Ended {
    std::size_t variable = 0;
    std::size_t condition = 0;  ///< that says so
    Affine end;
  };
  [[nodiscard]] std::vector<Ended> ended_variables(const OpenedFold& fold);
  [[nodiscard]] std::optional<PolynomialId> join_alike(GeneratorId left, GeneratorId right);
  [[nodiscard]] std::optional<PolynomialId> join_behind(GeneratorId first, GeneratorId second);
  [[nodiscard]] bool goes_on(const OpenedFold& a, const Ended& x, const OpenedFold& b, const Ended& y,
                             const Affine& place);
};

}  // namespace steptp::forms
