// An occurrence of a tensor becomes its subscripts as sums of products of loops, the hidden subscripts of its scope,
// and the statements that can have written what is seen. Where everything is linear, more is known at once: one
// position instead of subscripts, and the one iteration that wrote the element (origin.h).
#include "steptp/machine/compile_access.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "steptp/analysis/interval.h"
#include "steptp/arithmetic/failure.h"
#include "steptp/base/text.h"
#include "steptp/machine/origin.h"

namespace steptp::certify {

namespace {

/// The values of right - left where a comparison holds; nothing for !=, which leaves two pieces.
std::optional<Bound> bound_of(CompareOp op) {
  constexpr std::int64_t kFarOff = std::int64_t{1} << 61;
  switch (op) {
    case CompareOp::less: return Bound{{}, 1, kFarOff};
    case CompareOp::less_equal: return Bound{{}, 0, kFarOff};
    case CompareOp::greater: return Bound{{}, -kFarOff, -1};
    case CompareOp::greater_equal: return Bound{{}, -kFarOff, 0};
    case CompareOp::equal: return Bound{{}, 0, 0};
    case CompareOp::not_equal: return std::nullopt;
  }
  return std::nullopt;
}

CompareOp opposite(CompareOp op) {
  switch (op) {
    case CompareOp::less: return CompareOp::greater_equal;
    case CompareOp::less_equal: return CompareOp::greater;
    case CompareOp::greater: return CompareOp::less_equal;
    case CompareOp::greater_equal: return CompareOp::less;
    case CompareOp::equal: return CompareOp::not_equal;
    case CompareOp::not_equal: return CompareOp::equal;
  }
  return op;
}

}  // namespace

std::vector<Writer> AccessCompiler::writers_seen_from(std::uint32_t reader, std::uint32_t tensor) const {
  std::vector<Writer> writers;
  for (const std::uint32_t writer : code_.tensors[tensor].writers) {
    writers.push_back({writer, shared_loops(table_.statements[reader], table_.statements[writer]), writer < reader});
  }
  return writers;
}

bool AccessCompiler::add_bounds(const Expr& condition, bool holds, Bounds& out) {
  if (const auto* logic = std::get_if<Logic>(&condition.node)) {
    if ((logic->op == LogicOp::conjunction) != holds) return false;
    bool all = true;
    for (const ExprPtr& operand : logic->operands) all = add_bounds(*operand, holds, out) && all;
    return all;
  }
  const auto* compare = std::get_if<Compare>(&condition.node);
  if (!compare || (!holds && compare->operators.size() > 1)) return false;
  bool all = true;
  for (std::size_t i = 0; i < compare->operators.size(); ++i) {
    const auto left = to_index(*compare->operands[i]);
    const auto right = to_index(*compare->operands[i + 1]);
    const auto difference = left && right ? Index::subtract(*right, *left) : std::nullopt;
    std::optional<Bound> bound = bound_of(holds ? compare->operators[i] : opposite(compare->operators[i]));
    if (difference && bound) {
      bound->target = index(*difference);
      out.push_back(std::move(*bound));
    } else {
      all = false;
    }
  }
  return all;
}

std::uint32_t AccessCompiler::slot_of(const std::string& name) const {
  const auto& loops = table_.statements[statement_].loops;
  for (std::size_t i = 0; i < loops.size(); ++i) {
    if (loops[i]->index == name) return static_cast<std::uint32_t>(i);
  }
  fail(FailureKind::unsupported, concat("index ", name, " is not bound by a loop"));
}

IndexAtom AccessCompiler::atom(const steptp::IndexAtom& source) {
  IndexAtom out;
  if (const auto* variable = std::get_if<LoopVariable>(&source)) {
    out.slot = slot_of(variable->name);
  } else if (const auto* quotient = std::get_if<FloorQuotient>(&source)) {
    out.kind = IndexAtom::Kind::quotient;
    out.dividend = std::make_shared<const IndexCode>(index(*quotient->dividend));
    out.divisor = std::make_shared<const IndexCode>(index(*quotient->divisor));
  } else if (const auto* remainder = std::get_if<FloorRemainder>(&source)) {
    out.kind = IndexAtom::Kind::remainder;
    out.dividend = std::make_shared<const IndexCode>(index(*remainder->dividend));
    out.divisor = std::make_shared<const IndexCode>(index(*remainder->divisor));
  } else {
    out.kind = IndexAtom::Kind::read;
    out.read = std::make_shared<const Access>(access(std::get<IndirectRead>(source).ref));
  }
  return out;
}

IndexCode AccessCompiler::index(const Index& source) {
  IndexCode out;
  out.constant = source.constant_term();
  for (const IndexTerm& term : source.terms()) {
    IndexProduct& product = out.terms.emplace_back();
    product.coefficient = term.coefficient;
    for (const steptp::IndexAtom& factor : term.factors) product.factors.push_back(atom(factor));
    if (product.factors.size() == 1 && product.factors[0].kind == IndexAtom::Kind::slot) {
      out.linear.push_back({product.coefficient, product.factors[0].slot});
    } else {
      out.is_linear = false;
    }
  }
  out.reads_data = reads_tensor(source);
  return out;
}

Access AccessCompiler::access(const RefPtr& ref) {
  Access out;
  // The next number is that of what it is a copy of.
  out.number = 2 * compiled_++;
  out.tensor = code_.tensor_numbers.find(ref->tensor)->second;
  for (const Index& subscript : ref->subscripts) out.subscripts.push_back(index(subscript));
  steptp::Access as_listed;
  as_listed.statement = statement_;
  as_listed.ref = ref;
  for (const Index& hidden : hidden_subscripts(table_, as_listed)) out.hidden.push_back(index(hidden));
  out.writers = writers_seen_from(statement_, out.tensor);
  for (const auto* list : {&out.subscripts, &out.hidden}) {
    for (const IndexCode& subscript : *list) out.is_linear = out.is_linear && subscript.is_linear;
  }
  if (code_.tensors[out.tensor].known) flatten(out);
  find_origin(code_, table_, statement_, out);
  work_ += 1;
  std::uint32_t most = 0;
  for (const Writer& writer : out.writers) {
    // What is written here or later may lead back here: it has to be remembered.
    const std::uint32_t cost = writer.statement >= work_of_.size()           ? kCheapNodes + 1
                               : code_.statements[writer.statement].is_cheap ? work_of_[writer.statement]
                                                                             : 1;
    most = std::max(most, cost);
  }
  work_ += most;
  return out;
}

void AccessCompiler::flatten(Access& out) const {
  const std::vector<std::int64_t>& shape = code_.tensors[out.tensor].shape;
  const auto& loops = table_.statements[statement_].loops;
  if (!element_count(shape)) return;
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    const IndexCode& subscript = out.subscripts[d];
    if (!subscript.is_linear) return;
    Wide low = subscript.constant;
    Wide high = subscript.constant;
    for (const LinearPart& part : subscript.linear) {
      const Wide reach = static_cast<Wide>(part.coefficient) * (loops[part.slot]->extent - 1);
      (reach < 0 ? low : high) += reach;
      out.flat.push_back({part.coefficient * stride, part.slot});
    }
    if (low < 0 || high >= shape[d]) return;
    out.flat_constant += subscript.constant * stride;
    stride *= shape[d];
  }
  out.is_flat = true;
}

}  // namespace steptp::certify
