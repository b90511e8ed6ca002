#pragma once

#include <optional>

#include "steptp/ir/expr.h"
#include "steptp/ir/typing.h"

namespace steptp::replayer {

/// The type of an expression; nothing where it has none.
[[nodiscard]] std::optional<ValueType> type_of(const Expr& expr);

}  // namespace steptp::replayer
