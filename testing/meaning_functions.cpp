// Functions and powers of the meaning: where each is a number, an infinity, NaN, or has no value.

#include "testing/meaning_values.h"

namespace steptp::testing {

namespace {
using Kind = Meant::Kind;
}  // namespace

Meant MeantArithmetic::unary(Function function, DType dtype, Meant argument) {
  if (argument.kind == Kind::none || argument.kind == Kind::unknown) return argument;
  if (!is_float(dtype)) {
    const auto value = integer(argument);
    if (!value) return unknown();
    if (function == Function::negate) return wrapped(dtype, -*value);
    if (function == Function::abs) return wrapped(dtype, abs(*value));
    return argument;  // floor, ceil and round of an integer; other functions are never asked for
  }
  if (argument.kind == Kind::nan) return argument;
  if (argument.is_infinite()) return function_of_infinity(function, argument.kind == Kind::plus_infinity);
  return function_of_number(function, argument.number);
}

Meant MeantArithmetic::function_of_infinity(Function function, bool positive) {
  switch (function) {
    case Function::negate: return infinity(!positive);
    case Function::abs: return infinity(true);
    case Function::floor:
    case Function::ceil:
    case Function::round: return infinity(positive);
    case Function::exp: return positive ? infinity(true) : number(0);
    case Function::log:
    case Function::sqrt: return positive ? infinity(true) : nan();
    case Function::rsqrt: return positive ? number(0) : nan();
    case Function::erf:
    case Function::tanh: return number(positive ? 1 : -1);
    case Function::sin:
    case Function::cos: return nan();
  }
  return unknown();
}

Meant MeantArithmetic::function_of_number(Function function, Id argument) {
  switch (function) {
    case Function::negate: return exact(reals_.negate(argument));
    case Function::floor:
    case Function::ceil:
    case Function::round: return rounded(function, argument);
    case Function::exp:
    case Function::erf:
    case Function::tanh:
    case Function::sin:
    case Function::cos: return exact(reals_.function(function, argument));
    case Function::abs:
    case Function::log:
    case Function::sqrt:
    case Function::rsqrt: break;
  }
  const auto sign_of = reals_.sign(argument);
  if (!sign_of) return unknown();
  if (function == Function::abs) return exact(*sign_of < 0 ? reals_.negate(argument) : argument);
  if (*sign_of < 0) return nan();
  if (*sign_of > 0) return exact(reals_.function(function, argument));
  if (function == Function::log) return infinity(false);
  return function == Function::sqrt ? number(0) : none();
}

Meant MeantArithmetic::rounded(Function function, Id argument) {
  if (function == Function::ceil) {
    const auto below = reals_.floor(reals_.negate(argument));
    return below ? number(mpq_class(mpz_class(-*below))) : unknown();
  }
  if (function == Function::floor) {
    const auto below = reals_.floor(argument);
    return below ? number(mpq_class(*below)) : unknown();
  }
  // Half to even: the floor of x + 1/2, except that a tie goes to the even neighbour.
  const Id shifted = reals_.add(argument, reals_.rational(mpq_class(1, 2)));
  const auto below = reals_.floor(shifted);
  if (!below) return unknown();
  const mpq_class* value = reals_.as_rational(shifted);
  const bool tie = value && value->get_den() == 1;
  return number(mpq_class(tie && mpz_odd_p(below->get_mpz_t()) != 0 ? mpz_class(*below - 1) : *below));
}

Meant MeantArithmetic::power(Meant base, Meant exponent) {
  if (exponent.is_number()) {
    const auto e = sign(exponent);
    if (!e) return unknown();
    if (base.is_number()) {
      const auto b = sign(base);
      if (!b) return unknown();
      if (*b == 0) return *e < 0 ? none() : number(*e == 0 ? 1 : 0);
    }
    if (*e == 0) return number(1);  // as IEEE 754 pow: of an infinity and of NaN too
  }
  if (base.is_number() && base == number(1)) return base;
  if (base.kind == Kind::nan || exponent.kind == Kind::nan) return nan();
  if (exponent.is_infinite()) return infinite_power(base, exponent.kind == Kind::plus_infinity);
  if (base.is_infinite()) return power_of_infinity(base, exponent);
  if (*sign(base) > 0) return exact(reals_.power(base.number, exponent.number));
  const mpq_class* whole = reals_.as_rational(exponent.number);
  if (!whole) return unknown();
  return whole->get_den() == 1 ? exact(reals_.power(base.number, exponent.number)) : nan();
}

/// x**inf and x**-inf: by whether |x| lies below 1, at 1 or above. The page does not say what a negative base gives.
Meant MeantArithmetic::infinite_power(Meant base, bool positive_exponent) {
  const auto b = sign(base);
  if (!b || *b < 0) return unknown();
  const auto size = order(unary(Function::abs, DType::f64, base), number(1));
  if (!size) return unknown();
  if (*size == 0) return number(1);
  if (base.is_number() && base == number(0) && !positive_exponent) return none();
  return (*size > 0) == positive_exponent ? infinity(true) : number(0);
}

Meant MeantArithmetic::power_of_infinity(Meant base, Meant exponent) {
  const auto e = sign(exponent);
  if (!e) return unknown();
  const mpq_class* value = reals_.as_rational(exponent.number);
  // The page does not say what a broken power of -inf is.
  if (base.kind == Kind::minus_infinity && (!value || value->get_den() != 1)) return unknown();
  if (*e < 0) return number(0);
  return infinity(base.kind == Kind::plus_infinity || mpz_odd_p(value->get_num_mpz_t()) == 0);
}

}  // namespace steptp::testing
