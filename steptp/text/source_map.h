#pragma once

#include <unordered_map>
#include <vector>

#include "steptp/base/diagnostic.h"
#include "steptp/ir/program.h"

namespace steptp {

/// Where each part of a program just read stands in its text. Kept beside the tree, not in it: nodes are shared by
/// derived programs, in which the place would mean nothing. Keys are node addresses, so the map is only good together
/// with the very program that the reader returned with it.
struct SourceMap {
  std::unordered_map<const void*, Span> nodes;  ///< Expr, Ref, Equation, Nest
  std::unordered_map<const Nest*, std::vector<Span>> loops;
  std::unordered_map<const Ref*, std::vector<Span>> subscripts;
};

}  // namespace steptp
