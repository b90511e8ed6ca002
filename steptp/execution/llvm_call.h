#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "steptp/execution/llvm_compiled.h"
#include "steptp/execution/thread_team.h"
#include "steptp/lowering/host_walk.h"

namespace steptp {

/// Memory that begins at a multiple of 64 bytes.
class AlignedBlock {
 public:
  AlignedBlock() = default;
  /// Not filled.
  explicit AlignedBlock(std::int64_t bytes)
      : bytes_(static_cast<std::size_t>(bytes)), data_(std::make_unique_for_overwrite<std::byte[]>(bytes_ + 64)) {}
  [[nodiscard]] std::byte* begin() {
    const auto at = reinterpret_cast<std::uintptr_t>(data_.get());
    return data_.get() + (64 - at % 64) % 64;
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_ = 0;
  std::unique_ptr<std::byte[]> data_;
};

/// What data does to a program while it runs, as its kernels say it. Nothing: it ran.
[[nodiscard]] std::optional<ExecutionFailure> failure_of_status(std::int32_t status);

/// A compiled program on its way through the host's part: loops are walked here, and the outermost loop of a kernel is
/// divided among threads if the kernel allows it and is large enough to be worth it. One run at a time.
class LlvmCall {
 public:
  /// At most `threads` of a team take part. `code` must outlive it.
  LlvmCall(const LlvmProgram::Compiled& code, unsigned threads);

  /// The whole program on the memory at `pointers`, in the order of the buffers. Without a team on this thread alone.
  [[nodiscard]] std::optional<ExecutionFailure> run(const std::vector<void*>& pointers, ThreadTeam* team);

  /// Memory for `s` and `l` data, one block per thread.
  [[nodiscard]] std::vector<AlignedBlock>& scratch() { return scratch_; }

 private:
  void launch(std::size_t number);

  const LlvmProgram::Compiled& code_;
  std::vector<AlignedBlock> scratch_;
  std::vector<bool> is_worth_threads_;
  const std::vector<void*>* pointers_ = nullptr;
  ThreadTeam* team_ = nullptr;
  lowering::HostWalk<std::int64_t> host_;
  std::atomic<std::int32_t> status_ = 0;
};

}  // namespace steptp
