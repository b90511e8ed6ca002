// What a generator may be (docs/decisions/0011: "nodes know whether they may be infinite or NaN, and no law is applied
// that fails there"). A generator starts with the traits of its parts, and the rule of its kind changes them. A trait
// that is set too often costs proofs; one that is missing makes proofs wrong.
#include <algorithm>
#include <utility>

#include "steptp/prove/arena.h"
#include "steptp/prove/written_operations.h"

namespace steptp::forms {

/// Longer than a screen, because it is one switch over all kinds: the compiler names the rule that a new kind lacks.
Traits TraitRules::traits_of(const Generator& node) {
  // Traits outlive what is assumed just now.
  const Knowledge::Ignoring ignoring(arena_.known);
  Traits traits;
  for (const ConditionId condition : node.conditions) absorb(traits, conditions_.traits(condition));
  bool all_integers = true;
  for (const PolynomialId polynomial : node.polynomials) {
    absorb_values(traits, polynomials_.traits(polynomial));
    all_integers &= polynomials_.traits(polynomial).is_integer;
  }
  // Conditions and polynomials stand inside what a reduction or a recurrence binds; subscripts stand outside.
  const auto remove_bound = [&] {
    traits.height += 1;
    std::erase_if(traits.variables, [&](VariableId v) {
      return v >= bound_variable(traits.height, 0) && v < bound_variable(traits.height + 1, 0);
    });
  };
  switch (node.kind) {
    case Generator::Kind::input:
      traits.is_integer = store_.inputs[node.tag].is_integer;
      traits.may_be_infinite = store_.inputs[node.tag].may_be_infinite;
      traits.may_be_nan = store_.inputs[node.tag].may_be_nan;
      break;
    case Generator::Kind::definition:
      traits.may_be_infinite = store_.definitions[node.tag].may_be_infinite;
      traits.may_be_nan = store_.definitions[node.tag].may_be_nan;
      break;
    case Generator::Kind::self:
      traits.has_self = true;
      traits.is_integer = node.tag == static_cast<std::uint32_t>(SelfKind::integer);
      traits.may_be_infinite = traits.may_be_nan = node.tag == static_cast<std::uint32_t>(SelfKind::real);
      break;
    case Generator::Kind::integer:
      absorb(traits, atoms_.traits(node.tag));
      traits.is_integer = true;
      break;
    case Generator::Kind::infinity: traits.may_be_infinite = true; break;
    case Generator::Kind::inverse: traits.may_be_infinite = !sign(node.polynomials[0]).nonzero; break;
    case Generator::Kind::call: set_call_traits(node, traits); break;
    case Generator::Kind::power: traits.may_be_infinite = traits.may_be_nan = true; break;
    case Generator::Kind::operation: set_operation_traits(node, traits); break;
    case Generator::Kind::tamed: traits.may_be_infinite = traits.may_be_nan = false; break;
    case Generator::Kind::conversion:
    case Generator::Kind::truth:
      traits.is_integer = true;
      traits.may_be_infinite = traits.may_be_nan = false;
      break;
    case Generator::Kind::extremum:
    case Generator::Kind::lump:
    case Generator::Kind::select: traits.is_integer = all_integers; break;
    case Generator::Kind::reduction: {
      const auto op = static_cast<ArithmeticOp>(node.tag);
      // An empty maximum is -inf; it may be empty where conditions decide.
      if (op == ArithmeticOp::max || op == ArithmeticOp::min) {
        traits.may_be_infinite |= traits.may_be_nan || !arena_.reductions.is_filled(node, traits.height + 1);
      }
      if (traits.may_be_infinite && (op == ArithmeticOp::add || op == ArithmeticOp::multiply)) traits.may_be_nan = true;
      traits.is_integer = all_integers && !traits.is_wild();
      remove_bound();
      break;
    }
    case Generator::Kind::recurrence:
      // What the steps of a recurrence can reach is not followed.
      traits.is_integer = node.tag == 1;
      traits.may_be_infinite = traits.may_be_nan = !traits.is_integer;
      traits.has_self = false;
      remove_bound();
      break;
  }
  for (const AffineId subscript : node.subscripts) absorb(traits, affines_.traits(subscript));
  return traits;
}

void TraitRules::set_call_traits(const Generator& node, Traits& traits) {
  switch (static_cast<Function>(node.tag)) {
    case Function::log:
    case Function::rsqrt: {
      const Sign s = sign(node.polynomials[0]);
      if (!(s.nonnegative && s.nonzero)) traits.may_be_infinite = true;
      if (!s.nonnegative) traits.may_be_nan = true;
      break;
    }
    case Function::sqrt:
      if (!sign(node.polynomials[0]).nonnegative) traits.may_be_nan = true;
      break;
    case Function::sin:
    case Function::cos:
      if (traits.may_be_infinite) traits.may_be_nan = true;
      break;
    case Function::exp:
      if (is_below_infinity(node.polynomials[0])) traits.may_be_infinite = false;
      break;
    default: break;
  }
}

/// x**3: as finite as x.
bool TraitRules::is_natural_power(const Generator& node) const {
  if (operation_of(node.tag).op != ArithmeticOp::power) return false;
  const auto exponent = as_constant(node.polynomials[1]);
  return exponent && exponent->get_den() == 1 && sgn(*exponent) >= 0;
}

/// What the operands can be is in the traits already.
void TraitRules::set_operation_traits(const Generator& node, Traits& traits) {
  const WrittenOperation operation = operation_of(node.tag);
  traits.is_integer = !is_float(operation.dtype);
  if (traits.is_integer) {
    traits.may_be_infinite = traits.may_be_nan = false;
    return;
  }
  const auto set_wild = [&] { traits.may_be_infinite = traits.may_be_nan = true; };
  switch (operation.kind) {
    case WrittenOperation::Kind::rounding:
    case WrittenOperation::Kind::term: return;
    case WrittenOperation::Kind::arithmetic:
      if (operation.op == ArithmeticOp::add || operation.op == ArithmeticOp::multiply || is_natural_power(node)) {
        traits.may_be_nan |= traits.may_be_infinite;
      } else if (operation.op != ArithmeticOp::divide || traits.is_wild() || !sign(node.polynomials[1]).nonzero) {
        set_wild();
      }
      return;
    case WrittenOperation::Kind::function: break;
  }
  const Sign argument = sign(node.polynomials[0]);
  switch (operation.function) {
    case Function::exp:
      if (is_below_infinity(node.polynomials[0])) traits.may_be_infinite = false;
      return;
    case Function::erf:
    case Function::tanh: return;
    case Function::sqrt: traits.may_be_nan |= !argument.nonnegative; return;
    case Function::log:
    case Function::rsqrt:
      traits.may_be_nan |= !argument.nonnegative;
      traits.may_be_infinite |= !(argument.nonnegative && argument.nonzero);
      return;
    case Function::sin:
    case Function::cos: traits.may_be_nan |= traits.may_be_infinite; return;
    case Function::negate:
    case Function::abs:
    case Function::floor:
    case Function::ceil:
    case Function::round: set_wild(); return;
  }
}

}  // namespace steptp::forms
