#pragma once

namespace steptp {

/// While it lives, no other process of this user measures on this GPU or copies data there: each waits for its turn.
/// Searches that run beside each other share a GPU in this way. Where no lock can be had nobody waits.
class GpuTurn {
 public:
  /// Where it is not wanted, because the program runs on a CPU, it does nothing.
  GpuTurn(int gpu, bool is_wanted);
  GpuTurn(const GpuTurn&) = delete;
  GpuTurn& operator=(const GpuTurn&) = delete;
  ~GpuTurn();

 private:
  int file_ = -1;
};

}  // namespace steptp
