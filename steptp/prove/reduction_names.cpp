// Folds: products of sums, and names for the variables that depend on their use only.
#include <algorithm>
#include <numeric>
#include <set>

#include "steptp/ir/index.h"
#include "steptp/prove/give_up.h"
#include "steptp/prove/reducer.h"

namespace steptp::forms {

namespace {

constexpr std::size_t kMaxOrders = 24;

/// The next permutation among those that only exchange variables with equal keys.
template <typename Entry>
bool next_order(std::vector<Entry>& order) {
  for (std::size_t first = order.size(); first-- > 0;) {
    std::size_t begin = first;
    while (begin > 0 && order[begin - 1].key == order[first].key && order[begin - 1].range == order[first].range) {
      --begin;
    }
    const auto less = [](const Entry& a, const Entry& b) { return a.variable < b.variable; };
    if (std::next_permutation(order.begin() + static_cast<std::ptrdiff_t>(begin),
                              order.begin() + static_cast<std::ptrdiff_t>(first) + 1, less)) {
      return true;
    }
    first = begin;
  }
  return false;
}

}  // namespace

std::vector<Reducer::Factor> Reducer::factors_of(const Monomial& monomial) {
  const auto own = [&](const std::vector<VariableId>& used) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      if (std::binary_search(used.begin(), used.end(), variables_[i])) places.push_back(i);
    }
    return places;
  };
  std::vector<Factor> out;
  for (const auto& power : monomial.factors) {
    const Generator& node = arena_.generator(power.first);
    const bool is_exp = node.kind == Kind::call && static_cast<Function>(node.tag) == Function::exp;
    if (!is_exp || power.second != 1 || !arena_.with_algebra() || arena_.traits_of_generator(power.first).is_wild()) {
      out.push_back({power, std::nullopt, own(arena_.traits_of_generator(power.first).variables)});
      continue;
    }
    for (const auto& term : arena_.polynomial(node.polynomials[0]).terms) {
      const PolynomialId summand = arena_.intern_polynomial({{term}});
      out.push_back({power, summand, own(arena_.traits(summand).variables)});
    }
  }
  return out;
}

PolynomialId Reducer::product_of(const std::vector<const Factor*>& factors) {
  Monomial plain;
  PolynomialId exponent = arena_.polynomials.constant(0);
  for (const Factor* factor : factors) {
    if (factor->exponent) {
      exponent = arena_.polynomials.add(exponent, *factor->exponent);
    } else {
      plain.factors.push_back(factor->power);
    }
  }
  const PolynomialId product = arena_.intern_polynomial({{{arena_.intern_monomial(std::move(plain)), mpq_class(1)}}});
  return arena_.polynomials.multiply(product, arena_.functions.call(Function::exp, exponent));
}

