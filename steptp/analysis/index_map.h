#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "steptp/analysis/presburger.h"

namespace steptp {

/// A variable and how many values it takes, from 0 on.
struct BoxVariable {
  std::string name;
  std::int64_t extent = 1;
};

/// A map from the points of a box to tuples of integers: the subscripts of an access over its loops.
struct IndexMap {
  std::vector<BoxVariable> box;
  std::vector<Index> subscripts;
};

/// The loops that the subscripts use, and the subscripts. Nothing where one reads a tensor.
[[nodiscard]] std::optional<IndexMap> index_map_of(const Statement& statement, const std::vector<Index>& subscripts);

/// The same value at every point of the box, with // and % by constants resolved as far as intervals show:
/// (4*a+c)//4 is a and (4*a+c)%4 is c where c<4. With a divisor that shares a factor, (4*a+c)//56 is a//14 and
/// (4*a+c)%56 is 4*(a%14)+c.
[[nodiscard]] Index simplified(const Index& index, const std::vector<BoxVariable>& box);

/// The point as a function of the tuple: one index for each variable of the box, over the variables `tuple`, which name
/// the subscripts. In mixed radix: for 8*a+c with c<8 it is a=t//8, c=t%8; from a//4 and a%4 it is a=4*t+u. It holds
/// for tuples that the map takes. Nothing where no such form was found; the map may be injective all the same.
[[nodiscard]] std::optional<std::vector<Index>> inverse(const IndexMap& map, const std::vector<std::string>& tuple);

/// Do different points always have different tuples? Exact for quasi-affine maps within isl's budget, "maybe" beyond.
[[nodiscard]] Truth is_injective(const IndexMap& map, Presburger& isl);

/// The intervals of which the map takes every tuple, and no other; nothing where its image is no such box, or that was
/// not seen.
[[nodiscard]] std::optional<std::vector<Interval>> dense_image(const IndexMap& map);

}  // namespace steptp
