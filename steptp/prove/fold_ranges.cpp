// The box of a fold (docs/decisions/0011). Splitting, tiling and unrolling a loop must leave its sum as it was, so the
// variables of a fold are brought to one form: bounds move from conditions into ranges, equations determine variables,
// a variable that occurs divided is split into digits, and two variables that occur only as m*o+i become one. Each rule
// makes one change; they are tried in turn until none applies.
#include "steptp/prove/fold_ranges.h"

#include <algorithm>
#include <numeric>

#include "steptp/ir/index.h"
#include "steptp/prove/give_up.h"

namespace steptp::forms {

namespace {

constexpr int kMaxRounds = 64;

}  // namespace

FoldRanges::Outcome FoldRanges::settle() {
  for (int round = 0; round < kMaxRounds; ++round) {
    arena_.budget.spend(1);
    if (is_empty_) return Outcome::empty;
    if (use_conditions() || fix_single_values() || split_digits() || merge_digits()) {
      if (round + 1 == kMaxRounds) throw GiveUp{"a fold that does not settle"};
      continue;
    }
    break;
  }
  if (is_empty_) return Outcome::empty;
  return is_changed_ ? Outcome::changed : Outcome::settled;
}

void FoldRanges::substitute(VariableId variable, const Affine& value, const std::vector<VariableId>& instead) {
  substitute({{variable, value}}, instead);
}

void FoldRanges::substitute(const Substitution& map, const std::vector<VariableId>& instead) {
  body_ = arena_.substitute.polynomial(body_, map);
  const std::vector<ConditionId> old = std::move(conditions_);
  conditions_.clear();
  for (const ConditionId condition : old) add_condition(arena_.substitute.condition(condition, map));
  std::erase_if(variables_, [&](VariableId variable) { return map.contains(variable); });
  variables_.insert(variables_.end(), instead.begin(), instead.end());
  is_changed_ = true;
}

bool FoldRanges::use_conditions() {
  for (std::size_t i = 0; i < conditions_.size(); ++i) {
    const ConditionId condition = conditions_[i];
    const Truth known = arena_.known.truth(condition);
    if (known == Truth::no) {
      is_empty_ = true;
      return true;
    }
    if (known == Truth::yes) {
      conditions_.erase(conditions_.begin() + static_cast<std::ptrdiff_t>(i));
      return true;
    }
    if (use_bound(i) || use_equation(i)) return true;
  }
  return false;
}

/// sum{a..b, v >= n}(x) = sum{max(a,n)..b}(x): a bound on one variable is a part of its range.
bool FoldRanges::use_bound(std::size_t number) {
  const Condition& node = arena_.condition(conditions_[number]);
  if (node.kind != Condition::Kind::nonnegative) return false;
  const Affine affine = arena_.affine(node.left);
  if (affine.terms.size() != 1) return false;
  const Atom& atom = arena_.atom(affine.terms[0].first);
  if (atom.kind != Atom::Kind::variable || !is_own(atom.argument)) return false;
  // coefficient*v + constant >= 0, and nonnegative() made the coefficient 1 or -1
  const Interval old = arena_.known.range(atom.argument);
  auto low = static_cast<std::int64_t>(old.low);
  auto high = static_cast<std::int64_t>(old.high);
  if (affine.terms[0].second == 1) {
    low = std::max(low, -affine.constant);
  } else {
    high = std::min(high, affine.constant);
  }
  conditions_.erase(conditions_.begin() + static_cast<std::ptrdiff_t>(number));
  replace_range(atom.argument, low, high);
  return true;
}

/// sum{a..b, v == y}(x(v)) = if(a <= y <= b;x(y);0): an equation that determines a variable takes its place.
bool FoldRanges::use_equation(std::size_t number) {
  const Condition& node = arena_.condition(conditions_[number]);
  if (node.kind != Condition::Kind::zero) return false;
  const Affine affine = arena_.affine(node.left);
  for (const auto& [id, coefficient] : affine.terms) {
    const Atom& atom = arena_.atom(id);
    if (atom.kind != Atom::Kind::variable || !is_own(atom.argument) || std::abs(coefficient) != 1) continue;
    const Affine others = Affine::difference(affine, Affine::scaled(Affine{{{id, 1}}, 0}, coefficient));
    const auto& used = arena_.traits_of_affine(arena_.intern(others)).variables;
    if (std::binary_search(used.begin(), used.end(), atom.argument)) continue;
    const Affine value = Affine::scaled(others, -coefficient);
    const Interval old = arena_.known.range(atom.argument);
    conditions_.erase(conditions_.begin() + static_cast<std::ptrdiff_t>(number));
    substitute(atom.argument, value, {});
    add_condition(
        arena_.conditions.nonnegative(Affine::difference(value, Affine::number(static_cast<std::int64_t>(old.low)))));
    add_condition(
        arena_.conditions.nonnegative(Affine::difference(Affine::number(static_cast<std::int64_t>(old.high)), value)));
    return true;
  }
  return false;
}

void FoldRanges::replace_range(VariableId variable, std::int64_t low, std::int64_t high) {
  if (low > high) {
    is_empty_ = true;
    return;
  }
  const VariableId fresh = arena_.known.new_variable(low, high);
  substitute(variable, arena_.affines.variable(fresh), {fresh});
}

/// sum{a..a}(x(v)) = x(a).
bool FoldRanges::fix_single_values() {
  for (const VariableId variable : variables_) {
    const Interval range = arena_.known.range(variable);
    if (range.low > range.high) {
      is_empty_ = true;
      return true;
    }
    if (!range.is_point()) continue;
    substitute(variable, Affine::number(static_cast<std::int64_t>(range.low)), {});
    return true;
  }
  return false;
}

void FoldRanges::for_each_affine(const std::function<void(const Affine&)>& visit) {
  arena_.occurrences.for_each_affine(body_, visit);
  for (const ConditionId condition : conditions_) arena_.occurrences.for_each_affine_of_condition(condition, visit);
}

/// sum{v: 0..m*n-1}(x(v//m,v%m)) = sum{o: 0..n-1, i: 0..m-1}(x(o,i)), where m divides the range: v becomes m*o+i, and
/// quotients and remainders disappear.
bool FoldRanges::split_digits() {
  VariableId variable = 0;
  std::int64_t divisor = 0;
  std::int64_t shift = 0;
  for_each_affine([&](const Affine& affine) {
    for (const auto& [id, coefficient] : affine.terms) {
      const Atom& atom = arena_.atom(id);
      if (atom.kind != Atom::Kind::quotient) continue;
      const Affine& inside = arena_.affine(atom.argument);
      if (inside.terms.size() != 1 || inside.terms[0].second != 1) continue;
      const Atom& digit = arena_.atom(inside.terms[0].first);
      if (digit.kind != Atom::Kind::variable || !is_own(digit.argument)) continue;
      const Interval range = arena_.known.range(digit.argument);
      if (floor_remainder(static_cast<std::int64_t>(range.low) + inside.constant, atom.divisor) != 0) continue;
      if (floor_remainder(static_cast<std::int64_t>(range.high) + 1 + inside.constant, atom.divisor) != 0) continue;
      if (divisor != 0 && (variable != digit.argument || divisor <= atom.divisor)) continue;
      variable = digit.argument;
      divisor = atom.divisor;
      shift = inside.constant;
    }
  });
  if (divisor == 0) return false;
  const Interval range = arena_.known.range(variable);
  const VariableId high =
      arena_.known.new_variable(floor_quotient(static_cast<std::int64_t>(range.low) + shift, divisor),
                                floor_quotient(static_cast<std::int64_t>(range.high) + shift, divisor));
  const VariableId low = arena_.known.new_variable(0, divisor - 1);
  const Affine value = Affine::sum(Affine::sum(arena_.affines.variable(low), Affine::number(-shift)),
                                   arena_.affines.variable(high), divisor);
  substitute(variable, value, {high, low});
  return true;
}

/// sum{o, i: 0..m-1}(x(m*o+i)) = sum{w}(x(w)): two variables that occur only as m*o+i, where i has m values, are one.
bool FoldRanges::merge_digits() {
  for (const VariableId high : variables_) {
    for (const VariableId low : variables_) {
      if (high == low) continue;
      const Interval low_range = arena_.known.range(low);
      const Interval high_range = arena_.known.range(high);
      const Wide size = low_range.high - low_range.low + 1;
      if (size > (Wide{1} << 40)) continue;
      const auto radix = static_cast<std::int64_t>(size);
      const std::vector<ConditionId> as_given = conditions_;
      if (low_range.low == 0) bound_both_digits(high, low, radix);
      if (!occur_together(high, low, radix) && !are_one_value(high, low, radix)) {
        conditions_ = as_given;
        continue;
      }
      const Wide least = high_range.low * size + low_range.low;
      const Wide greatest = high_range.high * size + low_range.high;
      if (greatest > (Wide{1} << 60) || least < -(Wide{1} << 60)) continue;
      const VariableId merged =
          arena_.known.new_variable(static_cast<std::int64_t>(least), static_cast<std::int64_t>(greatest));
      // c*(m*o+i) = c*w: putting o=0 and i=w gives exactly that. Both at once: o=0 alone would say something else.
      substitute({{high, Affine::number(0)}, {low, arena_.affines.variable(merged)}}, {merged});
      return true;
    }
  }
  return false;
}

/// o <= n is m*o+i <= m*n+m-1, and o >= n is m*o+i >= m*n, where i runs from 0 to m-1: a bound on the high digit alone
/// bounds both.
void FoldRanges::bound_both_digits(VariableId high, VariableId low, std::int64_t radix) {
  const Affine high_digit = arena_.affines.variable(high);
  for (ConditionId& condition : conditions_) {
    const Condition& node = arena_.condition(condition);
    if (node.kind != Condition::Kind::nonnegative) continue;
    const Affine bound = arena_.affine(node.left);
    for (const std::int64_t sign : {1, -1}) {
      const Affine rest = Affine::sum(bound, high_digit, -sign);
      const std::vector<VariableId>& used = arena_.traits_of_affine(arena_.intern(rest)).variables;
      if (std::binary_search(used.begin(), used.end(), high) || std::binary_search(used.begin(), used.end(), low)) {
        continue;
      }
      const Affine most = Affine::number(sign > 0 ? 0 : radix - 1);
      const Affine below = Affine::sum(most, arena_.affines.variable(low), sign);
      condition = arena_.conditions.nonnegative(Affine::sum(below, bound, radix));
      break;
    }
  }
}

bool FoldRanges::occur_together(VariableId high, VariableId low, std::int64_t radix) {
  bool together = true;
  bool occurs = false;
  for_each_affine([&](const Affine& affine) {
    std::int64_t high_coefficient = 0;
    std::int64_t low_coefficient = 0;
    for (const auto& [id, coefficient] : affine.terms) {
      const Atom& atom = arena_.atom(id);
      if (atom.kind != Atom::Kind::variable) continue;
      if (atom.argument == high) high_coefficient = coefficient;
      if (atom.argument == low) low_coefficient = coefficient;
    }
    if (high_coefficient == 0 && low_coefficient == 0) return;
    occurs = true;
    std::int64_t expected = 0;
    if (__builtin_mul_overflow(low_coefficient, radix, &expected) || expected != high_coefficient) together = false;
  });
  return together && occurs;
}

/// The same where m*o+i is also a value, which is a sum of two integers: with i=w-m*o, no o is left.
bool FoldRanges::are_one_value(VariableId high, VariableId low, std::int64_t radix) {
  bool is_possible = true;
  bool is_value = false;
  for_each_affine([&](const Affine& affine) {
    std::int64_t high_coefficient = 0;
    std::int64_t low_coefficient = 0;
    for (const auto& [id, coefficient] : affine.terms) {
      const Atom& atom = arena_.atom(id);
      if (atom.kind != Atom::Kind::variable) continue;
      if (atom.argument == high) high_coefficient = coefficient;
      if (atom.argument == low) low_coefficient = coefficient;
    }
    const bool is_alone = affine.terms.size() == 1 && affine.constant == 0 && high_coefficient + low_coefficient == 1;
    is_value = is_value || is_alone;
    is_possible = is_possible && (is_alone || high_coefficient == low_coefficient * radix);
  });
  if (!is_possible || !is_value) return false;
  const Affine whole = arena_.affines.variable(arena_.known.new_variable(0, 1));
  const Substitution map = {{low, Affine::sum(whole, arena_.affines.variable(high), -radix)}};
  const auto is_free_of_high = [&](const std::vector<VariableId>& used) {
    return !std::binary_search(used.begin(), used.end(), high);
  };
  if (!is_free_of_high(arena_.traits(arena_.substitute.polynomial(body_, map)).variables)) return false;
  return std::all_of(conditions_.begin(), conditions_.end(), [&](ConditionId condition) {
    return is_free_of_high(arena_.traits_of_condition(arena_.substitute.condition(condition, map)).variables);
  });
}

/// sum{a..b}(x) = (b-a+1)*x, where x does not depend on the variable.
mpq_class FoldRanges::drop_unused() {
  mpq_class count = 1;
  std::vector<VariableId> used = arena_.traits(body_).variables;
  for (const ConditionId condition : conditions_) {
    merge_variables(used, arena_.traits_of_condition(condition).variables);
  }
  std::vector<VariableId> kept;
  for (const VariableId variable : variables_) {
    if (std::binary_search(used.begin(), used.end(), variable)) {
      kept.push_back(variable);
    } else {
      const Interval range = arena_.known.range(variable);
      count *= mpq_class(static_cast<long>(range.high - range.low + 1));
    }
  }
  variables_ = std::move(kept);
  return count;
}

}  // namespace steptp::forms
