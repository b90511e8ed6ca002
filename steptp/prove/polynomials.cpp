#include <algorithm>

#include "steptp/prove/arena.h"
#include "steptp/prove/give_up.h"

namespace steptp::forms {

namespace {

/// Terms that are only copied cost little.
constexpr std::size_t kTermsPerLook = 8;

}  // namespace

PolynomialId Arena::constant(mpq_class value) {
  Polynomial result;
  if (value != 0) result.terms.emplace_back(intern_monomial({}), std::move(value));
  return intern_polynomial(std::move(result));
}

PolynomialId Arena::generator(Generator generator) {
  const GeneratorId id = intern_generator(std::move(generator));
  return intern_polynomial({{{intern_monomial({{{id, 1}}}), mpq_class(1)}}});
}

PolynomialId Arena::integer(const Affine& affine) {
  PolynomialId result = constant(mpq_class(static_cast<long>(affine.constant)));
  for (const auto& [atom, coefficient] : affine.terms) {
    const Atom& node = atoms_[atom];
    PolynomialId term = constant(1);
    for (const AtomId factor : node.kind == Atom::Kind::product ? node.factors : std::vector<AtomId>{atom}) {
      // An integer that is data stands for itself, as it does in real expressions.
      const Atom& inside = atoms_[factor];
      term = multiply(term, inside.kind == Atom::Kind::value
                                ? intern_polynomial({{{intern_monomial({{{inside.argument, 1}}}), mpq_class(1)}}})
                                : generator({Generator::Kind::integer, factor, {}, {}, {}, {}}));
    }
    result = add(result, scale(term, mpq_class(static_cast<long>(coefficient))));
  }
  return result;
}

std::optional<int> Arena::as_infinity(PolynomialId id) const {
  const auto scaled = as_scaled_generator(id);
  if (!scaled || generators_[scaled->first].kind != Generator::Kind::infinity) return std::nullopt;
  return sgn(scaled->second);
}

std::optional<mpq_class> Arena::as_constant(PolynomialId id) const {
  const Polynomial& node = polynomials_[id];
  if (node.terms.empty()) return mpq_class(0);
  if (node.terms.size() == 1 && monomials_[node.terms[0].first].factors.empty()) return node.terms[0].second;
  return std::nullopt;
}

std::optional<GeneratorId> Arena::as_generator(PolynomialId id) const {
  const Polynomial& node = polynomials_[id];
  if (node.terms.size() != 1 || node.terms[0].second != 1) return std::nullopt;
  const Monomial& monomial = monomials_[node.terms[0].first];
  if (monomial.factors.size() != 1 || monomial.factors[0].second != 1) return std::nullopt;
  return monomial.factors[0].first;
}

std::optional<Affine> Arena::as_affine(PolynomialId id) {
  if (!polynomials_.traits(id).is_integer) return std::nullopt;
  const Polynomial& node = polynomials_[id];
  Affine result;
  for (const auto& [monomial, coefficient] : node.terms) {
    if (!coefficient.get_num().fits_slong_p()) return std::nullopt;
    Affine term = number(1);
    const Monomial& factors = monomials_[monomial];
    for (const auto& [generator, exponent] : factors.factors) {
      if (exponent > 4) return std::nullopt;
      const Generator& inside = generators_[generator];
      const AtomId one =
          inside.kind == Generator::Kind::integer ? inside.tag : intern_atom({Atom::Kind::value, generator, 0, {}});
      for (int i = 0; i < exponent; ++i) term = product(term, Affine{{{one, 1}}, 0});
    }
    result = sum(result, term, coefficient.get_num().get_si());
  }
  return result;
}

PolynomialId Arena::add(PolynomialId left, PolynomialId right) {
  const Deeper deeper(*this);
  const Polynomial& a = polynomials_[left];
  const Polynomial& b = polynomials_[right];
  if (a.terms.empty()) return right;
  if (b.terms.empty()) return left;
  if (const auto veiled = as_veiled(left)) {
    return veil({veiled->where, add(veiled->value, where(negation(veiled->where), right))});
  }
  if (as_veiled(right)) return add(right, left);
  look((a.terms.size() + b.terms.size()) / kTermsPerLook);
  Polynomial result;
  result.terms.reserve(a.terms.size() + b.terms.size());
  auto l = a.terms.begin();
  auto r = b.terms.begin();
  while (l != a.terms.end() || r != b.terms.end()) {
    if (r == b.terms.end() || (l != a.terms.end() && l->first < r->first)) {
      result.terms.push_back(*l++);
    } else if (l == a.terms.end() || r->first < l->first) {
      result.terms.push_back(*r++);
    } else {
      mpq_class coefficient = l->second + r->second;
      const Traits& traits = monomials_.traits(l->first);
      // As it is written, x-x is two roundings and not nothing.
      if (laws_ == Laws::as_written && !traits.is_integer && sgn(l->second) != sgn(r->second)) {
        throw GiveUp{"a sum that cancels"};
      }
      // x-x is 0*x for infinite x too; 3*x-x is not 2*x, and 0*x+x is not x.
      if (traits.may_be_infinite && coefficient != 0 && sgn(l->second) != sgn(r->second)) {
        throw GiveUp{"inf - inf is possible"};
      }
      if (coefficient != 0 || traits.is_wild()) {
        result.terms.emplace_back(l->first, std::move(coefficient));
      } else {
        note({Need::Kind::finite, true, l->first});
      }
      ++l;
      ++r;
    }
  }
  const PolynomialId sum = join_reductions(join_selects(intern_polynomial(std::move(result))));
  if (!nonnegative_.contains(left) && !nonnegative_.contains(right)) return sum;
  for (const Variables variables : {Variables::in_range, Variables::anything}) {
    const Sign first = sign(left, variables);
    const Sign second = sign(right, variables);
    if (!first.nonnegative || !second.nonnegative) break;
    as_nonnegative(sum, first.nonzero || second.nonzero, variables);
  }
  return sum;
}

/// Two summands that are chosen by one condition, and whose sum does not depend on it: if(c;x;0)+if(c;0;x) is x. Parts
/// of a tensor that are added to one by one look like that.
PolynomialId Arena::join_selects(PolynomialId id) {
  const auto select_of = [this](MonomialId monomial) -> const Generator* {
    const auto& factors = monomials_[monomial].factors;
    if (factors.size() != 1 || factors[0].second != 1) return nullptr;
    const Generator& node = generators_[factors[0].first];
    return node.kind == Generator::Kind::select ? &node : nullptr;
  };
  std::size_t selects = 0;
  for (const auto& [monomial, coefficient] : polynomials_[id].terms) selects += select_of(monomial) ? 1 : 0;
  if (selects < 2) return id;
  const auto terms = polynomials_[id].terms;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const Generator* first = select_of(terms[i].first);
    for (std::size_t j = i + 1; first && j < terms.size(); ++j) {
      const Generator* second = select_of(terms[j].first);
      if (!second || second->conditions[0] != first->conditions[0]) continue;
      if (monomials_.traits(terms[i].first).is_wild() || monomials_.traits(terms[j].first).is_wild()) continue;
      const std::vector<PolynomialId> one = first->polynomials;
      const std::vector<PolynomialId> other = second->polynomials;
      if (one[0] != other[1] || one[1] != other[0] || terms[i].second != terms[j].second) continue;
      Polynomial rest = polynomials_[id];
      rest.terms.erase(rest.terms.begin() + static_cast<std::ptrdiff_t>(j));
      rest.terms.erase(rest.terms.begin() + static_cast<std::ptrdiff_t>(i));
      const PolynomialId either = scale(add(one[0], one[1]), terms[i].second);
      return add(intern_polynomial(std::move(rest)), either);
    }
  }
  return id;
}

