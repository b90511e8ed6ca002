#include "testing/meaning_values.h"

namespace steptp::testing {

namespace {

using Kind = Meant::Kind;

mpz_class to_mpz(std::int64_t value) { return mpz_class(static_cast<long>(value)); }

/// No value is strict; then what cannot be told is not told.
std::optional<Meant> absorbed(Meant left, Meant right) {
  if (left.kind == Kind::none || right.kind == Kind::none) return MeantArithmetic::none();
  if (left.kind == Kind::unknown || right.kind == Kind::unknown) return MeantArithmetic::unknown();
  return std::nullopt;
}

bool has_nan(Meant left, Meant right) { return left.kind == Kind::nan || right.kind == Kind::nan; }

}  // namespace

std::optional<mpz_class> MeantArithmetic::integer(Meant value) const {
  if (!value.is_number()) return std::nullopt;
  const mpq_class* exact = reals_.as_rational(value.number);
  if (!exact || exact->get_den() != 1) return std::nullopt;
  return exact->get_num();
}

std::optional<int> MeantArithmetic::sign(Meant value) {
  if (value.kind == Kind::plus_infinity) return 1;
  if (value.kind == Kind::minus_infinity) return -1;
  return reals_.sign(value.number);
}

std::optional<bool> MeantArithmetic::is_true(Meant value) {
  if (value.kind == Kind::nan || value.is_infinite()) return true;
  if (!value.is_number()) return std::nullopt;
  const auto sign_of = reals_.sign(value.number);
  if (!sign_of) return std::nullopt;
  return *sign_of != 0;
}

std::optional<int> MeantArithmetic::order(Meant left, Meant right) {
  if (left.is_number() && right.is_number()) return reals_.compare(left.number, right.number);
  const auto rank = [](Meant value) {
    return value.kind == Kind::plus_infinity ? 1 : value.kind == Kind::minus_infinity ? -1 : 0;
  };
  return rank(left) < rank(right) ? -1 : rank(left) > rank(right) ? 1 : 0;
}

Meant MeantArithmetic::wrapped(DType dtype, const mpz_class& value) {
  if (dtype == DType::boolean) return number(value != 0 ? 1 : 0);
  const mpz_class least = to_mpz(info(dtype).least);
  const mpz_class count = to_mpz(info(dtype).greatest) - least + 1;
  mpz_class rest;
  mpz_fdiv_r(rest.get_mpz_t(), mpz_class(value - least).get_mpz_t(), count.get_mpz_t());
  return number(mpq_class(rest + least));
}

Meant MeantArithmetic::integer_binary(ArithmeticOp op, DType dtype, Meant left, Meant right) {
  const auto a = integer(left);
  const auto b = integer(right);
  if (!a || !b) return unknown();
  mpz_class out;
  switch (op) {
    case ArithmeticOp::add: return wrapped(dtype, *a + *b);
    case ArithmeticOp::subtract: return wrapped(dtype, *a - *b);
    case ArithmeticOp::multiply: return wrapped(dtype, *a * *b);
    case ArithmeticOp::floor_divide:
      if (*b == 0) return none();
      mpz_fdiv_q(out.get_mpz_t(), a->get_mpz_t(), b->get_mpz_t());
      return wrapped(dtype, out);
    case ArithmeticOp::modulo:
      if (*b == 0) return none();
      mpz_fdiv_r(out.get_mpz_t(), a->get_mpz_t(), b->get_mpz_t());
      return wrapped(dtype, out);
    case ArithmeticOp::max: return *a > *b ? left : right;
    case ArithmeticOp::min: return *a < *b ? left : right;
    case ArithmeticOp::divide:
    case ArithmeticOp::power: break;
  }
  return unknown();
}

Meant MeantArithmetic::integer_power(DType dtype, Meant base, std::uint64_t exponent) {
  if (base.kind == Kind::none) return base;
  const auto a = integer(base);
  if (!a) return unknown();
  // Modulo 2^64 it wraps to every narrower type in the end.
  mpz_class modulus = 1;
  modulus <<= 64;
  mpz_class out;
  mpz_powm(out.get_mpz_t(), a->get_mpz_t(), mpz_class(static_cast<unsigned long>(exponent)).get_mpz_t(),
           modulus.get_mpz_t());
  return wrapped(dtype, out);
}

Meant MeantArithmetic::binary(ArithmeticOp op, DType dtype, Meant left, Meant right) {
  if (const auto out = absorbed(left, right)) return *out;
  if (!is_float(dtype)) return integer_binary(op, dtype, left, right);
  switch (op) {
    case ArithmeticOp::add: return add(left, right);
    case ArithmeticOp::subtract: return add(left, negate(right));
    case ArithmeticOp::multiply: return multiply(left, right);
    case ArithmeticOp::divide: return divide(left, right);
    case ArithmeticOp::floor_divide: return floor_divide(left, right);
    case ArithmeticOp::modulo: return modulo(left, right);
    case ArithmeticOp::power: return power(left, right);
    case ArithmeticOp::max: return extremum(true, left, right);
    case ArithmeticOp::min: return extremum(false, left, right);
  }
  return unknown();
}

Meant MeantArithmetic::negate(Meant value) {
  if (value.is_infinite()) return infinity(value.kind == Kind::minus_infinity);
  return value.is_number() ? exact(reals_.negate(value.number)) : value;
}

Meant MeantArithmetic::add(Meant left, Meant right) {
  if (has_nan(left, right)) return nan();
  if (left.is_number() && right.is_number()) return exact(reals_.add(left.number, right.number));
  if (left.is_infinite() && right.is_infinite()) return left == right ? left : nan();
  return left.is_infinite() ? left : right;
}

Meant MeantArithmetic::multiply(Meant left, Meant right) {
  if (has_nan(left, right)) return nan();
  if (left.is_number() && right.is_number()) return exact(reals_.multiply(left.number, right.number));
  const auto a = sign(left);
  const auto b = sign(right);
  if (!a || !b) return unknown();
  return *a * *b == 0 ? nan() : infinity(*a * *b > 0);
}

Meant MeantArithmetic::divide(Meant left, Meant right) {
  // A zero divisor has no value, whatever is divided by it; a NaN is not a zero.
  if (right.is_number()) {
    const auto divisor = sign(right);
    if (!divisor) return unknown();
    if (*divisor == 0) return none();
  }
  if (has_nan(left, right) || (left.is_infinite() && right.is_infinite())) return nan();
  if (right.is_infinite()) return number(0);
  if (left.is_number()) return exact(reals_.divide(left.number, right.number));
  const auto a = sign(left);
  const auto b = sign(right);
  return a && b ? infinity(*a * *b > 0) : unknown();
}

Meant MeantArithmetic::floor_divide(Meant left, Meant right) {
  const Meant quotient = divide(left, right);
  if (quotient.kind == Kind::none || quotient.kind == Kind::unknown) return quotient;
  // Floats divide as Python does: an infinite dividend gives NaN, an infinite divisor 0 or -1.
  if (has_nan(left, right) || left.is_infinite()) return nan();
  if (right.is_infinite()) {
    const auto a = sign(left);
    const auto b = sign(right);
    return a && b ? number(*a * *b < 0 ? -1 : 0) : unknown();
  }
  return unary(Function::floor, DType::f64, quotient);
}

Meant MeantArithmetic::modulo(Meant left, Meant right) {
  const Meant floor = floor_divide(left, right);
  if (!floor.is_number()) return floor;
  if (right.is_infinite()) {
    const auto below = reals_.sign(floor.number);
    return below ? (*below < 0 ? right : left) : unknown();
  }
  return add(left, negate(multiply(floor, right)));
}

Meant MeantArithmetic::extremum(bool is_max, Meant left, Meant right) {
  if (left.kind == Kind::nan) return right;
  if (right.kind == Kind::nan) return left;
  const auto found = order(left, right);
  if (!found) return unknown();
  return (*found > 0) == is_max ? left : right;
}

Meant MeantArithmetic::compare(CompareOp op, Meant left, Meant right) {
  if (const auto out = absorbed(left, right)) return *out;
  if (has_nan(left, right)) return number(op == CompareOp::not_equal ? 1 : 0);
  const auto found = order(left, right);
  if (!found) return unknown();
  const int o = *found;
  switch (op) {
    case CompareOp::less: return number(o < 0 ? 1 : 0);
    case CompareOp::less_equal: return number(o <= 0 ? 1 : 0);
    case CompareOp::greater: return number(o > 0 ? 1 : 0);
    case CompareOp::greater_equal: return number(o >= 0 ? 1 : 0);
    case CompareOp::equal: return number(o == 0 ? 1 : 0);
    case CompareOp::not_equal: return number(o != 0 ? 1 : 0);
  }
  return unknown();
}

Meant MeantArithmetic::to_integer(Meant value, DType to) {
  const mpz_class least = to_mpz(info(to).least);
  const mpz_class greatest = to_mpz(info(to).greatest);
  if (value.kind == Kind::nan) return number(0);
  if (value.kind == Kind::plus_infinity) return number(mpq_class(greatest));
  if (value.kind == Kind::minus_infinity) return number(mpq_class(least));
  const auto sign_of = reals_.sign(value.number);
  if (!sign_of) return unknown();
  // Towards zero: the floor of what is positive, the negated floor of the negated.
  const auto below = reals_.floor(*sign_of < 0 ? reals_.negate(value.number) : value.number);
  if (!below) return unknown();
  const mpz_class cut = *sign_of < 0 ? mpz_class(-*below) : *below;
  return number(mpq_class(cut < least ? least : cut > greatest ? greatest : cut));
}

Meant MeantArithmetic::convert(Meant value, DType from, DType to) {
  if (value.kind == Kind::none || value.kind == Kind::unknown || is_float(to)) return value;
  if (to == DType::boolean) {
    const auto truth = is_true(value);
    return truth ? number(*truth ? 1 : 0) : unknown();
  }
  if (is_float(from)) return to_integer(value, to);
  const auto whole = integer(value);
  return whole ? wrapped(to, *whole) : unknown();
}

Meant MeantArithmetic::identity(ArithmeticOp op, DType dtype) {
  if (op == ArithmeticOp::add) return number(0);
  if (op == ArithmeticOp::multiply) return number(1);
  const bool is_max = op == ArithmeticOp::max;
  if (is_float(dtype)) return infinity(!is_max);
  return number(mpq_class(to_mpz(is_max ? info(dtype).least : info(dtype).greatest)));
}

std::string MeantArithmetic::text(Meant value) {
  switch (value.kind) {
    case Kind::number: return reals_.text(value.number);
    case Kind::plus_infinity: return "inf";
    case Kind::minus_infinity: return "-inf";
    case Kind::nan: return "NaN";
    case Kind::none: return "no value";
    case Kind::unknown: return "cannot tell";
  }
  return {};
}

}  // namespace steptp::testing
