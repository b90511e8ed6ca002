// Attention: the output as a recurrence beside those of the softmax.
#include <algorithm>

#include "steptp/base/text.h"
#include "steptp/strategies/expressions.h"
#include "steptp/strategies/online.h"
#include "steptp/strategies/origins.h"
#include "steptp/strategies/rewrite.h"

namespace steptp {

namespace {

/// The loops of the matmul that the softmax does not have, under fresh names.
struct Features {
  std::vector<Loop> loops;
  LoopNames names;  ///< from all loops of the matmul to the names in the recurrences
};

Features features_of(View& view, const Attention& attention) {
  Features out;
  out.names = inverted(attention.names);
  NameSource fresh = view.fresh_indices(attention.online.nest->items[0]);
  for (const Loop& loop : attention.matmul.output) {
    if (out.names.contains(loop.index)) continue;
    const std::string name = fresh.next();
    out.names.emplace(loop.index, name);
    out.loops.push_back({LoopKind::serial, loop.extent, name});
  }
  return out;
}

ExprPtr times(const ExprPtr& left, const ExprPtr& right) { return make_product(left, ArithmeticOp::multiply, right); }
ExprPtr over(const ExprPtr& left, const ExprPtr& right) { return make_product(left, ArithmeticOp::divide, right); }

/// As published, divided in every step: O_{k-1}*N_{k-1}*exp(X_{k-1}-X_{k})/N_{k}+exp(A-X_{k})/N_{k}*V.
ExprPtr published_output(const OnlineSoftmax& online, const RefPtr& output, const ExprPtr& values) {
  const ExprPtr sum = read_expr(online.sum);
  const ExprPtr step = times(over(weight(online.scores, online.maximum), sum), values);
  const ExprPtr whole = prefix_sum(OnlineForm::published, online.maximum, output, online.carry, integer_literal(0));
  const auto& parts = std::get<Product>(std::get<Sum>(whole->node).operands[0]->node).operands;
  const ExprPtr whole_sum =
      prefix_sum(OnlineForm::published, online.maximum, online.sum, online.carry, integer_literal(0));
  const ExprPtr previous_sum = std::get<Product>(std::get<Sum>(whole_sum->node).operands[0]->node).operands[0];
  const ExprPtr corrected = over(times(times(parts[0], previous_sum), parts[1]), sum);
  return make_sum(corrected, ArithmeticOp::add, step);
}

/// A step of the output's recurrence: items for the loops over features.
std::vector<Item> output_step(const OnlineSoftmax& online, const Reduction& matmul, const RefPtr& output,
                              const ExprPtr& values, NameSource& names, std::vector<std::string>& tensors) {
  const Equation& old = *matmul.statement->equation;
  const auto step_of = [&old](const RefPtr& left, const ExprPtr& right) {
    ExprPtr value = reads_of_stand_for(right, left->tensor, old.right, *old.left);
    return stands_for(make_equation(stands_for(left, *old.left), std::move(value)), old);
  };
  if (online.form == OnlineForm::published) return {step_of(output, published_output(online, output, values))};
  if (online.inner.empty()) {
    const ExprPtr term = times(weight(online.scores, online.maximum), values);
    return {step_of(output, prefix_sum(online.form, online.maximum, output, online.carry, term))};
  }
  const RefPtr part = make_ref(names.next(), output->dtype, output->scope, output->subscripts);
  tensors.push_back(part->tensor);
  const ExprPtr more = make_sum(read_expr(part), ArithmeticOp::add, times(read_expr(online.weights), values));
  return {stands_for(make_nest(online.inner, nullptr, {step_of(part, more)}), *matmul.place->nest),
          step_of(output, corrected_sum(output, online.factor, online.carry, read_expr(part)))};
}

bool is_too_large(const OnlineSoftmax& online, const Features& features) {
  std::vector<const Loop*> all;
  for (const Nest* around : online.nest->around) {
    for (const Loop& loop : around->loops) all.push_back(&loop);
  }
  for (const Loop& loop : online.nest->nest->loops) all.push_back(&loop);
  for (const Loop& loop : features.loops) all.push_back(&loop);
  return elements_of(all, kMaxTensorElements) > kMaxTensorElements;
}

/// The result, from the last values of the recurrences.
Item last_values(const Attention& attention, const std::string& output) {
  const OnlineSoftmax& online = attention.online;
  const RefPtr& left = attention.matmul.left();
  const Index last = Index::constant(online.extent - 1);
  ExprPtr result = read_expr(with_more(left, output, last));
  if (online.form == OnlineForm::deferred) {
    const RefPtr sum = renamed(with_last(online.sum, last), attention.names);
    const RefPtr maximum = renamed(with_last(online.maximum, last), attention.names);
    result = over(result, attention.is_guarded ? guarded_sum(maximum, sum) : read_expr(sum));
  }
  std::vector<Loop> loops = attention.matmul.output;
  if (loops.empty() && !attention.matmul.place->around.empty()) return make_equation(left, result);
  if (loops.empty()) loops.push_back({LoopKind::bound, 1, "tx"});
  return make_nest(std::move(loops), nullptr, {make_equation(left, result)});
}

std::vector<std::uint32_t> moved_up(std::vector<std::uint32_t> items, std::uint32_t by) {
  items.back() -= by;
  return items;
}

}  // namespace

Result<Online, Obstacle> attention_form(View& view, const Attention& attention) {
  const OnlineSoftmax& online = attention.online;
  const Features features = features_of(view, attention);
  if (is_too_large(online, features)) {
    return Obstacle{"memory", "the recurrence would have more than 2^31 elements"};
  }
  NameSource names = view.fresh_tensors();
  Online out;
  out.carry = online.carry;
  out.tensors = {names.next()};
  const RefPtr output =
      with_more(renamed(attention.matmul.left(), features.names), out.tensors[0], Index::variable(online.carry));
  const Nest& old = *attention.matmul.place->nest;
  std::vector<Item> step =
      output_step(online, attention.matmul, output, renamed(attention.values, features.names), names, out.tensors);
  std::vector<Item> body = online.nest->nest->items;
  if (features.loops.empty())
    body.insert(body.end(), step.begin(), step.end());
  else
    body.emplace_back(stands_for(make_nest(features.loops, nullptr, std::move(step)), old, features.names));
  NestPtr whole = stands_for(make_nest(online.nest->nest->loops, nullptr, std::move(body)), *online.nest->nest);
  const Item recurrence = stands_for(std::move(whole), old, features.names);
  const Item copy = last_values(attention, out.tensors[0]);
  const std::vector<std::uint32_t>& matmul = attention.matmul.place->items;
  const bool down = attention.moves_down;
  Program program =
      with_items(view.program(), matmul, down ? std::vector<Item>{recurrence, copy} : std::vector<Item>{copy});
  program = with_items(program, attention.quotient->items, {});
  out.program = with_items(program, online.nest->items, down ? std::vector<Item>() : std::vector<Item>{recurrence});
  out.matched = {{"recurrence", item_site(online.nest->items)},
                 {"quotient", item_site(attention.quotient->items)},
                 {"matmul", item_site(matmul)}};
  out.removed = out.matched;
  out.added = {{"recurrence", item_site(down ? moved_up(matmul, 2) : online.nest->items)},
               {"copy", item_site(moved_up(matmul, 1))}};
  return out;
}

}  // namespace steptp
