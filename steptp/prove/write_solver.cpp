// Which iterations write an element (docs/decisions/0011): the equations "subscript = element" are solved for the loops
// of the statement. o*32+i with i in [0,32) is solved digit by digit, in mixed radix with any number of digits; a loop
// that is itself taken apart by // and % is split into digits first; a guard that is an equation determines a loop as a
// subscript does. What the equations demand besides becomes conditions. Where data stands in a subscript, the rounds
// stay free and the equation is a condition on them.
#include "steptp/prove/flow.h"

#include <algorithm>
#include <numeric>

#include "steptp/prove/give_up.h"

namespace steptp::forms {

namespace {

/// Ranges beyond this are no ranges: data decides.
constexpr Wide kReach = Wide{1} << 60;

/// Unknowns and their values while the equations are solved one by one.
class System {
 public:
  System(Arena& arena, std::vector<Affine> equations, std::vector<VariableId> unknown)
      : arena_(arena), equations_(std::move(equations)), unknown_(std::move(unknown)) {}

  /// Solves as many unknowns as the equations determine; what the equations still demand becomes conditions.
  void run() {
    name_quotients();
    solve();
    // A quotient that has a name must still be that quotient.
    for (const Quotient& quotient : quotients_) {
      const Affine argument = arena_.substitute.affine(quotient.argument, values);
      if (!values.contains(quotient.name)) {
        throw GiveUp{"a subscript that cannot be inverted"};
      }
      const Affine rest = Affine::sum(argument, values.at(quotient.name), -quotient.divisor);
      conditions.push_back(arena_.conditions.nonnegative(rest));
      conditions.push_back(
          arena_.conditions.nonnegative(Affine::difference(Affine::number(quotient.divisor - 1), rest)));
    }
  }

  /// One more equation, known to hold where the statement runs; false where it determines nothing.
  bool use_equation(ConditionId condition) {
    const Condition& node = arena_.condition(condition);
    if (node.kind != Condition::Kind::zero) return false;
    const Affine equation = arena_.substitute.affine(arena_.affine(node.left), values);
    const auto count = linear_unknowns(equation);
    if (!count || *count == 0 || !is_mixed_radix(equation) || has_gaps(equation)) return false;
    determine(equation);
    for (auto& [variable, value] : values) value = arena_.substitute.affine(value, values);
    return true;
  }

  Substitution values;
  std::vector<ConditionId> conditions;

 private:
  struct Quotient {
    VariableId name;
    Affine argument;
    std::int64_t divisor;
  };

