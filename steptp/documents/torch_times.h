#pragma once

#include <memory>
#include <string>

#include "steptp/base/diagnostic.h"
#include "steptp/base/result.h"
#include "steptp/documents/rivals.h"
#include "steptp/lowering/target.h"

namespace steptp {

/// The module of a PyTorch file, measured with the user's own Python (python/steptp/time_torch.py): eager, compiled,
/// and by the vendor's library where the module is one call of it.
struct TorchRequest {
  std::string file;
  std::string python = "python3";
  DeviceKind device = DeviceKind::cpu;
  double timeout_seconds = 600;
  unsigned threads = 0;
  bool cold = true;
  bool with_graphs = false;  ///< eager and compiled as CUDA graphs too, in columns of their own
};
/// Diagnostic `rival`: there is no PyTorch, or the file does not run.
[[nodiscard]] Result<std::unique_ptr<RivalSession>, Diagnostic> start_torch(const TorchRequest& request);

}  // namespace steptp
