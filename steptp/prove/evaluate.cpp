#include <algorithm>
#include <cmath>
#include <utility>

#include "steptp/prove/flow.h"
#include "steptp/prove/give_up.h"
#include "steptp/prove/literal.h"
#include "steptp/prove/written_operations.h"
#include "steptp/structure/types.h"

namespace steptp::forms {

namespace {

Value real_value(PolynomialId id) { return {Value::Kind::real, {}, id, 0}; }
Value integer_value(Affine affine) { return {Value::Kind::integer, std::move(affine), 0, 0}; }
Value truth_value(ConditionId id) { return {Value::Kind::truth, {}, 0, id}; }

bool is_accumulator(const Ref& left, const Ref& read) { return left.tensor == read.tensor; }

}  // namespace

PolynomialId Flow::to_real(const Value& value) {
  switch (value.kind) {
    case Value::Kind::real: return value.real;
    case Value::Kind::integer: return arena_.polynomials.integer(value.integer);
    case Value::Kind::truth:
      return arena_.choices.select(value.truth, arena_.polynomials.constant(1), arena_.polynomials.constant(0));
  }
  return value.real;
}

Value Flow::integer_of(PolynomialId polynomial) {
  auto affine = arena_.polynomials.as_affine(polynomial);
  if (!affine) throw GiveUp{"an integer without a normal form"};
  return integer_value(std::move(*affine));
}

Affine Flow::to_integer(const Value& value, DType dtype) {
  switch (value.kind) {
    case Value::Kind::integer: return arena_.affines.wrapped(value.integer, dtype);
    case Value::Kind::truth: return integer_of(to_real(value)).integer;
    case Value::Kind::real: break;
  }
  if (const auto number = arena_.as_constant(value.real)) {
    mpz_class whole = number->get_num() / number->get_den();  // towards zero
    const DTypeInfo& type = info(dtype);
    if (whole < mpz_class(static_cast<long>(type.least))) whole = static_cast<long>(type.least);
    if (whole > mpz_class(static_cast<long>(type.greatest))) whole = static_cast<long>(type.greatest);
    return Affine::number(whole.get_si());
  }
  if (const auto infinite = arena_.as_infinity(value.real)) {
    return Affine::number(*infinite > 0 ? info(dtype).greatest : info(dtype).least);
  }
  if (const auto affine = arena_.polynomials.as_affine(value.real)) {
    if (Interval{info(dtype).least, info(dtype).greatest}.contains(arena_.known.range(*affine))) return *affine;
  }
  const PolynomialId converted = arena_.polynomials.generator(
      {Generator::Kind::conversion, static_cast<std::uint32_t>(dtype), {value.real}, {}, {}, {}});
  return arena_.affines.atom({Atom::Kind::value, *arena_.as_generator(converted), 0, {}});
}

ConditionId Flow::to_truth(const Value& value) {
  switch (value.kind) {
    case Value::Kind::truth: return value.truth;
    case Value::Kind::integer: return arena_.conditions.negation(arena_.conditions.zero(value.integer));
    case Value::Kind::real: break;
  }
  return arena_.conditions.compare(CompareOp::not_equal, value.real, arena_.polynomials.constant(0));
}

Value Flow::convert(const Typed& value, DType dtype) {
  if (keeps_operations() && is_float(dtype)) return real_value(kept_in(value, dtype));
  return convert(value.value, dtype);
}

Value Flow::convert(const Value& value, DType dtype) {
  if (is_float(dtype)) return real_value(to_real(value));
  if (dtype == DType::boolean) return truth_value(to_truth(value));
  return integer_value(to_integer(value, dtype));
}

Flow::Typed Flow::evaluate(const Expr& expr, const Frame& frame) {
  const Deeper deeper(arena_.budget);
  arena_.budget.spend(1);
  struct Visitor {
    Flow& flow;
    const Frame& frame;
    Typed operator()(const Literal& literal) const {
      if (literal.is_integer) return {kWeakInteger, integer_value(Affine::number(literal.integer))};
      return {kWeakDecimal, real_value(flow.arena_.polynomials.constant(exact_decimal(literal.real)))};
    }
    Typed operator()(const Infinity&) const { return {kWeakInf, real_value(flow.arena_.functions.infinity())}; }
    Typed operator()(const IndexValue& value) const {
      return {kWeakInteger, integer_value(flow.index(Index::variable(value.index), frame))};
    }
    Typed operator()(const Read& read) const { return {typed(read.ref->dtype), flow.read(read.ref, frame)}; }
    Typed operator()(const Sum& sum) const { return flow.fold(sum.operands, sum.operators, frame); }
    Typed operator()(const Product& product) const { return flow.fold(product.operands, product.operators, frame); }
    Typed operator()(const Power& power) const {
      const auto* literal = std::get_if<Literal>(&power.exponent->node);
      return flow.combine(ArithmeticOp::power, flow.evaluate(*power.base, frame), flow.evaluate(*power.exponent, frame),
                          literal && literal->is_integer && literal->integer >= 0);
    }
    Typed operator()(const Extremum& extremum) const {
      return flow.combine(extremum.is_max ? ArithmeticOp::max : ArithmeticOp::min, flow.evaluate(*extremum.left, frame),
                          flow.evaluate(*extremum.right, frame), false);
    }
    Typed operator()(const Call& call) const { return flow.call(call.function, flow.evaluate(*call.argument, frame)); }
    Typed operator()(const Select& select) const {
      return flow.choose(select.condition, select.if_true, select.if_false, frame);
    }
    Typed operator()(const Compare& compare) const {
      std::vector<ConditionId> parts;
      Typed left = flow.evaluate(*compare.operands[0], frame);
      for (std::size_t i = 0; i < compare.operators.size(); ++i) {
        Typed right = flow.evaluate(*compare.operands[i + 1], frame);
        const auto type = join_type(left.type, right.type);
        if (!type) throw GiveUp{"a comparison without a type"};
        // A weak operand takes the other one's type: -1 is 255 beside u8.
        const PolynomialId first = flow.to_real(flow.convert(left, type->dtype));
        const PolynomialId second = flow.to_real(flow.convert(right, type->dtype));
        parts.push_back(flow.arena_.conditions.compare(compare.operators[i], first, second));
        left = std::move(right);
      }
      return {typed(DType::boolean), truth_value(flow.arena_.conditions.conjunction(parts))};
    }
    Typed operator()(const Logic& logic) const {
      std::vector<ConditionId> parts;
      for (const ExprPtr& operand : logic.operands) parts.push_back(flow.condition(*operand, frame));
      return {typed(DType::boolean),
              truth_value(logic.op == LogicOp::conjunction ? flow.arena_.conditions.conjunction(parts)
                                                           : flow.arena_.conditions.disjunction(parts))};
    }
  };
  return std::visit(Visitor{*this, frame}, expr.node);
}

ConditionId Flow::condition(const Expr& expr, const Frame& frame) { return to_truth(evaluate(expr, frame).value); }

Flow::Typed Flow::fold(const std::vector<ExprPtr>& operands, const std::vector<ArithmeticOp>& operators,
                       const Frame& frame) {
  Typed result = evaluate(*operands[0], frame);
  for (std::size_t i = 0; i < operators.size(); ++i) {
    result = combine(operators[i], result, evaluate(*operands[i + 1], frame), false);
  }
  return result;
}

Flow::Typed Flow::combine(ArithmeticOp op, const Typed& left, const Typed& right, bool natural_exponent) {
  const auto type = binary_type(op, left.type, right.type, natural_exponent);
  if (!type) throw GiveUp{"an expression without a type"};
  if (op == ArithmeticOp::power && is_integer_power(left.type, natural_exponent)) {
    if (type->dtype == DType::boolean) throw GiveUp{"arithmetic on bools"};
    const Affine base = to_integer(left.value, type->dtype);
    Affine result = Affine::number(1);
    if (right.value.integer.constant > 16) throw GiveUp{"a high power of an integer"};
    for (std::int64_t i = 0; i < right.value.integer.constant; ++i) {
      result = arena_.affines.wrapped(arena_.affines.product(result, base), type->dtype);
    }
    return {*type, integer_value(result)};
  }
  if (is_float(type->dtype)) {
    const PolynomialId a = to_real(left.value);
    const PolynomialId b = to_real(right.value);
    add_operation_hazard(op, a, b);
    if (keeps_operations()) return {*type, real_value(written(op, left, right, type->dtype))};
    switch (op) {
      case ArithmeticOp::add: return {*type, real_value(arena_.polynomials.add(a, b))};
      case ArithmeticOp::subtract: return {*type, real_value(arena_.polynomials.add(a, arena_.polynomials.negate(b)))};
      case ArithmeticOp::multiply: return {*type, real_value(arena_.polynomials.multiply(a, b))};
      case ArithmeticOp::divide:
        return {*type, real_value(arena_.polynomials.multiply(a, arena_.polynomials.inverse(b)))};
      case ArithmeticOp::floor_divide:
      case ArithmeticOp::modulo:
        return {*type, real_value(arena_.polynomials.generator(
                           {Generator::Kind::operation, operation_tag(op, DType::f64), {a, b}, {}, {}, {}}))};
      case ArithmeticOp::power: return {*type, real_value(arena_.functions.power(a, b))};
      case ArithmeticOp::max: return {*type, real_value(arena_.choices.extremum(true, {a, b}))};
      case ArithmeticOp::min: return {*type, real_value(arena_.choices.extremum(false, {a, b}))};
    }
  }
  if (type->dtype == DType::boolean) throw GiveUp{"arithmetic on bools"};
  const Affine a = to_integer(left.value, type->dtype);
  const Affine b = to_integer(right.value, type->dtype);
  const auto wrap = [&](const Affine& value) {
    return Typed{*type, integer_value(arena_.affines.wrapped(value, type->dtype))};
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
      return {*type,
              integer_of(arena_.polynomials.generator({Generator::Kind::operation,
                                                       operation_tag(op, type->dtype),
                                                       {arena_.polynomials.integer(a), arena_.polynomials.integer(b)},
                                                       {},
                                                       {},
                                                       {}}))};
    case ArithmeticOp::max:
    case ArithmeticOp::min:
      return {*type, integer_of(arena_.choices.extremum(
                         op == ArithmeticOp::max, {arena_.polynomials.integer(a), arena_.polynomials.integer(b)}))};
    case ArithmeticOp::divide:
    case ArithmeticOp::power: break;
  }
  throw GiveUp{"an integer operation without a normal form"};
}

Flow::Typed Flow::call(Function function, const Typed& argument) {
  const ValueType type = unary_type(function, argument.type);
  if (is_float(type.dtype)) {
    const PolynomialId operand = to_real(argument.value);
    if (function == Function::rsqrt) add_hazard(hazards_.of_divisor(operand));
    if (keeps_operations()) return {type, real_value(written(function, argument, type.dtype))};
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

Flow::Typed Flow::choose(const ExprPtr& condition, const ExprPtr& if_true, const ExprPtr& if_false,
                         const Frame& frame) {
  const ConditionId chosen = this->condition(*condition, frame);
  const Truth known = arena_.known.truth(chosen);
  std::optional<Typed> a;
  std::optional<Typed> b;
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

Value Flow::choose(ConditionId condition, const Value& if_true, const Value& if_false, DType dtype) {
  if (is_float(dtype)) return real_value(arena_.choices.select(condition, to_real(if_true), to_real(if_false)));
  if (dtype == DType::boolean) {
    return truth_value(arena_.conditions.disjunction(
        {arena_.conditions.conjunction({condition, to_truth(if_true)}),
         arena_.conditions.conjunction({arena_.conditions.negation(condition), to_truth(if_false)})}));
  }
  const PolynomialId chosen = arena_.choices.select(condition, arena_.polynomials.integer(to_integer(if_true, dtype)),
                                                    arena_.polynomials.integer(to_integer(if_false, dtype)));
  return integer_of(chosen);
}

Affine Flow::index(const Index& index, const Frame& frame) {
  const Statement& statement = table_.statements[frame.statement];
  Affine result = Affine::number(index.constant_term());
  for (const IndexTerm& term : index.terms()) {
    Affine product = Affine::number(term.coefficient);
    for (const IndexAtom& factor : term.factors) {
      struct Visitor {
        Flow& flow;
        const Frame& frame;
        const Statement& statement;
        Affine operator()(const LoopVariable& variable) const {
          for (std::size_t i = 0; i < statement.loops.size(); ++i) {
            if (statement.loops[i]->index == variable.name) return frame.loops[i];
          }
          throw GiveUp{"an index that no loop binds"};
        }
        Affine operator()(const FloorQuotient& node) const {
          return flow.arena_.affines.quotient(flow.index(*node.dividend, frame), divisor(*node.divisor));
        }
        Affine operator()(const FloorRemainder& node) const {
          return flow.arena_.affines.remainder(flow.index(*node.dividend, frame), divisor(*node.divisor));
        }
        Affine operator()(const IndirectRead& read) const {
          const Value value = flow.read(read.ref, frame);
          return flow.to_integer(value, read.ref->dtype);
        }
        [[nodiscard]] std::int64_t divisor(const Index& index) const {
          const Affine value = flow.index(index, frame);
          if (!value.is_constant()) throw GiveUp{"a divisor that is not a constant"};
          return value.constant;
        }
      };
      product = arena_.affines.product(product, std::visit(Visitor{*this, frame, statement}, factor));
    }
    result = Affine::sum(result, product);
  }
  return result;
}

Value Flow::entry(const TwoValuedTable& table, DType dtype, const std::vector<Affine>& subscripts) {
  Affine place = Affine::number(table.constant);
  for (std::size_t i = 0; i < subscripts.size(); ++i) {
    place = Affine::sum(place, Affine::scaled(subscripts[i], table.coefficients[i]));
  }
  const auto value = [this, dtype](double number) -> Value {
    if (std::isinf(number))
      return real_value(number > 0 ? arena_.functions.infinity()
                                   : arena_.polynomials.negate(arena_.functions.infinity()));
    const auto whole = static_cast<std::int64_t>(number);
    if (dtype == DType::boolean)
      return truth_value(whole != 0 ? arena_.conditions.always() : arena_.conditions.never());
    if (is_float(dtype)) return real_value(arena_.polynomials.constant(mpq_class(static_cast<long>(whole))));
    return integer_value(Affine::number(whole));
  };
  return choose(arena_.conditions.nonnegative(std::move(place)), value(table.inside), value(table.outside), dtype);
}

Value Flow::known_value(std::uint32_t number, const Variable& variable, std::vector<Affine> subscripts) {
  if (const TwoValuedTable* table = shared_.table(number)) return entry(*table, variable.dtype, subscripts);
  const PolynomialId value = arena_.functions.input(number, std::move(subscripts));
  if (is_float(variable.dtype)) return real_value(value);
  if (variable.dtype == DType::boolean) return truth_value(arena_.conditions.boolean(*arena_.as_generator(value)));
  return integer_value(arena_.affines.atom({Atom::Kind::value, *arena_.as_generator(value), 0, {}}));
}

Value Flow::read(const RefPtr& ref, const Frame& frame) {
  const Statement& statement = table_.statements[frame.statement];
  if (frame.as_accumulator && is_accumulator(*statement.equation->left, *ref)) {
    return real_value(frame.accumulator.value_or(arena_.reductions.identity(*statement.accumulates)));
  }
  std::vector<Affine> subscripts;
  for (const Index& subscript : ref->subscripts) subscripts.push_back(index(subscript, frame));
  if (const auto number = shared_.known(ref->tensor)) {
    const Variable* variable = shared_.signature.find(ref->tensor);
    if (variable->role != Role::output) {
      add_range_hazards(subscripts, variable->shape);
      return known_value(*number, *variable, std::move(subscripts));
    }
  }
  add_range_hazards(subscripts, shape(ref->tensor));
  add_hidden(ref, frame, subscripts);
  Value value = resolve(ref->tensor, subscripts, frame.statement, frame.loops, writers_[ref->tensor].size());
  add_hazard(value.hazard);
  return value;
}

void Flow::add_hidden(const RefPtr& ref, const Frame& frame, std::vector<Affine>& subscripts) {
  if (table_.tensors.at(ref->tensor).effective_scope() == Scope::global) return;
  Access access;
  access.statement = frame.statement;
  access.ref = ref;
  for (const Index& subscript : hidden_subscripts(table_, access)) subscripts.push_back(index(subscript, frame));
}

std::vector<Affine> Flow::left_subscripts(std::size_t statement, const Frame& frame) {
  const RefPtr& left = table_.statements[statement].equation->left;
  std::vector<Affine> subscripts;
  // A write outside of the tensor would leave all its elements without a value: such writes have no form.
  const PolynomialId outside = std::exchange(hazard_, kHarmless);
  for (const Index& subscript : left->subscripts) subscripts.push_back(index(subscript, frame));
  add_range_hazards(subscripts, shape(left->tensor));
  if (std::exchange(hazard_, outside) != kHarmless) throw GiveUp{"a write that data may put outside of its tensor"};
  add_hidden(left, frame, subscripts);
  return subscripts;
}

Value Flow::right_side(std::size_t statement, const std::vector<Affine>& loops, bool as_accumulator,
                       std::optional<PolynomialId> accumulator) {
  const Equation& equation = *table_.statements[statement].equation;
  const Frame frame{statement, loops, as_accumulator, accumulator};
  const PolynomialId outside = std::exchange(hazard_, kHarmless);
  Value value = convert(evaluate(*equation.right, frame), equation.left->dtype);
  value.hazard = std::exchange(hazard_, outside);
  return value;
}

}  // namespace steptp::forms
