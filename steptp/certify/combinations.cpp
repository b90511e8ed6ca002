// A way is a list of comparisons with their outcomes; one that follows from those before it is left out. All ways to an
// element form a tree, kept by a hash of what came before each node. docs/decisions/0012-every-way-at-once.md.
#include "steptp/certify/combinations.h"

#include <set>

#include "steptp/base/hash.h"

namespace steptp::certify {

namespace {

/// What earlier comparisons on the way leave open.
class Facts {
 public:
  /// False where the outcome was certain; notes it otherwise.
  bool is_news(const TraceStep& step) {
    if (step.kind == TraceStep::Kind::integers) return integers_.insert(step.identity).second;
    std::uint8_t& possible = signs_.try_emplace(step.identity, kNegative | kZero | kPositive).first->second;
    const auto if_true = static_cast<std::uint8_t>(possible & step.signs_of_true);
    const auto if_false = static_cast<std::uint8_t>(possible & ~step.signs_of_true);
    if (if_true == 0 || if_false == 0) return false;
    possible = step.outcome ? if_true : if_false;
    return true;
  }

 private:
  std::map<std::uint64_t, std::uint8_t> signs_;
  std::set<std::uint64_t> integers_;
};

}  // namespace

bool Combinations::add(const Trace& before, const Trace& after, int count) {
  Facts facts;
  std::uint64_t prefix = 0;
  bool is_new = false;
  for (const bool in_before : {true, false}) {
    for (const TraceStep& step : in_before ? before : after) {
      if (step.kind != TraceStep::Kind::on_indices) {
        if ((step.kind == TraceStep::Kind::reals && !has_reals_) || !facts.is_news(step)) continue;
        Node& node = nodes_.try_emplace(prefix, Node{step, in_before, {}}).first->second;
        int& taken = node.taken[step.outcome ? 1 : 0];
        is_new = is_new || taken < kEnough;
        taken += count;
      }
      prefix = combine(prefix,
                       4 * static_cast<std::uint64_t>(step.statement) + (in_before ? 2 : 0) + (step.outcome ? 1 : 0));
    }
  }
  return is_new;
}

std::optional<Combinations::Missing> Combinations::missing() const {
  for (const auto& [prefix, node] : nodes_) {
    const bool is_true_missing = node.taken[1] < kEnough;
    if (!is_true_missing && node.taken[0] >= kEnough) continue;
    Missing missing{node.step, node.in_before};
    missing.step.outcome = is_true_missing;
    return missing;
  }
  return std::nullopt;
}

}  // namespace steptp::certify
