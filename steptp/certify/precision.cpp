#include "steptp/certify/precision.h"

#include <algorithm>
#include <vector>

#include "steptp/base/text.h"

namespace steptp::certify {

namespace {

struct Narrowest {
  int significand = 1 << 20;
  int exponent = 1 << 20;
  std::string tensor;  ///< that has it
};

/// Over the float tensors that the program computes and whose values reach the output.
Narrowest narrowest_on_the_way(const Code& code, std::uint32_t output) {
  std::vector<bool> reached(code.tensors.size());
  std::vector<std::uint32_t> queue = {output};
  reached[output] = true;
  Narrowest narrowest;
  for (std::size_t at = 0; at < queue.size(); ++at) {
    const TensorCode& tensor = code.tensors[queue[at]];
    if (!tensor.known && is_float(tensor.dtype)) {
      const DTypeInfo& type = info(tensor.dtype);
      if (type.precision < narrowest.significand || type.max_exponent < narrowest.exponent)
        narrowest.tensor = tensor.name;
      narrowest.significand = std::min(narrowest.significand, type.precision);
      narrowest.exponent = std::min(narrowest.exponent, type.max_exponent);
    }
    for (const std::uint32_t writer : tensor.writers) {
      for_each_ref(*code.table.statements[writer].equation->right, [&](const RefPtr& ref) {
        const std::uint32_t read = code.tensor_numbers.find(ref->tensor)->second;
        if (!reached[read]) queue.push_back(read);
        reached[read] = true;
      });
    }
  }
  return narrowest;
}

}  // namespace

std::optional<std::string> lost_precision(const Code& before, const Code& after) {
  for (const auto& [name, facts] : before.table.tensors) {
    if (!facts.known || facts.known->role != Role::output) continue;
    const auto in_after = after.tensor_numbers.find(name);
    if (in_after == after.tensor_numbers.end()) continue;
    const Narrowest was = narrowest_on_the_way(before, before.tensor_numbers.find(name)->second);
    const Narrowest is = narrowest_on_the_way(after, in_after->second);
    if (is.significand < was.significand || is.exponent < was.exponent) {
      return concat("precision: ", is.tensor, " is stored in ", code(after.table.tensors.at(is.tensor).dtype),
                    " on the way to ", name, ", narrower than anything before stores there");
    }
  }
  return std::nullopt;
}

}  // namespace steptp::certify
