// Forms as the statements of certificates (docs/verification.md, "Certificates"; the grammar is in replay/form.h).
// Forms share parts: written out as trees they would grow without bound, so a part that is long and occurs anywhere is
// written once and referred to by number. A choice by indices at the top of a form becomes regions of the element.
#include "steptp/prove/statement.h"

#include <algorithm>
#include <utility>

#include "steptp/base/text.h"

namespace steptp::forms {

namespace {

std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
  return join(parts, separator, [](const std::string& part) { return part; });
}

/// Shorter texts are repeated rather than written apart.
constexpr std::size_t kLongText = 48;
constexpr std::size_t kMostRegions = 64;

}  // namespace

void StatementWriter::name_element(const std::vector<VariableId>& element) {
  for (std::size_t d = 0; d < element.size(); ++d) names_[element[d]] = concat("i", d);
}

std::string StatementWriter::variable(VariableId id) {
  if (const auto known = names_.find(id); known != names_.end()) return known->second;
  if (id < kFirstBound) return concat("v", id);
  const std::uint32_t number = id - kFirstBound;
  return concat("b", number / kMaxBoundPerReduction, ".", number % kMaxBoundPerReduction);
}

std::vector<ProofRecord::Region> StatementWriter::regions(const Value& value, const std::vector<VariableId>& element) {
  std::vector<ProofRecord::Region> out;
  name_element(element);
  if (value.kind == Value::Kind::real) {
    add_regions(value.real, {}, out);
  } else {
    out.push_back({"always", whole(value, element), {}, {}, {}});
  }
  return out;
}

std::string StatementWriter::whole(const Value& value, const std::vector<VariableId>& element) {
  name_element(element);
  switch (value.kind) {
    case Value::Kind::real: return polynomial(value.real);
    case Value::Kind::integer: return affine(value.integer);
    case Value::Kind::truth: return concat("truth(", condition(value.truth), ")");
  }
  return {};
}

std::string StatementWriter::no_value(PolynomialId hazard, const std::vector<VariableId>& element) {
  name_element(element);
  return hazard == kHarmless ? std::string() : polynomial(hazard);
}

std::string StatementWriter::where(const std::vector<std::pair<ConditionId, bool>>& conditions,
                                   const std::vector<VariableId>& element) {
  name_element(element);
  std::vector<std::string> parts;
  for (const auto& [id, holds] : conditions)
    parts.push_back(concat(holds ? "" : "not(", condition(id), holds ? "" : ")"));
  return parts.empty() ? "always" : concat("and(", joined(parts, ","), ")");
}

void StatementWriter::add_regions(PolynomialId id, std::vector<std::string> where,
                                  std::vector<ProofRecord::Region>& out) {
  const auto only = arena_.as_generator(id);
  const Generator* node = only ? &arena_.generator(*only) : nullptr;
  if (node && node->kind == Generator::Kind::select && arena_.is_index_condition(node->conditions[0]) &&
      out.size() < kMostRegions) {
    const std::string chosen = condition(node->conditions[0]);
    std::vector<std::string> other = where;
    where.push_back(chosen);
    other.push_back(concat("not(", chosen, ")"));
    add_regions(node->polynomials[0], std::move(where), out);
    add_regions(node->polynomials[1], std::move(other), out);
    return;
  }
  out.push_back({where.empty() ? "always" : concat("and(", joined(where, ","), ")"), polynomial(id), {}, {}, {}});
}

std::optional<ProofRecord::Condition> StatementWriter::condition(const Need& need,
                                                                 const std::set<std::uint32_t>& listed) {
  const Traits& traits = need.is_monomial ? arena_.traits_of_monomial(need.of) : arena_.traits_of_generator(need.of);
  for (const VariableId id : traits.variables) {
    if (id >= kFirstBound) return std::nullopt;
  }
  ProofRecord::Condition out;
  std::set<std::uint32_t> outside = std::exchange(used_, {});
  out.of = need.is_monomial ? monomial(need.of) : generator(need.of);
  outside.swap(used_);
  if (!std::includes(listed.begin(), listed.end(), outside.begin(), outside.end()) ||
      out.of.find("self[") != std::string::npos) {
    return std::nullopt;
  }
  switch (need.kind) {
    case Need::Kind::nonzero: out.needs = "nonzero"; break;
    case Need::Kind::finite: out.needs = "finite"; break;
    case Need::Kind::nonnegative: out.needs = "nonnegative"; break;
  }
  for (const VariableId id : traits.variables) {
    const Interval range = arena_.known.range(id);
    out.variables.push_back(
        {variable(id), {static_cast<std::int64_t>(range.low), static_cast<std::int64_t>(range.high)}});
  }
  return out;
}

