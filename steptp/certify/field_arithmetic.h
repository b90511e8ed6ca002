#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "steptp/certify/prime_field.h"
#include "steptp/certify/value_class.h"
#include "steptp/ir/operation.h"

namespace steptp::certify {

/// Reals as a residue next to an interval of doubles that surely holds the value and decides every comparison.
/// Functions such as exp are unknowns of the field (PrimeField::of_function), so that equal residues still mean equal
/// values, while different residues then mean nothing.
class FieldArithmetic {
 public:
  struct Value {
    PrimeField::Residue residue = 0;
    /// Low = high = an infinity is that infinity; a NaN in `low` is NaN; otherwise the value is finite, also where a
    /// bound has overflowed. Low = high is the exact value.
    double low = 0;
    double high = 0;
    /// As a quotient of polynomials in the inputs: degrees, at most.
    float numerator = 0;
    float denominator = 0;
  };

  explicit FieldArithmetic(std::uint64_t seed) : field_(seed) {}

  void set_literals(const std::vector<Decimal>& literals);
  void literal(Value& out, std::uint32_t number) const { out = literals_[number]; }
  void input(Value& out, Dyadic value) const;
  void integer(Value& out, std::int64_t value) const;
  void infinity(Value& out, int sign) const;

  /// `out` may be one of the operands.
  void arithmetic(ArithmeticOp op, Value& out, const Value& a, const Value& b);
  void function(Function function, Value& out, const Value& a);
  [[nodiscard]] bool compare(CompareOp op, const Value& a, const Value& b);
  /// Truncated and saturated; NaN gives 0.
  [[nodiscard]] std::int64_t to_integer(const Value& a, DType dtype);

  [[nodiscard]] static ValueClass class_of(const Value& a);
  /// Functions occurred: different residues need not be different values.
  [[nodiscard]] bool used_functions() const { return functions_ > 0; }
  [[nodiscard]] std::uint64_t function_count() const { return functions_; }
  /// The greatest degree of an argument of a function.
  [[nodiscard]] double argument_degree() const { return argument_degree_; }
  [[nodiscard]] std::string text(const Value& a) const;
  /// Bytes behind a remembered value besides the object itself.
  [[nodiscard]] static std::size_t extra_bytes(const Value&) { return 0; }

 private:
  void add(Value& out, const Value& a, const Value& b) const;
  void multiply(Value& out, const Value& a, const Value& b) const;
  void divide(Value& out, const Value& a, const Value& b) const;
  void floor_divide(Value& out, const Value& a, const Value& b);
  void power(Value& out, const Value& a, const Value& b);
  void extremum(bool is_max, Value& out, const Value& a, const Value& b);
  void round(Function function, Value& out, const Value& a);
  void transcendental(Function function, Value& out, const Value& a);
  [[nodiscard]] Order order(const Value& a, const Value& b);
  [[nodiscard]] int sign(const Value& a);

  PrimeField field_;
  std::vector<Value> literals_;
  std::uint64_t functions_ = 0;
  double argument_degree_ = 0;
};

}  // namespace steptp::certify
