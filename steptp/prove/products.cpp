// Logarithms and roots of products (docs/decisions/0039): log(x*y) is log(x)+log(y) and sqrt(x*y) is sqrt(x)*sqrt(y)
// where no factor is negative. Products are multiplied out in normal forms, so their factors are looked for first, by
// FLINT; they are multiplied out again and compared, so that nothing rests on the factorisation.
#include <algorithm>
#include <cstdlib>
#include <map>

#include "steptp/prove/arena.h"
#include "steptp/prove/factors.h"

namespace steptp::forms {

namespace {

constexpr std::size_t kMostTerms = 40;
constexpr std::size_t kMostUnknowns = 10;
constexpr std::int64_t kMostDegree = 12;

/// The unknowns of a polynomial for a factorisation: generators, and exponentials of single terms, because exp(a+b) is
/// a product of two.
class Unknowns {
 public:
  explicit Unknowns(const Store& store) : store_(store) {}

  /// The sum as a polynomial in the unknowns. Exponents become natural numbers: counted from the least, in steps of
  /// their common denominator.
  [[nodiscard]] std::optional<PlainPolynomial> plain(const Polynomial& sum) {
    std::vector<std::map<std::size_t, mpq_class>> products(sum.terms.size());
    for (std::size_t i = 0; i < sum.terms.size(); ++i) add(store_.monomial(sum.terms[i].first), products[i]);
    if (size() == 0 || size() > kMostUnknowns) return std::nullopt;
    least_.resize(size());
    denominator_.assign(size(), 1);
    for (std::size_t u = 0; u < size(); ++u) {
      for (std::size_t i = 0; i < products.size(); ++i) {
        const mpq_class& exponent = products[i][u];
        if (i == 0 || exponent < least_[u]) least_[u] = exponent;
        denominator_[u] = lcm(denominator_[u], exponent.get_den());
      }
    }
    PlainPolynomial plain;
    for (std::size_t i = 0; i < products.size(); ++i) {
      std::vector<std::uint64_t> exponents;
      for (std::size_t u = 0; u < size(); ++u) {
        const mpq_class steps = (products[i][u] - least_[u]) * denominator_[u];
        if (steps > kMostDegree) return std::nullopt;
        exponents.push_back(steps.get_num().get_ui());
      }
      plain.emplace_back(std::move(exponents), sum.terms[i].second);
    }
    return plain;
  }

  [[nodiscard]] std::size_t size() const { return known_.size(); }
  [[nodiscard]] bool is_exponential(std::size_t number) const { return known_[number].first; }
  [[nodiscard]] std::uint32_t at(std::size_t number) const { return known_[number].second; }
  [[nodiscard]] const mpq_class& least(std::size_t number) const { return least_[number]; }
  [[nodiscard]] const mpz_class& denominator(std::size_t number) const { return denominator_[number]; }

 private:
  using Unknown = std::pair<bool, std::uint32_t>;  ///< an exponential of a monomial, or a generator
  /// Adds the exponents of one product.
  void add(const Monomial& product, std::map<std::size_t, mpq_class>& exponents) {
    for (const auto& [factor, exponent] : product.factors) {
      const Generator node = store_.generator(factor);
      const bool is_exponential =
          node.kind == Generator::Kind::call && static_cast<Function>(node.tag) == Function::exp;
      if (!is_exponential) {
        exponents[number_of({false, factor})] += exponent;
        continue;
      }
      for (const auto& [monomial, coefficient] : store_.polynomial(node.polynomials[0]).terms) {
        exponents[number_of({true, monomial})] += coefficient * exponent;
      }
    }
  }

  std::size_t number_of(const Unknown& unknown) {
    const auto place = std::find(known_.begin(), known_.end(), unknown);
    if (place != known_.end()) return static_cast<std::size_t>(place - known_.begin());
    known_.push_back(unknown);
    return known_.size() - 1;
  }

