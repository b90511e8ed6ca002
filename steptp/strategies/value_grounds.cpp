#include "steptp/strategies/value_grounds.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "steptp/algebra/build.h"

namespace steptp {

namespace {

Values because(std::string_view why) { return {{"why", why}}; }

Values ground_of_known(const Variable& variable) {
  if (!variable.values.empty()) return {{"why", "values"}, {"tensor", variable.name}};
  Values out = {{"why", "domain"}, {"tensor", variable.name}};
  switch (variable.domain.kind) {
    case Domain::Kind::positive: out.emplace_back("domain", "positive"); break;
    case Domain::Kind::nonzero: out.emplace_back("domain", "nonzero"); break;
    case Domain::Kind::range: out.emplace_back("domain", "range"); break;
    case Domain::Kind::masked:
    case Domain::Kind::unstated:
    case Domain::Kind::any: return because("condition");
  }
  return out;
}

Values ground_of_read(const ScalarPlace& place, const std::string& tensor) {
  const TensorFacts& facts = place.view.table().tensors.at(tensor);
  if (!place.view.real_facts().of_tensor(tensor).is_nonzero()) return because("condition");
  if (facts.writes.empty()) return ground_of_known(*facts.known);
  const Access& last = place.view.table().accesses[facts.writes.back()];
  const Statement& statement = place.view.table().statements[last.statement];
  return {{"why", "computed"}, {"tensor", tensor}, {"definition", to_text(item_site(statement.items))}};
}

/// No term goes below zero, and one stays above.
bool has_positive_terms(const ScalarPlace& place, const ExprPtr& expr) {
  bool is_positive = false;
  for (const algebra::Term& term : place.scalars().sum(expr)) {
    const algebra::Fact fact = place.fact(algebra::build_product(term.factors));
    if (term.negative ? !fact.is_nonpositive() : !fact.is_nonnegative()) return false;
    is_positive = is_positive || (!term.negative && fact.is_positive());
  }
  return is_positive;
}

void add_divisors(const ScalarPlace& place, const ExprPtr& expr, std::vector<Values>& out) {
  for (const algebra::Term& term : place.scalars().sum(expr)) {
    for (const algebra::Factor& factor : term.factors) {
      if (factor.number) continue;
      if (place.scalars().is_arithmetic(factor.base)) add_divisors(place, factor.base, out);
      if (factor.exponent > 0) continue;
      Values ground = nonzero_ground(place, factor.base);
      if (ground.empty()) continue;
      const std::string address = place.address_of(factor.key);
      if (!address.empty()) ground.emplace_back("divisor", address);
      const std::string text = Json(ground).dump();
      const auto is_same = [&](const Values& other) { return Json(other).dump() == text; };
      if (std::none_of(out.begin(), out.end(), is_same)) out.push_back(std::move(ground));
    }
  }
}

Json names(const std::set<std::string>& tensors) { return Json::Array(tensors.begin(), tensors.end()); }

}  // namespace

Values finite_grounds(const ScalarPlace& place, const std::vector<ExprPtr>& exprs) {
  std::set<std::string> given;
  std::set<std::string> computed;
  for (const ExprPtr& expr : exprs) {
    for_each_ref(*expr, [&](const RefPtr& ref) {
      if (!place.view.real_facts().of_tensor(ref->tensor).finite) return;
      const bool is_written = !place.view.table().tensors.at(ref->tensor).writes.empty();
      (is_written ? computed : given).insert(ref->tensor);
    });
  }
  return {{"given", names(given)}, {"computed", names(computed)}};
}

Values nonzero_ground(const ScalarPlace& place, const ExprPtr& expr) {
  const algebra::Fact fact = place.fact(expr);
  if (!fact.is_nonzero()) return {};
  if (const auto* read = std::get_if<Read>(&expr->node)) return ground_of_read(place, read->ref->tensor);
  if (const auto* call = std::get_if<Call>(&expr->node)) {
    if (call->function == Function::exp) return because("exp");
    if (call->function == Function::sqrt && place.fact(call->argument).is_positive()) return because("root");
  }
  // Bounds are rounded outwards, so that a whole number comes out a little below itself.
  const double least = std::floor(fact.low + 1e-9);
  if (least >= 1 && least < 1e6) return {{"why", "least"}, {"least", static_cast<std::int64_t>(least)}};
  if (is_sum(place, expr) && has_positive_terms(place, expr)) return because("terms");
  if (fact.is_positive()) return because("positive");
  return because(fact.high < 0 ? "negative" : "condition");
}

std::vector<Values> divisor_grounds(const ScalarPlace& place, const ExprPtr& expr) {
  std::vector<Values> out;
  add_divisors(place, expr, out);
  return out;
}

}  // namespace steptp
