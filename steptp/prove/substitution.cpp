// Substitution (docs/decisions/0011). What is put for variables may decide conditions, cancel terms and reorder the
// loops of folds, so nothing is patched: every node that a variable touches is made again by its constructor, with the
// arms of a choice under its condition. What is not touched stays, except that knowledge of the moment may decide it.
#include <algorithm>

#include "steptp/prove/arena.h"
#include "steptp/prove/give_up.h"

namespace steptp::forms {

namespace {

bool touches(const Traits& traits, const Substitution& map) {
  return std::any_of(traits.variables.begin(), traits.variables.end(),
                     [&](VariableId variable) { return map.contains(variable); });
}

}  // namespace

/// One substitution; remembers what was done, under what was known at the time.
class Substituter {
 public:
  Substituter(Arena& arena, const Substitution& map) : arena_(arena), map_(map) {}

  Affine affine(const Affine& affine) {
    Affine result = Affine::number(affine.constant);
    for (const auto& [atom, coefficient] : affine.terms) result = Affine::sum(result, this->atom(atom), coefficient);
    return result;
  }

  ConditionId condition(ConditionId id) {
    const Deeper deeper(arena_.budget);
    if (!touches(arena_.traits_of_condition(id), map_)) return refreshed(id);
    const Condition& node = arena_.condition(id);
    switch (node.kind) {
      case Condition::Kind::never:
      case Condition::Kind::always: return id;
      case Condition::Kind::nonnegative: return arena_.conditions.nonnegative(affine(arena_.affine(node.left)));
      case Condition::Kind::zero: return arena_.conditions.zero(affine(arena_.affine(node.left)));
      case Condition::Kind::less:
        return arena_.conditions.compare(CompareOp::less, polynomial(node.left), polynomial(node.right));
      case Condition::Kind::less_equal:
        return arena_.conditions.compare(CompareOp::less_equal, polynomial(node.left), polynomial(node.right));
      case Condition::Kind::equal:
        return arena_.conditions.compare(CompareOp::equal, polynomial(node.left), polynomial(node.right));
      case Condition::Kind::boolean: {
        const PolynomialId value = generator(node.left);
        const auto inside = arena_.as_generator(value);
        if (!inside) throw GiveUp{"a bool that became a number"};
        return arena_.conditions.boolean(*inside);
      }
      case Condition::Kind::negation: return arena_.conditions.negation(condition(node.left));
      case Condition::Kind::conjunction:
      case Condition::Kind::disjunction: {
        std::vector<ConditionId> parts;
        for (const ConditionId part : node.parts) parts.push_back(condition(part));
        return node.kind == Condition::Kind::conjunction ? arena_.conditions.conjunction(parts)
                                                         : arena_.conditions.disjunction(parts);
      }
    }
    return id;
  }

  PolynomialId polynomial(PolynomialId id) {
    const Deeper deeper(arena_.budget);
    if (!touches(arena_.traits(id), map_)) return id;
    const auto key = std::make_pair(id, arena_.known.knowledge());
    if (const auto known = done_.find(key); known != done_.end()) return known->second;
    const Polynomial& node = arena_.polynomial(id);
    PolynomialId result = arena_.polynomials.constant(0);
    for (const auto& [monomial, coefficient] : node.terms) {
      PolynomialId product = arena_.polynomials.constant(1);
      const Monomial& factors = arena_.monomial(monomial);
      for (const auto& [factor, exponent] : factors.factors) {
        PolynomialId value = generator(factor);
        product = arena_.polynomials.multiply(product, arena_.polynomials.integer_power(value, exponent));
      }
      result = arena_.polynomials.add(result, arena_.polynomials.scale(product, coefficient));
    }
    // An element of what is never negative, wherever it is: what is put for a variable may lie beyond its range.
    result = arena_.signs.as_nonnegative_element(result, id);
    done_.emplace(key, result);
    return result;
  }

