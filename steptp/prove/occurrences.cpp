// Walks over what is inside of a form: affine sums wherever they stand, and known variables.
#include <functional>
#include <set>

#include "steptp/prove/arena.h"

namespace steptp::forms {

void Occurrences::for_each_affine_of_generator(const Generator& node, const std::function<void(const Affine&)>& visit) {
  for (const AffineId subscript : node.subscripts) for_each_affine_of_affine(affines_[subscript], visit);
  for (const PolynomialId inner : node.polynomials) for_each_affine(inner, visit);
  for (const ConditionId inner : node.conditions) for_each_affine_of_condition(inner, visit);
}

void Occurrences::for_each_affine_of_affine(const Affine& affine, const std::function<void(const Affine&)>& visit) {
  const Deeper deeper(budget_);
  visit(affine);
  for (const auto& [id, coefficient] : affine.terms) {
    const Atom& node = atoms_[id];
    switch (node.kind) {
      case Atom::Kind::variable: break;
      case Atom::Kind::quotient:
      case Atom::Kind::wrapped: for_each_affine_of_affine(affines_[node.argument], visit); break;
      case Atom::Kind::product:
        for (const AtomId factor : node.factors) for_each_affine_of_affine(Affine{{{factor, 1}}, 0}, visit);
        break;
      case Atom::Kind::value: for_each_affine_of_generator(generators_[node.argument], visit); break;
    }
  }
}

void Occurrences::for_each_affine_of_condition(ConditionId id, const std::function<void(const Affine&)>& visit) {
  const Deeper deeper(budget_);
  const Condition& node = conditions_[id];
  switch (node.kind) {
    case Condition::Kind::never:
    case Condition::Kind::always: break;
    case Condition::Kind::nonnegative:
    case Condition::Kind::zero: for_each_affine_of_affine(affines_[node.left], visit); break;
    case Condition::Kind::less:
    case Condition::Kind::less_equal:
    case Condition::Kind::equal:
      for_each_affine(node.left, visit);
      for_each_affine(node.right, visit);
      break;
    case Condition::Kind::boolean: for_each_affine_of_generator(generators_[node.left], visit); break;
    case Condition::Kind::negation: for_each_affine_of_condition(node.left, visit); break;
    case Condition::Kind::conjunction:
    case Condition::Kind::disjunction:
      for (const ConditionId part : node.parts) for_each_affine_of_condition(part, visit);
      break;
  }
}

void Occurrences::for_each_affine(PolynomialId id, const std::function<void(const Affine&)>& visit) {
  const Deeper deeper(budget_);
  budget_.spend(1);
  for (const auto& [monomial, coefficient] : polynomials_[id].terms) {
    for (const auto& [factor, exponent] : monomials_[monomial].factors) {
      const Generator& node = generators_[factor];
      if (node.kind == Generator::Kind::integer) for_each_affine_of_affine(Affine{{{node.tag, 1}}, 0}, visit);
      for_each_affine_of_generator(node, visit);
    }
  }
}

void Occurrences::for_each_input(PolynomialId id, std::set<std::uint32_t>& found) {
  // Every generator that can be reached, each once.
  std::set<GeneratorId> seen;
  const std::function<void(GeneratorId)> visit_generator = [&](GeneratorId generator) {
    if (!seen.insert(generator).second) return;
    const Deeper deeper(budget_);
    const Generator& node = generators_[generator];
    if (node.kind == Generator::Kind::input) found.insert(node.tag);
    const std::function<void(const Affine&)> visit_affine = [&](const Affine& affine) {
      for (const auto& [atom, coefficient] : affine.terms) {
        const Atom& inside = atoms_[atom];
        if (inside.kind == Atom::Kind::value) visit_generator(inside.argument);
      }
    };
    const std::function<void(PolynomialId)> visit_polynomial = [&](PolynomialId polynomial) {
      for (const auto& [monomial, coefficient] : polynomials_[polynomial].terms) {
        for (const auto& [factor, exponent] : monomials_[monomial].factors) visit_generator(factor);
      }
    };
    const std::function<void(ConditionId)> visit_condition = [&](ConditionId condition) {
      const Condition& inside = conditions_[condition];
      switch (inside.kind) {
        case Condition::Kind::less:
        case Condition::Kind::less_equal:
        case Condition::Kind::equal:
          visit_polynomial(inside.left);
          visit_polynomial(inside.right);
          break;
        case Condition::Kind::boolean: visit_generator(inside.left); break;
        case Condition::Kind::negation: visit_condition(inside.left); break;
        default: break;
      }
      for (const ConditionId part : inside.parts) visit_condition(part);
      for_each_affine_of_condition(condition, visit_affine);
    };
    if (node.kind == Generator::Kind::integer) for_each_affine_of_affine(Affine{{{node.tag, 1}}, 0}, visit_affine);
    for (const AffineId subscript : node.subscripts) for_each_affine_of_affine(affines_[subscript], visit_affine);
    for (const PolynomialId inner : node.polynomials) visit_polynomial(inner);
    for (const ConditionId inner : node.conditions) visit_condition(inner);
  };
  for (const auto& [monomial, coefficient] : polynomials_[id].terms) {
    for (const auto& [factor, exponent] : monomials_[monomial].factors) visit_generator(factor);
  }
}

}  // namespace steptp::forms
