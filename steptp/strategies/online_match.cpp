// Reductions and softmaxes in a program.
#include <algorithm>
#include <set>

#include "steptp/analysis/index_map.h"
#include "steptp/base/text.h"
#include "steptp/ir/accumulation.h"
#include "steptp/strategies/expressions.h"
#include "steptp/strategies/online.h"
#include "steptp/strategies/pieces.h"
#include "steptp/structure/types.h"

namespace steptp {

namespace {

Obstacle no_match(std::string message) { return {"pattern", std::move(message)}; }

bool all_global(const Statement& statement) {
  bool global = statement.equation->left->scope == Scope::global;
  for_each_ref(*statement.equation->right, [&](const RefPtr& ref) { global = global && ref->scope == Scope::global; });
  return global;
}

/// The right side without the left side that it accumulates into; null for other operators.
ExprPtr term_of(const Statement& statement) {
  const RefPtr& left = statement.equation->left;
  const auto is_left = [&](const ExprPtr& expr) {
    const auto* read = std::get_if<Read>(&expr->node);
    return read && equal(*read->ref, *left);
  };
  const ExprPtr& right = statement.equation->right;
  if (*statement.accumulates == ArithmeticOp::max) {
    std::vector<ExprPtr> operands = maximands(right);
    std::erase_if(operands, is_left);
    return operands.empty() ? nullptr : maximum_of(operands);
  }
  if (*statement.accumulates == ArithmeticOp::add) {
    std::vector<Operand> operands = summands(right);
    std::erase_if(operands, [&](const Operand& operand) { return !operand.is_inverse && is_left(operand.expr); });
    return operands.empty() ? nullptr : sum_of(operands);
  }
  return nullptr;
}

/// E=E+exp(A-X) with this X: the scores, and the pair.
Result<SoftmaxPair, Obstacle> pair_with(View& view, const Reduction& sum, const std::vector<Operand>& argument,
                                        std::size_t number) {
  const RefPtr& maximum = std::get<Read>(argument[number].expr->node).ref;
  const TensorFacts& facts = view.table().tensors.at(maximum->tensor);
  if (facts.writes.size() != 1) return no_match(concat(maximum->tensor, " is not one maximum"));
  std::vector<std::uint32_t> writer = view.table().statements[view.table().accesses[facts.writes[0]].statement].items;
  writer.pop_back();
  const PlacedNest* nest = view.find_nest(writer);
  const auto max = nest ? find_reduction(view, *nest) : no_match("no nest");
  if (!max) return max.error();
  if (max->op != ArithmeticOp::max) return no_match(concat(maximum->tensor, " is not a maximum"));
  if (body_of(*max->place) != body_of(*sum.place) || max->place->items.back() >= sum.place->items.back()) {
    return no_match(concat(maximum->tensor, " is not made before, in the same body"));
  }
  // Narrower types on the way would round what was not rounded before.
  const auto type = type_of(*sum.term);
  const DType dtype = sum.left()->dtype;
  if (!is_float(dtype) || max->left()->dtype != dtype || !type || type->dtype != dtype) {
    return no_match("maximum, sum and exponentials are not of one float type");
  }
  std::vector<Operand> rest = argument;
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(number));
  SoftmaxPair out{*max, sum, sum_of(rest), maximum, false};
  const std::vector<Loop> around = loops_of(*sum.statement);
  const bool matches = for_each_renaming(max->loops(), sum.loops(), [&](const LoopNames& names) {
    const auto is_reduced = [&](const Loop& loop) {
      return std::any_of(sum.reduced.begin(), sum.reduced.end(),
                         [&](const Loop& other) { return other.index == names.at(loop.index); });
    };
    return max->loops().size() == sum.loops().size() &&
           equal(*at_origin(renamed(max->left(), names), around), *at_origin(maximum, around)) &&
           std::all_of(max->reduced.begin(), max->reduced.end(), is_reduced) &&
           same_value(at_origin(renamed(max->term, names), around), at_origin(out.scores, around));
  });
  if (!matches) return no_match(concat(maximum->tensor, " is not the maximum of what is exponentiated"));
  return out;
}

}  // namespace

std::vector<Loop> loops_of(const Statement& statement) {
  std::vector<Loop> out;
  for (const Loop* loop : statement.loops) out.push_back(*loop);
  return out;
}

