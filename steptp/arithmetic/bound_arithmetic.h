#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "steptp/arithmetic/decimal.h"
#include "steptp/arithmetic/error_tape.h"
#include "steptp/arithmetic/open_decisions.h"
#include "steptp/arithmetic/prime_field.h"
#include "steptp/arithmetic/value_class.h"
#include "steptp/ir/dtype.h"
#include "steptp/ir/operation.h"

namespace steptp::certify {

/// What happened in a run, each as a power of two by which it happened: above zero it did, below zero it is so many
/// bits away. An adversary climbs along these.
struct RunEvents {
  static constexpr double kNever = -1e9;
  double overflow = kNever;       ///< a finite value, with its error, against the greatest number of its type
  double too_high = kNever;       ///< a finite value against the limit for good inputs
  double close_branch = kNever;   ///< the error of a compared difference against the difference
  double root_of_error = kNever;  ///< the error of the argument of a root or a logarithm against the argument
  bool has_nan = false;           ///< over the extended reals
  bool has_zero_divisor = false;
  // What happens in spite of all roundings and orders of sums; without these it happens within the bound of the error.
  bool surely_overflows = false;
  bool surely_divides_by_zero = false;
};

/// The first-order error bound B_P(x) of docs/verification.md: values over the extended reals, next to how far a
/// machine of the declared types may be from them. Values are kept in 64 bits or more with exponents far beyond those
/// of f64: every operation that is charged here is charged at least 2^11 times the error of that.
/// More than thirty functions, because an arithmetic is one operation each: those that a machine asks for
/// (machine/evaluation.h), and what they are made of.
class BoundArithmetic {
 public:
  using Number = ErrorTape::Number;
  struct Value {
    Number value = 0;
    Number error = 0;            ///< a bound, errors that cancel not considered
    ErrorTape::NodeId node = 0;  ///< 0: all of the error is this value's own, and no other value has it
    std::int8_t sign = 1;        ///< the value moves with its node, or against it
    bool is_literal = false;     ///< the same at all inputs, and not rounded yet
    bool is_nothing = false;     ///< zero at all inputs
    DType type = DType::f64;     ///< which holds it, where it is not a literal
    // Of a sum that was accumulated: partial sums that are added to one another are one accumulation.
    std::uint32_t rounds = 0;  ///< 0: it is none
    Number spread = 0;         ///< the sum of the magnitudes
    Number term_error = 0;
    /// The part of the terms' errors that has no node. Of other values: an error beside that of the node, 0 except in
    /// the middle of an operation.
    Number own_error = 0;
    ErrorTape::NodeId sum_node = 0;
  };

  static constexpr bool kHasLanes = false;
  static constexpr bool kHasPlainValues = true;
  static constexpr bool kIsTyped = true;
  static constexpr bool kConvertsBranches = true;

  /// `tracks_inputs`: also what half a unit in the last place of each input does.
  explicit BoundArithmetic(bool tracks_inputs = false) : tracks_inputs_(tracks_inputs), decisions_(Outcomes::both) {}

  void set_type(DType dtype) { type_ = dtype; }
  void store(DType dtype, Value& value);
  static void give(Value& value) { value.error = 0; }
  void store_input(DType dtype, Value& value) const;
  /// Which element of which input it is: where inputs are tracked, each is off by one error.
  void name_input(Value& value, std::size_t input, std::int64_t position);

  [[nodiscard]] std::uint32_t add_literals(const std::vector<Decimal>& literals);
  void literal(Value& out, std::uint32_t number) const;
  void input(Value& out, Fraction value) const;
  static void input(Value& out, double value) {
    out = {};
    out.value = value;
  }
  void integer(Value& out, std::int64_t value) const;
  void infinity(Value& out, int sign) const;
  /// `out` may be an operand.
  void arithmetic(ArithmeticOp op, Value& out, const Value& left, const Value& right);
  void function(Function function, Value& out, const Value& argument);
  [[nodiscard]] bool compare(CompareOp op, const Value& a, const Value& b);
  /// `is_result`: the integer is what a statement stores.
  [[nodiscard]] std::int64_t to_integer(const Value& a, DType dtype, bool is_result);

  /// One more summand of an accumulation that is kept in `dtype`.
  void accumulate(Value& sum, const Value& term, bool is_subtracted, DType dtype);
  /// The same for the product of two inputs of that type, sooner.
  void accumulate_product(Value& sum, double x, double y, DType dtype);
  [[nodiscard]] bool tracks_inputs() const { return tracks_inputs_; }
  /// The sum as a value that others use.
  void finish_accumulation(Value& sum, DType dtype);
  /// A value that may be read more than once: its error is one and the same each time.
  void settle(Value& value);
  /// The condition of a comparison in the program that runs, for a search that wants the other outcome.
  void note_comparison(std::uint32_t node, const Value& a, const Value& b);

