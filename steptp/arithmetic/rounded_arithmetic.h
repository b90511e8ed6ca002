#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "steptp/arithmetic/decimal.h"
#include "steptp/arithmetic/open_decisions.h"
#include "steptp/arithmetic/prime_field.h"
#include "steptp/arithmetic/value_class.h"
#include "steptp/ir/dtype.h"
#include "steptp/ir/operation.h"

namespace steptp::certify {

/// Reals as a machine of the declared types computes them: every operation in its type, every store rounded, next to a
/// running bound on the distance from the exact value. The oracle has arithmetic of its own; this one shares nothing
/// with it.
class RoundedArithmetic {
 public:
  struct Value {
    double value = 0;
    double error = 0;
    /// Which result it is, of all that were computed; 0 where that is not known. One minus itself is 0 whatever its
    /// error, as where a running maximum stays what it was.
    std::uint64_t origin = 0;
  };
  /// What happened that a good program avoids.
  struct Events {
    bool overflow = false;         ///< an infinity from finite operands
    bool invalid = false;          ///< a NaN from operands that were none
    bool zero_divisor = false;     ///< also the logarithm of zero
    bool lost_all_digits = false;  ///< a divisor, or the argument of a logarithm or a root, that may as well be zero
  };

  /// Sums are made one summand at a time.
  static constexpr bool kHasLanes = false;
  static constexpr bool kHasPlainValues = true;
  static constexpr bool kIsTyped = true;
  static constexpr bool kConvertsBranches = false;

  explicit RoundedArithmetic(Outcomes outcomes = Outcomes::as_computed) : decisions_(outcomes) {}

  /// The type of the next operation.
  void set_type(DType dtype) { type_ = dtype; }
  /// A value kept in a tensor of that type.
  void store(DType dtype, Value& value);
  /// A value as an input: exact. One that overflowed stays lost.
  static void give(Value& value) {
    if (!std::isinf(value.error)) value.error = 0;
  }
  /// An input is what its type can hold: its rounding is no error.
  void store_input(DType dtype, Value& value) const;

  /// Returns the number of the first one, for `literal`.
  [[nodiscard]] std::uint32_t add_literals(const std::vector<Decimal>& literals);
  void literal(Value& out, std::uint32_t number) const { out = {literals_[number], 0}; }
  void input(Value& out, Fraction value) const {
    if (value.is_minus_infinity()) return infinity(out, -1);
    out = {to_double(value), 0};
  }
  void integer(Value& out, std::int64_t value) const { out = {static_cast<double>(value), 0}; }
  void infinity(Value& out, int sign) const;
  void arithmetic(ArithmeticOp op, Value& out, const Value& a, const Value& b);
  /// sum + x*y of exact numbers of the type at hand, in two operations: what `arithmetic` gives, sooner.
  void add_product(Value& sum, double x, double y);
  void function(Function function, Value& out, const Value& a);
  [[nodiscard]] bool compare(CompareOp op, const Value& a, const Value& b);
  [[nodiscard]] std::int64_t to_integer(const Value& a, DType dtype);

  // Decisions that are open.
  [[nodiscard]] OpenDecisions& decisions() { return decisions_; }
  /// `out`, which was computed, so that its bound holds for `other` too.
  void cover(Value& out, const Value& other);
  /// The number 0 or 1 of a bool that may be the other one.
  void cover_bool(Value& out);
  /// A value that was made under an open decision which nobody has covered.
  static void lose(Value& value) { value.error = std::numeric_limits<double>::infinity(); }

  [[nodiscard]] static ValueClass class_of(const Value& a);
  [[nodiscard]] static std::uint64_t identity_of(const Value& a);
  [[nodiscard]] std::string text(const Value& a) const;
  [[nodiscard]] static std::size_t extra_bytes(const Value&) { return 0; }

  [[nodiscard]] const Events& events() const { return events_; }

 private:
  void rounded(ArithmeticOp op, Value& out, const Value& a, const Value& b, bool finite, bool nan);
  void whole_quotient(ArithmeticOp op, Value& out, const Value& a, const Value& b, bool finite, bool nan);
  static void extremum(bool is_max, Value& out, const Value& a, const Value& b);
  template <typename Monotone>
  void whole(Value& out, const Value& a, const Monotone& function);
  void finish(Value& out, double exact, double error, bool finite_operands, bool nan_operands);

  OpenDecisions decisions_;
  std::vector<double> literals_;
  DType type_ = DType::f64;
  Events events_;
  std::uint64_t results_ = 0;
};

/// The nearest number of a float type, ties to even; overflows to infinity.
[[nodiscard]] double round_to(DType dtype, double value);
/// The distance from a value of that magnitude to its neighbour in the type.
[[nodiscard]] double unit_in_last_place(DType dtype, double value);

}  // namespace steptp::certify
