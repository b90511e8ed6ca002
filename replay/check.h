#pragma once

#include <string>

#include "replay/certificate.h"
#include "replay/replay.h"

namespace steptp::replayer {

/// Something in the certificate is not so.
struct Refused {
  std::string reason;
};

/// What the checks share.
struct Context {
  const Certificate& certificate;
  const Layout& before;
  const Layout& after;
  Report& report;
  std::uint64_t seed = 1;
  std::uint64_t budget = 0;
};

/// Each throws Refused, or one of the reasons why a point has no answer.
void check_proof(Context& context);
void check_exact(Context& context);
void check_evaluation(Context& context);
void check_counterexample(Context& context);
void check_precision(Context& context);
/// Of equal programs: that `after` stores nothing in a type that is too narrow for what `before` holds.
void check_no_loss(Context& context);

/// "[0,3]"
[[nodiscard]] std::string subscripts(const std::vector<std::int64_t>& index);
[[nodiscard]] bool is_inside(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& index);

}  // namespace steptp::replayer
