// Elements that have a value at no input. The traits of a node say what it may be; here it is asked what it must be,
// and only rules that hold for every input answer yes: 0*inf, a logarithm or a root of what is negative, and whatever
// sums, products and functions make of a NaN. Regions come from splitting at conditions on the element.

#include "steptp/prove/vacuous.h"

#include <algorithm>
#include <optional>

#include "steptp/base/text.h"
#include "steptp/prove/give_up.h"
#include "steptp/prove/prove.h"
#include "steptp/prove/statement.h"

namespace steptp::forms {

namespace {

constexpr std::size_t kMostLeaves = 32;

}  // namespace

bool Vacuity::is_nan(PolynomialId id) {
  const Deeper deeper(arena_.budget);
  if (!arena_.traits(id).may_be_nan) return false;
  const Polynomial sum = arena_.polynomial(id);
  bool has_plus = false;
  bool has_minus = false;
  for (const auto& [number, coefficient] : sum.terms) {
    const Monomial product = arena_.monomial(number);
    for (const auto& [factor, exponent] : product.factors) {
      if (is_nan_generator(factor)) return true;
      // inf times anything is infinite or NaN, so that zero times it is NaN.
      if (coefficient == 0 && exponent > 0 && sign_of_infinity(factor) != 0) return true;
    }
    if (product.factors.size() != 1 || product.factors[0].second != 1) continue;
    const int sign = sign_of_infinity(product.factors[0].first) * sgn(coefficient);
    has_plus = has_plus || sign > 0;
    has_minus = has_minus || sign < 0;
  }
  return has_plus && has_minus;
}

bool Vacuity::is_nan_generator(GeneratorId id) {
  if (!arena_.traits_of_generator(id).may_be_nan) return false;
  const std::pair key(arena_.known.knowledge(), id);
  if (const auto at = known_.find(key); at != known_.end()) return at->second;
  return known_[key] = finds_nan(id);
}

bool Vacuity::finds_nan(GeneratorId id) {
  const Generator node = arena_.generator(id);
  const auto is_part = [&](std::size_t number) { return is_nan(node.polynomials[number]); };
  switch (node.kind) {
    case Generator::Kind::call: {
      const auto function = static_cast<Function>(node.tag);
      const bool has_domain = function == Function::log || function == Function::sqrt || function == Function::rsqrt;
      const Sign sign = has_domain ? arena_.signs.sign(node.polynomials[0]) : Sign{};
      return is_part(0) || (sign.nonpositive && sign.nonzero);
    }
    case Generator::Kind::inverse:
    case Generator::Kind::lump: return is_part(0);
    case Generator::Kind::extremum:
      return std::all_of(node.polynomials.begin(), node.polynomials.end(),
                         [&](PolynomialId part) { return is_nan(part); });
    case Generator::Kind::select:
      switch (arena_.known.truth(node.conditions[0])) {
        case Truth::yes: return is_part(0);
        case Truth::no: return is_part(1);
        case Truth::maybe: return is_part(0) && is_part(1);
      }
      return false;
    case Generator::Kind::reduction: {
      const auto op = static_cast<ArithmeticOp>(node.tag);
      // A maximum over NaN alone is -inf, and a sum over nothing is 0.
      return (op == ArithmeticOp::add || op == ArithmeticOp::multiply) && node.conditions.empty() && is_part(0);
    }
    default: return false;
  }
}

/// Of a hazard: 1 where there is no value.
bool Vacuity::is_one(PolynomialId id) {
  const Deeper deeper(arena_.budget);
  if (const auto number = arena_.as_constant(id)) return *number == 1;
  const auto whole = arena_.as_generator(id);
  if (!whole || arena_.generator(*whole).kind != Generator::Kind::select) return false;
  const Generator node = arena_.generator(*whole);
  switch (arena_.known.truth(node.conditions[0])) {
    case Truth::yes: return is_one(node.polynomials[0]);
    case Truth::no: return is_one(node.polynomials[1]);
    case Truth::maybe: return is_one(node.polynomials[0]) && is_one(node.polynomials[1]);
  }
  return false;
}

bool Vacuity::is_vacuous(const Value& value) {
  return (value.kind == Value::Kind::real && is_nan(value.real)) || (value.hazard != kHarmless && is_one(value.hazard));
}

int Vacuity::sign_of_infinity(GeneratorId id) {
  const Deeper deeper(arena_.budget);
  const Generator node = arena_.generator(id);
  if (node.kind == Generator::Kind::infinity) return 1;
  if (node.kind != Generator::Kind::select) return 0;
  const auto sign_of = [&](PolynomialId branch) {
    const auto whole = arena_.as_scaled_generator(branch);
    return whole ? sign_of_infinity(whole->first) * sgn(whole->second) : 0;
  };
  switch (arena_.known.truth(node.conditions[0])) {
    case Truth::yes: return sign_of(node.polynomials[0]);
    case Truth::no: return sign_of(node.polynomials[1]);
    case Truth::maybe: break;
  }
  const int sign = sign_of(node.polynomials[0]);
  return sign == sign_of(node.polynomials[1]) ? sign : 0;
}

std::optional<ConditionId> Vacuity::open_condition(PolynomialId id) {
  const Deeper deeper(arena_.budget);
  const Polynomial sum = arena_.polynomial(id);
  for (const auto& [number, coefficient] : sum.terms) {
    const Monomial product = arena_.monomial(number);
    for (const auto& [factor, exponent] : product.factors) {
      if (!searched_.insert(factor).second) continue;
      const Generator node = arena_.generator(factor);
      if (node.kind == Generator::Kind::reduction || node.kind == Generator::Kind::recurrence) continue;
      if (node.kind == Generator::Kind::select && arena_.is_index_condition(node.conditions[0]) &&
          arena_.known.truth(node.conditions[0]) == Truth::maybe) {
        return node.conditions[0];
      }
      for (const PolynomialId part : node.polynomials) {
        if (const auto found = open_condition(part)) return found;
      }
    }
  }
  return std::nullopt;
}

std::optional<ConditionId> Vacuity::open_condition(const Value& value) {
  searched_.clear();
  if (value.kind == Value::Kind::real && arena_.traits(value.real).may_be_nan) {
    if (const auto found = open_condition(value.real)) return found;
  }
  return value.hazard == kHarmless ? std::nullopt : open_condition(value.hazard);
}

void Vacuity::split(const Value& value, const std::vector<ConditionId>& known, std::vector<ConditionId>& out) {
  if (is_vacuous(value)) {
    out.push_back(arena_.conditions.conjunction(known));
    return;
  }
  const auto condition = open_condition(value);
  if (!condition || ++leaves_ > kMostLeaves) return;
  for (const ConditionId half : {*condition, arena_.conditions.negation(*condition)}) {
    const Assumption assumption(arena_, half);
    std::vector<ConditionId> narrower = known;
    narrower.push_back(half);
    split(value, narrower, out);
  }
}

std::vector<ConditionId> Vacuity::regions(const Value& value) {
  leaves_ = 0;
  std::vector<ConditionId> out;
  split(value, {}, out);
  return out;
}

std::vector<std::string> vacuous_texts(Shared& shared, const Variable& output, const Value& value) {
  std::vector<std::string> out;
  Arena& arena = shared.arena;
  for (const ConditionId region : Vacuity(arena).regions(value)) {
    if (region == arena.conditions.always()) {
      out.push_back(output.name);
      continue;
    }
    StatementWriter writer(arena, shared.signature);
    Value marked;
    marked.kind = Value::Kind::real;
    marked.real = arena.choices.select(region, arena.polynomials.constant(1), arena.polynomials.constant(0));
    for (const ProofRecord::Region& written : writer.regions(marked, shared.element(output.shape))) {
      if (written.form != "1") continue;
      std::string_view where = written.where;
      if (where.starts_with("and(")) where = where.substr(4, where.size() - 5);
      out.push_back(concat(output.name, " where ", where));
    }
  }
  return out;
}

}  // namespace steptp::forms

