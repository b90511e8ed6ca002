// Programs with recurrences in place of reductions.
#include <algorithm>
#include <functional>
#include <limits>
#include <set>

#include "steptp/base/text.h"
#include "steptp/strategies/expressions.h"
#include "steptp/strategies/online.h"
#include "steptp/strategies/origins.h"
#include "steptp/strategies/rewrite.h"

namespace steptp {

namespace {

bool is_serial(const Loop& loop) { return loop.kind == LoopKind::serial || loop.kind == LoopKind::unrolled; }

/// The loops of a reduction, taken apart: one carries, and others are reduced within a step.
struct Carried {
  std::vector<Loop> header;  ///< output loops and the one that carries, in the order of the nest
  std::vector<Loop> inner;
  Loop carry;
  Index last;
};

Result<Carried, Obstacle> carried_by(const Reduction& reduction, const std::string& name) {
  Carried out;
  bool found = false;
  for (const Loop& loop : reduction.reduced) {
    if (!is_serial(loop)) return Obstacle{"serial", concat("the loop over ", loop.index, " is not serial")};
    found = found || loop.index == name;
  }
  if (!found) return Obstacle{"pattern", concat(name, " is not a loop that is reduced")};
  for (const Loop& loop : reduction.loops()) {
    const bool is_reduced = std::any_of(reduction.reduced.begin(), reduction.reduced.end(),
                                        [&](const Loop& other) { return other.index == loop.index; });
    const bool carries = loop.index == name;
    if (loop.kind == LoopKind::vectorized) {
      return Obstacle{"serial", concat("the loop over ", loop.index, " is vectorized, and would have more inside")};
    }
    (is_reduced && !carries ? out.inner : out.header).push_back(loop);
    if (carries) out.carry = loop;
  }
  out.last = Index::constant(out.carry.extent - 1);
  return out;
}

/// The number of elements of a tensor with a subscript for each loop, those around included.
std::optional<Obstacle> too_large(const PlacedNest& place, std::vector<Loop> loops) {
  for (const Nest* around : place.around) loops.insert(loops.end(), around->loops.begin(), around->loops.end());
  std::vector<const Loop*> all;
  all.reserve(loops.size());
  for (const Loop& loop : loops) all.push_back(&loop);
  if (elements_of(all, kMaxTensorElements) <= kMaxTensorElements) return std::nullopt;
  return Obstacle{"memory", "the recurrence would have more than 2^31 elements"};
}

Item under(const PlacedNest& place, std::vector<Loop> loops, std::vector<Item> items) {
  if (loops.empty() && !place.around.empty() && items.size() == 1) return items[0];
  if (loops.empty()) loops.push_back({LoopKind::bound, 1, "tx"});
  return make_nest(std::move(loops), nullptr, std::move(items));
}

Item inner_nest(const std::vector<Loop>& loops, const RefPtr& left, const ExprPtr& right) {
  return make_nest(loops, nullptr, {make_equation(left, right)});
}

/// What the first step begins with; null where the dtype has no such literal.
ExprPtr identity_of(ArithmeticOp op, DType dtype) {
  if (op == ArithmeticOp::add) return integer_literal(0);
  if (is_float(dtype)) return make_call(Function::negate, make_expr(Infinity{}));
  if (!is_integer(dtype) || info(dtype).least == std::numeric_limits<std::int64_t>::min()) return nullptr;
  const std::int64_t least = info(dtype).least;
  return least == 0 ? integer_literal(0) : make_call(Function::negate, integer_literal(-least));
}

ExprPtr combined(ArithmeticOp op, const ExprPtr& left, const ExprPtr& right) {
  return op == ArithmeticOp::max ? make_expr(Extremum{true, left, right}) : make_sum(left, op, right);
}

/// `left` with the first value where there is no earlier one.
ExprPtr step_from(const ExprPtr& first, const RefPtr& ref, const std::string& carry) {
  const auto previous = Index::subtract(Index::variable(carry), Index::constant(1));
  const ExprPtr before = make_sum(make_expr(IndexValue{carry}), ArithmeticOp::subtract, integer_literal(1));
  return make_expr(Select{make_expr(Compare{{before, integer_literal(0)}, {CompareOp::less}}), first,
                          read_expr(with_last(ref, *previous))});
}

/// The program with every read of a tensor, outside some nests, replaced.
Program with_reads(View& view, Program program, const std::set<std::string>& tensors,
                   const std::vector<const PlacedNest*>& except,
                   const std::function<ExprPtr(const RefPtr&, const Statement&)>& replace) {
  for (const Statement& statement : view.table().statements) {
    const bool is_excepted = std::any_of(except.begin(), except.end(), [&](const PlacedNest* nest) {
      return statement.items.size() > nest->items.size() &&
             std::equal(nest->items.begin(), nest->items.end(), statement.items.begin());
    });
    bool reads = false;
    for_each_ref(*statement.equation->right,
                 [&](const RefPtr& ref) { reads = reads || tensors.contains(ref->tensor); });
    if (is_excepted || !reads) continue;
    Rewriter rewriter;
    rewriter.expr = [&](const ExprPtr& expr) {
      const auto* read = std::get_if<Read>(&expr->node);
      return read && tensors.contains(read->ref->tensor) ? replace(read->ref, statement) : expr;
    };
    const Equation& old = *statement.equation;
    const auto equation = stands_for(make_equation(old.left, rewrite(old.right, rewriter)), old);
    program = with_items(program, statement.items, {equation});
  }
  return program;
}

bool is_output(View& view, const std::string& tensor) { return view.table().tensors.at(tensor).known != nullptr; }

std::vector<std::uint32_t> item_of(const PlacedNest& nest, std::uint32_t number) {
  std::vector<std::uint32_t> out = nest.items;
  out.back() = number;
  return out;
}

/// What stands in the way of a form.
std::optional<Obstacle> form_obstacle(const SoftmaxPair& pair, const Carried& carried, OnlineForm form) {
  for (const Loop& loop : pair.max.reduced) {
    if (!is_serial(loop)) return Obstacle{"serial", concat("the loop over ", loop.index, " is not serial")};
  }
  const bool blocked = !carried.inner.empty();
  if (form == OnlineForm::published && !pair.is_above) {
    return Obstacle{"above", "the first element of a row may be -inf"};
  }
  if (form == OnlineForm::published && blocked) return Obstacle{"above", "the published form has no blocks"};
  return too_large(*pair.sum.place, blocked ? pair.sum.loops() : carried.header);
}

/// The maximum's (or the sum's) equation in a step of the recurrence.
EquationPtr step_of(const Reduction& reduction, const RefPtr& left, const ExprPtr& right) {
  const Equation& old = *reduction.statement->equation;
  ExprPtr value = reads_of_stand_for(right, left->tensor, old.right, *old.left);
  return stands_for(make_equation(stands_for(left, *old.left), std::move(value)), old);
}

/// The same below loops of its own.
Item inner_step_of(const Reduction& reduction, const std::vector<Loop>& loops, const RefPtr& left,
                   const ExprPtr& right) {
  return stands_for(make_nest(loops, nullptr, {step_of(reduction, left, right)}), *reduction.place->nest);
}

/// The scores as the maximum reads them: the same values, under the names of the sum.
ExprPtr scores_of_maximum(const SoftmaxPair& pair) {
  const std::vector<ExprPtr> old = {pair.max.term};
  return reads_stand_for(pair.scores, old);
}

/// What the loops of the maximum are called in the recurrence.
LoopNames names_of_maximum(const SoftmaxPair& pair) {
  LoopNames out;
  const std::vector<Index>& from = pair.max.left()->subscripts;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const std::string* name = from[i].as_variable();
    const std::string* now = pair.maximum->subscripts[i].as_variable();
    if (name && now) out.emplace(*name, *now);
  }
  if (pair.max.reduced.size() == 1 && pair.sum.reduced.size() == 1) {
    out.emplace(pair.max.reduced[0].index, pair.sum.reduced[0].index);
  }
  return out;
}

/// The body of the recurrences; further tensors that it needs are added to the names.
std::vector<Item> recurrences(const SoftmaxPair& pair, const Carried& carried, OnlineForm form, const RefPtr& maximum,
                              const RefPtr& sum, NameSource& names, std::vector<std::string>& tensors) {
  const std::string& carry = carried.carry.index;
  if (carried.inner.empty()) {
    return {step_of(pair.max, maximum, prefix_maximum(maximum, carry, scores_of_maximum(pair))),
            step_of(pair.sum, sum,
                    prefix_sum(form, maximum, sum, carry, weight(pair.scores, stands_for(maximum, *pair.maximum))))};
  }
  const Index at = Index::variable(carry);
  const RefPtr part = with_more(pair.maximum, names.next(), at);
  const RefPtr step = with_more(pair.sum.left(), names.next(), at);
  const RefPtr factor = with_more(pair.maximum, names.next(), at);
  std::vector<Index> subscripts = sum->subscripts;
  for (const Loop& loop : carried.inner) subscripts.push_back(Index::variable(loop.index));
  const RefPtr weights = make_ref(names.next(), sum->dtype, Scope::global, std::move(subscripts));
  tensors.insert(tensors.end(), {part->tensor, step->tensor, factor->tensor, weights->tensor});
  return {
      inner_step_of(pair.max, carried.inner, part,
                    combined(ArithmeticOp::max, read_expr(part), scores_of_maximum(pair))),
      step_of(pair.max, maximum, prefix_maximum(maximum, carry, read_expr(part))),
      make_equation(factor, correction(maximum, carry)),
      inner_nest(carried.inner, weights, safe_weight(pair.scores, stands_for(maximum, *pair.maximum))),
      inner_step_of(pair.sum, carried.inner, step, combined(ArithmeticOp::add, read_expr(step), read_expr(weights))),
      step_of(pair.sum, sum, corrected_sum(sum, factor, carry, read_expr(step)))};
}

/// The sum as it was: NaN where a row has nothing but -inf.
ExprPtr whole_sum(const SoftmaxPair& pair, const RefPtr& maximum, const RefPtr& sum) {
  return pair.is_above ? read_expr(sum) : guarded_sum(maximum, sum);
}

}  // namespace

