#include "replay/uses.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace steptp::replayer {

namespace {

bool is_sensitive(Function function) {
  switch (function) {
    case Function::log:
    case Function::sqrt:
    case Function::rsqrt:
    case Function::abs: return true;
    case Function::negate:
    case Function::exp:
    case Function::erf:
    case Function::tanh:
    case Function::sin:
    case Function::cos:
    case Function::floor:
    case Function::ceil:
    case Function::round: return false;
  }
  return false;
}

/// Whether the expression itself, or a part of it, depends on a sign or on where something is zero.
bool is_sensitive(const Expr& expr) {
  const auto* product = std::get_if<Product>(&expr.node);
  const auto* call = std::get_if<Call>(&expr.node);
  bool out = std::holds_alternative<Power>(expr.node) || std::holds_alternative<Extremum>(expr.node) ||
             std::holds_alternative<Compare>(expr.node) || std::holds_alternative<Select>(expr.node);
  if (product)
    out = std::any_of(product->operators.begin(), product->operators.end(),
                      [](ArithmeticOp op) { return op != ArithmeticOp::multiply; });
  if (call) out = is_sensitive(call->function);
  for (const ExprPtr* child : children(expr)) out = out || is_sensitive(**child);
  return out;
}

}  // namespace

Uses::Uses(const Layout& layout) {
  std::vector<std::pair<std::string, std::set<std::string>>> steps;  // what is written, and what it is made of
  for (const Statement& statement : layout.statements()) {
    const Equation& equation = *statement.equation;
    std::set<std::string> sources;
    // What becomes an integer, or is made of one, is converted.
    bool matters = is_sensitive(*equation.right) || !is_float(equation.left->dtype) || !statement.guards.empty();
    const auto read = [&](const RefPtr& ref) {
      sources.insert(ref->tensor);
      matters = matters || !is_float(ref->dtype);
    };
    for_each_ref(*equation.right, read);
    for (const ExprPtr& guard : statement.guards) for_each_ref(*guard, read);
    if (matters) tensors_.insert(sources.begin(), sources.end());
    steps.emplace_back(equation.left->tensor, std::move(sources));
  }
  for (bool is_new = true; is_new;) {
    const std::size_t before = tensors_.size();
    for (const auto& [target, sources] : steps) {
      if (tensors_.contains(target)) tensors_.insert(sources.begin(), sources.end());
    }
    is_new = tensors_.size() > before;
  }
}

}  // namespace steptp::replayer
