#include "steptp/moves/builder.h"

#include <utility>

#include "steptp/base/text.h"
#include "steptp/recipe/registry.h"

namespace steptp {

MoveBuilder::MoveBuilder(Program program) : program_(std::move(program)), map_(HandleMap::identity(program_)) {}

View& MoveBuilder::view() {
  if (!view_) view_.emplace(program_);
  return *view_;
}

const Handle& MoveBuilder::follow(Site site) { return handles_.emplace_back(std::move(site)); }

std::optional<Refusal> MoveBuilder::try_step(std::string_view strategy, const Site& at, Values values) {
  const Strategy* found = find_strategy(strategy);
  if (!found) return Refusal{&kStep, at, unknown_strategy(strategy), {}};
  Choice choice{at, std::move(values)};
  auto tracked = apply_tracked(*found, program_, choice);
  if (!tracked) {
    const Refusal& why = tracked.error();
    Values details = {{"step", static_cast<std::int64_t>(recipe_.size() + 1)},
                      {"strategy", strategy},
                      {"choice", choice.to_json()},
                      {"precondition", why.precondition->id}};
    details.insert(details.end(), why.values.begin(), why.values.end());
    return Refusal{&kStep, why.place, concat("step ", recipe_.size() + 1, ", ", to_text(strategy, why)),
                   std::move(details)};
  }
  view_.reset();
  program_ = std::move(tracked->applied.program);
  facts_.push_back(std::move(tracked->applied.facts));
  recipe_.push_back({std::string(strategy), std::move(choice)});
  for (Handle& handle : handles_) handle.follow(tracked->map);
  map_ = map_.then(tracked->map);
  return std::nullopt;
}

bool MoveBuilder::step(std::string_view strategy, const Site& at, Values values) {
  if (!refusal_) refusal_ = try_step(strategy, at, std::move(values));
  return !refusal_;
}

bool MoveBuilder::step(std::string_view strategy, const Handle& at, Values values) {
  if (refusal_) return false;
  if (const Site* only = at.only()) return step(strategy, *only, std::move(values));
  const std::string where = join(at.sites(), ", ", [](const Site& site) { return to_text(site); });
  refusal_ = Refusal{&kStep,
                     at.is_gone() ? Site{} : at.sites()[0],
                     at.is_gone() ? concat("step ", recipe_.size() + 1, ", ", strategy, ": the part is gone")
                                  : concat("step ", recipe_.size() + 1, ", ", strategy, ": the part is at ", where),
                     {}};
  return false;
}

bool MoveBuilder::may_step(std::string_view strategy, const Site& at, Values values) {
  return !refusal_ && !try_step(strategy, at, std::move(values));
}

std::vector<Site> MoveBuilder::added(std::string_view role) const {
  std::vector<Site> out;
  if (facts_.empty()) return out;
  for (const Part& part : facts_.back().added) {
    if (part.role == role) out.push_back(part.site);
  }
  return out;
}

Moved MoveBuilder::take() {
  view_.reset();
  return {std::move(program_), std::move(recipe_), std::move(facts_), std::move(map_)};
}

}  // namespace steptp
