#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "replay/fine.h"
#include "steptp/ir/dtype.h"
#include "steptp/ir/operation.h"

/// The replayer: a second, small reading of LEIR that shares nothing with the judge but the reader of texts.
namespace steptp::replayer {

/// Why a point has no answer. None of them is a verdict on the certificate.
struct Undecided {  ///< a comparison that long doubles do not decide
  std::string reason;
};
struct Undefined {  ///< a read of nothing, a division by zero
  std::string reason;
  bool is_unwritten = false;  ///< nothing has been written there
};
struct Beyond {  ///< the budget of steps, or of depth
  std::string reason;
};

__extension__ typedef unsigned __int128 Double;  // NOLINT(modernize-use-using): an extension
__extension__ typedef __int128 Wide;             // NOLINT(modernize-use-using): an extension

/// The replayer's own prime, 2^61-1.
inline constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;

/// Integers modulo a prime below 2^62.
class Field {
 public:
  explicit Field(std::uint64_t prime) : prime_(prime) {}
  [[nodiscard]] std::uint64_t prime() const { return prime_; }
  [[nodiscard]] std::uint64_t add(std::uint64_t a, std::uint64_t b) const {
    const std::uint64_t sum = a + b;
    return sum >= prime_ ? sum - prime_ : sum;
  }
  [[nodiscard]] std::uint64_t negate(std::uint64_t a) const { return a == 0 ? 0 : prime_ - a; }
  [[nodiscard]] std::uint64_t multiply(std::uint64_t a, std::uint64_t b) const {
    const Double product = static_cast<Double>(a) * b;
    if (prime_ != kPrime) return static_cast<std::uint64_t>(product % prime_);
    // 2^61 is 1 modulo this prime, so that both halves are added.
    return add(static_cast<std::uint64_t>(product >> 61), static_cast<std::uint64_t>(product) & kPrime);
  }
  [[nodiscard]] std::uint64_t power(std::uint64_t base, std::uint64_t exponent) const;
  [[nodiscard]] std::uint64_t inverse(std::uint64_t a) const { return power(a, prime_ - 2); }
  [[nodiscard]] std::uint64_t of_integer(std::int64_t value) const;

 private:
  std::uint64_t prime_;
};
/// Deterministic for all 64-bit numbers.
[[nodiscard]] bool is_prime(std::uint64_t number);

enum class Class : std::uint8_t { finite, plus_infinity, minus_infinity, nan };

/// A real: its residue, and a long double that is off by at most `error`.
struct Real {
  std::uint64_t residue = 0;
  long double value = 0;
  long double error = 0;
  Class kind = Class::finite;
  FinePtr fine = nullptr;  ///< where many bits are asked for, and it is known
  [[nodiscard]] bool is_finite() const { return kind == Class::finite; }
};

/// More than thirty functions, because an arithmetic is one operation each.
/// Exact arithmetic as far as residues go. exp, log and their kin are unknowns of the field, numbered by the residue of
/// their argument as certificates define it; what they are as real numbers shows in the long double only.
class Numbers {
 public:
  /// `bits`: of a second reckoning of reals, where long doubles are too coarse; 0: none.
  explicit Numbers(std::uint64_t prime, long bits = 0) : field_(prime), bits_(bits) {}
  [[nodiscard]] const Field& field() const { return field_; }
  /// Functions occurred: different residues need not be different numbers.
  [[nodiscard]] bool used_functions() const { return functions_ > 0; }
  /// A function at 0 or the like: whether it is an unknown or a plain number depends on who knew that it is exact, so
  /// that residues of two evaluators need not be the same.
  [[nodiscard]] bool was_ambiguous() const { return was_ambiguous_; }

  /// Kept from here on, where there is a list: differences that are compared, divisors, arguments of roots and of
  /// roundings, less the number that they are rounded to. Where one of them is zero, something changes.
  void record_turns(std::vector<Real>* turns) {
    turns_ = turns;
    turns_dropped_ = 0;
  }
  void turn(const Real& gap) const;
  void turn_between(const Real& a, const Real& b) const;
  /// What is given was made with functions, so that different residues need not be different numbers.
  void note_function() { ++functions_; }

