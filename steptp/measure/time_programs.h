#pragma once

#include <string>
#include <vector>

#include "steptp/measure/candidate_pool.h"
#include "steptp/measure/machine_load.h"
#include "steptp/measure/root_elements.h"
#include "steptp/measure/work.h"

namespace steptp {

/// Something else that computes the same, measured by turns with the programs; nobody checks what it computes.
class Rival {
 public:
  virtual ~Rival() = default;
  /// Seconds of single runs, as many as fit into `seconds`, at least one and at most `most`. Error: why there are none.
  virtual Result<std::vector<double>, Diagnostic> measure(double seconds, std::int64_t most) = 0;
};

/// Several programs, measured in one run by turns. Programs with the signature of the first one get its inputs.
struct TimeRequest {
  std::vector<const Program*> programs;
  /// The root that all programs are known to be equal to: they get its inputs and are compared with its elements, and
  /// none is evaluated itself, but for outputs of which the root has no elements. Its seed counts, not the one below.
  const RootElements* root = nullptr;
  std::vector<Rival*> rivals = {};
  std::uint64_t seed = 0;
  double budget_seconds = 5;    ///< for the measurements of one program
  double wanted_spread = 0.01;  ///< of the median, relative: enough
  std::uint32_t least_samples = 10;
  double slow_seconds = 0;  ///< a program that takes longer runs once or twice, which is all its samples; 0: none does
  std::uint64_t check_operations = 30'000'000;  ///< for the certified values of one program
  bool cold = true;                             ///< caches are emptied before each repetition
  /// Fast is checked against the same bounds, which hold for fused operations and functions wrong in their last place.
  Arithmetic arithmetic = Arithmetic::exact;
  bool as_graph = false;  ///< on a GPU all launches of a program are started by one call, as a CUDA graph
};

/// What measuring one program took, in seconds of wall clock.
struct TimingCost {
  double certified_values = 0;  ///< evaluating what its elements have to be
  double preparing = 0;         ///< compiling, the data in place; `compile_milliseconds` are part of it
  double running = 0;           ///< all runs, with poisoning, emptying of caches and comparing
  double ending = 0;            ///< the last comparison, and that of the inputs
};

/// One program's result. A timing of a wrong result does not exist.
struct Timing {
  enum class Status : std::uint8_t {
    ok,
    unchecked,  ///< measured, but no element could be evaluated to compare with
    wrong,      ///< an element is not what it has to be, or an input was changed
    failed,     ///< does not compile, crashed, hung, was refused: `failure`
  };
  Status status = Status::failed;
  ExecutionFailure failure;     ///< wrong, failed
  std::vector<double> samples;  ///< seconds, in the order of measurement
  double median = 0;
  double spread = 0;  ///< median of the distances from the median, times 1.4826
  double least = 0;
  double compile_milliseconds = 0;
  bool from_cache = false;
  Work work;
  double roofline_seconds = 0;  ///< of the least work among the programs compared
  double roofline_share = 0;    ///< 0 where it is not known
  std::size_t checked_elements = 0;
  bool implausible = false;          ///< faster than the machine can be, also when measured again
  bool is_another_function = false;  ///< its certified values are not those of the first program
  TimingCost cost;
  std::vector<std::string> notes;
};
[[nodiscard]] std::string_view name_of(Timing::Status status);

struct TimeAnswer {
  MachinePeak machine;
  MachineLoad load;             ///< what else wanted to run meanwhile
  std::vector<Timing> timings;  ///< as in the request
  std::vector<Timing> rivals;   ///< likewise; their work is that of the first program
};

/// Measures on the pool's device: warm-up, then rounds in which every program has its turn, until the medians are
/// settled or the budget is spent. Each repetition begins with poisoned outputs, and ends with a comparison of
/// certified elements. A program that crashes or hangs loses its place, the others keep their samples. Failure: the
/// device is not there.
[[nodiscard]] Result<TimeAnswer, ExecutionFailure> time_programs(CandidatePool& pool, const TimeRequest& request);

/// Median, spread and least of samples; for tests too.
void summarise(Timing& timing);

}  // namespace steptp
