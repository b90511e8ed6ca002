#pragma once

// The values of the meaning (docs/verification.md, "What equal means") and the operations on them.

#include <optional>
#include <string>

#include "steptp/ir/dtype.h"
#include "steptp/ir/operation.h"
#include "testing/meaning_numbers.h"

namespace steptp::testing {

/// A value of the meaning. `none` is *no value*: whatever evaluates it has none either. `unknown` is not part of the
/// meaning: it says that this evaluator cannot tell.
struct Meant {
  enum class Kind : std::uint8_t { number, plus_infinity, minus_infinity, nan, none, unknown };
  Kind kind = Kind::none;
  Reals::Id number = 0;  ///< where kind is number

  [[nodiscard]] bool is_number() const { return kind == Kind::number; }
  [[nodiscard]] bool is_infinite() const { return kind == Kind::plus_infinity || kind == Kind::minus_infinity; }
  bool operator==(const Meant&) const = default;
};

/// The operations. Integers and bools are numbers too; what makes them integers is the dtype an operation is done in.
class MeantArithmetic {
 public:
  explicit MeantArithmetic(Reals& reals) : reals_(reals) {}

  [[nodiscard]] Meant number(const mpq_class& value) { return {Meant::Kind::number, reals_.rational(value)}; }
  [[nodiscard]] static Meant infinity(bool positive) {
    return {positive ? Meant::Kind::plus_infinity : Meant::Kind::minus_infinity, 0};
  }
  [[nodiscard]] static Meant nan() { return {Meant::Kind::nan, 0}; }
  [[nodiscard]] static Meant none() { return {Meant::Kind::none, 0}; }
  [[nodiscard]] static Meant unknown() { return {Meant::Kind::unknown, 0}; }

  /// Both operands are of the dtype in which the operation is done.
  [[nodiscard]] Meant binary(ArithmeticOp op, DType dtype, Meant left, Meant right);
  [[nodiscard]] Meant integer_power(DType dtype, Meant base, std::uint64_t exponent);
  [[nodiscard]] Meant unary(Function function, DType dtype, Meant argument);
  /// 0 or 1; both sides are of one dtype.
  [[nodiscard]] Meant compare(CompareOp op, Meant left, Meant right);
  [[nodiscard]] Meant convert(Meant value, DType from, DType to);
  [[nodiscard]] Meant identity(ArithmeticOp op, DType dtype);
  /// Whether the value is not zero; nothing where it is none or unknown.
  [[nodiscard]] std::optional<bool> is_true(Meant value);
  /// The value as an integer, where it is known to be one.
  [[nodiscard]] std::optional<mpz_class> integer(Meant value) const;

  /// -2 for NaN or unknown on some side; otherwise the order of two numbers or infinities.
  static constexpr int kNoOrder = -2;
  [[nodiscard]] std::optional<int> order(Meant left, Meant right);
  [[nodiscard]] std::string text(Meant value);

 private:
  using Id = Reals::Id;
  [[nodiscard]] Meant exact(Id id) const { return {Meant::Kind::number, id}; }
  [[nodiscard]] Meant wrapped(DType dtype, const mpz_class& value);
  /// -1, 0, 1 of a number or an infinity.
  [[nodiscard]] std::optional<int> sign(Meant value);
  [[nodiscard]] Meant add(Meant left, Meant right);
  [[nodiscard]] Meant negate(Meant value);
  [[nodiscard]] Meant multiply(Meant left, Meant right);
  [[nodiscard]] Meant divide(Meant left, Meant right);
  [[nodiscard]] Meant floor_divide(Meant left, Meant right);
  [[nodiscard]] Meant modulo(Meant left, Meant right);
  [[nodiscard]] Meant power(Meant base, Meant exponent);
  [[nodiscard]] Meant power_of_infinity(Meant base, Meant exponent);
  [[nodiscard]] Meant infinite_power(Meant base, bool positive_exponent);
  [[nodiscard]] Meant extremum(bool is_max, Meant left, Meant right);
  [[nodiscard]] Meant integer_binary(ArithmeticOp op, DType dtype, Meant left, Meant right);
  [[nodiscard]] Meant function_of_number(Function function, Id argument);
  [[nodiscard]] Meant function_of_infinity(Function function, bool positive);
  [[nodiscard]] Meant rounded(Function function, Id argument);
  [[nodiscard]] Meant to_integer(Meant value, DType to);

  Reals& reals_;
};

}  // namespace steptp::testing
