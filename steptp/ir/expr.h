#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "steptp/base/hash.h"
#include "steptp/ir/operation.h"
#include "steptp/ir/ref.h"

namespace steptp {

struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;

/// A number as written. `2` and `2.0` differ: with an integer tensor the first stays an integer, the second makes f32.
struct Literal {
  bool is_integer = true;
  std::int64_t integer = 0;  ///< where is_integer
  double real = 0;           ///< always the value
};
struct Infinity {};
/// A loop index used as a value.
struct IndexValue {
  std::string index;
};
struct Read {
  RefPtr ref;
};
/// Operands folded from the left: ((o0 op1 o1) op2 o2) ... At least two operands; the first is not a chain of the same
/// precedence (that would be the same chain). operators[i] stands before operands[i + 1].
/// One node for a whole chain keeps trees shallow: a sum of a million terms is one node.
struct Sum {
  std::vector<ExprPtr> operands;
  std::vector<ArithmeticOp> operators;  ///< add, subtract
};
struct Product {
  std::vector<ExprPtr> operands;
  std::vector<ArithmeticOp> operators;  ///< multiply, divide, floor_divide, modulo
};
struct Power {
  ExprPtr base;
  ExprPtr exponent;
};
struct Extremum {
  bool is_max = true;
  ExprPtr left;
  ExprPtr right;
};
struct Call {
  Function function = Function::negate;
  ExprPtr argument;
};
/// Lazy: the branch not taken is not evaluated.
struct Select {
  ExprPtr condition;
  ExprPtr if_true;
  ExprPtr if_false;
};
/// o0 op0 o1 op1 o2 ...: a chain is a conjunction.
struct Compare {
  std::vector<ExprPtr> operands;
  std::vector<CompareOp> operators;
};
/// At least two operands; none is of the same operator (that would be the same chain).
struct Logic {
  LogicOp op = LogicOp::conjunction;
  std::vector<ExprPtr> operands;
};

using ExprNode =
    std::variant<Literal, Infinity, IndexValue, Read, Sum, Product, Power, Extremum, Call, Select, Compare, Logic>;

/// A value expression. Immutable and shared; the hash is of the structure.
struct Expr {
  ExprNode node;
  Hash hash = 0;
};

/// Chains come out flat: a first operand that is a chain of the same kind is spliced.
[[nodiscard]] ExprPtr make_expr(ExprNode node);
[[nodiscard]] ExprPtr integer_literal(std::int64_t value);
[[nodiscard]] ExprPtr real_literal(double value);
[[nodiscard]] ExprPtr read_expr(RefPtr ref);
[[nodiscard]] ExprPtr make_sum(ExprPtr left, ArithmeticOp op, ExprPtr right);
[[nodiscard]] ExprPtr make_product(ExprPtr left, ArithmeticOp op, ExprPtr right);
[[nodiscard]] ExprPtr make_call(Function function, ExprPtr argument);

[[nodiscard]] bool equal(const Expr& left, const Expr& right);

/// Comparisons and logic: their value is a bool, and the grammar allows them only where a condition may stand.
[[nodiscard]] inline bool is_condition(const Expr& expr) {
  return std::holds_alternative<Compare>(expr.node) || std::holds_alternative<Logic>(expr.node);
}

/// The direct sub-expressions in textual order: the numbers in an address count these.
[[nodiscard]] std::vector<const ExprPtr*> children(const Expr& expr);
[[nodiscard]] std::size_t child_count(const Expr& expr);
[[nodiscard]] const ExprPtr& child(const Expr& expr, std::size_t number);
/// The same node with other children; the same object where no child changed.
[[nodiscard]] ExprPtr with_children(const ExprPtr& expr, const std::vector<ExprPtr>& children);

/// Every tensor reference of the expression in textual order, those inside subscripts after the one they index.
void for_each_ref(const Expr& expr, const std::function<void(const RefPtr&)>& visit);
void for_each_ref(const RefPtr& ref, const std::function<void(const RefPtr&)>& visit);
/// Every loop index that occurs, as a value or in a subscript.
void for_each_variable(const Expr& expr, const std::function<void(const std::string&)>& visit);

/// The expression as an exact integer, where it is made of integer literals, loop indices, + - * // % only.
[[nodiscard]] std::optional<Index> to_index(const Expr& expr);

/// If X is the left side of an equation, the operator for which `right` accumulates into X (docs/language.md R4):
/// flattened over one of + * max min, exactly one operand is X itself, not negated, and X's tensor occurs nowhere else.
[[nodiscard]] std::optional<ArithmeticOp> accumulation_operator(const Ref& left, const ExprPtr& right);

}  // namespace steptp
