#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "steptp/ir/program.h"

namespace steptp {

/// Of tensors that are not in the signature.
using TensorShapes = std::map<std::string, std::vector<std::int64_t>>;
[[nodiscard]] TensorShapes shapes_of(const Program& program);

/// The neighbouring expressions in which two programs differ, as two programs of their own with one signature. Where
/// these are equal for all their inputs, so are the whole programs: what stands around is the same text, and what goes
/// in and out goes through the tensors of the signature. docs/decisions/0205.
///
/// Nothing where that would not follow: data in `s` or `l` crosses the border; a tensor is written on both sides of it;
/// the two write different tensors that are used outside; or what goes in could be infinite or not a number, for which
/// nobody judges programs.
[[nodiscard]] std::optional<std::pair<Program, Program>> changed_sections(const Program& before, const Program& after,
                                                                          const TensorShapes& shapes = {});

}  // namespace steptp
