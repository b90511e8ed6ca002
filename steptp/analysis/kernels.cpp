#include "steptp/analysis/kernels.h"

#include <algorithm>
#include <set>
#include <utility>

namespace steptp {

namespace {

/// The address of a loop of a statement, by its position among all of them.
Site site_of_loop(const Statement& statement, std::size_t position) {
  std::size_t nest = 0;
  while (position >= statement.nests[nest]->loops.size()) position -= statement.nests[nest++]->loops.size();
  const auto end = statement.items.begin() + static_cast<std::ptrdiff_t>(nest + 1);
  return {{statement.items.begin(), end}, Site::Part::loop, {}, static_cast<std::uint32_t>(position)};
}

void note_loops(const Statement& statement, KernelFacts& facts) {
  for (std::size_t i = statement.kernel.host_loops; i < statement.loops.size(); ++i) {
    const Loop& loop = *statement.loops[i];
    const auto axis = loop.kind == LoopKind::bound ? axis_of(loop.index) : std::nullopt;
    if (!axis) continue;
    const auto number = static_cast<std::size_t>(*axis);
    if (facts.widest[number] && loop.extent <= facts.extents[number]) continue;
    facts.extents[number] = loop.extent;
    facts.widest[number] = site_of_loop(statement, i);
  }
}

}  // namespace

std::vector<KernelFacts> collect_kernels(const AccessTable& table) {
  std::vector<KernelFacts> kernels;
  for (std::size_t i = 0; i < table.statements.size(); ++i) {
    const Statement& statement = table.statements[i];
    // The statements of a kernel stand together in the text.
    if (kernels.empty() || kernels.back().kernel != statement.kernel) {
      kernels.emplace_back();
      kernels.back().kernel = statement.kernel;
    }
    kernels.back().statements.push_back(i);
    note_loops(statement, kernels.back());
  }
  for (const auto& [name, tensor] : table.tensors) {
    if (tensor.effective_scope() == Scope::global || tensor.kernels.empty()) continue;
    for (KernelFacts& facts : kernels) {
      if (!tensor.kernels.contains(facts.kernel)) continue;
      auto& names = tensor.scope == Scope::shared  ? facts.shared
                    : tensor.scope == Scope::local ? facts.local
                                                   : facts.fragments;
      names.push_back(name);
    }
  }
  return kernels;
}

}  // namespace steptp