std::string StatementWriter::monomial(MonomialId id) {
  std::vector<std::string> factors;
  for (const auto& [factor, exponent] : arena_.monomial(id).factors) {
    factors.push_back(exponent == 1 ? generator(factor) : concat(generator(factor), "^", exponent));
  }
  return factors.empty() ? "1" : joined(factors, "*");
}

std::string StatementWriter::polynomial(PolynomialId id) {
  std::string out;
  for (const auto& [factors, coefficient] : arena_.polynomial(id).terms) {
    const bool negative = sgn(coefficient) < 0;
    if (negative || !out.empty()) out += negative ? "-" : "+";
    const mpq_class size = abs(coefficient);
    const bool is_number = arena_.monomial(factors).factors.empty();
    if (size != 1 || is_number) append(out, size.get_str(), is_number ? "" : "*");
    if (!is_number) out += monomial(factors);
  }
  return out.empty() ? "0" : out;
}

std::string StatementWriter::affine(const Affine& sum) {
  std::string out;
  for (const auto& [factor, coefficient] : sum.terms) {
    if (coefficient < 0 || !out.empty()) out += coefficient < 0 ? "-" : "+";
    const std::int64_t size = coefficient < 0 ? -coefficient : coefficient;
    if (size != 1) append(out, size, "*");
    out += atom(factor);
  }
  if (sum.constant < 0) return concat(out, sum.constant);
  if (sum.constant > 0 || out.empty()) append(out, out.empty() ? "" : "+", sum.constant);
  return out;
}

std::string StatementWriter::atom(AtomId id) {
  const Deeper deeper(arena_.budget);
  const Atom& node = arena_.atom(id);
  switch (node.kind) {
    case Atom::Kind::variable: return variable(node.argument);
    case Atom::Kind::quotient: return concat("quotient(", affine(arena_.affine(node.argument)), ",", node.divisor, ")");
    case Atom::Kind::product: {
      std::vector<std::string> parts;
      for (const AtomId factor : node.factors) parts.push_back(atom(factor));
      return concat("(", joined(parts, "*"), ")");
    }
    case Atom::Kind::value: return generator(node.argument);
    case Atom::Kind::wrapped:
      return concat("wrap_", code(static_cast<DType>(node.divisor)), "(", affine(arena_.affine(node.argument)), ")");
  }
  return {};
}

std::string StatementWriter::subscripts(const Generator& node) {
  std::vector<std::string> parts;
  for (const AffineId subscript : node.subscripts) parts.push_back(affine(arena_.affine(subscript)));
  return concat("[", joined(parts, ","), "]");
}

std::string StatementWriter::generator(GeneratorId id) {
  const Deeper deeper(arena_.budget);
  if (is_too_large()) return "0";
  if (const auto known = part_numbers_.find(id); known != part_numbers_.end()) {
    const auto& inside = used_in_[id];
    used_.insert(inside.begin(), inside.end());
    return concat("$", known->second);
  }
  std::set<std::uint32_t> outside = std::exchange(used_, {});
  std::string text = written(id);
  size_ += text.size();
  // What speaks of itself means the recurrence around it, so it stays inside.
  const bool is_part = text.size() > kLongText && text.find("self[") == std::string::npos;
  if (is_part) {
    used_in_[id] = used_;
    // Parts that are written alike are one.
    const auto [known, is_new] = numbers_by_text_.try_emplace(text, parts_.size());
    part_numbers_[id] = known->second;
    if (is_new) parts_.push_back(std::move(text));
    text = concat("$", part_numbers_[id]);
  }
  used_.merge(outside);
  return text;
}

/// As a real function: which type it is rounded in plays no part in a proof of equality.
std::string StatementWriter::operation(const WrittenOperation& operation, const std::vector<std::string>& inside,
                                       const std::string& arguments) {
  switch (operation.kind) {
    case WrittenOperation::Kind::rounding:
    case WrittenOperation::Kind::term: return concat("(", inside[0], ")");
    case WrittenOperation::Kind::function: return concat(text_of(operation.function), arguments);
    case WrittenOperation::Kind::arithmetic: break;
  }
  const DType dtype = is_float(operation.dtype) ? DType::f64 : operation.dtype;
  switch (operation.op) {
    case ArithmeticOp::add: return concat("(", inside[0], "+(", inside[1], "))");
    case ArithmeticOp::subtract: return concat("(", inside[0], "-(", inside[1], "))");
    case ArithmeticOp::multiply: return concat("((", inside[0], ")*(", inside[1], "))");
    case ArithmeticOp::divide: return concat("((", inside[0], ")*inverse(", inside[1], "))");
    case ArithmeticOp::floor_divide: return concat("div_", code(dtype), arguments);
    case ArithmeticOp::modulo: return concat("mod_", code(dtype), arguments);
    case ArithmeticOp::power: return concat("power", arguments);
    case ArithmeticOp::max: return concat("max", arguments);
    case ArithmeticOp::min: return concat("min", arguments);
  }
  return arguments;
}

