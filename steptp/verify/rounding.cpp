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
      // The type of an output is given.
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

}  // namespace

bool rounds_no_more(const Program& before, const Program& after) {
  const AccessTable old_table = collect_accesses(before);
  const FloatTypes old_types = types_of(before, old_table);
  if (old_types.of_data.size() > 1) return false;
  const FloatTypes new_types = types_of(after, collect_accesses(after));
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
  return is_no_worse(dtype) && std::all_of(old_types.of_constants.begin(), old_types.of_constants.end(), is_no_worse) &&
         meets_constants_singly(old_table, old_types, dtype);
}

}  // namespace steptp
