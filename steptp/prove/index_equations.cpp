// Equations between subscripts (docs/decisions/0011). o*32+i with i in [0,32) is solved digit by digit, in mixed radix
// with any number of digits; a guard may bound the lower ones, as i*16+d<249 does in o*249+i*16+d. Quotients of
// unknowns are unknowns of their own. Where data stands in a subscript, the rounds stay free and the equation is a
// condition on them.
#include "steptp/prove/index_equations.h"

#include <algorithm>
#include <numeric>

#include "steptp/prove/give_up.h"

namespace steptp::forms {

namespace {

/// Ranges beyond this are no ranges: data decides.
constexpr Wide kReach = Wide{1} << 60;

}  // namespace

bool IndexEquations::has_overlapping_digits() {
  return std::any_of(equations_.begin(), equations_.end(), [this](const Affine& equation) {
    return linear_unknowns(equation).value_or(0) > 1 && !is_mixed_radix(equation);
  });
}

void IndexEquations::use_bound(ConditionId condition) {
  const Condition& node = arena_.condition(condition);
  if (node.kind != Condition::Kind::nonnegative) return;
  const Affine& sum = arena_.affine(node.left);
  Bound bound{{}, sum.constant};
  for (const auto& [id, coefficient] : sum.terms) {
    const Atom& atom = arena_.atom(id);
    if (atom.kind != Atom::Kind::variable || !is_unknown(atom.argument)) return;
    if (coefficient > 0 || arena_.known.range(atom.argument).low != 0) return;
    bound.factors[atom.argument] = -coefficient;
  }
  bounds_.push_back(std::move(bound));
}

void IndexEquations::run() {
  solve();
  // A quotient that has a name must still be that quotient.
  for (const Quotient& quotient : quotients_) {
    const Affine argument = arena_.substitute.affine(quotient.argument, values);
    if (!values.contains(quotient.name)) {
      throw GiveUp{"a subscript that cannot be inverted"};
    }
    const Affine rest = Affine::sum(argument, values.at(quotient.name), -quotient.divisor);
    conditions.push_back(arena_.conditions.nonnegative(rest));
    conditions.push_back(arena_.conditions.nonnegative(Affine::difference(Affine::number(quotient.divisor - 1), rest)));
  }
}

bool IndexEquations::use_equation(ConditionId condition) {
  const Condition& node = arena_.condition(condition);
  if (node.kind != Condition::Kind::zero) return false;
  const Affine equation = arena_.substitute.affine(arena_.affine(node.left), values);
  const auto count = linear_unknowns(equation);
  if (!count || *count == 0 || !is_mixed_radix(equation) || has_gaps(equation)) return false;
  determine(equation);
  for (auto& [variable, value] : values) value = arena_.substitute.affine(value, values);
  return true;
}

bool IndexEquations::has_gaps(const Affine& equation) {
  const std::vector<Term> terms = terms_of(equation);
  return terms.empty() || std::abs(terms.back().coefficient) != 1;
}

void IndexEquations::solve() {
  while (!equations_.empty()) {
    std::size_t best = equations_.size();
    std::size_t fewest = 0;
    for (std::size_t i = 0; i < equations_.size(); ++i) {
      const auto count = linear_unknowns(equations_[i]);
      if (!count) continue;
      if (best == equations_.size() || *count < fewest) {
        if (*count > 1 && !is_mixed_radix(equations_[i])) continue;
        best = i;
        fewest = *count;
      }
    }
    if (best == equations_.size()) return leave_to_data();
    const Affine equation = equations_[best];
    equations_.erase(equations_.begin() + static_cast<std::ptrdiff_t>(best));
    if (fewest == 0) {
      conditions.push_back(arena_.conditions.zero(equation));
    } else {
      determine(equation);
    }
  }
}

void IndexEquations::leave_to_data() {
  for (const Affine& equation : equations_) {
    if (arena_.is_free_of_data(equation)) throw GiveUp{"a subscript that cannot be inverted"};
    conditions.push_back(arena_.conditions.zero(equation));
  }
  equations_.clear();
}

bool IndexEquations::is_unknown(VariableId id) const {
  return std::find(unknown_.begin(), unknown_.end(), id) != unknown_.end() && !values.contains(id);
}

std::optional<std::size_t> IndexEquations::linear_unknowns(const Affine& equation) {
  std::size_t count = 0;
  for (const auto& [id, coefficient] : equation.terms) {
    const Atom& atom = arena_.atom(id);
    if (atom.kind == Atom::Kind::variable) {
      if (is_unknown(atom.argument)) ++count;
      continue;
    }
    const AffineId alone = arena_.intern(Affine{{{id, 1}}, 0});
    for (const VariableId variable : arena_.traits_of_affine(alone).variables) {
      if (is_unknown(variable)) return std::nullopt;
    }
  }
  return count;
}

std::vector<IndexEquations::Term> IndexEquations::terms_of(const Affine& equation) {
  std::vector<Term> terms;
  for (const auto& [id, coefficient] : equation.terms) {
    const Atom& atom = arena_.atom(id);
    if (atom.kind != Atom::Kind::variable || !is_unknown(atom.argument)) continue;
    const Interval range = arena_.known.range(atom.argument);
    terms.push_back(
        {atom.argument, coefficient, static_cast<std::int64_t>(range.low), static_cast<std::int64_t>(range.high)});
  }
  // Of equal ones the longest first: a loop of one iteration adds nothing, whatever its coefficient.
  std::sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) {
    const std::int64_t left = std::abs(a.coefficient);
    const std::int64_t right = std::abs(b.coefficient);
    return left != right ? left > right : a.high - a.low > b.high - b.low;
  });
  return terms;
}