Result<Online, Obstacle> prefix_form(View& view, const Reduction& reduction, const std::string& name) {
  const auto carried = carried_by(reduction, name);
  if (!carried) return carried.error();
  const RefPtr& left = reduction.left();
  const ExprPtr first = identity_of(reduction.op, left->dtype);
  if (!first) return Obstacle{"identity", concat("no number of ", code(left->dtype), " is written for the first step")};
  if (auto obstacle = too_large(*reduction.place, carried->header)) return *std::move(obstacle);
  NameSource names = view.fresh_tensors();
  Online out;
  out.carry = name;
  out.tensors = {names.next()};
  const Index at = Index::variable(name);
  const RefPtr prefix = with_more(left, out.tensors[0], at);
  std::vector<Item> body;
  ExprPtr term = reduction.term;
  if (!carried->inner.empty()) {
    out.tensors.push_back(names.next());
    const RefPtr part = with_more(left, out.tensors[1], at);
    body.push_back(inner_step_of(reduction, carried->inner, part, combined(reduction.op, read_expr(part), term)));
    term = read_expr(part);
  }
  body.emplace_back(step_of(reduction, prefix, combined(reduction.op, step_from(first, prefix, name), term)));
  const Item recurrence = stands_for(make_nest(carried->header, nullptr, std::move(body)), *reduction.place->nest);
  const Item copy =
      under(*reduction.place, reduction.output, {make_equation(left, read_expr(with_last(prefix, carried->last)))});
  out.program = with_items(view.program(), reduction.place->items, {recurrence, copy});
  out.matched = {{"reduction", item_site(reduction.place->items)}};
  out.removed = out.matched;
  const std::uint32_t at_item = reduction.place->items.back();
  out.added = {{"recurrence", item_site(item_of(*reduction.place, at_item))},
               {"copy", item_site(item_of(*reduction.place, at_item + 1))}};
  return out;
}

