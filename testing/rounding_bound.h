#pragma once

// The first-order error bound of a scalar term in a float type, as docs/verification.md defines it under "Safe",
// computed slowly and obviously: the witness of testing/safe_attacker.h. It shares no code with the judge.

#include <mpfr.h>

#include <map>
#include <string>

#include "steptp/ir/dtype.h"
#include "testing/attack_terms.h"

namespace steptp::testing {

/// A real number with 320 bits and an exponent without practical limits.
class Big {
 public:
  Big() {
    mpfr_init2(value_, kBits);
    mpfr_set_zero(value_, 1);
  }
  explicit Big(double value) : Big() { mpfr_set_d(value_, value, MPFR_RNDN); }
  Big(const Big& other) : Big() { mpfr_set(value_, other.value_, MPFR_RNDN); }
  Big& operator=(const Big& other) {
    mpfr_set(value_, other.value_, MPFR_RNDN);
    return *this;
  }
  ~Big() { mpfr_clear(value_); }
  [[nodiscard]] static Big power_of_two(long exponent);

  [[nodiscard]] mpfr_ptr get() { return value_; }
  [[nodiscard]] mpfr_srcptr get() const { return value_; }
  [[nodiscard]] bool is_zero() const { return mpfr_zero_p(value_) != 0; }
  [[nodiscard]] bool is_finite() const { return mpfr_number_p(value_) != 0; }
  [[nodiscard]] Big magnitude() const;

  friend Big operator+(const Big& a, const Big& b);
  friend Big operator-(const Big& a, const Big& b);
  friend Big operator*(const Big& a, const Big& b);
  friend Big operator/(const Big& a, const Big& b);
  friend bool operator<(const Big& a, const Big& b) { return mpfr_less_p(a.value_, b.value_) != 0; }

 private:
  static constexpr mpfr_prec_t kBits = 320;
  mpfr_t value_;
};

/// A value with its bound, and what went wrong on the way.
struct BoundedValue {
  Big value;
  Big bound;
  bool overflow = false;  ///< a finite value beyond the type
  bool invalid = false;   ///< NaN, or a divisor that is zero
  bool crowded = false;   ///< a finite value above 2^(emax - emax/4), or a comparison closer than its bound
};

/// Of + - * /, exp log sqrt tanh, abs, the sign, max, min, and where(p<q,u,v).
[[nodiscard]] BoundedValue bounded(const Term& term, DType dtype, const std::map<std::string, double>& variables);

/// How `after` does at one point, by the definition of docs/verification.md, "Safe".
enum class SafetyAtPoint { not_good, fine, bad };
/// Bad by a margin of 4 beyond what docs/verification.md allows, so that details of the bound do not matter. `rounds`:
/// the value is one term of a sum of so many, the others zero, and the sum is charged for all of them.
[[nodiscard]] SafetyAtPoint safety_at(const Term& before, const Term& after, DType dtype,
                                      const std::map<std::string, double>& variables, std::int64_t rounds = 1);

}  // namespace steptp::testing
