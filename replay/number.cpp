// Numbers of the replayer: a residue modulo its own prime, and a long double with an error bound. A comparison that
// the bound does not decide is `Undecided`, which is never taken for agreement.
#include "replay/number.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace steptp::replayer {

namespace {

/// Half a unit in the last place of a long double, with room for the rounding of the error bound itself.
constexpr long double kUnit = 0x1p-63L;
constexpr long double kRoom = 1 + 0x1p-50L;
constexpr long double kHuge = std::numeric_limits<long double>::max() / 4;

}  // namespace

void undecided() { throw Undecided{"a comparison that long doubles do not decide"}; }

std::uint64_t Field::power(std::uint64_t base, std::uint64_t exponent) const {
  std::uint64_t result = 1 % prime_;
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = multiply(result, base);
    base = multiply(base, base);
  }
  return result;
}

std::uint64_t Field::of_integer(std::int64_t value) const {
  if (value >= 0) return static_cast<std::uint64_t>(value) % prime_;
  return negate((0 - static_cast<std::uint64_t>(value)) % prime_);
}

bool is_prime(std::uint64_t number) {
  if (number < 2 || number % 2 == 0) return number == 2;
  constexpr std::array<std::uint64_t, 12> kBases = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
  const Field field(number);
  const int twos = __builtin_ctzll(number - 1);
  for (const std::uint64_t base : kBases) {
    if (base % number == 0) continue;
    std::uint64_t x = field.power(base % number, (number - 1) >> twos);
    bool passes = x == 1 || x == number - 1;
    for (int i = 1; i < twos && !passes; ++i) {
      x = field.multiply(x, x);
      passes = x == number - 1;
    }
    if (!passes) return false;
  }
  return true;
}

std::int64_t wrapped(Wide value, DType dtype) {
  const DTypeInfo& type = info(dtype);
  if (dtype == DType::boolean) return value != 0 ? 1 : 0;
  const Wide size = static_cast<Wide>(type.greatest) - type.least + 1;
  Wide rest = (value - type.least) % size;
  if (rest < 0) rest += size;
  return static_cast<std::int64_t>(rest + type.least);
}

void Numbers::turn(const Real& gap) const {
  // The first ones and the last ones, so that those of two evaluations that go the same way have the same places.
  constexpr std::size_t kMostTurns = 96;
  constexpr std::size_t kFirst = 32;
  if (!turns_ || !gap.is_finite()) return;
  if (turns_->size() < kMostTurns) {
    turns_->push_back(gap);
  } else {
    (*turns_)[kFirst + turns_dropped_++ % (kMostTurns - kFirst)] = gap;
  }
}

void Numbers::turn_between(const Real& a, const Real& b) const {
  if (turns_ && a.is_finite() && b.is_finite()) turn(subtract(a, b));
}

void Numbers::note(const Real& stored) {
  if (stored.is_finite()) greatest_ = std::fmax(greatest_, std::fabs(stored.value));
}

Real Numbers::with_fine(Real value, const FinePtr& fine) const {
  if (bits_ > 0) value.fine = fine;
  return value;
}

Real Numbers::enclosed(const Real& real, const FinePtr& fine) const {
  if (std::fabs(real.value) < kHuge && real.error < kHuge) return with_fine(real, fine);
  if (bits_ == 0 || !fine) throw Undecided{"a number beyond long doubles"};
  // The long double says nothing of it; many bits do.
  return {real.residue, 0, std::numeric_limits<long double>::infinity(), Class::finite, fine};
}

Real Numbers::of_integer(std::int64_t value) const {
  return with_fine({field_.of_integer(value), static_cast<long double>(value), 0, Class::finite, nullptr},
                   bits_ > 0 ? fine_integer(bits_, value) : nullptr);
}

Real Numbers::of_dyadic(std::int64_t mantissa, int exponent) const {
  const std::uint64_t scale = field_.power(2, static_cast<std::uint64_t>(exponent < 0 ? -exponent : exponent));
  const std::uint64_t residue =
      field_.multiply(field_.of_integer(mantissa), exponent < 0 ? field_.inverse(scale) : scale);
  // What is too small for a long double is not zero.
  constexpr int kLeastExponent = -16000;
  const long double error = mantissa != 0 && exponent < kLeastExponent ? 0x1p-15900L : 0;
  return enclosed({residue, std::ldexp(static_cast<long double>(mantissa), exponent), error, Class::finite, nullptr},
                  bits_ > 0 ? fine_dyadic(bits_, mantissa, exponent) : nullptr);
}

