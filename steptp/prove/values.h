#pragma once

#include <cstdint>
#include <utility>

#include "steptp/ir/typing.h"
#include "steptp/prove/arena.h"
#include "steptp/prove/hazards.h"

namespace steptp::forms {

/// The value of an expression: an exact integer, a real, or a truth.
struct Value {
  enum class Kind : std::uint8_t { integer, real, truth };
  Kind kind = Kind::real;
  Affine integer;
  PolynomialId real = 0;
  ConditionId truth = 0;
  /// Of elements only (ReachingWrites::resolve): a form that is 1 at the inputs where the element has no value, else 0.
  PolynomialId hazard = kHarmless;
};

[[nodiscard]] inline Value real_value(PolynomialId id) { return {Value::Kind::real, {}, id, 0}; }
[[nodiscard]] inline Value integer_value(Affine affine) { return {Value::Kind::integer, std::move(affine), 0, 0}; }
[[nodiscard]] inline Value truth_value(ConditionId id) { return {Value::Kind::truth, {}, 0, id}; }

/// A value, and the type that the language gives it.
struct TypedValue {
  ValueType type;
  Value value;
};

/// Both have one normal form, hazards aside.
[[nodiscard]] bool is_same(const Value& left, const Value& right);

/// The element of `after` has a value wherever that of `before` is no NaN and has one.
[[nodiscard]] bool includes_hazards(Arena& arena, const Value& before, const Value& after);

/// Values in other types of the language: as reals, as integers of a type, as truths.
class Conversions {
 public:
  explicit Conversions(Arena& arena) : arena_(arena) {}

  [[nodiscard]] PolynomialId to_real(const Value& value);
  [[nodiscard]] Affine to_integer(const Value& value, DType dtype);
  [[nodiscard]] ConditionId to_truth(const Value& value);
  [[nodiscard]] Value convert(const Value& value, DType dtype);
  /// What is known to be an integer, as one.
  [[nodiscard]] Value integer_of(PolynomialId polynomial);
  [[nodiscard]] Value choose(ConditionId condition, const Value& if_true, const Value& if_false, DType dtype);

 private:
  Arena& arena_;
};

}  // namespace steptp::forms