PolynomialId Arena::scale(PolynomialId polynomial, const mpq_class& factor) {
  if (factor == 1) return polynomial;
  if (const auto veiled = as_veiled(polynomial)) return veil({veiled->where, scale(veiled->value, factor)});
  Polynomial result = polynomials_[polynomial];
  for (auto& [monomial, coefficient] : result.terms) coefficient *= factor;
  if (factor == 0) {
    std::erase_if(result.terms, [this](const auto& term) { return !monomials_.traits(term.first).is_wild(); });
  }
  const PolynomialId multiple = intern_polynomial(std::move(result));
  return factor > 0 ? as_nonnegative_as(multiple, polynomial) : multiple;
}

PolynomialId Arena::lump(PolynomialId polynomial) {
  if (polynomials_[polynomial].terms.size() < 2) return polynomial;
  const mpq_class leading = polynomials_[polynomial].terms.front().second;
  if (leading == 0 || !with_algebra_) return generator({Generator::Kind::lump, 0, {polynomial}, {}, {}, {}});
  return scale(generator({Generator::Kind::lump, 0, {scale(polynomial, 1 / leading)}, {}, {}, {}}), leading);
}

PolynomialId Arena::multiply(PolynomialId left, PolynomialId right) {
  const Deeper deeper(*this);
  if (const auto value = as_constant(left)) return scale(right, *value);
  if (const auto value = as_constant(right)) return scale(left, *value);
  if (const auto veiled = as_veiled(left)) {
    return veil({veiled->where, multiply(veiled->value, where(negation(veiled->where), right))});
  }
  if (as_veiled(right)) return multiply(right, left);
  // inf*(3-1) is inf, inf*3-inf*1 is not a number.
  if (!with_algebra_) {
    left = lump(left);
    right = lump(right);
  }
  if (traits(left).may_be_infinite && polynomials_[right].terms.size() > 1) right = lump(right);
  if (traits(right).may_be_infinite && polynomials_[left].terms.size() > 1) left = lump(left);
  const Polynomial& a = polynomials_[left];
  const Polynomial& b = polynomials_[right];
  spend(a.terms.size() * b.terms.size());
  PolynomialId result = constant(0);
  for (const auto& [ma, ca] : a.terms) {
    for (const auto& [mb, cb] : b.terms) result = add(result, scale(multiply_monomials(ma, mb), ca * cb));
  }
  return left == right ? as_nonnegative(result) : result;
}

