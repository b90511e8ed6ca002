// One fold on its way to normal form (docs/decisions/0011). A sum is taken term by term; inside a term, sums of sums
// are one sum, and a choice by indices becomes a condition. Of a maximum, what does not depend on the loops moves out.
// What is left has one body and nothing more to open: its box is brought to one form (fold_ranges.cpp), a sum of
// products falls apart into a product of sums (fold_factors.cpp), and its variables get names (fold_names.cpp).
#include "steptp/prove/reducer.h"

#include <algorithm>
#include <cstdlib>

#include "steptp/prove/fold_factors.h"
#include "steptp/prove/fold_names.h"
#include "steptp/prove/fold_ranges.h"
#include "steptp/prove/give_up.h"

namespace steptp::forms {

PolynomialId Reducer::result() {
  if (op_ == ArithmeticOp::add) return sum();
  if (op_ == ArithmeticOp::max || op_ == ArithmeticOp::min) return extremum();
  return op_ == ArithmeticOp::multiply ? product() : folded();
}

PolynomialId Reducer::again(std::vector<ConditionId> more, PolynomialId body) {
  std::vector<ConditionId> conditions = conditions_;
  conditions.insert(conditions.end(), more.begin(), more.end());
  return arena_.reductions.reduce(op_, variables_, conditions, body);
}

PolynomialId Reducer::sum() {
  if (!arena_.with_algebra()) return plain_sum();
  move_data_conditions();
  // sum(if(c;NaN;x)) = if(c;NaN;sum(x)), where c does not depend on the rounds, of which there are some.
  if (const auto veiled = arena_.masks.as_veiled(body_); veiled && conditions_.empty()) {
    const std::vector<VariableId>& used = arena_.traits_of_condition(veiled->where).variables;
    const bool depends = std::any_of(variables_.begin(), variables_.end(),
                                     [&](VariableId v) { return std::binary_search(used.begin(), used.end(), v); });
    if (!depends) return arena_.masks.veil({veiled->where, again({}, veiled->value)});
  }
  const Polynomial& body = arena_.polynomial(body_);
  // sum(n*x+m*y) = n*sum(x)+m*sum(y).
  if (body.terms.size() > 1) {
    PolynomialId total = arena_.polynomials.constant(0);
    for (const auto& [monomial, coefficient] : body.terms) {
      const PolynomialId term = arena_.intern_polynomial({{{monomial, mpq_class(1)}}});
      total = arena_.polynomials.add(total, arena_.polynomials.scale(again({}, term), coefficient));
    }
    return total;
  }
  if (body.terms.empty()) return body_;
  const mpq_class coefficient = body.terms[0].second;
  if (coefficient != 1) {
    const PolynomialId term = arena_.intern_polynomial({{{body.terms[0].first, mpq_class(1)}}});
    return arena_.polynomials.scale(again({}, term), coefficient);
  }
  if (const auto opened = open_factor(body.terms[0].first)) return *opened;
  return folded();
}

/// sum{c}(x) = sum(if(c;x;0)), where data decides c: terms that data leaves out are zero.
void Reducer::move_data_conditions() {
  const auto stays = std::partition(conditions_.begin(), conditions_.end(), [this](ConditionId condition) {
    return arena_.is_index_condition(condition) || pins_variable(condition);
  });
  for (auto condition = stays; condition != conditions_.end(); ++condition) {
    body_ = arena_.choices.select(*condition, body_, arena_.polynomials.constant(0));
  }
  conditions_.erase(stays, conditions_.end());
}

/// sum{a}(sum{b}(x)) = sum{a,b}(x), without algebra.
PolynomialId Reducer::plain_sum() {
  body_ = arena_.polynomials.lump(body_);
  const auto inner = arena_.as_generator(body_);
  if (!inner) return body_ == arena_.polynomials.constant(0) ? body_ : folded();
  const Generator& node = arena_.generator(*inner);
  if (node.kind == Kind::reduction && static_cast<ArithmeticOp>(node.tag) == ArithmeticOp::add) {
    const auto opened = arena_.reductions.opened(*inner);
    std::vector<VariableId> variables = variables_;
    variables.insert(variables.end(), opened.variables.begin(), opened.variables.end());
    if (variables.size() > 24) throw GiveUp{"a sum over too many loops"};
    std::vector<ConditionId> conditions = conditions_;
    conditions.insert(conditions.end(), opened.conditions.begin(), opened.conditions.end());
    return flat_sum(std::move(variables), conditions, opened.body);
  }
  return folded();
}

std::optional<PolynomialId> Reducer::open_factor(MonomialId monomial) {
  const Monomial& factors = arena_.monomial(monomial);
  for (std::size_t i = 0; i < factors.factors.size(); ++i) {
    const auto& [id, exponent] = factors.factors[i];
    if (exponent != 1) continue;
    const Generator& node = arena_.generator(id);
    Monomial others = factors;
    others.factors.erase(others.factors.begin() + static_cast<std::ptrdiff_t>(i));
    const PolynomialId rest = arena_.intern_polynomial({{{arena_.intern_monomial(others), mpq_class(1)}}});
    if (node.kind == Kind::reduction && static_cast<ArithmeticOp>(node.tag) == ArithmeticOp::add) {
      // sum{a}(y*sum{b}(x)) = sum{a,b}(y*x), where y is a number and the inner sum is never infinite: an infinite
      // factor does not distribute, and a NaN beside an empty sum is not nothing.
      if (arena_.traits(rest).is_wild() || arena_.traits_of_generator(id).may_be_infinite) continue;
      const auto inner = arena_.reductions.opened(id);
      std::vector<VariableId> variables = variables_;
      variables.insert(variables.end(), inner.variables.begin(), inner.variables.end());
      if (variables.size() > 24) throw GiveUp{"a sum over too many loops"};
      std::vector<ConditionId> conditions = conditions_;
      conditions.insert(conditions.end(), inner.conditions.begin(), inner.conditions.end());
      return flat_sum(std::move(variables), conditions, arena_.polynomials.multiply(rest, inner.body));
    }
    if (node.kind == Kind::select && pins_variable(node.conditions[0])) {
      // sum{k}(y*if(k==data;x;0)) = sum{k, k==data}(y*x): of all rounds only the one that the data names adds
      // something.
      if (arena_.polynomials.multiply(rest, node.polynomials[1]) != arena_.polynomials.constant(0)) continue;
      return again({node.conditions[0]}, arena_.polynomials.multiply(rest, node.polynomials[0]));
    }
    // sum(y*if(c;x;z)) = sum{c}(y*x)+sum{not(c)}(y*z), where indices decide c.
    if (node.kind == Kind::select && arena_.is_index_condition(node.conditions[0]) && uses_variables(id)) {
      PolynomialId total = arena_.polynomials.constant(0);
      for (const bool holds : {true, false}) {
        const ConditionId chosen = holds ? node.conditions[0] : arena_.conditions.negation(node.conditions[0]);
        const PolynomialId branch = node.polynomials[holds ? 0 : 1];
        const PolynomialId part = arena_.polynomials.multiply(rest, branch);
        if (part != arena_.polynomials.constant(0)) total = arena_.polynomials.add(total, again({chosen}, part));
      }
      return total;
    }
  }
  return std::nullopt;
}

bool Reducer::pins_variable(ConditionId condition) {
  const Condition& node = arena_.condition(condition);
  if (node.kind != Condition::Kind::zero || arena_.is_index_condition(condition)) return false;
  const Affine equation = arena_.affine(node.left);
  for (const auto& [id, coefficient] : equation.terms) {
    const Atom& atom = arena_.atom(id);
    if (atom.kind != Atom::Kind::variable || !is_own(atom.argument) || std::abs(coefficient) != 1) continue;
    const Affine others = Affine::difference(equation, Affine::scaled(Affine{{{id, 1}}, 0}, coefficient));
    const auto& used = arena_.traits_of_affine(arena_.intern(others)).variables;
    if (std::binary_search(used.begin(), used.end(), atom.argument)) continue;
    // Data that may name no round would leave a condition on data behind.
    if (arena_.known.range(atom.argument).contains(arena_.known.range(Affine::scaled(others, -coefficient))))
      return true;
  }
  return false;
}

PolynomialId Reducer::flat_sum(std::vector<VariableId> variables, const std::vector<ConditionId>& conditions,
                               PolynomialId body) {
  return arena_.reductions.reduce(ArithmeticOp::add, std::move(variables), conditions, body);
}

bool Reducer::uses_variables(GeneratorId id) const {
  const auto& used = arena_.traits_of_generator(id).variables;
  return std::any_of(variables_.begin(), variables_.end(),
                     [&](VariableId v) { return std::binary_search(used.begin(), used.end(), v); });
}

PolynomialId Reducer::product() {
  const auto inner = arena_.as_generator(body_);
  if (!inner) return folded();
  const Generator& node = arena_.generator(*inner);
  // product{a}(product{b}(x)) = product{a,b}(x).
  if (node.kind == Kind::reduction && static_cast<ArithmeticOp>(node.tag) == op_) return with_inner(*inner);
  // product(if(c;x;1)) = product{c}(x), where indices decide c.
  if (node.kind == Kind::select && arena_.is_index_condition(node.conditions[0]) && uses_variables(*inner)) {
    const PolynomialId one = arena_.reductions.identity(op_);
    if (node.polynomials[1] == one) return again({node.conditions[0]}, node.polynomials[0]);
    if (node.polynomials[0] == one) return again({arena_.conditions.negation(node.conditions[0])}, node.polynomials[1]);
  }
  return folded();
}

/// The variables and conditions of a fold by the same operator, which is the whole body, are this fold's too.
PolynomialId Reducer::with_inner(GeneratorId inner) {
  const auto opened = arena_.reductions.opened(inner);
  std::vector<VariableId> variables = variables_;
  variables.insert(variables.end(), opened.variables.begin(), opened.variables.end());
  std::vector<ConditionId> conditions = conditions_;
  conditions.insert(conditions.end(), opened.conditions.begin(), opened.conditions.end());
  return arena_.reductions.reduce(op_, std::move(variables), conditions, opened.body);
}

PolynomialId Reducer::extremum() {
  if (const auto moved = move_out()) return *moved;
  if (const auto chosen = index_of_extremum()) return *chosen;
  const auto inner = arena_.as_generator(body_);
  if (!inner) return folded();
  const Generator& node = arena_.generator(*inner);
  const bool is_max = op_ == ArithmeticOp::max;
  // max{a}(max(x,y)) = max(max{a}(x),max{a}(y)).
  if (node.kind == Kind::extremum && (node.tag == 1) == is_max) {
    std::vector<PolynomialId> operands;
    for (const PolynomialId operand : node.polynomials) operands.push_back(again({}, operand));
    return arena_.choices.extremum(is_max, operands);
  }
  // max{a}(max{b}(x)) = max{a,b}(x).
  if (node.kind == Kind::reduction && static_cast<ArithmeticOp>(node.tag) == op_) return with_inner(*inner);
  // max(if(c;x;y)) = max(max{c}(x),max{not(c)}(y)), where indices decide c.
  if (node.kind == Kind::select && arena_.is_index_condition(node.conditions[0]) && uses_variables(*inner)) {
    std::vector<PolynomialId> parts;
    for (const bool holds : {true, false}) {
      const ConditionId chosen = holds ? node.conditions[0] : arena_.conditions.negation(node.conditions[0]);
      const PolynomialId branch = node.polynomials[holds ? 0 : 1];
      if (branch == arena_.reductions.identity(op_)) continue;  // adds nothing
      parts.push_back(again({chosen}, branch));
    }
    if (parts.empty()) return arena_.reductions.identity(op_);
    // An empty part is the identity, which the other side need not beat: it is dropped by extremum().
    return arena_.choices.extremum(is_max, parts);
  }
  return folded();
}

/// max{a}(2*x+y) = 2*max{a}(x)+y and max{a}(-x) = -min{a}(x), where x and y are numbers and y does not depend on a.
std::optional<PolynomialId> Reducer::move_out() {
  if (!arena_.with_algebra() || arena_.traits(body_).is_wild()) return std::nullopt;
  const Polynomial body = arena_.polynomial(body_);
  Polynomial inside;
  Polynomial outside;
  for (const auto& term : body.terms) (uses_own_variables(term.first) ? inside : outside).terms.push_back(term);
  if (inside.terms.empty()) return std::nullopt;
  mpq_class factor = arena_.choices.common_factor({arena_.intern_polynomial(inside)});
  if (inside.terms[0].second < 0) factor = -factor;
  if (outside.terms.empty() && factor == 1) return std::nullopt;
  for (auto& [monomial, coefficient] : inside.terms) coefficient /= factor;
  const bool is_flipped = factor < 0;
  const ArithmeticOp op = (op_ == ArithmeticOp::max) != is_flipped ? ArithmeticOp::max : ArithmeticOp::min;
  const PolynomialId folded =
      arena_.reductions.reduce(op, variables_, conditions_, arena_.intern_polynomial(std::move(inside)));
  return arena_.polynomials.add(arena_.polynomials.scale(folded, factor), arena_.intern_polynomial(std::move(outside)));
}

bool Reducer::uses_own_variables(MonomialId monomial) const {
  const std::vector<std::pair<GeneratorId, std::int32_t>>& factors = arena_.monomial(monomial).factors;
  return std::any_of(factors.begin(), factors.end(),
                     [this](const auto& factor) { return uses_variables(factor.first); });
}

PolynomialId Reducer::folded() {
  FoldRanges ranges(arena_, fold_);
  switch (ranges.settle()) {
    case FoldRanges::Outcome::empty: return arena_.reductions.identity(op_);
    case FoldRanges::Outcome::changed: return arena_.reductions.reduce(op_, variables_, conditions_, body_);
    case FoldRanges::Outcome::settled: break;
  }
  const mpq_class count = ranges.drop_unused();
  // product{n rounds}(x) = x**n, where x does not depend on the round.
  if (op_ == ArithmeticOp::multiply && count != 1) {
    if (count > 64) throw GiveUp{"a power beyond 64"};
    body_ = arena_.polynomials.integer_power(body_, count.get_num().get_si());
  }
  const bool splits = op_ == ArithmeticOp::add && arena_.with_algebra();
  PolynomialId result = splits ? FoldFactors(arena_, fold_).product_of_components()
                               : FoldNames(arena_, op_).named(variables_, conditions_, body_);
  if (op_ == ArithmeticOp::add) result = arena_.polynomials.scale(result, count);
  return result;
}

}  // namespace steptp::forms
