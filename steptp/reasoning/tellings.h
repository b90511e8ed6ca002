#pragma once

#include "steptp/reasoning/teller.h"

namespace steptp {

/// Who tells the steps of some strategies, one list per file. Those of scalar expressions need none of their own.
[[nodiscard]] std::span<const Telling> loop_structure_tellings();
[[nodiscard]] std::span<const Telling> loop_order_tellings();
[[nodiscard]] std::span<const Telling> loop_kind_tellings();
[[nodiscard]] std::span<const Telling> fusion_tellings();
[[nodiscard]] std::span<const Telling> definition_tellings();
[[nodiscard]] std::span<const Telling> tensor_tellings();
[[nodiscard]] std::span<const Telling> cache_tellings();
[[nodiscard]] std::span<const Telling> storage_tellings();
[[nodiscard]] std::span<const Telling> factoring_tellings();
[[nodiscard]] std::span<const Telling> fraction_tellings();
[[nodiscard]] std::span<const Telling> power_tellings();
[[nodiscard]] std::span<const Telling> online_tellings();
[[nodiscard]] std::span<const Telling> attention_tellings();

/// Every index that became a calculation: slot `substituted` with {index}, {calculation}, {from} and {to}, where a
/// subscript shows it; slot `unused` where none does.
void tell_substitutions(Teller& teller);

/// What an index became, in words; where the old name is that of a new loop too, that is said.
[[nodiscard]] TracePieces calculation_of(const Substitution& one);

/// Binds {from} and {to} to an access before and after, found by one of its subscripts.
void bind_access(Teller& teller, Site subscript);

/// The preconditions of a step that changes the order of iterations: `order-plain` where nothing accumulates below.
void say_preconditions_of_order(Teller& teller, const Site& loop);

/// Binds {where} to the expression of the choice.
void bind_where(Teller& teller);

}  // namespace steptp
