// Folds over neighbouring ranges are one fold (docs/decisions/0011, 0092). Two folds that differ in one range, or by
// one condition and its opposite, are put together; so are two of which one goes on where an index says that the other
// ends, and a fold and what it would have one step further. Beside both stands the same rest, which must be a number:
// inf*(3-1) is not inf*3-inf*1.
#include <algorithm>
#include <iterator>

#include "steptp/prove/arena.h"

namespace steptp::forms {

namespace {

/// A fold in a summand, and what stands beside it there.
struct Candidate {
  std::size_t term;
  GeneratorId fold;
  Monomial rest;
};

std::vector<Candidate> sums_in(const Store& store, const Polynomial& node) {
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < node.terms.size(); ++i) {
    const Monomial& monomial = store.monomial(node.terms[i].first);
    for (std::size_t f = 0; f < monomial.factors.size(); ++f) {
      const auto& [factor, exponent] = monomial.factors[f];
      const Generator& inner = store.generator(factor);
      if (exponent != 1 || inner.kind != Generator::Kind::reduction ||
          static_cast<ArithmeticOp>(inner.tag) != ArithmeticOp::add) {
        continue;
      }
      Monomial rest = monomial;
      rest.factors.erase(rest.factors.begin() + static_cast<std::ptrdiff_t>(f));
      candidates.push_back({i, factor, std::move(rest)});
    }
  }
  return candidates;
}

}  // namespace

/// Over as many variables.
std::optional<PolynomialId> Reductions::join_two(ArithmeticOp op, GeneratorId left, GeneratorId right) {
  const Generator& a = generators_[left];
  const Generator& b = generators_[right];
  if (a.kind != Generator::Kind::reduction || b.kind != Generator::Kind::reduction) return std::nullopt;
  if (static_cast<ArithmeticOp>(a.tag) != op || a.tag != b.tag || a.ranges.size() != b.ranges.size())
    return std::nullopt;
  if (const auto joined = join_alike(left, right)) return joined;
  if (a.conditions.empty() || a.conditions.size() != b.conditions.size()) return std::nullopt;
  if (const auto joined = join_behind(left, right)) return joined;
  return join_behind(right, left);
}

/// sum{a..b}(x)+sum{b+1..c}(x) = sum{a..c}(x), and sum{c}(x)+sum{not(c)}(x) = sum(x); likewise the other folds.
std::optional<PolynomialId> Reductions::join_alike(GeneratorId left, GeneratorId right) {
  const Generator& a = generators_[left];
  const Generator& b = generators_[right];
  if (a.polynomials != b.polynomials) return std::nullopt;
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges = a.ranges;
  std::vector<ConditionId> conditions = a.conditions;
  if (a.conditions == b.conditions) {
    std::size_t different = 0;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      if (a.ranges[i] == b.ranges[i]) continue;
      ++different;
      const auto& first = std::min(a.ranges[i], b.ranges[i]);
      const auto& second = std::max(a.ranges[i], b.ranges[i]);
      if (first.second + 1 != second.first) return std::nullopt;
      ranges[i] = {first.first, second.second};
    }
    if (different != 1) return std::nullopt;
  } else {
    if (a.ranges != b.ranges || a.conditions.size() != b.conditions.size()) return std::nullopt;
    std::vector<ConditionId> only_a;
    std::vector<ConditionId> only_b;
    std::set_difference(a.conditions.begin(), a.conditions.end(), b.conditions.begin(), b.conditions.end(),
                        std::back_inserter(only_a));
    std::set_difference(b.conditions.begin(), b.conditions.end(), a.conditions.begin(), a.conditions.end(),
                        std::back_inserter(only_b));
    if (only_a.size() != 1 || only_b.size() != 1 || negation(only_a[0]) != only_b[0]) return std::nullopt;
    std::erase(conditions, only_a[0]);
  }
  const std::uint32_t height = generators_.traits(left).height;
  Substitution map;
  std::vector<VariableId> variables;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    variables.push_back(arena_.known.new_variable(ranges[i].first, ranges[i].second));
    map[bound_variable(height, static_cast<std::uint32_t>(i))] = arena_.affines.variable(variables.back());
  }
  for (ConditionId& condition : conditions) condition = arena_.substitute.condition(condition, map);
  return reduce(static_cast<ArithmeticOp>(a.tag), std::move(variables), conditions,
                arena_.substitute.polynomial(a.polynomials[0], map));
}

