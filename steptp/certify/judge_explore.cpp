// Ways that no draw takes: an input is solved for.
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "steptp/arithmetic/roots.h"
#include "steptp/certify/combinations.h"
#include "steptp/certify/judge.h"

namespace steptp::certify {

namespace {

constexpr std::int64_t kSeeds = 12;
constexpr std::size_t kMostReads = 24;  ///< elements of inputs that are solved for
constexpr std::size_t kMostNodes = 160;
constexpr std::size_t kMostStates = 24;  ///< from which others are looked for
constexpr std::uint64_t kMostOperations = 4'000'000;

/// What both programs compare on the way to an element.
struct Ways {
  Traced before;
  Traced after;
};

/// Inputs from which others are looked for, and the way to them.
struct State {
  Draw draw;
  Ways ways;
  bool has_ties = false;  ///< that were solved for
};

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

}  // namespace

bool Judge::explore(const OutputPoint& point, Combinations& ways) {
  const std::uint64_t start = budget_.operations;
  Combinations tried(true);
  const auto is_spent = [&] { return start - budget_.operations > kMostOperations || tried.size() > kMostNodes; };
  const auto ways_at = [&](const Draw& draw, ReadLog* log = nullptr) -> std::optional<Ways> {
    auto before = Comparison::trace(before_, model_, draw, point, options_, budget_, log);
    if (!before) return std::nullopt;
    auto after = Comparison::trace(after_, model_, draw, point, options_, budget_, log);
    if (!after || before->prime != after->prime) return std::nullopt;
    return Ways{std::move(*before), std::move(*after)};
  };
  for (std::int64_t seed = 0; seed < kSeeds && !is_spent(); ++seed) {
    const Draw draw{DrawKind::solved, seed_of(DrawKind::solved, static_cast<std::uint64_t>(seed)), seed};
    const auto moved = [&](const Draw& from, const InputRead& read, Fraction value) {
      auto given = from.given ? std::make_shared<GivenInputs>(*from.given) : std::make_shared<GivenInputs>();
      const Variable& variable = *model_.inputs[read.input].variable;
      given->elements[{variable.name, index_at(variable, read.position)}] = {false, 0, value};
      Draw out = from;
      out.given = std::move(given);
      return out;
    };
    std::deque<State> states = {{draw, {}, false}};
    for (std::size_t count = 0; count < kMostStates && !states.empty() && !is_spent(); ++count) {
      const State from = std::move(states.front());
      states.pop_front();
      const Draw& state = from.draw;
      const Ways& way = from.ways;
      const bool has_ties = from.has_ties;
      ReadLog log;
      log.most = kMostReads;
      auto here = ways_at(state, &log);
      if (!here) continue;
      name_ties(*here, way);
      for (const InputRead& read : log.reads) {
        const InputFacts& facts = model_.inputs[read.input];
        if (read.value.is_integer || !facts.variable->values.empty() || is_spent()) continue;
        const auto step = [&](std::int64_t by) -> std::optional<Ways> {
          const auto value = sum(read.value.real, {by, 0});
          return value ? ways_at(moved(state, read, *value)) : std::nullopt;
        };
        const auto one = step(1);
        const auto two = one ? step(2) : std::nullopt;
        if (!two || one->before.prime != here->before.prime || two->before.prime != here->before.prime) continue;
        for (const auto& [number, root] : roots_of(*here, *one, *two, read.value.real)) {
          // Another distance for each element: comparisons of equal differences would pass for one comparison.
          const std::int64_t away = 9 + 2 * (&read - log.reads.data());
          for (const std::int64_t side : {std::int64_t{0}, away, -away}) {
            const auto value = sum(root, {side, -3});
            if (!value || !is_legal(facts, *value)) continue;
            const Draw next = moved(state, read, *value);
            auto there = ways_at(next);
            if (!there) continue;
            const bool is_tie = has_ties || has_new_tie(there->before.steps, here->before.steps) ||
                                has_new_tie(there->after.steps, here->after.steps);
            name_ties(*there, *here);
            const Trace before = open_steps(there->before.steps, true);
            const Trace after = open_steps(there->after.steps, false);
            const bool is_new = tried.add(before, after, 1);
            // A product is zero where one of its factors is: each is looked at.
            if (!is_new && side != 0) continue;
            Comparison comparison(pair_, model_, next, options_, budget_);
            const std::uint64_t agreed = answer_.points;
            if (!look(comparison, next, point)) return false;
            comparison.collect_outcomes(seen_before_, seen_after_);
            // Only what was looked at counts. What is zero hides differences. A tie that was solved for shows nothing
            // of others of the same comparison: (C-1)*(A*A-2) is zero where C is 1, and where no fraction leads.
            if (seed % 2 == 0 && !is_tie && answer_.points > agreed) static_cast<void>(ways.add(before, after, 1));
            if (is_new) states.push_back({next, std::move(*there), is_tie});
          }
        }
      }
    }
  }
  return true;
}

}  // namespace steptp::certify
