// exp(x-max(x)) is at most 1, and a sum of it at least 1: what makes a softmax defined everywhere. Seen by comparing
// the statement that sums with the one that took the maximum. docs/decisions/0025-windows-with-hazards.md.
#include "steptp/machine/shifted_sums.h"

#include <algorithm>

#include "steptp/machine/sharing.h"

namespace steptp::certify {

namespace {

std::uint32_t nest_of(const Code& code, std::uint32_t statement) { return code.table.statements[statement].items[0]; }

/// The statement that made the maximum which is taken off inside exp; kNone where there is none.
std::uint32_t maximum_of(const Code& code, std::uint32_t statement, std::uint32_t exp) {
  const Node& function = code.nodes[exp];
  if (function.op != Op::real_function || function.function != Function::exp) return kNone;
  const Node& gap = code.nodes[function.first];
  if (gap.op != Op::real_arithmetic || gap.arithmetic != ArithmeticOp::subtract) return kNone;
  if (code.nodes[gap.second].op != Op::real_read) return kNone;
  const Access& read = code.accesses[code.nodes[gap.second].payload];
  if (code.tensors[read.tensor].known || code.tensors[read.tensor].writers.size() != 1) return kNone;
  const std::uint32_t number = code.tensors[read.tensor].writers[0];
  const StatementCode& maximum = code.statements[number];
  if (!maximum.accumulates || maximum.accumulation != ArithmeticOp::max || maximum.terms.size() != 1) return kNone;
  // It is finished, its loops are those of the reader, and at the same iteration it took in the same value.
  const StatementCode& reader = code.statements[statement];
  if (nest_of(code, number) >= nest_of(code, statement)) return kNone;
  if (!maximum.guards.empty() || maximum.extents != reader.extents) return kNone;
  if (!are_same_places(code, maximum.left, read)) return kNone;
  std::vector<WriterPair> writers;
  if (!is_alike_value(code, maximum.terms[0].node, gap.first, writers)) return kNone;
  const bool is_settled = std::all_of(writers.begin(), writers.end(), [&](const WriterPair& pair) {
    return pair.before == pair.after && nest_of(code, pair.before) < nest_of(code, number);
  });
  return is_settled ? number : kNone;
}

}  // namespace

bool is_below_its_maximum(const Code& code, std::uint32_t statement, std::uint32_t node) {
  return maximum_of(code, statement, node) != kNone;
}

bool holds_its_maximum(const Code& code, std::uint32_t statement) {
  const StatementCode& sum = code.statements[statement];
  if (!sum.accumulates || sum.accumulation != ArithmeticOp::add || sum.terms.size() != 1) return false;
  if (sum.terms[0].is_subtracted || !sum.guards.empty() || code.tensors[sum.tensor].writers.size() != 1) return false;
  const std::uint32_t maximum = maximum_of(code, statement, sum.terms[0].node);
  return maximum != kNone && are_same_places(code, code.statements[maximum].left, sum.left);
}

}  // namespace steptp::certify
