// Factors of polynomials over the rationals, by FLINT. Its C objects live in one class, so that they are released
// together. Nothing rests on the factors being right: whoever asks multiplies them out again (products.cpp).
#include "steptp/prove/factors.h"

#include <flint/flint.h>
#include <flint/fmpq.h>
#include <flint/fmpq_mpoly.h>
#include <flint/fmpq_mpoly_factor.h>

namespace steptp::forms {

namespace {

/// The C objects of one factorisation, released together.
class Workshop {
 public:
  explicit Workshop(std::size_t unknowns) : unknowns_(unknowns) {
    fmpq_mpoly_ctx_init(context, static_cast<slong>(unknowns), ORD_LEX);
    fmpq_mpoly_init(polynomial, context);
    fmpq_mpoly_factor_init(factors, context);
    fmpq_init(fraction);
  }
  ~Workshop() {
    fmpq_clear(fraction);
    fmpq_mpoly_factor_clear(factors, context);
    fmpq_mpoly_clear(polynomial, context);
    fmpq_mpoly_ctx_clear(context);
  }
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  void write(const PlainPolynomial& terms) {
    for (const auto& [exponents, coefficient] : terms) {
      fmpq_set_mpq(fraction, coefficient.get_mpq_t());
      const std::vector<ulong> powers(exponents.begin(), exponents.end());
      fmpq_mpoly_push_term_fmpq_ui(polynomial, fraction, powers.data(), context);
    }
    fmpq_mpoly_sort_terms(polynomial, context);
    fmpq_mpoly_combine_like_terms(polynomial, context);
  }

  [[nodiscard]] mpq_class number() const {
    mpq_class out;
    fmpq_get_mpq(out.get_mpq_t(), fraction);
    return out;
  }

  /// The polynomial at hand.
  [[nodiscard]] PlainPolynomial read() {
    PlainPolynomial out;
    std::vector<ulong> exponents(unknowns_);
    const slong length = fmpq_mpoly_length(polynomial, context);
    for (slong i = 0; i < length; ++i) {
      fmpq_mpoly_get_term_coeff_fmpq(fraction, polynomial, i, context);
      fmpq_mpoly_get_term_exp_ui(exponents.data(), polynomial, i, context);
      out.emplace_back(std::vector<std::uint64_t>(exponents.begin(), exponents.end()), number());
    }
    return out;
  }

  fmpq_mpoly_ctx_t context;
  fmpq_mpoly_t polynomial;
  fmpq_mpoly_factor_t factors;
  fmpq_t fraction;

 private:
  std::size_t unknowns_;
};

}  // namespace

std::optional<PlainFactors> factors_of(const PlainPolynomial& polynomial, std::size_t unknowns) {
  Workshop workshop(unknowns);
  workshop.write(polynomial);
  if (fmpq_mpoly_factor(workshop.factors, workshop.polynomial, workshop.context) == 0) return std::nullopt;
  PlainFactors out;
  fmpq_mpoly_factor_get_constant_fmpq(workshop.fraction, workshop.factors, workshop.context);
  out.constant = workshop.number();
  const slong count = fmpq_mpoly_factor_length(workshop.factors, workshop.context);
  for (slong i = 0; i < count; ++i) {
    fmpq_mpoly_factor_get_base(workshop.polynomial, workshop.factors, i, workshop.context);
    const slong exponent = fmpq_mpoly_factor_get_exp_si(workshop.factors, i, workshop.context);
    out.factors.emplace_back(workshop.read(), exponent);
  }
  return out;
}

}  // namespace steptp::forms
