#pragma once

// What `tile` finds at a place: a contraction, and the expressions behind it that belong into its kernel.

#include <string>
#include <vector>

#include "steptp/base/result.h"
#include "steptp/moves/parts.h"
#include "steptp/moves/tiling.h"
#include "steptp/strategies/strategy.h"

namespace steptp {

inline constexpr Precondition kTileContraction = {Check::pattern_match, "contraction",
                                                  "the expression is D=D+A*C in one header"};
inline constexpr Precondition kTileAxes = {Check::pattern_match, "axes",
                                           "the result has rows of its own and columns of its own, of more than one"};
inline constexpr Precondition kTileOperands = {Check::pattern_match, "operands",
                                               "two different tensors are multiplied, by axes that add nothing up"};
inline constexpr Precondition kTileFollowing = {
    Check::pattern_match, "following", "each expression behind it has an element for each element of what it reads"};

/// The contraction at an expression, with so many of the expressions behind it.
[[nodiscard]] Result<TiledContraction, Refusal> find_tiled(View& view, const Site& site, std::int64_t following);

/// Calls `offer(site, what, following)` with what `find(view, site, following)` finds at each expression, alone and
/// then with one more of those behind it each time, until nothing is found or the offer answers false.
template <class Find, class Offer>
void offer_with_following(View& view, Listing& listing, const Find& find, const Offer& offer) {
  for (std::uint32_t i = 0; i < view.program().nests.size(); ++i) {
    const Site site = item_site({i});
    for (std::int64_t following = 0;; ++following) {
      const auto what = find(view, site, following);
      if (!listing.allows(what) || !offer(site, *what, following)) break;
    }
  }
}

}  // namespace steptp
