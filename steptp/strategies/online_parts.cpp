// How the recurrences are written.
#include <algorithm>

#include "steptp/base/text.h"
#include "steptp/strategies/online.h"

namespace steptp {

namespace {

ExprPtr negative_infinity() { return make_call(Function::negate, make_expr(Infinity{})); }

ExprPtr is_first(const std::string& carry) {
  const ExprPtr previous = make_sum(make_expr(IndexValue{carry}), ArithmeticOp::subtract, integer_literal(1));
  return make_expr(Compare{{previous, integer_literal(0)}, {CompareOp::less}});
}

ExprPtr is_empty(const RefPtr& maximum) {
  return make_expr(Compare{{read_expr(maximum), negative_infinity()}, {CompareOp::equal}});
}

Index before(const std::string& carry) { return *Index::subtract(Index::variable(carry), Index::constant(1)); }

ExprPtr previous_or(const ExprPtr& first, const RefPtr& ref, const std::string& carry) {
  return make_expr(Select{is_first(carry), first, read_expr(with_last(ref, before(carry)))});
}

ExprPtr exp_of_difference(ExprPtr left, ExprPtr right) {
  return make_call(Function::exp, make_sum(std::move(left), ArithmeticOp::subtract, std::move(right)));
}

}  // namespace

RefPtr with_last(const RefPtr& ref, const Index& last) {
  std::vector<Index> subscripts = ref->subscripts;
  subscripts.back() = last;
  return make_ref(ref->tensor, ref->dtype, ref->scope, std::move(subscripts));
}

RefPtr with_more(const RefPtr& ref, const std::string& name, const Index& last) {
  std::vector<Index> subscripts = ref->subscripts;
  subscripts.push_back(last);
  return make_ref(name, ref->dtype, ref->scope, std::move(subscripts));
}

ExprPtr prefix_maximum(const RefPtr& maximum, const std::string& carry, const ExprPtr& term) {
  return make_expr(Extremum{true, previous_or(negative_infinity(), maximum, carry), term});
}

ExprPtr prefix_sum(OnlineForm form, const RefPtr& maximum, const RefPtr& sum, const std::string& carry,
                   const ExprPtr& term) {
  if (form == OnlineForm::published) {
    const ExprPtr factor = exp_of_difference(previous_or(negative_infinity(), maximum, carry), read_expr(maximum));
    return make_sum(make_product(previous_or(integer_literal(1), sum, carry), ArithmeticOp::multiply, factor),
                    ArithmeticOp::add, term);
  }
  const ExprPtr factor = exp_of_difference(read_expr(with_last(maximum, before(carry))), read_expr(maximum));
  const ExprPtr corrected = make_product(read_expr(with_last(sum, before(carry))), ArithmeticOp::multiply, factor);
  const ExprPtr step =
      make_sum(make_expr(Select{is_first(carry), integer_literal(0), corrected}), ArithmeticOp::add, term);
  return make_expr(Select{is_empty(maximum), integer_literal(0), step});
}

ExprPtr correction(const RefPtr& maximum, const std::string& carry) {
  const ExprPtr factor = exp_of_difference(previous_or(negative_infinity(), maximum, carry), read_expr(maximum));
  return make_expr(Select{is_empty(maximum), integer_literal(0), factor});
}

ExprPtr corrected_sum(const RefPtr& sum, const RefPtr& factor, const std::string& carry, const ExprPtr& term) {
  const ExprPtr previous = previous_or(integer_literal(0), sum, carry);
  return make_sum(make_product(previous, ArithmeticOp::multiply, read_expr(factor)), ArithmeticOp::add, term);
}

ExprPtr weight(const ExprPtr& scores, const RefPtr& maximum) { return exp_of_difference(scores, read_expr(maximum)); }

ExprPtr safe_weight(const ExprPtr& scores, const RefPtr& maximum) {
  return make_expr(Select{is_empty(maximum), integer_literal(0), weight(scores, maximum)});
}

ExprPtr guarded_sum(const RefPtr& maximum, const RefPtr& sum) {
  const ExprPtr undefined = make_sum(make_expr(Infinity{}), ArithmeticOp::subtract, make_expr(Infinity{}));
  return make_expr(Select{is_empty(maximum), undefined, read_expr(sum)});
}

Refusal refuse(std::span<const Precondition> published, std::span<const Precondition> safety, const Site& place,
               const Obstacle& obstacle) {
  for (const auto& list : {published, safety}) {
    for (const Precondition& precondition : list) {
      if (precondition.id == obstacle.id) return {&precondition, place, obstacle.message, {}};
    }
  }
  return {&kPlace, place, obstacle.message, {}};
}

std::vector<std::uint32_t> body_of(const PlacedNest& nest) { return {nest.items.begin(), nest.items.end() - 1}; }

std::optional<std::string> touched_between(View& view, const std::vector<std::uint32_t>& body, std::uint32_t from,
                                           std::uint32_t to, const std::set<std::string>& tensors, bool reads_count) {
  for (const Access& access : view.table().accesses) {
    if ((!access.is_write && !reads_count) || !tensors.contains(access.ref->tensor)) continue;
    const std::vector<std::uint32_t>& items = view.table().statements[access.statement].items;
    const bool inside = items.size() > body.size() && std::equal(body.begin(), body.end(), items.begin());
    if (inside && items[body.size()] >= from && items[body.size()] < to) return access.ref->tensor;
  }
  return std::nullopt;
}

void offer_forms(const PlacedNest& nest, const std::vector<Loop>& reduced,
                 const std::function<bool(const std::string& loop, OnlineForm form)>& is_allowed, Listing& listing) {
  const bool blocked = reduced.size() > 1;
  if (blocked && !listing.extended) return;
  for (const OnlineForm form : {OnlineForm::deferred, OnlineForm::published}) {
    std::vector<std::string> loops;
    for (const Loop& loop : reduced) {
      if (is_allowed(loop.index, form)) loops.push_back(loop.index);
    }
    const std::string word(kFormWords[form == OnlineForm::published ? 0 : 1]);
    listing.offer(
        {item_site(nest.items), {{"loop", std::move(loops)}, {"form", std::vector<std::string>{word}}}, blocked});
  }
}

Applied applied_from(Online online) {
  Applied out;
  out.program = std::move(online.program);
  out.facts.matched = std::move(online.matched);
  out.facts.removed = std::move(online.removed);
  out.facts.added = std::move(online.added);
  return out;
}

Result<OnlineForm, Refusal> form_of(const Choice& choice) {
  const auto number = one_of(choice, "form", kFormWords);
  if (!number) return number.error();
  return *number == 0 ? OnlineForm::published : OnlineForm::deferred;
}

std::vector<Loop> OnlineSoftmax::all_loops() const {
  std::vector<Loop> out = output;
  out.push_back({LoopKind::serial, extent, carry});
  out.insert(out.end(), inner.begin(), inner.end());
  return out;
}

}  // namespace steptp
