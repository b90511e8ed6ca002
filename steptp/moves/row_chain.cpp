#include "steptp/moves/row_chain.h"

#include <algorithm>

#include "steptp/moves/builder.h"

namespace steptp {

namespace {

std::int64_t product_of(const std::vector<AxisOf>& loops, std::size_t begin) {
  return iterations({loops.begin() + static_cast<std::ptrdiff_t>(begin), loops.end()});
}

/// One equation under one header without a guard, over serial and bound loops.
const Statement* plain_statement(View& view, std::uint32_t expression) {
  if (expression >= view.program().nests.size()) return nullptr;
  const Statement* statement = only_statement(view, expression);
  if (!statement || statement->items.size() != 2 || !statement->guards.empty() || statement->loops.empty()) {
    return nullptr;
  }
  const bool plain = std::all_of(statement->loops.begin(), statement->loops.end(), [](const Loop* loop) {
    return loop->kind == LoopKind::serial || loop->kind == LoopKind::bound;
  });
  return plain ? statement : nullptr;
}

std::set<std::string> indices_of(const std::vector<AxisOf>& axes) {
  std::set<std::string> out;
  for (const AxisOf& axis : axes) out.insert(axis.index);
  return out;
}

/// What it is for rows with so many loops; nothing where the loops behind them are of several sorts.
std::optional<RowPart> part_of(const Statement& statement, const std::vector<std::int64_t>& rows) {
  RowPart part;
  part.loops = loops_around(statement);
  if (part.loops.size() < rows.size()) return std::nullopt;
  const Axes axes = axes_of(statement);
  const std::set<std::string> spatial = indices_of(axes.spatial);
  for (std::size_t i = 0; i < part.loops.size(); ++i) {
    const bool same = i >= rows.size() || (part.loops[i].extent == rows[i] && spatial.contains(part.loops[i].index));
    if (!same) return std::nullopt;
  }
  part.length = product_of(part.loops, rows.size());
  part.tensor = statement.equation->left->tensor;
  std::size_t along = 0;  // spatial loops behind those over rows
  for (std::size_t i = rows.size(); i < part.loops.size(); ++i) {
    along += static_cast<std::size_t>(part.loops[i].extent > 1 && spatial.contains(part.loops[i].index));
  }
  if (statement.accumulates) {
    if (along > 0) return std::nullopt;
    part.kind = RowPart::Kind::reduce;
    return part;
  }
  if (!axes.repeated.empty() && iterations(axes.repeated) != 1) return std::nullopt;
  part.kind = part.length == 1 ? RowPart::Kind::once : RowPart::Kind::map;
  return part;
}

/// The loops over rows: those before the reduced ones of the first reduction, otherwise the outermost.
std::vector<std::int64_t> rows_from(View& view, std::uint32_t first) {
  std::vector<std::int64_t> out;
  for (std::uint32_t i = first;; ++i) {
    const Statement* statement = plain_statement(view, i);
    if (!statement) break;
    if (!statement->accumulates) continue;
    for (const AxisOf& axis : axes_of(*statement).spatial) out.push_back(axis.extent);
    return out;
  }
  const Statement* statement = plain_statement(view, first);
  if (statement && statement->loops.size() > 1) out.push_back(statement->loops[0]->extent);
  return out;
}

/// Tensors that a statement reads with a loop over rows, if there are any, and one along the row.
void add_row_data(const Statement& statement, std::size_t rows, std::set<std::string>& out) {
  for_each_ref(*statement.equation->right, [&](const RefPtr& ref) {
    bool over_rows = rows == 0;
    bool along = false;
    for (const Index& subscript : ref->subscripts) {
      for_each_variable(subscript, [&](const std::string& name) {
        for (std::size_t i = 0; i < statement.loops.size(); ++i) {
          if (statement.loops[i]->index != name) continue;
          (i < rows ? over_rows : along) = true;
        }
      });
    }
    if (over_rows && along) out.insert(ref->tensor);
  });
}

RowChain chain_over(View& view, std::uint32_t first, std::vector<std::int64_t> rows) {
  RowChain chain;
  chain.first = first;
  chain.rows = std::move(rows);
  for (std::uint32_t i = first;; ++i) {
    const Statement* statement = plain_statement(view, i);
    auto part = statement ? part_of(*statement, chain.rows) : std::nullopt;
    if (!part) break;
    add_row_data(*statement, chain.rows.size(), chain.row_data);
    chain.parts.push_back(*std::move(part));
  }
  for (const RowPart& part : chain.parts) chain.row_data.erase(part.tensor);
  return chain;
}

}  // namespace

std::int64_t RowChain::length() const {
  std::int64_t out = 1;
  for (const RowPart& part : parts) out = std::max(out, part.length);
  return out;
}

bool RowChain::reduces() const {
  return std::any_of(parts.begin(), parts.end(),
                     [](const RowPart& part) { return part.kind == RowPart::Kind::reduce; });
}

RowChain find_row_chain(View& view, std::uint32_t first) {
  RowChain chain = chain_over(view, first, rows_from(view, first));
  if (!chain.parts.empty() && (chain.reduces() || chain.rows.size() == 1)) return chain;
  // The reduction farther on has other rows than the expressions here.
  const Statement* statement = plain_statement(view, first);
  if (!statement || statement->accumulates || statement->loops.size() < 2) return {};
  return chain_over(view, first, {statement->loops[0]->extent});
}

bool fuse_loops(MoveBuilder& builder, std::uint32_t expression, std::size_t position, std::size_t loops) {
  for (std::size_t i = 1; i < loops; ++i) {
    if (!builder.step("loop_fusion", loop_site({expression}, position), {{"keep", "inner"}})) return false;
  }
  return true;
}

bool unbind_loops(MoveBuilder& builder, std::uint32_t expression, const std::vector<AxisOf>& loops) {
  for (std::size_t i = 0; i < loops.size(); ++i) {
    if (loops[i].kind != LoopKind::bound) continue;
    if (!builder.step("loop_binding", loop_site({expression}, i), {{"axis", "none"}, {"multiple", 1}})) return false;
  }
  return true;
}

}  // namespace steptp
