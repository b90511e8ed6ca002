#include "steptp/moves/lane_kernel.h"

#include <string>

#include "steptp/moves/row_kernel.h"

namespace steptp {

namespace {

/// Loops over rows become one over blocks, loops along the row become one.
bool arrange(MoveBuilder& builder, const RowChain& chain, const RowPart& part, std::uint32_t at) {
  if (!unbind_loops(builder, at, part.loops)) return false;
  if (!fuse_loops(builder, at, 0, chain.rows.size())) return false;
  return fuse_loops(builder, at, 1, part.loops.size() - chain.rows.size());
}

bool bind_rows(MoveBuilder& builder, std::uint32_t at) {
  return builder.step("loop_binding", loop_site({at}, 0), {{"axis", "bx"}, {"multiple", 1}});
}

}  // namespace

bool make_lane_kernel(MoveBuilder& builder, const RowChain& chain, std::int64_t lanes, bool is_wide) {
  std::vector<RowPart> parts;
  std::uint32_t at = chain.first;
  for (const RowPart& part : chain.parts) {
    if (!arrange(builder, chain, part, at)) return false;
    const bool has_lanes = part.kind != RowPart::Kind::once && part.length > lanes;
    if (has_lanes && !builder.step("loop_split", loop_site({at}, 1), {{"inner", lanes}, {"kind", "inner"}}))
      return false;
    const bool folds = has_lanes && part.kind == RowPart::Kind::reduce;
    if (folds) {
      const Values how = {{"form", "rfactor"}, {"cut", 0}};
      if (!builder.step("reduction_factorization", loop_site({at}, 2), how)) return false;
      RowPart lane = part;
      lane.tensor = only_statement(builder.view(), at)->equation->left->tensor;
      parts.push_back(std::move(lane));
      if (!bind_rows(builder, at++)) return false;
    }
    parts.push_back(part);
    if (!bind_rows(builder, at++)) return false;
  }
  RowLayout layout;
  layout.is_wide = is_wide;
  return join_row_parts(builder, chain.first, parts, layout);
}

}  // namespace steptp
