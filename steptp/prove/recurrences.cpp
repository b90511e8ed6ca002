// Statements that read what they wrote (docs/decisions/0026, 0034). Such a statement cannot be followed from round to
// round, so it becomes a function of its element: its right side, with itself as a generator, is the body, and two
// programs with the same body are proved. Cycles through several statements are broken at one of them. A recurrence
// that overwrites its element has its round as one more subscript. Those that are folds get a better form
// (closed_recurrences.cpp).
#include "steptp/prove/flow.h"

#include <algorithm>
#include <set>
#include <variant>

#include "steptp/prove/give_up.h"

namespace steptp::forms {

namespace {

/// Pairs of statements in one nest of which one may read what the other writes.
constexpr std::size_t kMostPairs = 1'000'000;

/// Which nodes are left when those that nothing leads to are taken away, again and again: all that lie in cycles are.
std::vector<bool> in_cycles(const std::vector<std::vector<std::size_t>>& sources) {
  std::vector<std::size_t> uses(sources.size(), 0);
  for (const auto& list : sources) {
    for (const std::size_t source : list) ++uses[source];
  }
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (uses[i] == 0) open.push_back(i);
  }
  std::vector<bool> left(sources.size(), true);
  while (!open.empty()) {
    const std::size_t node = open.back();
    open.pop_back();
    left[node] = false;
    for (const std::size_t source : sources[node]) {
      if (--uses[source] == 0) open.push_back(source);
    }
  }
  return left;
}

}  // namespace

void Recurrences::find_recurrences() {
  // Statements that read, not as accumulators, the tensor they write.
  is_cyclic_.assign(table_.statements.size(), false);
  for (const Access& access : table_.accesses) {
    if (access.is_write || access.is_accumulator) continue;
    if (table_.statements[access.statement].equation->left->tensor == access.ref->tensor) {
      is_cyclic_[access.statement] = true;
    }
  }
  is_roundabout_.assign(table_.statements.size(), false);
  break_longer_cycles();
  bodies_.assign(table_.statements.size(), std::nullopt);
  closed_.assign(table_.statements.size(), std::nullopt);
  rolled_.assign(table_.statements.size(), std::nullopt);
  prepared_ = 0;
  parts_.reaching.forget_values();
}

std::vector<std::vector<std::size_t>> Recurrences::near_sources() {
  std::vector<std::vector<std::size_t>> found(table_.statements.size());
  std::size_t pairs = 0;
  for (const Access& access : table_.accesses) {
    if (access.is_write || access.is_accumulator) continue;
    const std::vector<std::size_t>& writers = writers_.of(access.ref->tensor);
    const std::uint32_t nest = table_.statements[access.statement].items[0];
    // Writers are in textual order, so those of one nest stand together.
    auto writer = std::partition_point(writers.begin(), writers.end(), [&](std::size_t statement) {
      return table_.statements[statement].items[0] < nest;
    });
    for (; writer != writers.end() && table_.statements[*writer].items[0] == nest; ++writer) {
      if (++pairs > kMostPairs) throw GiveUp{"too many statements that read and write one tensor in one nest"};
      found[access.statement].push_back(*writer);
    }
  }
  return found;
}

void Recurrences::break_longer_cycles() {
  const std::vector<std::vector<std::size_t>> sources = near_sources();
  const std::vector<bool> is_in_cycle = in_cycles(sources);
  for (std::size_t statement = 0; statement < table_.statements.size(); ++statement) {
    // A copy is passed through: what is copied makes the better name. A fold is none, whatever is folded.
    const Statement& here = table_.statements[statement];
    if (is_cyclic_[statement] || here.accumulates || std::holds_alternative<Read>(here.equation->right->node)) continue;
    if (!is_in_cycle[statement]) continue;
    std::set<std::size_t> seen;
    std::vector<std::size_t> open = {statement};
    // Recurrences that are known are left out.
    while (!open.empty() && !seen.contains(statement)) {
      const std::size_t next = open.back();
      open.pop_back();
      for (const std::size_t source : sources[next]) {
        if (is_cyclic_[source] || !seen.insert(source).second) continue;
        arena_.budget.spend(1);
        open.push_back(source);
      }
    }
    is_roundabout_[statement] = is_cyclic_[statement] = seen.contains(statement);
  }
}

