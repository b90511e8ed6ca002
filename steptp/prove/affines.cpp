// Integers (docs/decisions/0011). A subscript is a sum of multiples of atoms: variables, quotients, products, data.
// There is no remainder among the atoms: x%m is x-m*(x//m), so digits that are put together again cancel by addition.
// A quotient takes out what its divisor divides, and vanishes where the ranges at the moment leave it one value.
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

Affine Affine::sum(const Affine& left, const Affine& right, std::int64_t scale) {
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

Affine Affine::scaled(const Affine& affine, std::int64_t factor) { return sum(number(0), affine, factor); }

Affine Affines::variable(VariableId id) { return atom({Atom::Kind::variable, id, 0, {}}); }

Affine Affines::atom(Atom atom) { return {{{store_.intern_atom(std::move(atom)), 1}}, 0}; }

/// (x+a)*(y+b) = x*y+b*x+a*y+a*b, and products of products are one product.
Affine Affines::product(const Affine& left, const Affine& right) {
  if (left.is_constant()) return Affine::scaled(right, left.constant);
  if (right.is_constant()) return Affine::scaled(left, right.constant);
  Affine result = Affine::sum(Affine::scaled(left, right.constant), Affine::scaled(right, left.constant));
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
      result = Affine::sum(result, atom({Atom::Kind::product, 0, 0, std::move(factors)}), checked_multiply(ca, cb));
    }
  }
  return result;
}

Affine Affines::quotient(const Affine& dividend, std::int64_t divisor) {
  const Deeper deeper(budget_);
  if (divisor <= 0) throw GiveUp{"a divisor that is not positive"};
  if (divisor == 1) return dividend;
  budget_.spend(1);
  // (m*q+r)//m = q+r//m: what the divisor divides comes out whole.
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
  Interval quotients = steptp::floor_quotient(range(rest), {divisor, divisor});
  if (!quotients.is_point() && rest.terms.size() > 1) {
    quotients = steptp::floor_quotient(arena_.known.range_by_facts(rest), {divisor, divisor});
  }
  // r//m = q where every value of r lies in [m*q, m*q+m).
  if (quotients.is_point() && quotients.low > -kWideLimit && quotients.low < kWideLimit) {
    whole.constant = checked_add(whole.constant, static_cast<std::int64_t>(quotients.low));
    return whole;
  }
  // (g*y+s)//m = y//(m/g) where g divides m and 0 <= s < g.
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
    if (small.low >= 0 && small.high < step) return Affine::sum(whole, quotient(high, divisor / step));
  }
  // (y+x//a)//b = (a*y+x)//(a*b), where nothing else in y is a quotient.
  const auto is_quotient = [&](const auto& term) { return atoms_[term.first].kind == Atom::Kind::quotient; };
  const auto nested = std::find_if(rest.terms.begin(), rest.terms.end(), is_quotient);
  if (nested != rest.terms.end() && nested->second == 1 &&
      std::find_if(nested + 1, rest.terms.end(), is_quotient) == rest.terms.end()) {
    const Atom inner = atoms_[nested->first];
    rest.terms.erase(nested);
    const Affine inside = Affine::sum(affines_[inner.argument], rest, inner.divisor);
    return Affine::sum(whole, quotient(inside, checked_multiply(inner.divisor, divisor)));
  }
  return Affine::sum(whole, atom({Atom::Kind::quotient, intern(std::move(rest)), divisor, {}}));
}

/// x%m = x-m*(x//m).
Affine Affines::remainder(const Affine& dividend, std::int64_t divisor) {
  if (divisor <= 0) throw GiveUp{"a divisor that is not positive"};
  return Affine::sum(dividend, quotient(dividend, divisor), -divisor);
}

/// wrap(x) = x where x fits its type.
Affine Affines::wrapped(const Affine& value, DType dtype) {
  const Interval limits{info(dtype).least, info(dtype).greatest};
  if (limits.contains(range(value))) return value;
  if (dtype == DType::boolean) throw GiveUp{"arithmetic on bools"};
  // wrap(wrap(x)+y) = wrap(x+y) in one type: multiples of 2^n may be dropped inside.
  Affine inside = Affine::number(value.constant);
  for (const auto& [id, coefficient] : value.terms) {
    const Atom& node = atoms_[id];
    if (node.kind == Atom::Kind::wrapped && node.divisor == static_cast<std::int64_t>(dtype)) {
      inside = Affine::sum(inside, affines_[node.argument], coefficient);
    } else {
      inside = Affine::sum(inside, Affine{{{id, 1}}, 0}, coefficient);
    }
  }
  if (limits.contains(range(inside))) return inside;
  return atom({Atom::Kind::wrapped, intern(std::move(inside)), static_cast<std::int64_t>(dtype), {}});
}

}  // namespace steptp::forms
