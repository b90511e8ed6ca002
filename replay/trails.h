#pragma once

#include <map>
#include <set>
#include <string>

#include "replay/place.h"
#include "replay/trail.h"

namespace steptp::replayer {

/// By source: a known variable, "literal 0.1 in f32" or "index in f32", with the type of the first operation.
using Trails = std::map<std::string, std::set<Trail>>;

/// The ways of every source to a tensor, through values, conditions and subscripts. Throws Undecided where there are
/// too many.
[[nodiscard]] Trails trails_to(const Layout& layout, const std::string& tensor);
/// The name of a source as trails have it: numbers are written in one way.
[[nodiscard]] std::string source_name(const std::string& written);

}  // namespace steptp::replayer