void Recurrences::prepare_recurrences(std::size_t end) {
  // In textual order, because later ones may read earlier ones.
  for (; prepared_ < end; ++prepared_) {
    const std::size_t statement = prepared_;
    if (!is_cyclic_[statement]) continue;
    std::vector<VariableId> names;
    try {
      names = element_names(statement);
      make_body(statement, names);
    } catch (const GiveUp&) {
      forget_open_recurrence();
    }
    // Even without a body for any place there may be one for the first and one for all others.
    if (is_cyclic_[statement]) close(statement, names);
    // Names alone made it one: its elements may have no cycle.
    const bool has_form = closed_[statement] || (bodies_[statement] && !parts_.options.unrolls);
    if (is_roundabout_[statement] && !has_form) is_cyclic_[statement] = false;
  }
}

std::vector<VariableId> Recurrences::element_names(std::size_t statement) {
  Frame box{statement, {}, false};
  for (const Loop* loop : table_.statements[statement].loops) {
    box.loops.push_back(arena_.affines.variable(arena_.known.new_variable(0, loop->extent - 1)));
  }
  std::vector<VariableId> names;
  const std::vector<std::int64_t>& shape = writers_.shape(table_.statements[statement].equation->left->tensor);
  for (const Affine& subscript : parts_.evaluator.left_subscripts(statement, box)) {
    Interval range = arena_.known.range(subscript);
    // What guards leave out is no element, and conditions that ask for it would stay in the body.
    if (names.size() < shape.size()) range.high = std::min<Wide>(range.high, shape[names.size()] - 1);
    if (range.low < -(Wide{1} << 60) || range.high > (Wide{1} << 60)) throw GiveUp{"a subscript without bounds"};
    names.push_back(
        arena_.known.new_variable(static_cast<std::int64_t>(range.low), static_cast<std::int64_t>(range.high)));
  }
  rolled_[statement] = rolled_loop(statement, names);
  if (const auto rolled = rolled_[statement]) {
    names.push_back(arena_.known.new_variable(0, table_.statements[statement].loops[*rolled]->extent - 1));
  }
  return names;
}

std::optional<std::size_t> Recurrences::rolled_loop(std::size_t statement, const std::vector<VariableId>& names) {
  std::vector<Affine> element;
  element.reserve(names.size());
  for (const VariableId name : names) element.push_back(arena_.affines.variable(name));
  const SolvedWrite solved = solve(statement, element);
  if (solved.unknown.size() != 1) return std::nullopt;
  for (std::size_t i = 0; i < solved.free.size(); ++i) {
    if (solved.free[i] == solved.unknown[0]) return i;
  }
  return std::nullopt;
}

void Recurrences::make_body(std::size_t statement, const std::vector<VariableId>& names) {
  std::vector<Affine> parameters;
  parameters.reserve(names.size());
  for (const VariableId name : names) parameters.push_back(arena_.affines.variable(name));
  const Round round = body_at(statement, parameters);
  // It reads what another statement wrote there before.
  if (reads_of_itself_.empty()) is_cyclic_[statement] = false;
  Substitution map;
  const auto height_of = [this](PolynomialId form) {
    return form == kHarmless ? std::uint32_t{0} : arena_.traits(form).height;
  };
  const std::uint32_t height = std::max(height_of(round.value), height_of(round.hazard)) + 1;
  for (std::size_t i = 0; i < names.size(); ++i) {
    map[names[i]] = arena_.affines.variable(bound_variable(height, static_cast<std::uint32_t>(i)));
  }
  Round named{arena_.substitute.polynomial(round.value, map), kHarmless};
  if (round.hazard != kHarmless) named.hazard = arena_.substitute.polynomial(round.hazard, map);
  if (std::max(height_of(named.value), height_of(named.hazard)) + 1 != height) {
    throw GiveUp{"a recurrence whose body changed"};
  }
  bodies_[statement] = named;
}

void Recurrences::forget_open_recurrence() {
  open_recurrence_.reset();
  self_is_number_ = false;
  parts_.reaching.forget_values();  // what was found while it was open speaks of itself
  parts_.reaching.begin();
}

