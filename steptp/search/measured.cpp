#include "steptp/search/roles.h"

namespace steptp::search {

namespace {

double number_at(const Json& json, std::string_view key) {
  const Json* value = json.find(key);
  return value && value->is_number() ? value->number() : 0;
}

}  // namespace

Json to_json(const Measured& measured) {
  Json out;
  out.set("outcome", word_of(measured.outcome)).set("seconds", measured.seconds).set("p10", measured.p10);
  out.set("p90", measured.p90).set("runs", measured.runs).set("device_seconds", measured.device_seconds);
  if (measured.unchecked) out.set("unchecked", true);
  if (!measured.reason.empty()) out.set("reason", measured.reason);
  return out;
}

Measured measured_from_json(const Json& json) {
  Measured out;
  const Json* outcome = json.find("outcome");
  const std::string* word = outcome ? outcome->as_string() : nullptr;
  out.outcome = word ? read_word<Outcome>(*word).value_or(Outcome::launch) : Outcome::launch;
  out.seconds = number_at(json, "seconds");
  out.p10 = number_at(json, "p10");
  out.p90 = number_at(json, "p90");
  out.runs = static_cast<std::int64_t>(number_at(json, "runs"));
  out.device_seconds = number_at(json, "device_seconds");
  out.unchecked = json.find("unchecked") != nullptr;
  if (const Json* reason = json.find("reason"); reason && reason->as_string()) out.reason = *reason->as_string();
  return out;
}

}  // namespace steptp::search
