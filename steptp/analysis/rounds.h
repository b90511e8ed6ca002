#pragma once

#include <cstddef>
#include <optional>

#include "steptp/analysis/accesses.h"

namespace steptp {

/// The loop whose rounds the depth of a tensor speaks of (docs/language.md R21): its position among the loops of each
/// statement that touches the tensor. It is the innermost serial loop around all accesses, inside the kernel. Nothing
/// where there is none.
[[nodiscard]] std::optional<std::size_t> round_loop(const AccessTable& table, const TensorFacts& tensor);

}  // namespace steptp
