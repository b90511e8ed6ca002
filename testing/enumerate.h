#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "steptp/ir/program.h"

namespace steptp::testing {

/// The values of loop indices.
using Environment = std::map<std::string, std::int64_t>;

/// Evaluated literally; tensors are not read: the caller has none in its indices.
[[nodiscard]] std::int64_t evaluate(const Index& index, const Environment& at);
[[nodiscard]] bool holds(const Expr& condition, const Environment& at);

/// Calls `visit` for every execution of every equation, in the order of the sequential machine, with its address and
/// the values of the loops around it, outermost first and by name.
using InstanceVisitor =
    std::function<void(const std::vector<std::uint32_t>&, const std::vector<std::int64_t>&, const Environment&)>;
void for_each_instance(const Program& program, const InstanceVisitor& visit);

}  // namespace steptp::testing
