// A difference may need two comparisons to go a certain way together, which seeing each outcome by itself does not
// show. Where the programs were not shown equal in every way at once, both are traced at many draws, and the ways they
// went form a tree (combinations.h): both outcomes must have been taken at every node, and the programs must agree on
// each way. docs/decisions/0012-every-way-at-once.md.
#include "steptp/certify/combined_ways.h"

#include <map>
#include <string>

#include "steptp/base/text.h"
#include "steptp/certify/exploration.h"

namespace steptp::certify {

namespace {

constexpr std::size_t kMostElements = 6;  ///< of each output
constexpr std::size_t kMostNodes = 128;
constexpr std::uint64_t kMostTrials = 40;  ///< of every kind of draw
constexpr std::uint64_t kMostOperations = 40'000'000;
constexpr std::uint64_t kPlainTrials = 2;    ///< before inputs are solved for
constexpr std::uint64_t kFirstTrial = 1000;  ///< other draws than those at which everything else was compared
constexpr DrawKind kKinds[] = {DrawKind::generic,    DrawKind::positive, DrawKind::negative, DrawKind::ties,
                               DrawKind::thresholds, DrawKind::large,    DrawKind::huge,     DrawKind::tiny};

}  // namespace

Progress CombinedWays::compare() {
  if (!inquiry_.ways.asks_order()) return Progress::go_on;
  std::map<std::string, std::size_t> done;
  const std::vector<OutputPoint> points = inquiry_.points.list();
  for (const OutputPoint& point : points) {
    if (done[point.output]++ >= kMostElements) continue;
    if (is_decided(compare_at(point))) return Progress::decided;
  }
  return Progress::go_on;
}

Progress CombinedWays::compare_at(const OutputPoint& point) {
  JudgedPair& pair = inquiry_.pair;
  Combinations ways(!inquiry_.ways.is_shown());
  const std::uint64_t start = pair.budget.operations;
  for (std::uint64_t trial = 0; trial < kMostTrials; ++trial) {
    for (const DrawKind kind : kKinds) {
      const Draw draw{kind, pair.seed_of(kind, kFirstTrial + trial)};
      if (is_decided(add_way(point, draw, ways))) return Progress::decided;
    }
    const bool is_spent = start - pair.budget.operations > kMostOperations;
    if (ways.size() > kMostNodes || is_spent) break;
    if (!ways.missing() && trial >= 1) return Progress::go_on;
    if (trial != kPlainTrials || inquiry_.ways.is_shown()) continue;
    if (is_decided(Exploration(inquiry_, point, ways).run())) return Progress::decided;
  }
  const auto missing = ways.missing();
  return missing ? refuse(ways, *missing) : Progress::go_on;
}

Progress CombinedWays::add_way(const OutputPoint& point, const Draw& draw, Combinations& ways) {
  JudgedPair& pair = inquiry_.pair;
  const auto before = Comparison::trace(pair.before, pair.model, draw, point, pair.options, pair.budget);
  if (!before) return Progress::go_on;
  const auto after = Comparison::trace(pair.after, pair.model, draw, point, pair.options, pair.budget);
  if (!after) return Progress::go_on;
  const Trace first = inquiry_.settled.open_steps(before->steps, true);
  const Trace second = inquiry_.settled.open_steps(after->steps, false);
  if (!ways.add(first, second, 0)) return Progress::go_on;
  Comparison comparison(pair.pair, pair.model, draw, pair.options, pair.budget);
  const std::uint64_t agreed = inquiry_.findings.agreed();
  if (is_decided(inquiry_.findings.compare(comparison, draw, point))) return Progress::decided;
  // Only a point that shows something counts: where `before` is not finite, `after` may be anything.
  const bool counts = is_open(draw.kind) && inquiry_.findings.agreed() > agreed;
  if (counts) static_cast<void>(ways.add(first, second, Combinations::kEnough));
  return Progress::go_on;
}

Progress CombinedWays::refuse(const Combinations& ways, const Combinations::Missing& missing) {
  const TraceStep& step = missing.step;
  const Code& code = inquiry_.pair.code(missing.in_before);
  const std::string what = step.branch == kNone
                               ? concat("a maximum or minimum in ", code.statements[step.statement].text)
                               : inquiry_.pair.coverage(missing.in_before).text(step.branch);
  const std::string_view which = ways.size() > kMostNodes ? " is one of too many comparisons to see all combinations"
                                 : step.outcome           ? " was never true together with what precedes it"
                                                          : " was never false together with what precedes it";
  return inquiry_.findings.undecided(concat(missing.in_before ? "before: " : "after: ", what, which));
}

}  // namespace steptp::certify
