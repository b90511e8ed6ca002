#include "steptp/strategies/scalar_terms.h"

#include <algorithm>

#include "steptp/base/text.h"
#include "steptp/strategies/lifetimes.h"

namespace steptp {

namespace {

/// More would not be looked through by anybody.
constexpr std::size_t kMaxTensors = 8;

/// if_then_else(k-1<0,neutral,u_{..,k-1}); null where u has no such neighbour that is always defined.
ExprPtr previous(const ScalarPlace& place, const ExprPtr& of, std::int64_t neutral) {
  const auto* read = std::get_if<Read>(&of->node);
  const Statement& statement = *place.part.statement;
  if (!read || read->ref->subscripts.empty() || !statement.guards.empty() || !place.place.conditions.empty()) {
    return nullptr;
  }
  const std::string* index = read->ref->subscripts.back().as_variable();
  const auto is_loop = [&](const Loop* loop) { return index && loop->index == *index; };
  if (std::none_of(statement.loops.begin(), statement.loops.end(), is_loop)) return nullptr;
  if (!is_complete(place.view, read->ref->tensor, statement.items[0])) return nullptr;
  std::vector<Index> subscripts = read->ref->subscripts;
  subscripts.back() = *Index::subtract(subscripts.back(), Index::constant(1));
  const ExprPtr before = make_sum(make_expr(IndexValue{*index}), ArithmeticOp::subtract, integer_literal(1));
  const ExprPtr none = make_expr(Compare{{before, integer_literal(0)}, {CompareOp::less}});
  const RefPtr ref = make_ref(read->ref->tensor, read->ref->dtype, read->ref->scope, std::move(subscripts));
  return make_expr(Select{none, integer_literal(neutral), read_expr(ref)});
}

/// Reads of the right side that no condition can keep from being made.
void add_reads(const ScalarPlace& place, const ExprPtr& expr, Site& site, std::vector<ScopeTerm>& out) {
  if (const auto* read = std::get_if<Read>(&expr->node)) {
    const auto same = [&expr](const ScopeTerm& term) { return equal(*term.expr, *expr); };
    const bool own = read->ref->tensor == place.part.statement->equation->left->tensor;
    if (own || read->ref->dtype != place.dtype || std::any_of(out.begin(), out.end(), same)) return;
    out.push_back({to_text(site), expr});
    return;
  }
  const bool select = std::holds_alternative<Select>(expr->node);
  const bool lazy = select || is_condition(*expr);
  for (std::uint32_t i = 0; i < child_count(*expr) && !lazy; ++i) {
    site.path.push_back(i);
    add_reads(place, child(*expr, i), site, out);
    site.path.pop_back();
  }
}

/// Tensors with the dimensions of the left side, or with its first ones, read at its subscripts.
void add_tensors(const ScalarPlace& place, std::vector<ScopeTerm>& out) {
  View& view = place.view;
  const Statement& statement = *place.part.statement;
  const Ref& left = *statement.equation->left;
  const InferredShape& shape = view.shape_of(left.tensor);
  if (!shape.exact) return;
  std::size_t found = 0;
  for (const auto& [name, tensor] : view.table().tensors) {
    if (found == kMaxTensors) return;
    if (name == left.tensor || tensor.dtype != place.dtype || tensor.rank > left.subscripts.size()) continue;
    if (tensor.rank == 0 || tensor.scope != Scope::global) continue;
    const InferredShape& dimensions = view.shape_of(name);
    if (!dimensions.exact ||
        !std::equal(dimensions.dimensions.begin(), dimensions.dimensions.end(), shape.dimensions.begin())) {
      continue;
    }
    if (!view.real_facts().of_tensor(name).finite || !is_complete(view, name, statement.items[0])) continue;
    std::vector<Index> subscripts(left.subscripts.begin(),
                                  left.subscripts.begin() + static_cast<std::ptrdiff_t>(tensor.rank));
    ExprPtr read = read_expr(make_ref(name, tensor.dtype, tensor.scope, std::move(subscripts)));
    const auto same = [&read](const ScopeTerm& term) { return equal(*term.expr, *read); };
    if (std::any_of(out.begin(), out.end(), same)) continue;
    ++found;
    out.push_back({name, std::move(read)});
  }
}

}  // namespace

std::vector<ScopeTerm> terms_in_scope(const ScalarPlace& place, const ExprPtr& of, std::int64_t neutral) {
  std::vector<ScopeTerm> out;
  if (of) {
    if (ExprPtr term = previous(place, of, neutral)) out.push_back({"previous", std::move(term)});
  }
  const Statement& statement = *place.part.statement;
  Site site{statement.items, Site::Part::right, {}, {}};
  add_reads(place, statement.equation->right, site, out);
  add_tensors(place, out);
  return out;
}

ExprPtr half_of(const ExprPtr& expr) { return make_product(expr, ArithmeticOp::multiply, real_literal(0.5)); }

ExprPtr one_and_size_of(const ExprPtr& expr) {
  return make_sum(integer_literal(1), ArithmeticOp::add, make_call(Function::abs, expr));
}

ExprPtr clamped_to_size_of(const ExprPtr& expr, const ExprPtr& of) {
  const ExprPtr size = make_call(Function::abs, of);
  return make_expr(Extremum{true, make_expr(Extremum{false, expr, size}), make_call(Function::negate, size)});
}

ExprPtr clamped_between(const ExprPtr& expr, const ExprPtr& one, const ExprPtr& other) {
  const ExprPtr most = make_expr(Extremum{true, one, other});
  const ExprPtr least = make_expr(Extremum{false, one, other});
  return make_expr(Extremum{true, make_expr(Extremum{false, expr, most}), least});
}

std::vector<ScopeTerm> harmless_factors(const std::vector<ScopeTerm>& in_scope) {
  std::vector<ScopeTerm> out = {{"two", integer_literal(2)}};
  for (const ScopeTerm& term : in_scope) out.push_back({concat("1+abs(", term.name, ")"), one_and_size_of(term.expr)});
  return out;
}

std::optional<Refusal> refuse_term(const ScalarPlace& place, const ExprPtr& term, bool nonzero) {
  const algebra::Fact fact = place.fact(term);
  if (!fact.finite) return place.refusal(kFinite, "the value may be infinite or undefined");
  if (nonzero && !fact.is_nonzero()) return place.refusal(kNonZero, "the value may be zero");
  // Half of the digits: what is added to it keeps the other half.
  const double limit = 0.69 * info(place.dtype).precision / 2;
  if (fact.large <= limit && (!nonzero || fact.small >= -limit)) return std::nullopt;
  return place.refusal(kOverflow, concat("an exponential may make it too large or too small for ", code(place.dtype)));
}

void split_read(const ScalarPlace& place, const ReadSplit& how, RewriteList& out) {
  if (!std::holds_alternative<Read>(place.body->node)) return;
  std::vector<ScopeTerm> terms = terms_in_scope(place, place.body, how.neutral);
  for (ScopeTerm& more : how.more(place.body, terms)) terms.push_back(std::move(more));
  for (const ScopeTerm& by : terms) {
    if (place.scalars().same(by.expr, place.body)) continue;
    Values with = {{"with", by.name}};
    if (auto refusal = refuse_term(place, by.expr, how.nonzero)) {
      out.refuse(std::move(with), *std::move(refusal));
      continue;
    }
    std::vector<Holds> holds = {{&kInScope, {}}, {&kFinite, {}}};
    if (how.nonzero) holds.push_back({&kNonZero, {}});
    RewriteList::One& made =
        out.offer(std::move(with), how.split(place.body, by.expr), std::move(holds), std::string(how.because));
    made.inserted = by.expr;
    made.looked_at = by.expr;
    made.brings_in_number = std::holds_alternative<Literal>(by.expr->node);
  }
}

}  // namespace steptp