Real Numbers::of_quotient(std::int64_t above, std::int64_t below) const {
  const long double value = static_cast<long double>(above) / static_cast<long double>(below);
  const std::uint64_t residue = field_.multiply(field_.of_integer(above), field_.inverse(field_.of_integer(below)));
  return enclosed({residue, value, std::fabs(value) * 0x1p-62L, Class::finite, nullptr},
                  bits_ > 0 ? fine_quotient(fine_integer(bits_, above), fine_integer(bits_, below)) : nullptr);
}

Real Numbers::of_double(double value) const {
  if (std::isnan(value)) return of_class(Class::nan);
  if (std::isinf(value)) return of_class(value > 0 ? Class::plus_infinity : Class::minus_infinity);
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return of_dyadic(static_cast<std::int64_t>(std::ldexp(fraction, 53)), exponent - 53);
}

Real Numbers::of_literal(double value) const {
  if (value < 0) return negate(of_literal(-value));
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific);
  std::uint64_t digits = 0;
  std::int64_t exponent = 0;
  bool after_point = false;
  for (const char* at = buffer.data(); at != end.ptr; ++at) {
    if (*at == '.') {
      after_point = true;
    } else if (*at == 'e') {
      std::int64_t written = 0;
      std::from_chars(at[1] == '+' ? at + 2 : at + 1, end.ptr, written);
      exponent += written;
      break;
    } else {
      digits = digits * 10 + static_cast<std::uint64_t>(*at - '0');
      if (after_point) --exponent;
    }
  }
  const std::uint64_t power = field_.power(10, static_cast<std::uint64_t>(exponent < 0 ? -exponent : exponent));
  const std::uint64_t residue = field_.multiply(digits % field_.prime(), exponent < 0 ? field_.inverse(power) : power);
  // A decimal that is a double, 0.5, is exact; others are near what the library reads.
  const std::string text(buffer.data(), end.ptr);
  const bool exact = of_double(value).residue == residue;
  const long double nearest = exact ? static_cast<long double>(value) : std::strtold(text.c_str(), nullptr);
  return enclosed({residue, nearest, exact ? 0 : std::fabs(nearest) * 0x1p-62L, Class::finite, nullptr},
                  bits_ > 0 ? fine_decimal(bits_, text) : nullptr);
}

Real Numbers::of_digits(const std::string& digits) const {
  constexpr std::size_t kShort = 18;
  if (digits.size() <= kShort) return of_integer(std::strtoll(digits.c_str(), nullptr, 10));
  std::uint64_t residue = 0;
  for (const char c : digits) {
    residue = field_.add(field_.multiply(residue, 10), static_cast<std::uint64_t>(c - '0') % field_.prime());
  }
  const long double value = std::strtold(digits.c_str(), nullptr);
  return enclosed({residue, value, value * 0x1p-62L, Class::finite, nullptr},
                  bits_ > 0 ? fine_decimal(bits_, digits) : nullptr);
}

Real Numbers::of_class(Class kind) {
  Real out;
  out.kind = kind;
  return out;
}

Real Numbers::negate_class(const Real& a) {
  switch (a.kind) {
    case Class::plus_infinity: return of_class(Class::minus_infinity);
    case Class::minus_infinity: return of_class(Class::plus_infinity);
    case Class::nan:
    case Class::finite: break;
  }
  return a;
}

Real Numbers::negate(const Real& a) const {
  if (!a.is_finite()) return negate_class(a);
  return with_fine({field_.negate(a.residue), -a.value, a.error, Class::finite, nullptr}, fine_negated(a.fine));
}

Real Numbers::add(const Real& a, const Real& b) const {
  if (a.is_finite() && b.is_finite()) {
    const long double sum = a.value + b.value;
    // Exact sums stay exact, so that short numbers can be compared.
    const long double part = sum - a.value;
    const bool exact = (a.value - (sum - part)) + (b.value - part) == 0;
    const long double rounding = exact ? 0 : std::fabs(sum) * kUnit;
    return enclosed(
        {field_.add(a.residue, b.residue), sum, (a.error + b.error + rounding) * kRoom, Class::finite, nullptr},
        fine_sum(a.fine, b.fine));
  }
  if (a.kind == Class::nan || b.kind == Class::nan) return of_class(Class::nan);
  if (a.is_finite()) return b;
  if (b.is_finite() || a.kind == b.kind) return a;
  return of_class(Class::nan);
}

int Numbers::sign(const Real& a) const {
  if (a.kind == Class::plus_infinity) return 1;
  if (a.kind == Class::minus_infinity) return -1;
  if (a.value > a.error) return 1;
  if (a.value < -a.error) return -1;
  if (const int found = fine_sign(a.fine); found == 1 || found == -1) return found;
  if (a.residue == 0) return 0;
  // However small, an exponential is positive.
  if (exponentials_.contains(a.residue)) return 1;
  undecided();
}

