// Ranges of integers (docs/decisions/0011): an interval that holds every value of a sum, from those of its variables.
// Intervals term by term lose that x-m*(x//m) is a digit, less than m, so such pairs of terms are taken together first.
#include <algorithm>
#include <optional>
#include <utility>

#include "steptp/prove/arena.h"

namespace steptp::forms {

Interval Knowledge::range(VariableId variable) const {
  if (variable >= ranges_.size()) return Interval::everything();
  return ignore_assumptions_ ? first_ranges_[variable] : ranges_[variable];
}

/// From g >= 0 follows x <= x+n*g for n > 0, and x >= x+n*g for n < 0; n is chosen so that a term of x vanishes.
Interval Knowledge::range_by_facts(const Affine& affine) {
  Interval result = range(affine);
  if (ignore_assumptions_) return result;
  budget_.look(facts_.size());
  for (const ConditionId fact : facts_) {
    const Condition& known = conditions_[fact];
    if (known.kind != Condition::Kind::nonnegative) continue;
    const Affine& given = affines_[known.left];
    for (const auto& [atom, coefficient] : given.terms) {
      const auto own = std::find_if(affine.terms.begin(), affine.terms.end(),
                                    [atom = atom](const auto& term) { return term.first == atom; });
      if (own == affine.terms.end() || own->second % coefficient != 0) continue;
      const std::int64_t factor = -(own->second / coefficient);
      const Interval shifted = range(Affine::sum(affine, given, factor));
      if (factor > 0) {
        result.high = std::min(result.high, shifted.high);
      } else {
        result.low = std::max(result.low, shifted.low);
      }
      break;
    }
  }
  // Facts that exclude each other say nothing that is needed.
  return result.low <= result.high ? result : range(affine);
}

Interval Knowledge::atom_range(AtomId id) {
  const Deeper deeper(budget_);
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
      if (generator.kind == Generator::Kind::input) return store_.inputs[generator.tag].integers;
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

Interval Knowledge::value_range(GeneratorId id) {
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

Interval Knowledge::range_of_fold(GeneratorId id) {
  const auto op = static_cast<ArithmeticOp>(generators_[id].tag);
  // Without conditions it has rounds, and its value is that of one of them.
  const bool is_chosen = (op == ArithmeticOp::max || op == ArithmeticOp::min) && generators_[id].conditions.empty();
  if (!is_chosen) return Interval::everything();
  const auto body = as_affine(arena_.reductions.opened(id).body);
  return body ? range(*body) : Interval::everything();
}

/// 0 <= k*(x//a)-k*(b/a)*(x//b) <= k*(b/a-1), which the intervals of its two terms do not show. x itself counts as
/// x//1, where x is a single atom. Takes such pairs out of the terms, and adds them to the total.
void Knowledge::take_digits(Terms& rest, Interval& total) const {
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
}

/// The same where the argument is a sum: all its terms are here, times one factor.
void Knowledge::take_sums_of_digits(Terms& rest, Interval& total) const {
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
}

Interval Knowledge::range(const Affine& affine) {
  Terms rest = affine.terms;
  Interval total{affine.constant, affine.constant};
  take_digits(rest, total);
  take_sums_of_digits(rest, total);
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
