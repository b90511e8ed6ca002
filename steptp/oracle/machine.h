#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "steptp/base/result.h"
#include "steptp/ir/program.h"
#include "steptp/ir/site.h"
#include "steptp/oracle/npy.h"
#include "steptp/oracle/scalar.h"
#include "steptp/oracle/statistics.h"

namespace steptp {

/// What goes in and comes out: every element is defined.
using Tensor = Array;
using Tensors = std::map<std::string, Tensor>;

/// Why the sequential machine stopped. The first group is the program's fault at one access, the second the caller's.
enum class TrapKind : std::uint8_t {
  invalid,          ///< not a program with a meaning: check_structure found an error
  scope_axes,       ///< accesses of an `l` or `s` tensor lie inside different bound axes
  scope_ambiguous,  ///< a demoted tensor reads differently in its scope and in `g`
  out_of_range,
  undefined_read,
  integer_division_by_zero,  ///< of values, or inside a subscript or a guard
  not_written,               ///< an element of an output is undefined at the end
  input_missing,
  input_mismatch,  ///< another shape or dtype than the signature says
  budget,
  memory,
  cancelled,
};
[[nodiscard]] std::string_view name_of(TrapKind kind);

/// Whose business a trap is: what a caller does about it (an exit status, an exception) depends on this alone.
enum class TrapFamily : std::uint8_t { program, input, limit, cancelled };
[[nodiscard]] TrapFamily family_of(TrapKind kind);

struct Trap {
  TrapKind kind = TrapKind::invalid;
  std::string message;       ///< complete: values, place, iteration
  std::optional<Site> site;  ///< of the access
  std::string tensor;
  std::vector<std::int64_t> subscripts;                         ///< of the element, where they could be computed
  std::vector<std::pair<std::string, std::int64_t>> iteration;  ///< the loops around it, outermost first
};

/// One element of an output.
struct Element {
  std::string tensor;
  std::vector<std::int64_t> subscripts;
  bool operator==(const Element&) const = default;
};

/// An upper bound of what a run does. Doubles, because products of extents pass every integer.
/// An operation is an operator of an expression, a condition or a subscript, or a store.
struct WorkEstimate {
  double executions = 0;  ///< of equations
  double operations = 0;
  double bytes = 0;  ///< of all tensors together
};

struct RunOptions {
  /// More operations than this are refused before any work.
  std::uint64_t budget = 2'000'000'000;
  /// More bytes than this are refused, before any work where the shapes of intermediates are known.
  std::uint64_t memory = std::uint64_t{8} << 30;
  /// Called now and then with the operations done and estimated; false cancels the run.
  std::function<bool(double done, double estimated)> progress;
  /// Where not empty, only these elements are wanted: iterations that cannot matter for them are left out
  /// (oracle/slice.h), and their values are the same bits as in a whole run.
  std::vector<Element> elements;
};

struct RunResult {
  Tensors outputs;                                     ///< empty where elements were chosen
  std::vector<Scalar> elements;                        ///< the chosen ones, in the order asked
  std::map<std::string, OutputStatistics> statistics;  ///< of each output
  std::uint64_t operations = 0;
  std::uint64_t executions = 0;
};

/// The work of a whole run, or of the chosen elements; nothing where the program is invalid.
[[nodiscard]] std::optional<WorkEstimate> estimate_work(const Program& program,
                                                        const std::vector<Element>& elements = {});

/// Executes a program exactly as docs/language.md says (R1 to R9), slowly and obviously. Any program that the reader
/// accepts comes back as a result or as a trap. Constants whose values are in the signature need not be among the
/// inputs; inputs that the signature does not name are ignored.
[[nodiscard]] Result<RunResult, Trap> run(const Program& program, const Tensors& inputs,
                                          const RunOptions& options = {});

}  // namespace steptp
