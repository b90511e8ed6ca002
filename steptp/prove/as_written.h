#pragma once

#include <optional>
#include <vector>

#include "steptp/prove/flow_room.h"

namespace steptp::forms {

/// Values as they are written: every operation of floats is a generator of its own, with the type in which it is
/// rounded.
class WrittenValues : private FlowRoom {
 public:
  explicit WrittenValues(FlowParts& parts) : FlowRoom(parts) {}

  /// A value kept in a float type: itself where the type holds all that it can be.
  [[nodiscard]] PolynomialId kept_in(const TypedValue& value, DType dtype);
  [[nodiscard]] PolynomialId written(ArithmeticOp op, const TypedValue& left, const TypedValue& right, DType dtype);
  [[nodiscard]] PolynomialId written(Function function, const TypedValue& argument, DType dtype);
  /// The summands of one round of an accumulation, each as a term of its type, over all its rounds.
  [[nodiscard]] PolynomialId written_rounds(std::size_t statement, const Piece& piece, ConditionId where);
  /// The value after the only round of a statement, which is no accumulation over rounds but a sum as it is written.
  [[nodiscard]] PolynomialId written_once(std::size_t statement, const Piece& piece, ConditionId where,
                                          std::optional<PolynomialId> earlier);
  /// A factor of a product over many rounds, tied to its round: products are rounded in the order of their factors.
  [[nodiscard]] PolynomialId in_order(PolynomialId factor, std::size_t statement, const Piece& piece);
  [[nodiscard]] PolynomialId as_term(PolynomialId value, DType dtype);
  /// An accumulation of one round is no accumulation, and one of two rounds has one order.
  [[nodiscard]] PolynomialId without_terms(PolynomialId total, DType dtype);

 private:
  [[nodiscard]] static bool is_one_product(const Equation& equation);
  void collect_terms(const Expr& expr, const Frame& frame, bool is_negated, std::vector<PolynomialId>& out);
  [[nodiscard]] bool is_of_terms(PolynomialId value, DType dtype);
  /// A written sum of accumulations as one accumulation, where it may count as one.
  [[nodiscard]] std::optional<PolynomialId> joined(PolynomialId left, PolynomialId right, DType dtype);
};

}  // namespace steptp::forms
