#include "steptp/machine/fold_forms.h"

namespace steptp::certify {

bool has_accumulator(const Code& code, std::uint32_t number) {
  if (number == kNone) return false;
  const Node& node = code.nodes[number];
  if (node.op == Op::real_accumulator) return true;
  if (node.op != Op::real_arithmetic) return false;
  return has_accumulator(code, node.first) || has_accumulator(code, node.second);
}

std::optional<std::pair<const Access*, const Access*>> factors_of_sum(const Code& code,
                                                                      const StatementCode& statement) {
  const Node& sum = code.nodes[statement.right];
  const auto is = [&](const Node& node, ArithmeticOp op) {
    return node.op == Op::real_arithmetic && node.arithmetic == op && node.dtype == statement.dtype;
  };
  if (!is(sum, ArithmeticOp::add) || code.nodes[sum.first].op != Op::real_accumulator) return std::nullopt;
  const Node& product = code.nodes[sum.second];
  if (!is(product, ArithmeticOp::multiply)) return std::nullopt;
  const auto is_input = [&](const Node& node) {
    return node.op == Op::real_read && code.tensors[code.accesses[node.payload].tensor].known &&
           code.tensors[code.accesses[node.payload].tensor].dtype == statement.dtype;
  };
  const Node& left = code.nodes[product.first];
  const Node& right = code.nodes[product.second];
  if (!is_input(left) || !is_input(right)) return std::nullopt;
  return std::pair(&code.accesses[left.payload], &code.accesses[right.payload]);
}

std::vector<Range> neighbours_of(const StatementCode& statement, const Slots& slots) {
  std::vector<Range> box(statement.extents.size());
  for (std::size_t i = 0; i < box.size(); ++i) {
    box[i] = i < statement.private_from ? Range{slots[i], slots[i]} : Range{0, statement.extents[i] - 1};
  }
  for (const DirectSubscript& subscript : statement.direct) {
    if (subscript.slot != kNone) box[subscript.slot] = {slots[subscript.slot], slots[subscript.slot]};
  }
  return box;
}

std::int64_t integer_identity(const StatementCode& statement) {
  if (statement.accumulation == ArithmeticOp::multiply) return 1;
  if (statement.accumulation == ArithmeticOp::max) return info(statement.dtype).least;
  if (statement.accumulation == ArithmeticOp::min) return info(statement.dtype).greatest;
  return 0;
}

}  // namespace steptp::certify
