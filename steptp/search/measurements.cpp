#include "steptp/search/measurements.h"

#include <algorithm>
#include <utility>

#include "steptp/base/hash.h"
#include "steptp/base/random.h"
#include "steptp/safety/check.h"
#include "steptp/search/search.h"
#include "steptp/text/printer.h"

namespace steptp::search {

namespace {

/// Of a hundred plans so many are drawn whole.
constexpr std::uint64_t kWholePercent = 40;
constexpr std::uint64_t kMostEdges = 4;
/// So many edges are scored for one that is taken.
constexpr std::size_t kScored = 12;
/// What is expected to take longer, or so many times as long as the best, teaches little and takes long.
constexpr double kLongest = 0.02;
constexpr double kWorst = 300;

double expected_of(const WholePlan& plan) {
  double out = 0;
  for (const PlannedGroup& group : plan.groups) out += group.seconds;
  return out;
}

Json row_of(std::int64_t number, std::string_view outcome, std::string_view reason) {
  Json out;
  out.set("number", number).set("outcome", outcome);
  if (!reason.empty()) out.set("reason", reason);
  return out;
}

/// False where nothing more can be measured or kept.
bool measure_one(const MeasurementOrder& order, std::int64_t number, const Program& program, double expected,
                 SearchDevice& device) {
  const Measured measured = device.measure(program);
  if (measured.is_gone || (order.go_on && !order.go_on())) return false;
  Json row = row_of(number, word_of(measured.outcome), measured.reason);
  if (measured.outcome == Outcome::fresh) {
    row.set("leir", print(program, Profile::compact)).set("seconds", measured.seconds).set("p10", measured.p10);
    row.set("p90", measured.p90).set("runs", measured.runs).set("expected", expected);
  }
  return order.keep(row);
}

}  // namespace

bool measure_drawn(const MeasurementOrder& order, const std::vector<DrawnProgram>& programs, SearchDevice& device) {
  for (const DrawnProgram& one : programs) {
    if (order.go_on && !order.go_on()) return false;
    if (order.done.contains(one.number)) continue;
    const Document document = read_program_text("row", one.leir, order.root->program.signature);
    const bool kept = document.ok
                          ? measure_one(order, one.number, document.program, one.expected, device)
                          : order.keep(row_of(one.number, word_of(Outcome::unreadable), "its LEIR cannot be read"));
    if (!kept) return false;
  }
  return true;
}

DrawnPlans::Drawn DrawnPlans::plan(std::int64_t number) const {
  Random random(combine(seed_, static_cast<std::uint64_t>(number)));
  Drawn out;
  if (!space_.best() || (number > 0 && random.chance(kWholePercent, 100))) {
    out.plan = space_.random(random.next());
  } else {
    out.plan = *space_.best();
    const std::uint64_t edges = number == 0 ? 0 : 1 + random.below(kMostEdges);
    for (std::uint64_t i = 0; i < edges; ++i) {
      std::vector<PlanEdge> next = space_.edges(out.plan, random.next(), kScored);
      if (next.empty()) break;
      out.plan = std::move(next[random.below(next.size())].plan);
    }
  }
  out.expected = expected_of(out.plan);
  return out;
}

bool measure_plans(const MeasurementOrder& order, const PlanSpace& space, std::uint64_t seed, const Device* limits,
                   SearchDevice& device) {
  const DrawnPlans plans(space, seed);
  const double best = space.best() ? expected_of(*space.best()) : 0;
  std::set<std::string> known;
  for (std::int64_t number = 0; number < order.samples; ++number) {
    if (order.go_on && !order.go_on()) return false;
    if (order.done.contains(number)) continue;
    const DrawnPlans::Drawn drawn = plans.plan(number);
    if (drawn.expected > kLongest || (best > 0 && drawn.expected > kWorst * best)) {
      if (!order.keep(row_of(number, "slow", {}))) return false;
      continue;
    }
    const auto made = made_of(order.root->program, order.target, drawn.plan);
    if (!made) {
      if (!order.keep(row_of(number, "refused", made.error()))) return false;
      continue;
    }
    const Program& program = made->moved.program;
    if (!known.insert(program_key(program)).second) {
      if (!order.keep(row_of(number, "known", {}))) return false;
      continue;
    }
    if (check_program(program, {limits}).verdict != CheckReport::Verdict::ok) {
      if (!order.keep(row_of(number, "invalid", {}))) return false;
      continue;
    }
    if (!measure_one(order, number, program, drawn.expected, device)) return false;
  }
  return true;
}

}  // namespace steptp::search
