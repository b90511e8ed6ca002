#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "steptp/analysis/accesses.h"
#include "steptp/arithmetic/decimal.h"
#include "steptp/ir/program.h"

namespace steptp::certify {

/// A program made ready for evaluation element by element: loops are slots (a loop's slot is the number of loops
/// around it), tensors and statements are numbers, conversions between types are operations of their own.

inline constexpr std::size_t kMaxLoops = 32;  ///< around one statement
inline constexpr std::uint32_t kNone = UINT32_MAX;

struct Access;
struct IndexCode;

struct IndexAtom {
  enum class Kind : std::uint8_t { slot, quotient, remainder, read };
  Kind kind = Kind::slot;
  std::uint32_t slot = 0;
  std::shared_ptr<const IndexCode> dividend;
  std::shared_ptr<const IndexCode> divisor;
  std::shared_ptr<const Access> read;
};

struct IndexProduct {
  std::int64_t coefficient = 1;
  std::vector<IndexAtom> factors;
};

struct LinearPart {
  std::int64_t coefficient = 1;
  std::uint32_t slot = 0;
};

struct IndexCode {
  std::int64_t constant = 0;
  std::vector<IndexProduct> terms;
  /// The same without a tree, where every term is one loop.
  bool is_linear = true;
  std::vector<LinearPart> linear;
  bool reads_data = false;
};

/// A statement that writes the tensor which is read, and how its iterations compare with the reader's in time: an
/// iteration j comes before the reader's i where j is less than i on the shared loops, or equal there and the writer
/// stands first in the text.
struct Writer {
  std::uint32_t statement = 0;
  std::uint32_t shared_loops = 0;
  bool stands_first = false;
};

/// One occurrence of a tensor.
struct Access {
  /// Every access of a program has another one. Whoever hashes accesses takes it and not their addresses, which differ
  /// from run to run: `work` and everything that a budget ends must not.
  std::uint32_t number = 0;
  std::uint32_t tensor = 0;
  std::vector<IndexCode> subscripts;
  /// Hidden subscripts: the block index (scope s) or block and thread index (scope l), and the launch. Two threads'
  /// copies of a tensor are different elements.
  std::vector<IndexCode> hidden;
  std::vector<Writer> writers;  ///< of the tensor, as seen from here
  /// A known variable whose subscripts are linear and in range whatever the iteration: one position.
  bool is_flat = false;
  std::int64_t flat_constant = 0;
  std::vector<LinearPart> flat;
  bool is_linear = true;    ///< every subscript is
  bool is_settled = false;  ///< and no writer is in the reader's nest: what is seen depends on subscripts alone
  /// The one statement whose write is seen here, where its loops follow from the reader's: each as a linear index. An
  /// iteration that is not one of the writer's tells nothing.
  std::uint32_t origin = kNone;
  std::vector<IndexCode> origin_loops;
  /// Every iteration of the reader sees its origin, and this is the number of the origin's iteration: its loops as
  /// digits.
  bool is_certain = false;
  IndexCode origin_number;
  /// What the origin is a copy of, also in terms of the reader's loops: for arithmetic that does not round.
  std::shared_ptr<const Access> source;
};

enum class Op : std::uint8_t {
  // Real results.
  real_literal,
  real_infinity,
  real_of_integer,
  real_read,
  real_accumulator,
  real_arithmetic,
  real_function,
  real_select,
  // Integer and bool results, always within their dtype.
  integer_literal,
  integer_slot,
  integer_index,  ///< an exact integer of slots, as in subscripts
  integer_read,
  integer_accumulator,
  integer_of_real,
  integer_wrap,
  integer_arithmetic,
  integer_power,
  integer_function,
  integer_select,
  compare_reals,
  compare_integers,
  logic,
};

/// An operation. Operands are numbers of nodes.
struct Node {
  Op op = Op::real_literal;
  DType dtype = DType::f64;
  ArithmeticOp arithmetic = ArithmeticOp::add;
  Function function = Function::negate;
  CompareOp comparison = CompareOp::less;
  LogicOp logic = LogicOp::conjunction;
  std::uint32_t first = kNone;
  std::uint32_t second = kNone;
  std::uint32_t third = kNone;
  std::uint32_t branch = kNone;  ///< comparisons, selections, folds: the number under which outcomes are recorded
  std::uint32_t payload = 0;     ///< literal, access, slot: which
  std::int64_t integer = 0;      ///< the value of an integer literal, an exponent
};

/// target lies in [low, high] wherever the guards of a statement hold.
struct Bound {
  IndexCode target;
  std::int64_t low = 0;
  std::int64_t high = 0;
};

/// A subscript of the left side that is one loop plus a constant, or a constant; or one digit of a subscript such as
/// c*16+d with d below 16.
struct DirectSubscript {
  std::uint32_t number = 0;    ///< which subscript, hidden ones after the others
  std::uint32_t slot = kNone;  ///< which loop
  std::int64_t constant = 0;
  bool is_digit = false;
  std::int64_t weight = 1;   ///< of the digit
  std::int64_t modulus = 0;  ///< of the digit; 0 for the first one
};

/// What an accumulation adds to its accumulator, multiplies it with, or takes the greatest or least with.
struct FoldTerm {
  std::uint32_t node = 0;
  bool is_subtracted = false;
};

struct StatementCode {
  std::uint32_t tensor = 0;
  std::vector<std::int64_t> extents;
  std::vector<std::string> loops;
  std::vector<std::uint32_t> guards;  ///< nodes; all hold where the statement runs
  std::vector<Bound> guard_bounds;    ///< what follows from them, for pruning
  bool guards_are_bounds = true;      ///< the bounds say all of it
  Access left;
  std::uint32_t right = 0;
  bool accumulates = false;
  ArithmeticOp accumulation = ArithmeticOp::add;
  std::vector<FoldTerm> terms;  ///< of an accumulation of reals; empty where its right side is of another form
  bool has_rounds = true;       ///< it may write an element more than once; otherwise it accumulates in name only
  DType dtype = DType::f32;
  /// Loops from this one on enclose no other statement that writes the tensor: with the loops before it fixed, the
  /// instances of an accumulation are neighbours among the writes.
  std::uint32_t private_from = 0;
  /// The writes before the first of such neighbours.
  std::vector<Writer> earlier;
  /// So little work on known variables only that remembering the value costs more than computing it again.
  bool is_cheap = false;
  bool is_direct = false;  ///< every subscript is direct and there is no guard
  std::vector<DirectSubscript> direct;
  std::uint32_t work = 1;   ///< operations of one execution
  bool is_outside = false;  ///< of the window that is looked at (window.h)
  std::string goal;         ///< the output of the window that it writes; empty where it is none
  bool is_given = false;  ///< rounded arithmetics: its values are taken as exact, because another program has them too
  std::string text;       ///< its address, for messages
};

struct TensorCode {
  std::string name;
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;     ///< known variables only
  const Variable* known = nullptr;     ///< inputs, constants, parameters; outputs are computed
  std::vector<std::uint32_t> writers;  ///< statements
  Access at_end;                       ///< the writers as seen after the last statement
};

/// What is known of the indices where a condition holds, or fails: bounds that every such iteration keeps.
using Bounds = std::vector<Bound>;

/// An operation on data that is one formula here and another there, without a condition in the text.
struct Fold {
  enum class Kind : std::uint8_t {
    to_bool,   ///< true where a real is not zero
    clamp,     ///< max or min with a number: true where the first operand is at least the second
    absolute,  ///< true where the operand is not negative
    rounding,  ///< floor, conversion to integer, // and %: true where the result is beyond -1, 0 and 1
  };
  Kind kind = Kind::to_bool;
  ArithmeticOp op = ArithmeticOp::max;  ///< clamp
  double number = 0;                    ///< clamp
  bool is_first = false;                ///< clamp: the number is the first operand
  bool operator==(const Fold&) const = default;
};

/// Something that can go two ways: a comparison, the condition of a selection, a fold.
struct Branch {
  ExprPtr condition;  ///< null for a fold
  std::optional<Fold> fold;
  bool on_indices = false;
  bool on_reals = false;  ///< a fold, or some real is compared in it
  std::uint32_t statement = 0;
  bool is_selection = false;  ///< the whole condition of an if_then_else; otherwise one comparison in it
  bool in_guard = false;
  std::vector<PathCondition> path;  ///< the conditions under which it is evaluated, guards included
  Bounds where_false;               ///< what the iterations keep at which the outcome occurs
  Bounds where_true;
};

struct Code {
  bool is_window = false;  ///< its outputs are the goals of statements, not those of the program
  AccessTable table;       ///< of the program, for questions about its statements
  std::vector<TensorCode> tensors;
  std::vector<StatementCode> statements;
  std::vector<Node> nodes;
  std::vector<Decimal> literals;
  std::vector<Access> accesses;
  std::vector<IndexCode> indices;
  std::vector<Branch> branches;
  std::map<std::string, std::uint32_t, std::less<>> tensor_numbers;
  bool has_functions = false;  ///< exp, log, sqrt, erf, tanh, sin, cos, rsqrt, real powers
  bool has_divisions = false;
  bool has_roots = false;  ///< or logarithms, real powers: analytic only on one side of zero
  /// Something depends on data in a way that is not analytic: comparisons, max, abs, floor, conversions to integer.
  bool has_order = false;
};

/// The program has passed check_structure. Throws Failure (unsupported) where an index does not fit.
[[nodiscard]] Code compile(const Program& program);

}  // namespace steptp::certify
