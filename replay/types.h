#pragma once

#include <optional>

#include "steptp/ir/program.h"
#include "steptp/ir/typing.h"

namespace steptp::replayer {

/// The type of an expression; nothing where it has none.
[[nodiscard]] std::optional<ValueType> type_of(const Expr& expr);

/// The product that docs/language.md R22 computes in the type of the left side; null where there is none.
[[nodiscard]] const Product* widened_product(const Equation& equation);

}  // namespace steptp::replayer