std::vector<Reductions::Ended> Reductions::ended_variables(const OpenedFold& fold) {
  std::vector<Ended> found;
  for (std::size_t c = 0; c < fold.conditions.size(); ++c) {
    const Condition& node = conditions_[fold.conditions[c]];
    if (node.kind != Condition::Kind::nonnegative) continue;
    const Affine bound = store_.affine(node.left);
    for (std::size_t v = 0; v < fold.variables.size(); ++v) {
      const Affine end = Affine::sum(bound, arena_.affines.variable(fold.variables[v]));
      const std::vector<VariableId>& used = store_.traits_of_affine(intern(end)).variables;
      const bool is_outer = std::none_of(fold.variables.begin(), fold.variables.end(), [&](VariableId own) {
        return std::binary_search(used.begin(), used.end(), own);
      });
      if (is_outer) found.push_back({v, c, end});
    }
  }
  return found;
}

/// sum{v: a..b, v<=n}(x(v))+sum{w: c..d, w<=m}(x(n+1-c+w)) = sum{v: a.., v<=n+1-c+m}(x(v)): the second goes on where
/// the first ends. It must be known that n is in a-1..b and m in c-1..d, so that nothing else ends either, and that
/// none of them ends before it begins.
std::optional<PolynomialId> Reductions::join_behind(GeneratorId first, GeneratorId second) {
  budget_.spend(8);
  const OpenedFold a = opened(first);
  const OpenedFold b = opened(second);
  const auto op = static_cast<ArithmeticOp>(generators_[first].tag);
  const auto ends_inside = [this](const OpenedFold& fold, const Ended& ended) {
    const Interval own = arena_.known.range(fold.variables[ended.variable]);
    const Interval end = range(ended.end);
    return end.low >= own.low - 1 && end.high <= own.high;
  };
  for (const Ended& x : ended_variables(a)) {
    for (const Ended& y : ended_variables(b)) {
      if (!ends_inside(a, x) || !ends_inside(b, y)) continue;
      const VariableId along = b.variables[y.variable];
      const auto begin = static_cast<std::int64_t>(arena_.known.range(along).low);
      const Affine shift = Affine::sum(x.end, Affine::number(1 - begin));
      if (!goes_on(a, x, b, y, Affine::sum(shift, arena_.affines.variable(along)))) continue;
      const Affine end = Affine::sum(shift, y.end);
      const VariableId old = a.variables[x.variable];
      const auto low = static_cast<std::int64_t>(arena_.known.range(old).low);
      const VariableId whole = arena_.known.new_variable(low, static_cast<std::int64_t>(range(end).high));
      const Affine along_both = arena_.affines.variable(whole);
      const Substitution map = {{old, along_both}};
      std::vector<VariableId> variables = a.variables;
      variables[x.variable] = whole;
      std::vector<ConditionId> conditions = {arena_.conditions.nonnegative(Affine::difference(end, along_both))};
      for (std::size_t i = 0; i < a.conditions.size(); ++i) {
        if (i != x.condition) conditions.push_back(arena_.substitute.condition(a.conditions[i], map));
      }
      return reduce(op, std::move(variables), conditions, arena_.substitute.polynomial(a.body, map));
    }
  }
  return std::nullopt;
}

