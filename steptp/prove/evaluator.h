#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "steptp/prove/flow_room.h"

namespace steptp::forms {

/// Values of expressions at an iteration of a statement, and where they have none.
class Evaluator : private FlowRoom {
 public:
  explicit Evaluator(FlowParts& parts) : FlowRoom(parts) {}

  [[nodiscard]] TypedValue evaluate(const Expr& expr, const Frame& frame);
  [[nodiscard]] TypedValue fold(const std::vector<ExprPtr>& operands, const std::vector<ArithmeticOp>& operators,
                                const Frame& frame);
  [[nodiscard]] ConditionId condition(const Expr& expr, const Frame& frame);
  // ---- accesses (accesses.cpp)
  [[nodiscard]] std::vector<Affine> left_subscripts(std::size_t statement, const Frame& frame);
  [[nodiscard]] Value right_side(std::size_t statement, const std::vector<Affine>& loops, bool as_accumulator,
                                 std::optional<PolynomialId> accumulator = std::nullopt);

  /// An element of its own: what was evaluated before does not leave it without a value.
  void begin_element() { hazard_ = kHarmless; }
  /// Until the object dies, what is evaluated adds no hazard to the element at hand.
  class HazardsAside {
   public:
    explicit HazardsAside(Evaluator& evaluator) : evaluator_(evaluator), outside_(evaluator.hazard_) {}
    ~HazardsAside() { evaluator_.hazard_ = outside_; }
    HazardsAside(const HazardsAside&) = delete;
    HazardsAside& operator=(const HazardsAside&) = delete;

   private:
    Evaluator& evaluator_;
    PolynomialId outside_;
  };

 private:
  struct Visitor;

  [[nodiscard]] TypedValue combine(ArithmeticOp op, const TypedValue& left, const TypedValue& right,
                                   bool natural_exponent);
  [[nodiscard]] TypedValue combine_reals(ArithmeticOp op, const TypedValue& left, const TypedValue& right,
                                         const ValueType& type);
  [[nodiscard]] TypedValue combine_integers(ArithmeticOp op, const TypedValue& left, const TypedValue& right,
                                            const ValueType& type);
  [[nodiscard]] TypedValue call(Function function, const TypedValue& argument);
  [[nodiscard]] TypedValue choose(const ExprPtr& condition, const ExprPtr& if_true, const ExprPtr& if_false,
                                  const Frame& frame);
  [[nodiscard]] Value choose(ConditionId condition, const Value& if_true, const Value& if_false, DType dtype);
  [[nodiscard]] Value convert(const TypedValue& value, DType dtype);
  [[nodiscard]] Affine to_integer(const Value& value, DType dtype);

  // ---- accesses (accesses.cpp)
  [[nodiscard]] Affine index(const Index& index, const Frame& frame);
  [[nodiscard]] Value read(const RefPtr& ref, const Frame& frame);
  [[nodiscard]] Value entry(const TwoValuedTable& table, DType dtype, const std::vector<Affine>& subscripts);
  [[nodiscard]] Value known_value(std::uint32_t number, const Variable& variable, std::vector<Affine> subscripts);
  void add_hidden(const RefPtr& ref, const Frame& frame, std::vector<Affine>& subscripts);

  /// Adds to what the element at hand has no value by.
  void add_hazard(PolynomialId hazard) { hazard_ = hazards_.united(hazard_, hazard); }
  /// An access by data that may lie outside of the tensor.
  void add_range_hazards(const std::vector<Affine>& subscripts, const std::vector<std::int64_t>& shape);
  /// What a binary operation on reals cannot bear.
  void add_operation_hazard(ArithmeticOp op, PolynomialId left, PolynomialId right);

  PolynomialId hazard_ = kHarmless;  ///< of what has been evaluated of the element at hand
};

}  // namespace steptp::forms
