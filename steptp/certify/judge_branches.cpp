// Which ways the programs have gone, and which are missing.
#include <algorithm>
#include <utility>

#include "steptp/base/text.h"
#include "steptp/certify/judge.h"

namespace steptp::certify {

namespace {

/// Further seeds of each directed draw, where an outcome of a comparison is still missing.
constexpr std::uint64_t kDirectedSeeds = 6;

}  // namespace

bool Judge::is_folded_alike(const Branch& branch, bool outcome, bool in_before) const {
  if (!branch.fold) return false;
  switch (branch.fold->kind) {
    case Fold::Kind::absolute: break;
    case Fold::Kind::clamp: {
      const bool number_wins = (branch.fold->op == ArithmeticOp::max) == (outcome == branch.fold->is_first);
      if (!number_wins) return false;
      break;
    }
    case Fold::Kind::to_bool:
    case Fold::Kind::rounding: return false;
  }
  const Code& other = in_before ? after_ : before_;
  const auto& seen = in_before ? seen_after_ : seen_before_;
  for (std::size_t i = 0; i < other.branches.size(); ++i) {
    if (other.branches[i].fold == branch.fold && (seen[i] & (outcome ? 2 : 1)) == 0) return true;
  }
  return false;
}

std::vector<Judge::Missing> Judge::missing() {
  std::vector<Missing> out;
  for (const bool in_before : {true, false}) {
    const Code& code = in_before ? before_ : after_;
    Coverage& coverage = in_before ? before_coverage_ : after_coverage_;
    const auto& by_draws = in_before ? seen_before_ : seen_after_;
    const auto& seen = is_shown_ ? (in_before ? ways_seen_before_ : ways_seen_after_) : by_draws;
    for (std::uint32_t i = 0; i < code.branches.size(); ++i) {
      if (!coverage.matters(i)) continue;
      // Every way of it was shown, or it goes one way whatever the reals are. Where integers are drawn, that may be
      // due to these.
      if (is_shown_ && code.branches[i].on_reals && !draws_integers()) continue;
      for (const bool outcome : {false, true}) {
        if ((seen[i] & (outcome ? 2 : 1)) != 0 || settled_.contains({in_before, i, outcome})) continue;
        // Small results of a rounding are met by any draw that matters.
        if (code.branches[i].fold && code.branches[i].fold->kind == Fold::Kind::rounding && !outcome) continue;
        if (is_folded_alike(code.branches[i], outcome, in_before)) continue;
        out.push_back({&coverage, i, outcome, in_before});
      }
    }
  }
  return out;
}

bool Judge::cover() {
  std::vector<OutputPoint> wanted;
  for (const Missing& item : missing()) {
    Coverage::Witness witness = item.coverage->witness(item.branch, item.outcome);
    if (witness.is_infeasible || item.coverage->is_unused(item.branch, item.outcome))
      settled_.insert({item.in_before, item.branch, item.outcome});
    wanted.insert(wanted.end(), witness.points.begin(), witness.points.end());
  }
  if (!missing().empty() && !look_at_all(wanted, DrawKind::generic, 0)) return false;
  for (std::uint64_t trial = 1; trial <= kDirectedSeeds && !missing().empty(); ++trial) {
    std::vector<OutputPoint> some(
        points_.begin(), points_.begin() + static_cast<std::ptrdiff_t>(std::min(points_.size(), kSpecialPoints)));
    some.insert(some.end(), wanted.begin(), wanted.end());
    for (const DrawKind kind : {DrawKind::thresholds, DrawKind::large, DrawKind::ties, DrawKind::positive,
                                DrawKind::negative, DrawKind::huge, DrawKind::tiny}) {
      if (!look_at_all(some, kind, trial)) return false;
    }
  }
  const std::vector<OutputPoint> points = points_;
  constexpr std::size_t kMostPoints = 4;
  for (std::size_t i = 0; i < std::min(points.size(), kMostPoints) && !missing().empty(); ++i) {
    Combinations ways(true);
    if (!explore(points[i], ways)) return false;
  }
  const std::vector<Missing> left = missing();
  if (left.empty()) return true;
  undecided(concat(left[0].in_before ? "before: " : "after: ", left[0].coverage->text(left[0].branch), " was never ",
                   left[0].outcome ? "true" : "false", " at the points tried"));
  return false;
}

}  // namespace steptp::certify
