#include "steptp/strategies/promises.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "steptp/analysis/box_search.h"
#include "steptp/analysis/instances.h"
#include "steptp/analysis/rounds.h"
#include "steptp/analysis/written_boxes.h"
#include "steptp/base/text.h"
#include "steptp/strategies/origins.h"
#include "steptp/strategies/rewrite.h"
#include "steptp/strategies/storage.h"
#include "steptp/strategies/view.h"

namespace steptp {

namespace {

template <typename Visit>
void for_each_ref_of(const Program& program, const Visit& visit) {
  for_each_equation(program, [&](const Equation& equation, const std::vector<const Nest*>&) {
    for_each_ref(equation.left, visit);
    for_each_ref(*equation.right, visit);
  });
}

/// Every read sees what its own round wrote, and nothing accumulates. Mostly boxes show it at once.
bool begins_anew(View& view, const TensorFacts& tensor, std::size_t loop) {
  const AccessTable& table = view.table();
  const bool accumulates = std::any_of(tensor.writes.begin(), tensor.writes.end(), [&](std::size_t number) {
    return table.statements[table.accesses[number].statement].accumulates.has_value();
  });
  return !accumulates && std::all_of(tensor.reads.begin(), tensor.reads.end(), [&](std::size_t number) {
    const Access& read = table.accesses[number];
    const Statement& reader = table.statements[read.statement];
    const auto& subscripts = read.ref->subscripts;
    bool reads_data = false;
    for (const Index& subscript : subscripts) {
      for_each_read(subscript, [&](const RefPtr&) { reads_data = true; });
    }
    const auto boxes = [&] {
      return boxes_hold(written_before(table, tensor, reader, loop + 1), full_subscripts(table, read),
                        loop_box(reader));
    };
    return !reads_data && (boxes() || is_defined(view, read, loop + 1));
  });
}

bool has_matrix_nests(const Nest& nest) {
  const bool found = std::any_of(nest.loops.begin(), nest.loops.end(), [](const Loop& loop) {
    const auto axis = loop.kind == LoopKind::bound ? axis_of(loop.index) : std::nullopt;
    return loop.kind == LoopKind::tensorized || (axis && is_unit_axis(*axis));
  });
  return found || std::any_of(nest.items.begin(), nest.items.end(), [](const Item& item) {
           const auto* inner = std::get_if<NestPtr>(&item);
           return inner && has_matrix_nests(**inner);
         });
}

}  // namespace

Program with_kept_depths(Program program) {
  std::set<std::string> deep;
  for_each_ref_of(program, [&](const RefPtr& ref) {
    if (ref->scope.depth > 1) deep.insert(ref->tensor);
  });
  if (deep.empty()) return program;
  std::set<std::string> lost;
  const Program looked_at = program;
  View view(looked_at);
  const AccessTable& table = view.table();
  for_each_ref_of(program, [&](const RefPtr& ref) {
    // A step that made references of its own may have left the depth out.
    if (deep.contains(ref->tensor) && !(ref->scope == table.tensors.at(ref->tensor).scope)) lost.insert(ref->tensor);
  });
  for (const std::string& name : deep) {
    const TensorFacts& tensor = table.tensors.at(name);
    const auto loop = round_loop(table, tensor);
    if (!tensor.demoted && (!loop || !begins_anew(view, tensor, *loop))) lost.insert(name);
  }
  if (lost.empty()) return program;
  Rewriter rewriter;
  rewriter.ref = [&](const RefPtr& ref) {
    if (!lost.contains(ref->tensor) || ref->scope.depth == 1) return ref;
    return stands_for(make_ref(ref->tensor, ref->dtype, ref->scope.scope, ref->subscripts), *ref);
  };
  for (NestPtr& nest : program.nests) {
    // Only marks change, so that every subscript fits.
    if (const auto next = rewrite(Item(nest), rewriter)) nest = std::get<NestPtr>(*next);
  }
  return program;
}

bool has_matrix_nests(const Program& program) {
  return std::any_of(program.nests.begin(), program.nests.end(),
                     [](const NestPtr& nest) { return has_matrix_nests(*nest); });
}

std::optional<Refusal> refuse_matrix_change(const Program& before, const Program& after, const Site& at) {
  auto next = after.nests.begin();
  for (const NestPtr& nest : before.nests) {
    if (!has_matrix_nests(*nest)) continue;
    next = std::find_if(next, after.nests.end(), [&](const NestPtr& other) { return equal(*nest, *other); });
    if (next == after.nests.end()) {
      return Refusal{&kMatrixNests, at, "the step would change an expression with matrix nests", {}};
    }
    ++next;
  }
  return std::nullopt;
}

}  // namespace steptp
