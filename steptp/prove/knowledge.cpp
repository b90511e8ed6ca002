// What is assumed at the moment (docs/decisions/0011). A choice by a condition is looked into with the condition
// assumed, so that ranges are narrower there and other conditions are decided. Facts are a stack: an Assumption puts
// its condition on top and takes it off again, together with all that it narrowed. What is remembered for longer than
// an assumption lives is filed under the number of the set of facts (`knowledge`), or asked while facts are ignored.
#include <algorithm>

#include "steptp/prove/arena.h"
#include "steptp/prove/give_up.h"

namespace steptp::forms {

VariableId Knowledge::new_variable(std::int64_t low, std::int64_t high) {
  if (ranges_.size() >= kFirstBound) throw GiveUp{"too many variables"};
  ranges_.push_back({low, high});
  first_ranges_.push_back({low, high});
  return static_cast<VariableId>(ranges_.size() - 1);
}

Assumption::Assumption(Arena& arena, ConditionId condition)
    : known_(arena.known),
      facts_(known_.facts_.size()),
      changes_(known_.changes_.size()),
      knowledge_(known_.knowledge_) {
  known_.add_fact(condition);
}

Assumption::~Assumption() {
  known_.facts_.resize(facts_);
  while (known_.changes_.size() > changes_) {
    const auto& [variable, interval] = known_.changes_.back();
    known_.ranges_[variable] = interval;
    known_.changes_.pop_back();
  }
  known_.knowledge_ = knowledge_;
}

void Knowledge::add_fact(ConditionId condition) {
  if (condition == arena_.conditions.always()) return;
  const Condition& node = conditions_[condition];
  if (node.kind == Condition::Kind::conjunction) {
    for (const ConditionId part : node.parts) add_fact(part);
    return;
  }
  if (std::find(facts_.begin(), facts_.end(), condition) != facts_.end()) return;
  facts_.push_back(condition);
  const auto next = static_cast<std::uint32_t>(knowledge_numbers_.size() + 1);
  knowledge_ = knowledge_numbers_.try_emplace({knowledge_, condition}, next).first->second;
  // Twice over all: what one fact narrows, another may use.
  for (int round = 0; round < 2; ++round) {
    for (const ConditionId fact : facts_) {
      const Condition& known = conditions_[fact];
      if (known.kind == Condition::Kind::nonnegative) narrow(affines_[known.left]);
      if (known.kind == Condition::Kind::zero) {
        narrow(affines_[known.left]);
        narrow(Affine::scaled(affines_[known.left], -1));
      }
    }
  }
}

/// n*v+rest >= 0 bounds v by the greatest value of the rest.
void Knowledge::narrow(const Affine& nonnegative) {
  budget_.spend(1);
  for (const auto& [id, coefficient] : nonnegative.terms) {
    const Atom& node = atoms_[id];
    if (node.kind != Atom::Kind::variable || node.argument >= ranges_.size()) continue;
    // coefficient*v >= -(rest)
    const Interval rest = range(Affine::difference(nonnegative, Affine::scaled(Affine{{{id, 1}}, 0}, coefficient)));
    if (rest.high >= kWideLimit) continue;
    Interval& known = ranges_[node.argument];
    Interval better = known;
    if (coefficient > 0) {
      // v >= ceil(-rest.high / coefficient)
      const Interval bound = steptp::floor_quotient(Interval{rest.high, rest.high}, {coefficient, coefficient});
      better.low = std::max(better.low, -bound.low);
    } else {
      const Interval bound = steptp::floor_quotient(Interval{rest.high, rest.high}, {-coefficient, -coefficient});
      better.high = std::min(better.high, bound.low);
    }
    if (better.low > better.high || better == known) continue;  // an empty range says nothing that is needed
    changes_.emplace_back(node.argument, known);
    known = better;
  }
}

Truth Knowledge::truth_of_affine(const Affine& affine, bool equality) {
  const Interval values = range(affine);
  if (equality) {
    if (values.is_point()) return values.low == 0 ? Truth::yes : Truth::no;
    if (values.low > 0 || values.high < 0) return Truth::no;
  } else {
    if (values.low >= 0) return Truth::yes;
    if (values.high < 0) return Truth::no;
  }
  if (ignore_assumptions_) return Truth::maybe;
  budget_.look(facts_.size());
  for (const ConditionId fact : facts_) {
    const Condition& known = conditions_[fact];
    if (known.kind != Condition::Kind::nonnegative && known.kind != Condition::Kind::zero) continue;
    const Affine& given = affines_[known.left];
    // affine - given and affine + given: where one is bounded, given's sign decides.
    const Interval less_given = range(Affine::difference(affine, given));
    const Interval plus_given = range(Affine::sum(affine, given));
    if (known.kind == Condition::Kind::zero) {
      for (const Interval& shifted : {less_given, plus_given}) {
        if (shifted.is_point()) {
          if (equality) return shifted.low == 0 ? Truth::yes : Truth::no;
          return shifted.low >= 0 ? Truth::yes : Truth::no;
        }
        if (!equality && shifted.low >= 0) return Truth::yes;
        if (shifted.high < 0) return Truth::no;
        if (equality && shifted.low > 0) return Truth::no;
      }
    } else {
      // affine = given + rest, rest > 0 or >= 0; affine = -given + rest, rest < 0.
      if (!equality && less_given.low >= 0) return Truth::yes;
      if (equality && less_given.low > 0) return Truth::no;
      if (plus_given.high < 0) return Truth::no;
    }
  }
  return Truth::maybe;
}

bool Knowledge::is_assumed(ConditionId condition) const {
  return !ignore_assumptions_ && std::any_of(facts_.begin(), facts_.end(), [&](ConditionId fact) {
    const Condition& known = conditions_[fact];
    const Condition& asked = conditions_[condition];
    return fact == condition || (known.kind == Condition::Kind::negation && known.left == condition) ||
           (asked.kind == Condition::Kind::negation && asked.left == fact);
  });
}

Truth Knowledge::truth(ConditionId condition) {
  const Deeper deeper(budget_);
  const Condition& node = conditions_[condition];
  // Whatever is assumed: facts that contradict each other make nothing of these.
  if (node.kind == Condition::Kind::never) return Truth::no;
  if (node.kind == Condition::Kind::always) return Truth::yes;
  if (!facts_.empty() && !ignore_assumptions_) {
    if (std::find(facts_.begin(), facts_.end(), condition) != facts_.end()) return Truth::yes;
    for (const ConditionId fact : facts_) {
      const Condition& known = conditions_[fact];
      if (known.kind == Condition::Kind::negation && known.left == condition) return Truth::no;
    }
  }
  switch (node.kind) {
    case Condition::Kind::never: return Truth::no;
    case Condition::Kind::always: return Truth::yes;
    case Condition::Kind::nonnegative: return truth_of_affine(affines_[node.left], false);
    case Condition::Kind::zero: return truth_of_affine(affines_[node.left], true);
    case Condition::Kind::less:
    case Condition::Kind::less_equal:
    case Condition::Kind::equal:
    case Condition::Kind::boolean: return Truth::maybe;
    case Condition::Kind::negation: return !truth(node.left);
    case Condition::Kind::conjunction: {
      Truth result = Truth::yes;
      for (const ConditionId part : node.parts) {
        const Truth one = truth(part);
        if (one == Truth::no) return Truth::no;
        if (one == Truth::maybe) result = Truth::maybe;
      }
      return result;
    }
    case Condition::Kind::disjunction: {
      Truth result = Truth::no;
      for (const ConditionId part : node.parts) {
        const Truth one = truth(part);
        if (one == Truth::yes) return Truth::yes;
        if (one == Truth::maybe) result = Truth::maybe;
      }
      return result;
    }
  }
  return Truth::maybe;
}

Sign Knowledge::sign_by_facts(GeneratorId id) const {
  Sign result;
  if (ignore_assumptions_) return result;
  for (const ConditionId fact : facts_) {
    const Condition& known = conditions_[fact];
    const bool is_strict = known.kind == Condition::Kind::less;
    if (!is_strict && known.kind != Condition::Kind::less_equal) continue;
    // number < value, or value < number: what is assumed of a comparison that holds is not NaN.
    if (const auto low = as_constant(known.left); low && as_generator(known.right) == id && *low >= 0) {
      result.nonnegative = true;
      result.nonzero |= is_strict || *low > 0;
    }
    if (const auto high = as_constant(known.right); high && as_generator(known.left) == id && *high <= 0) {
      result.nonpositive = true;
      result.nonzero |= is_strict || *high < 0;
    }
  }
  return result;
}

}  // namespace steptp::forms
