#pragma once

#include <string>
#include <utility>

#include "steptp/base/diagnostic.h"
#include "steptp/base/result.h"

namespace steptp::dataset {

/// A folder, made where it is not there and held as long as one process works in it: a second one would make the same
/// files at the same time. What a process that was killed has left half written is removed.
class HeldFolder {
 public:
  /// Diagnostic `write`: it cannot be made, or another process holds it.
  [[nodiscard]] static Result<HeldFolder, Diagnostic> open(const std::string& folder);
  HeldFolder(HeldFolder&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  HeldFolder& operator=(HeldFolder&&) = delete;
  HeldFolder(const HeldFolder&) = delete;
  HeldFolder& operator=(const HeldFolder&) = delete;
  ~HeldFolder();

 private:
  explicit HeldFolder(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace steptp::dataset