  [[nodiscard]] OpenDecisions& decisions() { return decisions_; }
  void cover(Value& out, const Value& other);
  /// Zero, or an infinity, whatever the inputs are: what is added of it is no round, what is done with it no rounding.
  [[nodiscard]] static bool is_same_at_all_inputs(const Value& value) {
    return value.is_nothing || (value.is_literal && std::isinf(value.value));
  }
  /// Data chose it.
  static void make_variable(Value& value) {
    value.is_nothing = false;
    if (std::isinf(value.value)) value.is_literal = false;
  }
  void cover_bool(Value& out);
  static void lose(Value& value) {
    value.error = std::numeric_limits<Number>::infinity();
    value.node = 0;
  }

  [[nodiscard]] static ValueClass class_of(const Value& a);
  [[nodiscard]] static std::uint64_t identity_of(const Value& a);
  [[nodiscard]] std::string text(const Value& a) const;
  [[nodiscard]] static std::size_t extra_bytes(const Value&) { return 0; }

  /// The bound of a value, errors that cancel considered.
  [[nodiscard]] ErrorTape::Bound bound_of(const Value& value);
  /// The first of two programs is charged for products that are zero because a factor is, as the page says of all that
  /// is exact by chance, and for sums into a tensor in any order; the second one as little as can be defended.
  void set_first(bool is_first) { is_first_ = is_first; }
  [[nodiscard]] bool is_first() const { return is_first_; }
  [[nodiscard]] const RunEvents& events() const { return events_; }
  /// A new run: what happened before is forgotten, values stay.
  void restart() { events_ = {}; }
  /// Everything is forgotten, values too.
  void reset();

  /// Both sides of the last evaluation of each comparison, by its number in the code.
  struct Sides {
    double left = 0;
    double right = 0;
    bool is_seen = false;
  };
  void watch_comparisons(std::vector<Sides>* sides) { sides_ = sides; }
  /// The last real that a statement stored as an integer or a bool; the flag is taken back by the caller.
  struct Converted {
    bool is_set = false;
    bool is_only_doubt = false;  ///< nothing but this conversion is undecided
    Value value;
  };
  Converted converted;

 private:
  struct Slopes {
    Number left = 0;
    Number right = 0;
  };
  [[nodiscard]] static bool is_exact_zero(const Value& value) { return value.value == 0 && value.error == 0; }
  [[nodiscard]] const Value& in_type(const Value& value, Value& room);
  /// How an operation rounds.
  enum class Charge : std::uint8_t {
    none,    ///< exact for all inputs
    of_sum,  ///< half a unit; a sum of floats is exact where it is tiny, and loses nothing below the least number
    full,    ///< half a unit and half the least number
  };
  void finish(Value& out, Number value, const Value& a, const Value& b, Slopes slopes, Charge charge);
  void scale_by_two(Value& out, Number value, const Value& a, Number factor);
  void divide(Value& out, const Value& a, const Value& b);
  void quotient(ArithmeticOp op, Value& out, const Value& a, const Value& b);
  void power(Value& out, const Value& a, const Value& b);
  void extremum(bool is_max, Value& out, const Value& a, const Value& b);
  void whole(Function function, Value& out, const Value& a);
  void add_term(Value& sum, const Value& term, bool is_subtracted, DType dtype);
  /// `at_least`: what the magnitude is in spite of its error.
  void check_range(DType dtype, Number magnitude, Number error, Number at_least);
  void note_difference(Number difference, Number error);
  void note_argument(const Value& a);
  /// How far a value may be from an integer threshold before it counts as another one.
  bool note_leap(Number distance, Number error);

  bool tracks_inputs_;
  bool is_first_ = false;
  OpenDecisions decisions_;
  ErrorTape tape_;
  std::vector<Number> literals_;
  DType type_ = DType::f64;
  RunEvents events_;
  std::map<std::pair<std::size_t, std::int64_t>, ErrorTape::NodeId> inputs_;
  std::vector<Sides>* sides_ = nullptr;
};

/// Half the distance from a value of that magnitude to its neighbour in the type, plus half the least number.
[[nodiscard]] BoundArithmetic::Number rounding_charge(DType dtype, BoundArithmetic::Number value);
/// The distance to the neighbour.
[[nodiscard]] BoundArithmetic::Number unit_of(DType dtype, BoundArithmetic::Number value);
/// The logarithm of a positive number to base 2; RunEvents::kNever of zero, and 1e9 of infinity.
[[nodiscard]] double bits_of(BoundArithmetic::Number value);

}  // namespace steptp::certify
