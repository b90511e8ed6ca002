// Signs, bounds and finiteness of reals, for every input of the domain. A tensor's fact is the hull of what its
// writers store, worked out once its last writer was seen, in the order of the text; for an accumulation, what all
// its rounds together can make. Recurrences are first taken to be finite, and those that do not come out so are
// worked out again without that. Decision 0020.
#include "steptp/algebra/facts.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "steptp/algebra/fact_rules.h"
#include "steptp/structure/types.h"

namespace steptp::algebra {

namespace {

Fact of_known(const Variable& variable) {
  Fact out;
  out.finite = true;
  if (!variable.values.empty()) {
    const auto [low, high] = std::minmax_element(variable.values.begin(), variable.values.end());
    out.finite = std::all_of(variable.values.begin(), variable.values.end(), [](double v) { return std::isfinite(v); });
    out.low = *low;
    out.high = *high;
    out.nonzero = std::none_of(variable.values.begin(), variable.values.end(), [](double v) { return v == 0; });
    return out.finite ? out : Fact{};
  }
  switch (variable.domain.kind) {
    case Domain::Kind::masked: return {};  // It may be -inf.
    case Domain::Kind::unstated:
    case Domain::Kind::any: break;
    case Domain::Kind::positive:
      out.low = 0;
      out.nonzero = true;
      break;
    case Domain::Kind::nonzero: out.nonzero = true; break;
    case Domain::Kind::range:
      out.low = variable.domain.low;
      out.high = variable.domain.high;
      out.nonzero = out.low > 0 || out.high <= 0;  // the upper end is excluded
      break;
  }
  return out;
}

/// How often one element can be added to: the loops that its subscripts do not follow, all of them where one is not a
/// plain index.
double rounds_of(const Statement& statement) {
  double rounds = 1;
  bool plain = true;
  for (const Index& subscript : statement.equation->left->subscripts) {
    plain = plain && (subscript.as_variable() || subscript.is_constant());
  }
  for (const Loop* loop : statement.loops) {
    const auto follows = [loop](const Index& subscript) {
      return subscript.as_variable() && *subscript.as_variable() == loop->index;
    };
    const auto& subscripts = statement.equation->left->subscripts;
    if (!plain || std::none_of(subscripts.begin(), subscripts.end(), follows)) {
      rounds *= static_cast<double>(loop->extent);
    }
  }
  return rounds;
}

/// The operands of an accumulation besides the accumulator, as one expression each, with their signs.
struct Operand {
  bool negative = false;
  ExprPtr expr;
};
bool is_left(const Statement& statement, const ExprPtr& expr) {
  const auto* read = std::get_if<Read>(&expr->node);
  return read && equal(*read->ref, *statement.equation->left);
}
bool reads_left(const Statement& statement, const ExprPtr& expr) {
  bool found = false;
  for_each_ref(*expr, [&](const RefPtr& ref) { found = found || ref->tensor == statement.equation->left->tensor; });
  return found;
}
/// Only what the accumulator is part of is taken apart: sums of integers beside it wrap on their own.
void collect_operands(const Statement& statement, const ExprPtr& expr, bool negative, std::vector<Operand>& out) {
  const ArithmeticOp op = *statement.accumulates;
  if (!reads_left(statement, expr)) {
    out.push_back({negative, expr});
    return;
  }
  if (const auto* sum = std::get_if<Sum>(&expr->node); sum && op == ArithmeticOp::add) {
    for (std::size_t i = 0; i < sum->operands.size(); ++i) {
      const bool minus = i > 0 && sum->operators[i - 1] == ArithmeticOp::subtract;
      collect_operands(statement, sum->operands[i], negative != minus, out);
    }
    return;
  }
  if (const auto* product = std::get_if<Product>(&expr->node); product && op == ArithmeticOp::multiply) {
    if (std::all_of(product->operators.begin(), product->operators.end(),
                    [](ArithmeticOp one) { return one == ArithmeticOp::multiply; })) {
      for (const ExprPtr& operand : product->operands) collect_operands(statement, operand, negative, out);
      return;
    }
  }
  if (const auto* extremum = std::get_if<Extremum>(&expr->node);
      extremum && op == (extremum->is_max ? ArithmeticOp::max : ArithmeticOp::min)) {
    collect_operands(statement, extremum->left, negative, out);
    collect_operands(statement, extremum->right, negative, out);
    return;
  }
  if (!is_left(statement, expr)) out.push_back({negative, expr});
}

/// The two reads of x-y.
std::optional<std::pair<const Ref*, const Ref*>> difference_of(const Sum* sum) {
  if (!sum || sum->operands.size() != 2 || sum->operators[0] != ArithmeticOp::subtract) return std::nullopt;
  const auto* left = std::get_if<Read>(&sum->operands[0]->node);
  const auto* right = std::get_if<Read>(&sum->operands[1]->node);
  if (!left || !right) return std::nullopt;
  return std::pair(left->ref.get(), right->ref.get());
}

/// One round of an accumulation, without the accumulator.
Fact one_round(const Facts& facts, const Statement& statement) {
  std::vector<Operand> operands;
  collect_operands(statement, statement.equation->right, false, operands);
  if (operands.empty()) return {};
  const Place place{&statement, {}};
  std::optional<Fact> out;
  for (const Operand& operand : operands) {
    // Integers in front of the accumulator would have been added as such.
    const auto type = operands.size() > 1 && facts.has_integers() ? type_of(*operand.expr) : std::nullopt;
    if (type && !type->weak && !is_float(type->dtype)) return {};
    Fact one = facts.of(operand.expr, place);
    if (operand.negative) one = rule_negate(one);
    if (!out) {
      out = one;
      continue;
    }
    switch (*statement.accumulates) {
      case ArithmeticOp::add: out = rule_add(*out, one); break;
      case ArithmeticOp::multiply: out = rule_multiply(*out, one); break;
      case ArithmeticOp::max: out = rule_extremum(true, *out, one); break;
      case ArithmeticOp::min: out = rule_extremum(false, *out, one); break;
      case ArithmeticOp::subtract:
      case ArithmeticOp::divide:
      case ArithmeticOp::floor_divide:
      case ArithmeticOp::modulo:
      case ArithmeticOp::power: return {};
    }
  }
  return *out;
}

/// exp(A_{i,k}-D_{i}) with the maximum D: of all rounds together, one adds exp(0).
bool adds_one(const Facts& facts, const Statement& statement) {
  std::vector<Operand> operands;
  collect_operands(statement, statement.equation->right, false, operands);
  if (operands.size() != 1 || operands[0].negative || *statement.accumulates != ArithmeticOp::add) return false;
  const auto* call = std::get_if<Call>(&operands[0].expr->node);
  const auto* sum = call && call->function == Function::exp ? std::get_if<Sum>(&call->argument->node) : nullptr;
  const auto read = difference_of(sum);
  return read && facts.maxima().is_reached(statement, *read->second, *read->first);
}

/// What several rounds make of it, begun at the identity.
Fact all_rounds(ArithmeticOp op, const Fact& round, double rounds) {
  if (!round.finite) return {};
  Fact out = round;
  if (op == ArithmeticOp::add) {
    out.low = round.low > 0 ? round.low : round.low * rounds;
    out.high = round.high < 0 ? round.high : round.high * rounds;
    if (round.low == 0) out.low = 0;
    if (round.high == 0) out.high = 0;
    out.nonzero = round.is_positive() || (round.is_nonpositive() && round.is_nonzero());
    out.large = round.large + std::log(rounds);
    if (rounds > 1 && !round.is_nonnegative() && !round.is_nonpositive()) out.small = std::min(0.0, round.small);
  } else if (op == ArithmeticOp::multiply && rounds > 1) {
    const bool shrinks = round.low >= -1 && round.high <= 1;
    out.low = round.low >= 0 ? 0 : (shrinks ? -1 : -kUnbounded);
    out.high = shrinks ? 1 : kUnbounded;
    out.large = shrinks ? 0 : kUnbounded;
    out.small = -kUnbounded;
  }
  return out;
}

/// The number of the statement behind which a tensor does not change any more.
std::size_t last_writer(const AccessTable& table, const TensorFacts& tensor) {
  return table.accesses[tensor.writes.back()].statement;
}

/// Float tensors that some statement reads while they are being made, but for its own accumulator. A maximum begins at
/// -inf, so that nothing is assumed of it.
std::set<std::string, std::less<>> recurrent_tensors(const AccessTable& table) {
  std::set<std::string, std::less<>> out;
  for (const auto& [name, tensor] : table.tensors) {
    if (tensor.writes.empty() || !is_float(tensor.dtype)) continue;
    const auto is_extremum = [&](std::size_t number) {
      const auto& op = table.statements[table.accesses[number].statement].accumulates;
      return op && (*op == ArithmeticOp::max || *op == ArithmeticOp::min);
    };
    const auto is_early = [&](std::size_t number) {
      const Access& read = table.accesses[number];
      return !read.is_accumulator && read.statement <= last_writer(table, tensor);
    };
    if (std::none_of(tensor.writes.begin(), tensor.writes.end(), is_extremum) &&
        std::any_of(tensor.reads.begin(), tensor.reads.end(), is_early)) {
      out.insert(name);
    }
  }
  return out;
}

}  // namespace

Fact either(const Fact& a, const Fact& b) {
  if (!a.finite || !b.finite) return {};
  Fact out;
  out.finite = true;
  out.low = std::min(a.low, b.low);
  out.high = std::max(a.high, b.high);
  out.nonzero = a.is_nonzero() && b.is_nonzero();
  out.small = std::min(a.small, b.small);
  out.large = std::max(a.large, b.large);
  return out;
}

double size_limit(DType dtype) { return 0.69 * (info(dtype).max_exponent - 1); }

Facts::Facts(const AccessTable& table, const ValueFacts& integers)
    : table_(table), integers_(integers), recurrent_(recurrent_tensors(table)), maxima_(table) {
  for (const auto& [name, tensor] : table.tensors) has_integers_ = has_integers_ || !is_float(tensor.dtype);
  // What is assumed of recurrences has to come out again; where it does not, the others are worked out without it.
  for (bool again = true; again;) {
    derive();
    again = std::erase_if(recurrent_, [&](const std::string& name) { return !tensors_.at(name).finite; }) > 0;
  }
}

void Facts::derive() {
  tensors_.clear();
  for (const auto& [name, tensor] : table_.tensors) {
    if (tensor.known && tensor.known->role != Role::output && is_float(tensor.dtype)) {
      tensors_[name] = of_known(*tensor.known);
    }
  }
  // A tensor is known once its last writer was seen; of one that is read before that no more is known than
  // `recurrent_`.
  for (std::size_t i = 0; i < table_.statements.size(); ++i) {
    const std::string& name = table_.statements[i].equation->left->tensor;
    const TensorFacts& tensor = table_.tensors.at(name);
    if (is_float(tensor.dtype) && last_writer(table_, tensor) == i) tensors_[name] = written(tensor);
  }
}

Fact Facts::written(const TensorFacts& tensor) const {
  std::optional<Fact> stored;    // by statements that do not accumulate
  std::optional<Fact> gathered;  // by those that do
  std::optional<ArithmeticOp> op;
  for (const std::size_t number : tensor.writes) {
    const Statement& statement = table_.statements[table_.accesses[number].statement];
    if (!statement.accumulates) {
      const Fact fact = of(statement.equation->right, {&statement, {}});
      stored = stored ? either(*stored, fact) : fact;
      continue;
    }
    Fact fact = all_rounds(*statement.accumulates, one_round(*this, statement), rounds_of(statement));
    if (fact.finite && tensor.writes.size() == 1 && adds_one(*this, statement)) {
      fact.low = std::max(fact.low, 1.0);
      fact.small = std::max(fact.small, 0.0);
    }
    if (op && *op != *statement.accumulates) return {};
    op = statement.accumulates;
    if (!gathered) {
      gathered = fact;
    } else if (*op == ArithmeticOp::add) {
      gathered = either(either(*gathered, fact), rule_add(*gathered, fact));
    } else if (*op == ArithmeticOp::multiply) {
      gathered = either(either(*gathered, fact), rule_multiply(*gathered, fact));
    } else {
      gathered = either(*gathered, fact);
    }
  }
  Fact all = stored ? *stored : *gathered;
  if (stored && gathered) {
    all = either(*stored, *gathered);
    if (*op == ArithmeticOp::add) all = either(all, rule_add(*stored, *gathered));
    if (*op == ArithmeticOp::multiply) all = either(all, rule_multiply(*stored, *gathered));
  }
  return all;
}

Fact Facts::of_tensor(const std::string& name) const {
  if (const auto found = tensors_.find(name); found != tensors_.end()) return found->second;
  if (recurrent_.contains(name)) {
    Fact out;
    out.finite = true;
    out.small = -kUnbounded;
    out.large = kUnbounded;
    return out;
  }
  const auto tensor = table_.tensors.find(name);
  if (tensor == table_.tensors.end() || is_float(tensor->second.dtype)) return {};
  Fact out;
  out.finite = true;
  out.low = static_cast<double>(info(tensor->second.dtype).least);
  out.high = static_cast<double>(info(tensor->second.dtype).greatest);
  if (const auto range = integers_.ranges.find(name); range != integers_.ranges.end()) {
    out.low = std::max(out.low, static_cast<double>(range->second.low));
    out.high = std::min(out.high, static_cast<double>(range->second.high));
  }
  return out;
}

}  // namespace steptp::algebra