PolynomialId Reducer::product_of_components() {
  const std::vector<Factor> factors = factors_of(arena_.monomial(arena_.polynomial(body_).terms[0].first));
  std::vector<std::size_t> group(variables_.size());
  std::iota(group.begin(), group.end(), std::size_t{0});
  const auto find = [&](std::size_t i) {
    while (group[i] != i) i = group[i];
    return i;
  };
  const auto join = [&](const std::vector<std::size_t>& places) {
    for (std::size_t i = 1; i < places.size(); ++i) group[find(places[i])] = find(places[0]);
  };
  const auto own = [&](ConditionId condition) {
    const std::vector<VariableId>& used = arena_.traits_of_condition(condition).variables;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      if (std::binary_search(used.begin(), used.end(), variables_[i])) places.push_back(i);
    }
    return places;
  };
  bool separable = true;
  for (const Factor& factor : factors) {
    join(factor.own);
    if (arena_.traits_of_generator(factor.power.first).is_wild()) separable = false;
  }
  for (const ConditionId condition : conditions_) join(own(condition));
  // inf*(3-1) again: with an infinite factor the sum stays whole.
  if (!separable) {
    for (std::size_t i = 1; i < variables_.size(); ++i) group[find(i)] = find(0);
  }
  PolynomialId result = arena_.polynomials.constant(1);
  std::vector<const Factor*> outside;
  for (const Factor& factor : factors) {
    if (factor.own.empty() && (separable || variables_.empty())) outside.push_back(&factor);
  }
  std::vector<ConditionId> outer_conditions;
  for (const ConditionId condition : conditions_) {
    if (own(condition).empty()) outer_conditions.push_back(condition);
  }
  for (std::size_t root = 0; root < variables_.size(); ++root) {
    if (find(root) != root) continue;
    std::vector<VariableId> variables;
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      if (find(i) == root) variables.push_back(variables_[i]);
    }
    std::vector<const Factor*> inside;
    for (const Factor& factor : factors) {
      if (factor.own.empty() ? !separable : find(factor.own[0]) == root) inside.push_back(&factor);
    }
    std::vector<ConditionId> conditions;
    for (const ConditionId condition : conditions_) {
      const auto places = own(condition);
      if (!places.empty() && find(places[0]) == root) conditions.push_back(condition);
    }
    result =
        arena_.polynomials.multiply(result, named(std::move(variables), std::move(conditions), product_of(inside)));
  }
  result = arena_.polynomials.multiply(result, product_of(outside));
  // A condition on outer indices decides whether there is a sum at all.
  if (!outer_conditions.empty()) {
    result =
        arena_.choices.select(arena_.conditions.conjunction(outer_conditions), result, arena_.polynomials.constant(0));
  }
  return result;
}

PolynomialId Reducer::named(std::vector<VariableId> variables, std::vector<ConditionId> conditions, PolynomialId body) {
  if (variables.empty()) {
    if (conditions.empty()) return with_start(body);
    return arena_.choices.select(arena_.conditions.conjunction(conditions), with_start(body),
                                 arena_.reductions.identity(op_));
  }
  if (variables.size() >= kMaxBoundPerReduction) throw GiveUp{"a fold over too many loops"};
  std::vector<ConditionId> outer;
  if (op_ != ArithmeticOp::add) {
    // Conditions on outer indices only: outside, as for sums.
    std::erase_if(conditions, [&](ConditionId condition) {
      const auto& used = arena_.traits_of_condition(condition).variables;
      const bool is_outer = std::none_of(variables.begin(), variables.end(),
                                         [&](VariableId v) { return std::binary_search(used.begin(), used.end(), v); });
      if (is_outer) outer.push_back(condition);
      return is_outer;
    });
  }
  for (VariableId& variable : variables) variable = shifted(variable, conditions, body);
  std::uint32_t height = arena_.traits(body).height;
  for (const ConditionId condition : conditions) {
    height = std::max(height, arena_.traits_of_condition(condition).height);
  }
  height += 1;

  struct Signed {
    VariableId variable;
    std::vector<std::uint32_t> key;
    std::pair<std::int64_t, std::int64_t> range;
  };
  std::vector<Signed> order;
  for (const VariableId variable : variables) {
    Substitution map;
    for (const VariableId other : variables) {
      map[other] = arena_.affines.variable(other == variable ? kThisVariable : kOtherVariable);
    }
    Signed entry{variable, {}, {}};
    if (variables.size() > 1) {
      for (const ConditionId condition : conditions) entry.key.push_back(arena_.substitute.condition(condition, map));
      std::sort(entry.key.begin(), entry.key.end());
      entry.key.push_back(arena_.substitute.polynomial(body, map));
    }
    const Interval range = arena_.known.range(variable);
    entry.range = {static_cast<std::int64_t>(range.low), static_cast<std::int64_t>(range.high)};
    order.push_back(std::move(entry));
  }
  std::stable_sort(order.begin(), order.end(), [](const Signed& a, const Signed& b) {
    return std::tie(a.key, a.range) < std::tie(b.key, b.range);
  });
  const auto build = [&](const std::vector<Signed>& chosen) {
    Substitution map;
    Generator node{Kind::reduction, static_cast<std::uint32_t>(op_), {}, {}, {}, {}};
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      map[chosen[i].variable] = arena_.affines.variable(bound_variable(height, static_cast<std::uint32_t>(i)));
      node.ranges.push_back(chosen[i].range);
    }
    for (const ConditionId condition : conditions) {
      node.conditions.push_back(arena_.substitute.condition(condition, map));
    }
    std::sort(node.conditions.begin(), node.conditions.end());
    node.polynomials = {arena_.substitute.polynomial(body, map)};
    std::uint32_t inside = arena_.traits(node.polynomials[0]).height;
    for (const ConditionId condition : node.conditions) {
      inside = std::max(inside, arena_.traits_of_condition(condition).height);
    }
    if (inside + 1 != height) throw GiveUp{"a fold whose inside changed while it was named"};
    return node;
  };
  Generator best = build(order);
  // Variables that look alike one by one: the least of all orders.
  std::size_t orders = 1;
  for (std::vector<Signed> next = order; orders < kMaxOrders && next_order(next); ++orders) {
    Generator other = build(next);
    if (std::tie(other.conditions, other.polynomials) < std::tie(best.conditions, best.polynomials)) {
      best = std::move(other);
    }
  }
  PolynomialId result = arena_.polynomials.generator(std::move(best));
  if (!outer.empty()) {
    result = arena_.choices.select(arena_.conditions.conjunction(outer), result, arena_.reductions.identity(op_));
  }
  return result;
}

