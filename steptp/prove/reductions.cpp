// Folds: sums term by term, greatest and least values.
#include <algorithm>
#include <numeric>
#include <set>

#include "steptp/ir/index.h"
#include "steptp/prove/give_up.h"
#include "steptp/prove/reducer.h"

namespace steptp::forms {

PolynomialId Reducer::result() {
  if (op_ == ArithmeticOp::add) return sum();
  if (op_ == ArithmeticOp::max || op_ == ArithmeticOp::min) return extremum();
  return folded();
}

void Reducer::add_condition(ConditionId condition) {
  const Condition& node = arena_.condition(condition);
  if (node.kind == Condition::Kind::always) return;
  if (node.kind == Condition::Kind::conjunction) {
    const std::vector<ConditionId> parts = node.parts;
    for (const ConditionId part : parts) add_condition(part);
    return;
  }
  if (std::find(conditions_.begin(), conditions_.end(), condition) == conditions_.end()) {
    conditions_.push_back(condition);
  }
}

PolynomialId Reducer::again(std::vector<ConditionId> more, PolynomialId body) {
  std::vector<ConditionId> conditions = conditions_;
  conditions.insert(conditions.end(), more.begin(), more.end());
  return arena_.reduce(op_, variables_, conditions, body);
}

PolynomialId Reducer::sum() {
  if (!arena_.with_algebra_) return plain_sum();
  move_data_conditions();
  if (const auto veiled = arena_.as_veiled(body_); veiled && conditions_.empty()) {
    const std::vector<VariableId>& used = arena_.traits_of_condition(veiled->where).variables;
    const bool depends = std::any_of(variables_.begin(), variables_.end(),
                                     [&](VariableId v) { return std::binary_search(used.begin(), used.end(), v); });
    if (!depends) return arena_.veil({veiled->where, again({}, veiled->value)});
  }
  const Polynomial& body = arena_.polynomial(body_);
  if (body.terms.size() > 1) {
    PolynomialId total = arena_.constant(0);
    for (const auto& [monomial, coefficient] : body.terms) {
      const PolynomialId term = arena_.intern_polynomial({{{monomial, mpq_class(1)}}});
      total = arena_.add(total, arena_.scale(again({}, term), coefficient));
    }
    return total;
  }
  if (body.terms.empty()) return body_;
  const mpq_class coefficient = body.terms[0].second;
  if (coefficient != 1) {
    const PolynomialId term = arena_.intern_polynomial({{{body.terms[0].first, mpq_class(1)}}});
    return arena_.scale(again({}, term), coefficient);
  }
  if (const auto opened = open_factor(body.terms[0].first)) return *opened;
  return folded();
}

void Reducer::move_data_conditions() {
  const auto stays = std::partition(conditions_.begin(), conditions_.end(), [this](ConditionId condition) {
    return arena_.is_index_condition(condition) || pins_variable(condition);
  });
  for (auto condition = stays; condition != conditions_.end(); ++condition) {
    body_ = arena_.select(*condition, body_, arena_.constant(0));
  }
  conditions_.erase(stays, conditions_.end());
}

PolynomialId Reducer::plain_sum() {
  body_ = arena_.lump(body_);
  const auto inner = arena_.as_generator(body_);
  if (!inner) return body_ == arena_.constant(0) ? body_ : folded();
  const Generator& node = arena_.generator(*inner);
  if (node.kind == Kind::reduction && static_cast<ArithmeticOp>(node.tag) == ArithmeticOp::add) {
    const auto opened = arena_.opened(*inner);
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
      // An infinite factor does not distribute, and a NaN beside an empty sum is not nothing.
      if (arena_.traits(rest).is_wild() || arena_.traits_of_generator(id).may_be_infinite) continue;
      const auto inner = arena_.opened(id);
      std::vector<VariableId> variables = variables_;
      variables.insert(variables.end(), inner.variables.begin(), inner.variables.end());
      if (variables.size() > 24) throw GiveUp{"a sum over too many loops"};
      std::vector<ConditionId> conditions = conditions_;
      conditions.insert(conditions.end(), inner.conditions.begin(), inner.conditions.end());
      return flat_sum(std::move(variables), conditions, arena_.multiply(rest, inner.body));
    }
    if (node.kind == Kind::select && pins_variable(node.conditions[0])) {
      // One-hot: of all rounds only the one that the data names adds something.
      if (arena_.multiply(rest, node.polynomials[1]) != arena_.constant(0)) continue;
      return again({node.conditions[0]}, arena_.multiply(rest, node.polynomials[0]));
    }
    if (node.kind == Kind::select && arena_.is_index_condition(node.conditions[0]) && uses_variables(id)) {
      PolynomialId total = arena_.constant(0);
      for (const bool holds : {true, false}) {
        const ConditionId chosen = holds ? node.conditions[0] : arena_.negation(node.conditions[0]);
        const PolynomialId branch = node.polynomials[holds ? 0 : 1];
        const PolynomialId part = arena_.multiply(rest, branch);
        if (part != arena_.constant(0)) total = arena_.add(total, again({chosen}, part));
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
    const Affine others = Arena::difference(equation, Arena::scaled(Affine{{{id, 1}}, 0}, coefficient));
    const auto& used = arena_.traits_of_affine(arena_.intern(others)).variables;
    if (std::binary_search(used.begin(), used.end(), atom.argument)) continue;
    // Data that may name no round would leave a condition on data behind.
    if (arena_.range(atom.argument).contains(arena_.range(Arena::scaled(others, -coefficient)))) return true;
  }
  return false;
}

PolynomialId Reducer::flat_sum(std::vector<VariableId> variables, const std::vector<ConditionId>& conditions,
                               PolynomialId body) {
  return arena_.reduce(ArithmeticOp::add, std::move(variables), conditions, body);
}

bool Reducer::uses_variables(GeneratorId id) const {
  const auto& used = arena_.traits_of_generator(id).variables;
  return std::any_of(variables_.begin(), variables_.end(),
                     [&](VariableId v) { return std::binary_search(used.begin(), used.end(), v); });
}

PolynomialId Reducer::extremum() {
  if (const auto moved = move_out()) return *moved;
  if (const auto chosen = index_of_extremum()) return *chosen;
  const auto inner = arena_.as_generator(body_);
  if (!inner) return folded();
  const Generator& node = arena_.generator(*inner);
  const bool is_max = op_ == ArithmeticOp::max;
  if (node.kind == Kind::extremum && (node.tag == 1) == is_max) {
    std::vector<PolynomialId> operands;
    for (const PolynomialId operand : node.polynomials) operands.push_back(again({}, operand));
    return arena_.extremum(is_max, operands);
  }
  if (node.kind == Kind::reduction && static_cast<ArithmeticOp>(node.tag) == op_) {
    const auto opened = arena_.opened(*inner);
    std::vector<VariableId> variables = variables_;
    variables.insert(variables.end(), opened.variables.begin(), opened.variables.end());
    std::vector<ConditionId> conditions = conditions_;
    conditions.insert(conditions.end(), opened.conditions.begin(), opened.conditions.end());
    return arena_.reduce(op_, std::move(variables), conditions, opened.body);
  }
  if (node.kind == Kind::select && arena_.is_index_condition(node.conditions[0]) && uses_variables(*inner)) {
    std::vector<PolynomialId> parts;
    for (const bool holds : {true, false}) {
      const ConditionId chosen = holds ? node.conditions[0] : arena_.negation(node.conditions[0]);
      const PolynomialId branch = node.polynomials[holds ? 0 : 1];
      if (branch == arena_.identity(op_)) continue;  // adds nothing
      parts.push_back(again({chosen}, branch));
    }
    if (parts.empty()) return arena_.identity(op_);
    // An empty part is the identity, which the other side need not beat: it is dropped by extremum().
    return arena_.extremum(is_max, parts);
  }
  return folded();
}

std::optional<PolynomialId> Reducer::move_out() {
  if (!arena_.with_algebra_ || arena_.traits(body_).is_wild()) return std::nullopt;
  const Polynomial body = arena_.polynomial(body_);
  Polynomial inside;
  Polynomial outside;
  for (const auto& term : body.terms) (uses_own_variables(term.first) ? inside : outside).terms.push_back(term);
  if (inside.terms.empty()) return std::nullopt;
  mpq_class factor = arena_.common_factor({arena_.intern_polynomial(inside)});
  if (inside.terms[0].second < 0) factor = -factor;
  if (outside.terms.empty() && factor == 1) return std::nullopt;
  for (auto& [monomial, coefficient] : inside.terms) coefficient /= factor;
  const bool is_flipped = factor < 0;
  const ArithmeticOp op = (op_ == ArithmeticOp::max) != is_flipped ? ArithmeticOp::max : ArithmeticOp::min;
  const PolynomialId folded = arena_.reduce(op, variables_, conditions_, arena_.intern_polynomial(std::move(inside)));
  return arena_.add(arena_.scale(folded, factor), arena_.intern_polynomial(std::move(outside)));
}

bool Reducer::uses_own_variables(MonomialId monomial) const {
  const std::vector<std::pair<GeneratorId, std::int32_t>>& factors = arena_.monomial(monomial).factors;
  return std::any_of(factors.begin(), factors.end(),
                     [this](const auto& factor) { return uses_variables(factor.first); });
}

Arena::Opened Arena::opened(GeneratorId fold) {
  const Generator node = generators_[fold];
  const std::uint32_t height = generators_.traits(fold).height;
  Opened result;
  Substitution map;
  for (std::size_t i = 0; i < node.ranges.size(); ++i) {
    result.variables.push_back(new_variable(node.ranges[i].first, node.ranges[i].second));
    map[bound_variable(height, static_cast<std::uint32_t>(i))] = variable(result.variables.back());
  }
  for (const ConditionId condition : node.conditions) {
    result.conditions.push_back(substitute_condition(condition, map));
  }
  result.body = substitute_polynomial(node.polynomials[0], map);
  return result;
}

PolynomialId Arena::reduce(ArithmeticOp op, std::vector<VariableId> variables,
                           const std::vector<ConditionId>& conditions, PolynomialId body) {
  const Deeper deeper(*this);
  spend(8);
  const PolynomialId result = Reducer(*this, op, std::move(variables), conditions, body).result();
  if (op != ArithmeticOp::add || !nonnegative_.contains(body)) return result;
  const bool is_anywhere = nonnegative_anywhere_.contains(body);
  return as_nonnegative(result, false, is_anywhere ? Variables::anything : Variables::in_range);
}

}  // namespace steptp::forms
