// Names of bound variables (docs/decisions/0011). Two folds that differ in the names and the order of their loops must
// be one node. So variables are counted from a start that their uses fix, sorted by how they are used, and named by
// height and position; of variables that look alike one by one, all orders are tried and the least result is kept.
// Names depend on the place only, so whatever is put into a fold has to be named again.
#include "steptp/prove/fold_names.h"

#include <algorithm>
#include <tuple>

#include "steptp/ir/index.h"
#include "steptp/prove/give_up.h"

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

std::uint32_t FoldNames::height_of(const std::vector<ConditionId>& conditions, PolynomialId body) const {
  std::uint32_t height = arena_.traits(body).height;
  for (const ConditionId condition : conditions) {
    height = std::max(height, arena_.traits_of_condition(condition).height);
  }
  return height;
}

std::vector<FoldNames::Signed> FoldNames::in_order(const std::vector<VariableId>& variables, const Inside& inside) {
  std::vector<Signed> order;
  for (const VariableId variable : variables) {
    Substitution map;
    for (const VariableId other : variables) {
      map[other] = arena_.affines.variable(other == variable ? kThisVariable : kOtherVariable);
    }
    Signed entry{variable, {}, {}};
    if (variables.size() > 1) {
      for (const ConditionId condition : inside.conditions)
        entry.key.push_back(arena_.substitute.condition(condition, map));
      std::sort(entry.key.begin(), entry.key.end());
      entry.key.push_back(arena_.substitute.polynomial(inside.body, map));
    }
    const Interval range = arena_.known.range(variable);
    entry.range = {static_cast<std::int64_t>(range.low), static_cast<std::int64_t>(range.high)};
    order.push_back(std::move(entry));
  }
  std::stable_sort(order.begin(), order.end(), [](const Signed& a, const Signed& b) {
    return std::tie(a.key, a.range) < std::tie(b.key, b.range);
  });
  return order;
}

Generator FoldNames::built(const std::vector<Signed>& order, const Inside& inside) {
  Substitution map;
  Generator node{Generator::Kind::reduction, static_cast<std::uint32_t>(op_), {}, {}, {}, {}};
  for (std::size_t i = 0; i < order.size(); ++i) {
    map[order[i].variable] = arena_.affines.variable(bound_variable(inside.height, static_cast<std::uint32_t>(i)));
    node.ranges.push_back(order[i].range);
  }
  for (const ConditionId condition : inside.conditions) {
    node.conditions.push_back(arena_.substitute.condition(condition, map));
  }
  std::sort(node.conditions.begin(), node.conditions.end());
  node.polynomials = {arena_.substitute.polynomial(inside.body, map)};
  if (height_of(node.conditions, node.polynomials[0]) + 1 != inside.height)
    throw GiveUp{"a fold whose inside changed while it was named"};
  return node;
}

PolynomialId FoldNames::named(std::vector<VariableId> variables, std::vector<ConditionId> conditions,
                              PolynomialId body) {
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
  const std::uint32_t height = height_of(conditions, body) + 1;
  const Inside inside{std::move(conditions), body, height};
  const std::vector<Signed> order = in_order(variables, inside);
  Generator best = built(order, inside);
  // Variables that look alike one by one: the least of all orders.
  std::size_t orders = 1;
  for (std::vector<Signed> next = order; orders < kMaxOrders && next_order(next); ++orders) {
    Generator other = built(next, inside);
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

/// max{a..a}(x(v)) = max(-inf,x(a)), because a fold drops NaN.
PolynomialId FoldNames::with_start(PolynomialId body) {
  if (op_ != ArithmeticOp::max && op_ != ArithmeticOp::min) return body;
  return arena_.choices.extremum(op_ == ArithmeticOp::max, {arena_.reductions.identity(op_), body});
}

/// sum{a..b}(x(v+n)) = sum{a+n..b+n}(x(w)), and sum{a..b}(x(-v)) = sum{-b..-a}(x(w)).
VariableId FoldNames::shifted(VariableId variable, std::vector<ConditionId>& conditions, PolynomialId& body) {
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
