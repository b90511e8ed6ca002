#include "steptp/verify/rounding.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "steptp/analysis/accesses.h"

namespace steptp {

namespace {

/// The float types of a program's tensors, given and computed.
struct FloatTypes {
  std::set<DType> of_data;
  std::set<DType> of_constants;  ///< computed from literals and indices alone
  std::set<std::string> constants;
};

std::set<std::string> tensors_of_data(const Program& program, const AccessTable& table) {
  std::set<std::string> data;
  for (const Variable& variable : program.signature.variables) {
    if (variable.role != Role::output) data.insert(variable.name);
  }
  for (std::size_t size = 0; size != data.size();) {
    size = data.size();
    for (const Access& access : table.accesses) {
      if (!access.is_write && data.contains(access.ref->tensor)) {
        data.insert(table.statements[access.statement].equation->left->tensor);
      }
    }
  }
  return data;
}

FloatTypes types_of(const Program& program, const AccessTable& table) {
  FloatTypes out;
  const std::set<std::string> data = tensors_of_data(program, table);
  for (const auto& [name, tensor] : table.tensors) {
    if (!is_float(tensor.dtype)) continue;
    if (data.contains(name) || tensor.known) {
      out.of_data.insert(tensor.dtype);
    } else {
      out.of_constants.insert(tensor.dtype);
      out.constants.insert(name);
    }
  }
  return out;
}

bool is_at_least(DType dtype, DType other) {
  return info(dtype).precision >= info(other).precision && info(dtype).max_exponent >= info(other).max_exponent;
}

bool is_leaf(const ExprPtr& expr) { return children(*expr).empty(); }

/// One operation on what is stored or written there.
bool is_one_operation(const Expr& expr) {
  const auto parts = children(expr);
  return parts.size() <= 2 &&
         std::all_of(parts.begin(), parts.end(), [](const ExprPtr* part) { return is_leaf(*part); });
}

/// Whether data meets constants of a wider type only in single operations, which round to the type of the data at once.
bool meets_constants_singly(const AccessTable& table, const FloatTypes& types, DType dtype) {
  return std::all_of(table.accesses.begin(), table.accesses.end(), [&](const Access& access) {
    const Equation& equation = *table.statements[access.statement].equation;
    const std::string& tensor = access.ref->tensor;
    if (access.is_write || !types.constants.contains(tensor) || types.constants.contains(equation.left->tensor))
      return true;
    return table.tensors.at(tensor).dtype == dtype || is_one_operation(*equation.right);
  });
}

bool is_of_literals(const Expr& expr);

/// Some operation that rounds has literals alone as its operands. Operands of a chain are folded from the left.
bool computes_with_literals(const Expr& expr) {
  if (to_index(expr)) return false;
  const auto parts = children(expr);
  const auto* call = std::get_if<Call>(&expr.node);
  const bool is_exact =
      std::holds_alternative<Select>(expr.node) || is_condition(expr) || (call && call->function == Function::negate);
  const bool is_operation = !parts.empty() && !is_exact;
  const std::size_t operands = std::min<std::size_t>(parts.size(), 2);
  if (is_operation && std::all_of(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(operands),
                                  [](const ExprPtr* part) { return is_of_literals(**part); })) {
    return true;
  }
  return std::any_of(parts.begin(), parts.end(), [](const ExprPtr* part) { return computes_with_literals(**part); });
}

bool is_of_literals(const Expr& expr) {
  if (to_index(expr)) return true;
  const auto parts = children(expr);
  if (parts.empty()) return !std::holds_alternative<Read>(expr.node);
  return std::all_of(parts.begin(), parts.end(), [](const ExprPtr* part) { return is_of_literals(**part); });
}

/// A constant that is written where data is computed is computed in the type of the data.
bool computes_constants_with_data(const AccessTable& table, const FloatTypes& types) {
  return std::any_of(table.statements.begin(), table.statements.end(), [&](const Statement& statement) {
    const Equation& equation = *statement.equation;
    return !types.constants.contains(equation.left->tensor) && computes_with_literals(*equation.right);
  });
}

}  // namespace

bool rounds_no_more(const Program& before, const Program& after) {
  const AccessTable old_table = collect_accesses(before);
  const FloatTypes old_types = types_of(before, old_table);
  if (old_types.of_data.size() > 1) return false;
  const AccessTable new_table = collect_accesses(after);
  const FloatTypes new_types = types_of(after, new_table);
  std::set<DType> all = old_types.of_data;
  all.insert(old_types.of_constants.begin(), old_types.of_constants.end());
  if (all.empty()) return true;
  if (old_types.of_data.empty()) return all.size() == 1 && new_types.of_data.empty() && new_types.of_constants == all;
  const DType dtype = *old_types.of_data.begin();
  const auto all_at_least = [](const std::set<DType>& types, DType least) {
    return std::all_of(types.begin(), types.end(), [&](DType type) { return is_at_least(type, least); });
  };
  if (!all_at_least(new_types.of_data, dtype)) return false;
  // No constant of `after` may be less exact than the most exact one of `before`.
  const auto is_no_worse = [&](DType constant) { return all_at_least(new_types.of_constants, constant); };
  const bool has_other_constants = std::any_of(old_types.of_constants.begin(), old_types.of_constants.end(),
                                               [&](DType constant) { return constant != dtype; });
  if (has_other_constants && computes_constants_with_data(new_table, new_types)) return false;
  return is_no_worse(dtype) && std::all_of(old_types.of_constants.begin(), old_types.of_constants.end(), is_no_worse) &&
         meets_constants_singly(old_table, old_types, dtype);
}

}  // namespace steptp