Real Numbers::multiply(const Real& a, const Real& b) {
  if (a.is_finite() && b.is_finite()) {
    const long double product = a.value * b.value;
    const long double error =
        std::fabs(a.value) * b.error + std::fabs(b.value) * a.error + a.error * b.error + std::fabs(product) * kUnit;
    // Exact products stay exact; one that is too small for a long double is not zero.
    const bool exact = a.error == 0 && b.error == 0 &&
                       (a.value == 0 || b.value == 0 || (product != 0 && std::fma(a.value, b.value, -product) == 0));
    return enclosed({field_.multiply(a.residue, b.residue), product, exact ? 0 : (error + 0x1p-16000L) * kRoom,
                     Class::finite, nullptr},
                    fine_product(a.fine, b.fine));
  }
  if (a.kind == Class::nan || b.kind == Class::nan) return of_class(Class::nan);
  const int product = sign(a) * sign(b);
  if (product == 0) return of_class(Class::nan);
  return of_class(product > 0 ? Class::plus_infinity : Class::minus_infinity);
}

Real Numbers::divide(const Real& a, const Real& b) {
  turn(b);
  // A zero divisor leaves no value, whatever is divided by it.
  const int below = b.is_finite() ? sign(b) : 1;
  if (below == 0) throw Undefined{"a division by zero"};
  if (a.kind == Class::nan || b.kind == Class::nan) return of_class(Class::nan);
  if (!b.is_finite()) return a.is_finite() ? of_integer(0) : of_class(Class::nan);
  if (!a.is_finite()) return below > 0 ? a : negate_class(a);
  if (b.residue == 0) throw Undecided{"a divisor that is zero modulo the prime"};
  const long double least = std::fabs(b.value) - b.error;
  const long double quotient = a.value / b.value;
  // Exact quotients stay exact, so that 3/1 is a whole exponent.
  const bool exact = a.error == 0 && b.error == 0 && std::fma(quotient, b.value, -a.value) == 0 &&
                     (a.value == 0 || std::fabs(quotient) > 0x1p-16000L);
  const long double error = exact ? 0 : (a.error + std::fabs(quotient) * b.error) / least + std::fabs(quotient) * kUnit;
  return enclosed(
      {field_.multiply(a.residue, field_.inverse(b.residue)), quotient, error * kRoom, Class::finite, nullptr},
      fine_quotient(a.fine, b.fine));
}

Real Numbers::floor_divide(const Real& a, const Real& b) {
  if (b.is_finite() && sign(b) == 0) throw Undefined{"a division by zero"};
  if (a.is_finite() && !b.is_finite() && b.kind != Class::nan) return of_integer(sign(a) * sign(b) < 0 ? -1 : 0);
  if (!a.is_finite() || !b.is_finite()) return of_class(Class::nan);
  return round(Function::floor, divide(a, b));
}

Real Numbers::modulo(const Real& a, const Real& b) {
  if (b.is_finite() && sign(b) == 0) throw Undefined{"a remainder by zero"};
  if (!a.is_finite() || b.kind == Class::nan) return of_class(Class::nan);
  if (!b.is_finite()) return sign(a) * sign(b) < 0 ? b : a;
  return subtract(a, multiply(floor_divide(a, b), b));
}

Real Numbers::integer_power(const Real& base, std::int64_t exponent) {
  Real result = of_integer(1);
  Real square = base;
  for (auto left = static_cast<std::uint64_t>(exponent < 0 ? -exponent : exponent); left != 0; left >>= 1) {
    if ((left & 1) != 0) result = multiply(result, square);
    if (left > 1) square = multiply(square, square);
  }
  return exponent < 0 ? divide(of_integer(1), result) : result;
}

