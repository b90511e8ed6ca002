// What is different in two programs, with what they share cut off and drawn freely: if the changed parts are equal for
// all values that they might get, so are the programs. docs/decisions/0013-windows-and-lanes.md.
#include <algorithm>

#include "steptp/base/hash.h"
#include "steptp/base/text.h"
#include "steptp/certify/judge.h"

namespace steptp::certify {

using Verdict = CertifiedAnswer::Verdict;

Progress Judge::compare_windows() {
  constexpr std::uint64_t kCheap = 20'000;
  const JudgedPair& pair = inquiry_.pair;
  // A record is of elements of outputs.
  if (pair.options.keep_record || pair.window.is_cut || pair.spent() < kCheap) return Progress::go_on;
  for (const int kept : {0, 1, 3}) {
    auto answer = in_window(kept, pair.options.seed);
    if (!answer || answer->verdict == Verdict::undecided) continue;
    if (answer->verdict == Verdict::equal) return inquiry_.findings.take(*std::move(answer));
    if (!differs_everywhere(kept, *answer)) {
      inquiry_.findings.doubt(concat("the changed parts differ for some values that they might get (", answer->reason,
                                     ", ", answer->counterexample->draw,
                                     " draw), and samples do not show whether they do"));
      return Progress::go_on;
    }
  }
  return Progress::go_on;
}

std::optional<CertifiedAnswer> Judge::in_window(int kept, std::uint64_t seed) {
  constexpr std::uint64_t kMostOperations = 100'000'000;
  JudgedPair& pair = inquiry_.pair;
  CertifyOptions options = pair.options;
  options.seed = seed;
  options.budget_operations = std::min(pair.budget.operations, kMostOperations);
  Judge judge(pair.before_program, pair.after_program, options, kept);
  if (!judge.has_window()) return std::nullopt;
  CertifiedAnswer answer = judge.run();
  pair.budget.operations -= answer.work;
  return answer;
}

bool Judge::differs_everywhere(int kept, const CertifiedAnswer& answer) {
  constexpr std::uint64_t kSeeds = 3;
  if (answer.points > 0) return false;
  for (std::uint64_t i = 1; i <= kSeeds; ++i) {
    const auto again = in_window(kept, mix(inquiry_.pair.options.seed + i));
    if (!again || again->verdict != Verdict::differs || again->points > 0) return false;
  }
  return true;
}

}  // namespace steptp::certify
