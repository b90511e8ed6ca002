#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "steptp/arithmetic/opaque_space.h"
#include "steptp/arithmetic/real_range.h"
#include "steptp/arithmetic/value_class.h"
#include "steptp/ir/dtype.h"
#include "steptp/ir/operation.h"
#include "steptp/ir/signature.h"

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
class OpaqueArithmetic {
 public:
  /// Of a quotient of polynomials.
  struct Degrees {
    float numerator = 0;
    float denominator = 0;
    std::uint64_t divisor = 0;  ///< equal for equal denominators, 0 for none: those of a softmax are all one
    [[nodiscard]] double total() const { return static_cast<double>(numerator) + static_cast<double>(denominator); }
  };

  struct Value {
    Twin number;
    Twin core;              ///< has the sign of the number: without factors that are surely positive
    RealRange range{0, 0};  ///< finite values: at every input
    Degrees degrees;
    std::uint32_t set = 0;      ///< where it is the greatest of some: of which
    std::uint32_t hazards = 0;  ///< functions that may leave their domain on the way here
    std::uint32_t poles = 0;    ///< divisors on the way here that are zero on a set of measure zero, perhaps
    ValueClass value_class = ValueClass::finite;
    bool is_least = false;       ///< minus the greatest of the set
    bool is_nonzero = false;     ///< at every input
    bool has_logarithm = false;  ///< of what may be zero: the value may be infinite
    bool is_piecewise = false;   ///< order was involved, so that zeros need not be a set of measure zero
  };

  /// A condition.
  struct Decision {
    enum class State : std::uint8_t { fails, holds, open };
    enum class Form : std::uint8_t {
      above,  ///< difference > 0
      zero,   ///< difference = 0
      other,
    };
    State state = State::fails;
    Form form = Form::other;
    bool is_negated = false;
    Twin difference;  ///< not for other forms
    Twin number;      ///< 1 where it holds, 0 elsewhere
    float degree = 1;
    std::uint32_t hazards = 0;  ///< of what is compared
  };

  /// Values need no memory of their own.
  static constexpr bool kHasPlainValues = true;
  static constexpr bool kIsTyped = false;
  static constexpr bool kHasLanes = false;

  explicit OpaqueArithmetic(OpaqueSpace& space) : space_(space) {}

  /// The number of the first of them.
  std::uint32_t add_literals(const std::vector<Decimal>& literals);
  void literal(Value& out, std::uint32_t number) const { out = literals_[number]; }
  /// An element of a constant, whose value is known.
  void constant(Value& out, Fraction value) const;
  /// An element of an input: the unknown of these random bits, of which only the domain is known.
  void unknown(Value& out, std::uint64_t bits, const Domain& domain, bool may_be_nan) const;
  void integer(Value& out, std::int64_t value) const;
  void infinity(Value& out, int sign) const;

  /// `out` may be one of the operands.
  void arithmetic(ArithmeticOp op, Value& out, const Value& a, const Value& b);
  void function(Function function, Value& out, const Value& a);

  // Conditions (opaque_decisions.cpp).

  [[nodiscard]] Decision decide(CompareOp op, const Value& a, const Value& b);
  [[nodiscard]] Decision decision(bool holds) const;
  [[nodiscard]] Decision negation(Decision a) const;
  [[nodiscard]] Decision both(LogicOp op, const Decision& a, const Decision& b);
  [[nodiscard]] Decision chosen(const Decision& condition, const Decision& a, const Decision& b);
  /// `a` where the condition holds, else `b`.
  void choose(Value& out, const Decision& condition, const Value& a, const Value& b);

  /// What holds in an arm of a choice, for as long as the object lives.
  class Assumption {
   public:
    Assumption(OpaqueArithmetic& arithmetic, const Decision& decision, bool holds) : list_(arithmetic.assumptions_) {
      list_.emplace_back(decision, holds);
    }
    Assumption(const Assumption&) = delete;
    Assumption& operator=(const Assumption&) = delete;
    ~Assumption() { list_.pop_back(); }

   private:
    std::vector<std::pair<Decision, bool>>& list_;
  };
  /// Nothing is assumed while the object lives: what is computed is remembered for other places.
  class Suspension {
   public:
    explicit Suspension(OpaqueArithmetic& arithmetic) : list_(arithmetic.assumptions_) { list_.swap(kept_); }
    Suspension(const Suspension&) = delete;
    Suspension& operator=(const Suspension&) = delete;
    ~Suspension() { list_.swap(kept_); }

   private:
    std::vector<std::pair<Decision, bool>>& list_;
    std::vector<std::pair<Decision, bool>> kept_;
  };

