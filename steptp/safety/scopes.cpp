#include "steptp/safety/scopes.h"

#include <set>

#include "steptp/base/text.h"

namespace steptp {

namespace {

std::set<Axis> axes_of(const Statement& statement, bool threads_too) {
  std::set<Axis> axes;
  for (const Loop* loop : statement.loops) {
    const auto axis = axis_of(loop->index);
    if (axis && (threads_too || !is_thread_axis(*axis))) axes.insert(*axis);
  }
  return axes;
}

std::string describe(const std::set<Axis>& axes) {
  if (axes.empty()) return "no axis";
  return join(axes, " ", [](Axis axis) { return name_of(axis); });
}

/// An item without a loop over some thread axis of its kernel runs once, for no thread in particular: it has no `l`.
/// (Units and threads are told apart by the rules of matrix nests.)
void check_thread_axes(const AccessTable& table, const std::string& name, const Access& access,
                       const std::set<Axis>& axes, Findings& findings) {
  const Kernel& kernel = table.statements[access.statement].kernel;
  for (const Statement& other : table.statements) {
    if (other.kernel != kernel) continue;
    for (const Axis axis : axes_of(other, true)) {
      if (!is_thread_axis(axis) || is_unit_axis(axis) || axes.contains(axis)) continue;
      findings.report(
          "scope-axes", Severity::error, &access.site,
          concat(name, " is in scope l, but this item has no loop over ", name_of(axis), ", which its kernel has"),
          "an item that runs once per block writes to s or g");
      return;
    }
  }
}

void check_axes(const AccessTable& table, const std::string& name, const TensorFacts& tensor, Findings& findings) {
  const bool is_own = is_private(tensor.scope);
  const bool local = tensor.scope == Scope::local;
  std::vector<std::size_t> all = tensor.writes;
  all.insert(all.end(), tensor.reads.begin(), tensor.reads.end());
  const std::set<Axis> wanted = axes_of(table.statements[table.accesses[all[0]].statement], is_own);
  for (const std::size_t number : all) {
    const Access& access = table.accesses[number];
    const std::set<Axis> axes = axes_of(table.statements[access.statement], is_own);
    if (axes == wanted && local && access.is_write) check_thread_axes(table, name, access, axes, findings);
    if (axes == wanted) continue;
    findings.report("scope-axes", Severity::error, &access.site,
                    concat(name, " is in scope ", code(tensor.scope), " and is used inside the axes ", describe(axes),
                           " here, but inside ", describe(wanted), " elsewhere"),
                    is_own ? concat("all accesses to an ", code(tensor.scope), " tensor lie inside the same bound axes")
                           : "all accesses to an s tensor lie inside the same block axes");
    return;
  }
}

/// A block loop below the kernel's header is fine only where nothing stands beside it on the way down from there.
void check_block_loops(const Nest& nest, std::vector<std::uint32_t>& items, bool inside_kernel, bool perfect,
                       Findings& findings) {
  for (std::uint32_t i = 0; i < nest.loops.size(); ++i) {
    const auto axis = axis_of(nest.loops[i].index);
    if (!axis) continue;
    if (!inside_kernel) {
      inside_kernel = true;  // the kernel begins here
      perfect = true;
    }
    if (!is_thread_axis(*axis) && !perfect) {
      const Site site{items, Site::Part::loop, {}, i};
      findings.report("block-placement", Severity::error, &site,
                      concat("the block loop ", nest.loops[i].index, " does not enclose all items of its kernel"),
                      "block loops stand in the kernel's header, or in a perfect nest");
    }
  }
  for (std::uint32_t i = 0; i < nest.items.size(); ++i) {
    if (const auto* inner = std::get_if<NestPtr>(&nest.items[i])) {
      items.push_back(i);
      check_block_loops(**inner, items, inside_kernel, perfect && nest.items.size() == 1, findings);
      items.pop_back();
    }
  }
}

}  // namespace

void check_scopes(const Program& program, const AccessTable& table, Findings& findings) {
  for (std::uint32_t i = 0; i < program.nests.size(); ++i) {
    std::vector<std::uint32_t> items = {i};
    check_block_loops(*program.nests[i], items, false, true, findings);
  }
  for (const auto& [name, tensor] : table.tensors) {
    if (tensor.scope == Scope::global || (tensor.reads.empty() && tensor.writes.empty())) continue;
    if (tensor.demoted) {
      const std::size_t first = tensor.writes.empty() ? tensor.reads[0] : tensor.writes[0];
      findings.report("scope-demoted", Severity::warning, &table.accesses[first].site,
                      concat(name, " is in scope ", code(tensor.scope), " but ", tensor.kernels.size(),
                             " kernels touch it: it is treated as g"),
                      "declare it in scope g");
      continue;
    }
    check_axes(table, name, tensor, findings);
  }
}

}  // namespace steptp
