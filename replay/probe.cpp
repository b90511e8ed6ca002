#include "replay/probe.h"

#include <algorithm>
#include <cmath>

#include "replay/check.h"

namespace steptp::replayer {

bool is_among(const Real& turn, const std::vector<Real>& others) {
  return std::any_of(others.begin(), others.end(), [&](const Real& other) { return other.residue == turn.residue; });
}

Value value_of_integer(std::int64_t value) { return {true, value, {}}; }
Value value_of_real(const Real& value) { return {false, 0, value}; }

Real real_of(const Numbers& numbers, const Value& value) {
  return value.is_integer ? numbers.of_integer(value.integer) : value.real;
}

bool is_plain(const Numbers& numbers, const Value& value) {
  if (value.is_integer) return true;
  constexpr int kBits = 63;
  constexpr int kMostExponent = 4096;
  int exponent = 0;
  const long double fraction = std::frexp(value.real.value, &exponent);
  if (value.real.error != 0 || std::abs(exponent) > kMostExponent) return false;
  const auto mantissa = static_cast<std::int64_t>(std::ldexp(fraction, kBits));
  return std::ldexp(static_cast<long double>(mantissa), exponent - kBits) == value.real.value &&
         numbers.of_dyadic(mantissa, exponent - kBits).residue == value.real.residue;
}

namespace {

bool is_legal(const Certificate& certificate, const Variable& variable, const Value& value) {
  const auto found = certificate.domains.find(variable.name);
  if (found == certificate.domains.end()) return false;
  const Domain& domain = found->second;
  if (value.is_integer) {
    const DTypeInfo& type = info(variable.dtype);
    if (value.integer < type.least || value.integer > type.greatest) return false;
  } else if (!value.real.is_finite()) {
    return false;
  }
  const auto whole = static_cast<long double>(value.integer);
  const long double low = value.is_integer ? whole : value.real.value - value.real.error;
  const long double high = value.is_integer ? whole : value.real.value + value.real.error;
  switch (domain.kind) {
    case Domain::Kind::positive: return low > 0;
    case Domain::Kind::nonzero: return low > 0 || high < 0;
    case Domain::Kind::range: return low >= domain.low && high < domain.high;
    case Domain::Kind::unstated:
    case Domain::Kind::any:
    case Domain::Kind::masked: break;
  }
  return true;
}

/// The quotient of small whole numbers that lies this close; nothing where there is none.
std::optional<std::pair<std::int64_t, std::int64_t>> small_quotient(long double value) {
  constexpr long double kMost = 0x1p30L;
  if (!(std::fabs(value) < kMost)) return std::nullopt;
  long double above = 1;
  long double below = 0;
  long double last_above = 0;
  long double last_below = 1;
  // Numerators and denominators of the continued fraction.
  for (long double rest = value; below < kMost;) {
    const long double whole = std::floor(rest);
    std::swap(above, last_above);
    std::swap(below, last_below);
    above += whole * last_above;
    below += whole * last_below;
    if (std::fabs(above) >= kMost || below >= kMost) return std::nullopt;
    if (std::fabs(above / below - value) <= std::fabs(value) * 0x1p-50L)
      return std::pair{static_cast<std::int64_t>(above), static_cast<std::int64_t>(below)};
    rest = 1 / (rest - whole);
  }
  return std::nullopt;
}

/// The square root of a residue, where it has one. The prime is 3 modulo 4.
std::optional<std::uint64_t> root_of_residue(const Field& field, std::uint64_t square) {
  const std::uint64_t root = field.power(square, (field.prime() + 1) / 4);
  if (field.multiply(root, root) != square) return std::nullopt;
  return root;
}

}  // namespace

std::optional<Probe> moved(const Certificate& certificate, const Variable& output, const Probe& probe,
                           const Coordinate& coordinate, const Value& value) {
  Probe out = probe;
  if (!coordinate.variable) {
    out.element[coordinate.dimension] = value.integer;
    if (!is_inside(output.shape, out.element)) return std::nullopt;
    return out;
  }
  if (!is_legal(certificate, *coordinate.variable, value)) return std::nullopt;
  out.given.values[{coordinate.variable->name, coordinate.index}] = value;
  return out;
}

namespace {

/// first + b*t + c*t*t with t the number of steps.
class Parabola {
 public:
  Parabola(Numbers& numbers, const Real& first, const Real& slope, const Real& bend, const Real& start,
           const Real& step)
      : numbers_(numbers), first_(first), start_(start), step_(step) {
    c_ = numbers.divide(bend, numbers.of_integer(2));
    b_ = numbers.subtract(slope, c_);
  }

