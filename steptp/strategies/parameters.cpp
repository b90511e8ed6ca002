#include "steptp/strategies/parameters.h"

#include <algorithm>

#include "steptp/base/text.h"

namespace steptp {

namespace {

const Json* find(const Values& values, std::string_view name) {
  for (const auto& [key, value] : values) {
    if (key == name) return &value;
  }
  return nullptr;
}

bool has_kind(const Json& value, Parameter::Kind kind) {
  switch (kind) {
    case Parameter::Kind::integer: return value.as_integer() != nullptr;
    case Parameter::Kind::word: return value.as_string() != nullptr;
  }
  return false;
}

std::string names_of(std::span<const Parameter> parameters) {
  return join(parameters, ", ", [](const Parameter& parameter) { return parameter.name; });
}

}  // namespace

std::string missing_parameter(std::span<const Parameter> parameters, const Choice& choice) {
  for (const Parameter& parameter : parameters) {
    const Json* value = find(choice.values, parameter.name);
    if (!value && parameter.fallback) continue;
    if (!value) return concat("the parameter \"", parameter.name, "\" is missing");
    if (has_kind(*value, parameter.kind)) continue;
    return concat("the parameter \"", parameter.name, "\" is ", value->kind_name(), ", not ",
                  parameter.kind == Parameter::Kind::integer ? "an integer" : "a string");
  }
  return {};
}

std::string misfit(std::span<const Parameter> parameters, const Choice& choice) {
  std::string missing = missing_parameter(parameters, choice);
  if (!missing.empty()) return missing;
  for (const auto& [key, value] : choice.values) {
    const auto named = [&name = key](const Parameter& parameter) { return parameter.name == name; };
    if (std::any_of(parameters.begin(), parameters.end(), named)) continue;
    return concat("there is no parameter \"", key, "\"; the parameters are: at", parameters.empty() ? "" : ", ",
                  names_of(parameters));
  }
  return {};
}

std::optional<Refusal> refuse_outside(const Choice& choice, std::string_view name, std::int64_t least,
                                      std::int64_t most) {
  const std::int64_t value = choice.integer(name);
  if (value >= least && value <= most) return std::nullopt;
  return Refusal{
      &kChoice, choice.at, concat("the parameter \"", name, "\" is from ", least, " to ", most, ", not ", value), {}};
}

Choice with_fallbacks(std::span<const Parameter> parameters, const Choice& choice) {
  Choice whole = choice;
  for (const Parameter& parameter : parameters) {
    if (!parameter.fallback || find(choice.values, parameter.name)) continue;
    whole.values.emplace_back(parameter.name, Json(*parameter.fallback));
  }
  return whole;
}

}  // namespace steptp
