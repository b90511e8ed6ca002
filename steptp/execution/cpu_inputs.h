#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "steptp/base/hash.h"
#include "steptp/execution/llvm_call.h"

namespace steptp {

/// An input in the memory of a program, and the hash of what it has to be.
struct CpuInput {
  AlignedBlock block;
  Hash hash = 0;
  std::uint64_t epoch = 0;  ///< of the data that it is a copy of
};

/// Inputs that stay in memory from one candidate to the next. Copied and hashed for each of them they took most of what
/// a candidate costs beyond compiling and running.
class CpuInputs {
 public:
  /// The input for one session. Nothing where none of so many bytes is there, or another session has it.
  [[nodiscard]] std::optional<CpuInput> take(const std::string& name, std::size_t bytes) {
    const auto at = kept_.find(name);
    if (at == kept_.end() || at->second.block.bytes() != bytes) return std::nullopt;
    return std::move(kept_.extract(at).mapped());
  }

  /// For the next session: an input that was found to be what it has to be. Where other data has come meanwhile it
  /// goes.
  void give_back(const std::string& name, CpuInput input) {
    if (input.epoch == epoch_) kept_.insert_or_assign(name, std::move(input));
  }

  /// Other data has come in place of all inputs.
  void forget() {
    kept_.clear();
    ++epoch_;
  }
  [[nodiscard]] std::uint64_t epoch() const { return epoch_; }

 private:
  std::map<std::string, CpuInput> kept_;
  std::uint64_t epoch_ = 0;
};

}  // namespace steptp
