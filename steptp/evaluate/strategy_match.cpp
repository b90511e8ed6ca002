#include "steptp/evaluate/strategy_match.h"

#include "steptp/ir/canonical.h"
#include "steptp/recipe/registry.h"
#include "steptp/strategies/view.h"

namespace steptp {

namespace {

class Matcher {
 public:
  Matcher(const Program& after, std::vector<const Strategy*> strategies, const StrategyMatchLimits& limits)
      : after_(after), wanted_(canonical_hash(after)), strategies_(std::move(strategies)), limits_(limits) {}

  /// From a program, with the strategies from this number on.
  StrategyMatch search(const Program& program, std::size_t number) {
    if (number == strategies_.size()) {
      const bool found = canonical_hash(program) == wanted_ && same_up_to_renaming(program, after_);
      return found ? StrategyMatch::yes : StrategyMatch::no;
    }
    View view(program);
    const Listing listing = list_choices(*strategies_[number], view, true);
    bool is_whole = true;
    for (const ChoiceSite& site : listing.sites) {
      for (std::uint64_t i = 0; i < site.count(); ++i) {
        if (applied_++ >= limits_.applications || std::chrono::steady_clock::now() > limits_.deadline)
          return StrategyMatch::unknown;
        const auto applied = apply(*strategies_[number], view, site.choice(i));
        if (!applied) continue;
        const StrategyMatch match = search(applied->program, number + 1);
        if (match == StrategyMatch::yes) return match;
        is_whole = is_whole && match == StrategyMatch::no;
      }
    }
    return is_whole ? StrategyMatch::no : StrategyMatch::unknown;
  }

 private:
  const Program& after_;
  Hash wanted_;
  std::vector<const Strategy*> strategies_;
  StrategyMatchLimits limits_;
  std::uint64_t applied_ = 0;
};

}  // namespace

StrategyMatch match_strategies(const Program& before, const Program& after, const std::vector<std::string>& strategies,
                               const StrategyMatchLimits& limits) {
  std::vector<const Strategy*> found;
  for (const std::string& name : strategies) {
    found.push_back(find_strategy(name));
    if (!found.back()) return StrategyMatch::unknown;
  }
  if (found.empty()) return StrategyMatch::unknown;
  return Matcher(after, std::move(found), limits).search(before, 0);
}

}  // namespace steptp
