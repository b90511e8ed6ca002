#include "replay/fine.h"

#include <algorithm>

namespace steptp::replayer {

namespace {

using Rounded = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

std::shared_ptr<Fine> like(const FinePtr& a) { return std::make_shared<Fine>(mpfr_get_prec(a->low)); }

/// A function that never decreases.
std::shared_ptr<Fine> rising(const FinePtr& a, Rounded function) {
  auto out = like(a);
  function(out->low, a->low, MPFR_RNDD);
  function(out->high, a->high, MPFR_RNDU);
  return out;
}

/// sin and cos: no steeper than 1.
FinePtr gentle(const FinePtr& a, Rounded function) {
  auto out = like(a);
  auto middle = like(a);
  mpfr_add(middle->low, a->low, a->high, MPFR_RNDN);
  mpfr_div_ui(middle->low, middle->low, 2, MPFR_RNDN);
  mpfr_sub(middle->high, a->high, a->low, MPFR_RNDU);  // wide enough for the rounding of the middle, unless it is 0
  function(out->low, middle->low, MPFR_RNDD);
  function(out->high, middle->low, MPFR_RNDU);
  mpfr_sub(out->low, out->low, middle->high, MPFR_RNDD);
  mpfr_add(out->high, out->high, middle->high, MPFR_RNDU);
  return out;
}

}  // namespace

Fine::Fine(long bits) {
  // exp(-1e9) is a number, not zero.
  static thread_local const bool is_widened =
      mpfr_set_emin(mpfr_get_emin_min()) == 0 && mpfr_set_emax(mpfr_get_emax_max()) == 0;
  static_cast<void>(is_widened);
  mpfr_init2(low, bits);
  mpfr_init2(high, bits);
}

Fine::~Fine() {
  mpfr_clear(low);
  mpfr_clear(high);
}

FinePtr fine_integer(long bits, std::int64_t value) { return fine_dyadic(bits, value, 0); }

FinePtr fine_dyadic(long bits, std::int64_t mantissa, long exponent) {
  auto out = std::make_shared<Fine>(bits);
  mpfr_set_si_2exp(out->low, mantissa, exponent, MPFR_RNDD);
  mpfr_set_si_2exp(out->high, mantissa, exponent, MPFR_RNDU);
  return out;
}

FinePtr fine_decimal(long bits, const std::string& digits) {
  auto out = std::make_shared<Fine>(bits);
  mpfr_set_str(out->low, digits.c_str(), 10, MPFR_RNDD);
  mpfr_set_str(out->high, digits.c_str(), 10, MPFR_RNDU);
  return out;
}

FinePtr fine_negated(const FinePtr& a) {
  if (!a) return nullptr;
  auto out = like(a);
  mpfr_neg(out->low, a->high, MPFR_RNDD);
  mpfr_neg(out->high, a->low, MPFR_RNDU);
  return out;
}

FinePtr fine_sum(const FinePtr& a, const FinePtr& b) {
  if (!a || !b) return nullptr;
  auto out = like(a);
  mpfr_add(out->low, a->low, b->low, MPFR_RNDD);
  mpfr_add(out->high, a->high, b->high, MPFR_RNDU);
  return out;
}

FinePtr fine_product(const FinePtr& a, const FinePtr& b) {
  if (!a || !b) return nullptr;
  auto out = like(a);
  auto one = like(a);
  bool is_first = true;
  for (const mpfr_srcptr x : {static_cast<mpfr_srcptr>(a->low), static_cast<mpfr_srcptr>(a->high)}) {
    for (const mpfr_srcptr y : {static_cast<mpfr_srcptr>(b->low), static_cast<mpfr_srcptr>(b->high)}) {
      mpfr_mul(one->low, x, y, MPFR_RNDD);
      mpfr_mul(one->high, x, y, MPFR_RNDU);
      if (is_first || mpfr_less_p(one->low, out->low) != 0) mpfr_set(out->low, one->low, MPFR_RNDD);
      if (is_first || mpfr_greater_p(one->high, out->high) != 0) mpfr_set(out->high, one->high, MPFR_RNDU);
      is_first = false;
    }
  }
  return out;
}

FinePtr fine_quotient(const FinePtr& a, const FinePtr& b) {
  const int sign = fine_sign(b);
  if (!a || !b || (sign != 1 && sign != -1)) return nullptr;
  auto inverse = like(b);
  mpfr_ui_div(inverse->low, 1, b->high, MPFR_RNDD);
  mpfr_ui_div(inverse->high, 1, b->low, MPFR_RNDU);
  return fine_product(a, inverse);
}

FinePtr fine_function(Function function, const FinePtr& a) {
  if (!a) return nullptr;
  switch (function) {
    case Function::exp: {
      const auto out = rising(a, mpfr_exp);
      out->logarithm = a;
      return out;
    }
    case Function::erf: return rising(a, mpfr_erf);
    case Function::tanh: return rising(a, mpfr_tanh);
    case Function::log: return fine_sign(a) == 1 ? rising(a, mpfr_log) : nullptr;
    case Function::sqrt: return fine_sign(a) == 1 ? rising(a, mpfr_sqrt) : nullptr;
    case Function::rsqrt:
      return fine_sign(a) == 1 ? fine_quotient(fine_integer(mpfr_get_prec(a->low), 1), rising(a, mpfr_sqrt)) : nullptr;
    case Function::sin: return gentle(a, mpfr_sin);
    case Function::cos: return gentle(a, mpfr_cos);
    default: return nullptr;
  }
}

int fine_order(const FinePtr& a, const FinePtr& b) {
  // Beside zero the sign is all that is asked: that of an exponential is known, however small it is.
  if (a && b && fine_sign(b) == 0) return fine_sign(a);
  if (a && b && fine_sign(a) == 0) return -fine_sign(b);
  const int found = fine_sign(fine_sum(a, fine_negated(b)));
  if (found == 1 || found == -1 || !a || !b || !a->logarithm || !b->logarithm) return found;
  return fine_order(a->logarithm, b->logarithm);
}

int fine_sign(const FinePtr& a) {
  constexpr int kOpen = 2;
  if (!a) return kOpen;
  if (a->logarithm) return 1;
  if (mpfr_nan_p(a->low) != 0 || mpfr_nan_p(a->high) != 0) return kOpen;
  if (mpfr_sgn(a->low) > 0) return 1;
  if (mpfr_sgn(a->high) < 0) return -1;
  return mpfr_zero_p(a->low) != 0 && mpfr_zero_p(a->high) != 0 ? 0 : kOpen;
}

}  // namespace steptp::replayer
