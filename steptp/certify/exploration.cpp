// Ways that no draw takes: an input is solved for. From some inputs, one input is moved by one and by two; where a
// difference that a program compares changes by the same amount both times, it is affine in that input, and its root is
// a small fraction that can be computed from residues (arithmetic/roots.h). At the root the comparison ties, and beside
// it it goes one way and the other. What is new on the way there is looked at, and is where the search goes on.
// docs/decisions/0019-inputs-solved-for.md.
#include "steptp/certify/exploration.h"

#include <memory>
#include <set>
#include <utility>

#include "steptp/arithmetic/roots.h"

namespace steptp::certify {

namespace {

constexpr std::int64_t kSeeds = 12;
constexpr std::size_t kMostReads = 24;  ///< elements of inputs that are solved for
constexpr std::size_t kMostNodes = 160;
constexpr std::size_t kMostStates = 24;  ///< from which others are looked for
constexpr std::uint64_t kMostOperations = 4'000'000;

using Ways = Exploration::Ways;

/// Where the differences that are compared vanish as one input moves by one and by two; the ways are those at its
/// present value.
std::set<std::pair<double, Fraction>> roots_of(const Ways& here, const Ways& one, const Ways& two, Fraction value) {
  std::set<std::pair<double, Fraction>> out;
  for (Traced Ways::*const program : {&Ways::before, &Ways::after}) {
    const Trace& first = (here.*program).steps;
    const Trace& second = (one.*program).steps;
    const Trace& third = (two.*program).steps;
    const PrimeField field = PrimeField::modulo((here.*program).prime);
    for (std::size_t i = 0; i < first.size() && i < second.size() && i < third.size(); ++i) {
      if (first[i].kind != TraceStep::Kind::reals) continue;
      if (!is_same_place(first[i], second[i]) || !is_same_place(first[i], third[i])) break;
      const auto at = root(field, value, first[i].difference, second[i].difference, third[i].difference);
      if (at) out.emplace(to_double(*at), *at);
    }
  }
  return out;
}

/// Ties as comparisons of what does not tie elsewhere.
void name_ties(Trace& steps, const Trace& elsewhere) {
  for (std::size_t i = 0; i < steps.size() && i < elsewhere.size() && is_same_place(steps[i], elsewhere[i]); ++i) {
    if (!steps[i].is_tie()) continue;
    steps[i].identity = elsewhere[i].identity;
    steps[i].signs_of_true = elsewhere[i].signs_of_true;
  }
}
void name_ties(Ways& ways, const Ways& elsewhere) {
  name_ties(ways.before.steps, elsewhere.before.steps);
  name_ties(ways.after.steps, elsewhere.after.steps);
}

/// A tie here that is none elsewhere.
bool has_new_tie(const Trace& steps, const Trace& elsewhere) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!steps[i].is_tie()) continue;
    const bool was_tie = i < elsewhere.size() && is_same_place(steps[i], elsewhere[i]) && elsewhere[i].is_tie();
    if (!was_tie) return true;
  }
  return false;
}
bool has_new_tie(const Ways& ways, const Ways& elsewhere) {
  return has_new_tie(ways.before.steps, elsewhere.before.steps) || has_new_tie(ways.after.steps, elsewhere.after.steps);
}

}  // namespace

bool Exploration::is_spent() const {
  return start_ - inquiry_.pair.budget.operations > kMostOperations || tried_.size() > kMostNodes;
}

std::optional<Ways> Exploration::ways_at(const Draw& draw, ReadLog* log) {
  JudgedPair& pair = inquiry_.pair;
  auto before = Comparison::trace(pair.before, pair.model, draw, point_, pair.options, pair.budget, log);
  if (!before) return std::nullopt;
  auto after = Comparison::trace(pair.after, pair.model, draw, point_, pair.options, pair.budget, log);
  if (!after || before->prime != after->prime) return std::nullopt;
  return Ways{std::move(*before), std::move(*after)};
}

Draw Exploration::moved(const Draw& from, const InputRead& read, Fraction value) const {
  auto given = from.given ? std::make_shared<GivenInputs>(*from.given) : std::make_shared<GivenInputs>();
  const Variable& variable = *inquiry_.pair.model.inputs[read.input].variable;
  given->elements[{variable.name, index_at(variable, read.position)}] = {false, 0, value};
  Draw out = from;
  out.given = std::move(given);
  return out;
}

