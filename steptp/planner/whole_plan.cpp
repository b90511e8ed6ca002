#include <utility>

#include "steptp/base/text.h"
#include "steptp/planner/plan_space.h"

namespace steptp {

namespace {

Json moves_json(const std::vector<PlannedMove>& moves) {
  Json::Array out;
  for (const PlannedMove& move : moves) out.push_back(to_json(move));
  return out;
}

Result<std::vector<PlannedMove>, std::string> moves_of(const Json& json, std::string_view key) {
  const Json* found = json.find(key);
  if (!found || !found->as_array()) return concat("the key \"", key, "\" is missing or no array");
  Json plan;
  plan.set("version", Plan::kVersion).set("root", std::string(64, '0')).set("target", "").set("moves", *found);
  auto read = plan_from_json(plan);
  if (!read) return read.error();
  return std::move(read->moves);
}

/// Something above 0 that fits 32 bits, or at least 0.
std::optional<std::uint32_t> count_of(const Json& json, std::string_view key, std::int64_t least) {
  const Json* found = json.find(key);
  const std::int64_t* value = found ? found->as_integer() : nullptr;
  if (!value || *value < least || *value > INT32_MAX) return std::nullopt;
  return static_cast<std::uint32_t>(*value);
}

}  // namespace

Plan plan_of(const Program& root, const std::string& target, const WholePlan& whole) {
  Plan out{root_hash(root), target, whole.prepared};
  // From the last: what stands before keeps its place.
  for (std::size_t i = whole.groups.size(); i-- > 0;) {
    for (PlannedMove move : whole.groups[i].moves) {
      move.choice.at.items[0] += whole.groups[i].first;
      out.moves.push_back(std::move(move));
    }
  }
  return out;
}

Result<MadePlan, std::string> made_of(const Program& root, const std::string& target, const WholePlan& whole) {
  MadePlan out;
  out.plan = plan_of(root, target, whole);
  auto moved = replay(root, out.plan, Tracking::off);
  if (!moved) return to_text(moved.error(), out.plan);
  out.moved = std::move(moved).value();
  out.prepared = whole.prepared.size();
  out.groups = whole.groups;
  for (const PlannedGroup& group : whole.groups) out.seconds += group.seconds;
  return out;
}

Json to_json(const WholePlan& whole) {
  Json::Array groups;
  for (const PlannedGroup& group : whole.groups) {
    Json entry;
    entry.set("first", group.first).set("expressions", group.expressions);
    groups.push_back(entry.set("moves", moves_json(group.moves)).set("seconds", group.seconds));
  }
  Json out;
  return out.set("prepared", moves_json(whole.prepared)).set("groups", std::move(groups));
}

Result<WholePlan, std::string> whole_plan_from_json(const Json& json) {
  auto prepared = moves_of(json, "prepared");
  if (!prepared) return prepared.error();
  WholePlan out{std::move(prepared).value(), {}};
  const Json* groups = json.find("groups");
  if (!groups || !groups->as_array()) return std::string("the key \"groups\" is missing or no array");
  std::uint32_t next = 0;
  for (const Json& entry : *groups->as_array()) {
    const auto first = count_of(entry, "first", 0);
    const auto expressions = count_of(entry, "expressions", 1);
    auto moves = moves_of(entry, "moves");
    const std::string where = concat("group ", out.groups.size() + 1, ": ");
    if (!first || !expressions) return concat(where, "\"first\" and \"expressions\" are to be counts");
    if (*first != next) return concat(where, "it begins at ", *first, ", and the group before it ends at ", next);
    if (!moves) return concat(where, moves.error());
    for (const PlannedMove& move : *moves) {
      if (move.choice.at.items.empty()) return concat(where, "the move ", move.move, " has no place");
    }
    const Json* seconds = entry.find("seconds");
    out.groups.push_back(
        {*first, *expressions, std::move(moves).value(), seconds && seconds->is_number() ? seconds->number() : 0});
    next = *first + *expressions;
  }
  return out;
}

}  // namespace steptp
