#pragma once

#include "steptp/reasoning/teller.h"

namespace steptp {

/// The wordings of some strategies, one list per file.
[[nodiscard]] std::span<const Wording> loop_structure_wordings();
[[nodiscard]] std::span<const Wording> loop_order_wordings();
[[nodiscard]] std::span<const Wording> loop_kind_wordings();
[[nodiscard]] std::span<const Wording> fusion_wordings();
[[nodiscard]] std::span<const Wording> definition_wordings();
[[nodiscard]] std::span<const Wording> tensor_wordings();
[[nodiscard]] std::span<const Wording> cache_wordings();
[[nodiscard]] std::span<const Wording> storage_wordings();
[[nodiscard]] std::span<const Wording> factoring_wordings();
[[nodiscard]] std::span<const Wording> fraction_wordings();
[[nodiscard]] std::span<const Wording> power_wordings();
[[nodiscard]] std::span<const Wording> splitting_wordings();
[[nodiscard]] std::span<const Wording> online_wordings();
[[nodiscard]] std::span<const Wording> attention_wordings();

/// Every index that became a calculation: slot `substituted` with {index}, {calculation}, {from} and {to}, where a
/// subscript shows it; slot `unused` where none does.
void tell_substitutions(Teller& teller);

/// Binds {from} and {to} to an access before and after, found by one of its subscripts.
void bind_access(Teller& teller, Site subscript);

/// Binds {where} to the expression of the choice.
void bind_where(Teller& teller);

}  // namespace steptp
