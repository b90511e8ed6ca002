#pragma once

#include <optional>
#include <vector>

#include "steptp/analysis/index_map.h"
#include "steptp/lowering/arrangement.h"

namespace steptp::lowering {

/// The number of an element in its buffer as one exact integer, with // and % resolved as far as the loops show.
/// Nothing where its coefficients do not fit.
[[nodiscard]] std::optional<Index> offset_of(const Buffer& buffer, const std::vector<Index>& subscripts,
                                             const std::vector<BoxVariable>& box);

/// What an integer type must hold to compute the index term by term: an upper bound of the absolute value of every
/// partial sum and product. What an indirect read gives counts as 2^31, so that it is never computed in 32 bits.
[[nodiscard]] Wide magnitude(const Index& index, const Ranges& ranges);

/// The ranges of the loops of a box.
[[nodiscard]] Ranges ranges_of(const std::vector<BoxVariable>& box);

/// The index is a sum `variable + rest`, so that consecutive values of the variable, which counts from 0, are
/// consecutive elements: the greatest number that divides all coefficients and the constant of `rest`, so that the
/// first element lies at a multiple of it. 0 where the index is no such sum; 2^62 where there is no rest.
[[nodiscard]] std::int64_t run_alignment(const Index& offset, const std::string& variable);

/// True where the index depends on the loop variable `name`.
[[nodiscard]] bool mentions(const Index& index, const std::string& name);

/// The index where the variable is 0.
[[nodiscard]] std::optional<Index> at_zero(const Index& index, const std::string& variable);

}  // namespace steptp::lowering
