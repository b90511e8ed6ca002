#pragma once

#include <cstdint>
#include <vector>

#include "steptp/arithmetic/opaque_assumptions.h"
#include "steptp/arithmetic/opaque_order.h"
#include "steptp/arithmetic/opaque_reals.h"
#include "steptp/arithmetic/opaque_space.h"
#include "steptp/arithmetic/opaque_value.h"
#include "steptp/arithmetic/value_class.h"
#include "steptp/ir/dtype.h"
#include "steptp/ir/operation.h"

namespace steptp::certify {

/// Reals without an order: which way a comparison goes is an unknown, like the inputs themselves, and what it chooses
/// is written with that unknown. Programs that agree here agree whichever way their comparisons go.
///
/// A value is a number of TwinField. Of the laws of order only those are used that hold everywhere, ties included:
/// - a choice is v + c*(u-v), where c is the unknown of its condition;
/// - d>0, d=0 and d<0 exclude each other and one of them holds; d and k*d have one sign for k>0;
/// - max(u,v) is v + r(u-v) with r(d) = d where d>0 and 0 elsewhere, so r(d) - r(-d) = d and r(k*d) = k*r(d) for k>0;
///   a choice by d>0 between values whose difference has the sign of d or -d is a maximum or a minimum;
/// - a positive factor does not change a sign, and max(x,a) compares with a number b>a as x does;
/// - a maximum of three or more is an unknown of the set of its operands; minima are negated maxima.
///
/// All of this is about finite numbers. A value that is infinite or NaN because of where it stands is known to be so;
/// one that may have no value at some inputs (a divisor that may vanish, a log or a root that may leave its domain)
/// carries that along, and is refused where order functions would swallow it. What cannot be expressed throws Failure
/// (unsupported): nothing is then known.
///
/// This class is what a machine asks for; OpaqueReals and OpaqueOrder do the work.
class OpaqueArithmetic {
 public:
  using Value = OpaqueValue;
  using Decision = OpaqueDecision;

  /// Values need no memory of their own.
  static constexpr bool kHasPlainValues = true;
  static constexpr bool kIsTyped = false;
  static constexpr bool kHasLanes = false;

  explicit OpaqueArithmetic(OpaqueSpace& space)
      : space_(space), assumptions_(space), reals_(space, assumptions_), order_(space, assumptions_, reals_) {}
  OpaqueArithmetic(const OpaqueArithmetic&) = delete;
  OpaqueArithmetic& operator=(const OpaqueArithmetic&) = delete;
  ~OpaqueArithmetic() = default;

  /// The number of the first of them.
  std::uint32_t add_literals(const std::vector<Decimal>& literals) { return reals_.add_literals(literals); }
  void literal(Value& out, std::uint32_t number) const { reals_.literal(out, number); }
  void constant(Value& out, Fraction value) const { reals_.constant(out, value); }
  void unknown(Value& out, std::uint64_t bits, const Domain& domain, bool may_be_nan) const {
    reals_.unknown(out, bits, domain, may_be_nan);
  }
  void integer(Value& out, std::int64_t value) const { reals_.integer(out, value); }
  void infinity(Value& out, int sign) const { reals_.infinity(out, sign); }

  /// `out` may be one of the operands.
  void arithmetic(ArithmeticOp op, Value& out, const Value& a, const Value& b) {
    if (op == ArithmeticOp::max) return order_.greatest(out, a, b);
    if (op == ArithmeticOp::min) return order_.least(out, a, b);
    reals_.arithmetic(op, out, a, b);
  }
  void function(Function function, Value& out, const Value& a) {
    if (function == Function::abs) return order_.absolute(out, a);
    reals_.function(function, out, a);
  }
  [[nodiscard]] std::int64_t to_integer(const Value& a, DType dtype) const { return reals_.to_integer(a, dtype); }

  // Conditions.
  [[nodiscard]] Decision decide(CompareOp op, const Value& a, const Value& b) { return order_.decide(op, a, b); }
  [[nodiscard]] Decision decision(bool holds) const { return decided(space_.field, holds); }
  [[nodiscard]] Decision both(LogicOp op, const Decision& a, const Decision& b) { return order_.both(op, a, b); }
  [[nodiscard]] Decision chosen(const Decision& condition, const Decision& a, const Decision& b) {
    return order_.chosen(condition, a, b);
  }
  void choose(Value& out, const Decision& condition, const Value& a, const Value& b) {
    order_.choose(out, condition, a, b);
  }
  /// Decides nothing: throws.
  [[nodiscard]] static bool compare(CompareOp op, const Value& a, const Value& b);

  /// What holds in an arm of a choice, for as long as the object lives.
  class Assumption : public OpaqueAssumptions::Assumption {
   public:
    Assumption(OpaqueArithmetic& arithmetic, const Decision& decision, bool holds)
        : OpaqueAssumptions::Assumption(arithmetic.assumptions_, decision, holds) {}
  };
  /// Nothing is assumed while the object lives: what is computed is remembered for other places.
  class Suspension : public OpaqueAssumptions::Suspension {
   public:
    explicit Suspension(OpaqueArithmetic& arithmetic) : OpaqueAssumptions::Suspension(arithmetic.assumptions_) {}
  };

  [[nodiscard]] static std::uint64_t identity_of(const Value& a) { return a.number.p; }
  [[nodiscard]] static bool is_number(const Value& a) { return certify::is_number(a); }
  [[nodiscard]] static ValueClass class_of(const Value& a) { return a.value_class; }
  [[nodiscard]] static std::size_t extra_bytes(const Value&) { return 0; }

  /// Unknowns that stand for functions, those of exp among them.
  [[nodiscard]] const OpaqueUnknowns& unknowns() const { return reals_.unknowns(); }
  [[nodiscard]] const OpaqueUnknowns& exponentials() const { return reals_.exponentials(); }

 private:
  OpaqueSpace& space_;
  OpaqueAssumptions assumptions_;
  OpaqueReals reals_;
  OpaqueOrder order_;
};

}  // namespace steptp::certify