/// Whether what the first folds at `place` is what the second folds, but for where they end.
bool Reductions::goes_on(const OpenedFold& a, const Ended& x, const OpenedFold& b, const Ended& y,
                         const Affine& place) {
  Substitution map = {{a.variables[x.variable], place}};
  std::size_t other = 0;
  for (std::size_t i = 0; i < a.variables.size(); ++i) {
    if (i == x.variable) continue;
    if (other == y.variable) ++other;
    const Interval mine = arena_.known.range(a.variables[i]);
    const Interval theirs = arena_.known.range(b.variables[other]);
    if (mine.low != theirs.low || mine.high != theirs.high) return false;
    map[a.variables[i]] = arena_.affines.variable(b.variables[other++]);
  }
  const auto without = [](const OpenedFold& fold, const Ended& ended) {
    std::vector<ConditionId> conditions = fold.conditions;
    conditions.erase(conditions.begin() + static_cast<std::ptrdiff_t>(ended.condition));
    return conditions;
  };
  std::vector<ConditionId> mine = without(a, x);
  std::vector<ConditionId> theirs = without(b, y);
  for (ConditionId& condition : mine) condition = arena_.substitute.condition(condition, map);
  std::sort(mine.begin(), mine.end());
  std::sort(theirs.begin(), theirs.end());
  return mine == theirs && arena_.substitute.polynomial(a.body, map) == b.body;
}

/// sum{a..b}(x(k))+x(b+1) = sum{a..b+1}(x(k)), and likewise at the other end.
std::optional<PolynomialId> Reductions::longer_by(GeneratorId fold, const std::function<bool(PolynomialId)>& is_there) {
  const auto ranges = generators_[fold].ranges;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const auto [low, high] = ranges[i];
    for (const std::int64_t next : {low - 1, high + 1}) {
      if (!is_there(with_range(fold, i, {next, next}))) continue;
      return with_range(fold, i, {std::min(low, next), std::max(high, next)});
    }
  }
  return std::nullopt;
}

PolynomialId Reductions::join_reductions(PolynomialId sum) {
  const Polynomial node = polynomials_[sum];
  const std::vector<Candidate> candidates = sums_in(store_, node);
  constexpr std::size_t kMost = 64;
  if (candidates.empty() || node.terms.size() < 2 || candidates.size() > kMost) return sum;
  const auto without = [&](const std::vector<std::size_t>& gone) {
    Polynomial others;
    for (std::size_t t = 0; t < node.terms.size(); ++t) {
      if (std::find(gone.begin(), gone.end(), t) == gone.end()) others.terms.push_back(node.terms[t]);
    }
    return intern_polynomial(std::move(others));
  };
  const auto times_rest = [&](const Candidate& a, PolynomialId fold) {
    const PolynomialId rest = intern_polynomial({{{intern_monomial(a.rest), mpq_class(1)}}});
    return scale(multiply(rest, fold), node.terms[a.term].second);
  };
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    for (std::size_t j = i + 1; j < candidates.size(); ++j) {
      const Candidate& a = candidates[i];
      const Candidate& b = candidates[j];
      if (a.term == b.term || node.terms[a.term].second != node.terms[b.term].second || !(a.rest == b.rest)) continue;
      // x*a+x*b = x*(a+b) where x is a number: inf*(3-1) is not inf*3-inf*1.
      if (monomials_.traits(intern_monomial(a.rest)).is_wild()) continue;
      const auto joined = join_two(ArithmeticOp::add, a.fold, b.fold);
      if (joined) return add(without({a.term, b.term}), times_rest(a, *joined));
    }
  }
  // What is left of a range of one is no fold, or one over fewer loops: f(0) and the sum of f(1) to f(5).
  for (const Candidate& a : candidates) {
    const bool may_fit = std::any_of(node.terms.begin(), node.terms.end(), [&](const auto& term) {
      return &term != &node.terms[a.term] && term.second == node.terms[a.term].second;
    });
    if (!may_fit || monomials_.traits(node.terms[a.term].first).is_wild()) continue;
    std::vector<std::size_t> gone;
    const auto longer = longer_by(a.fold, [&](PolynomialId piece) {
      gone = {a.term};
      for (const auto& term : polynomials_[times_rest(a, piece)].terms) {
        const auto at = std::find(node.terms.begin(), node.terms.end(), term);
        if (at == node.terms.end() || at - node.terms.begin() == static_cast<std::ptrdiff_t>(a.term)) return false;
        gone.push_back(static_cast<std::size_t>(at - node.terms.begin()));
      }
      return gone.size() > 1;
    });
    if (longer) return add(without(gone), times_rest(a, *longer));
  }
  return sum;
}

}  // namespace steptp::forms
