#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "steptp/base/result.h"
#include "steptp/estimate/element_offset.h"
#include "steptp/ir/operation.h"
#include "steptp/lowering/arrangement.h"

namespace steptp::estimation {

/// What a scalar operation is, as far as machines take different times for it.
enum class Work : std::uint8_t {
  add,
  multiply,
  fused,    ///< a product that is added to something
  choose,   ///< max, min, comparisons, selects
  convert,  ///< between dtypes, and the rounding of narrow floats
  divide,
  root,
  exponential,
  logarithm,
  hyperbolic,  ///< tanh, erf
  circular,    ///< sin, cos
  power,
  square,     ///< to the power 2
  subscript,  ///< integers for indices that are values
};
inline constexpr std::size_t kWorks = 14;

/// Operations of one kind in a statement.
struct OperationSummary {
  Work work = Work::add;
  DType dtype = DType::f32;
  std::uint64_t loops = 0;  ///< those whose iterations make them again; others a compiler takes out
  double share = 1;         ///< the part of the iterations that does them
};

/// A loop around a statement.
struct LoopSummary {
  LoopKind kind = LoopKind::serial;
  std::optional<Axis> axis;
  std::int64_t extent = 1;
  std::size_t identity = 0;  ///< equal for loops that are one and the same
  bool is_unrolled = false;  ///< asked for, or because registers cannot be indexed
};

/// One read or write of a statement.
struct AccessSummary {
  std::string tensor;
  Scope scope = Scope::global;
  double element_bytes = 4;
  double tensor_bytes = 4;
  bool is_write = false;
  ElementOffset offset;
  std::uint64_t loops = 0;  ///< those whose iterations repeat it
  double share = 1;         ///< the part of the iterations that does it
  std::int64_t lanes = 1;   ///< elements that one instruction moves
  // Of one instruction of 32 neighbouring threads:
  double sectors = 1;    ///< pieces of 32 bytes of memory
  double lines = 1;      ///< pieces of 128 bytes
  double conflicts = 1;  ///< rounds through the banks of the first cache, or of shared memory
};

/// An accumulation: which loops make one element after another wait.
struct ChainSummary {
  ArithmeticOp op = ArithmeticOp::add;
  DType dtype = DType::f32;
  std::uint64_t loops = 0;  ///< serial ones that the element does not depend on
  std::uint64_t bound = 0;  ///< likewise loops over blocks and threads: a CPU runs them one iteration after another
  bool in_registers = true;
};

/// Threads that reduce together: how many, in what steps.
struct JoinSummary {
  std::int64_t threads = 1;   ///< in a group
  std::int64_t elements = 1;  ///< that each of them has a part of
  double shuffles = 0;        ///< of each warp, for each element
  double shared_rounds = 0;   ///< with a barrier each
  bool in_turn = false;       ///< one thread after the other
};

/// What a unit does in one execution of a matrix nest.
struct MatrixSummary {
  std::int64_t units = 1;  ///< of a block
  double per_lane = 1;     ///< elements of the left side that a lane has
  DType factors = DType::f16;
  double products = 0;      ///< of a contraction
  double instructions = 0;  ///< matrix instructions and loads of factors
  double factor_bytes = 0;  ///< that it loads from shared memory
};

struct StatementSummary {
  std::optional<MatrixSummary> matrix;  ///< a matrix nest: loops over units and T loops have an axis of units
  double ahead = 1;                     ///< rounds in flight of what it writes
  std::vector<LoopSummary> loops;       ///< outermost first, without the host's
  double share = 1;                     ///< the part of all iterations that its guards let through
  double block_share = 1;               ///< the same of the block that they let through most often,
  double busiest_share = 1;             ///< and of the thread
  std::vector<OperationSummary> operations;
  std::vector<AccessSummary> accesses;
  std::optional<ChainSummary> chain;
  std::optional<JoinSummary> join;
  bool is_alone = true;  ///< its innermost serial loop has no other statement
  /// Operands in `l` that a CPU keeps in memory, because threads that run one after another need one each.
  double kept_operands = 0;
};

/// A launch, with everything that a model of time asks of it. It stands by itself: nothing points into the program.
struct KernelSummary {
  std::string name;
  double launches = 1;
  std::array<std::int64_t, 3> grid = {1, 1, 1};
  std::array<std::int64_t, 3> block = {1, 1, 1};
  bool is_divided = false;  ///< a CPU may give parts of its outermost loop to several threads
  double shared_bytes = 0;
  double registers = 32;     ///< of four bytes, in a thread
  double spilled_bytes = 0;  ///< of `l` data that are no registers, in a thread
  double barriers = 0;       ///< that a block comes to
  bool has_units = false;
  std::vector<StatementSummary> statements;

  [[nodiscard]] double blocks() const { return static_cast<double>(grid[0]) * static_cast<double>(grid[1] * grid[2]); }
  [[nodiscard]] double threads() const { return static_cast<double>(block[0] * block[1] * block[2]); }
};

/// An intermediate that is filled before the program runs.
struct FillSummary {
  std::string tensor;
  double bytes = 0;
};

struct ProgramSummary {
  std::vector<FillSummary> fills;
  std::vector<KernelSummary> kernels;
};

/// The summary of a program that `check` finds ok.
[[nodiscard]] ProgramSummary summary_of(const lowering::Arrangement& arrangement);
/// The same of a program; the text says why nobody can lower it.
[[nodiscard]] Result<ProgramSummary, std::string> summary_of(const Program& program);

}  // namespace steptp::estimation
