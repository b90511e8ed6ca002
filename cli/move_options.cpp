#include "cli/move_options.h"

#include "cli/strategy_options.h"
#include "steptp/base/text.h"
#include "steptp/plans/listing.h"
#include "steptp/text/printer.h"

namespace steptp::cli {

std::vector<const Move*> moves_named(const std::vector<std::string>& names) {
  if (names.empty()) return all_moves();
  std::vector<const Move*> out;
  for (const std::string& name : names) {
    const Move* move = find_move(name);
    if (!move) {
      print_error(make_error("usage", unknown_move(name), "steptp moves lists them"));
      return {};
    }
    out.push_back(move);
  }
  return out;
}

Result<Plan, Diagnostic> read_plan(const std::string& file) {
  const auto json = read_json_option(file, "@" + file);
  if (!json) return json.error();
  auto plan = plan_from_json(*json);
  if (!plan) return make_error("record", concat(file, ": ", plan.error()));
  return std::move(plan).value();
}

Answer apply_move(const Document& document, const Move& move, const Choice& choice, ApplyStyle style, Recipe& made) {
  const auto [json, profile] = style;
  Answer answer;
  const auto moved = apply(move, document.program, choice);
  Json out;
  if (!moved) {
    answer.status = status_of(moved.error().refusal);
    answer.err = concat(document.source->name(), ": ", to_text(move, moved.error()), "\n");
    if (json) answer.out = out.set("refused", to_json(moved.error())).dump() + "\n";
    return answer;
  }
  made = moved->recipe;
  if (!json) {
    answer.out = program_text(document, moved->program, profile);
    return answer;
  }
  out.set("leir", print(moved->program, profile));
  const Json told = to_json(PlannedMove{std::string(move.name), choice}, document.program, *moved);
  for (const auto& [key, value] : *told.as_object()) out.set(key, value);
  answer.out = out.dump() + "\n";
  return answer;
}

Answer replay_plan(const Document& document, const Plan& plan, const std::string& file, bool json) {
  Answer answer = unusable(document, json);
  if (answer.status != Status::yes) return answer;
  Json out;
  if (const std::string other = other_root(document.program, plan); !other.empty()) {
    answer.status = Status::bad_input;
    answer.err = concat(document.source->name(), ": ", file, ": ", other, "\n");
    if (json) answer.out = out.set("error", other).dump() + "\n";
    return answer;
  }
  const auto replayed = replay(document.program, plan);
  if (!replayed) {
    const PlanStopped& stopped = replayed.error();
    answer.status = status_of(stopped.refusal.refusal);
    answer.err = concat(document.source->name(), ": ", to_text(stopped, plan), "\n");
    if (json) {
      out.set("move", stopped.move).set("refused", to_json(stopped.refusal));
      answer.out = out.dump() + "\n";
    }
    return answer;
  }
  if (!json) {
    answer.out = program_text(document, replayed->program);
    return answer;
  }
  out.set("leir", print(replayed->program)).set("moves", plan.moves.size()).set("steps", replayed->recipe.size());
  out.set("recipe", to_json(replayed->recipe)).set("map", replayed->map.to_json());
  out.set("added", added_json(replayed->map));
  answer.out = out.dump() + "\n";
  return answer;
}

}  // namespace steptp::cli
