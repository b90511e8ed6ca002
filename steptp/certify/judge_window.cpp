// One look at whole programs, and then at what is different in them.
#include <algorithm>

#include "steptp/base/hash.h"
#include "steptp/base/text.h"
#include "steptp/certify/judge.h"

namespace steptp::certify {

using Verdict = CertifiedAnswer::Verdict;

bool Judge::first_look() {
  if (points_.empty()) return true;
  const Draw draw{DrawKind::generic, seed_of(DrawKind::generic, 0)};
  Comparison comparison(pair_, model_, draw, options_, budget_, Share::all);
  for (const OutputPoint& point :
       {points_[0], second_element(points_[0]), points_[std::min<std::size_t>(1, points_.size() - 1)]}) {
    const PointAnswer found = comparison.quickly_at(point);
    if (found.kind == PointAnswer::Kind::differs || found.kind == PointAnswer::Kind::undefined) {
      differs(comparison, draw, point, found);
      return false;
    }
    if (is_enough()) break;
  }
  return true;
}

OutputPoint Judge::second_element(OutputPoint first) const {
  const std::vector<std::int64_t>& shape = signature_.find(first.output)->shape;
  for (std::size_t d = 0; d < shape.size(); ++d) first.element[d] = std::min<std::int64_t>(1, shape[d] - 1);
  return first;
}

bool Judge::is_equal_in_window() {
  constexpr std::uint64_t kCheap = 20'000;
  // A record is of elements of outputs.
  if (options_.keep_record) return false;
  if (window_.is_cut || options_.budget_operations - budget_.operations < kCheap) return false;
  for (const int kept : {0, 1, 3}) {
    const auto answer = in_window(kept, options_.seed);
    if (!answer) continue;
    if (answer->verdict == Verdict::undecided) continue;
    if (answer->verdict == Verdict::equal) {
      answer_ = *answer;
      return true;
    }
    if (answer->verdict == Verdict::differs && !differs_everywhere(kept, *answer)) {
      doubt_ = concat("the changed parts differ for some values that they might get (", answer->reason, ", ",
                      answer->counterexample->draw, " draw), and samples do not show whether they do");
      return false;
    }
  }
  return false;
}

std::optional<CertifiedAnswer> Judge::in_window(int kept, std::uint64_t seed) {
  constexpr std::uint64_t kMostOperations = 100'000'000;
  CertifyOptions options = options_;
  options.seed = seed;
  options.budget_operations = std::min(budget_.operations, kMostOperations);
  Judge judge(programs_.first, programs_.second, options, kept);
  if (!judge.has_window()) return std::nullopt;
  CertifiedAnswer answer = judge.run();
  budget_.operations -= answer.work;
  return answer;
}

bool Judge::differs_everywhere(int kept, const CertifiedAnswer& answer) {
  constexpr std::uint64_t kSeeds = 3;
  if (answer.points > 0) return false;
  for (std::uint64_t i = 1; i <= kSeeds; ++i) {
    const auto again = in_window(kept, mix(options_.seed + i));
    if (!again || again->verdict != Verdict::differs || again->points > 0) return false;
  }
  return true;
}

}  // namespace steptp::certify
