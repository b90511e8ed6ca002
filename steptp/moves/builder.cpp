#include "steptp/moves/builder.h"

#include <utility>

#include "steptp/base/text.h"
#include "steptp/recipe/registry.h"

namespace steptp {

MoveBuilder::MoveBuilder(Program program, Tracking tracking) : program_(std::move(program)), tracking_(tracking) {
  if (tracking_ == Tracking::on) map_ = HandleMap::identity(program_);
}

View& MoveBuilder::view() {
  if (!view_) view_.emplace(program_);
  return *view_;
}

const Handle& MoveBuilder::follow(Site site) { return handles_.emplace_back(std::move(site)); }

/// The step, with handles and the map where somebody wants them: parts are told apart on a copy of the program, which
/// takes most of the time of a step.
Result<Applied, Refusal> MoveBuilder::applied(const Strategy& strategy, const Choice& choice) {
  if (tracking_ == Tracking::off && handles_.empty()) return apply(strategy, view(), choice);
  auto tracked = apply_tracked(strategy, program_, choice);
  if (!tracked) return tracked.error();
  for (Handle& handle : handles_) handle.follow(tracked->map);
  if (tracking_ == Tracking::on) map_ = map_.then(tracked->map);
  return std::move(tracked->applied);
}

std::optional<Refusal> MoveBuilder::try_step(std::string_view strategy, const Site& at, Values values) {
  const Strategy* found = find_strategy(strategy);
  if (!found) return Refusal{&kStep, at, unknown_strategy(strategy), {}};
  Choice choice{at, std::move(values)};
  auto made = applied(*found, choice);
  if (!made) {
    const Refusal& why = made.error();
    Values details = {{"step", static_cast<std::int64_t>(recipe_.size() + 1)},
                      {"strategy", strategy},
                      {"choice", choice.to_json()},
                      {"precondition", why.precondition->id}};
    details.insert(details.end(), why.values.begin(), why.values.end());
    return Refusal{&kStep, why.place, concat("step ", recipe_.size() + 1, ", ", to_text(strategy, why)),
                   std::move(details)};
  }
  view_.reset();
  program_ = std::move(made->program);
  facts_.push_back(std::move(made->facts));
  recipe_.push_back({std::string(strategy), std::move(choice)});
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
