// A branch that went one way at every point may go the other way where nobody looked. So each outcome of each branch
// that matters has to be seen: at an element that a search in boxes finds, at draws directed at comparisons, or at
// inputs that are solved for. Outcomes that the search excludes, or whose iterations lead to no output, are settled.
// docs/decisions/0010-certified-evaluation.md.
#include "steptp/certify/branch_coverage.h"

#include <algorithm>
#include <utility>

#include "steptp/base/text.h"
#include "steptp/certify/combinations.h"
#include "steptp/certify/exploration.h"

namespace steptp::certify {

namespace {

/// Further seeds of each directed draw, where an outcome of a comparison is still missing.
constexpr std::uint64_t kDirectedSeeds = 6;
constexpr DrawKind kDirectedDraws[] = {DrawKind::thresholds, DrawKind::large, DrawKind::ties, DrawKind::positive,
                                       DrawKind::negative,   DrawKind::huge,  DrawKind::tiny};
/// Elements at which inputs are solved for.
constexpr std::size_t kMostPoints = 4;

[[nodiscard]] bool was_seen(std::uint8_t outcomes, bool outcome) { return (outcomes & (outcome ? 2 : 1)) != 0; }

}  // namespace

bool BranchCoverage::is_folded_alike(const Branch& branch, bool outcome, bool in_before) const {
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
  const Code& other = inquiry_.pair.code(!in_before);
  const auto& seen = inquiry_.findings.seen(!in_before);
  for (std::size_t i = 0; i < other.branches.size(); ++i) {
    if (other.branches[i].fold == branch.fold && !was_seen(seen[i], outcome)) return true;
  }
  return false;
}

bool BranchCoverage::is_missing(bool in_before, std::uint32_t branch, bool outcome) const {
  const bool is_shown = inquiry_.ways.is_shown();
  const auto& seen = is_shown ? inquiry_.ways.seen(in_before) : inquiry_.findings.seen(in_before);
  if (was_seen(seen[branch], outcome) || inquiry_.settled.contains(in_before, branch, outcome)) return false;
  const Branch& code = inquiry_.pair.code(in_before).branches[branch];
  // Small results of a rounding are met by any draw that matters.
  if (code.fold && code.fold->kind == Fold::Kind::rounding && !outcome) return false;
  return !is_folded_alike(code, outcome, in_before);
}

std::vector<BranchCoverage::Missing> BranchCoverage::missing() const {
  std::vector<Missing> out;
  // Every way of a branch on reals was shown, or it goes one way whatever the reals are. Where integers are drawn, that
  // may be due to these.
  const bool is_shown_for_reals = inquiry_.ways.is_shown() && !inquiry_.pair.draws_integers();
  for (const bool in_before : {true, false}) {
    const Code& code = inquiry_.pair.code(in_before);
    const Coverage& coverage = inquiry_.pair.coverage(in_before);
    for (std::uint32_t i = 0; i < code.branches.size(); ++i) {
      if (!coverage.matters(i) || (is_shown_for_reals && code.branches[i].on_reals)) continue;
      for (const bool outcome : {false, true}) {
        if (is_missing(in_before, i, outcome)) out.push_back({i, outcome, in_before});
      }
    }
  }
  return out;
}

Progress BranchCoverage::cover() {
  const std::vector<OutputPoint> witnesses = find_witnesses();
  if (!missing().empty() && is_decided(draws_.at_all(witnesses, DrawKind::generic, 0))) return Progress::decided;
  if (is_decided(directed_draws(witnesses)) || is_decided(explore())) return Progress::decided;
  const std::vector<Missing> left = missing();
  if (left.empty()) return Progress::go_on;
  return inquiry_.findings.undecided(
      concat(left[0].in_before ? "before: " : "after: ", inquiry_.pair.coverage(left[0].in_before).text(left[0].branch),
             " was never ", left[0].outcome ? "true" : "false", " at the points tried"));
}

std::vector<OutputPoint> BranchCoverage::find_witnesses() {
  std::vector<OutputPoint> out;
  for (const Missing& item : missing()) {
    Coverage& coverage = inquiry_.pair.coverage(item.in_before);
    const Coverage::Witness witness = coverage.witness(item.branch, item.outcome);
    if (witness.is_infeasible || coverage.is_unused(item.branch, item.outcome)) {
      inquiry_.settled.add(item.in_before, item.branch, item.outcome);
    }
    out.insert(out.end(), witness.points.begin(), witness.points.end());
  }
  return out;
}

Progress BranchCoverage::directed_draws(const std::vector<OutputPoint>& witnesses) {
  for (std::uint64_t trial = 1; trial <= kDirectedSeeds && !missing().empty(); ++trial) {
    std::vector<OutputPoint> some = inquiry_.points.first(kSpecialPoints);
    some.insert(some.end(), witnesses.begin(), witnesses.end());
    for (const DrawKind kind : kDirectedDraws) {
      if (is_decided(draws_.at_all(some, kind, trial))) return Progress::decided;
    }
  }
  return Progress::go_on;
}

Progress BranchCoverage::explore() {
  for (const OutputPoint& point : inquiry_.points.first(kMostPoints)) {
    if (missing().empty()) break;
    Combinations ways(true);
    if (is_decided(Exploration(inquiry_, point, ways).run())) return Progress::decided;
  }
  return Progress::go_on;
}

}  // namespace steptp::certify
