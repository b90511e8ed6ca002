#include "steptp/execution/session.h"

#include "steptp/base/text.h"
#include "steptp/oracle/inputs.h"

namespace steptp {

namespace {

Trap input_trap(TrapKind kind, const Variable& variable, std::string message) {
  Trap trap;
  trap.kind = kind;
  trap.message = std::move(message);
  trap.tensor = variable.name;
  return trap;
}

}  // namespace

Result<const Tensor*, Trap> input_for(const Variable& variable, const Tensors& inputs, Tensor& made) {
  const auto given = inputs.find(variable.name);
  if (given == inputs.end()) {
    if (!variable.values.empty()) {
      auto constant = constant_tensor(variable);
      if (!constant) return constant.error();
      made = std::move(constant).value();
      return &made;
    }
    return input_trap(TrapKind::input_missing, variable,
                      concat("there is no data for the ", name_of(variable.role), ' ', variable.name));
  }
  const Tensor& tensor = given->second;
  if (tensor.dtype != variable.dtype || tensor.shape != variable.shape || !is_consistent(tensor)) {
    return input_trap(TrapKind::input_mismatch, variable,
                      concat(variable.name, " has another dtype or shape than the signature says"));
  }
  return &tensor;
}

void unify_nans(Tensor& tensor) {
  if (!is_float(tensor.dtype)) return;
  const auto width = static_cast<std::size_t>(info(tensor.dtype).bytes);
  for (std::size_t at = 0; at < tensor.data.size(); at += width) {
    const Scalar value = load(tensor.dtype, tensor.data.data() + at);
    if (value.as_real() != value.as_real()) store(value, tensor.data.data() + at);
  }
}

}  // namespace steptp
