#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "steptp/ir/program.h"
#include "steptp/verify/precision_way.h"

namespace steptp {

/// The other factor of a product with 1 or -1, which rounds nothing; nothing where it is no such product.
[[nodiscard]] const ExprPtr* factor_of_sign(const Expr& expr);

/// By source: the name of a known variable, a literal or "index". Literals and indices are told apart by the type of
/// the operation that first uses them: "literal 0.1 in f32".
using WaysOf = std::map<std::string, std::set<Way>>;
/// The name is that of a literal or of an index.
[[nodiscard]] bool is_constant(const std::string& source);

/// All ways to the outputs of a program, by output: through values, conditions and subscripts. Nothing where there are
/// too many to be listed.
[[nodiscard]] std::optional<std::map<std::string, WaysOf>> ways_to_outputs(const Program& program);

}  // namespace steptp
