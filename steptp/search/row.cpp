#include "steptp/search/row.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "steptp/base/text.h"
#include "steptp/moves/parts.h"
#include "steptp/planner/plan_space.h"
#include "steptp/strategies/view.h"
#include "steptp/text/printer.h"

namespace steptp::search {

namespace {

constexpr std::string_view kColumns[] = {"eager", "compile", "eager_graph", "compile_graph", "vendor"};

std::vector<std::size_t> way_to(const SearchResult& result) {
  std::vector<std::size_t> out;
  for (std::optional<std::size_t> at = result.winner; at; at = result.tree.at(*at).parent) out.push_back(*at);
  std::reverse(out.begin(), out.end());
  return out;
}

bool has_contraction(const Program& program) {
  View view(program);
  for (const Statement& statement : view.table().statements) {
    if (find_contraction(statement)) return true;
  }
  return false;
}

std::string dtype_of(const Program& program) {
  for (const Variable& variable : program.signature.variables) {
    if (variable.role == Role::output) return std::string(info(variable.dtype).torch_name);
  }
  return "";
}

Json time_json(const Measured& time) {
  Json out;
  return out.set("median", time.seconds).set("p10", time.p10).set("p90", time.p90).set("runs", time.runs);
}

Measured time_of(const Node& node) {
  Measured out;
  out.seconds = node.seconds;
  out.p10 = node.p10;
  out.p90 = node.p90;
  out.runs = node.runs;
  return out;
}

/// How far the median may be off, with 95 of 100; nothing where it was measured once.
std::optional<double> error_of(const Measured& time) {
  if (time.runs < 2) return std::nullopt;
  const double deviation = (time.p90 - time.p10) / 2.563;
  return 1.96 * 1.2533 * deviation / std::sqrt(static_cast<double>(time.runs));
}

Json ratio_json(const Measured& other, const Measured& own) {
  Json out;
  out.set("value", own.seconds > 0 ? Json(other.seconds / own.seconds) : Json());
  const auto a = error_of(other);
  const auto b = error_of(own);
  const bool known = a && b && own.seconds > *b;
  out.set("low", known ? Json((other.seconds - *a) / (own.seconds + *b)) : Json());
  return out.set("high", known ? Json((other.seconds + *a) / (own.seconds - *b)) : Json());
}

/// Claimed names along the way to the winner.
std::set<std::string> strategies_of(const SearchResult& result) {
  std::set<std::string> out;
  for (const std::size_t node : way_to(result)) {
    const auto& names = result.tree.at(node).candidate.strategies;
    // A whole plan names all its moves: what came before it is in it or gone.
    if (result.tree.at(node).candidate.plan) out.clear();
    out.insert(names.begin(), names.end());
  }
  return out;
}

Json curve_json(const SearchResult& result) {
  Json::Array out;
  for (const CurvePoint& point : result.curve) out.push_back(Json(Json::Array{point.sample, point.seconds}));
  return out;
}

void set_times(const SearchSettings& settings, const SearchResult& result, double floor, const Json& baseline,
               Json& row) {
  const bool has_final = result.final_times.has_value();
  const Measured own = has_final ? result.final_times->winner : time_of(result.best());
  const Measured root = has_final ? result.final_times->root : time_of(result.tree.at(0));
  Json times;
  times.set("vanilla", time_json(root));
  Json ratios;
  ratios.set("vanilla", ratio_json(root, own));
  std::optional<double> best;
  for (const std::string_view column : kColumns) {
    const Json* value = baseline.find(column);
    const bool known = value && value->is_number() && value->number() > 0;
    times.set(column, known ? *value : Json());
    if (!known) continue;
    Measured other;
    other.seconds = value->number();
    ratios.set(column, ratio_json(other, own));
    if (column != "vendor" && (!best || other.seconds < *best)) best = other.seconds;
  }
  if (best && own.seconds > 0) ratios.set("best_of_four", *best / own.seconds);
  times.set("floor", floor > 0 ? Json(floor) : Json()).set("ours", time_json(own));
  row.set("times", std::move(times)).set("ratios", std::move(ratios));
  row.set("speedup_over_vanilla", own.seconds > 0 ? Json(root.seconds / own.seconds) : Json());
  row.set("floor_share", own.seconds > 0 && floor > 0 ? Json(floor / own.seconds) : Json());
  row.set("is_estimate", settings.device == DeviceWord::analytic);
}

}  // namespace

Json outcomes_of(const SearchResult& result) {
  std::map<Outcome, std::int64_t> counts;
  for (const Node& node : result.tree.nodes()) ++counts[node.outcome];
  Json out{Json::Object{}};
  for (const auto& [outcome, count] : counts) out.set(word_of(outcome), count);
  return out;
}

Json path_of(const SearchResult& result) {
  Json::Array out;
  double before = 0;
  for (const std::size_t number : way_to(result)) {
    const Node& node = result.tree.at(number);
    Json entry;
    entry.set("node", static_cast<std::int64_t>(number)).set("edge", node.candidate.edge);
    entry.set("seconds", node.seconds).set("speedup", before > 0 && node.seconds > 0 ? Json(before / node.seconds) : 1);
    before = node.seconds;
    out.push_back(std::move(entry));
  }
  return out;
}

Plan plan_of_node(const Document& root, const SearchSettings& settings, const Node& node) {
  return plan_of(root.program, settings.rates.name, *node.candidate.plan);
}

Json recipe_of(const Document& root, const SearchSettings& settings, const SearchResult& result) {
  Recipe recipe;
  for (const std::size_t number : way_to(result)) {
    const Candidate& candidate = result.tree.at(number).candidate;
    if (candidate.leir) return {};
    if (candidate.step) recipe.push_back(*candidate.step);
    if (!candidate.plan) continue;
    const auto made = made_of(root.program, settings.rates.name, *candidate.plan);
    if (!made) return {};
    recipe = made->moved.recipe;
  }
  Json::Array out;
  for (const Step& step : recipe) out.push_back(steptp::to_json(step));
  return out;
}

Json row_of(const Document& root, const SearchSettings& settings, const SearchResult& result,
            const RowContext& context) {
  const Node& best = result.best();
  Json recipe = recipe_of(root, settings, result);
  Json row;
  row.set("id", context.id).set("program", root.program.name).set("dtype", dtype_of(root.program));
  row.set("class", has_contraction(root.program) ? "contraction" : "none");
  row.set("algorithm", word_of(settings.algorithm)).set("published", settings.published);
  row.set("proposer", word_of(settings.proposer)).set("seed", settings.seed);
  if (!settings.claims.empty()) row.set("claims", settings.claims);
  row.set("device", device_words(settings)).set("target", settings.rates.name);
  row.set("samples", result.samples).set("asks", result.asks).set("proposed", result.scored);
  row.set("measured", result.measured).set("outcomes", outcomes_of(result));
  row.set("samples_to_best", result.curve.empty() ? Json() : Json(result.curve.back().sample));
  row.set("curve", curve_json(result)).set("depth", static_cast<std::int64_t>(best.depth));
  row.set("atomic_steps", recipe.as_array() ? Json(static_cast<std::int64_t>(recipe.as_array()->size())) : Json());
  Json::Array strategies;
  for (const std::string& name : strategies_of(result)) strategies.emplace_back(name);
  row.set("strategies", std::move(strategies)).set("verdict", result.verdict).set("safe", result.safe);
  // Without a root that could be measured there are no times.
  const bool has_times = !result.curve.empty();
  if (has_times) set_times(settings, result, floor_seconds(root.program, settings.rates), context.baseline, row);
  Json::Array flags;
  for (const std::string& flag : result.flags) flags.emplace_back(flag);
  row.set("flags", std::move(flags)).set("stop", word_of(result.stop));
  row.set("stop_reason", result.stop_reason.empty() ? Json() : Json(result.stop_reason));
  row.set("device_seconds", result.device_seconds).set("tokens", result.tokens);
  row.set("seconds", settings.with_clock ? Json(result.clock_seconds) : Json());
  row.set("path", path_of(result));
  if (best.candidate.plan) row.set("plan", steptp::to_json(plan_of_node(root, settings, best)));
  row.set("recipe", std::move(recipe));
  return row.set("leir", best.program ? Json(print(*best.program)) : Json());
}

}  // namespace steptp::search
