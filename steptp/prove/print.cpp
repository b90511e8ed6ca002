// Forms as text for whoever works on the prover: each node is written out whole.
#include "steptp/prove/print.h"

namespace steptp::forms {

namespace {

std::string join(const std::vector<std::string>& parts, const std::string& separator) {
  std::string result;
  for (std::size_t i = 0; i < parts.size(); ++i) result += (i == 0 ? "" : separator) + parts[i];
  return result;
}

std::string variable_text(VariableId id) {
  if (id == kThisVariable) return "this";
  if (id == kOtherVariable) return "other";
  if (id < kFirstBound) return "v" + std::to_string(id);
  const std::uint32_t number = id - kFirstBound;
  return "b" + std::to_string(number / kMaxBoundPerReduction) + "." + std::to_string(number % kMaxBoundPerReduction);
}

std::string generator_text(const Arena& arena, GeneratorId id);

std::string atom_text(const Arena& arena, AtomId id) {
  const Atom& atom = arena.atom(id);
  switch (atom.kind) {
    case Atom::Kind::variable: return variable_text(atom.argument);
    case Atom::Kind::quotient:
      return "((" + to_text(arena, arena.affine(atom.argument)) + ")//" + std::to_string(atom.divisor) + ")";
    case Atom::Kind::product: {
      std::vector<std::string> parts;
      for (const AtomId factor : atom.factors) parts.push_back(atom_text(arena, factor));
      return join(parts, "*");
    }
    case Atom::Kind::value: return generator_text(arena, atom.argument);
    case Atom::Kind::wrapped:
      return std::string(code(static_cast<DType>(atom.divisor))) + "(" + to_text(arena, arena.affine(atom.argument)) +
             ")";
  }
  return "?";
}

std::string operator_name(ArithmeticOp op) {
  switch (op) {
    case ArithmeticOp::add: return "sum";
    case ArithmeticOp::multiply: return "product";
    default: return std::string(text_of(op));
  }
}

std::string generator_text(const Arena& arena, GeneratorId id) {
  const Generator& node = arena.generator(id);
  std::vector<std::string> inside;
  for (const AffineId subscript : node.subscripts) inside.push_back(to_text(arena, arena.affine(subscript)));
  const std::string subscripts = "[" + join(inside, ",") + "]";
  inside.clear();
  for (const PolynomialId polynomial : node.polynomials) inside.push_back(to_text(arena, polynomial));
  std::string arguments = "(" + join(inside, ", ") + ")";
  std::vector<std::string> conditions;
  for (const ConditionId condition : node.conditions) conditions.push_back(condition_text(arena, condition));
  switch (node.kind) {
    case Generator::Kind::input: return "in" + std::to_string(node.tag) + subscripts;
    case Generator::Kind::definition: return "def" + std::to_string(node.tag) + subscripts;
    case Generator::Kind::integer: return atom_text(arena, node.tag);
    case Generator::Kind::infinity: return "inf";
    case Generator::Kind::inverse: return "inverse" + arguments;
    case Generator::Kind::call: return std::string(text_of(static_cast<Function>(node.tag))) + arguments;
    case Generator::Kind::extremum: return (node.tag == 1 ? "max" : "min") + arguments;
    case Generator::Kind::select: return "if(" + conditions[0] + "; " + join(inside, "; ") + ")";
    case Generator::Kind::reduction: {
      std::vector<std::string> ranges;
      for (const auto& [low, high] : node.ranges) {
        ranges.push_back(std::to_string(low) + ".." + std::to_string(high));
      }
      return operator_name(static_cast<ArithmeticOp>(node.tag)) + "{" + join(ranges, ",") +
             (conditions.empty() ? "" : " | " + join(conditions, " & ")) + "}@" +
             std::to_string(arena.traits_of_generator(id).height) + arguments;
    }
    case Generator::Kind::conversion: return std::string(code(static_cast<DType>(node.tag))) + arguments;
    case Generator::Kind::power: return "power" + arguments;
    case Generator::Kind::operation: return "operation" + std::to_string(node.tag) + arguments;
    case Generator::Kind::truth: return "truth(" + conditions[0] + ")";
    case Generator::Kind::recurrence: return "recurrence" + arguments + subscripts;
    case Generator::Kind::lump: return arguments;
    case Generator::Kind::self: return "self" + subscripts;
    case Generator::Kind::tamed:
      return (static_cast<TamedKind>(node.tag) == TamedKind::number ? "number" : "positive") + arguments;
  }
  return "?";
}

}  // namespace

std::string to_text(const Arena& arena, const Affine& affine) {
  std::vector<std::string> parts;
  for (const auto& [atom, coefficient] : affine.terms) {
    parts.push_back((coefficient == 1 ? "" : std::to_string(coefficient) + "*") + atom_text(arena, atom));
  }
  if (affine.constant != 0 || parts.empty()) parts.push_back(std::to_string(affine.constant));
  return join(parts, "+");
}

std::string to_text(const Arena& arena, PolynomialId id) {
  std::vector<std::string> parts;
  for (const auto& [monomial, coefficient] : arena.polynomial(id).terms) {
    std::vector<std::string> factors;
    if (coefficient != 1 || arena.monomial(monomial).factors.empty()) factors.push_back(coefficient.get_str());
    for (const auto& [generator, exponent] : arena.monomial(monomial).factors) {
      factors.push_back(generator_text(arena, generator) + (exponent == 1 ? "" : "^" + std::to_string(exponent)));
    }
    parts.push_back(join(factors, "*"));
  }
  return parts.empty() ? "0" : join(parts, " + ");
}

std::string condition_text(const Arena& arena, ConditionId id) {
  const Condition& node = arena.condition(id);
  const auto all = [&](const std::string& separator) {
    std::vector<std::string> parts;
    for (const ConditionId part : node.parts) parts.push_back(condition_text(arena, part));
    return "(" + join(parts, separator) + ")";
  };
  switch (node.kind) {
    case Condition::Kind::never: return "never";
    case Condition::Kind::always: return "always";
    case Condition::Kind::nonnegative: return to_text(arena, arena.affine(node.left)) + ">=0";
    case Condition::Kind::zero: return to_text(arena, arena.affine(node.left)) + "==0";
    case Condition::Kind::less: return to_text(arena, node.left) + "<" + to_text(arena, node.right);
    case Condition::Kind::less_equal: return to_text(arena, node.left) + "<=" + to_text(arena, node.right);
    case Condition::Kind::equal: return to_text(arena, node.left) + "==" + to_text(arena, node.right);
    case Condition::Kind::boolean: return generator_text(arena, node.left);
    case Condition::Kind::negation: return "not " + condition_text(arena, node.left);
    case Condition::Kind::conjunction: return all(" & ");
    case Condition::Kind::disjunction: return all(" | ");
  }
  return "?";
}

}  // namespace steptp::forms