Progress Exploration::run() {
  for (std::int64_t seed = 0; seed < kSeeds && !is_spent(); ++seed) {
    if (is_decided(from_seed(seed))) return Progress::decided;
  }
  return Progress::go_on;
}

Progress Exploration::from_seed(std::int64_t seed) {
  // At odd seeds one input is zero (Draw::step).
  counts_ = seed % 2 == 0;
  const std::uint64_t of_draw = inquiry_.pair.seed_of(DrawKind::solved, static_cast<std::uint64_t>(seed));
  states_.clear();
  states_.push_back({{DrawKind::solved, of_draw, seed}, {}, false});
  for (std::size_t count = 0; count < kMostStates && !states_.empty() && !is_spent(); ++count) {
    const State state = std::move(states_.front());
    states_.pop_front();
    if (is_decided(from_state(state))) return Progress::decided;
  }
  return Progress::go_on;
}

Progress Exploration::from_state(const State& state) {
  ReadLog log;
  log.most = kMostReads;
  auto here = ways_at(state.draw, &log);
  if (!here) return Progress::go_on;
  name_ties(*here, state.ways);
  for (std::size_t i = 0; i < log.reads.size(); ++i) {
    const InputRead& read = log.reads[i];
    const bool is_given = !inquiry_.pair.model.inputs[read.input].variable->values.empty();
    if (read.value.is_integer || is_given || is_spent()) continue;
    // Another distance for each element: comparisons of equal differences would pass for one comparison.
    const auto distance = static_cast<std::int64_t>(9 + 2 * i);
    if (is_decided(along({state, *here, read, distance}))) return Progress::decided;
  }
  return Progress::go_on;
}

Progress Exploration::along(const Axis& axis) {
  const auto after_step = [&](std::int64_t by) -> std::optional<Ways> {
    const auto value = sum(axis.read.value.real, {by, 0});
    return value ? ways_at(moved(axis.from.draw, axis.read, *value)) : std::nullopt;
  };
  const auto one = after_step(1);
  const auto two = one ? after_step(2) : std::nullopt;
  const std::uint64_t prime = axis.here.before.prime;
  if (!two || one->before.prime != prime || two->before.prime != prime) return Progress::go_on;
  for (const auto& [number, root] : roots_of(axis.here, *one, *two, axis.read.value.real)) {
    if (is_decided(beside_root(axis, root))) return Progress::decided;
  }
  return Progress::go_on;
}

Progress Exploration::beside_root(const Axis& axis, Fraction root) {
  for (const std::int64_t side : {std::int64_t{0}, axis.distance, -axis.distance}) {
    const auto value = sum(root, {side, -3});
    if (!value || !is_legal(inquiry_.pair.model.inputs[axis.read.input], *value)) continue;
    if (is_decided(visit(axis, moved(axis.from.draw, axis.read, *value), side == 0))) return Progress::decided;
  }
  return Progress::go_on;
}

Progress Exploration::visit(const Axis& axis, const Draw& draw, bool is_root) {
  auto there = ways_at(draw);
  if (!there) return Progress::go_on;
  const bool is_tie = axis.from.has_ties || has_new_tie(*there, axis.here);
  name_ties(*there, axis.here);
  const Trace before = inquiry_.settled.open_steps(there->before.steps, true);
  const Trace after = inquiry_.settled.open_steps(there->after.steps, false);
  const bool is_new = tried_.add(before, after, 1);
  // A product is zero where one of its factors is: each is looked at.
  if (!is_new && !is_root) return Progress::go_on;
  JudgedPair& pair = inquiry_.pair;
  Comparison comparison(pair.pair, pair.model, draw, pair.options, pair.budget);
  const std::uint64_t agreed = inquiry_.findings.agreed();
  if (is_decided(inquiry_.findings.compare(comparison, draw, point_))) return Progress::decided;
  inquiry_.findings.collect_outcomes(comparison);
  // Only what was looked at counts. What is zero hides differences. A tie that was solved for shows nothing of others
  // of the same comparison: (C-1)*(A*A-2) is zero where C is 1, and where no fraction leads.
  if (counts_ && !is_tie && inquiry_.findings.agreed() > agreed) static_cast<void>(ways_.add(before, after, 1));
  if (is_new) states_.push_back({draw, std::move(*there), is_tie});
  return Progress::go_on;
}

}  // namespace steptp::certify
