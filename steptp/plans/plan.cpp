#include "steptp/plans/plan.h"

#include "steptp/base/sha256.h"
#include "steptp/base/text.h"
#include "steptp/plans/registry.h"
#include "steptp/text/printer.h"

namespace steptp {

namespace {

Result<PlannedMove, std::string> move_from_json(const Json& json) {
  const Json* name = json.find("move");
  if (!name || !name->as_string()) return std::string("the key \"move\" is missing or no string");
  if (!find_move(*name->as_string())) return unknown_move(*name->as_string());
  const Json* choice = json.find("choice");
  if (!choice) return std::string("the key \"choice\" is missing");
  for (const auto& [key, value] : *json.as_object()) {
    if (key == "move" || key == "choice") continue;
    return concat("there is no key \"", key, "\" beside a move; the keys are move, choice");
  }
  auto read = choice_from_json(*choice);
  if (!read) return read.error();
  return PlannedMove{*name->as_string(), std::move(read).value()};
}

/// The string under a key; null where there is none.
const std::string* text_under(const Json& json, std::string_view key) {
  const Json* value = json.find(key);
  return value ? value->as_string() : nullptr;
}

}  // namespace

std::string root_hash(const Program& program) {
  Program nameless = program;
  nameless.name.clear();
  return sha256_hex(print_document(nameless, Profile::paper));
}

Json to_json(const PlannedMove& move) {
  Json out;
  return out.set("move", move.move).set("choice", move.choice.to_json());
}

Json to_json(const Plan& plan) {
  Json::Array moves;
  for (const PlannedMove& move : plan.moves) moves.push_back(to_json(move));
  Json out;
  out.set("version", Plan::kVersion).set("root", plan.root).set("target", plan.target);
  return out.set("moves", std::move(moves));
}

Result<Plan, std::string> plan_from_json(const Json& json) {
  if (!json.as_object()) return concat("a plan is an object, not ", json.kind_name());
  const Json* version = json.find("version");
  if (!version || !version->as_integer()) return std::string("the key \"version\" is missing or no integer");
  if (*version->as_integer() != Plan::kVersion) {
    return concat("the plan has version ", *version->as_integer(), "; this program reads version ", Plan::kVersion);
  }
  const std::string* root = text_under(json, "root");
  if (!root) return std::string("the key \"root\" is missing or no string");
  if (root->size() != 64 || root->find_first_not_of("0123456789abcdef") != std::string::npos) {
    return std::string("\"root\" is not a SHA-256 hash: 64 digits and letters from a to f");
  }
  const std::string* target = text_under(json, "target");
  if (!target) return std::string("the key \"target\" is missing or no string");
  const Json* moves = json.find("moves");
  if (!moves || !moves->as_array()) return std::string("the key \"moves\" is missing or no array");
  for (const auto& [key, value] : *json.as_object()) {
    if (key == "version" || key == "root" || key == "target" || key == "moves") continue;
    return concat("there is no key \"", key, "\" in a plan; the keys are version, root, target, moves");
  }
  Plan plan{*root, *target, {}};
  for (const Json& entry : *moves->as_array()) {
    auto move = move_from_json(entry);
    if (!move) return concat("move ", plan.moves.size() + 1, ": ", move.error());
    plan.moves.push_back(std::move(move).value());
  }
  return plan;
}

std::string other_root(const Program& program, const Plan& plan) {
  const std::string own = root_hash(program);
  if (own == plan.root) return {};
  return concat("the plan is for another program: its root is ", plan.root, ", and this program's is ", own);
}

std::string to_text(const PlanStopped& stopped, const Plan& plan) {
  const Move& move = *find_move(plan.moves[stopped.move - 1].move);
  return concat("move ", stopped.move, " of ", plan.moves.size(), ": ", to_text(move, stopped.refusal));
}

Result<Moved, PlanStopped> replay(const Program& root, const Plan& plan, Tracking tracking) {
  Moved out{root, {}, {}, tracking == Tracking::on ? HandleMap::identity(root) : HandleMap()};
  for (std::size_t i = 0; i < plan.moves.size(); ++i) {
    auto moved = apply(*find_move(plan.moves[i].move), out.program, plan.moves[i].choice, tracking);
    if (!moved) return PlanStopped{i + 1, moved.error()};
    out.program = std::move(moved->program);
    out.recipe.insert(out.recipe.end(), moved->recipe.begin(), moved->recipe.end());
    out.facts.insert(out.facts.end(), moved->facts.begin(), moved->facts.end());
    if (tracking == Tracking::on) out.map = out.map.then(moved->map);
  }
  return out;
}

Result<Plan, std::string> retuned(const Plan& plan, std::size_t move, const Choice& choice) {
  if (move < 1 || move > plan.moves.size()) {
    return concat("the plan has ", plan.moves.size(), " moves, counted from 1, and no move ", move);
  }
  Plan out = plan;
  out.moves[move - 1].choice = choice;
  return out;
}

}  // namespace steptp