Recurrences::Round Recurrences::body_at(std::size_t statement, const std::vector<Affine>& element) {
  reads_of_itself_.clear();
  const auto rolled = rolled_[statement];
  SolvedWrite solved = solve(statement, {element.begin(), element.end() - (rolled ? 1 : 0)});
  if (rolled) {
    const Substitution round = {{*solved.free[*rolled], element.back()}};
    for (Affine& loop : solved.loops) loop = arena_.substitute.affine(loop, round);
  } else if (!solved.unknown.empty()) {
    throw GiveUp{"a recurrence that overwrites its own elements"};
  }
  const Assumption written(arena_, conditions_on(element, solved));
  open_recurrence_ = statement;
  const Value value = right_side(statement, solved.loops, false);
  const Round round{to_real(value), value.hazard};
  open_recurrence_.reset();
  parts_.reaching.forget_values();  // what was found while it was open speaks of itself
  return round;
}

ConditionId Recurrences::conditions_on(const std::vector<Affine>& element, const SolvedWrite& solved) {
  std::set<VariableId> names;
  for (const Affine& subscript : element) {
    const bool is_name = subscript.terms.size() == 1 && subscript.terms[0].second == 1 && subscript.constant == 0;
    const Atom* atom = is_name ? &arena_.atom(subscript.terms[0].first) : nullptr;
    if (atom && atom->kind == Atom::Kind::variable) names.insert(atom->argument);
  }
  std::vector<ConditionId> given;
  for (const ConditionId condition : solved.conditions) {
    const auto& used = arena_.traits_of_condition(condition).variables;
    if (std::all_of(used.begin(), used.end(), [&](VariableId name) { return names.contains(name); })) {
      given.push_back(condition);
    }
  }
  return arena_.conditions.conjunction(given);
}

Generator Recurrences::self(std::size_t statement, const std::vector<Affine>& element) {
  const bool is_real = is_float(table_.statements[statement].equation->left->dtype);
  const SelfKind kind = !is_real ? SelfKind::integer : self_is_number_ ? SelfKind::number : SelfKind::real;
  Generator node{Generator::Kind::self, static_cast<std::uint32_t>(kind), {}, {}, {}, {}};
  for (const Affine& subscript : element) node.subscripts.push_back(arena_.intern(subscript));
  return node;
}

Value Recurrences::recurrence(const CandidateWrite& write, std::vector<Affine> element) {
  const std::size_t statement = write.statement;
  if (const auto rolled = rolled_[statement]) element.push_back(write.loops[*rolled]);
  const DType dtype = table_.statements[statement].equation->left->dtype;
  if (dtype == DType::boolean) throw GiveUp{"a recurrence of bools"};
  Generator node = self(statement, element);
  const auto value = [&] {
    const PolynomialId real = arena_.polynomials.generator(node);
    return is_float(dtype) ? Value{Value::Kind::real, {}, real, 0} : integer_of(real);
  };
  if (open_recurrence_ == statement) {
    reads_of_itself_.push_back(element);
    return value();
  }
  if (const std::optional<Closed>& closed = closed_[statement]) {
    Substitution map;
    for (std::size_t i = 0; i < element.size(); ++i) map[closed->element[i]] = element[i];
    const PolynomialId real = arena_.substitute.polynomial(closed->value, map);
    Value at_element = is_float(dtype) ? Value{Value::Kind::real, {}, real, 0} : integer_of(real);
    if (closed->hazard != kHarmless) at_element.hazard = arena_.substitute.polynomial(closed->hazard, map);
    return at_element;
  }
  if (!bodies_[statement]) throw GiveUp{"a recurrence without a normal form"};
  node.kind = Generator::Kind::recurrence;
  node.tag = is_float(dtype) ? 0 : 1;
  node.polynomials = {bodies_[statement]->value};
  Value at_element = value();
  if (bodies_[statement]->hazard != kHarmless) {
    // Some round on the way has no value: a function of both bodies, which programs with the same bodies share.
    node.tag = 1;
    node.polynomials = {bodies_[statement]->hazard, bodies_[statement]->value};
    at_element.hazard = hazards_.united(kHarmless, arena_.polynomials.generator(std::move(node)));
  }
  return at_element;
}

}  // namespace steptp::forms
