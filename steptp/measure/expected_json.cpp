// Expected elements on their way to a worker, or into the folder where those of a root are kept.
#include <cmath>
#include <limits>
#include <utility>

#include "steptp/measure/expected.h"

namespace steptp {

Json to_json(const Expectations& expectations) {
  Json::Array out;
  for (const ExpectedElement& element : expectations.elements) {
    Json entry;
    entry.set("output", element.output).set("position", element.position).set("real", element.is_real);
    // Not a number and the infinities have no form of their own in JSON.
    const bool finite = std::isfinite(element.value);
    entry.set("value", finite ? element.value : 0.0).set("allowed", element.allowed).set("integer", element.integer);
    if (!finite) entry.set("class", std::isnan(element.value) ? "nan" : element.value > 0 ? "inf" : "-inf");
    if (std::isfinite(element.any_order)) entry.set("any_order", element.any_order);
    out.push_back(entry.set("each_run", element.each_run));
  }
  return out;
}

namespace {

std::optional<ExpectedElement> element_from(const Json& entry) {
  const Json* output = entry.find("output");
  const Json* position = entry.find("position");
  const Json* is_real = entry.find("real");
  const Json* value = entry.find("value");
  const Json* allowed = entry.find("allowed");
  const Json* integer = entry.find("integer");
  const Json* each_run = entry.find("each_run");
  const bool is_whole = output && output->as_string() && position && position->as_integer() && is_real &&
                        is_real->as_bool() && value && value->is_number() && allowed && allowed->is_number() &&
                        integer && integer->as_integer() && each_run && each_run->as_bool();
  if (!is_whole) return std::nullopt;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  ExpectedElement out;
  out.output = *output->as_string();
  out.position = *position->as_integer();
  out.is_real = *is_real->as_bool();
  out.value = value->number();
  out.allowed = allowed->number();
  out.integer = *integer->as_integer();
  out.each_run = *each_run->as_bool();
  const Json* any_order = entry.find("any_order");
  if (any_order && !any_order->is_number()) return std::nullopt;
  out.any_order = any_order ? any_order->number() : kInfinity;
  if (const Json* word = entry.find("class")) {
    if (!word->as_string()) return std::nullopt;
    const std::string& text = *word->as_string();
    if (text != "nan" && text != "inf" && text != "-inf") return std::nullopt;
    out.value = text == "nan" ? std::nan("") : text == "inf" ? kInfinity : -kInfinity;
  }
  return out;
}

}  // namespace

std::optional<std::vector<ExpectedElement>> expectations_from_json(const Json& json) {
  if (!json.as_array()) return std::nullopt;
  std::vector<ExpectedElement> out;
  for (const Json& entry : *json.as_array()) {
    auto element = element_from(entry);
    if (!element) return std::nullopt;
    out.push_back(*std::move(element));
  }
  return out;
}

}  // namespace steptp
