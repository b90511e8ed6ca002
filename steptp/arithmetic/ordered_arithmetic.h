#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "steptp/arithmetic/decimal.h"
#include "steptp/arithmetic/open_decisions.h"
#include "steptp/arithmetic/prime_field.h"
#include "steptp/arithmetic/value_class.h"
#include "steptp/ir/dtype.h"
#include "steptp/ir/operation.h"

namespace steptp::certify {

/// Reals as any machine has them that does the operations of the text in their order, but for accumulations over
/// threads whose order it is told, and in the declared types: an interval of what it may hold. Sums, products,
/// quotients and roots are rounded correctly everywhere, so that ends of intervals are rounded as the values between
/// them and stay where they are; functions may be off by some units in the last place, and a product in f32 or f64 may
/// go into a sum without being rounded.
///
/// Of the exact values this says nothing. But a sum of 10,000 numbers in f16, of which no digit is certain in another
/// order, is one number here.
/// More than thirty functions, because an arithmetic is one operation each: those that a machine asks for
/// (machine/evaluation.h), and what they are made of.
class OrderedArithmetic {
 public:
  struct Value {
    double value = 0;  ///< of one such machine
    double low = 0;
    double high = 0;
    double slack = 0;          ///< how far a product that was not rounded is from one that was
    std::uint64_t origin = 0;  ///< which result it is; 0 where that is not known
    [[nodiscard]] bool is_certain() const { return low == high; }
  };

  static constexpr bool kHasLanes = false;
  static constexpr bool kHasPlainValues = true;
  static constexpr bool kIsTyped = true;
  static constexpr bool kConvertsBranches = false;
  static constexpr bool kFollowsThreads = true;

  /// The type of the next operation.
  void set_type(DType dtype) { type_ = dtype; }
  void store(DType dtype, Value& value) const;
  static void give(Value& value) { value = number(value.value); }
  void store_input(DType dtype, Value& value) const { store(dtype, value); }

  /// Returns the number of the first one, for `literal`.
  [[nodiscard]] std::uint32_t add_literals(const std::vector<Decimal>& literals);
  void literal(Value& out, std::uint32_t number_of_literal) const { out = number(literals_[number_of_literal]); }
  void input(Value& out, Fraction value) const {
    if (value.is_minus_infinity()) return infinity(out, -1);
    out = number(to_double(value));
  }
  void integer(Value& out, std::int64_t value) const;
  void infinity(Value& out, int sign) const;
  void arithmetic(ArithmeticOp op, Value& out, const Value& a, const Value& b);
  void function(Function function, Value& out, const Value& a);
  [[nodiscard]] bool compare(CompareOp op, const Value& a, const Value& b);
  [[nodiscard]] std::int64_t to_integer(const Value& a, DType dtype);

  // Decisions that are open.
  [[nodiscard]] OpenDecisions& decisions() { return decisions_; }
  void cover(Value& out, const Value& other);
  void cover_bool(Value& out);
  static void lose(Value& value);

  [[nodiscard]] static ValueClass class_of(const Value& a);
  [[nodiscard]] static std::uint64_t identity_of(const Value& a);
  [[nodiscard]] std::string text(const Value& a) const { return std::to_string(a.value); }
  [[nodiscard]] static std::size_t extra_bytes(const Value&) { return 0; }

 private:
  [[nodiscard]] static Value number(double value) { return {value, value, value}; }
  [[nodiscard]] bool may_contract() const { return type_ == DType::f32 || type_ == DType::f64; }
  void finish(Value& out, Value made);
  void sum(Value& out, const Value& a, const Value& b, bool subtract);
  void product(Value& out, const Value& a, const Value& b);
  void quotient(Value& out, const Value& a, const Value& b);
  void whole_quotient(ArithmeticOp op, Value& out, const Value& a, const Value& b);
  void power(Value& out, const Value& a, const Value& b);
  void extremum(bool is_max, Value& out, const Value& a, const Value& b) const;
  template <typename Monotone>
  void whole(Value& out, const Value& a, const Monotone& function);
  void root(Value& out, const Value& a);
  void transcendental(Function function, Value& out, const Value& a);
  /// Ends and value of an approximation: of a function that may be off by so many units.
  void approximate(Value& out, double value, double low, double high);

  OpenDecisions decisions_{Outcomes::both};
  std::vector<double> literals_;
  DType type_ = DType::f64;
  std::uint64_t results_ = 0;
};

}  // namespace steptp::certify
