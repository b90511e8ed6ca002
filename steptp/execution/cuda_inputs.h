#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "steptp/execution/cuda_device.h"
#include "steptp/execution/object_cache.h"

namespace steptp {

/// An input on the device, twice: one copy that a program reads, and one that no program gets to see.
class CudaInput {
 public:
  CudaInput(CudaDevice& device, std::size_t bytes) : bytes_(bytes), used_(device), whole_(device) {}

  [[nodiscard]] cuda_api::Pointer begin() const { return used_.begin(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  friend class CudaInputs;
  std::size_t bytes_;
  CudaMemory used_;
  CudaMemory whole_;
  bool is_taken_ = false;
};

/// Inputs that stay on the device from one candidate to the next. Whether a program has changed one is found out there,
/// by comparing its two copies, which takes as long as reading them; copied to the device and back for each candidate
/// they would take a hundred times that.
class CudaInputs {
 public:
  /// `cache`: the folder that has the kernel that compares.
  CudaInputs(CudaDevice& device, std::string cache) : device_(device), cache_(std::move(cache)) {}
  CudaInputs(const CudaInputs&) = delete;
  CudaInputs& operator=(const CudaInputs&) = delete;
  ~CudaInputs();

  /// The input for one session, until it gives it back. Null where another session has it, where the device has not
  /// room for four of it, or where the comparison cannot be compiled; then the session has a copy of its own.
  [[nodiscard]] std::shared_ptr<CudaInput> take(const std::string& name, const Tensor& tensor);

  /// Whether `take` has it without more memory.
  [[nodiscard]] bool has(const std::string& name, std::int64_t bytes) const;

  /// Whether it is what it was.
  [[nodiscard]] Result<bool, ExecutionFailure> is_whole(const CudaInput& input);

  /// For the next session, where it is known to be whole; otherwise the next one gets a new one.
  void give_back(const std::string& name, const std::shared_ptr<CudaInput>& input, bool is_whole);

  /// Other data has come in place of all inputs.
  void forget() { kept_.clear(); }

 private:
  [[nodiscard]] bool can_compare();
  [[nodiscard]] bool has_room(std::size_t bytes) const;
  [[nodiscard]] bool fill(CudaInput& input, const Tensor& tensor);

  CudaDevice& device_;
  ObjectCache cache_;
  cuda_api::Module* module_ = nullptr;
  cuda_api::Function* compare_ = nullptr;
  bool was_tried_ = false;
  std::map<std::string, std::shared_ptr<CudaInput>> kept_;
};

}  // namespace steptp
