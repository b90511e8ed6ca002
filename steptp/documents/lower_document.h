#pragma once

#include <string>

#include "steptp/analysis/device.h"
#include "steptp/base/json.h"
#include "steptp/lowering/target.h"
#include "steptp/text/document.h"
#include "steptp/tir/lower.h"

namespace steptp {

/// What the verb `lower` is asked for.
struct LowerRequest {
  Backend to = Backend::cuda;
  const Device* device = nullptr;
  bool main = false;                              ///< cuda: with a main() that compares and times
  tir::Dialect dialect = tir::Dialect::tvm_0_27;  ///< tir
  DeviceKind target = DeviceKind::cuda;           ///< tir
};

/// Why there is no text: the program has errors, `check` could not decide, or the back end refuses.
struct LowerFailure {
  enum class Kind : std::uint8_t { errors, undecided, refused };
  Kind kind = Kind::errors;
  Diagnostics diagnostics;
};

/// The text of a back end, and what else it says as data.
struct LowerAnswer {
  std::string text;
  Json launches;
};

/// Lowers a program that `check` finds ok, and no other: a back end may rely on bounds, definedness and races.
[[nodiscard]] Result<LowerAnswer, LowerFailure> lower_document(const Document& document, const LowerRequest& request);

/// The same check alone, for what runs a program: nothing where it is ok.
[[nodiscard]] std::optional<LowerFailure> find_unlowerable(const Document& document);

}  // namespace steptp
