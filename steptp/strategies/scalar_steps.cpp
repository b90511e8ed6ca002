// All rewrites of scalar expressions go through here. A strategy only lists its rewrites at a place; this file finds
// the places, separates the accumulator from the body, checks what every rewrite must keep (types, comparisons,
// finite values, divisors that are not zero) and records the facts. Decision 0020.
#include "steptp/strategies/scalar_steps.h"

#include <algorithm>
#include <cmath>

#include "steptp/algebra/build.h"
#include "steptp/base/text.h"
#include "steptp/strategies/origins.h"
#include "steptp/strategies/rewrite.h"
#include "steptp/strategies/value_grounds.h"

namespace steptp {

namespace {

bool is_left(const Statement& statement, const ExprPtr& expr) {
  const auto* read = std::get_if<Read>(&expr->node);
  return read && equal(*read->ref, *statement.equation->left);
}

/// Walks down to a part: whether something on the way compares or rounds to integers, and the conditions around it.
bool walk_to(const PlacedExpr& part, std::vector<PathCondition>& conditions) {
  const ExprPtr* at = &part.statement->equation->right;
  bool only_value = is_float(part.statement->equation->left->dtype);
  for (const std::uint32_t number : part.site.path) {
    const Expr& expr = **at;
    if (is_condition(expr)) only_value = false;
    if (const auto* select = std::get_if<Select>(&expr.node)) {
      if (number == 0) only_value = false;
      if (number > 0) conditions.push_back({select->condition, number == 1});
    }
    if (const auto* call = std::get_if<Call>(&expr.node)) {
      only_value = only_value && call->function != Function::floor && call->function != Function::ceil &&
                   call->function != Function::round;
    }
    if (const auto* product = std::get_if<Product>(&expr.node)) {
      for (const ArithmeticOp op : product->operators) {
        only_value = only_value && op != ArithmeticOp::floor_divide && op != ArithmeticOp::modulo;
      }
    }
    at = &child(expr, number);
  }
  return only_value;
}

/// All that arithmetic and calls are made of is of one type or takes that type.
bool is_of_type(algebra::Scalars& scalars, const ExprPtr& expr, DType dtype) {
  const auto type = scalars.type(expr);
  if (!type || (!type->weak && type->dtype != dtype)) return false;
  if (!scalars.is_arithmetic(expr) && !std::holds_alternative<Call>(expr->node) &&
      !std::holds_alternative<Power>(expr->node)) {
    return true;
  }
  const auto parts = children(*expr);
  return std::all_of(parts.begin(), parts.end(),
                     [&](const ExprPtr* part) { return is_of_type(scalars, *part, dtype); });
}

bool reads_tensor(const Expr& expr, const std::string& tensor) {
  bool found = false;
  for_each_ref(expr, [&](const RefPtr& ref) { found = found || ref->tensor == tensor; });
  return found;
}

/// The chain without the accumulator, which is one of its operands.
template <typename Chain>
ExprPtr without_accumulator(const Statement& statement, const Chain& chain, ArithmeticOp op, ExprPtr& accumulator) {
  Chain rest;
  for (std::size_t i = 0; i < chain.operands.size(); ++i) {
    const ArithmeticOp before = i == 0 ? op : chain.operators[i - 1];
    if (!accumulator && before == op && is_left(statement, chain.operands[i])) {
      accumulator = chain.operands[i];
      continue;
    }
    if (rest.operands.empty() && before != op) return nullptr;  // a sum would begin with a minus
    if (!rest.operands.empty()) rest.operators.push_back(before);
    rest.operands.push_back(chain.operands[i]);
  }
  return rest.operands.size() < 2 ? nullptr : make_expr(std::move(rest));
}

bool is_place(const Expr& expr, const ScalarRule& rule) {
  if (rule.at_reads) return std::holds_alternative<Read>(expr.node);
  return std::holds_alternative<Sum>(expr.node) || std::holds_alternative<Product>(expr.node) ||
         std::holds_alternative<Power>(expr.node) || std::holds_alternative<Call>(expr.node);
}

Result<ScalarPlace, Refusal> scalar_place(View& view, const PlacedExpr& part, const ScalarRule& rule) {
  if (!is_place(*part.expr, rule)) {
    return Refusal{&rule.pattern, part.site, rule.at_reads ? "no read" : "no sum, product, power or call", {}};
  }
  ScalarPlace out{view, part, part.expr, nullptr, DType::f32, {part.statement, {}}};
  const auto type = view.scalars().type(part.expr);
  if (!type || type->weak || !is_float(type->dtype)) {
    return Refusal{&kOneType, part.site, "no float that tensors take part in", {}};
  }
  out.dtype = type->dtype;
  if (!is_of_type(view.scalars(), part.expr, out.dtype)) {
    return Refusal{&kOneType, part.site, concat("not all in it is ", code(out.dtype)), {}};
  }
  if (!walk_to(part, out.place.conditions)) {
    return Refusal{&kValueOnly, part.site, "compared, or made an integer", {}};
  }
  const Statement& statement = *part.statement;
  if (statement.accumulates && reads_tensor(*part.expr, statement.equation->left->tensor)) {
    const ArithmeticOp op = *statement.accumulates;
    const auto* sum = std::get_if<Sum>(&part.expr->node);
    const auto* product = std::get_if<Product>(&part.expr->node);
    out.body = nullptr;
    if (sum && op == ArithmeticOp::add) out.body = without_accumulator(statement, *sum, op, out.accumulator);
    if (product && op == ArithmeticOp::multiply) {
      out.body = without_accumulator(statement, *product, op, out.accumulator);
    }
    if (!out.body || !out.accumulator || reads_tensor(*out.body, statement.equation->left->tensor)) {
      return Refusal{&kAccumulator, part.site, "nothing is left to rewrite beside the accumulator", {}};
    }
  }
  return out;
}

/// The right side with another body in its place.
ExprPtr with_body(const ScalarPlace& place, const ExprPtr& body) {
  ExprPtr part = body;
  if (place.accumulator) {
    part = *place.part.statement->accumulates == ArithmeticOp::add
               ? make_sum(place.accumulator, ArithmeticOp::add, body)
               : make_product(place.accumulator, ArithmeticOp::multiply, body);
  }
  return with_part(place.part.statement->equation->right, place.part.site.path, part);
}

/// What every rewrite has to keep, whatever the strategy.
std::optional<Refusal> refuse_result(const ScalarPlace& place, const RewriteList::One& one) {
  if (one.refusal) return one.refusal;
  if (!one.brings_in_number && place.scalars().same(place.body, one.body)) {
    return place.refusal(kStructure, "only the order, brackets or numbers would be spelled differently");
  }
  const auto type = place.scalars().type(one.body);
  if (!type || type->weak || type->dtype != place.dtype) {
    return place.refusal(kOneType, "the result would be a number of another type");
  }
  const Equation& equation = *place.part.statement->equation;
  if (accumulation_operator(*equation.left, with_body(place, one.body)) != place.part.statement->accumulates) {
    return place.refusal(kAccumulator, "the equation would accumulate in another way");
  }
  if (narrows_product(equation, *equation.left, with_body(place, one.body))) {
    return place.refusal(kOneType, "the product, which is computed in the type of the sum, would be rounded to halves");
  }
  return std::nullopt;
}

/// A value in the expression that may be infinite, or a divisor that may be zero.
struct Unknown {
  ExprPtr key;
  bool divisor = false;
};
std::optional<Unknown> first_unknown(const ScalarPlace& place, const ExprPtr& expr) {
  for (const algebra::Term& term : place.scalars().sum(expr)) {
    for (const algebra::Factor& factor : term.factors) {
      if (factor.number) continue;
      if (place.scalars().is_arithmetic(factor.base)) {
        if (auto unknown = first_unknown(place, factor.base)) return unknown;
      }
      const algebra::Fact fact = place.fact(factor.base);
      if (!fact.finite) return Unknown{factor.key, false};
      if (factor.exponent < 0 && !fact.is_nonzero()) return Unknown{factor.key, true};
    }
  }
  return std::nullopt;
}

/// A precondition with what is known of the values that it speaks of.
void add_with_grounds(const ScalarPlace& place, const RewriteList::One& one, const Holds& holds,
                      std::vector<Holds>& out) {
  const ExprPtr& looked_at = one.looked_at ? one.looked_at : place.body;
  if (holds.precondition == &kFinite) {
    std::vector<ExprPtr> exprs = {looked_at};
    if (one.inserted) exprs.push_back(one.inserted);
    out.push_back({&kFinite, finite_grounds(place, exprs)});
    return;
  }
  if (holds.precondition == &kSign) {
    const std::size_t before = out.size();
    for (const ExprPtr& positive : one.positives) {
      if (std::holds_alternative<Literal>(positive->node)) continue;  // that a number is positive can be seen
      Values ground = nonzero_ground(place, positive);
      const std::string address = place.address_of(place.scalars().key(positive));
      if (ground.empty() || address.empty()) continue;
      ground.emplace_back("argument", address);
      out.push_back({&kSign, std::move(ground)});
    }
    if (out.size() == before) out.push_back(holds);
    return;
  }
  if (holds.precondition != &kNonZero) {
    out.push_back(holds);
    return;
  }
  std::string of_inserted;
  if (one.inserted) {
    Values ground = nonzero_ground(place, one.inserted);
    of_inserted = place.address_of(place.scalars().key(one.inserted));
    ground.emplace_back("is_inserted", true);
    out.push_back({&kNonZero, std::move(ground)});
  }
  for (Values& ground : divisor_grounds(place, looked_at)) {
    const auto* address = ground.back().first == "divisor" ? ground.back().second.as_string() : nullptr;
    if (!address || *address != of_inserted) out.push_back({&kNonZero, std::move(ground)});
  }
  if (out.back().precondition != &kNonZero) out.push_back(holds);
}

/// What stands under an address inside an expression; null where there is nothing.
ExprPtr part_of(const ExprPtr& root, const std::vector<std::uint32_t>& path) {
  ExprPtr at = root;
  for (const std::uint32_t step : path) {
    if (step >= child_count(*at)) return nullptr;
    at = child(*at, step);
  }
  return at;
}

/// Where the new part stands: at the address of the old one, or further outside where it has become one with what is
/// around it, as a product in a product.
Site site_of_new(const Site& old, const ExprPtr& before, const ExprPtr& after) {
  Site out = old;
  while (!out.path.empty()) {
    const ExprPtr part = part_of(after, out.path);
    if (part && equal(*with_part(before, out.path, part), *after)) break;
    out.path.pop_back();
  }
  return out;
}

/// Addresses of what goes, each once.
void add_struck(const ScalarPlace& place, const RewriteList::One& one, Values& values) {
  std::vector<std::string> struck;
  for (const ExprPtr& expr : one.struck) {
    std::string address = place.address_of(place.scalars().key(expr));
    if (address.empty() || std::find(struck.begin(), struck.end(), address) != struck.end()) continue;
    struck.push_back(std::move(address));
  }
  if (one.struck.empty()) return;
  values.emplace_back("struck", Json::Array(struck.begin(), struck.end()));
  values.emplace_back("struck_kind", one.strikes_factors ? "factor" : "term");
}

}  // namespace

std::string ScalarPlace::address_of(const ExprPtr& key) const {
  Site site = part.site;
  const auto search = [&](const auto& self, const ExprPtr& expr) -> bool {
    if (equal(*view.scalars().key(expr), *key)) return true;
    for (std::uint32_t i = 0; i < child_count(*expr); ++i) {
      site.path.push_back(i);
      if (self(self, child(*expr, i))) return true;
      site.path.pop_back();
    }
    return false;
  };
  return search(search, part.expr) ? to_text(site) : std::string();
}

RewriteList::One& RewriteList::offer(Values parameters, ExprPtr body, std::vector<Holds> holds, std::string because) {
  One one;
  one.parameters = std::move(parameters);
  one.body = std::move(body);
  one.holds = std::move(holds);
  one.because = std::move(because);
  return all.emplace_back(std::move(one));
}

void RewriteList::refuse(Values parameters, Refusal refusal) {
  One one;
  one.parameters = std::move(parameters);
  one.refusal = std::move(refusal);
  all.push_back(std::move(one));
}

void scalar_choices(View& view, Listing& listing, const ScalarRule& rule) {
  const Precondition& pattern = rule.pattern;
  for (const PlacedExpr& part : all_expressions(view)) {
    if (!is_place(*part.expr, rule)) continue;
    const auto place = scalar_place(view, part, rule);
    if (!listing.allows(place)) continue;
    RewriteList rewrites;
    rule.find(*place, rewrites);
    if (rewrites.all.empty()) listing.refuse({&pattern, part.site, "the pattern is not there", {}});
    for (const RewriteList::One& one : rewrites.all) {
      if (!listing.allows(refuse_result(*place, one))) continue;
      ChoiceSite site{part.site, {}, false};
      for (std::size_t i = 0; i < rule.parameters.size(); ++i) {
        const Json& value = one.parameters[i].second;
        if (const auto* word = value.as_string()) {
          site.parameters.push_back({rule.parameters[i].name, std::vector<std::string>{*word}});
        } else {
          site.parameters.push_back({rule.parameters[i].name, std::vector<std::int64_t>{*value.as_integer()}});
        }
      }
      listing.offer(std::move(site));
    }
  }
}

Result<Applied, Refusal> scalar_apply(View& view, const Choice& choice, const ScalarRule& rule) {
  const Precondition& pattern = rule.pattern;
  const auto part = find_expression(view, choice.at);
  if (!part) return part.error();
  const auto place = scalar_place(view, *part, rule);
  if (!place) return place.error();
  RewriteList rewrites;
  rule.find(*place, rewrites);
  const auto wanted = std::find_if(rewrites.all.begin(), rewrites.all.end(), [&](const RewriteList::One& one) {
    return std::all_of(one.parameters.begin(), one.parameters.end(), [&](const auto& parameter) {
      const auto* word = parameter.second.as_string();
      return word ? choice.word(parameter.first) == *word
                  : choice.integer(parameter.first) == *parameter.second.as_integer();
    });
  });
  if (wanted == rewrites.all.end()) {
    const auto refused = [](const RewriteList::One& one) { return one.refusal.has_value(); };
    if (rewrites.all.empty()) return Refusal{&pattern, choice.at, "the pattern is not there", {}};
    if (std::all_of(rewrites.all.begin(), rewrites.all.end(), refused)) return *rewrites.all[0].refusal;
    return Refusal{&rule.offered, choice.at, "none of the values that are offered here", {}};
  }
  if (auto refusal = refuse_result(*place, *wanted)) return *std::move(refusal);
  Applied out;
  const Statement& statement = *part->statement;
  const Equation& old = *statement.equation;
  const ExprPtr right = reads_stand_for_alike(with_body(*place, wanted->body), old.right);
  out.program = with_items(view.program(), statement.items, {stands_for(make_equation(old.left, right), old)});
  out.facts.matched = {{"part", choice.at}, {"equation", item_site(statement.items)}};
  out.facts.removed = {{"part", choice.at}};
  out.facts.added = {{"part", site_of_new(choice.at, old.right, right)}};
  out.facts.holds = {{&pattern, wanted->parameters}, {&kOneType, {{"dtype", code(place->dtype)}}}, {&kValueOnly, {}}};
  if (statement.accumulates) out.facts.holds.push_back({&kAccumulator, {}});
  for (const Holds& holds : wanted->holds) add_with_grounds(*place, *wanted, holds, out.facts.holds);
  out.facts.values = wanted->parameters;
  add_struck(*place, *wanted, out.facts.values);
  out.facts.because = wanted->because;
  return out;
}

std::optional<Refusal> refuse_values(const ScalarPlace& place, const ExprPtr& expr) {
  const auto unknown = first_unknown(place, expr);
  if (!unknown) return std::nullopt;
  Values where = {{"value", place.address_of(unknown->key)}};
  return unknown->divisor ? place.refusal(kNonZero, "a divisor may be zero", std::move(where))
                          : place.refusal(kFinite, "a value may be infinite or undefined", std::move(where));
}

std::optional<Refusal> refuse_size(const ScalarPlace& place, const ExprPtr& expr) {
  const algebra::Fact fact = place.fact(expr);
  const double limit = algebra::size_limit(place.dtype);
  if (fact.finite && fact.large <= limit && fact.small >= -limit) return std::nullopt;
  return place.refusal(kOverflow, concat("an exponential may leave the range of ", code(place.dtype)));
}

bool exponents_in_range(const ScalarPlace& place, const ExprPtr& first, const ExprPtr& second) {
  const double limit = algebra::size_limit(place.dtype);
  const algebra::Fact a = place.fact(first);
  const algebra::Fact b = place.fact(second);
  if (!a.finite || !b.finite) return false;
  if ((a.is_nonnegative() && b.is_nonnegative()) || (a.is_nonpositive() && b.is_nonpositive())) return true;
  return a.low >= -limit && a.high <= limit && b.low >= -limit && b.high <= limit;
}

bool keeps_one_sign(const ScalarPlace& place, const ExprPtr& expr) {
  bool added = true;
  bool taken = true;
  for (const algebra::Term& term : place.scalars().sum(expr)) {
    const algebra::Fact fact = place.fact(algebra::build_product(term.factors));
    added = added && (term.negative ? fact.is_nonpositive() : fact.is_nonnegative());
    taken = taken && (term.negative ? fact.is_nonnegative() : fact.is_nonpositive());
  }
  return added || taken;
}

int multiplied_differences(const ScalarPlace& place, const ExprPtr& expr) {
  int most = 0;
  for (const algebra::Term& term : place.scalars().sum(expr)) {
    int count = 0;
    for (const algebra::Factor& factor : term.factors) {
      if (factor.exponent < 0 || !place.scalars().is_arithmetic(factor.base)) continue;
      const int own = is_sum(place, factor.base) && !keeps_one_sign(place, factor.base) ? 1 : 0;
      count += factor.exponent * (own + multiplied_differences(place, factor.base));
    }
    most = std::max(most, count);
  }
  return most;
}

bool is_sum(const ScalarPlace& place, const ExprPtr& expr) {
  return place.scalars().is_arithmetic(expr) && place.scalars().sum(expr).size() > 1;
}

}  // namespace steptp
