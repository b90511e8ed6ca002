#pragma once

// Expressions compared up to the order of operands and the names of loops.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "steptp/ir/program.h"

namespace steptp {

/// An operand of a chain: subtracted in a sum, a divisor in a product.
struct Operand {
  bool is_inverse = false;
  ExprPtr expr;
};
/// The operands of a sum, with those of sums inside it; one operand where the expression is no sum.
[[nodiscard]] std::vector<Operand> summands(const ExprPtr& expr);
/// The operands of products and quotients likewise. A chain with // or % is one operand.
[[nodiscard]] std::vector<Operand> factors(const ExprPtr& expr);
/// The operands of a maximum likewise.
[[nodiscard]] std::vector<ExprPtr> maximands(const ExprPtr& expr);

/// The sum, the product of operands; none: 0, 1.
[[nodiscard]] ExprPtr sum_of(const std::vector<Operand>& operands);
[[nodiscard]] ExprPtr product_of(const std::vector<Operand>& operands);
[[nodiscard]] ExprPtr maximum_of(const std::vector<ExprPtr>& operands);

/// The same up to the order of operands of + - * / max min. Literals are compared as they are written.
[[nodiscard]] bool same_value(const ExprPtr& left, const ExprPtr& right);

/// Loops under other names.
using LoopNames = std::map<std::string, std::string>;
/// Calls `visit` for each way to give every loop of `from` another one of `to` with the same extent, those that keep
/// the order first, until it answers true. False where it never does.
bool for_each_renaming(const std::vector<Loop>& from, const std::vector<Loop>& to,
                       const std::function<bool(const LoopNames&)>& visit);
[[nodiscard]] ExprPtr renamed(const ExprPtr& expr, const LoopNames& names);
[[nodiscard]] RefPtr renamed(const RefPtr& ref, const LoopNames& names);
/// With 0 for the indices of loops that run once: A_{tx} and A_{0} are the same there.
[[nodiscard]] ExprPtr at_origin(const ExprPtr& expr, const std::vector<Loop>& loops);
[[nodiscard]] RefPtr at_origin(const RefPtr& ref, const std::vector<Loop>& loops);
/// first, then second.
[[nodiscard]] LoopNames composed(const LoopNames& first, const LoopNames& second);
[[nodiscard]] LoopNames inverted(const LoopNames& names);

}  // namespace steptp
