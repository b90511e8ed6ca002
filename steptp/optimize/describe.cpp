#include <iomanip>
#include <sstream>

#include "steptp/base/text.h"
#include "steptp/optimize/optimize.h"
#include "steptp/plans/registry.h"
#include "steptp/text/printer.h"

namespace steptp {

namespace {

/// "12.3 us"
std::string time_text(double seconds) {
  std::ostringstream out;
  out << std::setprecision(3);
  if (seconds < 1e-3)
    out << seconds * 1e6 << " us";
  else if (seconds < 1)
    out << seconds * 1e3 << " ms";
  else
    out << seconds << " s";
  return out.str();
}

std::string counted(std::size_t count, std::string_view noun) {
  return concat(count, " ", noun, count == 1 ? "" : "s");
}

Json seconds_of(const std::optional<Estimate>& estimate) { return estimate ? Json(estimate->seconds) : Json(); }

/// "threads 128, width 4"
std::string values_text(const PlannedMove& move) {
  return join(move.choice.values, ", ", [](const auto& value) {
    const std::string* word = value.second.as_string();
    return concat(value.first, " ", word ? *word : value.second.dump());
  });
}

void append_move(std::string& out, const PlannedMove& move) {
  const Move* known = find_move(move.move);
  append(out, "   ", move.move, " at ", to_text(move.choice.at), ": ", known ? known->summary : "", "\n");
  append(out, "      ", values_text(move), "\n");
}

std::string expressions_text(const PlannedGroup& group) {
  if (group.expressions == 1) return concat("expression ", group.first);
  return concat("expressions ", group.first, " to ", group.first + group.expressions - 1);
}

void append_groups(std::string& out, const Optimized& optimized) {
  std::size_t at = optimized.prepared;
  for (std::size_t i = optimized.groups.size(); i-- > 0;) {
    const PlannedGroup& group = optimized.groups[i];
    append(out, group.expressions == 0 ? concat("move ", at + 1) : expressions_text(group));
    if (group.moves.empty()) append(out, group.expressions == 1 ? " stays as it came" : " stay as they came");
    if (group.seconds > 0) append(out, ", expected ", time_text(group.seconds));
    append(out, "\n");
    for (std::size_t move = 0; move < group.moves.size(); ++move) append_move(out, optimized.plan.moves[at++]);
  }
}

std::string safety_text(const JudgedPlan& judged) {
  const std::string* by = judged.safe_by.as_string();
  if (judged.is_unsafe()) return "not safe";
  if (!judged.is_safe()) return "safe or not is not known";
  return by && *by == "proof" ? "safe by proof" : "safe as far as a search can tell";
}

}  // namespace

Json to_json(const Optimized& optimized, const OptimizeRequest& request) {
  Json::Array moves;
  for (const PlannedMove& move : optimized.plan.moves) moves.push_back(to_json(move));
  Json::Array steps;
  for (const Step& step : optimized.recipe) steps.push_back(to_json(step));
  Json out;
  out.set("program", optimized.program.name).set("device", request.rates.name);
  out.set("leir", print(optimized.program)).set("plan", std::move(moves)).set("recipe", std::move(steps));
  out.set("verdict", name_of(optimized.judged.verdict)).set("safe", optimized.judged.safe);
  out.set("expected_s", seconds_of(optimized.expected))
      .set("measured_s", optimized.measured_seconds ? Json(*optimized.measured_seconds) : Json());
  out.set("samples", static_cast<std::int64_t>(optimized.samples));
  out.set("fallback", optimized.fallback);
  out.set("reason", optimized.reason.empty() ? Json() : Json(optimized.reason));
  out.set("expected", optimized.expected ? to_json(*optimized.expected) : Json());
  out.set("vanilla_s", seconds_of(optimized.vanilla)).set("candidates", optimized.candidates);
  out.set("interrupted", optimized.interrupted);
  if (!request.with_timing) return out;
  out.set("planning_ms", optimized.planning_seconds * 1e3);
  return out.set("judging_ms", optimized.judging_seconds * 1e3);
}

namespace {

/// What was made and how it was judged.
void append_result(std::string& out, const Optimized& optimized, const OptimizeRequest& request) {
  const std::string name = optimized.program.name.empty() ? "the program" : optimized.program.name;
  append(out, name, " for ", request.rates.name, ": ");
  if (optimized.fallback) {
    append(out, "it stays as it came, because ", optimized.reason, "\n");
  } else {
    append(out, counted(optimized.plan.moves.size(), "move"), ", ", counted(optimized.recipe.size(), "step"), ", ",
           name_of(optimized.judged.verdict), ", ", safety_text(optimized.judged), "\n");
  }
}

void append_expected(std::string& out, const Optimized& optimized) {
  append(out, "expected ", time_text(optimized.expected->seconds));
  if (optimized.vanilla) append(out, ", as it came ", time_text(optimized.vanilla->seconds));
  out += "\n";
}

void append_measured(std::string& out, const Optimized& optimized) {
  append(out, "measured ", time_text(*optimized.measured_seconds), ", the best of ", optimized.samples, " samples\n");
}

}  // namespace

std::string summary(const Optimized& optimized, const OptimizeRequest& request) {
  std::string out;
  append_result(out, optimized, request);
  if (optimized.expected) append_expected(out, optimized);
  if (optimized.measured_seconds) append_measured(out, optimized);
  return out;
}

std::string explain(const Optimized& optimized, const OptimizeRequest& request) {
  std::string out;
  append_result(out, optimized, request);
  for (std::size_t i = 0; i < optimized.prepared; ++i) append_move(out, optimized.plan.moves[i]);
  append_groups(out, optimized);
  if (optimized.expected) {
    append_expected(out, optimized);
    out += to_text(*optimized.expected);
  }
  if (optimized.measured_seconds) append_measured(out, optimized);
  if (!optimized.fallback && !optimized.reason.empty()) append(out, "note: ", optimized.reason, "\n");
  return out;
}

}  // namespace steptp
