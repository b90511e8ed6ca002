#pragma once

#include <optional>

#include "steptp/ir/program.h"

namespace steptp {

/// The product of an accumulation X=X+F*G that is computed in the type of X (docs/language.md R22): F and G have one
/// type, f16 or bf16, and X is a wider float. Whoever gives the operations of an equation their types asks for it.
struct WideProduct {
  const Product* product = nullptr;  ///< F*G, a part of the right side
  DType dtype = DType::f32;          ///< of X
};
/// Nothing where the rule does not apply. F and G are references, or choices (if_then_else) between references and
/// numbers.
[[nodiscard]] std::optional<WideProduct> wide_product(const Ref& left, const ExprPtr& right);

}  // namespace steptp
