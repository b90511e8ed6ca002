#pragma once

// Inputs of the reference evaluator: no tensor is ever stored, because only few elements are asked for.

#include <cstdint>
#include <map>
#include <string>

#include "steptp/base/json.h"
#include "steptp/ir/signature.h"
#include "steptp/oracle/machine.h"

namespace steptp::testing {

/// An element of a known variable: a double in a float dtype (which may be an infinity), otherwise an integer.
struct InputNumber {
  double real = 0;
  std::int64_t integer = 0;
  bool operator==(const InputNumber&) const = default;
};
[[nodiscard]] inline InputNumber input_real(double value) { return {value, 0}; }
[[nodiscard]] inline InputNumber input_integer(std::int64_t value) { return {0, value}; }

/// Every element is a function of the seed, the name and the position, except those that are set.
struct MeaningInputs {
  std::uint64_t seed = 1;
  std::map<std::string, std::map<std::int64_t, InputNumber>> set;  ///< by name and row-major position
};

/// The element; the position lies in the shape. What is drawn has few digits, so that every float dtype holds it, lies
/// in the domain, and is at most 4 in size without one. Constants with given values have those.
[[nodiscard]] InputNumber input_element(const Variable& variable, std::int64_t position, const MeaningInputs& inputs);

/// {"seed":1,"set":{"A":[[37,0.5],...]}}: position and value.
[[nodiscard]] Json to_json(const MeaningInputs& inputs);
[[nodiscard]] MeaningInputs inputs_from_json(const Json& json, const Signature& signature);
/// The same data for the oracle: small signatures only.
[[nodiscard]] Tensors oracle_tensors(const Signature& signature, const MeaningInputs& inputs);

}  // namespace steptp::testing