Real Numbers::power(const Real& a, const Real& b) {
  const bool exact = b.is_finite() && b.error == 0;
  if (exact && a.kind != Class::nan && b.value == std::floor(b.value) && std::fabs(b.value) <= 1024) {
    return integer_power(a, static_cast<std::int64_t>(b.value));
  }
  if (exact && b.value == 0) return of_integer(1);
  // x**(n+1/2) is x**n*sqrt(x), so that both ways to write it have one residue.
  const long double whole_part = std::fabs(b.value) - 0.5L;
  if (exact && a.is_finite() && whole_part == std::floor(whole_part) && whole_part <= 64) {
    const Real root = function(b.value > 0 ? Function::sqrt : Function::rsqrt, a);
    const auto times = static_cast<std::int64_t>(whole_part);
    return times == 0 ? root : multiply(root, integer_power(a, b.value > 0 ? times : -times));
  }
  if (a.is_finite() && b.is_finite() && sign(a) == 0) {
    if (sign(b) < 0) throw Undefined{"a negative power of zero"};
    return of_integer(sign(b) == 0 ? 1 : 0);
  }
  if (a.kind == Class::nan || b.kind == Class::nan) return of_class(Class::nan);
  if (!b.is_finite() && sign(a) >= 0) {
    // By whether the base lies below 1, at 1 or above.
    const bool grows = b.kind == Class::plus_infinity;
    const int size = order(a, of_integer(1));
    if (size == 0) return of_integer(1);
    if (sign(a) == 0 && !grows) throw Undefined{"a negative power of zero"};
    return (size > 0) == grows ? of_class(Class::plus_infinity) : of_integer(0);
  }
  if (a.kind == Class::plus_infinity && b.is_finite()) return sign(b) > 0 ? a : of_integer(0);
  const bool is_fraction = b.is_finite() && std::fabs(b.value - std::round(b.value)) > b.error;
  if (is_fraction && a.is_finite() && sign(a) < 0 && std::fabs(b.value) < 0x1p60L) return of_class(Class::nan);
  if (!a.is_finite() || !b.is_finite() || sign(a) <= 0) throw Undecided{"a real power of no positive number"};
  // x**y is exp(y*log(x)), with an unknown of its own.
  const Real logarithm = function(Function::log, a);
  Real result = function(Function::exp, multiply(b, logarithm));
  constexpr std::uint64_t kPowerCode = 100;
  result.residue = unknown(kPowerCode, field_.add(a.residue, field_.multiply(b.residue, 3)));
  return result;
}

int Numbers::order(const Real& a, const Real& b) const {
  const auto rank = [](const Real& x) {
    return x.kind == Class::plus_infinity ? 1 : x.kind == Class::minus_infinity ? -1 : 0;
  };
  if (!a.is_finite() || !b.is_finite()) return rank(a) - rank(b);
  const long double gap = a.value - b.value;
  const long double error = (a.error + b.error + (a.error + b.error == 0 ? 0 : std::fabs(gap) * kUnit)) * kRoom;
  if (gap > error) return 1;
  if (gap < -error) return -1;
  if (const int found = fine_order(a.fine, b.fine); found == 1 || found == -1) return found;
  if (a.residue == b.residue) return 0;
  undecided();
}

bool Numbers::compare(CompareOp op, const Real& a, const Real& b) {
  turn_between(a, b);
  if (a.kind == Class::nan || b.kind == Class::nan) return op == CompareOp::not_equal;
  if ((op == CompareOp::equal || op == CompareOp::not_equal) && a.is_finite() && b.is_finite() &&
      a.residue != b.residue && !used_functions()) {
    return op == CompareOp::not_equal;
  }
  const int found = order(a, b);
  switch (op) {
    case CompareOp::less: return found < 0;
    case CompareOp::less_equal: return found <= 0;
    case CompareOp::greater: return found > 0;
    case CompareOp::greater_equal: return found >= 0;
    case CompareOp::equal: return found == 0;
    case CompareOp::not_equal: return found != 0;
  }
  return false;
}

Real Numbers::extremum(bool is_max, const Real& a, const Real& b) {
  if (a.kind == Class::nan) return b;
  if (b.kind == Class::nan) return a;
  turn_between(a, b);
  const int found = order(a, b);
  return (is_max ? found >= 0 : found <= 0) ? a : b;
}

Real Numbers::arithmetic(ArithmeticOp op, const Real& a, const Real& b) {
  switch (op) {
    case ArithmeticOp::add: return add(a, b);
    case ArithmeticOp::subtract: return subtract(a, b);
    case ArithmeticOp::multiply: return multiply(a, b);
    case ArithmeticOp::divide: return divide(a, b);
    case ArithmeticOp::floor_divide: return floor_divide(a, b);
    case ArithmeticOp::modulo: return modulo(a, b);
    case ArithmeticOp::power: return power(a, b);
    case ArithmeticOp::max: return extremum(true, a, b);
    case ArithmeticOp::min: return extremum(false, a, b);
  }
  return a;
}

Agreement compare_values(const Real& first, const Real& second, bool used_functions) {
  if (first.kind == Class::nan) return Agreement::not_counted;
  if (first.kind != second.kind) return Agreement::differs;
  if (!first.is_finite()) return Agreement::by_residue;
  if (std::fabs(first.value - second.value) > (first.error + second.error) * kRoom + std::fabs(first.value) * kUnit) {
    return Agreement::differs;
  }
  if (const int found = fine_order(first.fine, second.fine); found == 1 || found == -1) {
    return Agreement::differs;
  }
  if (first.residue == second.residue) return Agreement::by_residue;
  if (!used_functions) return Agreement::differs;
  // Thirty-odd bits that agree mean something; a comparison of errors does not.
  const long double size = std::fmax(std::fabs(first.value), std::fabs(second.value));
  return first.error + second.error <= size * 0x1p-36L ? Agreement::by_digits : Agreement::undecided;
}

}  // namespace steptp::replayer
