// The recurrences of a softmax, and attention behind them.
#include <algorithm>
#include <set>

#include "steptp/analysis/index_map.h"
#include "steptp/base/text.h"
#include "steptp/strategies/expressions.h"
#include "steptp/strategies/online.h"
#include "steptp/strategies/pieces.h"

namespace steptp {

namespace {

Obstacle no_match(std::string message) { return {"pattern", std::move(message)}; }

const RefPtr* read_of(const ExprPtr& expr) {
  const auto* read = std::get_if<Read>(&expr->node);
  return read ? &read->ref : nullptr;
}

/// The only equation that writes a tensor, which is an intermediate in `g`; null where there is none.
const Statement* only_writer(View& view, const std::string& tensor) {
  const TensorFacts& facts = view.table().tensors.at(tensor);
  if (facts.writes.size() != 1 || facts.known || facts.scope != Scope::global) return nullptr;
  const Statement& out = view.table().statements[view.table().accesses[facts.writes[0]].statement];
  return out.guards.empty() ? &out : nullptr;
}

const PlacedNest* nest_of(View& view, const Statement& statement) {
  return view.find_nest(std::span(statement.items).first(statement.items.size() - 1));
}

/// Each element is written once: every loop of more than one iteration shows in the subscripts.
bool writes_once(View& view, const Statement& statement) {
  const Ref& left = *statement.equation->left;
  for (const Loop* loop : statement.loops) {
    if (loop->extent > 1 && !uses_variable(left, loop->index)) return false;
  }
  const auto map = index_map_of(statement, left.subscripts);
  return map && is_injective(*map, view.isl()) == Truth::yes;
}

bool ends_with(const Ref& ref, const Index& last) { return !ref.subscripts.empty() && ref.subscripts.back() == last; }

/// The equation that accumulates a tensor in a nest of its own inside another nest: X=X(+)term over `inner`.
struct Inner {
  std::vector<Loop> loops;
  ExprPtr term;
};
std::optional<Inner> inner_reduction(View& view, const PlacedNest& nest, const RefPtr& ref, ArithmeticOp op) {
  const Statement* writer = only_writer(view, ref->tensor);
  const PlacedNest* own = writer ? nest_of(view, *writer) : nullptr;
  if (!own || own->nest->items.size() != 1 || own->around.empty() || own->around.back() != nest.nest) return {};
  if (writer->accumulates != op || !equal(*writer->equation->left, *ref)) return {};
  Inner out{own->nest->loops, nullptr};
  for (const Loop& loop : out.loops) {
    if (uses_variable(*ref, loop.index)) return {};
  }
  // Every iteration of the loops around has an element of its own, so that the reduction begins anew.
  const std::size_t around = writer->loops.size() - out.loops.size();
  for (std::size_t i = 0; i < around; ++i) {
    if (writer->loops[i]->extent > 1 && !uses_variable(*ref, writer->loops[i]->index)) return {};
  }
  const auto map = index_map_of(*writer, ref->subscripts);
  if (!map || is_injective(*map, view.isl()) != Truth::yes) return {};
  for (const Operand& operand : op == ArithmeticOp::add ? summands(writer->equation->right) : std::vector<Operand>()) {
    if (!operand.is_inverse && read_of(operand.expr) && equal(**read_of(operand.expr), *ref)) continue;
    if (out.term || operand.is_inverse) return {};
    out.term = operand.expr;
  }
  std::vector<ExprPtr> rest;
  for (const ExprPtr& operand : op == ArithmeticOp::max ? maximands(writer->equation->right) : std::vector<ExprPtr>()) {
    if (!read_of(operand) || !equal(**read_of(operand), *ref)) rest.push_back(operand);
  }
  if (!rest.empty()) out.term = maximum_of(rest);
  if (!out.term) return {};
  return out;
}

/// The sum is the previous one times the factor, and a step: the step, with the factor noted. Null where it is not.
RefPtr match_corrected_sum(View& view, OnlineSoftmax& online, const ExprPtr& sum) {
  std::vector<RefPtr> refs;
  for_each_ref(*sum, [&](const RefPtr& ref) {
    if (ref->tensor != online.sum->tensor) refs.push_back(ref);
  });
  for (const RefPtr& factor : refs) {
    for (const RefPtr& step : refs) {
      if (!same_value(sum, corrected_sum(online.sum, factor, online.carry, read_expr(step)))) continue;
      const Statement* maker = only_writer(view, factor->tensor);
      if (!maker || nest_of(view, *maker) != online.nest || !equal(*maker->equation->left, *factor) ||
          !writes_once(view, *maker) || !same_value(maker->equation->right, correction(online.maximum, online.carry))) {
        continue;
      }
      online.factor = factor;
      return step;
    }
  }
  return nullptr;
}

/// Blocked: the term of the maximum is a maximum over further loops, that of the sum a sum of weights.
bool match_blocked(View& view, OnlineSoftmax& online, const ExprPtr& term, const ExprPtr& sum) {
  const RefPtr* part = read_of(term);
  const auto maximum = part ? inner_reduction(view, *online.nest, *part, ArithmeticOp::max) : std::nullopt;
  if (!maximum) return false;
  const RefPtr step = match_corrected_sum(view, online, sum);
  if (!step) return false;
  const auto total = inner_reduction(view, *online.nest, step, ArithmeticOp::add);
  const RefPtr* weights = total ? read_of(total->term) : nullptr;
  const Statement* maker = weights ? only_writer(view, (*weights)->tensor) : nullptr;
  const PlacedNest* own = maker ? nest_of(view, *maker) : nullptr;
  if (!own || own->nest->items.size() != 1 || own->around.empty() || own->around.back() != online.nest->nest ||
      !writes_once(view, *maker)) {
    return false;
  }
  return for_each_renaming(maximum->loops, own->nest->loops, [&](const LoopNames& names) {
    if (maximum->loops.size() != own->nest->loops.size() ||
        !same_value(maker->equation->right, safe_weight(renamed(maximum->term, names), online.maximum))) {
      return false;
    }
    return for_each_renaming(own->nest->loops, total->loops, [&](const LoopNames& more) {
      if (total->loops.size() != own->nest->loops.size() || !equal(*renamed(maker->equation->left, more), **weights)) {
        return false;
      }
      online.inner = own->nest->loops;
      online.scores = renamed(maximum->term, names);
      online.weights = maker->equation->left;
      online.form = OnlineForm::deferred;
      return true;
    });
  });
}

/// The recurrences that make X_{..,n-1} and N_{..,n-1}.
Result<OnlineSoftmax, Obstacle> find_online(View& view, const std::string& maximum, const std::string& sum) {
  const Statement* x = only_writer(view, maximum);
  const Statement* n = only_writer(view, sum);
  if (!x || !n || nest_of(view, *x) != nest_of(view, *n)) return no_match("no recurrences in one nest");
  OnlineSoftmax out;
  out.nest = nest_of(view, *x);
  out.maximum = x->equation->left;
  out.sum = n->equation->left;
  const std::string* carry = out.maximum->subscripts.empty() ? nullptr : out.maximum->subscripts.back().as_variable();
  if (!carry || !ends_with(*out.sum, Index::variable(*carry))) return no_match("no loop carries them");
  out.carry = *carry;
  bool is_own = false;
  for (const Loop& loop : out.nest->nest->loops) {
    if (loop.kind == LoopKind::vectorized) return no_match("a vectorized loop can have nothing more inside");
    if (loop.index != out.carry) {
      out.output.push_back(loop);
      continue;
    }
    is_own = loop.kind == LoopKind::serial || loop.kind == LoopKind::unrolled;
    out.extent = loop.extent;
  }
  if (!is_own || !writes_once(view, *x) || !writes_once(view, *n)) {
    return no_match(concat(out.carry, " is not a serial loop that carries them"));
  }
  std::vector<ExprPtr> rest = maximands(x->equation->right);
  const ExprPtr previous = maximands(prefix_maximum(out.maximum, out.carry, x->equation->right))[0];
  const std::size_t all = rest.size();
  std::erase_if(rest, [&](const ExprPtr& operand) { return same_value(operand, previous); });
  if (rest.empty() || rest.size() + 1 != all) return no_match(concat(maximum, " is not a prefix maximum"));
  const ExprPtr term = maximum_of(rest);
  if (tensors_of(*term).contains(maximum) || tensors_of(*term).contains(sum)) return no_match("it reads itself");
  out.scores = term;
  for (const OnlineForm form : {OnlineForm::deferred, OnlineForm::published}) {
    out.form = form;
    if (same_value(n->equation->right, prefix_sum(form, out.maximum, out.sum, out.carry, weight(term, out.maximum)))) {
      return out;
    }
  }
  if (match_blocked(view, out, term, n->equation->right)) return out;
  return no_match(concat(sum, " is not a prefix sum of exponentials"));
}

/// P=exp(A-X)/N: X and N with their last values, or nothing.
struct Quotient {
  RefPtr maximum;
  RefPtr sum;
  ExprPtr scores;
  bool is_guarded = false;
};
/// N in if_then_else(X==-inf,inf-inf,N).
const RefPtr* guarded_read(const ExprPtr& divisor, const RefPtr& maximum) {
  const auto* select = std::get_if<Select>(&divisor->node);
  const RefPtr* sum = select ? read_of(select->if_false) : nullptr;
  return sum && equal(*divisor, *guarded_sum(maximum, *sum)) ? sum : nullptr;
}
std::vector<Quotient> quotients(const ExprPtr& right) {
  std::vector<Quotient> out;
  const std::vector<Operand> parts = factors(right);
  if (parts.size() != 2 || parts[0].is_inverse || !parts[1].is_inverse) return out;
  const auto* call = std::get_if<Call>(&parts[0].expr->node);
  const RefPtr* plain = read_of(parts[1].expr);
  if (!call || call->function != Function::exp) return out;
  const std::vector<Operand> argument = summands(call->argument);
  for (std::size_t i = 0; i < argument.size() && argument.size() > 1; ++i) {
    const RefPtr* maximum = argument[i].is_inverse ? read_of(argument[i].expr) : nullptr;
    if (!maximum) continue;
    const RefPtr* sum = plain ? plain : guarded_read(parts[1].expr, *maximum);
    if (!sum) continue;
    std::vector<Operand> rest = argument;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
    out.push_back({*maximum, *sum, sum_of(rest), !plain});
  }
  return out;
}

/// Names from the loops of the recurrences to those of the nest that makes P.
std::optional<LoopNames> match_quotient(const OnlineSoftmax& online, const Quotient& quotient,
                                        const std::vector<Loop>& loops) {
  std::optional<LoopNames> out;
  const Index last = Index::constant(online.extent - 1);
  const auto same_ref = [&](const RefPtr& a, const RefPtr& b) {
    return equal(*at_origin(a, loops), *at_origin(b, loops));
  };
  for_each_renaming(online.all_loops(), loops, [&](const LoopNames& names) {
    if (!same_value(at_origin(renamed(online.scores, names), loops), at_origin(quotient.scores, loops)) ||
        !same_ref(renamed(with_last(online.maximum, last), names), quotient.maximum) ||
        !same_ref(renamed(with_last(online.sum, last), names), quotient.sum)) {
      return false;
    }
    out = names;
    return true;
  });
  return out;
}

/// Whether the loops of the matmul are those of the recurrences and further output loops.
bool loops_fit(const Attention& attention) {
  const auto holds = [](const std::vector<Loop>& loops, const std::string& name) {
    return std::any_of(loops.begin(), loops.end(), [&](const Loop& loop) { return loop.index == name; });
  };
  const OnlineSoftmax& online = attention.online;
  std::set<std::string> reduced = {attention.names.at(online.carry)};
  for (const Loop& loop : online.inner) reduced.insert(attention.names.at(loop.index));
  return reduced.size() == attention.matmul.reduced.size() &&
         std::all_of(reduced.begin(), reduced.end(),
                     [&](const std::string& name) { return holds(attention.matmul.reduced, name); }) &&
         std::all_of(online.output.begin(), online.output.end(),
                     [&](const Loop& loop) { return holds(attention.matmul.output, attention.names.at(loop.index)); });
}

/// Where the recurrences can stand once they take the values along.
std::optional<Obstacle> place(View& view, Attention& attention) {
  const PlacedNest& nest = *attention.online.nest;
  const auto body = body_of(nest);
  const std::uint32_t here = nest.items.back();
  const std::uint32_t there = attention.matmul.place->items.back();
  // Moving the recurrences does not help what needs their last values.
  if (const auto own = touched_between(view, body, here, here + 1, tensors_of(*attention.values), false)) {
    return Obstacle{"between", concat("the values need ", *own, ", which is whole only after the recurrences")};
  }
  const auto late = touched_between(view, body, here, there, tensors_of(*attention.values), false);
  if (!late) return std::nullopt;
  std::set<std::string> read;
  std::set<std::string> written;
  for (const Access& access : view.table().accesses) {
    const std::vector<std::uint32_t>& items = view.table().statements[access.statement].items;
    if (items.size() <= nest.items.size() || !std::equal(nest.items.begin(), nest.items.end(), items.begin())) continue;
    (access.is_write ? written : read).insert(access.ref->tensor);
  }
  const std::uint32_t quotient = attention.quotient->items.back();
  for (const auto& [from, to] : {std::pair(here + 1, quotient), std::pair(quotient + 1, there)}) {
    const auto needed = touched_between(view, body, from, to, written, true);
    const auto changed = touched_between(view, body, from, to, read, false);
    if (needed || changed) {
      return Obstacle{"between", concat(*late, " is made behind the recurrences, which cannot wait for it because of ",
                                        needed ? *needed : *changed)};
    }
  }
  attention.moves_down = true;
  return std::nullopt;
}

Result<Attention, Obstacle> attention_with(View& view, const Reduction& matmul, const std::vector<Operand>& product,
                                           std::size_t number) {
  const RefPtr& weights = *read_of(product[number].expr);
  const Statement* maker = only_writer(view, weights->tensor);
  if (!maker) return no_match(concat(weights->tensor, " is not a softmax"));
  Attention out;
  out.matmul = matmul;
  out.quotient = nest_of(view, *maker);
  if (out.quotient->nest->items.size() != 1 || body_of(*out.quotient) != body_of(*matmul.place) ||
      !writes_once(view, *maker)) {
    return no_match(concat(weights->tensor, " is not made in a nest of its own in the same body"));
  }
  Obstacle obstacle = no_match(concat(weights->tensor, " is not a softmax by recurrences"));
  for (const Quotient& quotient : quotients(maker->equation->right)) {
    auto online = find_online(view, quotient.maximum->tensor, quotient.sum->tensor);
    if (!online) {
      obstacle = online.error();
      continue;
    }
    const auto first = match_quotient(*online, quotient, out.quotient->nest->loops);
    if (!first || body_of(*online->nest) != body_of(*matmul.place)) continue;
    const bool in_order = online->nest->items.back() < out.quotient->items.back() &&
                          out.quotient->items.back() < matmul.place->items.back();
    if (!in_order) continue;
    out.online = *online;
    out.is_guarded = quotient.is_guarded;
    const bool fits = for_each_renaming(out.quotient->nest->loops, matmul.loops(), [&](const LoopNames& names) {
      const RefPtr made = at_origin(renamed(maker->equation->left, names), matmul.loops());
      if (!equal(*made, *at_origin(weights, matmul.loops()))) return false;
      out.names = composed(*first, names);
      return loops_fit(out);
    });
    if (!fits) {
      obstacle = no_match("the sum is not over the loops of the softmax");
      continue;
    }
    if (view.table().tensors.at(weights->tensor).reads.size() != 1) {
      return Obstacle{"alone", concat(weights->tensor, " is read elsewhere too")};
    }
    std::vector<Operand> rest = product;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(number));
    out.values = product_of(rest);
    const auto changed = touched_between(view, body_of(*matmul.place), out.online.nest->items.back() + 1,
                                         out.quotient->items.back(), tensors_of(*out.online.scores), false);
    if (changed) return Obstacle{"between", concat(*changed, " is written between the recurrences and the quotient")};
    if (auto in_the_way = place(view, out)) return *std::move(in_the_way);
    return out;
  }
  return obstacle;
}

}  // namespace

Result<Attention, Obstacle> find_attention(View& view, const PlacedNest& place) {
  const auto matmul = find_reduction(view, place);
  if (!matmul) return matmul.error();
  if (matmul->op != ArithmeticOp::add) return no_match("it is not a sum");
  const std::vector<Operand> product = factors(matmul->term);
  Obstacle obstacle = no_match("no factor of the sum is a softmax");
  for (std::size_t i = 0; i < product.size() && product.size() > 1; ++i) {
    if (product[i].is_inverse || !read_of(product[i].expr)) continue;
    auto attention = attention_with(view, *matmul, product, i);
    if (attention) return attention;
    if (attention.error().id != "pattern" || obstacle.message.find("no factor") == 0) obstacle = attention.error();
    if (attention.error().id != "pattern") return obstacle;
  }
  return obstacle;
}

}  // namespace steptp
