#include "steptp/search/candidate.h"

#include <utility>

#include "steptp/base/text.h"

namespace steptp::search {

namespace {

std::optional<double> number_at(const Json& json, std::string_view key) {
  const Json* value = json.find(key);
  return value && value->is_number() ? std::optional(value->number()) : std::nullopt;
}

std::string text_at(const Json& json, std::string_view key) {
  const Json* value = json.find(key);
  return value && value->as_string() ? *value->as_string() : std::string();
}

std::int64_t count_at(const Json& json, std::string_view key) {
  const Json* value = json.find(key);
  const std::int64_t* count = value ? value->as_integer() : nullptr;
  return count && *count > 0 ? *count : 0;
}

}  // namespace

Json to_json(const Candidate& candidate) {
  Json out{Json::Object{}};
  if (candidate.plan) out.set("plan", to_json(*candidate.plan));
  if (candidate.step) out.set("step", steptp::to_json(*candidate.step));
  if (candidate.leir) out.set("leir", *candidate.leir);
  if (!candidate.problem.empty()) out.set("problem", candidate.problem);
  Json::Array strategies;
  for (const std::string& name : candidate.strategies) strategies.emplace_back(name);
  out.set("strategies", std::move(strategies)).set("edge", candidate.edge).set("prior", candidate.prior);
  if (candidate.expected) out.set("expected_s", *candidate.expected);
  if (candidate.promise) out.set("promise_s", *candidate.promise);
  return out;
}

Result<Candidate, std::string> candidate_from_json(const Json& json) {
  if (!json.as_object()) return concat("a candidate is an object, not ", json.kind_name());
  Candidate out;
  if (const Json* plan = json.find("plan")) {
    auto read = whole_plan_from_json(*plan);
    if (!read) return read.error();
    out.plan = std::move(read).value();
  }
  if (const Json* step = json.find("step")) {
    auto read = recipe_from_json(Json(Json::Array{*step}));
    if (!read) return read.error();
    out.step = std::move(read->front());
  }
  if (const Json* leir = json.find("leir")) {
    if (!leir->as_string()) return concat("\"leir\" is ", leir->kind_name(), " and no text");
    out.leir = *leir->as_string();
  }
  out.problem = text_at(json, "problem");
  const int ways = int{out.plan.has_value()} + int{out.step.has_value()} + int{out.leir.has_value()};
  if (ways != (out.problem.empty() ? 1 : 0))
    return std::string("a candidate has one of \"plan\", \"step\" and \"leir\", or a \"problem\"");
  if (const Json* strategies = json.find("strategies"); strategies && strategies->as_array()) {
    for (const Json& name : *strategies->as_array()) {
      if (name.as_string()) out.strategies.push_back(*name.as_string());
    }
  }
  out.edge = text_at(json, "edge");
  out.prior = number_at(json, "prior").value_or(1);
  out.expected = number_at(json, "expected_s");
  out.promise = number_at(json, "promise_s");
  return out;
}

Json to_json(const Proposals& proposals) {
  Json::Array candidates;
  for (const Candidate& candidate : proposals.candidates) candidates.push_back(to_json(candidate));
  Json out;
  out.set("candidates", std::move(candidates)).set("scored", proposals.scored).set("tokens", proposals.tokens);
  if (!proposals.raw.is_null()) out.set("raw", proposals.raw);
  return out;
}

Result<Proposals, std::string> proposals_from_json(const Json& json) {
  const Json* candidates = json.find("candidates");
  if (!candidates || !candidates->as_array()) return std::string("the key \"candidates\" is missing or no array");
  Proposals out;
  for (const Json& entry : *candidates->as_array()) {
    auto candidate = candidate_from_json(entry);
    if (!candidate) return concat("candidate ", out.candidates.size() + 1, ": ", candidate.error());
    out.candidates.push_back(std::move(candidate).value());
  }
  out.scored = count_at(json, "scored");
  out.tokens = count_at(json, "tokens");
  if (const Json* raw = json.find("raw")) out.raw = *raw;
  return out;
}

}  // namespace steptp::search
