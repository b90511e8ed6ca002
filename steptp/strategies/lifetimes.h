#pragma once

// When elements of a tensor hold something that is still needed. Hidden subscripts count as subscripts everywhere, and
// what is not known counts as a conflict.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "steptp/strategies/view.h"

namespace steptp {

/// All accesses of a tensor, in the order of the text.
[[nodiscard]] std::vector<std::size_t> accesses_of(View& view, const std::string& tensor);

/// The program with other subscripts in every reference to a tensor, those inside subscripts included; what
/// `subscripts` gives is simplified over the loops around. Nothing where it gives nothing, or a subscript becomes too
/// large.
using Resubscript = std::function<std::optional<std::vector<Index>>(const Statement&, const std::vector<Index>&)>;
[[nodiscard]] std::optional<Program> with_subscripts(View& view, const std::string& tensor,
                                                     const Resubscript& subscripts);

/// Whether an element is written between a write and a read of another that differs from it in one dimension only, so
/// that they cannot share a place.
[[nodiscard]] std::optional<Conflict> overlap_conflict(View& view, const std::string& tensor, std::size_t dimension);

/// Whether some read of a tensor is of what was written in another iteration of the outermost `loops` loops, which are
/// around all its accesses. Reads of an accumulator that may be undefined are such.
[[nodiscard]] std::optional<Conflict> flow_conflict(View& view, const std::string& tensor, std::size_t loops);

/// Whether an accumulation of a tensor may rely on reading an undefined element as the identity.
[[nodiscard]] bool relies_on_identity(View& view, const std::string& tensor, std::size_t statement);

/// The program with `X=identity;` before the outermost loop of an accumulation that its left side does not follow, in
/// the loops inside it that the left side does. Nothing where the identity has no spelling.
struct WithIdentity {
  Program program;
  std::vector<std::uint32_t> definition;  ///< the address of the new equation
};
[[nodiscard]] std::optional<WithIdentity> with_identity(View& view, std::size_t statement);

/// Whether every element of a tensor in `g` has a value when an expression begins, and no other afterwards.
[[nodiscard]] bool is_complete(View& view, const std::string& tensor, std::uint32_t expression);

/// Whether some write of the tensor of an equation runs before that equation does to the same element.
[[nodiscard]] std::optional<Conflict> first_write_conflict(View& view, const std::vector<std::uint32_t>& equation);

}  // namespace steptp
