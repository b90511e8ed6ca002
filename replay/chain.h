#pragma once

// Certificates of chains: programs of which each is shown equal to the one before it (docs/decisions/0197).

#include <functional>
#include <string_view>

#include "replay/replay.h"

namespace steptp::replayer {

/// Whether a text says that it is the certificate of a chain, whatever else is wrong with it.
[[nodiscard]] bool is_chain(std::string_view text);

/// Every link is replayed by `replay_pair`; besides, the links follow each other without gaps from the chain's root to
/// its end, and the verdict and the chance of an error are those of the links.
[[nodiscard]] Report replay_chain(std::string_view text, const Options& options,
                                  const std::function<Report(std::string_view, const Options&)>& replay_pair);

}  // namespace steptp::replayer
