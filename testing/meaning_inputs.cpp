#include "testing/meaning_inputs.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "steptp/base/random.h"

namespace steptp::testing {

namespace {

std::uint64_t draw_at(const Variable& variable, std::int64_t position, std::uint64_t seed) {
  Hash name = 0;
  for (const char c : variable.name) name = combine(name, static_cast<Hash>(c));
  return random_at(combine(seed, name), static_cast<std::uint64_t>(position));
}

/// Multiples of 1/16 below 4: seven digits, which bfloat16 holds.
double drawn_real(const Domain& domain, std::uint64_t draw) {
  const double whole = static_cast<double>(draw % 64) / 16;
  switch (domain.kind) {
    case Domain::Kind::unstated:
    case Domain::Kind::any: return (draw >> 32) % 2 != 0 ? -whole : whole;
    case Domain::Kind::positive: return whole + 1.0 / 16;
    case Domain::Kind::nonzero: return (draw >> 32) % 2 != 0 ? -whole - 1.0 / 16 : whole + 1.0 / 16;
    case Domain::Kind::masked:
      if ((draw >> 40) % 4 == 0) return -std::numeric_limits<double>::infinity();
      return (draw >> 32) % 2 != 0 ? -whole : whole;
    case Domain::Kind::range: return domain.low + (domain.high - domain.low) * static_cast<double>(draw % 16) / 16;
  }
  return whole;
}

std::int64_t drawn_integer(const Variable& variable, std::uint64_t draw) {
  std::int64_t low = std::max<std::int64_t>(-8, info(variable.dtype).least);
  std::int64_t high = std::min<std::int64_t>(8, info(variable.dtype).greatest);
  if (variable.domain.kind == Domain::Kind::positive) low = 1;
  if (variable.domain.kind == Domain::Kind::range) {
    low = static_cast<std::int64_t>(std::ceil(variable.domain.low));
    high = static_cast<std::int64_t>(std::ceil(variable.domain.high)) - 1;
  }
  const std::int64_t value = low + static_cast<std::int64_t>(draw % static_cast<std::uint64_t>(high - low + 1));
  return variable.domain.kind == Domain::Kind::nonzero && value == 0 ? 1 : value;
}

Json json_of(DType dtype, const InputNumber& value) { return is_float(dtype) ? Json(value.real) : Json(value.integer); }

double number_of(const Json& json) {
  if (const std::string* text = json.as_string()) {
    const double infinity = std::numeric_limits<double>::infinity();
    return !text->empty() && (*text)[0] == '-' ? -infinity : infinity;
  }
  return json.number();
}

}  // namespace

InputNumber input_element(const Variable& variable, std::int64_t position, const MeaningInputs& inputs) {
  if (const auto tensor = inputs.set.find(variable.name); tensor != inputs.set.end()) {
    if (const auto at = tensor->second.find(position); at != tensor->second.end()) return at->second;
  }
  if (!variable.values.empty()) {
    const double value = variable.values[static_cast<std::size_t>(position)];
    return is_float(variable.dtype) ? input_real(value) : input_integer(static_cast<std::int64_t>(value));
  }
  const std::uint64_t draw = draw_at(variable, position, inputs.seed);
  return is_float(variable.dtype) ? input_real(drawn_real(variable.domain, draw))
                                  : input_integer(drawn_integer(variable, draw));
}

Json to_json(const MeaningInputs& inputs) {
  Json set{Json::Object{}};
  for (const auto& [name, elements] : inputs.set) {
    Json list{Json::Array{}};
    for (const auto& [position, value] : elements) {
      Json entry{Json::Array{}};
      entry.push(position);
      // An integer is never written with a point, a float whose value is whole is: that tells them apart.
      entry.push(value.integer != 0 ? json_of(DType::i64, value) : json_of(DType::f64, value));
      list.push(std::move(entry));
    }
    set.set(name, std::move(list));
  }
  Json out;
  out.set("seed", inputs.seed).set("set", std::move(set));
  return out;
}

MeaningInputs inputs_from_json(const Json& json, const Signature& signature) {
  MeaningInputs inputs;
  if (const Json* seed = json.find("seed"); seed && seed->is_number()) {
    inputs.seed = static_cast<std::uint64_t>(seed->number());
  }
  const Json* set = json.find("set");
  if (!set || !set->as_object()) return inputs;
  for (const auto& [name, list] : *set->as_object()) {
    const Variable* variable = signature.find(name);
    if (!variable || !list.as_array()) continue;
    for (const Json& entry : *list.as_array()) {
      const Json::Array* pair = entry.as_array();
      if (!pair || pair->size() != 2 || !(*pair)[0].as_integer()) continue;
      const Json& value = (*pair)[1];
      const bool whole = !is_float(variable->dtype);
      inputs.set[name][*(*pair)[0].as_integer()] =
          whole ? input_integer(value.as_integer() ? *value.as_integer() : static_cast<std::int64_t>(value.number()))
                : input_real(number_of(value));
    }
  }
  return inputs;
}

Tensors oracle_tensors(const Signature& signature, const MeaningInputs& inputs) {
  Tensors out;
  for (const Variable& variable : signature.variables) {
    if (variable.role == Role::output) continue;
    const auto count = static_cast<std::size_t>(element_count(variable.shape).value_or(0));
    const auto width = static_cast<std::size_t>(info(variable.dtype).bytes);
    Tensor tensor{variable.dtype, variable.shape, std::vector<std::byte>(count * width)};
    for (std::size_t i = 0; i < count; ++i) {
      const InputNumber value = input_element(variable, static_cast<std::int64_t>(i), inputs);
      store(is_float(variable.dtype) ? Scalar::real(variable.dtype, value.real)
                                     : Scalar::integer(variable.dtype, value.integer),
            tensor.data.data() + i * width);
    }
    out.emplace(variable.name, std::move(tensor));
  }
  return out;
}

}  // namespace steptp::testing
