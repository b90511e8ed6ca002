#include "steptp/prove/fold.h"

#include <algorithm>

namespace steptp::forms {

void Fold::add_condition(const Store& store, ConditionId condition) {
  const Condition& node = store.condition(condition);
  if (node.kind == Condition::Kind::always) return;
  if (node.kind == Condition::Kind::conjunction) {
    const std::vector<ConditionId> parts = node.parts;
    for (const ConditionId part : parts) add_condition(store, part);
    return;
  }
  if (std::find(conditions.begin(), conditions.end(), condition) == conditions.end()) {
    conditions.push_back(condition);
  }
}

bool Fold::is_own(VariableId variable) const {
  return std::find(variables.begin(), variables.end(), variable) != variables.end();
}

}  // namespace steptp::forms
