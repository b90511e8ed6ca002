#pragma once

#include <arb.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "steptp/arithmetic/prime_field.h"
#include "steptp/arithmetic/value_class.h"
#include "steptp/ir/dtype.h"
#include "steptp/ir/operation.h"

namespace steptp::certify {

/// Reals as balls that surely hold the value, with the functions as they really are. Beside the ball a value has a
/// class, and an identity: its residues in two prime fields in which every function application is an unknown. Values
/// with equal identities are equal, which no ball could show.
/// More than thirty functions, because an arithmetic is one operation each: those that a machine asks for
/// (machine/evaluation.h), and what they are made of.
class BallArithmetic {
 public:
  class Value {
   public:
    Value() { arb_init(ball); }
    Value(const Value& other) : value_class(other.value_class), identity(other.identity) {
      arb_init(ball);
      arb_set(ball, other.ball);
    }
    Value(Value&& other) noexcept : value_class(other.value_class), identity(other.identity) {
      arb_init(ball);
      arb_swap(ball, other.ball);
    }
    Value& operator=(const Value& other) {
      value_class = other.value_class;
      identity = other.identity;
      arb_set(ball, other.ball);
      return *this;
    }
    Value& operator=(Value&& other) noexcept {
      std::swap(value_class, other.value_class);
      std::swap(identity, other.identity);
      arb_swap(ball, other.ball);
      return *this;
    }
    ~Value() { arb_clear(ball); }

    arb_t ball;
    ValueClass value_class = ValueClass::finite;
    std::array<PrimeField::Residue, 2> identity{};
  };

  /// Sums are made one summand at a time.
  static constexpr bool kHasLanes = false;
  static constexpr bool kHasPlainValues = false;
  /// Exact: the type of an operation plays no part.
  static constexpr bool kIsTyped = false;

  BallArithmetic(std::uint64_t seed, std::int64_t precision);

  /// Returns the number of the first one, for `literal`.
  [[nodiscard]] std::uint32_t add_literals(const std::vector<Decimal>& literals);
  void literal(Value& out, std::uint32_t number) const { out = literals_[number]; }
  void input(Value& out, Fraction value) const;
  void integer(Value& out, std::int64_t value) const;
  void infinity(Value& out, int sign) const;

  /// `out` may be one of the operands.
  void arithmetic(ArithmeticOp op, Value& out, const Value& a, const Value& b);
  void function(Function function, Value& out, const Value& a);
  [[nodiscard]] bool compare(CompareOp op, const Value& a, const Value& b);
  /// Truncated and saturated; NaN gives 0.
  [[nodiscard]] std::int64_t to_integer(const Value& a, DType dtype);

  [[nodiscard]] static ValueClass class_of(const Value& a) { return a.value_class; }
  /// Equal values of the same expression have the same.
  [[nodiscard]] const PrimeField& field() const { return fields_[0]; }
  [[nodiscard]] static std::uint64_t identity_of(const Value& a) {
    return a.identity[0] ^ (static_cast<std::uint64_t>(a.value_class) << 62);
  }
  /// Of finite values: a - b and b - a, by identity.
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> differences(const Value& a, const Value& b) const {
    return {fields_[0].subtract(a.identity[0], b.identity[0]), fields_[0].subtract(b.identity[0], a.identity[0])};
  }
  [[nodiscard]] std::string text(const Value& a, std::int64_t digits = 40) const;
  [[nodiscard]] std::size_t extra_bytes(const Value&) const { return static_cast<std::size_t>(precision_ / 8 + 16); }

  /// The precision at which no summand that is not zero would have vanished beside its sum; at most the present one
  /// where none has.
  [[nodiscard]] std::int64_t wanted_precision() const { return wanted_precision_; }
  [[nodiscard]] std::int64_t precision() const { return precision_; }

 private:
  void set_class(Value& out, ValueClass value_class) const;
  void add(Value& out, const Value& a, const Value& b, bool subtract);
  void note_absorbed(const Value& summand, std::int64_t sum_exponent);
  void multiply(Value& out, const Value& a, const Value& b);
  void divide(Value& out, const Value& a, const Value& b);
  void floor_divide(Value& out, const Value& a, const Value& b);
  void power(Value& out, const Value& a, const Value& b);
  void infinite_power(Value& out, const Value& a, const Value& b);
  void extremum(bool is_max, Value& out, const Value& a, const Value& b);
  void round(Function function, Value& out, const Value& a);
  void transcendental(Function function, Value& out, const Value& a);
  [[nodiscard]] Order order(const Value& a, const Value& b) const;
  [[nodiscard]] int sign(const Value& a) const;
  [[noreturn]] void undecided() const;

  std::array<PrimeField, 2> fields_;
  std::int64_t precision_;
  std::int64_t wanted_precision_ = 0;
  std::vector<Value> literals_;
  std::uint64_t functions_ = 0;
};

}  // namespace steptp::certify
