#pragma once

// Where the elements of a tensor lie: the maps that strategies on memory choose among.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/strategies/strategy.h"
#include "steptp/strategies/view.h"

namespace steptp {

/// A map from the subscripts of a tensor to others, one to one on the box of its shape.
struct Layout {
  enum class Form : std::uint8_t {
    transpose,  ///< the dimensions in another order
    flatten,    ///< all in one, the first given the slowest; the fastest counts `number` more places than it has
    merge,      ///< two in one, the first given the slower, in the place of the earlier
    split,      ///< one in two: quotient and remainder by `number`
    rotate,     ///< the first given turned by the second: (i+j)%n
  };
  Form form = Form::transpose;
  std::vector<std::size_t> dimensions;
  std::int64_t number = 0;
};

/// The parameters of a choice that says which.
inline constexpr Parameter kFormParameter = {"form", Parameter::Kind::word,
                                             "transpose, flatten, merge, split or rotate"};
inline constexpr Parameter kDimensionsParameter = {
    "dimensions", Parameter::Kind::word,
    "which dimensions, counted from 0: all in their new order, or slowest first, to transpose and to flatten; the "
    "slower and the faster to merge; the one to split; the one to rotate and the one that says how far"};
inline constexpr Parameter kNumberParameter = {
    "number", Parameter::Kind::integer,
    "to split: what to divide by; to flatten: unused places behind each run of the fastest dimension; else 0"};

/// The layouts of a tensor, as sites with these three parameters. Beyond the published form are padding, rotation and
/// factors that do not divide. `changes` says whether any access would look different: of one that reads E_{a,a} only,
/// the transpose is the same. `first` are parameters that stand before the three; `may_pad` says whether there is room
/// for more places than elements (`most_padded`).
void offer_layouts(const Site& at, const std::vector<ParameterDomain>& first, const std::vector<std::int64_t>& shape,
                   const std::function<bool(const Layout&)>& changes, Listing& listing, bool may_pad = true);

/// The layouts on offer that take the most places.
[[nodiscard]] std::vector<Layout> most_padded(const std::vector<std::int64_t>& shape);

/// What a choice says, or why it says nothing for this shape; kChoice where the words are wrong, else `fits`.
[[nodiscard]] Result<Layout, Refusal> layout_of(const Choice& choice, const std::vector<std::int64_t>& shape,
                                                const Precondition& fits);

/// "1,0" as numbers below `rank`, no two the same; nothing where it is something else.
[[nodiscard]] std::optional<std::vector<std::size_t>> parse_dimensions(std::string_view text, std::size_t rank);

/// The subscripts in the layout; nothing where one becomes too large.
[[nodiscard]] std::optional<std::vector<Index>> mapped(const Layout& layout, const std::vector<std::int64_t>& shape,
                                                       const std::vector<Index>& subscripts);

/// Whether the elements lie one after the other as before, so that only the subscripts are written in another way;
/// false where the choice says no layout of this shape.
[[nodiscard]] bool keeps_order(const Choice& choice, const std::vector<std::int64_t>& shape);

/// The product of dimensions, or more than the limit.
[[nodiscard]] std::int64_t elements_of(const std::vector<std::int64_t>& shape, std::int64_t limit);

}  // namespace steptp