Result<Reduction, Obstacle> find_reduction(View& view, const PlacedNest& place) {
  if (place.nest->items.size() != 1 || !std::holds_alternative<EquationPtr>(place.nest->items[0])) {
    return no_match("the nest is not one equation");
  }
  std::vector<std::uint32_t> items = place.items;
  items.push_back(0);
  Reduction out;
  out.place = &place;
  out.statement = view.find_statement(items);
  if (wide_product(*out.statement->equation->left, out.statement->equation->right)) {
    return no_match("the product is computed in the type of its sum, and would be rounded to halves");
  }
  const Statement& statement = *out.statement;
  if (!statement.accumulates) return no_match("the nest accumulates nothing");
  out.op = *statement.accumulates;
  out.term = term_of(statement);
  if (!out.term) return no_match("it accumulates by another operator than max and +");
  if (!statement.guards.empty()) return no_match("the nest has a guard");
  if (!all_global(statement)) return no_match("the nest touches data in s or l");
  const std::string& name = out.left()->tensor;
  if (view.table().tensors.at(name).writes.size() != 1) return no_match(concat(name, " is written elsewhere too"));
  // A launch of one thread reduces nothing.
  for (const Loop& loop : place.nest->loops) {
    const bool is_output = uses_variable(*out.left(), loop.index) || (loop.kind == LoopKind::bound && loop.extent == 1);
    (is_output ? out.output : out.reduced).push_back(loop);
  }
  if (out.reduced.empty()) return no_match(concat(name, " has every loop in its subscripts: nothing is reduced"));
  for (const Nest* around : place.around) {
    for (const Loop& loop : around->loops) {
      if (loop.extent > 1 && !uses_variable(*out.left(), loop.index)) {
        return no_match(concat(name, " goes on through the loop over ", loop.index, " around the nest"));
      }
    }
  }
  const auto map = index_map_of(statement, out.left()->subscripts);
  if (!map || is_injective(*map, view.isl()) != Truth::yes) {
    return no_match(concat("iterations may write one element of ", name));
  }
  return out;
}

Result<SoftmaxPair, Obstacle> find_pair(View& view, const PlacedNest& place) {
  const auto sum = find_reduction(view, place);
  if (!sum) return sum.error();
  const auto* call = sum->op == ArithmeticOp::add ? std::get_if<Call>(&sum->term->node) : nullptr;
  if (!call || call->function != Function::exp) return no_match("it is not a sum of exponentials");
  const std::vector<Operand> argument = summands(call->argument);
  Obstacle obstacle = no_match("no maximum is subtracted in the exponential");
  for (std::size_t i = 0; i < argument.size() && argument.size() > 1; ++i) {
    if (!argument[i].is_inverse || !std::holds_alternative<Read>(argument[i].expr->node)) continue;
    auto pair = pair_with(view, *sum, argument, i);
    if (!pair) {
      obstacle = pair.error();
      continue;
    }
    const auto written = touched_between(view, body_of(place), pair->max.place->items.back() + 1, place.items.back(),
                                         tensors_of(*pair->scores), false);
    if (written) return Obstacle{"between", concat(*written, " is written between the maximum and the sum")};
    pair->is_above = view.real_facts().of(pair->scores, {sum->statement, {}}).finite;
    return pair;
  }
  return obstacle;
}

bool is_softmax_use(View& view, const SoftmaxPair& pair, const Statement& statement) {
  const std::string& sum = pair.sum.left()->tensor;
  std::size_t reads = 0;
  for (const std::size_t number : view.table().tensors.at(sum).reads) {
    const Access& read = view.table().accesses[number];
    reads += &view.table().statements[read.statement] == &statement ? 1 : 0;
  }
  if (reads != 1) return false;
  const std::vector<Loop> loops = loops_of(statement);
  const ExprPtr right = at_origin(statement.equation->right, loops);
  return for_each_renaming(pair.sum.loops(), loops, [&](const LoopNames& names) {
    const ExprPtr divisor = read_expr(at_origin(renamed(pair.sum.left(), names), loops));
    const ExprPtr scores = at_origin(renamed(pair.scores, names), loops);
    const RefPtr maximum = at_origin(renamed(pair.maximum, names), loops);
    const ExprPtr shifted = make_sum(scores, ArithmeticOp::subtract, read_expr(maximum));
    if (same_value(right, make_sum(shifted, ArithmeticOp::subtract, make_call(Function::log, divisor)))) return true;
    const std::vector<Operand> parts = factors(right);
    const auto has = [&](bool is_inverse, const ExprPtr& wanted) {
      return std::any_of(parts.begin(), parts.end(), [&](const Operand& part) {
        return part.is_inverse == is_inverse && same_value(part.expr, wanted);
      });
    };
    return has(true, divisor) && has(false, weight(scores, maximum));
  });
}

Result<const PlacedNest*, Obstacle> find_normal_softmax(View& view, const PlacedNest& place) {
  const auto matmul = find_reduction(view, place);
  if (!matmul) return matmul.error();
  if (matmul->op != ArithmeticOp::add) return no_match("it is not a sum");
  for (const Operand& factor : factors(matmul->term)) {
    const auto* read = factor.is_inverse ? nullptr : std::get_if<Read>(&factor.expr->node);
    if (!read) continue;
    for (const std::size_t number : view.table().tensors.at(read->ref->tensor).writes) {
      const Statement& maker = view.table().statements[view.table().accesses[number].statement];
      for (const Operand& part : factors(maker.equation->right)) {
        const auto* divisor = part.is_inverse ? std::get_if<Read>(&part.expr->node) : nullptr;
        if (!divisor) continue;
        for (const std::size_t write : view.table().tensors.at(divisor->ref->tensor).writes) {
          std::vector<std::uint32_t> items = view.table().statements[view.table().accesses[write].statement].items;
          items.pop_back();
          const PlacedNest* sum = view.find_nest(items);
          const auto pair = find_pair(view, *sum);
          if (!pair && pair.error().id != "pattern") return pair.error();
          if (pair && is_softmax_use(view, *pair, maker)) return sum;
        }
      }
    }
  }
  return no_match("no factor of the sum is a softmax");
}

}  // namespace steptp
