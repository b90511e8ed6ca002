#include <algorithm>
#include <numeric>

#include "steptp/ir/index.h"
#include "steptp/prove/arena.h"
#include "steptp/prove/give_up.h"

namespace steptp::forms {

namespace {

std::int64_t checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) throw GiveUp{"an index beyond 64 bits"};
  return result;
}
std::int64_t checked_multiply(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) throw GiveUp{"an index beyond 64 bits"};
  return result;
}

constexpr std::size_t kMaxAffineTerms = 64;

}  // namespace

Affine Arena::sum(const Affine& left, const Affine& right, std::int64_t scale) {
  if (scale == 0) return left;
  Affine result;
  result.constant = checked_add(left.constant, checked_multiply(right.constant, scale));
  result.terms.reserve(left.terms.size() + right.terms.size());
  auto l = left.terms.begin();
  auto r = right.terms.begin();
  while (l != left.terms.end() || r != right.terms.end()) {
    if (r == right.terms.end() || (l != left.terms.end() && l->first < r->first)) {
      result.terms.push_back(*l++);
    } else if (l == left.terms.end() || r->first < l->first) {
      result.terms.emplace_back(r->first, checked_multiply(r->second, scale));
      ++r;
    } else {
      const std::int64_t coefficient = checked_add(l->second, checked_multiply(r->second, scale));
      if (coefficient != 0) result.terms.emplace_back(l->first, coefficient);
      ++l;
      ++r;
    }
  }
  if (result.terms.size() > kMaxAffineTerms) throw GiveUp{"an index with too many terms"};
  return result;
}

Affine Arena::scaled(const Affine& affine, std::int64_t factor) { return sum(number(0), affine, factor); }

Affine Arena::variable(VariableId id) { return atom({Atom::Kind::variable, id, 0, {}}); }

Affine Arena::atom(Atom atom) { return {{{intern_atom(std::move(atom)), 1}}, 0}; }

Affine Arena::product(const Affine& left, const Affine& right) {
  if (left.is_constant()) return scaled(right, left.constant);
  if (right.is_constant()) return scaled(left, right.constant);
  Affine result = sum(scaled(left, right.constant), scaled(right, left.constant));
  result.constant = checked_multiply(left.constant, right.constant);
  for (const auto& [a, ca] : left.terms) {
    for (const auto& [b, cb] : right.terms) {
      std::vector<AtomId> factors;
      for (const AtomId id : {a, b}) {
        const Atom& node = atoms_[id];
        if (node.kind == Atom::Kind::product) {
          factors.insert(factors.end(), node.factors.begin(), node.factors.end());
        } else {
          factors.push_back(id);
        }
      }
      if (factors.size() > 8) throw GiveUp{"an index with a high power"};
      std::sort(factors.begin(), factors.end());
      result = sum(result, atom({Atom::Kind::product, 0, 0, std::move(factors)}), checked_multiply(ca, cb));
    }
  }
  return result;
}

