#include "steptp/structure/types.h"

#include <utility>

#include "steptp/base/text.h"

namespace steptp {

namespace {

/// Computes types bottom-up; the first problem stops it.
class Typer {
 public:
  std::optional<ValueType> type(const Expr& expr) {
    return std::visit([this](const auto& node) { return of(node); }, expr.node);
  }
  std::optional<TypeProblem> problem;

 private:
  std::optional<ValueType> child_type(const ExprPtr& child, std::uint32_t number) {
    path_.push_back(number);
    auto result = type(*child);
    path_.pop_back();
    return result;
  }

  std::optional<ValueType> fail(std::string message, std::string hint) {
    if (!problem) problem = TypeProblem{path_, std::move(message), std::move(hint)};
    return std::nullopt;
  }
  std::optional<ValueType> inf_meets_integer() {
    return fail("inf in an integer expression",
                "integers have no infinity: use the greatest or least value of the type");
  }

  std::optional<ValueType> of(const Literal& literal) { return literal.is_integer ? kWeakInteger : kWeakDecimal; }
  std::optional<ValueType> of(const Infinity&) { return kWeakInf; }
  std::optional<ValueType> of(const IndexValue&) { return kWeakInteger; }
  std::optional<ValueType> of(const Read& read) { return typed(read.ref->dtype); }
  std::optional<ValueType> of(const Sum& sum) { return fold(sum.operands, sum.operators); }
  std::optional<ValueType> of(const Product& product) { return fold(product.operands, product.operators); }
  std::optional<ValueType> of(const Power& power) {
    const auto base = child_type(power.base, 0);
    const auto exponent = child_type(power.exponent, 1);
    if (!base || !exponent) return std::nullopt;
    const auto* literal = std::get_if<Literal>(&power.exponent->node);
    const auto result = binary_type(ArithmeticOp::power, *base, *exponent, literal && literal->is_integer);
    return result ? result : inf_meets_integer();
  }
  std::optional<ValueType> of(const Extremum& extremum) {
    return pair(extremum.left, 0, extremum.right, 1, extremum.is_max ? ArithmeticOp::max : ArithmeticOp::min);
  }
  std::optional<ValueType> of(const Call& call) {
    const auto argument = child_type(call.argument, 0);
    if (!argument) return std::nullopt;
    return unary_type(call.function, *argument);
  }
  std::optional<ValueType> of(const Select& select) {
    if (!child_type(select.condition, 0)) return std::nullopt;
    const auto a = child_type(select.if_true, 1);
    const auto b = child_type(select.if_false, 2);
    if (!a || !b) return std::nullopt;
    const auto result = join_type(*a, *b);
    return result ? result : inf_meets_integer();
  }
  std::optional<ValueType> of(const Compare& compare) {
    std::optional<ValueType> left = child_type(compare.operands[0], 0);
    for (std::uint32_t i = 1; i < compare.operands.size(); ++i) {
      const auto right = child_type(compare.operands[i], i);
      if (!left || !right) return std::nullopt;
      if (!comparison_dtype(*left, *right)) return inf_meets_integer();
      left = right;
    }
    return typed(DType::boolean);
  }
  std::optional<ValueType> of(const Logic& logic) {
    for (std::uint32_t i = 0; i < logic.operands.size(); ++i) {
      if (!child_type(logic.operands[i], i)) return std::nullopt;
    }
    return typed(DType::boolean);
  }

  std::optional<ValueType> pair(const ExprPtr& left, std::uint32_t left_number, const ExprPtr& right,
                                std::uint32_t right_number, ArithmeticOp op) {
    const auto a = child_type(left, left_number);
    const auto b = child_type(right, right_number);
    if (!a || !b) return std::nullopt;
    const auto result = binary_type(op, *a, *b);
    return result ? result : inf_meets_integer();
  }

  std::optional<ValueType> fold(const std::vector<ExprPtr>& operands, const std::vector<ArithmeticOp>& operators) {
    std::optional<ValueType> value = child_type(operands[0], 0);
    for (std::uint32_t i = 0; i < operators.size(); ++i) {
      const auto right = child_type(operands[i + 1], i + 1);
      if (!value || !right) return std::nullopt;
      value = binary_type(operators[i], *value, *right);
      if (!value) return inf_meets_integer();
    }
    return value;
  }

  std::vector<std::uint32_t> path_;
};

bool is_guard_operand(const Expr& expr) {
  if (const auto* compare = std::get_if<Compare>(&expr.node)) {
    for (const ExprPtr& operand : compare->operands) {
      if (!to_index(*operand)) return false;
    }
    return true;
  }
  if (const auto* logic = std::get_if<Logic>(&expr.node)) {
    for (const ExprPtr& operand : logic->operands) {
      if (!is_guard_operand(*operand)) return false;
    }
    return true;
  }
  return to_index(expr).has_value();
}

}  // namespace

std::optional<TypeProblem> type_problem(const Expr& expr) {
  Typer typer;
  (void)typer.type(expr);
  return std::move(typer.problem);
}

std::optional<ValueType> type_of(const Expr& expr) { return Typer().type(expr); }

std::string guard_problem(const Expr& guard) {
  bool reads = false;
  for_each_ref(guard, [&reads](const RefPtr&) { reads = true; });
  if (reads) return "a guard reads a tensor; only loop indices and integers may occur";
  if (!is_guard_operand(guard))
    return "a guard computes with + - * // % on loop indices and integers only, within 64 bits";
  return {};
}

}  // namespace steptp