  /// Decides nothing: throws.
  [[nodiscard]] static bool compare(CompareOp op, const Value& a, const Value& b);
  /// Drawn by the number, unless only one integer is possible.
  [[nodiscard]] std::int64_t to_integer(const Value& a, DType dtype) const;
  [[nodiscard]] static std::uint64_t identity_of(const Value& a) { return a.number.p; }
  /// The same at every input, as far as reals go.
  [[nodiscard]] static bool is_number(const Value& a) { return a.degrees.numerator == 0 && a.degrees.denominator == 0; }
  [[nodiscard]] static ValueClass class_of(const Value& a) { return a.value_class; }
  [[nodiscard]] static std::size_t extra_bytes(const Value&) { return 0; }

  /// Unknowns that stand for functions, by their arguments.
  struct Unknowns {
    double count = 0;
    double degrees = 0;  ///< of all arguments together

    void add(const Value& argument) {
      count += 1;
      degrees += argument.degrees.total();
    }
    friend Unknowns operator+(const Unknowns& a, const Unknowns& b) {
      return {a.count + b.count, a.degrees + b.degrees};
    }
    /// Bounds the sum of the degrees of the differences of any two arguments.
    [[nodiscard]] double pairs() const { return count * degrees; }
  };
  [[nodiscard]] const Unknowns& unknowns() const { return unknowns_; }
  [[nodiscard]] const Unknowns& exponentials() const { return exponentials_; }

 private:
  void inherit(Value& out, const Value& a, const Value& b);
  void set_class(Value& out, ValueClass value_class) const;
  void set_special(Value& out, const Value& a, const Value& b, ValueClass value_class, bool is_zero);
  void add(Value& out, const Value& a, const Value& b);
  void multiply(Value& out, const Value& a, const Value& b);
  void divide(Value& out, const Value& a, const Value& b);
  void power(Value& out, const Value& a, const Value& b);
  void negate(Value& out, const Value& a) const;
  /// A number is carried into a minimum where the maximum distributes, so that clamps have one form.
  void greatest(Value& out, const Value& a, const Value& b, bool distributes = true);
  void greatest_from_infinity(Value& out, const Value& infinity, const Value& other);
  void least(Value& out, const Value& a, const Value& b);
  void greatest_of_least(Value& out, const Value& number, const Value& least);
  [[nodiscard]] std::uint32_t set_of(const Value& a);
  void round(Function function, Value& out, const Value& a);
  void transcendental(Function function, Value& out, const Value& a);
  void logarithm_or_root(Function function, Value& out, const Value& a);
  /// A new unknown of a function's argument.
  void set_unknown(Value& out, const Value& a, std::uint64_t key);
  [[nodiscard]] Twin odd_unknown(std::uint64_t function, Twin a) const;
  /// d where d > 0 and 0 elsewhere; the other number has the sign of d.
  [[nodiscard]] Twin ramp(Twin d, Twin sign);
  [[nodiscard]] Decision above_zero(Twin d);
  [[nodiscard]] Decision at_zero(Twin d);
  /// A number that has the sign of a - b, at every input.
  [[nodiscard]] Twin sign_of_difference(const Value& a, const Value& b);
  /// The same where `a` is the greatest of some and `b` is a number: members that are less play no part.
  [[nodiscard]] bool sign_of_greatest(const Value& a, const Value& b, Twin& sign);
  [[nodiscard]] static Value value_of(const ExtremumSets::Member& member);
  [[nodiscard]] Decision known(Decision made) const;
  [[nodiscard]] bool is_surely(const Value& a, bool positive, bool nonzero) const;
  [[nodiscard]] bool is_surely_positive(const Value& a) const { return is_surely(a, true, true); }
  /// Not only under what is assumed: for what is said of a value wherever it is used.
  [[nodiscard]] static bool is_positive_anywhere(const Value& a) {
    return a.range.is_positive() || (a.range.low >= 0 && a.is_nonzero);
  }
  [[nodiscard]] bool is_surely_nonzero(const Value& a) const { return is_surely(a, false, true); }
  /// Throws where the value may be infinite at some inputs and not at others.
  static void need_class(const Value& a);
  [[nodiscard]] static bool has_holes(const Value& a) { return a.hazards != 0 || a.poles != 0; }
  [[nodiscard]] std::uint64_t holes_of(const Value& a) const;
  [[nodiscard]] ExtremumSets::Member member_of(const Value& a) const;
  [[nodiscard]] Decision decide_with_holes(CompareOp op, const Value& a, const Value& b);
  /// The hazards of an arm, which are there only where the condition has this outcome.
  [[nodiscard]] std::uint32_t hazards_under(const Decision& condition, bool outcome, std::uint32_t hazards);
  [[nodiscard]] static Degrees degrees_of_sum(const Degrees& a, const Degrees& b);
  [[nodiscard]] int sign(const Value& a) const;

  OpaqueSpace& space_;
  std::vector<Value> literals_;
  std::vector<std::pair<Decision, bool>> assumptions_;
  Unknowns unknowns_;  ///< those of exp among them
  Unknowns exponentials_;
};

}  // namespace steptp::certify
