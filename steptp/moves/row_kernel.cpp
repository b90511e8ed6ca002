#include "steptp/moves/row_kernel.h"

#include "steptp/base/text.h"

namespace steptp {

namespace {

bool bind_loop(MoveBuilder& builder, const Site& loop, std::string_view axis) {
  return builder.step("loop_binding", loop, {{"axis", std::string(axis)}, {"multiple", 1}});
}

bool split_loop(MoveBuilder& builder, const Site& loop, std::int64_t inner) {
  return builder.step("loop_split", loop, {{"inner", inner}, {"kind", "inner"}});
}

/// The loops over rows: the outer ones are one over blocks, the innermost one over blocks and over rows of a block.
bool arrange_rows(MoveBuilder& builder, const RowChain& chain, const RowPart& part, std::uint32_t at,
                  const RowLayout& layout) {
  if (chain.rows.empty()) {  // one row, of one block
    if (!fuse_loops(builder, at, 0, part.loops.size())) return false;
    if (part.length > 1 && !split_loop(builder, loop_site({at}, 0), part.length)) return false;
    return bind_loop(builder, loop_site({at}, 0), "bx");
  }
  if (layout.base > 0 && !fuse_loops(builder, at, 0, chain.rows.size() - 1)) return false;
  if (!fuse_loops(builder, at, layout.base + 1, part.loops.size() - chain.rows.size())) return false;
  if (layout.has_rows() && !split_loop(builder, loop_site({at}, layout.base), layout.rows)) return false;
  if (layout.base > 0 && !bind_loop(builder, loop_site({at}, 0), "bx")) return false;
  if (!bind_loop(builder, loop_site({at}, layout.base), layout.base > 0 ? "by" : "bx")) return false;
  return !layout.has_rows() || bind_loop(builder, loop_site({at}, layout.base + 1), layout.row_axis());
}

/// The loop along the row becomes threads, rounds and vectors.
bool share_row(MoveBuilder& builder, const RowPart& part, std::uint32_t at, const RowLayout& layout) {
  if (!layout.shares_rows() || part.length == 1) return true;
  const std::size_t along = layout.along();
  std::int64_t pieces = part.length;
  if (layout.vector > 1) {
    if (!split_loop(builder, loop_site({at}, along), layout.vector)) return false;
    pieces = (part.length + layout.vector - 1) / layout.vector;
  }
  if (pieces > layout.threads) {
    if (!split_loop(builder, loop_site({at}, along), layout.threads)) return false;
    const Values with = {{"with", static_cast<std::int64_t>(along + 1)}};
    if (!builder.step("loop_reorder", loop_site({at}, along), with)) return false;
  }
  return bind_loop(builder, loop_site({at}, along), layout.thread_axis());
}

bool fuse_parts(MoveBuilder& builder, std::uint32_t first, std::size_t parts, const RowLayout& layout) {
  for (std::size_t i = 1; i < parts; ++i) {
    const Values how = {{"depth", static_cast<std::int64_t>(layout.common() + 1)}};
    if (!builder.step("operator_fusion", item_site({first}), how)) return false;
  }
  return true;
}

/// What is written back from a copy to global memory: nothing where nobody reads it, otherwise by the threads that have
/// the rows.
bool write_back(MoveBuilder& builder, const std::string& tensor, const RowLayout& layout) {
  const Statement* writer = only_writer(builder.view(), tensor);
  if (!writer) return true;
  const bool is_needed = !is_intermediate(builder.view(), tensor) || !readers_of(builder.view(), tensor).empty();
  if (!is_needed) return builder.step("dead_code_elimination", item_site(writer->items));
  if (!layout.shares_rows() || !layout.has_rows()) return true;
  for (const AxisOf& loop : loops_around(*writer)) {
    if (loop.kind == LoopKind::serial && loop.extent == layout.rows) {
      return bind_loop(builder, loop.loop, layout.row_axis());
    }
  }
  return true;
}

/// A tensor that the chain makes lives with the block, or the thread, that has the row. What is folded has to; what is
/// an output stays where it is, and what is only assigned may.
bool place(MoveBuilder& builder, std::uint32_t first, const RowPart& part, const RowLayout& layout) {
  const bool folds = part.kind == RowPart::Kind::reduce;
  if (!folds && !is_intermediate(builder.view(), part.tensor)) return true;
  const bool in_block = layout.shares_rows() && part.kind != RowPart::Kind::map;
  const std::string scope = in_block ? "s" : "l";
  const DType dtype = builder.view().table().tensors.at(part.tensor).dtype;
  const bool is_wide = folds && layout.is_wide && (dtype == DType::f16 || dtype == DType::bf16);
  const Values how = {{"direction", "write"},
                      {"of", part.tensor},
                      {"scope", scope},
                      {"form", is_wide ? "wide" : "plain"},
                      {"points", 0}};
  const Site loop = loop_site({first}, layout.common());
  if (builder.may_step("cache_read_write", loop, how)) return write_back(builder, part.tensor, layout);
  const Statement* writer = only_writer(builder.view(), part.tensor);
  if (writer && !is_wide && builder.may_step("set_storage_scope", item_site(writer->items), {{"scope", scope}})) {
    return true;
  }
  return !folds || builder.step("cache_read_write", loop, how);
}

bool keep_rows(MoveBuilder& builder, const RowChain& chain, const RowLayout& layout) {
  for (const std::string& tensor : chain.row_data) {
    const Values how = {{"direction", "read"}, {"of", tensor}, {"scope", "l"}, {"form", "plain"}, {"points", 0}};
    if (!builder.step("cache_read_write", loop_site({chain.first}, layout.common()), how)) return false;
  }
  return true;
}

/// The innermost loops over the elements of vectors, where global memory is read or written by an assignment.
bool vectorize(MoveBuilder& builder, const RowChain& chain, const RowLayout& layout) {
  std::vector<Site> found;
  for (const Statement& statement : builder.view().table().statements) {
    if (statement.items[0] != chain.first || statement.accumulates || statement.loops.back()->extent != layout.vector) {
      continue;
    }
    found.push_back(loops_around(statement).back().loop);
  }
  for (auto at = found.rbegin(); at != found.rend(); ++at) {
    if (builder.may_step("loop_vectorization", *at, {{"rest", 0}})) continue;
    if (!builder.step("loop_vectorization", *at, {{"rest", 1}})) return false;
  }
  return true;
}

}  // namespace

bool join_row_parts(MoveBuilder& builder, std::uint32_t first, const std::vector<RowPart>& parts,
                    const RowLayout& layout) {
  if (!fuse_parts(builder, first, parts.size(), layout)) return false;
  std::set<std::string> placed;
  for (const RowPart& part : parts) {
    if (placed.insert(part.tensor).second && !place(builder, first, part, layout)) return false;
  }
  return true;
}

bool make_row_kernel(MoveBuilder& builder, const RowChain& chain, const RowLayout& layout) {
  for (std::size_t i = 0; i < chain.parts.size(); ++i) {
    const std::uint32_t at = chain.first + static_cast<std::uint32_t>(i);
    const RowPart& part = chain.parts[i];
    const bool done = unbind_loops(builder, at, part.loops) && arrange_rows(builder, chain, part, at, layout) &&
                      share_row(builder, part, at, layout);
    if (!done) return false;
  }
  if (!join_row_parts(builder, chain.first, chain.parts, layout)) return false;
  if (layout.keeps && !keep_rows(builder, chain, layout)) return false;
  return layout.vector == 1 || vectorize(builder, chain, layout);
}

}  // namespace steptp