std::string StatementWriter::written(GeneratorId id) {
  const Generator& node = arena_.generator(id);
  std::vector<std::string> inside;
  for (const PolynomialId part : node.polynomials) inside.push_back(polynomial(part));
  std::string arguments = concat("(", joined(inside, ","), ")");
  switch (node.kind) {
    case Generator::Kind::input: return concat(signature_.variables[node.tag].name, subscripts(node));
    case Generator::Kind::definition: used_.insert(node.tag); return concat("#", node.tag, subscripts(node));
    case Generator::Kind::integer: return atom(node.tag);
    case Generator::Kind::infinity: return "inf";
    case Generator::Kind::inverse: return concat("inverse", arguments);
    case Generator::Kind::call: return concat(text_of(static_cast<Function>(node.tag)), arguments);
    case Generator::Kind::extremum: return concat(node.tag == 1 ? "max" : "min", arguments);
    case Generator::Kind::select:
      return concat("select(", condition(node.conditions[0]), ",", inside[0], ",", inside[1], ")");
    case Generator::Kind::reduction: return reduction(node, arena_.traits_of_generator(id).height, arguments);
    case Generator::Kind::conversion: return concat("to_", code(static_cast<DType>(node.tag)), arguments);
    case Generator::Kind::power: return concat("power", arguments);
    case Generator::Kind::operation: return operation(operation_of(node.tag), inside, arguments);
    case Generator::Kind::truth: return concat("truth(", condition(node.conditions[0]), ")");
    case Generator::Kind::recurrence: {
      const std::uint32_t height = arena_.traits_of_generator(id).height;
      std::vector<std::string> names;
      for (std::uint32_t i = 0; i < node.subscripts.size(); ++i) names.push_back(variable(bound_variable(height, i)));
      return concat("recurrence{", joined(names, ","), "}", arguments, subscripts(node));
    }
    case Generator::Kind::lump: return arguments;
    case Generator::Kind::self: return concat("self", subscripts(node));
    case Generator::Kind::tamed:
      return static_cast<TamedKind>(node.tag) == TamedKind::number
                 ? concat("select(lt(-inf,", inside[0], "),", inside[0], ",0)")
                 : concat("select(lt(0,", inside[0], "),", inside[0], ",1)");
  }
  return {};
}

std::string StatementWriter::reduction(const Generator& node, std::uint32_t height, const std::string& arguments) {
  std::vector<std::string> ranges;
  for (std::uint32_t i = 0; i < node.ranges.size(); ++i) {
    ranges.push_back(
        concat(variable(bound_variable(height, i)), "=", node.ranges[i].first, "..", node.ranges[i].second));
  }
  std::vector<std::string> conditions;
  for (const ConditionId part : node.conditions) conditions.push_back(condition(part));
  const auto op = static_cast<ArithmeticOp>(node.tag);
  const std::string_view name = op == ArithmeticOp::add        ? "sum"
                                : op == ArithmeticOp::multiply ? "product"
                                                               : text_of(op);
  return concat(name, "{", joined(ranges, ","), conditions.empty() ? "" : "|", joined(conditions, ","), "}", arguments);
}

std::string StatementWriter::condition(ConditionId id) {
  const Deeper deeper(arena_.budget);
  const Condition& node = arena_.condition(id);
  const auto all = [&](std::string_view name) {
    std::vector<std::string> parts;
    for (const ConditionId part : node.parts) parts.push_back(condition(part));
    return concat(name, "(", joined(parts, ","), ")");
  };
  const auto compared = [&](std::string_view name) {
    const std::string left = polynomial(node.left);
    return concat(name, "(", left, ",", polynomial(node.right), ")");
  };
  switch (node.kind) {
    case Condition::Kind::never: return "never";
    case Condition::Kind::always: return "always";
    case Condition::Kind::nonnegative: return concat("ge0(", affine(arena_.affine(node.left)), ")");
    case Condition::Kind::zero: return concat("eq0(", affine(arena_.affine(node.left)), ")");
    case Condition::Kind::less: return compared("lt");
    case Condition::Kind::less_equal: return compared("le");
    case Condition::Kind::equal: return compared("eq");
    case Condition::Kind::boolean: return concat("is(", generator(node.left), ")");
    case Condition::Kind::negation: return concat("not(", condition(node.left), ")");
    case Condition::Kind::conjunction: return all("and");
    case Condition::Kind::disjunction: return all("or");
  }
  return {};
}

}  // namespace steptp::forms
