#pragma once

#include <string>
#include <vector>

#include "steptp/base/json.h"
#include "steptp/documents/run_compiled.h"
#include "steptp/measure/time_programs.h"
#include "steptp/text/document.h"

namespace steptp {

/// One program in the answer of `time`.
struct TimedDocument {
  std::string name;
  Timing timing;
  /// Where there is no timing: why, and with which kind of failure.
  std::optional<CompiledFailure> failure;
};

struct TimeReport {
  DeviceKind device = DeviceKind::cpu;
  MachinePeak machine;
  bool cold = true;
  bool as_graph = false;
  std::vector<TimedDocument> programs;
};

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