std::optional<PolynomialId> Arena::under_root(GeneratorId id) {
  const Generator& node = generators_[id];
  if (!with_algebra_ || node.kind != Generator::Kind::call || static_cast<Function>(node.tag) != Function::sqrt) {
    return std::nullopt;
  }
  const PolynomialId inside = node.polynomials[0];
  if (traits(inside).is_wild() || !sign(inside).nonnegative) return std::nullopt;
  return inside;
}

PolynomialId Arena::multiply_monomials(MonomialId left, MonomialId right) {
  const Deeper deeper(*this);
  std::map<GeneratorId, std::int64_t> exponents;
  for (const MonomialId id : {left, right}) {
    for (const auto& [generator, exponent] : monomials_[id].factors) exponents[generator] += exponent;
  }
  look(exponents.size());
  // sqrt(x)*sqrt(x) is x.
  for (auto& [generator, exponent] : exponents) {
    const auto inside = exponent > 1 ? under_root(generator) : std::nullopt;
    if (!inside) continue;
    const std::int64_t whole = exponent / 2;
    exponent %= 2;
    Monomial rest;
    for (const auto& [other, power] : exponents) {
      if (power != 0) rest.factors.emplace_back(other, static_cast<std::int32_t>(power));
    }
    return multiply(intern_polynomial({{{intern_monomial(std::move(rest)), mpq_class(1)}}}),
                    integer_power(*inside, whole));
  }
  // One exponential per product: exp(a)*exp(b) = exp(a+b) holds for every value, infinite ones included.
  PolynomialId argument = constant(0);
  std::size_t exponentials = 0;
  Monomial result;
  for (const auto& [generator, exponent] : exponents) {
    if (exponent == 0) continue;  // only generators that are never zero and always finite have negative exponents
    if (exponent > 1000 || exponent < -1000) throw GiveUp{"a power beyond 1000"};
    const Generator& node = generators_[generator];
    if (with_algebra_ && node.kind == Generator::Kind::call && static_cast<Function>(node.tag) == Function::exp) {
      argument = add(argument, scale(node.polynomials[0], mpq_class(static_cast<long>(exponent))));
      exponentials += exponent == 1 ? 1 : 2;
    } else {
      result.factors.emplace_back(generator, static_cast<std::int32_t>(exponent));
    }
  }
  // Products over neighbouring ranges are one product.
  for (std::size_t i = 0; i < result.factors.size(); ++i) {
    const auto& [first, power] = result.factors[i];
    const Generator& node = generators_[first];
    const bool is_product = power == 1 && node.kind == Generator::Kind::reduction &&
                            static_cast<ArithmeticOp>(node.tag) == ArithmeticOp::multiply;
    for (std::size_t j = i + 1; is_product && j < result.factors.size(); ++j) {
      const auto& [second, other_power] = result.factors[j];
      const auto joined = other_power == 1 ? join_two(first, second) : std::nullopt;
      if (!joined) continue;
      Monomial others;
      for (const auto& [generator, exponent] : exponents) {
        if (exponent == 0 || generator == first || generator == second) continue;
        others.factors.emplace_back(generator, static_cast<std::int32_t>(exponent));
      }
      return multiply(intern_polynomial({{{intern_monomial(std::move(others)), mpq_class(1)}}}), *joined);
    }
  }
  if (exponentials < 2 || !with_algebra_) {
    result.factors.clear();
    for (const auto& [generator, exponent] : exponents) {
      if (exponent != 0) result.factors.emplace_back(generator, static_cast<std::int32_t>(exponent));
    }
    if (const auto none = nothing_by_nothing(result)) return *none;
    return divided(intern_monomial(std::move(result)));
  }
  const PolynomialId merged = call(Function::exp, argument);
  const MonomialId rest = intern_monomial(std::move(result));
  if (as_constant(merged)) return scale(divided(rest), *as_constant(merged));
  // The sum of the arguments may be a difference of infinities, or have a mask.
  if (!as_generator(merged)) return multiply(merged, intern_polynomial({{{rest, mpq_class(1)}}}));
  Monomial whole = monomials_[rest];
  whole.factors.emplace_back(*as_generator(merged), 1);
  std::sort(whole.factors.begin(), whole.factors.end());
  if (const auto none = nothing_by_nothing(whole)) return *none;
  return divided(intern_monomial(std::move(whole)));
}

