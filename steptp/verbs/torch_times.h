#pragma once

#include <string>
#include <vector>

#include "steptp/base/diagnostic.h"
#include "steptp/base/result.h"
#include "steptp/verbs/time_document.h"

namespace steptp {

/// The module of a PyTorch file, measured with the user's own Python (python/steptp/time_torch.py): eager and compiled.
/// One entry per column, unchecked; a column that cannot be had says why. Diagnostic `torch`: there is no PyTorch, or
/// the file does not run.
struct TorchTimesRequest {
  std::string file;
  std::string python = "python3";
  std::string device = "cpu";
  double budget_seconds = 5;
  double timeout_seconds = 600;
  unsigned threads = 0;
  bool cold = true;
};
[[nodiscard]] Result<std::vector<TimedDocument>, Diagnostic> time_torch(const TorchTimesRequest& request);

}  // namespace steptp
