// Differences by precision: the types on the ways from a source to an output, in both programs.
#include <algorithm>
#include <set>
#include <vector>

#include "replay/check.h"
#include "replay/trails.h"
#include "steptp/base/text.h"

namespace steptp::replayer {

namespace {

/// What `before` holds on the ways that are to be compared: those of the source in the same role, else in any, else,
/// where the source is new in `after`, of all sources.
struct Held {
  std::vector<Trail> trails;
  bool is_of_source = true;

  Held(const Trails& before, const std::string& source, bool decides) {
    const auto found = before.find(source);
    if (found != before.end()) {
      for (const Trail& trail : found->second) {
        if (trail.decides == decides) trails.push_back(trail);
      }
      if (trails.empty()) trails.assign(found->second.begin(), found->second.end());
      return;
    }
    is_of_source = false;
    for (const auto& [name, others] : before) trails.insert(trails.end(), others.begin(), others.end());
  }

  [[nodiscard]] bool all_hold(const Width& wanted) const {
    return std::all_of(trails.begin(), trails.end(), [&](const Trail& one) { return one.held().holds(wanted); });
  }
  [[nodiscard]] bool any_holds(const Width& wanted) const {
    return std::any_of(trails.begin(), trails.end(), [&](const Trail& one) { return one.held().holds(wanted); });
  }
  [[nodiscard]] bool all_compute(std::size_t step, const Width& wanted) const {
    return std::all_of(trails.begin(), trails.end(),
                       [&](const Trail& one) { return one.computed[step].holds(wanted); });
  }
  /// The type holds what ways begin to compute in.
  [[nodiscard]] bool begin_in(const Width& type) const {
    Width first;
    for (const Trail& one : trails) first.meet(one.first);
    return first.is_type() && type.holds(first);
  }
  /// What such an operation of `after` begins with is as wide: where none of `before` is of its kind, the sources.
  [[nodiscard]] bool all_offer(std::size_t step, const Width& wanted) const {
    const bool is_known =
        std::any_of(trails.begin(), trails.end(), [&](const Trail& one) { return one.computed[step].is_type(); });
    if (is_known) return all_compute(step, wanted);
    return std::all_of(trails.begin(), trails.end(), [&](const Trail& one) { return one.origin.holds(wanted); });
  }
  /// The narrowest accumulator, or the widest.
  [[nodiscard]] Width accumulator(bool is_narrowest) const {
    Width out;
    for (const Trail& one : trails) {
      Width own = one.rounds;
      own.meet(one.counts);
      if (!own.is_type()) continue;
      if (!out.is_type() || (is_narrowest ? out.holds(own) : own.holds(out))) out = own;
    }
    return out;
  }
};

/// The type in which one way of `after` falls short of what all of `before` hold.
Width short_of_all(const Trail& trail, const Held& held, const Width& wanted) {
  const auto is_short = [&](const Width& one) { return !one.holds(wanted); };
  const bool is_held = held.all_hold(wanted);
  if (is_short(trail.lossy) && is_held) return trail.lossy;
  for (std::size_t step = 0; step < kOperationKinds; ++step) {
    if (is_short(trail.kept[step]) && is_held && held.all_compute(step, wanted)) return trail.kept[step];
  }
  // An operation that rounds what it makes, wherever that goes. Those on literals and indices beside data are seen on
  // the ways of the data.
  for (std::size_t step = 0; step < kOperationKinds; ++step) {
    if (trail.is_used && step != static_cast<std::size_t>(OperationKind::conversion)) continue;
    const Width& type = trail.computed[step];
    if (!is_short(type) || !is_held || !held.all_offer(step, wanted)) continue;
    // One more operation in the type in which before begins too.
    if (type == trail.early[step] && held.begin_in(type)) continue;
    return type;
  }
  const Width rounds = held.accumulator(true);
  if (is_short(trail.rounds) && rounds.is_type() && rounds.holds(wanted)) return trail.rounds;
  return {};
}

/// Every way of `after` is narrower than one that `before` has: the narrowest type that shows it.
Width short_of_any(const std::vector<Trail>& after, const Held& held, const Width& wanted) {
  Width out;
  if (!held.is_of_source) return out;
  const Width rounds = held.accumulator(false);
  const bool can_store = held.any_holds(wanted);
  const bool can_add = rounds.is_type() && rounds.holds(wanted);
  for (const Trail& trail : after) {
    const bool is_stored = can_store && !trail.lossy.holds(wanted);
    const bool is_added = can_add && !trail.rounds.holds(wanted);
    if (!is_stored && !is_added) return {};
    if (is_stored) out.meet(trail.lossy);
    if (is_added) out.meet(trail.rounds);
  }
  return out;
}

/// A copy of the output in its own type, or a wider one, is the output's own rounding.
void end_at(Trail& trail, DType output) {
  if (!is_float(output) || !trail.resting.holds(width_of(output))) trail.wake();
}

/// The ways of the source in `after`, to the output and in the role that is claimed.
std::vector<Trail> ways_in_after(const Trails& trails, const std::string& source, bool decides, DType output) {
  std::vector<Trail> out;
  const auto found = trails.find(source);
  if (found == trails.end()) throw Refused{concat("after does not use ", source)};
  for (Trail trail : found->second) {
    if (trail.decides != decides) continue;
    end_at(trail, output);
    out.push_back(trail);
  }
  return out;
}

/// Ways of `after` that hold less than `before` does, by the rules for differences; nothing where none is found.
Width loss_on(const std::vector<Trail>& after, const Held& held) {
  Width all;
  std::set<Width> single;
  for (const Trail& one : held.trails) {
    const Width own = one.held();
    if (!own.is_type()) continue;
    all.meet(own);
    single.insert(own);
  }
  for (const bool is_narrowest : {true, false}) {
    if (const Width rounds = held.accumulator(is_narrowest); rounds.is_type()) single.insert(rounds);
  }
  if (all.is_type()) {
    for (const Trail& trail : after) {
      if (const Width found = short_of_all(trail, held, all); found.is_type()) return found;
    }
  }
  for (const Width& wanted : single) {
    for (const Trail& trail : after) {
      if (const Width found = short_of_all(trail, held, wanted); found.is_type()) return found;
    }
    if (const Width found = short_of_any(after, held, wanted); found.is_type()) return found;
  }
  return {};
}

}  // namespace

void check_no_loss(Context& context) {
  std::size_t count = 0;
  try {
    for (const Variable& output : context.certificate.before.signature.variables) {
      if (output.role != Role::output) continue;
      const Trails before = trails_to(context.before, output.name);
      for (const auto& [source, trails] : trails_to(context.after, output.name)) {
        for (const bool decides : {false, true}) {
          std::vector<Trail> after;
          for (Trail trail : trails) {
            if (trail.decides != decides) continue;
            end_at(trail, output.dtype);
            after.push_back(trail);
          }
          if (after.empty()) continue;
          ++count;
          if (const Width found = loss_on(after, Held(before, source, decides)); found.is_type()) {
            throw Refused{concat("values of ", source, decides ? " decide what reaches " : " reach ", output.name,
                                 " in after through a type of ", found.digits, " significand bits and exponents to ",
                                 found.exponent, ", and before holds more")};
          }
        }
      }
    }
  } catch (const Undecided&) {
    context.report.believed.emplace_back("that after keeps the digits of before: its values go through too many types");
    return;
  }
  context.report.retested.push_back(
      concat("the types on the ways of ", count, " sources: after holds no less than before on any of them"));
}

void check_precision(Context& context) {
  const Loss& loss = *context.certificate.loss;
  const Variable* output = context.certificate.before.signature.find(loss.output);
  if (!output || output->role != Role::output) throw Refused{concat(loss.output, " is not an output")};
  const Width found{loss.found.first, loss.found.second};
  const Width expected{loss.expected.first, loss.expected.second};
  if (found.holds(expected)) throw Refused{"the type that is said to be too narrow is wide enough"};
  const std::string source = source_name(loss.source);
  const Held held(trails_to(context.before, loss.output), source, loss.decides);
  const auto after = ways_in_after(trails_to(context.after, loss.output), source, loss.decides, output->dtype);
  bool is_shown = short_of_any(after, held, expected) == found;
  for (const Trail& trail : after) is_shown = is_shown || short_of_all(trail, held, expected) == found;
  if (!is_shown)
    throw Refused{concat("after keeps nothing of ", loss.source, " in a type that is narrower than before")};
  context.report.reproved.push_back(
      concat("values of ", loss.source, loss.decides ? " decide what reaches " : " reach ", loss.output,
             " in after through a type of ", found.digits, " significand bits and exponents to ", found.exponent,
             "; before holds more on its ways"));
}

}  // namespace steptp::replayer