namespace steptp {

namespace {

using namespace forms;

/// An element at which the condition holds, among the first ones and the corners.
std::optional<std::vector<std::int64_t>> element_in(Shared& shared, const std::vector<std::int64_t>& shape,
                                                    ConditionId region) {
  constexpr std::int64_t kMostTries = 4096;
  const std::vector<VariableId>& variables = shared.element(shape);
  const std::int64_t count = element_count(shape).value_or(0);
  const std::int64_t tries = std::min(count, kMostTries);
  for (std::int64_t number = 0; number < 2 * tries; ++number) {
    // From both ends.
    std::int64_t position = number % 2 == 0 ? number / 2 : count - 1 - number / 2;
    std::vector<std::int64_t> element(shape.size());
    Substitution place;
    for (std::size_t d = shape.size(); d-- > 0; position /= shape[d]) {
      element[d] = position % shape[d];
      place[variables[d]] = Affine::number(element[d]);
    }
    if (shared.arena.known.truth(shared.arena.substitute.condition(region, place)) == Truth::yes) return element;
  }
  return std::nullopt;
}

}  // namespace

std::vector<PerhapsFilled> perhaps_filled(const Program& before, const Program& after, const ProofOptions& options) {
  std::vector<PerhapsFilled> out;
  Arena arena(options.work, Laws::all);
  try {
    Shared shared(arena, before.signature);
    Flow left(shared, before);
    Flow right(shared, after);
    for (const Variable& variable : before.signature.variables) {
      if (variable.role != Role::output) continue;
      std::vector<Affine> element;
      for (const VariableId id : shared.element(variable.shape)) element.push_back(arena.affines.variable(id));
      const Value old_value = left.output(variable.name, element);
      const Value new_value = right.output(variable.name, element);
      for (const ConditionId region : Vacuity(arena).regions(old_value)) {
        const Assumption assumption(arena, region);
        if (Vacuity(arena).is_vacuous(new_value)) continue;
        out.push_back({variable.name, element_in(shared, variable.shape, region)});
      }
    }
  } catch (const GiveUp&) {
    out.push_back({});
  }
  return out;
}

}  // namespace steptp
