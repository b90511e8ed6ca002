// What is asked of values on the way besides comparisons: whether divisors, factors beside infinities and arguments of
// functions are zero or below zero, and how reals and quotients are rounded. Each answer is noted, and may be forced.
#include <algorithm>
#include <cmath>
#include <utility>

#include "replay/evaluate.h"
#include "steptp/base/hash.h"

namespace steptp::replayer {

namespace {

bool reads_data(const Expr& expr) {
  bool found = false;
  for_each_ref(expr, [&](const RefPtr&) { found = true; });
  return found;
}

Wide floor_of(Wide a, Wide b) {
  const Wide quotient = a / b;
  return quotient - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

bool asks_for_sign(Question question) {
  return question == Question::domain || question == Question::factor_sign || question == Question::exponent_sign;
}

enum RoundingKind : std::uint64_t { kDownwards = 1, kToNearest, kTowardsZero };

std::uint64_t rounding_mark(std::uint64_t kind, std::uint64_t residue) {
  return combine(combine(static_cast<std::uint64_t>(Question::rounding) + 1, kind), residue);
}

Real infinity(bool is_negative) {
  return Numbers::of_class(is_negative ? Class::minus_infinity : Class::plus_infinity);
}

}  // namespace

/// Comparisons of reals only, and of conditions those parts that are decided with the whole. The sides are evaluated
/// once more; what is asked in them has been noted.
void Evaluator::guard(const Expr& condition, bool holds, const Frame& frame) {
  if (!sources_.met) return;
  if (const auto* logic = std::get_if<Logic>(&condition.node)) {
    if ((logic->op == LogicOp::conjunction) != holds) return;
    for (const ExprPtr& operand : logic->operands) guard(*operand, holds, frame);
    return;
  }
  const auto* compare = std::get_if<Compare>(&condition.node);
  if (!compare || (!holds && compare->operators.size() > 1)) return;
  const Field& field = numbers_.field();
  const auto is_positive = [&](const Real& value) { return value.is_finite() && value.value > value.error; };
  for (std::size_t i = 0; i < compare->operators.size(); ++i) {
    const Typed left = evaluate(*compare->operands[i], frame);
    const Typed right = evaluate(*compare->operands[i + 1], frame);
    Real a = to_real(left.value);
    Real b = to_real(right.value);
    if (!a.is_finite() || !b.is_finite()) continue;
    const CompareOp op = compare->operators[i];
    const bool is_equality = op == CompareOp::equal || op == CompareOp::not_equal;
    const std::uint64_t gap = field.add(a.residue, field.negate(b.residue));
    if (is_equality) {
      if ((op == CompareOp::equal) != holds) guards_.nonzero.push_back(std::min(gap, field.negate(gap)));
      continue;
    }
    // Greater, or as great: a is the side that is.
    const bool is_strict = (op == CompareOp::less || op == CompareOp::greater) == holds;
    const bool is_left = (op == CompareOp::greater || op == CompareOp::greater_equal) == holds;
    const Expr* lesser = (is_left ? compare->operands[i + 1] : compare->operands[i]).get();
    if (!is_left) std::swap(a, b);
    const std::uint64_t above = is_left ? gap : field.negate(gap);
    if (is_strict) guards_.nonzero.push_back(std::min(gap, field.negate(gap)));
    guards_.not_negative.push_back(above);
    // Greater than a number that is written.
    if (reads_data(*lesser) || (!is_positive(b) && b.residue != 0)) continue;
    guards_.not_negative.push_back(a.residue);
    if (is_strict || b.residue != 0) guards_.nonzero.push_back(std::min(a.residue, field.negate(a.residue)));
  }
}

bool Evaluator::is_guarded(Question question, const Real& value) const {
  if (!value.is_finite()) return false;
  const Field& field = numbers_.field();
  if (asks_for_sign(question)) {
    return std::find(guards_.not_negative.begin(), guards_.not_negative.end(), value.residue) !=
           guards_.not_negative.end();
  }
  const std::uint64_t residue = std::min(value.residue, field.negate(value.residue));
  return std::any_of(guards_.nonzero.begin(), guards_.nonzero.end(), [&](std::uint64_t one) {
    if (one == residue) return true;
    const std::uint64_t square = field.multiply(one, one);
    return std::min(square, field.negate(square)) == residue;
  });
}

bool Evaluator::ask(Question question, const Place& of, const Real& value) const {
  const int sign = numbers_.sign(value);
  const bool is_first = asks_for_sign(question) ? sign < 0 : sign == 0;
  if (!of.expr || (!sources_.met && !sources_.forced && !sources_.signs)) return is_first;
  const Place place{of.expr, of.part, question};
  if (sources_.met && !is_guarded(question, value)) {
    Real asked = value;
    if (!asks_for_sign(question)) asked.residue = numbers_.without_root(value);
    std::optional<std::uint64_t> mark;
    if (value.is_finite()) mark = Met::mark_of(question, asked, numbers_.field());
    sources_.met->note_question(place, is_first, mark, asked.residue);
    if (mark && numbers_.used_functions()) sources_.met->note_digits(place, *mark, value);
  }
  if (const auto way = forced(place)) return *way;
  if (!sources_.signs || !value.is_finite()) return is_first;
  const std::uint64_t residue = asks_for_sign(question) ? value.residue : numbers_.without_root(value);
  const auto found = sources_.signs->of(residue);
  if (!found) return is_first;
  return asks_for_sign(question) ? *found < 0 : *found == 0;
}

void Evaluator::note_cases(const Place& of, bool is_exception, const Real& value) const {
  if (!of.expr || !sources_.met) return;
  sources_.met->note_question({of.expr, of.part, Question::special}, is_exception,
                              Met::mark_of(Question::special, value, numbers_.field()));
}

void Evaluator::note_tie(const Expr& expr, std::size_t part, CompareOp op, const Real& a, const Real& b) const {
  if (!sources_.met || !a.is_finite() || !b.is_finite()) return;
  const Field& field = numbers_.field();
  const std::uint64_t gap = field.add(a.residue, field.negate(b.residue));
  const bool is_turned = field.negate(gap) < gap;
  // With which side a tie goes: with neither, with what is greater, with what is less.
  const bool is_apart = op == CompareOp::equal || op == CompareOp::not_equal;
  const bool is_upper = (op == CompareOp::less || op == CompareOp::greater_equal) != is_turned;
  const std::uint64_t side = is_apart ? 0 : is_upper ? 1 : 2;
  const std::uint64_t question = static_cast<std::uint64_t>(Question::tie) + 1;
  const std::uint64_t mark = steptp::combine(steptp::combine(question, side), is_turned ? field.negate(gap) : gap);
  sources_.met->note_question({&expr, part, Question::tie}, gap == 0, mark);
}

void Evaluator::note_digits(const Place& of, bool is_unseen, std::uint64_t mark) const {
  const std::uint64_t question = static_cast<std::uint64_t>(Question::digits) + 1;
  sources_.met->note_question({of.expr, of.part, Question::digits}, is_unseen, steptp::combine(question, mark));
}

void Evaluator::note_sum(const Place& of, const Real& a, const Real& b) const {
  constexpr long double kLeastPart = 0x1p-1000L;
  const bool is_asked = sources_.met && of.expr && numbers_.used_functions() && a.is_finite() && b.is_finite();
  if (!is_asked || a.residue == 0 || b.residue == 0) return;
  const long double less = std::fmin(std::fabs(a.value), std::fabs(b.value));
  const long double greater = std::fmax(std::fabs(a.value), std::fabs(b.value));
  note_digits(of, less <= greater * kLeastPart, numbers_.field().add(a.residue, b.residue));
}

void Evaluator::note_limit(Function function, const Real& a, const Place& of) const {
  constexpr long double kLeast = 0x1p-1000L;
  constexpr long double kMostErf = 26;
  constexpr long double kMostTanh = 350;
  const bool is_curved = function == Function::exp || function == Function::erf || function == Function::tanh ||
                         function == Function::sin || function == Function::cos;
  if (!is_curved || !sources_.met || !of.expr || !a.is_finite() || a.residue == 0) return;
  const long double size = std::fabs(a.value);
  const bool is_far =
      (function == Function::erf && size > kMostErf) || (function == Function::tanh && size > kMostTanh);
  note_digits(of, is_far || size < kLeast, steptp::combine(static_cast<std::uint64_t>(function), a.residue));
}

Real Evaluator::arithmetic(ArithmeticOp op, const Real& a, const Real& b, const Operands& of) const {
  switch (op) {
    case ArithmeticOp::multiply: return product(a, b, of);
    case ArithmeticOp::divide: return quotient(a, b, of);
    case ArithmeticOp::floor_divide:
    case ArithmeticOp::modulo: return rounded_quotient(op, a, b, of);
    case ArithmeticOp::power: return power(a, b, of);
    case ArithmeticOp::add:
    case ArithmeticOp::subtract: note_sum(of.both, a, op == ArithmeticOp::add ? b : numbers_.negate(b)); break;
    case ArithmeticOp::max:
    case ArithmeticOp::min: break;
  }
  return numbers_.arithmetic(op, a, b);
}

Real Evaluator::product(const Real& a, const Real& b, const Operands& of) const {
  const bool is_nan = a.kind == Class::nan || b.kind == Class::nan;
  if (is_nan || a.is_finite() == b.is_finite()) return numbers_.multiply(a, b);
  const Real& factor = a.is_finite() ? a : b;
  const Place& place = a.is_finite() ? of.left : of.right;
  if (ask(Question::factor, place, factor)) return Numbers::of_class(Class::nan);
  const bool is_negative = ask(Question::factor_sign, place, factor);
  return infinity(((a.is_finite() ? b : a).kind == Class::minus_infinity) != is_negative);
}

Real Evaluator::quotient(const Real& a, const Real& b, const Operands& of) const {
  if (!b.is_finite()) return numbers_.divide(a, b);
  numbers_.turn(b);
  if (ask(Question::divisor, of.right, b)) throw Undefined{"a division by zero"};
  if (a.kind != Class::plus_infinity && a.kind != Class::minus_infinity) return numbers_.divide(a, b);
  return infinity((a.kind == Class::minus_infinity) != ask(Question::factor_sign, of.right, b));
}

Real Evaluator::rounded_quotient(ArithmeticOp op, const Real& a, const Real& b, const Operands& of) const {
  if (b.is_finite() && ask(Question::divisor, of.right, b)) throw Undefined{"a quotient by zero"};
  if (!a.is_finite() || !b.is_finite()) return numbers_.arithmetic(op, a, b);
  const Real whole = rounded(Function::floor, numbers_.divide(a, b), of.both);
  return op == ArithmeticOp::floor_divide ? whole : numbers_.subtract(a, numbers_.multiply(whole, b));
}

Real Evaluator::power(const Real& a, const Real& b, const Operands& of) const {
  const bool varies = of.right.expr && reads_data(*of.right.expr);
  if (!a.is_finite() || !b.is_finite()) {
    if (a.is_finite()) note_cases(of.left, true, a);
    if (b.is_finite() && varies) note_cases(of.right, true, b);
    return numbers_.power(a, b);
  }
  if (varies) {
    // A power of what is positive has one formula. Of other numbers, zero and whole exponents are cases of their own.
    const bool is_positive = numbers_.sign(a) > 0;
    note_cases(of.left, !is_positive, a);
    if (!is_positive) note_cases(of.right, true, b);
    return numbers_.power(a, b);
  }
  const bool is_whole = b.error == 0 && b.value == std::floor(b.value);
  if (!is_whole && ask(Question::domain, of.left, a)) return Numbers::of_class(Class::nan);
  if (b.value < 0) {
    numbers_.turn(a);
    if (ask(Question::divisor, of.left, a)) throw Undefined{"a negative power of zero"};
  }
  return numbers_.power(a, b);
}

Real Evaluator::function(Function function, const Real& a, const Place& of) const {
  const bool is_root = function == Function::sqrt || function == Function::rsqrt;
  if (function == Function::floor || function == Function::ceil || function == Function::round) {
    return rounded(function, a, of);
  }
  note_limit(function, a, of);
  if ((!is_root && function != Function::log) || !a.is_finite()) return numbers_.function(function, a);
  numbers_.turn(a);
  if (ask(Question::domain, of, a)) return Numbers::of_class(Class::nan);
  if (function == Function::log && ask(Question::pole, of, a)) return infinity(true);
  if (function == Function::rsqrt && ask(Question::divisor, of, a)) throw Undefined{"rsqrt of zero"};
  return numbers_.function(function, a);
}

std::int64_t Evaluator::ask_of_rounding(std::uint64_t mark, const Place& of) const {
  constexpr std::uint64_t kMostShift = 5;
  if (sources_.met && of.expr) sources_.met->note_question({of.expr, of.part, Question::rounding}, true, mark);
  if (!sources_.shifted || !sources_.shifted->contains(mark)) return 0;
  return static_cast<std::int64_t>(1 + mix(mark) % kMostShift);
}

Real Evaluator::rounded(Function function, const Real& a, const Place& of) const {
  const Real whole = numbers_.function(function, a);
  if (!a.is_finite()) return whole;
  const Field& field = numbers_.field();
  if (function == Function::round) {
    const std::uint64_t opposite = field.negate(a.residue);
    const std::uint64_t mark = rounding_mark(kToNearest, std::min(a.residue, opposite));
    const std::int64_t shift = ask_of_rounding(mark, {of.expr, Place::kNowhere});
    return shift == 0 ? whole : numbers_.add(whole, numbers_.of_integer(a.residue < opposite ? shift : -shift));
  }
  // Upwards is downwards of the negated number; a whole number that is added changes nothing.
  const bool is_down = function == Function::floor;
  const Real rest = is_down ? numbers_.subtract(a, whole) : numbers_.subtract(whole, a);
  const std::int64_t shift = ask_of_rounding(rounding_mark(kDownwards, rest.residue), of);
  return shift == 0 ? whole : numbers_.add(whole, numbers_.of_integer(is_down ? shift : -shift));
}

Wide Evaluator::rounded_quotient(Wide dividend, Wide divisor, const Place& of) const {
  const Wide quotient = floor_of(dividend, divisor);
  // It is another one beyond the next multiples of its divisor.
  turn(dividend, quotient * divisor);
  turn(dividend, quotient * divisor + divisor);
  if (!sources_.met && !sources_.shifted) return quotient;
  const Field& field = numbers_.field();
  const auto residue = [&](Wide value) { return field.of_integer(wrapped(value, DType::i64)); };
  const std::uint64_t rest = field.multiply(residue(dividend - quotient * divisor), field.inverse(residue(divisor)));
  return quotient + ask_of_rounding(rounding_mark(kDownwards, rest), of);
}

Wide Evaluator::chained_quotient(Wide dividend, Wide divisor, const Place& of) {
  const auto earlier = std::exchange(quotients_.first, std::nullopt);
  const Wide first = earlier ? earlier->first : dividend;
  const Wide product = earlier ? earlier->second * divisor : divisor;
  constexpr Wide kMost = static_cast<Wide>(1) << 62;
  if (divisor <= 0 || product > kMost) return rounded_quotient(dividend, divisor, of);
  if (!quotients_.has_next) return rounded_quotient(first, product, of);
  // Only the last one is asked.
  quotients_.first = {first, product};
  return floor_of(dividend, divisor);
}

Value Evaluator::stored(const Expr& expr, const Typed& value, DType dtype) {
  const Value out = convert(value.value, dtype);
  const bool is_nan = !value.value.is_integer && value.value.real.kind == Class::nan;
  if (dtype == DType::boolean && value.type.dtype != DType::boolean && !is_nan) {
    return {true, ask(Question::truth, {&expr}, to_real(value.value)) ? 0 : 1, {}};
  }
  if (is_float(dtype) || dtype == DType::boolean || value.value.is_integer || !value.value.real.is_finite()) return out;
  const Real& real = value.value.real;
  const DTypeInfo& type = info(dtype);
  const bool is_beyond = real.value >= static_cast<long double>(type.greatest) + 1 ||
                         real.value <= static_cast<long double>(type.least) - 1;
  const std::uint64_t raw = steptp::combine(static_cast<std::uint64_t>(dtype), real.residue);
  const Place range{&expr, static_cast<std::size_t>(dtype), Question::range};
  if (sources_.met) sources_.met->note_question(range, is_beyond, raw);
  if (!is_beyond && forced(range) == true) return {true, raw % 2 == 0 ? type.least : type.greatest, {}};
  if (is_beyond) return out;
  // Whole numbers stay what they are; of others it matters whether they are negative.
  const bool is_whole = numbers_.of_integer(out.integer).residue == real.residue;
  const std::int64_t shift = ask_of_rounding(rounding_mark(kTowardsZero, is_whole ? 0 : raw), {&expr});
  return {true, wrapped(static_cast<Wide>(out.integer) + (is_whole ? 0 : shift), dtype), {}};
}

}  // namespace steptp::replayer
