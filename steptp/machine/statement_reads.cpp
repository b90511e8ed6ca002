#include "steptp/machine/statement_reads.h"

#include <algorithm>

namespace steptp::certify {

namespace {

void add_index_reads(const IndexCode& index, std::vector<const Access*>& out) {
  for (const IndexProduct& product : index.terms) {
    for (const IndexAtom& factor : product.factors) {
      if (factor.dividend) add_index_reads(*factor.dividend, out);
      if (factor.divisor) add_index_reads(*factor.divisor, out);
      if (factor.read) out.push_back(factor.read.get());
    }
  }
}

void add_node_reads(const Code& code, std::uint32_t number, std::vector<const Access*>& out) {
  const Node& node = code.nodes[number];
  if (node.op == Op::real_read || node.op == Op::integer_read) out.push_back(&code.accesses[node.payload]);
  if (node.op == Op::integer_index) add_index_reads(code.indices[node.payload], out);
  for (const std::uint32_t operand : {node.first, node.second, node.third}) {
    if (operand != kNone) add_node_reads(code, operand, out);
  }
}

/// Every access of a statement: what it writes, as an accumulator, what it reads, and what subscripts read.
std::vector<const Access*> accesses_of(const Code& code, const StatementCode& statement) {
  std::vector<const Access*> found = {&statement.left};
  for (const std::uint32_t guard : statement.guards) add_node_reads(code, guard, found);
  add_node_reads(code, statement.right, found);
  for (std::size_t i = 0; i < found.size(); ++i) {
    std::vector<const Access*> inner;
    for (const auto* list : {&found[i]->subscripts, &found[i]->hidden}) {
      for (const IndexCode& index : *list) add_index_reads(index, inner);
    }
    found.insert(found.end(), inner.begin(), inner.end());
  }
  return found;
}

bool has_reads(const Code& code, std::uint32_t number) {
  const Node& node = code.nodes[number];
  if (node.op == Op::real_read || node.op == Op::integer_read || node.op == Op::real_accumulator ||
      node.op == Op::integer_accumulator) {
    return true;
  }
  if (node.op == Op::integer_index && code.indices[node.payload].reads_data) return true;
  for (const std::uint32_t operand : {node.first, node.second, node.third}) {
    if (operand != kNone && has_reads(code, operand)) return true;
  }
  return false;
}

bool is_strict(const Code& code, std::uint32_t number) {
  const Node& node = code.nodes[number];
  switch (node.op) {
    case Op::real_literal:
    case Op::real_of_integer: return !has_reads(code, number);
    case Op::real_read:
    case Op::real_accumulator: return true;
    case Op::real_arithmetic:
      switch (node.arithmetic) {
        case ArithmeticOp::add:
        case ArithmeticOp::subtract:
        case ArithmeticOp::multiply: return is_strict(code, node.first) && is_strict(code, node.second);
        case ArithmeticOp::divide: return is_strict(code, node.first) && !has_reads(code, node.second);
        case ArithmeticOp::floor_divide:
        case ArithmeticOp::modulo:
        case ArithmeticOp::power:
        case ArithmeticOp::max:
        case ArithmeticOp::min: return false;
      }
      return false;
    case Op::real_function: return node.function == Function::negate && is_strict(code, node.first);
    case Op::real_select:
      return !has_reads(code, node.first) && is_strict(code, node.second) && is_strict(code, node.third);
    default: return false;
  }
}

}  // namespace

std::vector<std::uint32_t> writers_of(const Code& code, const StatementCode& statement) {
  std::vector<std::uint32_t> out;
  for (const Access* access : accesses_of(code, statement)) {
    for (const Writer& writer : access->writers) out.push_back(writer.statement);
  }
  return out;
}

void add_inputs(const Code& code, const StatementCode& statement, std::set<std::string>& out) {
  for (const Access* access : accesses_of(code, statement)) {
    const TensorCode& tensor = code.tensors[access->tensor];
    if (tensor.known != nullptr) out.insert(tensor.name);
  }
}

bool is_strict_statement(const Code& code, const StatementCode& statement) {
  if (!is_float(statement.dtype)) return false;
  if (statement.accumulates && statement.accumulation != ArithmeticOp::add) return false;
  for (const std::uint32_t guard : statement.guards) {
    if (has_reads(code, guard)) return false;
  }
  return is_strict(code, statement.right) &&
         std::all_of(statement.terms.begin(), statement.terms.end(),
                     [&](const FoldTerm& term) { return is_strict(code, term.node); });
}

bool reads_data(const Code& code, std::uint32_t number) {
  if (number == kNone) return false;
  const Node& node = code.nodes[number];
  switch (node.op) {
    case Op::real_read:
    case Op::integer_read:
    case Op::real_accumulator:
    case Op::integer_accumulator: return true;
    case Op::integer_index: return code.indices[node.payload].reads_data;
    default: break;
  }
  return reads_data(code, node.first) || reads_data(code, node.second) || reads_data(code, node.third);
}

}  // namespace steptp::certify