  /// The greatest magnitude that was stored: what was computed in doubles is off by a part of it.
  void note(const Real& stored);
  [[nodiscard]] long double greatest() const { return greatest_; }

  [[nodiscard]] Real of_integer(std::int64_t value) const;
  /// The divisor is positive.
  [[nodiscard]] Real of_quotient(std::int64_t above, std::int64_t below) const;
  /// mantissa * 2^exponent
  [[nodiscard]] Real of_dyadic(std::int64_t mantissa, int exponent) const;
  [[nodiscard]] Real of_double(double value) const;
  /// The decimal that the double is written as, exactly.
  [[nodiscard]] Real of_literal(double value) const;
  /// A whole number of any length.
  [[nodiscard]] Real of_digits(const std::string& digits) const;
  [[nodiscard]] static Real of_class(Class kind);

  [[nodiscard]] static Real negate_class(const Real& a);
  [[nodiscard]] Real negate(const Real& a) const;
  [[nodiscard]] Real add(const Real& a, const Real& b) const;
  [[nodiscard]] Real subtract(const Real& a, const Real& b) const { return add(a, negate(b)); }
  [[nodiscard]] Real multiply(const Real& a, const Real& b);
  [[nodiscard]] Real divide(const Real& a, const Real& b);
  [[nodiscard]] Real floor_divide(const Real& a, const Real& b);
  [[nodiscard]] Real modulo(const Real& a, const Real& b);
  [[nodiscard]] Real power(const Real& a, const Real& b);
  [[nodiscard]] Real integer_power(const Real& base, std::int64_t exponent);
  [[nodiscard]] Real extremum(bool is_max, const Real& a, const Real& b);
  [[nodiscard]] Real arithmetic(ArithmeticOp op, const Real& a, const Real& b);
  [[nodiscard]] Real function(Function function, const Real& a);
  [[nodiscard]] bool compare(CompareOp op, const Real& a, const Real& b);
  /// Truncated and saturated; NaN gives 0, or true.
  [[nodiscard]] std::int64_t to_integer(const Real& a, DType dtype);
  /// Of a square root what it is the root of, as residues: both are zero at the same inputs.
  [[nodiscard]] std::uint64_t without_root(const Real& a) const;
  /// -1, 0 or 1; of a number that is not NaN.
  [[nodiscard]] int sign(const Real& a) const;

 private:
  [[nodiscard]] int order(const Real& a, const Real& b) const;
  [[nodiscard]] Real with_fine(Real value, const FinePtr& fine) const;
  /// A finite number that may be too large for long doubles: then it is one where many bits hold it, and Undecided
  /// otherwise.
  [[nodiscard]] Real enclosed(const Real& real, const FinePtr& fine) const;
  [[nodiscard]] Real round(Function function, const Real& a);
  [[nodiscard]] Real of_infinity(Function function, const Real& a) const;
  [[nodiscard]] Real transcendental(Function function, const Real& a);
  [[nodiscard]] std::uint64_t unknown(std::uint64_t function, std::uint64_t argument) const;

  Field field_;
  long bits_;
  std::uint64_t functions_ = 0;
  bool was_ambiguous_ = false;
  std::map<std::uint64_t, Real> logarithms_;      ///< of what, by residue
  std::map<std::uint64_t, Real> exponentials_;    ///< likewise
  std::map<std::uint64_t, std::uint64_t> roots_;  ///< likewise
  long double greatest_ = 0;
  std::vector<Real>* turns_ = nullptr;
  mutable std::uint64_t turns_dropped_ = 0;
};

[[noreturn]] void undecided();

/// An integer in the range of its type, as conversions between integers do.
[[nodiscard]] std::int64_t wrapped(Wide value, DType dtype);

/// How two values at one point relate.
enum class Agreement : std::uint8_t {
  not_counted,  ///< the first is NaN
  by_residue,
  by_digits,  ///< the residues say nothing, because of functions; the long doubles agree
  differs,
  undecided,  ///< the long doubles overlap, but are too wide to mean anything
};
[[nodiscard]] Agreement compare_values(const Real& first, const Real& second, bool used_functions);

}  // namespace steptp::replayer