Affine Arena::quotient(const Affine& dividend, std::int64_t divisor) {
  const Deeper deeper(*this);
  if (divisor <= 0) throw GiveUp{"a divisor that is not positive"};
  if (divisor == 1) return dividend;
  spend(1);
  // What the divisor divides comes out whole: (m*q + r)//m = q + r//m.
  Affine whole;
  Affine rest;
  for (const auto& [atom, coefficient] : dividend.terms) {
    const std::int64_t inside = floor_remainder(coefficient, divisor);
    // Coefficients that are multiples leave; others stay as they are, so that equal rests look equal.
    if (inside == 0) {
      whole.terms.emplace_back(atom, coefficient / divisor);
    } else {
      rest.terms.emplace_back(atom, coefficient);
    }
  }
  whole.constant = floor_quotient(dividend.constant, divisor);
  rest.constant = floor_remainder(dividend.constant, divisor);
  const Interval values = range(rest);
  const Interval quotients = steptp::floor_quotient(values, {divisor, divisor});
  if (quotients.is_point() && quotients.low > -kWideLimit && quotients.low < kWideLimit) {
    whole.constant = checked_add(whole.constant, static_cast<std::int64_t>(quotients.low));
    return whole;
  }
  if (rest.terms.size() == 1 && rest.constant == 0 && rest.terms[0].second == 1) {
    // (x//a)//b = x//(a*b)
    const Atom& node = atoms_[rest.terms[0].first];
    if (node.kind == Atom::Kind::quotient) {
      return sum(whole, atom({Atom::Kind::quotient, node.argument, checked_multiply(node.divisor, divisor), {}}));
    }
  }
  // (g*y + s)//m = y//(m/g) where g divides m and 0 <= s < g.
  std::vector<std::int64_t> steps;
  for (const auto& [atom, coefficient] : rest.terms) {
    const std::int64_t step = std::gcd(coefficient, divisor);
    if (step > 1) steps.push_back(step);
  }
  std::sort(steps.rbegin(), steps.rend());
  for (const std::int64_t step : steps) {
    Affine high;
    Affine low;
    for (const auto& [atom, coefficient] : rest.terms) {
      auto& side = coefficient % step == 0 ? high : low;
      side.terms.emplace_back(atom, coefficient % step == 0 ? coefficient / step : coefficient);
    }
    high.constant = floor_quotient(rest.constant, step);
    low.constant = floor_remainder(rest.constant, step);
    const Interval small = range(low);
    if (small.low >= 0 && small.high < step) return sum(whole, quotient(high, divisor / step));
  }
  return sum(whole, atom({Atom::Kind::quotient, intern(std::move(rest)), divisor, {}}));
}

Affine Arena::remainder(const Affine& dividend, std::int64_t divisor) {
  if (divisor <= 0) throw GiveUp{"a divisor that is not positive"};
  return sum(dividend, quotient(dividend, divisor), -divisor);
}

Affine Arena::wrapped(const Affine& value, DType dtype) {
  const Interval limits{info(dtype).least, info(dtype).greatest};
  if (limits.contains(range(value))) return value;
  if (dtype == DType::boolean) throw GiveUp{"arithmetic on bools"};
  // Wrapping twice in one type is wrapping once: multiples of 2^n may be dropped inside.
  Affine inside = number(value.constant);
  for (const auto& [id, coefficient] : value.terms) {
    const Atom& node = atoms_[id];
    if (node.kind == Atom::Kind::wrapped && node.divisor == static_cast<std::int64_t>(dtype)) {
      inside = sum(inside, affines_[node.argument], coefficient);
    } else {
      inside = sum(inside, Affine{{{id, 1}}, 0}, coefficient);
    }
  }
  if (limits.contains(range(inside))) return inside;
  return atom({Atom::Kind::wrapped, intern(std::move(inside)), static_cast<std::int64_t>(dtype), {}});
}

Interval Arena::atom_range(AtomId id) {
  const Deeper deeper(*this);
  const Atom& node = atoms_[id];
  switch (node.kind) {
    case Atom::Kind::variable: return range(node.argument);
    case Atom::Kind::quotient:
      return steptp::floor_quotient(range(affines_[node.argument]), {node.divisor, node.divisor});
    case Atom::Kind::product: {
      Interval result{1, 1};
      for (const AtomId factor : node.factors) result = result * atom_range(factor);
      return result;
    }
    case Atom::Kind::value: {
      const Generator& generator = generators_[node.argument];
      if (generator.kind == Generator::Kind::input) return inputs[generator.tag].integers;
      if (generator.kind == Generator::Kind::conversion) {
        const DTypeInfo& type = info(static_cast<DType>(generator.tag));
        return {type.least, type.greatest};
      }
      return value_range(node.argument);
    }
    case Atom::Kind::wrapped: {
      const DTypeInfo& type = info(static_cast<DType>(node.divisor));
      return {type.least, type.greatest};
    }
  }
  return Interval::everything();
}

Interval Arena::value_range(GeneratorId id) {
  const Generator& node = generators_[id];
  if (node.kind == Generator::Kind::reduction) return range_of_fold(id);
  if (node.kind != Generator::Kind::extremum && node.kind != Generator::Kind::select) return Interval::everything();
  std::optional<Interval> result;
  for (const PolynomialId operand : node.polynomials) {
    const auto value = as_affine(operand);
    if (!value) return Interval::everything();
    const Interval one = range(*value);
    if (!result) {
      result = one;
    } else if (node.kind == Generator::Kind::select) {
      result = hull(*result, one);
    } else if (node.tag == 1) {
      result = Interval{std::max(result->low, one.low), std::max(result->high, one.high)};
    } else {
      result = Interval{std::min(result->low, one.low), std::min(result->high, one.high)};
    }
  }
  return *result;
}

