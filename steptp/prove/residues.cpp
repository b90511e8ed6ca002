// How forms become numbers modulo a prime (docs/decisions/0039). Sums, products and quotients are computed; functions,
// folds, maxima and data are unknowns that depend on the residues of their parts only, so that equal parts give equal
// unknowns. What may be infinite is one unknown and is matched as a whole; what may be NaN carries the unknowns by
// which it is. Why equal residues mean equal values, except with a chance that is bounded, is in docs/verification.md,
// "Exact".
#include "steptp/prove/residues.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

#include "steptp/prove/give_up.h"
#include "steptp/prove/residue_keys.h"

namespace steptp::forms {

namespace {

/// Folds over at most so many values of a variable are taken apart: the two halves of a loop of two rounds are no
/// folds.
constexpr std::int64_t kShortRange = 4;

void unite(std::vector<Field::Residue>& into, const std::vector<Field::Residue>& from) {
  if (from.empty()) return;
  std::vector<Field::Residue> both;
  std::set_union(into.begin(), into.end(), from.begin(), from.end(), std::back_inserter(both));
  into.swap(both);
}

}  // namespace

std::uint64_t Residues::Value::key() const {
  std::uint64_t out = residue;
  for (const Field::Residue unknown : nan) out = combine(out, unknown);
  return is_number ? out : combine(out, 1);
}

bool Residues::agree(const Value& before, const Value& after) {
  if (before.residue != after.residue || before.is_number != after.is_number) return false;
  return std::includes(before.nan.begin(), before.nan.end(), after.nan.begin(), after.nan.end());
}

Residues::Value Residues::perhaps_nan(Value value) {
  unite(value.nan, {value.residue});
  return value;
}

double Residues::bound_log2(double degree) const {
  const double wrong = degree + opaque_terms_ * opaque_terms_ * argument_degree_ + 1;
  return std::min(0.0, std::log2(wrong) - std::log2(static_cast<double>(field_.prime())));
}

void Residues::note_compared(double degree) {
  opaque_terms_ += 1;
  argument_degree_ = std::max(argument_degree_, degree);
}

Residues::Value Residues::opaque(std::uint64_t key, bool is_number, double degree) {
  note_compared(degree);
  return {field_.of_key(key), is_number, 1};
}

Residues::Value Residues::of_number(const mpq_class& value) const {
  const auto bits = mpz_sizeinbase(value.get_num_mpz_t(), 2) + mpz_sizeinbase(value.get_den_mpz_t(), 2);
  const auto residue = field_.of_rational(value);
  if (!residue) throw GiveUp{"a denominator that the prime divides"};
  return {*residue, true, field_.weight_of_bits(static_cast<double>(bits))};
}

Residues::Value Residues::of_number(std::int64_t value) const {
  const auto bits = std::bit_width(static_cast<std::uint64_t>(value < 0 ? -(value + 1) : value)) + 1;
  return {field_.of_integer(value), true, field_.weight_of_bits(static_cast<double>(bits))};
}

double Residues::weight_of_terms(std::size_t count) const {
  return count < 2 ? 0 : field_.weight_of_bits(std::log2(static_cast<double>(count)));
}

Residues::Value Residues::complement(const Value& value) const {
  return {field_.subtract(1, value.residue), value.is_number, value.degree + weight_of_terms(2)};
}

Residues::Value Residues::of_polynomial(PolynomialId id) {
  if (const auto known = polynomials_.find(id); known != polynomials_.end()) return known->second;
  arena_.budget.spend(1);
  Value sum;
  const Polynomial node = arena_.polynomial(id);
  for (const auto& [monomial, coefficient] : node.terms) {
    const Monomial product = arena_.monomial(monomial);
    Value term = of_number(coefficient);
    for (const auto& [factor, exponent] : product.factors) {
      const Value value = of_generator(factor);
      term.is_number &= value.is_number;
      unite(term.nan, value.nan);
      term.degree += value.degree * std::abs(exponent);
      if (exponent < 0 && value.residue == 0) throw GiveUp{"a divisor that vanishes at the drawn point"};
      const Field::Residue base = exponent < 0 ? field_.inverse(value.residue) : value.residue;
      term.residue = field_.multiply(term.residue, field_.power(base, static_cast<std::uint64_t>(std::abs(exponent))));
    }
    if (!term.is_number) term = of_wild_product(product, coefficient);
    sum.residue = field_.add(sum.residue, term.residue);
    sum.is_number &= term.is_number;
    unite(sum.nan, term.nan);
    // Of a quotient: numerators and denominators of all terms meet.
    sum.degree += term.degree;
  }
  sum.degree += weight_of_terms(node.terms.size());
  polynomials_.emplace(id, sum);
  return sum;
}

Residues::Value Residues::of_wild_product(const Monomial& product, const mpq_class& coefficient) {
  std::vector<std::pair<Field::Residue, std::uint64_t>> factors;
  double degree = 0;
  for (const auto& [factor, exponent] : product.factors) {
    const Value value = of_generator(factor);
    factors.emplace_back(value.key(), static_cast<std::uint64_t>(static_cast<std::int64_t>(exponent)));
    degree = std::max(degree, value.degree);
  }
  std::sort(factors.begin(), factors.end());
  // A single factor with coefficient 1 is itself, whatever it is.
  if (factors.size() == 1 && factors[0].second == 1 && coefficient == 1) {
    return of_generator(product.factors[0].first);
  }
  const Value number = of_number(coefficient);
  std::uint64_t key = combine(start(ResidueKey::wild), number.residue);
  for (const auto& [residue, exponent] : factors) key = combine(combine(key, residue), exponent);
  return opaque(key, false, std::max(degree, number.degree));
}

Residues::Value Residues::of_generator(GeneratorId id) {
  if (const auto known = generators_.find(id); known != generators_.end()) return known->second;
  arena_.budget.spend(1);
  const Value value = made(id);
  generators_.emplace(id, value);
  return value;
}

Residues::Value Residues::made(GeneratorId id) {
  const Generator node = arena_.generator(id);
  const bool is_finite = !arena_.traits_of_generator(id).may_be_infinite;
  const bool may_be_nan = arena_.traits_of_generator(id).may_be_nan;
  const auto of_parts = [&](ResidueKey kind, bool is_number) {
    std::uint64_t key = start(kind, node.tag);
    double degree = 0;
    for (const PolynomialId part : node.polynomials) {
      const Value value = of_polynomial(part);
      key = combine(key, value.key());
      degree = std::max(degree, value.degree);
    }
    for (const AffineId subscript : node.subscripts) {
      const Value value = of_affine(arena_.affine(subscript));
      key = combine(key, value.residue);
      degree = std::max(degree, value.degree);
    }
    return opaque(key, is_number, degree);
  };
  const auto parts_are_numbers = [&] {
    return std::all_of(node.polynomials.begin(), node.polynomials.end(), [this](PolynomialId part) {
      const Value value = of_polynomial(part);
      return value.is_number && value.nan.empty();
    });
  };
  const auto of_data = [&](ResidueKey kind) {
    const Value value = of_parts(kind, is_finite);
    return is_finite && may_be_nan ? perhaps_nan(value) : value;
  };
  switch (node.kind) {
    case Generator::Kind::input:
    case Generator::Kind::definition:
      return of_data(node.kind == Generator::Kind::input ? ResidueKey::input : ResidueKey::definition);
    case Generator::Kind::integer: return of_atom(node.tag);
    case Generator::Kind::infinity: return opaque(start(ResidueKey::infinity), false, 0);
    case Generator::Kind::inverse: return of_inverse(node.polynomials[0]);
    case Generator::Kind::call: return of_call(node);
    case Generator::Kind::extremum: {
      std::vector<Value> operands;
      for (const PolynomialId part : node.polynomials) add_operands(part, node.tag == 1, operands);
      return of_operands(node.tag == 1, std::move(operands));
    }
    case Generator::Kind::select: return of_select(node);
    case Generator::Kind::reduction: return of_fold(id);
    case Generator::Kind::conversion: return of_parts(ResidueKey::conversion, true);
    case Generator::Kind::power: return of_parts(ResidueKey::power, false);
    case Generator::Kind::operation: return of_parts(ResidueKey::operation, parts_are_numbers());
    case Generator::Kind::truth: return of_condition(node.conditions[0]);
    case Generator::Kind::recurrence: return of_data(ResidueKey::recurrence);
    case Generator::Kind::lump: return of_polynomial(node.polynomials[0]);
    case Generator::Kind::self: return of_data(ResidueKey::self);
    case Generator::Kind::tamed: return of_parts(ResidueKey::tamed, true);
  }
  throw GiveUp{"a form without a residue"};
}

Residues::Value Residues::of_inverse(PolynomialId divisor) {
  const Value value = of_polynomial(divisor);
  if (!value.is_number) return opaque(combine(start(ResidueKey::inverse), value.key()), false, value.degree);
  if (value.residue == 0) throw GiveUp{"a divisor that vanishes at the drawn point"};
  return {field_.inverse(value.residue), true, value.degree, value.nan};
}

Residues::Value Residues::of_call(const Generator& node) {
  const PolynomialId inside = node.polynomials[0];
  const Value argument = of_polynomial(inside);
  const auto function = static_cast<Function>(node.tag);
  const Sign sign = arena_.signs.sign(inside);
  // A logarithm of zero is infinite: such a value is matched as a whole, with all that may make its argument NaN.
  const bool may_be_infinite =
      (function == Function::log || function == Function::rsqrt) && !(sign.nonnegative && sign.nonzero);
  if (!argument.is_number || may_be_infinite) {
    return opaque(combine(start(ResidueKey::call, node.tag), argument.key()), false, argument.degree);
  }
  // A function of NaN is NaN.
  Value value = opaque(combine(start(ResidueKey::call, node.tag), argument.residue), true, argument.degree);
  value.nan = argument.nan;
  return function == Function::sqrt && !sign.nonnegative ? perhaps_nan(value) : value;
}

Residues::Value Residues::of_select(const Generator& node) {
  const Value condition = of_condition(node.conditions[0]);
  const Value first = of_polynomial(node.polynomials[0]);
  const Value second = of_polynomial(node.polynomials[1]);
  note_compared(std::max(first.degree, second.degree));
  if (first.key() == second.key()) return first;
  if (first.is_number && second.is_number && first.nan == second.nan) {
    const Field::Residue gap = field_.subtract(first.residue, second.residue);
    return {field_.add(second.residue, field_.multiply(condition.residue, gap)), true,
            condition.degree + first.degree + second.degree + weight_of_terms(3), first.nan};
  }
  // The choice by the opposite condition has its arms exchanged.
  const bool is_turned = complement(condition).residue < condition.residue;
  const Value& one = is_turned ? second : first;
  const Value& other = is_turned ? first : second;
  std::uint64_t key = combine(start(ResidueKey::select), std::min(condition.residue, complement(condition).residue));
  key = combine(combine(key, one.key()), other.key());
  const Value value =
      opaque(key, first.is_number && second.is_number, std::max({2 * condition.degree, first.degree, second.degree}));
  return value.is_number ? perhaps_nan(value) : value;
}

std::optional<std::size_t> Residues::short_range(const Generator& fold) {
  for (std::size_t i = 0; i < fold.ranges.size(); ++i) {
    if (fold.ranges[i].second - fold.ranges[i].first < kShortRange) return i;
  }
  return std::nullopt;
}

std::vector<PolynomialId> Residues::pieces(GeneratorId fold, std::size_t variable) {
  const auto [low, high] = arena_.generator(fold).ranges[variable];
  std::vector<PolynomialId> out;
  for (std::int64_t value = low; value <= high; ++value) {
    out.push_back(arena_.reductions.with_range(fold, variable, {value, value}));
  }
  return out;
}

void Residues::add_operands(PolynomialId id, bool is_max, std::vector<Value>& out) {
  const auto op = static_cast<std::uint32_t>(is_max ? ArithmeticOp::max : ArithmeticOp::min);
  if (const auto only = arena_.as_generator(id)) {
    const Generator node = arena_.generator(*only);
    if (node.kind == Generator::Kind::extremum && (node.tag == 1) == is_max) {
      for (const PolynomialId part : node.polynomials) add_operands(part, is_max, out);
      return;
    }
    const bool is_fold = node.kind == Generator::Kind::reduction && node.tag == op;
    if (const auto variable = is_fold ? short_range(node) : std::nullopt) {
      // A fold starts from its identity, which a NaN does not replace.
      const Value body = of_polynomial(node.polynomials[0]);
      if (!body.is_number || !body.nan.empty() || !node.conditions.empty()) {
        out.push_back(of_polynomial(arena_.reductions.identity(static_cast<ArithmeticOp>(op))));
      }
      for (const PolynomialId piece : pieces(*only, *variable)) add_operands(piece, is_max, out);
      return;
    }
  }
  out.push_back(of_polynomial(id));
}

Residues::Value Residues::of_operands(bool is_max, std::vector<Value> operands) {
  for (const Value& operand : operands) note_compared(operand.degree);
  std::sort(operands.begin(), operands.end(), [](const Value& a, const Value& b) { return a.key() < b.key(); });
  operands.erase(
      std::unique(operands.begin(), operands.end(), [](const Value& a, const Value& b) { return a.key() == b.key(); }),
      operands.end());
  if (operands.size() == 1) return operands[0];
  std::uint64_t key = start(ResidueKey::extremum, is_max ? 1 : 0);
  bool is_number = true;
  bool may_be_nan = false;
  double degree = 0;
  for (const Value& operand : operands) {
    key = combine(key, operand.key());
    is_number &= operand.is_number;
    may_be_nan |= !operand.nan.empty();
    degree = std::max(degree, operand.degree);
  }
  const Value value = opaque(key, is_number, degree);
  return is_number && may_be_nan ? perhaps_nan(value) : value;
}

Residues::Value Residues::of_fold(GeneratorId id) {
  const Generator node = arena_.generator(id);
  const auto op = static_cast<ArithmeticOp>(node.tag);
  if (op == ArithmeticOp::max || op == ArithmeticOp::min) {
    if (short_range(node)) {
      std::vector<Value> operands;
      add_operands(arena_.polynomials.generator(node), op == ArithmeticOp::max, operands);
      return of_operands(op == ArithmeticOp::max, std::move(operands));
    }
  } else if (const auto variable = op == ArithmeticOp::add ? short_range(node) : std::nullopt) {
    Value sum;
    for (const PolynomialId piece : pieces(id, *variable)) {
      const Value value = of_polynomial(piece);
      sum.residue = field_.add(sum.residue, value.residue);
      sum.is_number &= value.is_number;
      unite(sum.nan, value.nan);
      sum.degree += value.degree;
    }
    sum.degree += weight_of_terms(kShortRange);
    return sum;
  }
  std::uint64_t key = start(ResidueKey::fold, node.tag);
  double degree = 0;
  for (const auto& [low, high] : node.ranges) {
    key = combine(combine(key, static_cast<std::uint64_t>(low)), static_cast<std::uint64_t>(high));
  }
  std::vector<Field::Residue> conditions;
  for (const ConditionId condition : node.conditions) {
    const Value value = of_condition(condition);
    conditions.push_back(value.residue);
    degree = std::max(degree, value.degree);
  }
  std::sort(conditions.begin(), conditions.end());
  for (const Field::Residue condition : conditions) key = combine(key, condition);
  const Value body = of_polynomial(node.polynomials[0]);
  key = combine(key, body.key());
  bool is_number = body.is_number;
  // A maximum of nothing but NaN, or of nothing, is infinite; without conditions no fold is empty.
  if (op == ArithmeticOp::max || op == ArithmeticOp::min) {
    const bool is_filled = node.conditions.empty() || !arena_.traits_of_generator(id).is_wild();
    return opaque(key, is_number && body.nan.empty() && is_filled, std::max(degree, body.degree));
  }
  const Value value = opaque(key, is_number, std::max(degree, body.degree));
  return is_number && !body.nan.empty() ? perhaps_nan(value) : value;
}

}  // namespace steptp::forms
