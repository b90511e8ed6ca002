// Expressions as forms (docs/decisions/0011, 0039). Values are exact: integers wrap as their types say, floats are real
// numbers, or operations as they are written (as_written.cpp). Beside the value, the evaluator collects where the
// element at hand has no value: a divisor that is zero, an access outside of its tensor. A branch that is not taken is
// not evaluated, so its hazards count only together with its condition.
#include "steptp/prove/flow.h"

#include <utility>

#include "steptp/ir/accumulation.h"
#include "steptp/prove/give_up.h"
#include "steptp/prove/literal.h"
#include "steptp/prove/written_operations.h"
#include "steptp/structure/types.h"

namespace steptp::forms {

Value Evaluator::convert(const TypedValue& value, DType dtype) {
  if (keeps_operations() && is_float(dtype)) return real_value(parts_.written.kept_in(value, dtype));
  return parts_.conversions.convert(value.value, dtype);
}

Affine Evaluator::to_integer(const Value& value, DType dtype) { return parts_.conversions.to_integer(value, dtype); }

Value Evaluator::choose(ConditionId condition, const Value& if_true, const Value& if_false, DType dtype) {
  return parts_.conversions.choose(condition, if_true, if_false, dtype);
}

struct Evaluator::Visitor {
  Evaluator& evaluator;
  const Frame& frame;
  TypedValue operator()(const Literal& literal) const {
    if (literal.is_integer) return {kWeakInteger, integer_value(Affine::number(literal.integer))};
    return {kWeakDecimal, real_value(evaluator.arena_.polynomials.constant(exact_decimal(literal.real)))};
  }
  TypedValue operator()(const Infinity&) const { return {kWeakInf, real_value(evaluator.arena_.functions.infinity())}; }
  TypedValue operator()(const IndexValue& value) const {
    return {kWeakInteger, integer_value(evaluator.index(Index::variable(value.index), frame))};
  }
  TypedValue operator()(const Read& read) const { return {typed(read.ref->dtype), evaluator.read(read.ref, frame)}; }
  TypedValue operator()(const Sum& sum) const { return evaluator.fold(sum.operands, sum.operators, frame); }
  TypedValue operator()(const Product& product) const {
    const Equation& equation = *evaluator.table_.statements[frame.statement].equation;
    const auto wide = wide_product(*equation.left, equation.right);
    if (!wide || wide->product != &product) return evaluator.fold(product.operands, product.operators, frame);
    TypedValue first = evaluator.evaluate(*product.operands[0], frame);
    first.type = typed(wide->dtype);
    return evaluator.combine(product.operators[0], first, evaluator.evaluate(*product.operands[1], frame), false);
  }
  TypedValue operator()(const Power& power) const {
    const auto* literal = std::get_if<Literal>(&power.exponent->node);
    return evaluator.combine(ArithmeticOp::power, evaluator.evaluate(*power.base, frame),
                             evaluator.evaluate(*power.exponent, frame),
                             literal && literal->is_integer && literal->integer >= 0);
  }
  TypedValue operator()(const Extremum& extremum) const {
    return evaluator.combine(extremum.is_max ? ArithmeticOp::max : ArithmeticOp::min,
                             evaluator.evaluate(*extremum.left, frame), evaluator.evaluate(*extremum.right, frame),
                             false);
  }
  TypedValue operator()(const Call& call) const {
    return evaluator.call(call.function, evaluator.evaluate(*call.argument, frame));
  }
  TypedValue operator()(const Select& select) const {
    return evaluator.choose(select.condition, select.if_true, select.if_false, frame);
  }
  TypedValue operator()(const Compare& compare) const {
    std::vector<ConditionId> parts;
    TypedValue left = evaluator.evaluate(*compare.operands[0], frame);
    for (std::size_t i = 0; i < compare.operators.size(); ++i) {
      TypedValue right = evaluator.evaluate(*compare.operands[i + 1], frame);
      const auto type = join_type(left.type, right.type);
      if (!type) throw GiveUp{"a comparison without a type"};
      // A weak operand takes the other one's type: -1 is 255 beside u8.
      const PolynomialId first = evaluator.to_real(evaluator.convert(left, type->dtype));
      const PolynomialId second = evaluator.to_real(evaluator.convert(right, type->dtype));
      parts.push_back(evaluator.arena_.conditions.compare(compare.operators[i], first, second));
      left = std::move(right);
    }
    return {typed(DType::boolean), truth_value(evaluator.arena_.conditions.conjunction(parts))};
  }
  TypedValue operator()(const Logic& logic) const {
    std::vector<ConditionId> parts;
    for (const ExprPtr& operand : logic.operands) parts.push_back(evaluator.condition(*operand, frame));
    return {typed(DType::boolean),
            truth_value(logic.op == LogicOp::conjunction ? evaluator.arena_.conditions.conjunction(parts)
                                                         : evaluator.arena_.conditions.disjunction(parts))};
  }
};

TypedValue Evaluator::evaluate(const Expr& expr, const Frame& frame) {
  const Deeper deeper(arena_.budget);
  arena_.budget.spend(1);
  return std::visit(Visitor{*this, frame}, expr.node);
}

ConditionId Evaluator::condition(const Expr& expr, const Frame& frame) {
  return parts_.conversions.to_truth(evaluate(expr, frame).value);
}

TypedValue Evaluator::fold(const std::vector<ExprPtr>& operands, const std::vector<ArithmeticOp>& operators,
                           const Frame& frame) {
  TypedValue result = evaluate(*operands[0], frame);
  for (std::size_t i = 0; i < operators.size(); ++i) {
    result = combine(operators[i], result, evaluate(*operands[i + 1], frame), false);
  }
  return result;
}

TypedValue Evaluator::combine(ArithmeticOp op, const TypedValue& left, const TypedValue& right, bool natural_exponent) {
  const auto type = binary_type(op, left.type, right.type, natural_exponent);
  if (!type) throw GiveUp{"an expression without a type"};
  if (op == ArithmeticOp::power && is_integer_power(left.type, natural_exponent)) {
    if (type->dtype == DType::boolean) throw GiveUp{"arithmetic on bools"};
    const Affine base = parts_.conversions.to_integer(left.value, type->dtype);
    Affine result = Affine::number(1);
    if (right.value.integer.constant > 16) throw GiveUp{"a high power of an integer"};
    for (std::int64_t i = 0; i < right.value.integer.constant; ++i) {
      result = arena_.affines.wrapped(arena_.affines.product(result, base), type->dtype);
    }
    return {*type, integer_value(result)};
  }
  return is_float(type->dtype) ? combine_reals(op, left, right, *type) : combine_integers(op, left, right, *type);
}

TypedValue Evaluator::combine_reals(ArithmeticOp op, const TypedValue& left, const TypedValue& right,
                                    const ValueType& type) {
  const PolynomialId a = to_real(left.value);
  const PolynomialId b = to_real(right.value);
  add_operation_hazard(op, a, b);
  if (keeps_operations()) return {type, real_value(parts_.written.written(op, left, right, type.dtype))};
  switch (op) {
    case ArithmeticOp::add: return {type, real_value(arena_.polynomials.add(a, b))};
    case ArithmeticOp::subtract: return {type, real_value(arena_.polynomials.add(a, arena_.polynomials.negate(b)))};
    case ArithmeticOp::multiply: return {type, real_value(arena_.polynomials.multiply(a, b))};
    case ArithmeticOp::divide: return {type, real_value(arena_.polynomials.multiply(a, arena_.polynomials.inverse(b)))};
    case ArithmeticOp::floor_divide:
    case ArithmeticOp::modulo:
      return {type, real_value(arena_.polynomials.generator(
                        {Generator::Kind::operation, operation_tag(op, DType::f64), {a, b}, {}, {}, {}}))};
    case ArithmeticOp::power: return {type, real_value(arena_.functions.power(a, b))};
    case ArithmeticOp::max: return {type, real_value(arena_.choices.extremum(true, {a, b}))};
    case ArithmeticOp::min: return {type, real_value(arena_.choices.extremum(false, {a, b}))};
  }
  throw GiveUp{"an operation that is not known"};
}

TypedValue Evaluator::combine_integers(ArithmeticOp op, const TypedValue& left, const TypedValue& right,
                                       const ValueType& type) {
  if (type.dtype == DType::boolean) throw GiveUp{"arithmetic on bools"};
  const Affine a = to_integer(left.value, type.dtype);
  const Affine b = to_integer(right.value, type.dtype);
  const auto wrap = [&](const Affine& value) {
    return TypedValue{type, integer_value(arena_.affines.wrapped(value, type.dtype))};
  };
  switch (op) {
    case ArithmeticOp::add: return wrap(Affine::sum(a, b));
    case ArithmeticOp::subtract: return wrap(Affine::difference(a, b));
    case ArithmeticOp::multiply: return wrap(arena_.affines.product(a, b));
    case ArithmeticOp::floor_divide:
    case ArithmeticOp::modulo:
      add_operation_hazard(op, arena_.polynomials.integer(a), arena_.polynomials.integer(b));
      if (b.is_constant() && b.constant > 0) {
        return wrap(op == ArithmeticOp::modulo ? arena_.affines.remainder(a, b.constant)
                                               : arena_.affines.quotient(a, b.constant));
      }
      return {type,
              integer_of(arena_.polynomials.generator({Generator::Kind::operation,
                                                       operation_tag(op, type.dtype),
                                                       {arena_.polynomials.integer(a), arena_.polynomials.integer(b)},
                                                       {},
                                                       {},
                                                       {}}))};
    case ArithmeticOp::max:
    case ArithmeticOp::min:
      return {type, integer_of(arena_.choices.extremum(
                        op == ArithmeticOp::max, {arena_.polynomials.integer(a), arena_.polynomials.integer(b)}))};
    case ArithmeticOp::divide:
    case ArithmeticOp::power: break;
  }
  throw GiveUp{"an integer operation without a normal form"};
}

TypedValue Evaluator::call(Function function, const TypedValue& argument) {
  const ValueType type = unary_type(function, argument.type);
  if (is_float(type.dtype)) {
    const PolynomialId operand = to_real(argument.value);
    if (function == Function::rsqrt) add_hazard(hazards_.of_divisor(operand));
    if (keeps_operations()) return {type, real_value(parts_.written.written(function, argument, type.dtype))};
    return {type, real_value(arena_.functions.call(function, operand))};
  }
  if (type.dtype == DType::boolean) throw GiveUp{"arithmetic on bools"};
  const Affine value = to_integer(argument.value, type.dtype);
  switch (function) {
    case Function::abs:
      return {type,
              integer_value(arena_.affines.wrapped(
                  integer_of(arena_.choices.extremum(true, {arena_.polynomials.integer(value),
                                                            arena_.polynomials.integer(Affine::scaled(value, -1))}))
                      .integer,
                  type.dtype))};
    case Function::negate: return {type, integer_value(arena_.affines.wrapped(Affine::scaled(value, -1), type.dtype))};
    case Function::floor:
    case Function::ceil:
    case Function::round: return {type, integer_value(value)};
    default: break;
  }
  throw GiveUp{"a function of integers without a normal form"};
}

TypedValue Evaluator::choose(const ExprPtr& condition, const ExprPtr& if_true, const ExprPtr& if_false,
                             const Frame& frame) {
  const ConditionId chosen = this->condition(*condition, frame);
  const Truth known = arena_.conditions.may_be_left_out(chosen) ? arena_.known.truth(chosen) : Truth::maybe;
  std::optional<TypedValue> a;
  std::optional<TypedValue> b;
  // The branch that is not taken is not evaluated, so its hazards count only together with the condition.
  const PolynomialId outside = std::exchange(hazard_, kHarmless);
  if (known != Truth::no) {
    const Assumption assumed(arena_, chosen);
    a = evaluate(*if_true, frame);
  }
  const PolynomialId if_chosen = std::exchange(hazard_, kHarmless);
  if (known != Truth::yes) {
    const Assumption assumed(arena_, arena_.conditions.negation(chosen));
    b = evaluate(*if_false, frame);
  }
  const PolynomialId inside = known == Truth::maybe ? hazards_.chosen(chosen, if_chosen, hazard_)
                              : known == Truth::yes ? if_chosen
                                                    : hazard_;
  hazard_ = hazards_.united(outside, inside);
  // A branch that is never taken still takes part in the type; its value does not matter.
  const auto left = a ? std::optional(a->type) : type_of(*if_true);
  const auto right = b ? std::optional(b->type) : type_of(*if_false);
  const auto type = left && right ? join_type(*left, *right) : std::nullopt;
  if (!type) throw GiveUp{"an expression without a type"};
  if (!a) return {*type, convert(*b, type->dtype)};
  if (!b) return {*type, convert(*a, type->dtype)};
  if (!is_float(type->dtype)) return {*type, choose(chosen, a->value, b->value, type->dtype)};
  return {*type, choose(chosen, convert(*a, type->dtype), convert(*b, type->dtype), type->dtype)};
}

void Evaluator::add_operation_hazard(ArithmeticOp op, PolynomialId left, PolynomialId right) {
  switch (op) {
    case ArithmeticOp::divide:
    case ArithmeticOp::floor_divide:
    case ArithmeticOp::modulo: return add_hazard(hazards_.of_divisor(right));
    case ArithmeticOp::power: {
      const PolynomialId zero = arena_.polynomials.constant(0);
      const ConditionId is_negative = arena_.conditions.compare(CompareOp::less, right, zero);
      const Truth known = arena_.known.truth(is_negative);
      if (known != Truth::no) add_hazard(hazards_.chosen(is_negative, hazards_.of_divisor(left), kHarmless));
      return;
    }
    case ArithmeticOp::add:
    case ArithmeticOp::subtract:
    case ArithmeticOp::multiply:
    case ArithmeticOp::max:
    case ArithmeticOp::min: return;
  }
}

}  // namespace steptp::forms
