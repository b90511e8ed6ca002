#include "steptp/measure/gpu_turn.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "steptp/base/text.h"

namespace steptp {

GpuTurn::GpuTurn(int gpu, bool is_wanted) {
  if (!is_wanted) return;
  std::error_code error;
  const auto folder = std::filesystem::temp_directory_path(error);
  if (error) return;
  const auto path = folder / concat("steptp-gpu-", ::getuid(), "-", gpu, ".lock");
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  // The system gives the lock back when the process ends, however it ends.
  while (file_ >= 0 && ::flock(file_, LOCK_EX) != 0 && errno == EINTR) {
  }
}

GpuTurn::~GpuTurn() {
  if (file_ >= 0) ::close(file_);
}

}  // namespace steptp
