// Combinations of comparisons, where the programs were not shown to agree in every way at once.
#include <algorithm>
#include <iterator>

#include "steptp/base/text.h"
#include "steptp/certify/combinations.h"
#include "steptp/certify/judge.h"

namespace steptp::certify {

namespace {

constexpr std::size_t kMostElements = 6;  ///< of each output
constexpr std::size_t kMostNodes = 128;
constexpr std::uint64_t kMostTrials = 40;  ///< of every kind of draw
constexpr std::uint64_t kMostOperations = 40'000'000;
constexpr DrawKind kKinds[] = {DrawKind::generic,    DrawKind::positive, DrawKind::negative, DrawKind::ties,
                               DrawKind::thresholds, DrawKind::large,    DrawKind::huge,     DrawKind::tiny};

}  // namespace

bool Judge::combine_ways() {
  const bool has_order = before_.has_order || after_.has_order;
  if (!has_order || (is_shown_ && !draws_integers())) return true;
  std::map<std::string, std::size_t> done;
  const std::vector<OutputPoint> points = points_;
  for (const OutputPoint& point : points) {
    if (done[point.output]++ >= kMostElements) continue;
    if (!combine_ways_of(point)) return false;
  }
  return true;
}

/// Without the comparisons whose other outcome does not exist, and without ties: what ties has no identity.
Trace Judge::open_steps(const Trace& trace, bool in_before) const {
  Trace out;
  std::copy_if(trace.begin(), trace.end(), std::back_inserter(out), [&](const TraceStep& step) {
    return !(step.is_tie() && step.identity == 0) && !settled_.contains({in_before, step.branch, !step.outcome});
  });
  return out;
}

bool Judge::combine_ways_of(const OutputPoint& point) {
  Combinations ways(!is_shown_);
  const std::uint64_t start = budget_.operations;
  for (std::uint64_t trial = 0; trial < kMostTrials; ++trial) {
    for (const DrawKind kind : kKinds) {
      // Other than those at which everything else was looked at.
      const Draw draw{kind, seed_of(kind, 1000 + trial)};
      const auto before = Comparison::trace(before_, model_, draw, point, options_, budget_);
      const auto after = before ? Comparison::trace(after_, model_, draw, point, options_, budget_) : before;
      if (!after) continue;
      const Trace first = open_steps(before->steps, true);
      const Trace second = open_steps(after->steps, false);
      if (!ways.add(first, second, 0)) continue;
      Comparison comparison(pair_, model_, draw, options_, budget_);
      const std::uint64_t agreed = answer_.points;
      if (!look(comparison, draw, point)) return false;
      // Only a point that shows something counts: where `before` is not finite, `after` may be anything.
      if (is_open(kind) && answer_.points > agreed) static_cast<void>(ways.add(first, second, Combinations::kEnough));
    }
    const bool is_spent = start - budget_.operations > kMostOperations;
    if (ways.size() > kMostNodes || is_spent) break;
    if (!ways.missing() && trial >= 1) return true;
    constexpr std::uint64_t kPlainTrials = 2;
    if (trial == kPlainTrials && !is_shown_ && !explore(point, ways)) return false;
  }
  const auto missing = ways.missing();
  if (!missing) return true;
  const Code& code = missing->in_before ? before_ : after_;
  const std::string what = missing->step.branch == kNone
                               ? concat("a maximum or minimum in ", code.statements[missing->step.statement].text)
                               : (missing->in_before ? before_coverage_ : after_coverage_).text(missing->step.branch);
  const std::string_view which = ways.size() > kMostNodes ? " is one of too many comparisons to see all combinations"
                                 : missing->step.outcome  ? " was never true together with what precedes it"
                                                          : " was never false together with what precedes it";
  undecided(concat(missing->in_before ? "before: " : "after: ", what, which));
  return false;
}

}  // namespace steptp::certify
