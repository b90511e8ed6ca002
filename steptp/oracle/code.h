#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "steptp/base/result.h"
#include "steptp/ir/program.h"
#include "steptp/ir/site.h"
#include "steptp/ir/typing.h"
#include "steptp/oracle/machine.h"
#include "steptp/oracle/reach.h"
#include "steptp/oracle/slice.h"

namespace steptp::oracle {

/// A program with its names resolved: loops are slots (a loop's slot is the number of loops around it), tensors are
/// numbers, types are decided. Nothing is transformed: the tree is the program's tree.

struct Access;

struct IndexCode;
struct AtomCode {
  enum class Kind : std::uint8_t { slot, quotient, remainder, read };
  Kind kind = Kind::slot;
  std::uint32_t slot = 0;
  std::shared_ptr<const IndexCode> dividend;
  std::shared_ptr<const IndexCode> divisor;
  std::shared_ptr<const Access> read;
};
struct TermCode {
  std::int64_t coefficient = 1;
  std::vector<AtomCode> factors;
};
struct IndexCode {
  std::int64_t constant = 0;
  std::vector<TermCode> terms;
  MaybeReach reach;
  /// The same as coefficient and slot, where every term is one loop variable: most subscripts are, and need no tree.
  bool is_linear = true;
  std::vector<std::pair<std::int64_t, std::uint32_t>> linear;
};

inline constexpr std::uint32_t kNoSlot = UINT32_MAX;

/// One occurrence of a tensor.
struct Access {
  std::uint32_t tensor = 0;
  std::vector<IndexCode> subscripts;
  /// The loop over each hardware axis around it; an axis without one has index 0.
  std::array<std::uint32_t, kAxes> axes{};
  /// The value an undefined element reads as: X of an accumulating equation.
  std::optional<Scalar> initial;
  Site site;
};

struct ExprCode {
  enum class Kind : std::uint8_t { constant, index, read, chain, integer_power, function, select, compare, logic };
  Kind kind = Kind::constant;
  ValueType type;
  Scalar value;                        ///< constant
  std::uint32_t slot = 0;              ///< index
  std::shared_ptr<const Access> read;  ///< read
  std::vector<ExprCode> operands;
  std::vector<ArithmeticOp> operators;  ///< chain: folded from the left
  std::vector<DType> dtypes;            ///< chain, compare: in which each step is done
  std::vector<CompareOp> comparisons;
  LogicOp logic = LogicOp::conjunction;
  Function function = Function::negate;
  std::uint64_t exponent = 0;  ///< integer_power
  Site site;
};

/// A guard: comparisons of exact integers. An operand that is no comparison holds where it is not 0.
struct GuardCode {
  enum class Kind : std::uint8_t { value, compare, logic };
  Kind kind = Kind::value;
  std::vector<IndexCode> values;
  std::vector<CompareOp> comparisons;
  LogicOp logic = LogicOp::conjunction;
  std::vector<GuardCode> operands;
  Site site;
};

struct EquationCode {
  Access left;
  ExprCode right;
  std::optional<std::uint32_t> launches;  ///< an equation under host loops is a kernel of its own
  double operations = 0;                  ///< at most, in one execution
};

struct LoopCode {
  std::int64_t extent = 1;
  std::string index;
  std::optional<Selection> chosen;  ///< only these iterations run
};

struct NestCode;
using ItemCode = std::variant<EquationCode, std::unique_ptr<NestCode>>;

struct NestCode {
  std::uint32_t first_slot = 0;
  std::vector<LoopCode> loops;
  std::optional<GuardCode> guard;
  double guard_operations = 0;
  std::vector<ItemCode> items;
  /// The kernel that starts in this header, and before which loop.
  std::optional<std::uint32_t> launches;
  std::size_t launch_at = 0;
  bool left_out = false;  ///< nothing it writes is wanted
};

struct TensorCode {
  std::string name;
  DType dtype = DType::f32;
  Scope scope = Scope::global;
  std::size_t rank = 0;
  const Variable* known = nullptr;
  std::vector<std::uint32_t> kernels;  ///< that touch it, without repetitions
  /// Touched by more than one kernel, so that it lives in `g` whatever its superscript says.
  bool demoted = false;
  /// One past the greatest subscript any write can have; nothing where that is unknown. Clipped below at 0.
  std::vector<MaybeReach> written;
  std::array<std::int64_t, kAxes> axis_extents{};  ///< of the loops around the writes
  double writes = 0;

  [[nodiscard]] bool is_scoped() const { return scope != Scope::global && !demoted; }
};

struct Code {
  std::vector<TensorCode> tensors;
  std::vector<NestCode> nests;
  std::uint32_t kernels = 0;
  std::uint32_t slots = 0;
  WorkEstimate work;
};

/// How many of the axes, bx first, are hidden subscripts of a tensor in this scope.
[[nodiscard]] std::size_t hidden_axes(Scope scope);

/// Resolves a program, leaving out what the chosen elements do not need. Invalid programs come back as a trap.
[[nodiscard]] Result<Code, Trap> resolve_program(const Program& program, const std::vector<Element>& elements);

}  // namespace steptp::oracle
