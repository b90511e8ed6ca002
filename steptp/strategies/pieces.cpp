// Strategies that put operands together or take a result apart work on an *operator*: one equation without guards
// whose output loops give each element its own iteration. This file builds the nests around it: copies of operands,
// parts of results, and the equation that joins the parts.
#include "steptp/strategies/pieces.h"

#include <algorithm>
#include <utility>

#include "steptp/analysis/device.h"
#include "steptp/analysis/index_map.h"
#include "steptp/base/text.h"
#include "steptp/strategies/expressions.h"
#include "steptp/strategies/legality.h"

namespace steptp {

namespace {

/// Indices, no two the same: subscripts that another tensor can have too.
bool are_indices(const std::vector<Index>& subscripts) {
  std::set<std::string> seen;
  return std::all_of(subscripts.begin(), subscripts.end(), [&seen](const Index& subscript) {
    const std::string* name = subscript.as_variable();
    return name && seen.insert(*name).second;
  });
}

bool reads(const Operator& op, const std::string& tensor) {
  bool found = false;
  const auto look = [&](const RefPtr& ref) { found = found || ref->tensor == tensor; };
  for_each_ref(*op.right(), look);
  for (const Index& subscript : op.left().subscripts) {
    for_each_read(subscript, [&](const RefPtr& ref) { for_each_ref(ref, look); });
  }
  return found;
}

/// The variable is a subscript by itself, but for a constant.
bool stands_alone(const Ref& ref, const std::string& variable) {
  return std::any_of(ref.subscripts.begin(), ref.subscripts.end(), [&](const Index& subscript) {
    const auto shifted = Index::subtract(subscript, Index::constant(subscript.constant_term()));
    return shifted && shifted->as_variable() && *shifted->as_variable() == variable;
  });
}

}  // namespace

Result<Operator, std::string> find_operator(View& view, const PlacedNest& place) {
  Operator out;
  out.place = &place;
  out.nest = place.nest;
  if (out.nest->items.size() != 1 || !std::holds_alternative<EquationPtr>(out.nest->items[0])) {
    return std::string("the nest is not one equation");
  }
  std::vector<std::uint32_t> items = place.items;
  items.push_back(0);
  out.statement = view.find_statement(items);
  if (!out.statement->guards.empty()) return std::string("the nest has a guard");
  if (std::holds_alternative<Read>(out.right()->node)) return std::string("the nest only copies");
  const Ref& left = out.left();
  bool global = left.scope == Scope::global;
  for_each_ref(*out.right(), [&](const RefPtr& ref) { global = global && ref->scope == Scope::global; });
  if (!global) return std::string("the nest touches data in s or l");
  if (!out.statement->accumulates && reads(out, left.tensor)) {
    return concat(left.tensor, " is made from other elements of itself");
  }
  for (const Loop& loop : out.nest->loops) {
    if (uses_variable(left, loop.index)) out.output.insert(loop.index);
  }
  for (const Nest* outer : place.around) out.around.insert(out.around.end(), outer->loops.begin(), outer->loops.end());
  const auto map = index_map_of(*out.statement, left.subscripts);
  if (!map || is_injective(*map, view.isl()) != Truth::yes) {
    return concat("iterations may write one element of ", left.tensor);
  }
  out.is_first = place.around.empty() && view.table().tensors.at(left.tensor).writes.size() == 1;
  if (!out.is_first && out.statement->accumulates && !is_free_accumulation(*out.statement)) {
    return concat(left.tensor, " may have a value before, to which nothing can be added in another order");
  }
  return out;
}

RefPtr own_ref(const Operator& op, std::string name, DType dtype, std::vector<Index> subscripts) {
  for (const Loop& loop : op.around) {
    const Index index = Index::variable(loop.index);
    if (std::find(subscripts.begin(), subscripts.end(), index) == subscripts.end()) subscripts.push_back(index);
  }
  return make_ref(std::move(name), dtype, Scope::global, std::move(subscripts));
}

RefPtr result_ref(const Operator& op, std::string name) {
  std::vector<Index> subscripts = op.left().subscripts;
  if (!are_indices(subscripts)) {
    subscripts.clear();
    for (const Loop& loop : output_loops(op)) subscripts.push_back(Index::variable(loop.index));
  }
  return own_ref(op, std::move(name), op.left().dtype, std::move(subscripts));
}

std::int64_t result_elements(const Operator& op, const std::string& index, std::int64_t extent) {
  std::vector<Loop> loops = with_extent(output_loops(op), index, extent);
  loops.insert(loops.end(), op.around.begin(), op.around.end());
  std::vector<const Loop*> all;
  all.reserve(loops.size());
  for (const Loop& loop : loops) all.push_back(&loop);
  return elements_of(all, kMaxTensorElements);
}

Item under_loops(const Operator& op, std::vector<Loop> loops, EquationPtr equation) {
  if (loops.empty() && !op.around.empty()) return equation;
  if (loops.empty()) loops.push_back({LoopKind::bound, 1, "tx"});
  return make_nest(std::move(loops), nullptr, {std::move(equation)});
}

std::vector<Loop> with_extent(std::vector<Loop> loops, const std::string& index, std::int64_t extent) {
  for (Loop& loop : loops) {
    if (loop.index == index) loop.extent = extent;
  }
  return loops;
}

std::vector<Loop> output_loops(const Operator& op) {
  std::vector<Loop> out;
  for (const Loop& loop : op.nest->loops) {
    if (op.output.contains(loop.index)) out.push_back(loop);
  }
  return out;
}

ExprPtr accumulating(const Operator& op, const RefPtr& result) {
  if (!op.statement->accumulates) return op.right();
  Rewriter rewriter;
  rewriter.ref = [&](const RefPtr& ref) { return equal(*ref, op.left()) ? result : ref; };
  return rewrite(op.right(), rewriter);
}

ExprPtr combined(const Operator& op, const ExprPtr& a, const ExprPtr& b) {
  const ArithmeticOp by = *op.statement->accumulates;
  if (by == ArithmeticOp::add) return make_sum(a, by, b);
  if (by == ArithmeticOp::multiply) return make_product(a, by, b);
  return make_expr(Extremum{by == ArithmeticOp::max, a, b});
}

EquationPtr completed(const Operator& op, const RefPtr& left, const ExprPtr& value) {
  if (op.is_first || !op.statement->accumulates) return make_equation(left, value);
  return make_equation(left, combined(op, read_expr(left), value));
}

namespace {

/// The loops of which a subscript is the sum, where it takes every value from its least to its greatest: c+d of a
/// window, c*3+d with d up to 2. Empty where there are fewer than two, or gaps.
std::vector<const Loop*> dense_sum(const Index& subscript, const std::vector<Loop>& loops) {
  std::vector<std::pair<std::int64_t, const Loop*>> terms;
  for (const IndexTerm& term : subscript.terms()) {
    const auto* factor = term.factors.size() == 1 ? std::get_if<LoopVariable>(&term.factors[0]) : nullptr;
    const auto loop =
        std::find_if(loops.begin(), loops.end(), [&](const Loop& one) { return factor && one.index == factor->name; });
    if (loop == loops.end() || term.coefficient < 1) return {};
    terms.emplace_back(term.coefficient, &*loop);
  }
  if (terms.size() < 2) return {};
  std::sort(terms.begin(), terms.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::int64_t reach = 0;
  std::vector<const Loop*> out;
  for (const auto& [step, loop] : terms) {
    std::int64_t more = 0;
    if (step > reach + 1 || __builtin_mul_overflow(step, loop->extent - 1, &more) ||
        __builtin_add_overflow(reach, more, &reach)) {
      return {};
    }
    out.push_back(loop);
  }
  return out;
}

/// Windows that overlap are copied element by element, each once: C_{c+d}=A_{c+d+2} becomes C_{f}=A_{f+2}.
void copy_once(std::vector<Index>& to, std::vector<Index>& from, std::vector<Loop>& loops, NameSource& names) {
  for (std::size_t d = 0; d < to.size(); ++d) {
    const std::vector<const Loop*> sum = dense_sum(to[d], loops);
    const auto shift = sum.empty() ? std::nullopt : Index::subtract(from[d], to[d]);
    if (!shift || !shift->is_constant()) continue;
    std::int64_t extent = 1;
    std::set<std::string> gone;
    for (const IndexTerm& term : to[d].terms()) {
      const std::string& name = std::get<LoopVariable>(term.factors[0]).name;
      const auto loop = std::find_if(sum.begin(), sum.end(), [&](const Loop* one) { return one->index == name; });
      extent += term.coefficient * ((*loop)->extent - 1);
      gone.insert(name);
    }
    const bool is_elsewhere = std::any_of(gone.begin(), gone.end(), [&](const std::string& name) {
      for (std::size_t other = 0; other < to.size(); ++other) {
        if (other != d && (uses_variable(to[other], name) || uses_variable(from[other], name))) return true;
      }
      return false;
    });
    if (is_elsewhere) continue;
    const std::string name = names.next();
    const auto value = Index::add(Index::variable(name), Index::constant(to[d].constant_term()));
    const auto source = value ? Index::add(*value, *shift) : std::nullopt;
    if (!source) continue;
    to[d] = *value;
    from[d] = *source;
    const auto first =
        std::find_if(loops.begin(), loops.end(), [&](const Loop& one) { return gone.contains(one.index); });
    *first = {LoopKind::serial, extent, name};
    std::erase_if(loops, [&](const Loop& one) { return gone.contains(one.index); });
  }
}

}  // namespace

Item copy_nest(View& view, const Operator& op, const RefPtr& target, const RefPtr& source, std::vector<Loop> all) {
  NameSource names = view.fresh_indices(op.place->items[0]);
  std::vector<Index> target_subscripts = target->subscripts;
  std::vector<Index> source_subscripts = source->subscripts;
  if (target_subscripts.size() == source_subscripts.size()) copy_once(target_subscripts, source_subscripts, all, names);
  const RefPtr to = make_ref(target->tensor, target->dtype, target->scope, target_subscripts);
  const RefPtr from = make_ref(source->tensor, source->dtype, source->scope, source_subscripts);
  std::vector<Loop> loops;
  for (Loop loop : all) {
    if (!uses_variable(*from, loop.index) && !uses_variable(*to, loop.index)) continue;
    const bool bound = loop.kind == LoopKind::bound && stands_alone(*to, loop.index);
    loop.kind = bound ? LoopKind::bound : LoopKind::serial;
    loops.push_back(loop);
  }
  // A name such as tx belongs to a bound loop; without one, the first loop that can becomes a block's threads.
  Rewriter rename;
  const auto give_name = [&rename](Loop& loop, std::string name) {
    rename.variables.emplace(loop.index, Index::variable(name));
    loop.index = std::move(name);
  };
  for (Loop& loop : loops) {
    if (loop.kind == LoopKind::serial && axis_of(loop.index)) give_name(loop, names.next());
  }
  const bool has_bound =
      std::any_of(loops.begin(), loops.end(), [](const Loop& loop) { return loop.kind == LoopKind::bound; });
  const auto threads = std::find_if(loops.begin(), loops.end(), [&](const Loop& loop) {
    return loop.extent <= default_device().block[0] && !rename.variables.contains(loop.index) &&
           stands_alone(*to, loop.index);
  });
  if (!has_bound && op.around.empty() && threads != loops.end()) {
    threads->kind = LoopKind::bound;
    give_name(*threads, "tx");
    std::rotate(loops.begin(), threads, threads + 1);
  }
  return under_loops(op, std::move(loops), make_equation(rewrite(to, rename), read_expr(rewrite(from, rename))));
}

std::optional<Conflict> replacement_conflict(View& before, const Program& program, const Operator& op) {
  if (op.around.empty()) return std::nullopt;  // expressions of their own, in which no two threads write one element
  View after(program);
  if (auto conflict = placement_conflict(after)) return conflict;
  return race_conflict(before, after, op.place->items[0]);
}

std::optional<AlongVariable> along(const Index& index, const std::string& variable) {
  AlongVariable out;
  for (const IndexTerm& term : index.terms()) {
    const auto* factor = std::get_if<LoopVariable>(&term.factors[0]);
    if (term.factors.size() == 1 && factor && factor->name == variable) out.coefficient = term.coefficient;
  }
  const auto rest = scaled_plus(Index::variable(variable), -out.coefficient, index);
  if (!rest || uses_variable(*rest, variable)) return std::nullopt;
  out.rest = *rest;
  return out;
}

bool uses_variable(const Index& index, const std::string& variable) {
  bool found = false;
  for_each_variable(index, [&](const std::string& name) { found = found || name == variable; });
  return found;
}

bool uses_variable(const Ref& ref, const std::string& variable) {
  return std::any_of(ref.subscripts.begin(), ref.subscripts.end(),
                     [&](const Index& subscript) { return uses_variable(subscript, variable); });
}

RefPtr moved(const RefPtr& ref, const std::string& variable, std::int64_t offset) {
  if (offset == 0) return ref;
  Rewriter rewriter;
  const auto sum = Index::add(Index::variable(variable), Index::constant(offset));
  if (!sum) return nullptr;
  rewriter.variables.emplace(variable, *sum);
  return rewrite(ref, rewriter);
}

}  // namespace steptp