PolynomialId Arena::integer_power(PolynomialId base, std::int64_t exponent) {
  if (exponent < 0) return inverse(integer_power(base, -exponent));
  if (exponent > 64) throw GiveUp{"a power beyond 64"};
  PolynomialId result = constant(1);
  for (std::int64_t i = 0; i < exponent; ++i) result = multiply(result, base);
  return exponent % 2 == 0 ? as_nonnegative(result) : result;
}

PolynomialId Arena::inverse(PolynomialId polynomial) {
  const Deeper deeper(*this);
  if (const auto veiled = as_veiled(polynomial)) {
    return veil({veiled->where, inverse_where({negation(veiled->where)}, veiled->value)});
  }
  const Polynomial& node = polynomials_[polynomial];
  if (const auto value = as_constant(polynomial)) {
    if (*value == 0) throw GiveUp{"a division by the constant zero"};
    return constant(1 / *value);
  }
  // The leading coefficient comes out: what is left inside is the same for all multiples.
  const mpq_class leading = node.terms.front().second;
  if (leading == 0 || !with_algebra_) return generator({Generator::Kind::inverse, 0, {polynomial}, {}, {}, {}});
  if (node.terms.size() == 1) {
    // Factors that are never zero and always finite leave with a negative exponent; they can cancel.
    Monomial outside;
    Monomial inside;
    PolynomialId exponentials = constant(1);
    for (const auto& [factor, exponent] : monomials_[node.terms[0].first].factors) {
      const Generator& inner = generators_[factor];
      if (inner.kind == Generator::Kind::call && static_cast<Function>(inner.tag) == Function::exp) {
        exponentials = multiply(exponentials, call(Function::exp, scale(inner.polynomials[0], mpq_class(-exponent))));
      } else if (!generators_.traits(factor).is_wild() && sign_of_generator(factor).nonzero) {
        outside.factors.emplace_back(factor, -exponent);
        note({Need::Kind::nonzero, false, factor});
      } else {
        inside.factors.emplace_back(factor, exponent);
      }
    }
    PolynomialId result = constant(1 / leading);
    if (!outside.factors.empty()) {
      result = multiply(result, intern_polynomial({{{intern_monomial(std::move(outside)), mpq_class(1)}}}));
    }
    result = multiply(result, exponentials);
    if (inside.factors.empty()) return result;
    const PolynomialId rest = intern_polynomial({{{intern_monomial(std::move(inside)), mpq_class(1)}}});
    return multiply(result, generator({Generator::Kind::inverse, 0, {rest}, {}, {}, {}}));
  }
  if (const auto cleared = inverse_of_fractions(polynomial)) return *cleared;
  const auto [sum, exponent] = without_exponential(polynomial);
  const mpq_class factor = 1 / polynomials_[sum].terms.front().second;
  const PolynomialId monic = scale(sum, factor);
  const PolynomialId result = scale(generator({Generator::Kind::inverse, 0, {monic}, {}, {}, {}}), factor);
  return exponent == constant(0) ? result : multiply(result, call(Function::exp, negate(exponent)));
}

}  // namespace steptp::forms
