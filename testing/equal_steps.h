#pragma once

// Inside of equal_pairs: the single steps. Each changes the program and says true, or leaves it as it is where it finds
// no place whose conditions hold.

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/random.h"
#include "steptp/ir/program.h"

namespace steptp::testing {

struct EqualStep {
  std::string_view name;
  bool (*apply)(Program&, Random&);
};
[[nodiscard]] const std::vector<EqualStep>& loop_steps();     // equal_steps_loops.cpp
[[nodiscard]] const std::vector<EqualStep>& nest_steps();     // equal_steps_nests.cpp
[[nodiscard]] const std::vector<EqualStep>& tensor_steps();   // equal_steps_tensors.cpp
[[nodiscard]] const std::vector<EqualStep>& algebra_steps();  // equal_steps_algebra.cpp

// What the steps ask of a program; equal_steps.cpp.

/// A nest whose only item is one equation.
[[nodiscard]] const Equation* only_equation(const Nest& nest);
[[nodiscard]] std::set<std::string> tensors_read(const Nest& nest);
[[nodiscard]] std::set<std::string> tensors_written(const Nest& nest);
/// Every tensor is in `g`, so that storage does not depend on which loop is bound to what.
[[nodiscard]] bool is_global(const Nest& nest);
/// Each loop of the nest is, alone, one subscript of the left side, and the right side does not read that tensor: no
/// iteration depends on another.
[[nodiscard]] bool is_injective(const Nest& nest);
/// One equation that accumulates floats: as real numbers the order of its iterations is free.
[[nodiscard]] bool is_free_accumulation(const Nest& nest);
[[nodiscard]] bool is_intermediate(const Program& program, const std::string& tensor);
/// Float reads, and nothing else but literals and indices, make up the value: no integer wraps, no bool.
[[nodiscard]] bool is_float_value(const Expr& expr);
[[nodiscard]] bool has_infinity(const Program& program);
[[nodiscard]] bool reads(const Expr& expr, const std::string& tensor);

[[nodiscard]] std::string fresh_tensor(const Program& program);
/// A plain index that does not occur in the nest.
[[nodiscard]] std::string fresh_index(const Nest& nest);
/// Replaces loop variables in subscripts, values and guards.
using IndexMap = std::vector<std::pair<std::string, Index>>;
[[nodiscard]] ExprPtr substituted(const ExprPtr& expr, const IndexMap& map);
[[nodiscard]] RefPtr substituted(const RefPtr& ref, const IndexMap& map);
[[nodiscard]] NestPtr substituted_body(const Nest& nest, std::vector<Loop> loops, const IndexMap& map);
[[nodiscard]] ExprPtr conjunction(const ExprPtr& guard, ExprPtr more);
[[nodiscard]] ExprPtr below(const Index& index, std::int64_t bound);

}  // namespace steptp::testing