  PolynomialId generator(GeneratorId id) {
    const Generator& node = arena_.generator(id);
    if (!touches(arena_.traits_of_generator(id), map_)) return arena_.polynomials.generator(node);
    arena_.budget.spend(4);
    switch (node.kind) {
      case Generator::Kind::input:
      case Generator::Kind::definition:
      case Generator::Kind::self:
      case Generator::Kind::recurrence: {
        Generator result = node;
        for (AffineId& subscript : result.subscripts) {
          subscript = arena_.intern(affine(arena_.affine(subscript)));
        }
        return arena_.polynomials.generator(std::move(result));
      }
      case Generator::Kind::integer: return arena_.polynomials.integer(atom(node.tag));
      case Generator::Kind::infinity: return arena_.polynomials.generator(node);
      case Generator::Kind::inverse: return arena_.polynomials.inverse(polynomial(node.polynomials[0]));
      case Generator::Kind::lump: return arena_.polynomials.lump(polynomial(node.polynomials[0]));
      case Generator::Kind::tamed: {
        const PolynomialId inside = polynomial(node.polynomials[0]);
        return static_cast<TamedKind>(node.tag) == TamedKind::number ? arena_.masks.number_part(inside)
                                                                     : arena_.masks.positive_part(inside);
      }
      case Generator::Kind::call:
        return arena_.functions.call(static_cast<Function>(node.tag), polynomial(node.polynomials[0]));
      case Generator::Kind::extremum: {
        std::vector<PolynomialId> operands;
        for (const PolynomialId operand : node.polynomials) operands.push_back(polynomial(operand));
        return arena_.choices.extremum(node.tag == 1, operands);
      }
      case Generator::Kind::select: return select(node);
      case Generator::Kind::reduction: return reduction(id);
      case Generator::Kind::conversion:
      case Generator::Kind::operation: {
        Generator result = node;
        for (PolynomialId& operand : result.polynomials) operand = polynomial(operand);
        return arena_.polynomials.generator(std::move(result));
      }
      case Generator::Kind::power:
        return arena_.functions.power(polynomial(node.polynomials[0]), polynomial(node.polynomials[1]));
      case Generator::Kind::truth: {
        const ConditionId inside = condition(node.conditions[0]);
        if (inside == arena_.conditions.always()) return arena_.polynomials.constant(1);
        if (inside == arena_.conditions.never()) return arena_.polynomials.constant(0);
        return arena_.polynomials.generator({Generator::Kind::truth, 0, {}, {inside}, {}, {}});
      }
    }
    throw GiveUp{"a generator without a substitution"};
  }

 private:
  /// Each arm under its own condition.
  PolynomialId select(const Generator& node) {
    const ConditionId chosen = condition(node.conditions[0]);
    if (chosen == arena_.conditions.always()) return polynomial(node.polynomials[0]);
    if (chosen == arena_.conditions.never()) return polynomial(node.polynomials[1]);
    PolynomialId if_true = 0;
    PolynomialId if_false = 0;
    {
      const Assumption assumed(arena_, chosen);
      if_true = polynomial(node.polynomials[0]);
    }
    {
      const Assumption assumed(arena_, arena_.conditions.negation(chosen));
      if_false = polynomial(node.polynomials[1]);
    }
    return arena_.choices.select(chosen, if_true, if_false);
  }

  /// Fresh variables for the bound ones; the order may come out differently after a substitution.
  PolynomialId reduction(GeneratorId id) {
    const Generator& node = arena_.generator(id);
    const std::uint32_t height = arena_.traits_of_generator(id).height;
    Substitution inner = map_;
    std::vector<VariableId> variables;
    for (std::size_t i = 0; i < node.ranges.size(); ++i) {
      const VariableId fresh = arena_.known.new_variable(node.ranges[i].first, node.ranges[i].second);
      variables.push_back(fresh);
      inner[bound_variable(height, static_cast<std::uint32_t>(i))] = arena_.affines.variable(fresh);
    }
    Substituter inside(arena_, inner);
    std::vector<ConditionId> conditions;
    for (const ConditionId condition : node.conditions) conditions.push_back(inside.condition(condition));
    return arena_.reductions.reduce(static_cast<ArithmeticOp>(node.tag), std::move(variables), conditions,
                                    inside.polynomial(node.polynomials[0]));
  }

  Affine atom(AtomId id) {
    const Deeper deeper(arena_.budget);
    const Atom& node = arena_.atom(id);
    Affine same{{{id, 1}}, 0};
    if (!touches(arena_.traits_of_atom(id), map_)) return same;
    switch (node.kind) {
      case Atom::Kind::variable: {
        const auto found = map_.find(node.argument);
        return found == map_.end() ? same : found->second;
      }
      case Atom::Kind::quotient: return arena_.affines.quotient(affine(arena_.affine(node.argument)), node.divisor);
      case Atom::Kind::product: {
        Affine result = Affine::number(1);
        for (const AtomId factor : node.factors) result = arena_.affines.product(result, atom(factor));
        return result;
      }
      case Atom::Kind::value: {
        const PolynomialId value = generator(node.argument);
        auto result = arena_.polynomials.as_affine(value);
        if (!result) throw GiveUp{"an index that is not an integer any more"};
        return *result;
      }
      case Atom::Kind::wrapped:
        return arena_.affines.wrapped(affine(arena_.affine(node.argument)), static_cast<DType>(node.divisor));
    }
    return same;
  }

  /// Untouched, but what is known may decide it now.
  ConditionId refreshed(ConditionId id) {
    const Truth known = arena_.known.truth(id);
    return known == Truth::maybe ? id : known == Truth::yes ? arena_.conditions.always() : arena_.conditions.never();
  }

  Arena& arena_;
  const Substitution& map_;
  std::map<std::pair<PolynomialId, std::uint32_t>, PolynomialId> done_;
};

Affine Substitutions::affine(const Affine& affine, const Substitution& map) {
  return Substituter(arena_, map).affine(affine);
}

ConditionId Substitutions::condition(ConditionId id, const Substitution& map) {
  return Substituter(arena_, map).condition(id);
}

PolynomialId Substitutions::polynomial(PolynomialId id, const Substitution& map) {
  return Substituter(arena_, map).polynomial(id);
}

}  // namespace steptp::forms
