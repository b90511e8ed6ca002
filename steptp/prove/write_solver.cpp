// Which iterations write an element (docs/decisions/0011): the equations "subscript = element" are solved for the loops
// of the statement (index_equations.h). A loop that is itself taken apart by // and % is split into digits first; a
// guard may bound digits, or be an equation that determines a loop as a subscript does. What the equations demand
// besides becomes conditions.
#include "steptp/prove/flow.h"

#include <algorithm>

#include "steptp/prove/give_up.h"
#include "steptp/prove/index_equations.h"

namespace steptp::forms {

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

std::vector<ConditionId> WriteSolver::parts_of(const Expr& guard, const Frame& frame) {
  const ConditionId holds = parts_.evaluator.condition(guard, frame);
  const Condition& node = arena_.condition(holds);
  return node.kind == Condition::Kind::conjunction ? node.parts : std::vector<ConditionId>{holds};
}

std::vector<ConditionId> WriteSolver::guards_without_data(std::size_t writer, const Frame& frame) {
  std::vector<ConditionId> out;
  for (const ExprPtr& guard : table_.statements[writer].guards) {
    bool reads = false;
    for_each_ref(*guard, [&](const RefPtr&) { reads = true; });
    if (reads) continue;
    const std::vector<ConditionId> parts = parts_of(*guard, frame);
    out.insert(out.end(), parts.begin(), parts.end());
  }
  return out;
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
  IndexEquations system(arena_, std::move(equations), solved.unknown);
  system.name_quotients();
  system.name_remainders();
  if (system.has_overlapping_digits()) {
    for (const ConditionId condition : solved.conditions) system.use_bound(condition);
    for (const ConditionId part : guards_without_data(writer, frame)) system.use_bound(part);
  }
  system.run();
  const auto apply = [&] {
    for (Affine& loop : frame.loops) loop = arena_.substitute.affine(loop, system.values);
    for (ConditionId& condition : solved.conditions) condition = arena_.substitute.condition(condition, system.values);
  };
  apply();
  // A guard that is an equation determines a loop as a subscript does.
  const Frame written{writer, frame.loops, false};
  for (const ExprPtr& guard : statement.guards) {
    for (const ConditionId part : parts_of(*guard, written)) {
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
