#include "steptp/moves/tile_match.h"

#include <algorithm>
#include <map>
#include <set>

#include "steptp/base/text.h"
#include "steptp/ir/dtype_facts.h"

namespace steptp {

namespace {

/// For each subscript of a tensor what its index is for the contraction.
using Roles = std::vector<std::string>;

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
  return {ref.tensor, last_subscript(ref, own) < last_subscript(ref, summed), is_narrow_float(dtype),
          info(dtype).bytes};
}

/// Whether only these expressions touch an intermediate.
bool is_used_elsewhere(View& view, const std::string& tensor, std::uint32_t first, std::uint32_t last) {
  if (!is_intermediate(view, tensor)) return true;
  for (const Access& access : view.table().accesses) {
    const std::uint32_t expression = view.table().statements[access.statement].items[0];
    if (access.ref->tensor == tensor && (expression < first || expression > last)) return true;
  }
  return false;
}

/// The indices of a reference, where each subscript is one.
std::optional<std::vector<std::string>> plain_indices(const Ref& ref) {
  std::vector<std::string> out;
  for (const Index& subscript : ref.subscripts) {
    const std::string* variable = subscript.as_variable();
    if (!variable || std::find(out.begin(), out.end(), *variable) != out.end()) return std::nullopt;
    out.push_back(*variable);
  }
  return out;
}

/// What the loops of an expression are for the contraction, by the subscripts of what it reads of the kernel.
class Follower {
 public:
  Follower(View& view, std::map<std::string, Roles>& made) : view_(view), made_(made) {}

  /// The text says why it is none.
  Result<FollowingExpression, std::string> match(std::uint32_t expression,
                                                 const std::map<std::string, std::int64_t>& extents) {
    if (expression >= view_.program().nests.size()) return std::string("there is no expression behind it any more");
    const Statement* statement = only_statement(view_, expression);
    if (!statement || statement->items.size() != 2 || !statement->guards.empty()) {
      return concat("expression ", expression, " is not one equation in one header, without a guard");
    }
    if (!name_indices(*statement)) {
      return concat("expression ", expression, " reads other elements than it has loops");
    }
    FollowingExpression out;
    for (const Loop* loop : statement->loops) {
      const auto role = role_of_.find(loop->index);
      if (role == role_of_.end() || extents.at(role->second) != loop->extent) {
        return concat("expression ", expression, " has the loop ", loop->index, ", which the result has not");
      }
      out.roles.push_back(role->second);
    }
    if (out.roles.size() != extents.size()) return concat("expression ", expression, " lacks loops of the result");
    const Ref& left = *statement->equation->left;
    out.result = left.tensor;
    const auto indices = plain_indices(left);
    if (!indices || indices->size() != statement->loops.size()) {
      return concat("expression ", expression, " has no element of its own for each iteration");
    }
    Roles roles;
    for (const std::string& index : *indices) roles.push_back(role_of_.at(index));
    const auto known = made_.find(left.tensor);
    if (known != made_.end() && known->second != roles) {
      return concat("expression ", expression, " writes ", left.tensor, " again, elsewhere");
    }
    made_[left.tensor] = std::move(roles);
    return out;
  }

 private:
  bool name_indices(const Statement& statement) {
    bool fits = true;
    bool reads = false;
    for_each_ref(*statement.equation->right, [&](const RefPtr& ref) {
      const auto made = made_.find(ref->tensor);
      if (made == made_.end()) return;
      const auto indices = plain_indices(*ref);
      if (!indices || indices->size() != made->second.size()) {
        fits = false;
        return;
      }
      reads = true;
      for (std::size_t i = 0; i < indices->size(); ++i) {
        const auto [at, is_new] = role_of_.try_emplace((*indices)[i], made->second[i]);
        if (!is_new && at->second != made->second[i]) fits = false;
      }
    });
    return fits && reads;
  }

  View& view_;
  std::map<std::string, Roles>& made_;
  std::map<std::string, std::string> role_of_;
};

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
  if (found.has_windows) {
    return Refusal{&kTileOperands, site, "an operand is read along a window; `window` makes tiles with a halo", {}};
  }
  if (found.a->tensor == found.b->tensor) {
    return Refusal{&kTileOperands, site, concat("both operands are ", found.a->tensor), {}};
  }
  for (const auto* axes : {&found.m, &found.n}) {
    if (!axes->empty() && (*axes)[longest(*axes)].extent > 1) continue;
    return Refusal{
        &kTileAxes, site, "it is a matrix with a vector, or less: nothing is read twice, so that `rows` does", {}};
  }
  return std::nullopt;
}

}  // namespace

Result<TiledContraction, Refusal> find_tiled(View& view, const Site& site, std::int64_t following) {
  const auto none = [&](std::string why) { return Refusal{&kTileContraction, site, std::move(why), {}}; };
  const Statement* statement = statement_at(view, site);
  if (!statement || site.items.size() != 1 || statement->items.size() != 2) {
    return none("there is no expression here that is one equation in one header");
  }
  auto found = find_contraction(*statement);
  if (!found || !statement->guards.empty()) return none("it is not D=D+A*C, without a guard");
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
  out.is_narrow = is_narrow_float(dtype);
  out.element_bytes = std::max(info(dtype).bytes, 4);
  std::map<std::string, Roles> made;
  for (const std::string& index : *indices) made[out.result].push_back(names.at(index));
  for (std::int64_t i = 0; i < following; ++i) {
    auto next = Follower(view, made).match(out.expression + 1 + static_cast<std::uint32_t>(i), extents);
    if (!next) return Refusal{&kTileFollowing, site, next.error(), {}};
    out.following.push_back(*std::move(next));
  }
  const std::uint32_t last = out.expression + static_cast<std::uint32_t>(following);
  out.is_used_elsewhere = is_used_elsewhere(view, out.result, out.expression, last);
  for (FollowingExpression& next : out.following) {
    next.is_used_elsewhere = is_used_elsewhere(view, next.result, out.expression, last);
  }
  return out;
}

}  // namespace steptp