namespace {

/// Where a use stands when the nest of the maximum has become `count` items and that of the sum is gone; both stand in
/// one body.
std::vector<std::uint32_t> moved_use(const SoftmaxPair& pair, std::size_t count, std::vector<std::uint32_t> use) {
  const std::vector<std::uint32_t>& max = pair.max.place->items;
  const std::size_t last = max.size() - 1;
  if (use.size() <= last || !std::equal(max.begin(), max.end() - 1, use.begin()) || use[last] < max[last]) return use;
  const bool is_behind_sum = use[last] > pair.sum.place->items[last];
  use[last] += static_cast<std::uint32_t>(count) - 1;
  if (is_behind_sum) --use[last];
  return use;
}

}  // namespace

Result<Online, Obstacle> online_form(View& view, const SoftmaxPair& pair, const std::string& name, OnlineForm form,
                                     bool keeps_sum) {
  const auto carried = carried_by(pair.sum, name);
  if (!carried) return carried.error();
  if (auto obstacle = form_obstacle(pair, *carried, form)) return *std::move(obstacle);
  NameSource names = view.fresh_tensors();
  Online out;
  out.carry = name;
  const Index at = Index::variable(name);
  const std::string& max_name = pair.maximum->tensor;
  const std::string& sum_name = pair.sum.left()->tensor;
  const bool renames_max = is_output(view, max_name);
  const RefPtr maximum = with_more(pair.maximum, renames_max ? names.next() : max_name, at);
  const RefPtr sum = with_more(pair.sum.left(), names.next(), at);
  if (renames_max) out.tensors.push_back(maximum->tensor);
  out.tensors.push_back(sum->tensor);
  NestPtr recurrence =
      make_nest(carried->header, nullptr, recurrences(pair, *carried, form, maximum, sum, names, out.tensors));
  recurrence = stands_for(std::move(recurrence), *pair.sum.place->nest);
  std::vector<Item> items = {stands_for(std::move(recurrence), *pair.max.place->nest, names_of_maximum(pair))};
  // Behind the recurrences both are read at their last value. A sum that is read elsewhere than in a softmax, or is an
  // output, stays; so does one that is NaN for a masked row, where the subscripts do not say which maximum is its own.
  const bool keeps = keeps_sum || is_output(view, sum_name);
  const bool has_subscripts_of_maximum = pair.sum.left()->subscripts == pair.maximum->subscripts;
  bool needs_copy = keeps;
  std::vector<std::vector<std::uint32_t>> uses;
  const auto replace = [&](const RefPtr& ref, const Statement& statement) -> ExprPtr {
    const bool is_maximum = ref->tensor == max_name;
    const bool is_use = pair.is_above || (has_subscripts_of_maximum && is_softmax_use(view, pair, statement));
    needs_copy = needs_copy || (!is_maximum && !is_use);
    if (is_maximum ? renames_max : keeps || !is_use) return read_expr(ref);
    if (uses.empty() || uses.back() != statement.items) uses.push_back(statement.items);
    const RefPtr last_maximum = with_more(ref, maximum->tensor, carried->last);
    if (is_maximum) return read_expr(stands_for(last_maximum, *ref));
    return whole_sum(pair, last_maximum, stands_for(with_more(ref, sum->tensor, carried->last), *ref));
  };
  Program program = with_reads(view, view.program(), {max_name, sum_name}, {pair.max.place, pair.sum.place}, replace);
  const RefPtr last_maximum = with_last(maximum, carried->last);
  const auto copy = [&](const RefPtr& left, const ExprPtr& value) {
    items.push_back(under(*pair.sum.place, pair.sum.output, {make_equation(left, value)}));
  };
  if (renames_max) copy(pair.maximum, read_expr(last_maximum));
  if (needs_copy) copy(pair.sum.left(), whole_sum(pair, last_maximum, with_last(sum, carried->last)));
  const std::uint32_t first = pair.max.place->items.back();
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    out.added.push_back({i == 0 ? "recurrence" : "copy", item_site(item_of(*pair.max.place, first + i))});
  }
  out.matched = {{"maximum", item_site(pair.max.place->items)}, {"sum", item_site(pair.sum.place->items)}};
  out.removed = out.matched;
  for (const std::vector<std::uint32_t>& use : uses) {
    out.removed.push_back({"use", item_site(use)});
    out.added.push_back({"use", item_site(moved_use(pair, items.size(), use))});
  }
  program = with_items(program, pair.sum.place->items, {});
  out.program = with_items(program, pair.max.place->items, std::move(items));
  return out;
}

}  // namespace steptp