bool IndexEquations::is_mixed_radix(const Affine& equation) {
  const std::vector<Term> terms = terms_of(equation);
  for (std::size_t i = 1; i < terms.size(); ++i) {
    if (std::abs(terms[i - 1].coefficient) <= reach_from(terms, i)) return false;
  }
  return true;
}

Wide IndexEquations::reach_from(const std::vector<Term>& terms, std::size_t first) {
  Wide reach = 0;
  for (std::size_t i = first; i < terms.size(); ++i) reach += reach_of(terms[i]);
  for (const Bound& bound : bounds_) {
    if (const auto bounded = reach_within(bound, terms, first)) reach = std::min(reach, *bounded);
  }
  return reach;
}

Wide IndexEquations::reach_of(const Term& term) { return Wide{std::abs(term.coefficient)} * (term.high - term.low); }

std::optional<Wide> IndexEquations::reach_within(const Bound& bound, const std::vector<Term>& terms,
                                                 std::size_t first) {
  Wide rest = 0;
  std::int64_t scale = 0;
  std::size_t met = 0;
  for (std::size_t i = first; i < terms.size(); ++i) {
    const auto factor = bound.factors.find(terms[i].variable);
    if (factor == bound.factors.end()) {
      rest += reach_of(terms[i]);
      continue;
    }
    const std::int64_t own = terms[i].coefficient / factor->second;
    if (own <= 0 || own * factor->second != terms[i].coefficient || (scale != 0 && scale != own)) return std::nullopt;
    scale = own;
    ++met;
  }
  if (met == 0 || met < bound.factors.size()) return std::nullopt;
  return scale * bound.most + rest;
}