  const Store& store_;
  std::vector<Unknown> known_;
  std::vector<mpq_class> least_;
  std::vector<mpz_class> denominator_;
};

}  // namespace

/// n*f**2*g, with the factors that FLINT finds; not yet multiplied out again.
std::optional<Products::Factored> Products::factors_found(const Polynomial& sum) {
  Unknowns unknowns(store_);
  const auto plain = unknowns.plain(sum);
  if (!plain) return std::nullopt;
  const auto power_of = [&](std::size_t u, const mpq_class& exponent) {
    if (unknowns.is_exponential(u)) {
      return call(Function::exp, intern_polynomial({{{unknowns.at(u), exponent}}}));
    }
    if (exponent == 0) return constant(1);
    const Monomial power{{{unknowns.at(u), static_cast<std::int32_t>(exponent.get_num().get_si())}}};
    return intern_polynomial({{{intern_monomial(power), mpq_class(1)}}});
  };
  const auto found = factors_of(*plain, unknowns.size());
  if (!found) return std::nullopt;
  Factored result;
  result.constant = found->constant;
  for (std::size_t u = 0; u < unknowns.size(); ++u) {
    if (unknowns.least(u) == 0) continue;
    if (unknowns.is_exponential(u)) {
      result.factors.emplace_back(power_of(u, unknowns.least(u)), 1);
    } else {
      result.factors.emplace_back(power_of(u, 1), unknowns.least(u).get_num().get_si());
    }
  }
  for (const auto& [terms, exponent] : found->factors) {
    PolynomialId factor = constant(0);
    for (const auto& [exponents, coefficient] : terms) {
      PolynomialId term = constant(coefficient);
      for (std::size_t u = 0; u < unknowns.size(); ++u) {
        if (exponents[u] == 0) continue;
        term =
            multiply(term, power_of(u, mpq_class(static_cast<unsigned long>(exponents[u])) / unknowns.denominator(u)));
      }
      factor = add(factor, term);
    }
    result.factors.emplace_back(factor, exponent);
  }
  return result;
}

bool Products::multiplies_to(const Factored& product, PolynomialId id) {
  PolynomialId again = constant(product.constant);
  for (const auto& [factor, exponent] : product.factors) {
    // A negative exponent belongs to a generator that is never zero.
    const std::int64_t size = std::abs(exponent);
    PolynomialId power = integer_power(factor, size);
    if (exponent < 0) power = inverse(power);
    again = multiply(again, power);
  }
  return again == id;
}

std::optional<Products::Factored> Products::factored(PolynomialId id) {
  const Polynomial sum = polynomials_[id];
  if (sum.terms.empty() || sum.terms.size() > kMostTerms || traits(id).is_wild()) return std::nullopt;
  if (const auto known = factored_.find(id); known != factored_.end()) return known->second;
  budget_.spend(4 * sum.terms.size());
  factored_.emplace(id, std::nullopt);
  auto result = factors_found(sum);
  if (!result) return std::nullopt;
  // x = -(-x): a factor that is never positive changes its sign.
  for (auto& [factor, exponent] : result->factors) {
    const Sign known = sign(factor);
    if (!known.nonpositive || known.nonnegative) continue;
    factor = negate(factor);
    if (exponent % 2 != 0) result->constant = -result->constant;
  }
  if (!multiplies_to(*result, id)) return std::nullopt;
  factored_[id] = result;
  return result;
}

/// log(x*y) = log(x)+log(y), where no factor is negative, and log(x**n) = n*log(x). Nothing where the logarithm stays
/// as it is.
std::optional<PolynomialId> Products::log_of_product(PolynomialId argument) {
  // log(1/x) = -log(x), of a number x; log(sqrt(x)) = log(x)/2: wherever they have a value.
  if (const auto only = as_generator(argument)) {
    const Generator node = generators_[*only];
    if (node.kind == Generator::Kind::inverse && !traits(node.polynomials[0]).is_wild()) {
      return negate(call(Function::log, node.polynomials[0]));
    }
    if (node.kind == Generator::Kind::call && static_cast<Function>(node.tag) == Function::sqrt) {
      return scale(call(Function::log, node.polynomials[0]), mpq_class(1, 2));
    }
    return std::nullopt;
  }
  const auto product = factored(argument);
  if (!product || product->constant <= 0) return std::nullopt;
  std::size_t others = 0;  // that are no exponentials; a power counts as several
  for (const auto& [factor, exponent] : product->factors) {
    if (!sign(factor).nonnegative) return std::nullopt;
    if (!exponent_of_factor(factor)) others += static_cast<std::size_t>(std::abs(exponent) + (exponent < 0 ? 1 : 0));
  }
  const auto log_of = [this](PolynomialId inside) {
    return generator({Generator::Kind::call, static_cast<std::uint32_t>(Function::log), {inside}, {}, {}, {}});
  };
  const PolynomialId number = product->constant == 1 ? constant(0) : log_of(constant(product->constant));
  // Which multiple by an exponential stands under a logarithm is for log_of_exponentials to say.
  if (others < 2) {
    if (product->constant == 1) return std::nullopt;
    return add(number, call(Function::log, scale(argument, 1 / product->constant)));
  }
  PolynomialId result = number;
  for (const auto& [factor, exponent] : product->factors) {
    const auto exponential = exponent_of_factor(factor);
    const PolynomialId one = exponential ? *exponential : call(Function::log, factor);
    result = add(result, scale(one, mpq_class(static_cast<long>(exponent))));
  }
  return result;
}

/// The argument of a factor that is an exponential and nothing else.
std::optional<PolynomialId> Products::exponent_of_factor(PolynomialId factor) {
  const auto only = as_generator(factor);
  if (!only) return std::nullopt;
  const Generator& node = generators_[*only];
  if (node.kind != Generator::Kind::call || static_cast<Function>(node.tag) != Function::exp) return std::nullopt;
  return node.polynomials[0];
}

/// sqrt(x*y) = sqrt(x)*sqrt(y), where no factor is negative; sqrt(x**2) = abs(x); sqrt(exp(x)) = exp(x/2). Nothing
/// where the root stays as it is.
std::optional<PolynomialId> Products::root_of_product(PolynomialId argument) {
  const auto product = factored(argument);
  if (!product || product->constant <= 0) return std::nullopt;
  const bool is_square = mpz_perfect_square_p(product->constant.get_num_mpz_t()) != 0 &&
                         mpz_perfect_square_p(product->constant.get_den_mpz_t()) != 0;
  const bool is_itself =
      product->factors.size() == 1 && product->factors[0].second == 1 && !exponent_of_factor(product->factors[0].first);
  if (is_itself && (product->constant == 1 || !is_square)) return std::nullopt;
  for (const auto& [factor, exponent] : product->factors) {
    // The root of a square is an absolute value; any other factor must not be negative.
    if (exponent % 2 != 0 && !sign(factor).nonnegative) return std::nullopt;
  }
  PolynomialId result = constant(1);
  if (is_square) {
    result = constant(mpq_class(sqrt(product->constant.get_num()), sqrt(product->constant.get_den())));
  } else {
    result = generator(
        {Generator::Kind::call, static_cast<std::uint32_t>(Function::sqrt), {constant(product->constant)}, {}, {}, {}});
  }
  for (const auto& [factor, exponent] : product->factors) {
    if (const auto exponential = exponent_of_factor(factor)) {
      const mpq_class half(static_cast<long>(exponent), 2);
      result = multiply(result, call(Function::exp, scale(*exponential, half)));
      continue;
    }
    const bool is_even = exponent % 2 == 0;
    const PolynomialId root = is_even ? call(Function::abs, factor) : call(Function::sqrt, factor);
    const std::int64_t power = is_even ? exponent / 2 : exponent;
    PolynomialId factor_root = integer_power(root, std::abs(power));
    if (power < 0) factor_root = inverse(factor_root);
    result = multiply(result, factor_root);
  }
  return result;
}

}  // namespace steptp::forms
