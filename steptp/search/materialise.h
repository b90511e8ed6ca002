#pragma once

#include <cstddef>
#include <string>

#include "steptp/search/tree.h"
#include "steptp/text/document.h"

namespace steptp::search {

/// The node of a candidate that was proposed for a node of the tree, before it is judged: `fresh` where its program is
/// new; otherwise what is in the way.
[[nodiscard]] Node materialise(const Document& root, const std::string& target, const Tree& tree, std::size_t parent,
                               const Candidate& candidate);

}  // namespace steptp::search
