// The sequential machine of docs/language.md read backwards, one element at a time. It was written apart from the
// oracle and from certify, so that an error in one of them does not repeat here.
#include "replay/evaluate.h"

#include <algorithm>

#include "replay/types.h"

namespace steptp::replayer {

namespace {

Value of_integer(std::int64_t value) { return {true, value, {}}; }
Value of_real(const Real& value) { return {false, 0, value}; }

Wide floor_of(Wide a, Wide b) {
  const Wide quotient = a / b;
  return quotient - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

ValueType checked(const std::optional<ValueType>& type) {
  if (!type) throw Undefined{"an expression without a type"};
  return *type;
}

bool reads_any(const Expr& expr) {
  bool found = false;
  for_each_ref(expr, [&](const RefPtr&) { found = true; });
  return found;
}

}  // namespace

void Evaluator::spend() {
  if (budget_ == 0) throw Beyond{"the budget of steps is spent"};
  --budget_;
}

Real Evaluator::to_real(const Value& value) const {
  return value.is_integer ? numbers_.of_integer(value.integer) : value.real;
}

/// Integers that are compared, or the one that divides: see Numbers::record_turns.
void Evaluator::turn(Wide a, Wide b) const {
  const Wide gap = a - b;
  if (gap > INT64_MIN && gap <= INT64_MAX) numbers_.turn(numbers_.of_integer(static_cast<std::int64_t>(gap)));
}

Value Evaluator::convert(const Value& value, DType dtype) {
  if (is_float(dtype)) return of_real(to_real(value));
  if (!value.is_integer) return of_integer(numbers_.to_integer(value.real, dtype));
  if (dtype == DType::boolean) turn(value.integer, 0);
  return of_integer(wrapped(value.integer, dtype));
}

/// Longer than a screen, because it has a branch for each kind of expression.
Evaluator::Typed Evaluator::evaluate(const Expr& expr, const Frame& frame) {
  spend();
  struct Visitor {
    Evaluator& self;
    const Expr& expr;
    const Frame& frame;
    Typed operator()(const Literal& literal) const {
      if (literal.is_integer) return {kWeakInteger, of_integer(literal.integer)};
      return {kWeakDecimal, of_real(self.numbers_.of_literal(literal.real))};
    }
    Typed operator()(const Infinity&) const { return {kWeakInf, of_real(Numbers::of_class(Class::plus_infinity))}; }
    Typed operator()(const IndexValue& value) const {
      return {kWeakInteger, of_integer(frame.iteration[Layout::slot_of(frame.statement, value.index)])};
    }
    Typed operator()(const Read& read) const { return {typed(read.ref->dtype), self.read(*read.ref, frame)}; }
    Typed operator()(const Sum& sum) const { return self.chain(expr, sum.operands, sum.operators, frame); }
    Typed operator()(const Product& product) const {
      return self.chain(expr, product.operands, product.operators, frame);
    }
    Typed operator()(const Power& power) const {
      const auto* literal = std::get_if<Literal>(&power.exponent->node);
      const bool natural = literal && literal->is_integer && literal->integer >= 0;
      const Typed base = self.evaluate(*power.base, frame);
      const Operands of{{power.base.get()}, {power.exponent.get()}, {&expr}};
      return self.combine(ArithmeticOp::power, base, self.evaluate(*power.exponent, frame), natural, of);
    }
    Typed operator()(const Extremum& extremum) const {
      const Typed left = self.evaluate(*extremum.left, frame);
      const Typed right = self.evaluate(*extremum.right, frame);
      self.note_order(expr, left.value, right.value);
      if (const auto way = self.forced_order(expr, left.value, right.value)) {
        const Typed& chosen = *way == extremum.is_max ? left : right;
        const ValueType type = checked(binary_type(ArithmeticOp::max, left.type, right.type, false));
        return {type, self.convert(chosen.value, type.dtype)};
      }
      return self.combine(extremum.is_max ? ArithmeticOp::max : ArithmeticOp::min, left, right, false, {});
    }
    Typed operator()(const Call& call) const {
      const Typed argument = self.evaluate(*call.argument, frame);
      if (call.function == Function::abs) {
        self.note_order(expr, argument.value, of_integer(0));
        if (const auto way = self.forced_order(expr, argument.value, of_integer(0)))
          return *way ? argument : self.negated(argument);
      }
      return self.call(call, argument);
    }
    Typed operator()(const Select& select) const {
      // The branch not taken is not evaluated, but takes part in the type.
      const bool chosen = self.truth(*select.condition, frame);
      const Guards outer = self.guards_;
      if (!self.forced({select.condition.get()})) self.guard(*select.condition, chosen, frame);
      Typed taken = self.evaluate(chosen ? *select.if_true : *select.if_false, frame);
      self.guards_ = outer;
      const ValueType type = checked(type_of(chosen ? *select.if_false : *select.if_true));
      taken.type = checked(join_type(taken.type, type));
      taken.value = self.convert(taken.value, taken.type.dtype);
      return taken;
    }
    Typed operator()(const Compare&) const {
      return {typed(DType::boolean), of_integer(self.comparison(expr, frame) ? 1 : 0)};
    }
    Typed operator()(const Logic& logic) const {
      // Nothing but if_then_else is lazy.
      const bool stop = logic.op == LogicOp::disjunction;
      bool result = !stop;
      AskedConditions* asked = self.sources_.conditions;
      if (asked) asked->begin(expr, !stop);
      for (const ExprPtr& operand : logic.operands) {
        const bool holds = self.truth(*operand, frame);
        if (holds == stop) result = stop;
        if (asked && std::holds_alternative<Read>(operand->node))
          asked->part(*operand, CompareOp::not_equal, self.numbers_.of_integer(holds ? 1 : 0), holds);
      }
      if (asked) asked->end(result);
      if (self.sources_.met) self.sources_.met->note(expr, 0, result);
      if (self.is_selected(expr, 0, frame.statement)) self.sources_.met->note_selected({&expr});
      result = self.forced({&expr}).value_or(result);
      return {typed(DType::boolean), of_integer(result ? 1 : 0)};
    }
  };
  return std::visit(Visitor{*this, expr, frame}, expr.node);
}

Evaluator::Typed Evaluator::chain(const Expr& whole, const std::vector<ExprPtr>& operands,
                                  const std::vector<ArithmeticOp>& operators, const Frame& frame) {
  Typed result = evaluate(*operands[0], frame);
  for (std::size_t i = 0; i < operators.size(); ++i) {
    const Place left = i == 0 ? Place{operands[0].get()} : Place{&whole, i + 1};
    const Typed right = evaluate(*operands[i + 1], frame);
    quotients_.has_next = operators[i] == ArithmeticOp::floor_divide && i + 1 < operators.size() &&
                          operators[i + 1] == ArithmeticOp::floor_divide;
    result = combine(operators[i], result, right, false, {left, {operands[i + 1].get()}, {&whole, i + 2}});
  }
  return result;
}

Evaluator::Typed Evaluator::combine(ArithmeticOp op, const Typed& left, const Typed& right, bool natural_exponent,
                                    const Operands& of) {
  const ValueType type = checked(binary_type(op, left.type, right.type, natural_exponent));
  if (op == ArithmeticOp::power && is_integer_power(left.type, natural_exponent)) {
    Value result = of_integer(wrapped(1, type.dtype));
    const std::int64_t base = convert(left.value, type.dtype).integer;
    for (std::int64_t i = 0; i < right.value.integer; ++i) {
      spend();
      result = integers(ArithmeticOp::multiply, result.integer, base, type.dtype, of);
    }
    return {type, result};
  }
  if (is_float(type.dtype)) {
    return {type, of_real(arithmetic(op, to_real(left.value), to_real(right.value), of))};
  }
  const std::int64_t a = convert(left.value, type.dtype).integer;
  return {type, integers(op, a, convert(right.value, type.dtype).integer, type.dtype, of)};
}

Value Evaluator::integers(ArithmeticOp op, std::int64_t a, std::int64_t b, DType dtype, const Operands& of) {
  const Wide x = a;
  const Wide y = b;
  switch (op) {
    case ArithmeticOp::add: return of_integer(wrapped(x + y, dtype));
    case ArithmeticOp::subtract: return of_integer(wrapped(x - y, dtype));
    case ArithmeticOp::multiply: return of_integer(wrapped(x * y, dtype));
    case ArithmeticOp::floor_divide:
    case ArithmeticOp::modulo: {
      turn(b, 0);
      if (ask(Question::divisor, of.right, numbers_.of_integer(b))) throw Undefined{"an integer division by zero"};
      const Wide quotient =
          op == ArithmeticOp::floor_divide ? chained_quotient(x, y, of.both) : rounded_quotient(x, y, of.both);
      return of_integer(wrapped(op == ArithmeticOp::modulo ? x - quotient * y : quotient, dtype));
    }
    case ArithmeticOp::max:
    case ArithmeticOp::min: turn(a, b); return of_integer(op == ArithmeticOp::max ? std::max(a, b) : std::min(a, b));
    case ArithmeticOp::divide:
    case ArithmeticOp::power: break;
  }
  throw Undefined{"an integer operation without a meaning"};
}

Evaluator::Typed Evaluator::call(const Call& call, const Typed& argument) {
  const ValueType type = unary_type(call.function, argument.type);
  if (is_float(type.dtype)) {
    return {type, of_real(function(call.function, to_real(argument.value), {call.argument.get()}))};
  }
  const std::int64_t value = convert(argument.value, type.dtype).integer;
  if (call.function == Function::abs) turn(value, 0);
  if (call.function == Function::negate || (call.function == Function::abs && value < 0)) {
    return {type, of_integer(wrapped(-static_cast<Wide>(value), type.dtype))};
  }
  return {type, of_integer(value)};
}

Evaluator::Typed Evaluator::negated(const Typed& argument) const {
  const ValueType type = unary_type(Function::negate, argument.type);
  if (is_float(type.dtype)) return {type, of_real(numbers_.negate(to_real(argument.value)))};
  return {type, of_integer(wrapped(-static_cast<Wide>(argument.value.integer), type.dtype))};
}

bool Evaluator::truth(const Expr& condition, const Frame& frame) {
  const bool holds = convert(evaluate(condition, frame).value, DType::boolean).integer != 0;
  // Comparisons and what is made of them have said so themselves.
  if (is_condition(condition)) return holds;
  if (sources_.met) sources_.met->note(condition, 0, holds);
  return forced({&condition}).value_or(holds);
}

bool Evaluator::comparison(const Expr& expr, const Frame& frame) {
  const auto& compare = std::get<Compare>(expr.node);
  bool all = true;
  Typed left = evaluate(*compare.operands[0], frame);
  for (std::size_t i = 0; i < compare.operators.size(); ++i) {
    bool holds = false;
    Typed right = evaluate(*compare.operands[i + 1], frame);
    const auto dtype = comparison_dtype(left.type, right.type);
    if (!dtype) throw Undefined{"an expression without a type"};
    if (is_float(*dtype)) {
      const Real a = to_real(left.value);
      const Real b = to_real(right.value);
      holds = numbers_.compare(compare.operators[i], a, b);
      if (sources_.met) sources_.met->note_gap(expr, i, holds, numbers_, a, b);
      note_tie(expr, i, compare.operators[i], a, b);
      if (const auto sign = forced_sign(a, b)) holds = Signs::holds(compare.operators[i], *sign);
      if (sources_.conditions && a.is_finite() && b.is_finite())
        sources_.conditions->part(expr, compare.operators[i], numbers_.subtract(a, b), holds);
    } else {
      const std::int64_t a = convert(left.value, *dtype).integer;
      const std::int64_t b = convert(right.value, *dtype).integer;
      turn(a, b);
      switch (compare.operators[i]) {
        case CompareOp::less: holds = a < b; break;
        case CompareOp::less_equal: holds = a <= b; break;
        case CompareOp::greater: holds = a > b; break;
        case CompareOp::greater_equal: holds = a >= b; break;
        case CompareOp::equal: holds = a == b; break;
        case CompareOp::not_equal: holds = a != b; break;
      }
      if (sources_.met)
        sources_.met->note_gap(expr, i, holds, numbers_, numbers_.of_integer(a), numbers_.of_integer(b));
      if (is_selected(expr, i, frame.statement)) sources_.met->note_selected({&expr, i});
      // Small whole numbers of indices are the same by chance.
      const bool may_be_forced = sources_.signs && (selected_ > 0 || reads_any(expr));
      const auto sign = may_be_forced ? forced_sign(numbers_.of_integer(a), numbers_.of_integer(b)) : std::nullopt;
      if (sign) {
        holds = Signs::holds(compare.operators[i], *sign);
      }
      if (sources_.conditions)
        sources_.conditions->part(expr, compare.operators[i],
                                  numbers_.subtract(numbers_.of_integer(a), numbers_.of_integer(b)), holds);
    }
    holds = forced({&expr, i}).value_or(holds);
    all = all && holds;
    left = std::move(right);
  }
  return all;
}

std::optional<bool> Evaluator::forced(const Place& place) const {
  if (!sources_.forced) return std::nullopt;
  for (const Met::Way& way : *sources_.forced) {
    if (way.place == place) return way.is_first;
  }
  return std::nullopt;
}

std::optional<int> Evaluator::forced_sign(const Real& a, const Real& b) const {
  if (!sources_.signs || !a.is_finite() || !b.is_finite()) return std::nullopt;
  const Field& field = numbers_.field();
  return sources_.signs->of(field.add(a.residue, field.negate(b.residue)));
}

std::optional<bool> Evaluator::forced_order(const Expr& expr, const Value& a, const Value& b) const {
  if (const auto way = forced({&expr})) return way;
  if (!sources_.signs || (selected_ == 0 && !reads_any(expr))) return std::nullopt;
  const auto sign = forced_sign(to_real(a), to_real(b));
  return sign ? std::optional(*sign > 0) : std::nullopt;
}

void Evaluator::note_order(const Expr& expr, const Value& a, const Value& b) const {
  const Real left = to_real(a);
  const Real right = to_real(b);
  if (sources_.met) sources_.met->note_order(expr, numbers_, left, right);
  if (!sources_.conditions || !left.is_finite() || !right.is_finite()) return;
  sources_.conditions->part(expr, CompareOp::greater, numbers_.subtract(left, right), left.value > right.value);
}

std::int64_t Evaluator::index(const Subscript& subscript, const Frame& frame) {
  Wide total = subscript.constant;
  for (const Subscript::Term& term : subscript.terms) {
    Wide product = term.coefficient;
    for (const SubscriptAtom& atom : term.factors) {
      Wide factor = 0;
      if (atom.kind == SubscriptAtom::Kind::slot) {
        factor = frame.iteration[atom.slot];
      } else if (atom.kind == SubscriptAtom::Kind::read) {
        factor = read(*atom.ref, frame).integer;
      } else {
        const Wide dividend = index(*atom.dividend, frame);
        const Wide divisor = index(*atom.divisor, frame);
        if (divisor == 0) throw Undefined{"a subscript divided by zero"};
        const Place of{frame.statement.equation->right.get(), Place::kSubscripts};
        const Wide quotient = atom.dividend->reads_data || atom.divisor->reads_data
                                  ? rounded_quotient(dividend, divisor, of)
                                  : floor_of(dividend, divisor);
        factor = atom.kind == SubscriptAtom::Kind::quotient ? quotient : dividend - quotient * divisor;
      }
      product = wrapped(product * factor, DType::i64);
    }
    total += product;
  }
  return wrapped(total, DType::i64);
}

Cell Evaluator::cell_of(const Ref& ref, const Frame& frame) {
  const auto [at, is_new] = storage_.try_emplace({&ref, &frame.statement});
  if (is_new) at->second = layout_.storage(ref, frame.statement);
  Cell cell;
  for (const Subscript& subscript : at->second) cell.push_back(index(subscript, frame));
  return cell;
}

}  // namespace steptp::replayer
