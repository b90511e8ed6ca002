#pragma once

#include <cstdint>
#include <vector>

#include "steptp/arithmetic/decimal.h"
#include "steptp/arithmetic/fraction.h"
#include "steptp/arithmetic/opaque_assumptions.h"
#include "steptp/arithmetic/opaque_space.h"
#include "steptp/arithmetic/opaque_value.h"
#include "steptp/ir/dtype.h"
#include "steptp/ir/operation.h"
#include "steptp/ir/signature.h"

namespace steptp::certify {

/// Operations on reals that ask for no order (OpaqueOrder has the others). `out` may always be one of the operands.
class OpaqueReals {
 public:
  using Value = OpaqueValue;

  OpaqueReals(OpaqueSpace& space, const OpaqueAssumptions& assumptions) : space_(space), assumptions_(assumptions) {}

  /// The number of the first of them.
  std::uint32_t add_literals(const std::vector<Decimal>& literals);
  void literal(Value& out, std::uint32_t number) const { out = literals_[number]; }
  /// An element of a constant, whose value is known.
  void constant(Value& out, Fraction value) const;
  /// An element of an input: the unknown of these random bits, of which only the domain is known.
  void unknown(Value& out, std::uint64_t bits, const Domain& domain, bool may_be_nan) const;
  void integer(Value& out, std::int64_t value) const;
  void infinity(Value& out, int sign) const;

  /// Not max and min.
  void arithmetic(ArithmeticOp op, Value& out, const Value& a, const Value& b);
  void subtract(Value& out, const Value& a, const Value& b);
  void negate(Value& out, const Value& a) const;
  /// Not abs.
  void function(Function function, Value& out, const Value& a);
  /// Drawn by the number, unless only one integer is possible.
  [[nodiscard]] std::int64_t to_integer(const Value& a, DType dtype) const;

  /// What every result has of its operands: where they may have no value, and whether order was involved.
  void inherit(Value& out, const Value& a, const Value& b);
  /// A hash of the places where a value may have none; 0 where it always has one.
  [[nodiscard]] std::uint64_t holes_of(const Value& a) const;

  /// An unknown is made of this argument.
  void note_unknown(const Value& argument) { unknowns_.add(argument); }
  [[nodiscard]] const OpaqueUnknowns& unknowns() const { return unknowns_; }
  [[nodiscard]] const OpaqueUnknowns& exponentials() const { return exponentials_; }

 private:
  void set_class(Value& out, ValueClass value_class) const;
  void set_special(Value& out, const Value& a, const Value& b, ValueClass value_class, bool is_zero);
  void add(Value& out, const Value& a, const Value& b);
  void multiply(Value& out, const Value& a, const Value& b);
  void divide(Value& out, const Value& a, const Value& b);
  void power(Value& out, const Value& a, const Value& b);
  [[nodiscard]] int sign(const Value& a) const;

  // Functions (opaque_functions.cpp).
  void round(Function function, Value& out, const Value& a);
  void transcendental(Function function, Value& out, const Value& a);
  void logarithm_or_root(Function function, Value& out, const Value& a);
  /// A new unknown of a function's argument.
  void set_unknown(Value& out, const Value& a, std::uint64_t key);
  [[nodiscard]] Twin odd_unknown(std::uint64_t function, Twin a) const;

  OpaqueSpace& space_;
  const OpaqueAssumptions& assumptions_;
  std::vector<Value> literals_;
  OpaqueUnknowns unknowns_;  ///< those of exp among them
  OpaqueUnknowns exponentials_;
};

}  // namespace steptp::certify