PolynomialId Reducer::with_start(PolynomialId body) {
  if (op_ != ArithmeticOp::max && op_ != ArithmeticOp::min) return body;
  return arena_.choices.extremum(op_ == ArithmeticOp::max, {arena_.reductions.identity(op_), body});
}

VariableId Reducer::shifted(VariableId variable, std::vector<ConditionId>& conditions, PolynomialId& body) {
  std::int64_t offset = 0;
  bool found = false;
  std::int64_t forward = 0;
  std::int64_t backward = 0;
  const auto look = [&](const Affine& affine) {
    for (const auto& [id, coefficient] : affine.terms) {
      const Atom& atom = arena_.atom(id);
      if (atom.kind != Atom::Kind::variable || atom.argument != variable) continue;
      (coefficient > 0 ? forward : backward) += 1;
      const std::int64_t here = floor_quotient(affine.constant, coefficient);
      if (!found || here < offset) offset = here;
      found = true;
    }
  };
  arena_.occurrences.for_each_affine(body, look);
  if (!found) {
    for (const ConditionId condition : conditions) arena_.occurrences.for_each_affine_of_condition(condition, look);
  }
  const bool turn = backward > forward;
  if (turn) {
    // Measured again after turning: floor of the offset depends on the sign.
    offset = 0;
    found = false;
    const auto measure = [&](const Affine& affine) {
      for (const auto& [id, coefficient] : affine.terms) {
        const Atom& atom = arena_.atom(id);
        if (atom.kind != Atom::Kind::variable || atom.argument != variable) continue;
        const std::int64_t here = floor_quotient(affine.constant, -coefficient);
        if (!found || here < offset) offset = here;
        found = true;
      }
    };
    arena_.occurrences.for_each_affine(body, measure);
  }
  if (offset == 0 && !turn) return variable;
  const Interval range = arena_.known.range(variable);
  // w = v + offset, or w = -v + offset.
  const auto low = static_cast<std::int64_t>(turn ? -range.high : range.low) + offset;
  const auto high = static_cast<std::int64_t>(turn ? -range.low : range.high) + offset;
  const VariableId fresh = arena_.known.new_variable(low, high);
  Affine value = Affine::sum(arena_.affines.variable(fresh), Affine::number(-offset));
  if (turn) value = Affine::scaled(value, -1);
  const Substitution map = {{variable, value}};
  body = arena_.substitute.polynomial(body, map);
  for (ConditionId& condition : conditions) condition = arena_.substitute.condition(condition, map);
  return fresh;
}

}  // namespace steptp::forms
