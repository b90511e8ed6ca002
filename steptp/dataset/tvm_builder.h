#pragma once

#include <optional>
#include <string>

#include "steptp/base/process.h"
#include "steptp/base/result.h"
#include "steptp/tir/lower.h"

namespace steptp::dataset {

/// The user's own Python with TVM, which builds TIR text. It takes seconds to start, so it is kept.
class TvmBuilder {
 public:
  /// The text says why there is none: no such Python, or TVM cannot be imported.
  [[nodiscard]] static Result<TvmBuilder, std::string> start(const std::string& python);

  [[nodiscard]] const std::string& version() const { return version_; }
  /// How this TVM spells its text.
  [[nodiscard]] tir::Dialect dialect() const { return dialect_; }
  /// Nothing where TVM builds the text, otherwise why not. For a GPU: up to CUDA source.
  [[nodiscard]] std::optional<std::string> build(const std::string& text, DeviceKind target);

 private:
  TvmBuilder(Conversation python, std::string version, tir::Dialect dialect)
      : python_(std::move(python)), version_(std::move(version)), dialect_(dialect) {}

  Conversation python_;
  std::string version_;
  tir::Dialect dialect_;
};

}  // namespace steptp::dataset
