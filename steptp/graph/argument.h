#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "steptp/ir/dtype.h"

namespace steptp::graph {

/// One output of one node. `node` is its number in the graph; -1 stands for "none" in a list of tensors.
struct Value {
  std::int32_t node = -1;
  std::int32_t output = 0;
  bool operator==(const Value&) const = default;
};

/// What stands in one place of a call. Nothing at all is None; a number may also stand where a tensor is wanted
/// (x * 2.0 is a call of aten.mul.Tensor), and inference then treats it as PyTorch treats a Python number.
using Argument = std::variant<std::monostate, Value, std::vector<Value>, bool, std::int64_t, double, std::string,
                              std::vector<std::int64_t>, std::vector<double>, DType>;

[[nodiscard]] inline bool is_none(const Argument& argument) { return std::holds_alternative<std::monostate>(argument); }

/// "an integer", "a tensor", ...: for messages.
[[nodiscard]] std::string_view kind_name(const Argument& argument);

}  // namespace steptp::graph
