#include "replay/turns.h"

#include <algorithm>
#include <cmath>

#include "replay/check.h"
#include "steptp/base/text.h"

namespace steptp::replayer {

namespace {

/// How far the start and the two points beside it lie apart: reals are read off close by, integers one by one.
constexpr int kStepExponent = -10;
/// How close to a root "beside" is, as a part of its magnitude.
constexpr int kBesideExponent = -20;

Value of_integer(std::int64_t value) { return {true, value, {}}; }
Value of_real(const Real& value) { return {false, 0, value}; }

bool is_among(const Real& turn, const std::vector<Real>& others) {
  return std::any_of(others.begin(), others.end(), [&](const Real& other) { return other.residue == turn.residue; });
}

}  // namespace

void TurnSearch::run(const Variable& output, const std::vector<std::vector<std::int64_t>>& elements,
                     std::uint64_t budget) {
  output_ = &output;
  known_.clear();
  // No element may take more than its part.
  constexpr std::uint64_t kParts = 4;
  const std::uint64_t share = budget / kParts;
  for (std::size_t i = 0; i < std::min(elements.size(), kElements); ++i) {
    std::uint64_t own = std::min(share, budget);
    const std::uint64_t start = own;
    budget_ = &own;
    most_looks_ = looks_ + kMostLooks;
    open_.clear();
    open_.push_back({elements[i], {}});
    try {
      while (!open_.empty() && !is_over()) {
        const Base base = std::move(open_.front());
        open_.pop_front();
        explore(base);
      }
    } catch (const Beyond&) {
      // The part of this element is spent.
    }
    budget -= start - own;
  }
}

bool TurnSearch::is_over() const { return looks_ >= most_looks_; }

Real TurnSearch::real_of(const Value& value) const {
  return value.is_integer ? numbers_.of_integer(value.integer) : value.real;
}

void TurnSearch::look(const Base& base, WholeCheck::Seen& seen) {
  ++looks_;
  static_cast<void>(whole_.look({output_->name, base.element, Kind::mixed, seed_, &base.given}, *budget_, &seen));
}

void TurnSearch::explore(const Base& base) {
  WholeCheck::Seen seen;
  look(base, seen);
  known_.insert(signs_of(seen));
  for (const Coordinate& coordinate : coordinates_of(base, seen)) {
    if (is_over()) return;
    along(base, seen, coordinate);
  }
}

std::vector<TurnSearch::Coordinate> TurnSearch::coordinates_of(const Base& base, const WholeCheck::Seen& seen) const {
  std::vector<Coordinate> out;
  for (const WholeCheck::Seen::Read& read : seen.reads) out.push_back({read.variable, read.index, 0, read.value});
  for (std::size_t d = 0; d < base.element.size(); ++d) {
    if (output_->shape[d] > 2) out.push_back({nullptr, {}, d, of_integer(base.element[d])});
  }
  return out;
}

bool TurnSearch::is_legal(const Variable& variable, const Value& value) const {
  const auto found = certificate_.domains.find(variable.name);
  if (found == certificate_.domains.end()) return false;
  const Domain& domain = found->second;
  if (value.is_integer) {
    const DTypeInfo& type = info(variable.dtype);
    if (value.integer < type.least || value.integer > type.greatest) return false;
  } else if (!value.real.is_finite()) {
    return false;
  }
  const Real real = real_of(value);
  const long double low = real.value - real.error;
  const long double high = real.value + real.error;
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

std::optional<TurnSearch::Base> TurnSearch::moved(const Base& base, const Coordinate& coordinate,
                                                  const Value& value) const {
  Base out = base;
  if (!coordinate.variable) {
    out.element[coordinate.dimension] = value.integer;
    if (!is_inside(output_->shape, out.element)) return std::nullopt;
    return out;
  }
  if (!is_legal(*coordinate.variable, value)) return std::nullopt;
  out.given.values[{coordinate.variable->name, coordinate.index}] = value;
  return out;
}

std::optional<TurnSearch::Base> TurnSearch::stepped(const Base& base, const Coordinate& coordinate,
                                                    const Real& step) const {
  if (!coordinate.start.is_integer) {
    return moved(base, coordinate, of_real(numbers_.add(coordinate.start.real, step)));
  }
  return moved(base, coordinate, of_integer(coordinate.start.integer + static_cast<std::int64_t>(step.value)));
}

void TurnSearch::along(const Base& base, const WholeCheck::Seen& seen, const Coordinate& coordinate) {
  if (!coordinate.start.is_integer && !coordinate.start.real.is_finite()) return;
  std::optional<Base> next;
  std::optional<Base> third;
  Real step;
  for (const std::int64_t sign : {1, -1}) {
    step = coordinate.start.is_integer ? numbers_.of_integer(sign) : numbers_.of_dyadic(sign, kStepExponent);
    next = stepped(base, coordinate, step);
    third = stepped(base, coordinate, numbers_.add(step, step));
    if (next && third) break;
  }
  if (!next || !third) return;
  WholeCheck::Seen beside;
  WholeCheck::Seen further;
  look(*next, beside);
  look(*third, further);
  std::set<std::pair<std::uint64_t, bool>> met;
  // What only one of the programs asks comes first.
  for (const bool is_shared : {false, true}) {
    for (std::size_t program = 0; program < seen.turns.size(); ++program) {
      const std::vector<Real>& turns = seen.turns[program];
      const std::size_t count = std::min({turns.size(), beside.turns[program].size(), further.turns[program].size()});
      for (std::size_t i = 0; i < count && met.size() < kMostRoots; ++i) {
        if (is_among(turns[i], seen.turns[1 - program]) != is_shared) continue;
        const auto root = root_of(turns[i], beside.turns[program][i], further.turns[program][i], coordinate, step);
        if (!root || !met.emplace(root->at.residue, root->is_exact).second) continue;
        try_values(base, seen, coordinate, values_at(*root, coordinate));
      }
    }
  }
  if (!coordinate.start.is_integer || !coordinate.variable) return;
  try_values(base, seen, coordinate, values_of_integers(coordinate.variable->dtype));
}

void TurnSearch::try_values(const Base& base, const WholeCheck::Seen& seen, const Coordinate& coordinate,
                            const std::vector<Value>& values) {
  for (const Value& value : values) {
    auto there = moved(base, coordinate, value);
    if (!there) continue;
    if (is_over()) return;
    there->given.uses_functions |= coordinate.variable && seen.used_functions;
    WholeCheck::Seen found;
    look(*there, found);
    if (known_.insert(signs_of(found)).second) open_.push_back(std::move(*there));
  }
}

std::vector<Value> TurnSearch::values_of_integers(DType dtype) const {
  constexpr std::size_t kMostLiterals = 6;
  constexpr double kLarge = 0x1p31;
  std::vector<std::int64_t> whole;
  for (const double number : certificate_.numbers) {
    const bool is_whole = number == std::floor(number) && number > 2 && number < kLarge;
    if (is_whole && whole.size() < kMostLiterals) whole.push_back(static_cast<std::int64_t>(number));
  }
  std::vector<Value> out = {of_integer(info(dtype).least), of_integer(info(dtype).greatest)};
  for (std::size_t i = 0; i < whole.size(); ++i) {
    out.push_back(of_integer(whole[i]));
    for (std::size_t k = 0; k < i; ++k) out.push_back(of_integer(whole[i] * whole[k]));
  }
  return out;
}

std::optional<TurnSearch::Root> TurnSearch::root_of(const Real& first, const Real& second, const Real& third,
                                                    const Coordinate& coordinate, const Real& step) {
  if (first.residue == second.residue && second.residue == third.residue) return std::nullopt;
  try {
    const Real start = real_of(coordinate.start);
    const Real slope = numbers_.subtract(second, first);
    const Real bend = numbers_.subtract(numbers_.subtract(third, second), slope);
    if (bend.residue == 0) {
      return Root{numbers_.subtract(start, numbers_.divide(numbers_.multiply(first, step), slope)), true};
    }
    // first + b*t + c*t*t with t the number of steps: a root that counts twice.
    const Real half_bend = numbers_.divide(bend, numbers_.of_integer(2));
    const Real b = numbers_.subtract(slope, half_bend);
    const Real four = numbers_.of_integer(4);
    const Real discriminant =
        numbers_.subtract(numbers_.multiply(b, b), numbers_.multiply(four, numbers_.multiply(half_bend, first)));
    if (discriminant.residue == 0) {
      return Root{numbers_.subtract(start, numbers_.divide(numbers_.multiply(b, step), bend)), true};
    }
    const long double about = start.value - first.value * step.value / slope.value;
    if (!(std::fabs(about) < 0x1p60L)) return std::nullopt;
    return Root{numbers_.of_double(static_cast<double>(about)), false};
  } catch (const Undecided&) {
  } catch (const Undefined&) {
  }
  return std::nullopt;
}

std::vector<Value> TurnSearch::values_at(const Root& root, const Coordinate& coordinate) {
  std::vector<Value> out;
  const long double size = std::fabs(root.at.value);
  if (!(size < 0x1p62L)) return out;
  if (coordinate.start.is_integer) {
    const auto nearest = static_cast<std::int64_t>(std::nearbyint(root.at.value));
    for (const std::int64_t step : {0, 1, -1}) out.push_back(of_integer(nearest + step));
    return out;
  }
  if (root.is_exact) out.push_back(of_real(root.at));
  const int scale = size > 1 ? std::ilogb(size) : 0;
  for (const int exponent : {scale + kBesideExponent, scale}) {
    for (const std::int64_t sign : {1, -1}) {
      out.push_back(of_real(numbers_.add(root.at, numbers_.of_dyadic(sign, exponent))));
    }
  }
  return out;
}

std::string TurnSearch::signs_of(const WholeCheck::Seen& seen) {
  std::string out;
  for (const std::vector<Real>& turns : seen.turns) {
    for (const Real& turn : turns) out += turn.value > turn.error ? '+' : turn.value < -turn.error ? '-' : '0';
    out += '|';
  }
  return out;
}

}  // namespace steptp::replayer
