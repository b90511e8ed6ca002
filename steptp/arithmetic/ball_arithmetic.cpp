// A value is a ball of Arb that surely holds it, next to residues in two prime fields that say which expression it is.
// The ball decides comparisons; where two balls overlap, equal residues still show that the values are equal, which no
// precision could. What cannot be decided at this precision fails with needs_precision, and the caller comes again with
// more digits. docs/decisions/0010-certified-evaluation.md.
#include "steptp/arithmetic/ball_arithmetic.h"

#include <algorithm>
#include <cmath>

#include "steptp/arithmetic/ball_functions.h"
#include "steptp/arithmetic/failure.h"
#include "steptp/arithmetic/real_rules.h"
#include "steptp/base/hash.h"
#include "steptp/base/text.h"
#include "steptp/ir/dtype.h"

namespace steptp::certify {

namespace {

using Value = BallArithmetic::Value;

bool is_finite(const Value& a) { return a.value_class == ValueClass::finite; }
bool is_nan(const Value& a) { return a.value_class == ValueClass::nan; }

/// An exponent e with |value| < 2^e, roughly the least; kept where differences cannot overflow.
std::int64_t magnitude(const Value& a) {
  constexpr std::int64_t kFarthest = std::int64_t{1} << 60;
  arf_t bound;
  arf_init(bound);
  if (arf_is_zero(arb_midref(a.ball)) != 0) {
    arf_set_mag(bound, arb_radref(a.ball));
  } else {
    arf_set(bound, arb_midref(a.ball));
  }
  const std::int64_t exponent = arf_abs_bound_lt_2exp_si(bound);
  arf_clear(bound);
  return std::clamp(exponent, -kFarthest, kFarthest);
}

/// An exact integer for the time of a block.
class Integer {
 public:
  Integer() { fmpz_init(number); }
  Integer(const Integer&) = delete;
  Integer& operator=(const Integer&) = delete;
  ~Integer() { fmpz_clear(number); }
  fmpz_t number;
};

}  // namespace

BallArithmetic::BallArithmetic(std::uint64_t seed, std::int64_t precision)
    : fields_{PrimeField(combine(seed, 1)), PrimeField(combine(seed, 2))}, precision_(precision) {}

void BallArithmetic::undecided() const {
  fail(FailureKind::needs_precision, concat("a comparison that balls of ", precision_, " bits do not decide"));
}

void BallArithmetic::set_class(Value& out, ValueClass value_class) const {
  out.value_class = value_class;
  arb_zero(out.ball);
  out.identity = {};
}

std::uint32_t BallArithmetic::add_literals(const std::vector<Decimal>& literals) {
  const auto first = static_cast<std::uint32_t>(literals_.size());
  for (const Decimal& decimal : literals) {
    Value& value = literals_.emplace_back();
    for (std::size_t i = 0; i < 2; ++i) value.identity[i] = fields_[i].of_decimal(decimal);
    Integer ten;
    fmpz_set_ui(ten.number, 10);
    fmpz_pow_ui(ten.number, ten.number, static_cast<ulong>(std::abs(decimal.exponent)));
    arb_set_si(value.ball, decimal.digits);
    if (decimal.exponent < 0) {
      arb_div_fmpz(value.ball, value.ball, ten.number, precision_);
    } else {
      arb_mul_fmpz(value.ball, value.ball, ten.number, precision_);
    }
  }
  return first;
}

void BallArithmetic::input(Value& out, Fraction value) const {
  if (value.is_minus_infinity()) return infinity(out, -1);
  out.value_class = ValueClass::finite;
  arb_set_si(out.ball, value.mantissa);
  arb_mul_2exp_si(out.ball, out.ball, value.exponent);
  if (value.divisor != 1) arb_div_si(out.ball, out.ball, value.divisor, precision_);
  for (std::size_t i = 0; i < 2; ++i) out.identity[i] = fields_[i].of_fraction(value);
}

void BallArithmetic::integer(Value& out, std::int64_t value) const {
  out.value_class = ValueClass::finite;
  arb_set_si(out.ball, value);
  for (std::size_t i = 0; i < 2; ++i) out.identity[i] = fields_[i].of_integer(value);
}

void BallArithmetic::infinity(Value& out, int sign) const { set_class(out, certify::infinity(sign)); }

int BallArithmetic::sign(const Value& a) const {
  if (a.value_class == ValueClass::positive_infinity) return 1;
  if (a.value_class == ValueClass::negative_infinity) return -1;
  if (arb_is_positive(a.ball) != 0) return 1;
  if (arb_is_negative(a.ball) != 0) return -1;
  if (arb_is_zero(a.ball) != 0 || a.identity == decltype(a.identity){}) return 0;
  undecided();
}

Order BallArithmetic::order(const Value& a, const Value& b) const {
  if (!is_finite(a) || !is_finite(b)) return order_of_classes(a.value_class, b.value_class);
  if (arb_lt(a.ball, b.ball) != 0) return Order::less;
  if (arb_gt(a.ball, b.ball) != 0) return Order::greater;
  if (a.identity == b.identity) return Order::equal;
  if (arb_is_exact(a.ball) != 0 && arb_is_exact(b.ball) != 0) return Order::equal;
  return Order::unknown;
}

bool BallArithmetic::compare(CompareOp op, const Value& a, const Value& b) {
  if (is_nan(a) || is_nan(b)) return op == CompareOp::not_equal;
  const Order found = order(a, b);
  if (found != Order::unknown) return holds(op, found);
  // Without functions, different identities are different numbers.
  if (functions_ == 0 && op == CompareOp::equal) return false;
  if (functions_ == 0 && op == CompareOp::not_equal) return true;
  undecided();
}

void BallArithmetic::note_absorbed(const Value& summand, std::int64_t sum_exponent) {
  if (arb_is_zero(summand.ball) != 0) return;
  // The summand's leading bits are to stand well above the last place of the sum.
  const std::int64_t wanted = sum_exponent - magnitude(summand) + 64;
  if (wanted > wanted_precision_) wanted_precision_ = wanted;
}

void BallArithmetic::add(Value& out, const Value& a, const Value& b, bool subtract) {
  if (!is_finite(a) || !is_finite(b)) {
    return set_class(out, special_add(a.value_class, subtract ? negated(b.value_class) : b.value_class).result);
  }
  std::array<PrimeField::Residue, 2> identity{};
  for (std::size_t i = 0; i < 2; ++i) {
    identity[i] =
        subtract ? fields_[i].subtract(a.identity[i], b.identity[i]) : fields_[i].add(a.identity[i], b.identity[i]);
  }
  // The operands may be the result, so that what is said of them comes first.
  const std::int64_t largest = std::max(magnitude(a), magnitude(b));
  if (arb_is_zero(a.ball) == 0 && arb_is_zero(b.ball) == 0) {
    note_absorbed(a, largest);
    note_absorbed(b, largest);
  }
  if (subtract) {
    arb_sub(out.ball, a.ball, b.ball, precision_);
  } else {
    arb_add(out.ball, a.ball, b.ball, precision_);
  }
  out.value_class = ValueClass::finite;
  out.identity = identity;
  if (identity == decltype(identity){} && arb_contains_zero(out.ball) != 0) arb_zero(out.ball);
}

void BallArithmetic::multiply(Value& out, const Value& a, const Value& b) {
  if (!is_finite(a) || !is_finite(b)) {
    const bool nan = is_nan(a) || is_nan(b);
    const Special special = special_multiply(a.value_class, nan ? 1 : sign(a), b.value_class, nan ? 1 : sign(b));
    return set_class(out, special.result);
  }
  for (std::size_t i = 0; i < 2; ++i) out.identity[i] = fields_[i].multiply(a.identity[i], b.identity[i]);
  arb_mul(out.ball, a.ball, b.ball, precision_);
  out.value_class = ValueClass::finite;
}

void BallArithmetic::divide(Value& out, const Value& a, const Value& b) {
  const int divisor_sign = is_nan(b) ? 1 : sign(b);
  if (!is_finite(a) || !is_finite(b) || divisor_sign == 0) {
    const Special special = special_divide(a.value_class, is_nan(a) ? 1 : sign(a), b.value_class, divisor_sign);
    return set_class(out, special.is_zero ? ValueClass::finite : special.result);
  }
  for (std::size_t i = 0; i < 2; ++i) {
    if (b.identity[i] == 0) fail(FailureKind::unlucky_prime, "a divisor that is not zero has residue zero");
    out.identity[i] = fields_[i].multiply(a.identity[i], fields_[i].inverse(b.identity[i]));
  }
  arb_div(out.ball, a.ball, b.ball, precision_);
  out.value_class = ValueClass::finite;
}

void BallArithmetic::extremum(bool is_max, Value& out, const Value& a, const Value& b) {
  bool first = true;
  if (is_nan(a)) {
    first = false;
  } else if (!is_nan(b)) {
    const Order found = order(a, b);
    if (found == Order::unknown) undecided();
    first = found == Order::equal || found == (is_max ? Order::greater : Order::less);
  }
  const Value& chosen = first ? a : b;
  if (&out != &chosen) out = chosen;
}

void BallArithmetic::floor_divide(Value& out, const Value& a, const Value& b) {
  if (is_finite(b) && sign(b) == 0) fail(FailureKind::undefined_value, "a floor division by zero");
  if (is_nan(a) || is_nan(b) || !is_finite(a)) return set_class(out, ValueClass::nan);
  if (!is_finite(b)) return integer(out, sign(a) * sign(b) < 0 ? -1 : 0);
  divide(out, a, b);
  round(Function::floor, out, out);
}

void BallArithmetic::round(Function function, Value& out, const Value& a) {
  if (!is_finite(a)) {
    if (&out != &a) out = a;
    return;
  }
  // An integer of that size is not told apart below either, and writing exp(exp(24)) out takes gigabytes.
  if (arf_cmpabs_2exp_si(arb_midref(a.ball), 64) > 0) undecided();
  Value rounded;
  Integer whole;
  if (function == Function::floor) {
    arb_floor(rounded.ball, a.ball, precision_);
  } else if (function == Function::ceil) {
    arb_ceil(rounded.ball, a.ball, precision_);
  } else {
    Value half;
    arb_set_d(half.ball, 0.5);
    arb_add(half.ball, a.ball, half.ball, precision_);
    arb_floor(rounded.ball, half.ball, precision_);
    const bool tie = arb_is_exact(half.ball) != 0 && arb_is_int(half.ball) != 0;
    if (tie && arb_get_unique_fmpz(whole.number, rounded.ball) != 0 && fmpz_is_odd(whole.number) != 0) {
      arb_sub_ui(rounded.ball, rounded.ball, 1, precision_);
    }
  }
  if (arb_get_unique_fmpz(whole.number, rounded.ball) == 0 || fmpz_bits(whole.number) > 62) undecided();
  integer(out, fmpz_get_si(whole.number));
}

void BallArithmetic::transcendental(Function function, Value& out, const Value& a) {
  if (!is_finite(a)) {
    const LimitValue limit = limit_of(function, a.value_class);
    if (limit.value_class == ValueClass::finite) return integer(out, limit.number);
    return set_class(out, limit.value_class);
  }
  const bool has_edge = function == Function::log || function == Function::sqrt || function == Function::rsqrt;
  const int argument_sign = has_edge ? sign(a) : 1;
  if (argument_sign < 0) return set_class(out, ValueClass::nan);
  if (argument_sign == 0) {
    if (function == Function::rsqrt) fail(FailureKind::undefined_value, "rsqrt of zero");
    if (function == Function::sqrt) return integer(out, 0);
    return set_class(out, ValueClass::negative_infinity);
  }
  // The points where a function of a rational is rational: without these exp(0) would not be 1.
  if (arb_is_zero(a.ball) != 0) return integer(out, function == Function::exp || function == Function::cos ? 1 : 0);
  if (function == Function::log && arb_is_one(a.ball) != 0) return integer(out, 0);
  ++functions_;
  const bool inverted = function == Function::rsqrt;
  const auto name = static_cast<std::uint64_t>(inverted ? Function::sqrt : function);
  for (std::size_t i = 0; i < 2; ++i) {
    out.identity[i] = fields_[i].of_function(name, a.identity[i]);
    if (inverted && out.identity[i] != 0) out.identity[i] = fields_[i].inverse(out.identity[i]);
  }
  evaluate_function(function, out.ball, a.ball, precision_);
  out.value_class = ValueClass::finite;
  if (arb_is_finite(out.ball) == 0) undecided();
}

void BallArithmetic::arithmetic(ArithmeticOp op, Value& out, const Value& a, const Value& b) {
  switch (op) {
    case ArithmeticOp::add: return add(out, a, b, false);
    case ArithmeticOp::subtract: return add(out, a, b, true);
    case ArithmeticOp::multiply: return multiply(out, a, b);
    case ArithmeticOp::divide: return divide(out, a, b);
    case ArithmeticOp::floor_divide: return floor_divide(out, a, b);
    case ArithmeticOp::modulo: {
      if (is_finite(b) && sign(b) == 0) fail(FailureKind::undefined_value, "a remainder by zero");
      if (is_nan(a) || is_nan(b) || !is_finite(a)) return set_class(out, ValueClass::nan);
      if (!is_finite(b)) {
        const Value& chosen = sign(a) * sign(b) < 0 ? b : a;
        if (&out != &chosen) out = chosen;
        return;
      }
      Value multiple;
      floor_divide(multiple, a, b);
      multiply(multiple, multiple, b);
      return add(out, a, multiple, true);
    }
    case ArithmeticOp::power: {
      Value result;
      power(result, a, b);
      out = std::move(result);
      return;
    }
    case ArithmeticOp::max: return extremum(true, out, a, b);
    case ArithmeticOp::min: return extremum(false, out, a, b);
  }
}

void BallArithmetic::function(Function function, Value& out, const Value& a) {
  switch (function) {
    case Function::negate:
      for (std::size_t i = 0; i < 2; ++i) out.identity[i] = fields_[i].negate(a.identity[i]);
      out.value_class = negated(a.value_class);
      arb_neg(out.ball, a.ball);
      return;
    case Function::abs:
      if (!is_nan(a) && sign(a) < 0) return this->function(Function::negate, out, a);
      if (&out != &a) out = a;
      return;
    case Function::floor:
    case Function::ceil:
    case Function::round: return round(function, out, a);
    case Function::exp:
    case Function::log:
    case Function::sqrt:
    case Function::erf:
    case Function::tanh:
    case Function::sin:
    case Function::cos:
    case Function::rsqrt: return transcendental(function, out, a);
  }
}

std::int64_t BallArithmetic::to_integer(const Value& a, DType dtype) {
  if (dtype == DType::boolean) return is_nan(a) || sign(a) != 0 ? 1 : 0;
  if (is_nan(a)) return 0;
  const DTypeInfo& type = info(dtype);
  if (!is_finite(a)) return sign(a) > 0 ? type.greatest : type.least;
  // Beyond the type's range nothing has to be rounded.
  if (arb_is_finite(a.ball) != 0 && arf_cmpabs_2exp_si(arb_midref(a.ball), 62) > 0) {
    return sign(a) > 0 ? type.greatest : type.least;
  }
  Value whole;
  round(sign(a) >= 0 ? Function::floor : Function::ceil, whole, a);
  const std::int64_t value = arf_get_si(arb_midref(whole.ball), ARF_RND_DOWN);
  return std::clamp(value, type.least, type.greatest);
}

std::string BallArithmetic::text(const Value& a, std::int64_t digits) const {
  switch (a.value_class) {
    case ValueClass::positive_infinity: return "inf";
    case ValueClass::negative_infinity: return "-inf";
    case ValueClass::nan: return "nan";
    case ValueClass::finite: break;
  }
  char* made = arb_get_str(a.ball, digits, ARB_STR_NO_RADIUS);
  std::string out = made;
  flint_free(made);
  return out;
}

}  // namespace steptp::certify
