#pragma once

#include <string>
#include <vector>

#include "steptp/base/json.h"
#include "steptp/documents/run_compiled.h"
#include "steptp/estimate/estimate.h"
#include "steptp/measure/time_programs.h"
#include "steptp/text/document.h"

namespace steptp {

/// One program in the answer of `time`.
struct TimedDocument {
  std::string name;
  std::string file;  ///< where it was read, with its line in a file of many; empty for rivals and programs without one
  Timing timing;
  /// What the model expects of it on this machine, kernel by kernel with what limits each; nothing where the machine
  /// has no table of rates.
  std::optional<Estimate> expected;
  /// Where there is no timing: why, and with which kind of failure.
  std::optional<CompiledFailure> failure;
};

struct TimeReport {
  DeviceKind device = DeviceKind::cpu;
  MachinePeak machine;
  bool cold = true;
  bool as_graph = false;
  Arithmetic arithmetic = Arithmetic::exact;
  MachineLoad load;
  unsigned threads = 0;                ///< of a program on a CPU
  const RootElements* root = nullptr;  ///< of the request
  std::vector<TimedDocument> programs;

  /// Whether others had the cores that the programs wanted.
  [[nodiscard]] bool is_disturbed() const { return device == DeviceKind::cpu && load.disturbs(threads); }
};

/// What candidates of a root are compared with, where `check` finds the root ok. `operations`: what the certified
/// values of one program may take; a root has four times as many, because it has more elements and is evaluated once.
[[nodiscard]] Result<RootElements, CompiledFailure> root_elements(const Document& root, std::uint64_t seed,
                                                                  std::uint64_t operations, const CandidatePool& pool);

/// How many there are, for programs and for people.
[[nodiscard]] Json to_json(const RootElements& root);
[[nodiscard]] std::string to_text(const RootElements& root);

/// The verb `time`: programs that `check` finds ok are measured by turns, with the rivals of the request, which stand
/// behind them under their names; the others say why not. A failure: nothing can be measured, because the device is
/// not there.
[[nodiscard]] Result<TimeReport, CompiledFailure> time_documents(const std::vector<const Document*>& documents,
                                                                 CandidatePool& pool, TimeRequest request,
                                                                 const std::vector<std::string>& rivals = {});

/// The JSON answer of `time`.
[[nodiscard]] Json to_json(const TimeReport& report);
/// The same for people, one line per program.
[[nodiscard]] std::string to_table(const TimeReport& report);

}  // namespace steptp