  std::vector<Root> roots() {
    const Real square = numbers_.subtract(numbers_.multiply(b_, b_),
                                          numbers_.multiply(numbers_.of_integer(4), numbers_.multiply(c_, first_)));
    const Real twice = numbers_.add(c_, c_);
    if (square.residue == 0) return {Root{at(numbers_.divide(numbers_.negate(b_), twice)), true, false}};
    if (!(square.value > 0)) return {};
    const long double width = std::sqrt(square.value);
    const auto residue = root_of_residue(numbers_.field(), square.residue);
    std::vector<Root> out;
    for (const int sign : {1, -1}) {
      // Of two numbers that nearly cancel the other root is taken, by their product.
      const long double sum = -b_.value + static_cast<long double>(sign) * width;
      const long double other = -b_.value - static_cast<long double>(sign) * width;
      const long double t = std::fabs(sum) >= std::fabs(other) ? sum / twice.value : 2 * first_.value / other;
      const long double about = start_.value + t * step_.value;
      if (!(std::fabs(about) < 0x1p60L)) continue;
      if (const auto exact = rational(about)) {
        out.push_back({*exact, true, false});
      } else if (residue) {
        Real root = square;
        root.residue = sign > 0 ? *residue : numbers_.field().negate(*residue);
        root.value = static_cast<long double>(sign) * width;
        Real there = at(numbers_.divide(numbers_.subtract(root, b_), twice));
        there.value = about;
        there.error = std::fabs(about) * 0x1p-50L;
        out.push_back({there, true, true});
      } else {
        out.push_back({numbers_.of_double(static_cast<double>(about)), false, false});
      }
    }
    return out;
  }

 private:
  [[nodiscard]] Real at(const Real& t) { return numbers_.add(start_, numbers_.multiply(t, step_)); }

  /// A quotient of small numbers at which it is zero.
  std::optional<Real> rational(long double about) {
    const auto quotient = small_quotient(about);
    if (!quotient) return std::nullopt;
    const Real candidate = numbers_.of_quotient(quotient->first, quotient->second);
    const Real t = numbers_.divide(numbers_.subtract(candidate, start_), step_);
    const Real value = numbers_.add(first_, numbers_.multiply(t, numbers_.add(b_, numbers_.multiply(t, c_))));
    return value.residue == 0 ? std::optional(candidate) : std::nullopt;
  }

  Numbers& numbers_;
  Real first_;
  Real start_;
  Real step_;
  Real b_;
  Real c_;
};

}  // namespace

std::vector<Root> roots_of(Numbers& numbers, const Real& first, const Real& second, const Real& third,
                           const Real& start, const Real& step) {
  if (first.residue == second.residue && second.residue == third.residue) return {};
  try {
    const Real slope = numbers.subtract(second, first);
    const Real bend = numbers.subtract(numbers.subtract(third, second), slope);
    if (bend.residue == 0) {
      return {{numbers.subtract(start, numbers.divide(numbers.multiply(first, step), slope)), true, false}};
    }
    std::vector<Root> out = Parabola(numbers, first, slope, bend, start, step).roots();
    // What is no polynomial is nearly affine close by.
    const long double about = start.value - first.value * step.value / slope.value;
    if (out.empty() && std::fabs(about) < 0x1p60L) {
      out.push_back({numbers.of_double(static_cast<double>(about)), false, false});
    }
    return out;
  } catch (const Undecided&) {
  } catch (const Undefined&) {
  }
  return {};
}

namespace {

/// How close to a root "beside" is, as a part of its magnitude.
constexpr int kBesideExponent = -20;

}  // namespace

std::vector<Value> values_near(const Numbers& numbers, const Root& root, bool is_integer) {
  std::vector<Value> out;
  const long double size = std::fabs(root.at.value);
  if (!(size < 0x1p1000L)) return out;
  if (is_integer) {
    if (!(size < 0x1p62L)) return out;
    const auto nearest = static_cast<std::int64_t>(std::nearbyint(root.at.value));
    for (const std::int64_t step : {0, 1, -1}) out.push_back(value_of_integer(nearest + step));
    return out;
  }
  if (root.is_exact) out.push_back(value_of_real(root.at));
  const int scale = size > 1 ? std::ilogb(size) : 0;
  std::vector<int> exponents = {scale + kBesideExponent, scale};
  // Beside what is very small, what is as small.
  if (size > 0 && size < 0x1p-18L) exponents = {std::ilogb(size) + kBesideExponent, 0};
  for (const int exponent : exponents) {
    for (const std::int64_t sign : {1, -1}) {
      out.push_back(value_of_real(numbers.add(root.at, numbers.of_dyadic(sign, exponent))));
    }
  }
  return out;
}

}  // namespace steptp::replayer
