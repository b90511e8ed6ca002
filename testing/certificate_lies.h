#pragma once

// Certificates with another program in place of the `after` that was judged: whoever believes one believes a lie.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "steptp/ir/program.h"
#include "steptp/verify/verify_pair.h"

namespace steptp::testing {

/// The certificate of an honest pair, with this program for its `after`, and the hash that goes with it. Nothing where
/// the honest pair is not shown to be equal.
[[nodiscard]] std::optional<std::string> lying_certificate(const Pair& honest, const Program& instead);

/// Calls with lies made of pairs of the attacker: the certificate is that of `before` and the same with a factor 1.
void for_each_attack_lie(std::uint64_t seed, std::uint64_t count,
                         const std::function<void(const std::string& id, const std::string& certificate)>& visit);

}  // namespace steptp::testing
