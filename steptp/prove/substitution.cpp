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
    Affine result = Arena::number(affine.constant);
    for (const auto& [atom, coefficient] : affine.terms) result = Arena::sum(result, this->atom(atom), coefficient);
    return result;
  }

  ConditionId condition(ConditionId id) {
    const Arena::Deeper deeper(arena_);
    if (!touches(arena_.conditions_.traits(id), map_)) return refreshed(id);
    const Condition& node = arena_.conditions_[id];
    switch (node.kind) {
      case Condition::Kind::never:
      case Condition::Kind::always: return id;
      case Condition::Kind::nonnegative: return arena_.nonnegative(affine(arena_.affines_[node.left]));
      case Condition::Kind::zero: return arena_.zero(affine(arena_.affines_[node.left]));
      case Condition::Kind::less: return arena_.compare(CompareOp::less, polynomial(node.left), polynomial(node.right));
      case Condition::Kind::less_equal:
        return arena_.compare(CompareOp::less_equal, polynomial(node.left), polynomial(node.right));
      case Condition::Kind::equal:
        return arena_.compare(CompareOp::equal, polynomial(node.left), polynomial(node.right));
      case Condition::Kind::boolean: {
        const PolynomialId value = generator(node.left);
        const auto inside = arena_.as_generator(value);
        if (!inside) throw GiveUp{"a bool that became a number"};
        return arena_.boolean(*inside);
      }
      case Condition::Kind::negation: return arena_.negation(condition(node.left));
      case Condition::Kind::conjunction:
      case Condition::Kind::disjunction: {
        std::vector<ConditionId> parts;
        for (const ConditionId part : node.parts) parts.push_back(condition(part));
        return node.kind == Condition::Kind::conjunction ? arena_.conjunction(parts) : arena_.disjunction(parts);
      }
    }
    return id;
  }

  PolynomialId polynomial(PolynomialId id) {
    const Arena::Deeper deeper(arena_);
    if (!touches(arena_.polynomials_.traits(id), map_)) return id;
    const auto key = std::make_pair(id, arena_.knowledge());
    if (const auto known = done_.find(key); known != done_.end()) return known->second;
    const Polynomial& node = arena_.polynomials_[id];
    PolynomialId result = arena_.constant(0);
    for (const auto& [monomial, coefficient] : node.terms) {
      PolynomialId product = arena_.constant(1);
      const Monomial& factors = arena_.monomials_[monomial];
      for (const auto& [factor, exponent] : factors.factors) {
        PolynomialId value = generator(factor);
        product = arena_.multiply(product, arena_.integer_power(value, exponent));
      }
      result = arena_.add(result, arena_.scale(product, coefficient));
    }
    // An element of what is never negative, wherever it is: what is put for a variable may lie beyond its range.
    const auto known = arena_.nonnegative_anywhere_.find(id);
    if (known != arena_.nonnegative_anywhere_.end()) result = arena_.as_nonnegative(result, known->second);
    done_.emplace(key, result);
    return result;
  }

  PolynomialId generator(GeneratorId id) {
    const Generator& node = arena_.generators_[id];
    if (!touches(arena_.generators_.traits(id), map_)) return arena_.generator(node);
    arena_.spend(4);
    switch (node.kind) {
      case Generator::Kind::input:
      case Generator::Kind::definition:
      case Generator::Kind::self:
      case Generator::Kind::recurrence: {
        Generator result = node;
        for (AffineId& subscript : result.subscripts) {
          subscript = arena_.intern(affine(arena_.affines_[subscript]));
        }
        return arena_.generator(std::move(result));
      }
      case Generator::Kind::integer: return arena_.integer(atom(node.tag));
      case Generator::Kind::infinity: return arena_.generator(node);
      case Generator::Kind::inverse: return arena_.inverse(polynomial(node.polynomials[0]));
      case Generator::Kind::lump: return arena_.lump(polynomial(node.polynomials[0]));
      case Generator::Kind::tamed: {
        const PolynomialId inside = polynomial(node.polynomials[0]);
        return static_cast<TamedKind>(node.tag) == TamedKind::number ? arena_.number_part(inside)
                                                                     : arena_.positive_part(inside);
      }
      case Generator::Kind::call: return arena_.call(static_cast<Function>(node.tag), polynomial(node.polynomials[0]));
      case Generator::Kind::extremum: {
        std::vector<PolynomialId> operands;
        for (const PolynomialId operand : node.polynomials) operands.push_back(polynomial(operand));
        return arena_.extremum(node.tag == 1, operands);
      }
      case Generator::Kind::select: {
        const ConditionId chosen = condition(node.conditions[0]);
        if (chosen == arena_.always()) return polynomial(node.polynomials[0]);
        if (chosen == arena_.never()) return polynomial(node.polynomials[1]);
        PolynomialId if_true = 0;
        PolynomialId if_false = 0;
        {
          const Arena::Assumption assumed(arena_, chosen);
          if_true = polynomial(node.polynomials[0]);
        }
        {
          const Arena::Assumption assumed(arena_, arena_.negation(chosen));
          if_false = polynomial(node.polynomials[1]);
        }
        return arena_.select(chosen, if_true, if_false);
      }
      case Generator::Kind::reduction: {
        // Fresh variables for the bound ones; the order may come out differently after a substitution.
        const std::uint32_t height = arena_.generators_.traits(id).height;
        Substitution inner = map_;
        std::vector<VariableId> variables;
        for (std::size_t i = 0; i < node.ranges.size(); ++i) {
          const VariableId fresh = arena_.new_variable(node.ranges[i].first, node.ranges[i].second);
          variables.push_back(fresh);
          inner[bound_variable(height, static_cast<std::uint32_t>(i))] = arena_.variable(fresh);
        }
        Substituter inside(arena_, inner);
        std::vector<ConditionId> conditions;
        for (const ConditionId condition : node.conditions) conditions.push_back(inside.condition(condition));
        return arena_.reduce(static_cast<ArithmeticOp>(node.tag), std::move(variables), conditions,
                             inside.polynomial(node.polynomials[0]));
      }
      case Generator::Kind::conversion:
      case Generator::Kind::operation: {
        Generator result = node;
        for (PolynomialId& operand : result.polynomials) operand = polynomial(operand);
        return arena_.generator(std::move(result));
      }
      case Generator::Kind::power:
        return arena_.power(polynomial(node.polynomials[0]), polynomial(node.polynomials[1]));
      case Generator::Kind::truth: {
        const ConditionId inside = condition(node.conditions[0]);
        if (inside == arena_.always()) return arena_.constant(1);
        if (inside == arena_.never()) return arena_.constant(0);
        return arena_.generator({Generator::Kind::truth, 0, {}, {inside}, {}, {}});
      }
    }
    throw GiveUp{"a generator without a substitution"};
  }

 private:
  Affine atom(AtomId id) {
    const Arena::Deeper deeper(arena_);
    const Atom& node = arena_.atoms_[id];
    Affine same{{{id, 1}}, 0};
    if (!touches(arena_.atoms_.traits(id), map_)) return same;
    switch (node.kind) {
      case Atom::Kind::variable: {
        const auto found = map_.find(node.argument);
        return found == map_.end() ? same : found->second;
      }
      case Atom::Kind::quotient: return arena_.quotient(affine(arena_.affines_[node.argument]), node.divisor);
      case Atom::Kind::product: {
        Affine result = Arena::number(1);
        for (const AtomId factor : node.factors) result = arena_.product(result, atom(factor));
        return result;
      }
      case Atom::Kind::value: {
        const PolynomialId value = generator(node.argument);
        auto result = arena_.as_affine(value);
        if (!result) throw GiveUp{"an index that is no integer any more"};
        return *result;
      }
      case Atom::Kind::wrapped:
        return arena_.wrapped(affine(arena_.affines_[node.argument]), static_cast<DType>(node.divisor));
    }
    return same;
  }

  /// Untouched, but what is known may decide it now.
  ConditionId refreshed(ConditionId id) {
    const Truth known = arena_.truth(id);
    return known == Truth::maybe ? id : known == Truth::yes ? arena_.always() : arena_.never();
  }

  Arena& arena_;
  const Substitution& map_;
  std::map<std::pair<PolynomialId, std::uint32_t>, PolynomialId> done_;
};

