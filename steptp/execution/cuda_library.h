#pragma once

#include <string>

#include "steptp/base/diagnostic.h"
#include "steptp/base/result.h"
#include "steptp/execution/cuda_api.h"

namespace steptp {

/// The driver, opened once: $STEPTP_CUDA_DRIVER, otherwise libcuda.so.1. Diagnostic `no-device`.
[[nodiscard]] Result<const cuda_api::Driver*, Diagnostic> load_cuda_driver();

struct NvrtcLibrary {
  cuda_api::Nvrtc api;
  std::string path;
  std::string include_folder;  ///< with cuda_fp16.h in it; empty where none was found
  int major = 0;
  int minor = 0;
};

/// NVRTC, opened once: $STEPTP_NVRTC (a library, or "python" for the packages alone), where the system's linker finds
/// one, below $CUDA_HOME, $CUDA_PATH and /usr/local/cuda, and in the package nvidia-cuda-nvrtc of the python3 on the
/// PATH. Diagnostic `no-nvrtc`.
[[nodiscard]] Result<const NvrtcLibrary*, Diagnostic> load_nvrtc();

}  // namespace steptp