  /// (8p+4t+x)//6 over unknowns becomes an unknown of its own: with (8p+4t+x)%6, both are determined.
  void name_quotients() {
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

  bool has_gaps(const Affine& equation) {
    const std::vector<Term> terms = terms_of(equation);
    return terms.empty() || std::abs(terms.back().coefficient) != 1;
  }

  void solve() {
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

  /// Which rounds write the element depends on data, as in D(I(a))+=A(a): a condition on rounds that stay free.
  void leave_to_data() {
    for (const Affine& equation : equations_) {
      if (arena_.is_free_of_data(equation)) throw GiveUp{"a subscript that cannot be inverted"};
      conditions.push_back(arena_.conditions.zero(equation));
    }
    equations_.clear();
  }

  struct Term {
    VariableId variable;
    std::int64_t coefficient;
    std::int64_t low;
    std::int64_t high;
  };

  [[nodiscard]] bool is_unknown(VariableId id) const {
    return std::find(unknown_.begin(), unknown_.end(), id) != unknown_.end() && !values.contains(id);
  }

  /// How many unknowns occur, if they occur only as multiples of themselves.
  std::optional<std::size_t> linear_unknowns(const Affine& equation) {
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

  std::vector<Term> terms_of(const Affine& equation) {
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

  /// Each coefficient is greater than everything the smaller ones can add up to: the digits are determined.
  bool is_mixed_radix(const Affine& equation) {
    const std::vector<Term> terms = terms_of(equation);
    Wide reach = 0;
    for (std::size_t i = terms.size(); i-- > 0;) {
      const Wide step = std::abs(terms[i].coefficient);
      if (i + 1 < terms.size() && step <= reach) return false;
      reach += step * (terms[i].high - terms[i].low);
    }
    return true;
  }

  void determine(const Affine& equation) {
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

  Arena& arena_;
  std::vector<Affine> equations_;
  std::vector<VariableId> unknown_;
  std::vector<Quotient> quotients_;
};

}  // namespace

std::optional<WriteSolver::Digit> WriteSolver::digit_in(const std::vector<Affine>& subscripts,
                                                        const std::vector<VariableId>& unknown) {
  Digit found;
  for (const Affine& subscript : subscripts) {
    arena_.occurrences.for_each_affine_of_affine(subscript, [&](const Affine& inside) {
      for (const auto& [id, coefficient] : inside.terms) {
        const Atom& atom = arena_.atom(id);
        if (atom.kind != Atom::Kind::quotient) continue;
        const Affine& argument = arena_.affine(atom.argument);
        if (argument.terms.size() != 1 || argument.terms[0].second != 1 || argument.constant != 0) continue;
        const Atom& digit = arena_.atom(argument.terms[0].first);
        if (digit.kind != Atom::Kind::variable) continue;
        if (std::find(unknown.begin(), unknown.end(), digit.argument) == unknown.end()) continue;
        if (found.divisor != 0 && (found.variable != digit.argument || found.divisor <= atom.divisor)) continue;
        found.variable = digit.argument;
        found.divisor = atom.divisor;
      }
    });
  }
  return found.divisor == 0 ? std::nullopt : std::optional(found);
}

/// v = m*o+i with i in [0,m): loops that are taken apart by // and % are solved digit by digit.
void WriteSolver::split_loops(std::vector<Affine>& subscripts, std::vector<Affine>& loops, SolvedWrite& solved) {
  while (const auto digit = digit_in(subscripts, solved.unknown)) {
    const auto [variable, divisor] = *digit;
    const auto high = static_cast<std::int64_t>(arena_.known.range(variable).high);
    const VariableId coarse = arena_.known.new_variable(0, high / divisor);
    const VariableId fine = arena_.known.new_variable(0, divisor - 1);
    const Affine value = Affine::sum(arena_.affines.variable(fine), arena_.affines.variable(coarse), divisor);
    const Substitution map = {{variable, value}};
    for (Affine& subscript : subscripts) subscript = arena_.substitute.affine(subscript, map);
    for (Affine& loop : loops) loop = arena_.substitute.affine(loop, map);
    for (ConditionId& condition : solved.conditions) condition = arena_.substitute.condition(condition, map);
    if ((high + 1) % divisor != 0) {
      solved.conditions.push_back(arena_.conditions.nonnegative(Affine::difference(Affine::number(high), value)));
    }
    std::erase(solved.unknown, variable);
    solved.unknown.push_back(coarse);
    solved.unknown.push_back(fine);
  }
}

void WriteSolver::note_free_loops(SolvedWrite& solved) {
  for (const Affine& loop : solved.loops) {
    std::optional<VariableId> free;
    for (const VariableId id : solved.unknown) {
      if (loop == arena_.affines.variable(id)) free = id;
    }
    const auto& used = arena_.traits_of_affine(arena_.intern(loop)).variables;
    const bool has_free = std::any_of(used.begin(), used.end(), [&](VariableId id) {
      return std::find(solved.unknown.begin(), solved.unknown.end(), id) != solved.unknown.end();
    });
    solved.free.push_back(free);
    solved.is_partial.push_back(has_free && !free);
  }
}

SolvedWrite WriteSolver::solve(std::size_t writer, const std::vector<Affine>& element,
                               const std::map<std::size_t, Affine>& fixed) {
  const Statement& statement = table_.statements[writer];
  arena_.budget.spend(4);
  SolvedWrite solved;
  Frame frame{writer, {}, false};
  for (const Loop* loop : statement.loops) {
    if (const auto known = fixed.find(frame.loops.size()); known != fixed.end()) {
      frame.loops.push_back(known->second);
      continue;
    }
    const VariableId id = arena_.known.new_variable(0, loop->extent - 1);
    solved.unknown.push_back(id);
    frame.loops.push_back(arena_.affines.variable(id));
  }
  std::vector<Affine> subscripts = parts_.evaluator.left_subscripts(writer, frame);
  if (subscripts.size() != element.size()) throw GiveUp{"a tensor with two ranks"};

  split_loops(subscripts, frame.loops, solved);
  std::vector<Affine> equations;
  for (std::size_t i = 0; i < subscripts.size(); ++i) {
    equations.push_back(Affine::difference(subscripts[i], element[i]));
  }
  System system(arena_, std::move(equations), solved.unknown);
  system.run();
  const auto apply = [&] {
    for (Affine& loop : frame.loops) loop = arena_.substitute.affine(loop, system.values);
    for (ConditionId& condition : solved.conditions) condition = arena_.substitute.condition(condition, system.values);
  };
  apply();
  // A guard that is an equation determines a loop as a subscript does.
  const Frame written{writer, frame.loops, false};
  for (const ExprPtr& guard : statement.guards) {
    const ConditionId holds = parts_.evaluator.condition(*guard, written);
    const Condition& node = arena_.condition(holds);
    const bool is_conjunction = node.kind == Condition::Kind::conjunction;
    for (const ConditionId part : is_conjunction ? node.parts : std::vector<ConditionId>{holds}) {
      if (!system.use_equation(part)) solved.conditions.push_back(part);
    }
  }
  apply();
  for (ConditionId& condition : system.conditions) condition = arena_.substitute.condition(condition, system.values);
  solved.conditions.insert(solved.conditions.end(), system.conditions.begin(), system.conditions.end());
  std::erase_if(solved.unknown, [&](VariableId id) { return system.values.contains(id); });
  solved.loops = std::move(frame.loops);
  note_free_loops(solved);
  return solved;
}

}  // namespace steptp::forms