void IndexEquations::determine(const Affine& equation) {
  // Unknowns counted from zero and upwards: sum of step*digit = rest.
  std::vector<Term> terms = terms_of(equation);
  Affine rest = Affine::scaled(equation, -1);
  std::int64_t divisor = 0;
  for (const Term& term : terms) {
    rest = Affine::sum(rest, arena_.affines.variable(term.variable), term.coefficient);
    const std::int64_t start = term.coefficient > 0 ? term.low : term.high;
    rest = Affine::sum(rest, Affine::number(start), -term.coefficient);
    divisor = std::gcd(divisor, term.coefficient);
  }
  if (divisor > 1) {
    conditions.push_back(arena_.conditions.zero(arena_.affines.remainder(rest, divisor)));
    rest = arena_.affines.quotient(rest, divisor);
  }
  Substitution found;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const Term& term = terms[i];
    const std::int64_t step = std::abs(term.coefficient) / divisor;
    const Affine digit = i + 1 < terms.size() ? arena_.affines.quotient(rest, step) : rest;
    if (i + 1 == terms.size() && step != 1) throw GiveUp{"a subscript with gaps"};
    rest = Affine::sum(rest, digit, -step);
    conditions.push_back(arena_.conditions.nonnegative(digit));
    conditions.push_back(
        arena_.conditions.nonnegative(Affine::difference(Affine::number(term.high - term.low), digit)));
    found[term.variable] = term.coefficient > 0 ? Affine::sum(Affine::number(term.low), digit)
                                                : Affine::difference(Affine::number(term.high), digit);
  }
  for (const auto& [variable, value] : found) values[variable] = value;
  for (Affine& other : equations_) other = arena_.substitute.affine(other, found);
}
void IndexEquations::name_remainders() {
  const std::size_t subscripts = equations_.size();
  for (const Quotient& quotient : quotients_) {
    if (linear_unknowns(quotient.argument).value_or(0) == 0) continue;
    std::optional<VariableId> remainder;
    for (std::size_t i = 0; i < subscripts; ++i) {
      const std::int64_t times = multiple_of(quotient.argument, equations_[i]);
      const Affine name = arena_.affines.variable(quotient.name);
      const bool has_name = coefficient_of(name.terms[0].first, equations_[i]) + times * quotient.divisor != 0;
      if (times == 0 || !has_name || is_mixed_radix(equations_[i])) continue;
      if (!remainder) {
        remainder = arena_.known.new_variable(0, quotient.divisor - 1);
        unknown_.push_back(*remainder);
      }
      const Affine digits = Affine::sum(arena_.affines.variable(*remainder), name, quotient.divisor);
      const Affine same = Affine::difference(quotient.argument, digits);
      equations_[i] = Affine::sum(equations_[i], same, -times);
      if (std::find(equations_.begin() + static_cast<std::ptrdiff_t>(subscripts), equations_.end(), same) ==
          equations_.end()) {
        equations_.push_back(same);
      }
    }
  }
}

std::int64_t IndexEquations::coefficient_of(AtomId atom, const Affine& affine) {
  const auto found =
      std::find_if(affine.terms.begin(), affine.terms.end(), [&](const auto& term) { return term.first == atom; });
  return found == affine.terms.end() ? 0 : found->second;
}

std::int64_t IndexEquations::multiple_of(const Affine& part, const Affine& whole) const {
  std::int64_t times = 0;
  for (const auto& [id, coefficient] : part.terms) {
    const Atom& atom = arena_.atom(id);
    if (atom.kind != Atom::Kind::variable || !is_unknown(atom.argument)) continue;
    const std::int64_t own = coefficient_of(id, whole);
    if (own == 0 || own % coefficient != 0 || (times != 0 && own / coefficient != times)) return 0;
    times = own / coefficient;
  }
  return times;
}

void IndexEquations::name_quotients() {
  for (Affine& equation : equations_) {
    Affine result = Affine::number(equation.constant);
    for (const auto& [id, coefficient] : equation.terms) {
      const Atom& atom = arena_.atom(id);
      const Affine alone{{{id, 1}}, 0};
      const auto& used = arena_.traits_of_affine(arena_.intern(alone)).variables;
      const bool hides_unknown =
          atom.kind == Atom::Kind::quotient &&
          std::any_of(used.begin(), used.end(), [this](VariableId variable) { return is_unknown(variable); });
      if (!hides_unknown) {
        result = Affine::sum(result, alone, coefficient);
        continue;
      }
      const auto known = std::find_if(quotients_.begin(), quotients_.end(), [&](const Quotient& quotient) {
        return quotient.divisor == atom.divisor && quotient.argument == arena_.affine(atom.argument);
      });
      VariableId name = 0;
      if (known != quotients_.end()) {
        name = known->name;
      } else {
        const Interval range = arena_.known.range(alone);
        if (range.low < -kReach || range.high > kReach) throw GiveUp{"a quotient without bounds"};
        name = arena_.known.new_variable(static_cast<std::int64_t>(range.low), static_cast<std::int64_t>(range.high));
        quotients_.push_back({name, arena_.affine(atom.argument), atom.divisor});
        unknown_.push_back(name);
      }
      result = Affine::sum(result, arena_.affines.variable(name), coefficient);
    }
    equation = std::move(result);
  }
}

}  // namespace steptp::forms
