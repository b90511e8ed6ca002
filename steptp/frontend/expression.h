#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "steptp/ir/expr.h"

namespace steptp::frontend {

/// A subscript with ordinary operators. An overflow is an internal error: extents were checked when the graph was made.
class Subscript {
 public:
  Subscript(std::int64_t constant) : index_(Index::constant(constant)) {}
  explicit Subscript(Index index) : index_(std::move(index)) {}
  [[nodiscard]] static Subscript loop(std::string name) { return Subscript(Index::variable(std::move(name))); }

  [[nodiscard]] const Index& index() const { return index_; }

 private:
  Index index_;
};

[[nodiscard]] Subscript operator+(const Subscript& left, const Subscript& right);
[[nodiscard]] Subscript operator-(const Subscript& left, const Subscript& right);
[[nodiscard]] Subscript operator*(const Subscript& left, const Subscript& right);
[[nodiscard]] Subscript operator/(const Subscript& left, std::int64_t right);  ///< floor
[[nodiscard]] Subscript operator%(const Subscript& left, std::int64_t right);  ///< floor

using Subscripts = std::vector<Subscript>;

/// A value with ordinary operators. Integers that are written as decimals in a graph are integers here: with float
/// tensors there is no difference, and the text is shorter.
class Value {
 public:
  Value(std::int64_t number);
  Value(int number) : Value(static_cast<std::int64_t>(number)) {}
  Value(double number);
  /// A subscript used as a value.
  Value(const Subscript& subscript);
  explicit Value(ExprPtr expr) : expr_(std::move(expr)) {}

  [[nodiscard]] const ExprPtr& expr() const { return expr_; }

 private:
  ExprPtr expr_;
};

/// A literal with a point, which makes an integer tensor f32.
[[nodiscard]] Value decimal(double number);
[[nodiscard]] Value infinity();

[[nodiscard]] Value operator-(const Value& value);
[[nodiscard]] Value operator+(const Value& left, const Value& right);
[[nodiscard]] Value operator-(const Value& left, const Value& right);
[[nodiscard]] Value operator*(const Value& left, const Value& right);
[[nodiscard]] Value operator/(const Value& left, const Value& right);
[[nodiscard]] Value operator%(const Value& left, const Value& right);
[[nodiscard]] Value floor_divide(const Value& left, const Value& right);
[[nodiscard]] Value power(const Value& base, const Value& exponent);
[[nodiscard]] Value max(const Value& left, const Value& right);
[[nodiscard]] Value min(const Value& left, const Value& right);
[[nodiscard]] Value call(Function function, const Value& argument);
[[nodiscard]] inline Value exp(const Value& x) { return call(Function::exp, x); }
[[nodiscard]] inline Value log(const Value& x) { return call(Function::log, x); }
[[nodiscard]] inline Value sqrt(const Value& x) { return call(Function::sqrt, x); }
[[nodiscard]] inline Value abs(const Value& x) { return call(Function::abs, x); }
[[nodiscard]] inline Value erf(const Value& x) { return call(Function::erf, x); }

/// Conditions; `select` is lazy.
[[nodiscard]] Value compare(CompareOp op, const Value& left, const Value& right);
[[nodiscard]] inline Value operator<(const Value& a, const Value& b) { return compare(CompareOp::less, a, b); }
[[nodiscard]] inline Value operator<=(const Value& a, const Value& b) { return compare(CompareOp::less_equal, a, b); }
[[nodiscard]] inline Value operator>(const Value& a, const Value& b) { return compare(CompareOp::greater, a, b); }
[[nodiscard]] inline Value operator>=(const Value& a, const Value& b) {
  return compare(CompareOp::greater_equal, a, b);
}
[[nodiscard]] inline Value operator==(const Value& a, const Value& b) { return compare(CompareOp::equal, a, b); }
[[nodiscard]] inline Value operator!=(const Value& a, const Value& b) { return compare(CompareOp::not_equal, a, b); }
/// low <= middle < high, as one chain.
[[nodiscard]] Value between(const Value& low, const Value& middle, const Value& high);
[[nodiscard]] Value all_of(const std::vector<Value>& conditions);
[[nodiscard]] Value any_of(const std::vector<Value>& conditions);
[[nodiscard]] Value select(const Value& condition, const Value& if_true, const Value& if_false);

/// Forms that do not overflow and stay inside the published functions.
[[nodiscard]] Value tanh(const Value& x);      ///< 1-2/(exp(2*x)+1)
[[nodiscard]] Value softplus(const Value& x);  ///< max(x,0)+log(1+exp(-abs(x)))
[[nodiscard]] Value sigmoid(const Value& x);   ///< 1/(1+exp(-x))

}  // namespace steptp::frontend
