#include "steptp/moves/tile_match.h"

#include <algorithm>
#include <map>
#include <set>

#include "steptp/base/text.h"
#include "steptp/ir/dtype_facts.h"
#include "steptp/moves/following.h"

namespace steptp {

namespace {

/// The place of the axis that is worth tiling: the longest, and of those the innermost.
std::size_t longest(const std::vector<AxisOf>& axes) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < axes.size(); ++i) {
    if (axes[i].extent >= axes[best].extent) best = i;
  }
  return best;
}

/// The last subscript that has an index.
std::size_t last_subscript(const Ref& ref, const std::string& index) {
  std::size_t last = 0;
  for (std::size_t i = 0; i < ref.subscripts.size(); ++i) {
    for_each_variable(ref.subscripts[i], [&](const std::string& name) { last = name == index ? i : last; });
  }
  return last;
}

TiledOperand operand_of(View& view, const Ref& ref, const std::string& own, const std::string& summed) {
  const DType dtype = view.table().tensors.at(ref.tensor).dtype;
  return {ref.tensor, last_subscript(ref, own) < last_subscript(ref, summed), is_narrow_float(dtype), info(dtype).bytes,
          view.shape_of(ref.tensor).dimensions.back()};
}

/// Names for the axes: m, n and k are tiled, z0, z1, ... run in parallel, s0, s1, ... serially.
std::map<std::string, std::string> name_axes(const Contraction& found, const AxisOf& m, const AxisOf& n,
                                             const AxisOf& k) {
  std::map<std::string, std::string> out;
  std::size_t parallel = 0;
  for (const auto* axes : {&found.batch, &found.m, &found.n}) {
    for (const AxisOf& axis : *axes) out[axis.index] = concat("z", parallel++);
  }
  std::size_t serial = 0;
  for (const AxisOf& axis : found.k) out[axis.index] = concat("s", serial++);
  out[m.index] = "m";
  out[n.index] = "n";
  out[k.index] = "k";
  return out;
}

std::optional<Refusal> refuse_axes(const Contraction& found, const Site& site) {
  if (found.a->tensor == found.b->tensor) {
    return Refusal{&kTileOperands, site, concat("both operands are ", found.a->tensor), {}};
  }
  for (const auto* axes : {&found.m, &found.n}) {
    if (!axes->empty() && (*axes)[longest(*axes)].extent > 1) continue;
    return Refusal{
        &kTileAxes, site, "it is a matrix with a vector, or less: nothing is read twice, so that `rows` does", {}};
  }
  if (found.has_window({found.m[longest(found.m)].index, found.n[longest(found.n)].index})) {
    return Refusal{&kTileOperands, site, "an operand is read along a window; `window` makes tiles with a halo", {}};
  }
  return std::nullopt;
}

}  // namespace

Result<TiledContraction, Refusal> find_tiled(View& view, const Site& site, std::int64_t following) {
  if (following < 0) return Refusal{&kTileFollowing, site, "the number of expressions is negative", {}};
  const auto none = [&](std::string why) { return Refusal{&kTileContraction, site, std::move(why), {}}; };
  const Statement* statement = statement_at(view, site);
  if (!statement || site.items.size() != 1 || statement->items.size() != 2) {
    return none("there is no expression here that is one equation in one header");
  }
  auto found = find_contraction(*statement);
  if (!found) return none("it is not D=D+A*C");
  const auto indices = plain_indices(*statement->equation->left);
  if (!indices) return none("the result has a subscript that is not an index of its own");
  if (auto refusal = refuse_axes(*found, site)) return *std::move(refusal);
  // Neighbouring threads have neighbouring columns: those are what the result's last subscript counts, where it is one
  // of the two that are tiled.
  if (found->m[longest(found->m)].index == indices->back()) {
    std::swap(found->m, found->n);
    std::swap(found->a, found->b);
  }
  const AxisOf& m = found->m[longest(found->m)];
  const AxisOf& n = found->n[longest(found->n)];
  const AxisOf& k = found->k[longest(found->k)];
  const auto names = name_axes(*found, m, n, k);
  TiledContraction out;
  out.expression = site.items[0];
  std::map<std::string, std::int64_t> extents;
  for (const Loop* loop : statement->loops) {
    const std::string& role = names.at(loop->index);
    out.roles.push_back(role);
    if (role != "k" && role[0] != 's') extents[role] = loop->extent;
  }
  out.result = statement->equation->left->tensor;
  if (view.table().tensors.at(out.result).effective_scope() != Scope::global) {
    return none(concat(out.result, " is no tensor in global memory"));
  }
  out.left = operand_of(view, *found->a, m.index, k.index);
  out.right = operand_of(view, *found->b, n.index, k.index);
  const DType dtype = view.table().tensors.at(out.result).dtype;
  std::set<std::string> parallel;
  for (const std::string& index : *indices) parallel.insert(index);
  out.sums_parts = found->has_window(parallel) || !statement->guards.empty();
  out.is_narrow = is_narrow_float(dtype);
  out.element_bytes = std::max(info(dtype).bytes, 4);
  std::vector<std::string> roles;
  for (const std::string& index : *indices) roles.push_back(names.at(index));
  auto behind = find_following(view, {out.expression, out.result, std::move(roles), std::move(extents)}, following);
  if (!behind) return Refusal{&kTileFollowing, site, behind.error(), {}};
  out.following = std::move(behind->expressions);
  out.is_used_elsewhere = behind->is_result_used_elsewhere;
  return out;
}

}  // namespace steptp
