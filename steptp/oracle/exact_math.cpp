#include "steptp/oracle/exact_math.h"

#include <mpfr.h>

#include <cmath>
#include <limits>

namespace steptp {

namespace {

/// MPFR keeps constants and scratch memory per thread until told; a thread that ends gives them back.
void free_caches_at_thread_end() {
  struct Caches {
    ~Caches() { mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE); }
  };
  thread_local const Caches kCaches;
  static_cast<void>(kCaches);
}

/// MPFR's exponent range is a setting of the thread; this sets that of a float type and puts back what was there.
class ExponentRange {
 public:
  explicit ExponentRange(const DTypeInfo& type) : emin_(mpfr_get_emin()), emax_(mpfr_get_emax()) {
    free_caches_at_thread_end();
    // MPFR's significands lie in [1/2, 1), so its exponents are one higher than ours; emin is the least subnormal's.
    mpfr_set_emin(1 - type.max_exponent - type.precision + 2);
    mpfr_set_emax(type.max_exponent + 1);
  }
  ~ExponentRange() {
    mpfr_set_emin(emin_);
    mpfr_set_emax(emax_);
  }
  ExponentRange(const ExponentRange&) = delete;
  ExponentRange& operator=(const ExponentRange&) = delete;

 private:
  mpfr_exp_t emin_;
  mpfr_exp_t emax_;
};

/// An MPFR number on the stack: allocating at every call would cost more than a square root.
template <int Bits>
class Number {
 public:
  explicit Number(int precision = Bits) {
    mpfr_custom_init(limbs_, precision);
    mpfr_custom_init_set(value_, MPFR_NAN_KIND, 0, precision, limbs_);
  }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;
  operator mpfr_ptr() { return value_; }

 private:
  mp_limb_t limbs_[(Bits + GMP_NUMB_BITS - 1) / GMP_NUMB_BITS];
  mpfr_t value_;
};

/// Rounds `value` a second time where the first rounding was to more digits than a subnormal has; `ternary` says on
/// which side of the true value the first one fell, so the two together are one rounding.
double finish(mpfr_ptr value, int ternary) {
  mpfr_subnormalize(value, ternary, MPFR_RNDN);
  const double result = mpfr_get_d(value, MPFR_RNDN);
  return std::isnan(result) ? std::numeric_limits<double>::quiet_NaN() : result;
}

int apply(Function function, mpfr_ptr result, mpfr_ptr x) {
  switch (function) {
    case Function::exp: return mpfr_exp(result, x, MPFR_RNDN);
    case Function::log: return mpfr_log(result, x, MPFR_RNDN);
    case Function::sqrt: return mpfr_sqrt(result, x, MPFR_RNDN);
    case Function::erf: return mpfr_erf(result, x, MPFR_RNDN);
    case Function::tanh: return mpfr_tanh(result, x, MPFR_RNDN);
    case Function::sin: return mpfr_sin(result, x, MPFR_RNDN);
    case Function::cos: return mpfr_cos(result, x, MPFR_RNDN);
    case Function::rsqrt: return mpfr_rec_sqrt(result, x, MPFR_RNDN);
    case Function::negate: return mpfr_neg(result, x, MPFR_RNDN);
    case Function::abs: return mpfr_abs(result, x, MPFR_RNDN);
    case Function::floor: return mpfr_rint_floor(result, x, MPFR_RNDN);
    case Function::ceil: return mpfr_rint_ceil(result, x, MPFR_RNDN);
    case Function::round: return mpfr_rint_roundeven(result, x, MPFR_RNDN);
  }
  return 0;
}

}  // namespace

double exact_function(DType dtype, Function function, double x) {
  if (function == Function::rsqrt && x == 0) return std::copysign(std::numeric_limits<double>::infinity(), x);
  const DTypeInfo& type = info(dtype);
  const ExponentRange range(type);
  Number<53> argument;
  Number<53> result(type.precision);
  mpfr_set_d(argument, x, MPFR_RNDN);
  return finish(result, apply(function, result, argument));
}

double exact_power(DType dtype, double base, double exponent) {
  const DTypeInfo& type = info(dtype);
  const ExponentRange range(type);
  Number<53> left;
  Number<53> right;
  Number<53> result(type.precision);
  mpfr_set_d(left, base, MPFR_RNDN);
  mpfr_set_d(right, exponent, MPFR_RNDN);
  return finish(result, mpfr_pow(result, left, right, MPFR_RNDN));
}

double exact_floor_divide(DType dtype, double left, double right) {
  // A quotient of doubles is below 2^2098. With that many digits every integer in its range is representable, so
  // rounding the quotient down cannot pass its floor.
  constexpr int kDigits = 2112;
  Number<53> dividend;
  Number<53> divisor;
  Number<kDigits> quotient;
  mpfr_set_d(dividend, left, MPFR_RNDN);
  mpfr_set_d(divisor, right, MPFR_RNDN);
  mpfr_div(quotient, dividend, divisor, MPFR_RNDD);
  mpfr_floor(quotient, quotient);
  const DTypeInfo& type = info(dtype);
  const ExponentRange range(type);
  Number<53> result(type.precision);
  return finish(result, mpfr_set(result, quotient, MPFR_RNDN));
}

}  // namespace steptp