Affine Arena::substitute(const Affine& affine, const Substitution& map) {
  return Substituter(*this, map).affine(affine);
}

ConditionId Arena::substitute_condition(ConditionId id, const Substitution& map) {
  return Substituter(*this, map).condition(id);
}

PolynomialId Arena::substitute_polynomial(PolynomialId id, const Substitution& map) {
  return Substituter(*this, map).polynomial(id);
}

void Arena::for_each_affine_of_affine(const Affine& affine, const std::function<void(const Affine&)>& visit) {
  const Deeper deeper(*this);
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
      case Atom::Kind::value: {
        const Generator& generator = generators_[node.argument];
        for (const AffineId subscript : generator.subscripts) for_each_affine_of_affine(affines_[subscript], visit);
        for (const PolynomialId inner : generator.polynomials) for_each_affine(inner, visit);
        for (const ConditionId inner : generator.conditions) for_each_affine_of_condition(inner, visit);
        break;
      }
    }
  }
}

void Arena::for_each_affine_of_condition(ConditionId id, const std::function<void(const Affine&)>& visit) {
  const Deeper deeper(*this);
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
    case Condition::Kind::boolean: {
      const Generator& generator = generators_[node.left];
      for (const AffineId subscript : generator.subscripts) for_each_affine_of_affine(affines_[subscript], visit);
      for (const PolynomialId inner : generator.polynomials) for_each_affine(inner, visit);
      for (const ConditionId inner : generator.conditions) for_each_affine_of_condition(inner, visit);
      break;
    }
    case Condition::Kind::negation: for_each_affine_of_condition(node.left, visit); break;
    case Condition::Kind::conjunction:
    case Condition::Kind::disjunction:
      for (const ConditionId part : node.parts) for_each_affine_of_condition(part, visit);
      break;
  }
}

void Arena::for_each_affine(PolynomialId id, const std::function<void(const Affine&)>& visit) {
  const Deeper deeper(*this);
  spend(1);
  for (const auto& [monomial, coefficient] : polynomials_[id].terms) {
    for (const auto& [factor, exponent] : monomials_[monomial].factors) {
      const Generator& node = generators_[factor];
      if (node.kind == Generator::Kind::integer) for_each_affine_of_affine(Affine{{{node.tag, 1}}, 0}, visit);
      for (const AffineId subscript : node.subscripts) for_each_affine_of_affine(affines_[subscript], visit);
      for (const PolynomialId inner : node.polynomials) for_each_affine(inner, visit);
      for (const ConditionId inner : node.conditions) for_each_affine_of_condition(inner, visit);
    }
  }
}

void Arena::for_each_input(PolynomialId id, std::set<std::uint32_t>& found) {
  // Every generator that can be reached, each once.
  std::set<GeneratorId> seen;
  const std::function<void(GeneratorId)> visit_generator = [&](GeneratorId generator) {
    if (!seen.insert(generator).second) return;
    const Deeper deeper(*this);
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
