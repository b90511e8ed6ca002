#include "steptp/recipe/registry.h"

#include <algorithm>

#include "steptp/text/strategy_names.h"

namespace steptp {

namespace {

std::size_t published_position(const Strategy& strategy) {
  const std::vector<std::string>& names = strategy_names();
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), strategy.name) - names.begin());
}

}  // namespace

const std::vector<const Strategy*>& all_strategies() {
  static const std::vector<const Strategy*> kAll = [] {
    std::vector<const Strategy*> all = registered_strategies();
    std::stable_sort(all.begin(), all.end(), [](const Strategy* a, const Strategy* b) {
      return published_position(*a) < published_position(*b);
    });
    return all;
  }();
  return kAll;
}

const Strategy* find_strategy(std::string_view name) {
  for (const Strategy* strategy : all_strategies()) {
    if (strategy->name == name) return strategy;
  }
  return nullptr;
}

bool is_published(const Strategy& strategy) { return published_position(strategy) < strategy_names().size(); }

}  // namespace steptp