Interval Arena::range_of_fold(GeneratorId id) {
  const auto op = static_cast<ArithmeticOp>(generators_[id].tag);
  // Without conditions it has rounds, and its value is that of one of them.
  const bool is_chosen = (op == ArithmeticOp::max || op == ArithmeticOp::min) && generators_[id].conditions.empty();
  if (!is_chosen) return Interval::everything();
  const auto body = as_affine(opened(id).body);
  return body ? range(*body) : Interval::everything();
}

Interval Arena::range(const Affine& affine) {
  // Digits first: k*(x//a) - k*(b/a)*(x//b) lies in [0, k*(b/a - 1)], which the intervals of its two terms do not show.
  // x itself counts as x//1, where x is a single atom.
  std::vector<std::pair<AtomId, std::int64_t>> rest = affine.terms;
  Interval total{affine.constant, affine.constant};
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const Atom& coarse = atoms_[rest[i].first];
    if (coarse.kind != Atom::Kind::quotient || rest[i].second == 0) continue;
    for (std::size_t j = 0; j < rest.size(); ++j) {
      if (i == j || rest[j].second == 0) continue;
      const Atom& fine = atoms_[rest[j].first];
      const Affine& argument = affines_[coarse.argument];
      const bool is_argument = argument.constant == 0 && argument.terms.size() == 1 && argument.terms[0].second == 1 &&
                               argument.terms[0].first == rest[j].first;
      const bool is_finer = fine.kind == Atom::Kind::quotient && fine.argument == coarse.argument &&
                            coarse.divisor % fine.divisor == 0 && coarse.divisor > fine.divisor;
      if (!is_argument && !is_finer) continue;
      const std::int64_t ratio = is_argument ? coarse.divisor : coarse.divisor / fine.divisor;
      std::int64_t expected = 0;
      if (__builtin_mul_overflow(-rest[j].second, ratio, &expected) || rest[i].second != expected) continue;
      total = total + Interval{rest[j].second, rest[j].second} * Interval{0, ratio - 1};
      rest[i].second = rest[j].second = 0;
      break;
    }
  }
  // The same where the argument is a sum: all its terms are here, times one factor.
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const Atom& coarse = atoms_[rest[i].first];
    if (coarse.kind != Atom::Kind::quotient || rest[i].second == 0 || rest[i].second % coarse.divisor != 0) continue;
    const std::int64_t factor = -(rest[i].second / coarse.divisor);
    const Affine& argument = affines_[coarse.argument];
    std::vector<std::size_t> places;
    for (const auto& [atom, coefficient] : argument.terms) {
      for (std::size_t j = 0; j < rest.size(); ++j) {
        std::int64_t expected = 0;
        if (rest[j].first == atom && !__builtin_mul_overflow(coefficient, factor, &expected) &&
            rest[j].second == expected && expected != 0) {
          places.push_back(j);
        }
      }
    }
    if (places.size() != argument.terms.size()) continue;
    // factor*(argument - divisor*quotient) - factor*argument.constant
    const Interval whole = Interval{factor, factor} * Interval{0, coarse.divisor - 1};
    total = total + whole - Interval{factor, factor} * Interval{argument.constant, argument.constant};
    for (const std::size_t place : places) rest[place].second = 0;
    rest[i].second = 0;
  }
  for (const auto& [atom, coefficient] : rest) {
    if (coefficient != 0) total = total + Interval{coefficient, coefficient} * atom_range(atom);
  }
  if (rest == affine.terms || total.is_point()) return total;
  // Under assumptions the terms one by one may say more than the digits together.
  Interval plain{affine.constant, affine.constant};
  for (const auto& [atom, coefficient] : affine.terms) {
    plain = plain + Interval{coefficient, coefficient} * atom_range(atom);
  }
  const Interval both{std::max(total.low, plain.low), std::min(total.high, plain.high)};
  return both.low > both.high ? total : both;  // facts that contradict each other say nothing
}

}  // namespace steptp::forms
