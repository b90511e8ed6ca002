// What cached reads and cached writes share: where the copy can live, whether it is small enough, and what the
// program with the copy must satisfy (placement, races, launch limits). Two quick tests answer yes without building
// the program, because listing choices asks this question for every loop of a program. Decision 0018.
#include "steptp/strategies/caching.h"

#include <algorithm>

#include "steptp/analysis/device.h"
#include "steptp/base/text.h"
#include "steptp/strategies/legality.h"
#include "steptp/strategies/shared_writes.h"
#include "steptp/strategies/storage.h"

namespace steptp {

namespace {

bool is_thread_loop(const Loop& loop) {
  const auto axis = axis_of(loop.index);
  return axis && is_thread_axis(*axis);
}

Refusal refuse_bytes(const CacheRequest& request, std::int64_t bytes, std::int64_t limit) {
  return {&kCacheSize,
          request.site(),
          concat(bytes, " bytes in ", code(request.scope), ", of which there are ", limit),
          {{"bytes", bytes}, {"limit", limit}}};
}

/// A copy in `l` is a thread's own: only iterations that share the thread could meet in it, and where nobody else in
/// the expression touches what is copied, nothing else has changed.
bool cannot_race(View& before, const CacheRequest& request) {
  const auto concurrent = [](const Loop& loop) {
    return loop.kind == LoopKind::parallel || loop.kind == LoopKind::vectorized;
  };
  if (request.scope != Scope::local) return false;
  for (const PlacedNest& nest : before.nests()) {
    if (nest.items[0] != request.at.expression()) continue;
    if (std::any_of(nest.nest->loops.begin(), nest.nest->loops.end(), concurrent)) return false;
  }
  const auto tensor = before.table().tensors.find(request.of);
  if (tensor == before.table().tensors.end()) return false;
  const std::vector<std::size_t> below = statements_below(before, *request.at.nest);
  if (shared_by_some(before, request.at)) return false;
  const auto elsewhere = [&](std::size_t number) {
    const std::size_t statement = before.table().accesses[number].statement;
    return before.table().statements[statement].items[0] == request.at.expression() &&
           std::find(below.begin(), below.end(), statement) == below.end();
  };
  const TensorFacts& facts = tensor->second;
  return facts.writes.empty() || (std::none_of(facts.writes.begin(), facts.writes.end(), elsewhere) &&
                                  std::none_of(facts.reads.begin(), facts.reads.end(), elsewhere));
}

/// The axes that loops run over, as bits.
unsigned axes_of(const std::vector<const Loop*>& loops, std::size_t begin, std::size_t end, bool threads) {
  unsigned axes = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const auto axis = axis_of(loops[i]->index);
    if (axis && is_thread_axis(*axis) == threads) axes |= 1U << static_cast<unsigned>(*axis);
  }
  return axes;
}

/// No block loop stands below the level, and a copy in `l` has all thread axes of its kernel.
bool axes_stand_well(View& before, const CacheRequest& request, const PlannedCopy& copy) {
  const std::vector<Statement>& statements = before.table().statements;
  for (const std::size_t number : statements_below(before, *request.at.nest)) {
    const std::vector<const Loop*>& loops = statements[number].loops;
    if (axes_of(loops, copy.level.depth, loops.size(), false) != 0) return false;
  }
  if (!blocks_stand_well(*before.program().nests[request.at.expression()])) return false;
  if (request.scope != Scope::local) return true;
  const Statement& use = *copy.uses[0];
  const unsigned own = axes_of(use.loops, 0, use.loops.size(), true);
  return std::all_of(statements.begin(), statements.end(), [&](const Statement& other) {
    return (axes_of(other.loops, 0, other.loops.size(), true) & ~own) == 0 || other.kernel != use.kernel;
  });
}

bool fits_beside_others(View& before, const CacheRequest& request, const PlannedCopy& copy) {
  const std::int64_t limit = scope_limit(request.scope, request.lanes);
  Wide bytes = info(copy.dtype).bytes;
  for (const std::int64_t extent : copy.extents) {
    bytes *= extent;
    if (bytes > limit) return false;
  }
  if (!before.has_scoped_data()) return true;
  // What a step writes of it may be another part than before.
  const auto source = before.table().tensors.find(request.of);
  if (source == before.table().tensors.end() || source->second.scope == request.scope) return false;
  for (const KernelFacts& kernel : before.kernels()) {
    if (kernel.kernel == copy.uses[0]->kernel) bytes += scoped_bytes(before, kernel, request.scope);
  }
  return bytes <= limit;
}

}  // namespace

bool is_in_kernel_of_uses(const CacheRequest& request, const PlannedCopy& copy) {
  const Statement& use = *copy.uses[0];
  const Kernel& kernel = use.kernel;
  if (!std::all_of(copy.uses.begin(), copy.uses.end(),
                   [&](const Statement* other) { return other->kernel == kernel; })) {
    return false;
  }
  if (kernel.host_loops < use.loops.size() && use.loops[kernel.host_loops]->kind == LoopKind::bound) {
    return kernel.host_loops < copy.level.depth;
  }
  const std::vector<std::uint32_t>& nest = request.at.nest->items;
  return kernel.root.size() <= nest.size() && std::equal(kernel.root.begin(), kernel.root.end(), nest.begin());
}

bool is_plainly_placed(View& before, const CacheRequest& request, const PlannedCopy& copy) {
  return request.form != CacheForm::ahead && cannot_race(before, request) && is_in_kernel_of_uses(request, copy) &&
         axes_stand_well(before, request, copy) && fits_beside_others(before, request, copy);
}

std::optional<Refusal> refuse_size(const CacheRequest& request, const std::vector<std::int64_t>& extents, DType dtype) {
  const std::int64_t limit = scope_limit(request.scope, request.lanes);
  std::int64_t bytes = std::int64_t{info(dtype).bytes} * request.scope.depth;
  for (const std::int64_t extent : extents) {
    if (extent > limit) return refuse_bytes(request, extent, limit);
    bytes *= extent;
    if (bytes > limit) return refuse_bytes(request, bytes, limit);
  }
  return std::nullopt;
}

Result<CacheLevel, Refusal> cache_level(const CacheRequest& request, const std::vector<const Statement*>& statements) {
  CacheLevel out;
  const PlacedNest& nest = *request.at.nest;
  out.depth = loops_around(nest) + request.at.position + 1;
  if (request.at.loop().kind == LoopKind::vectorized) {
    return Refusal{&kCachePlacement, request.site(), "a V loop has no items but equations", {}};
  }
  const auto threads_of = [&](const Statement& statement) {
    std::vector<Loop> threads;
    for (std::size_t i = out.depth; i < statement.loops.size(); ++i) {
      if (is_thread_loop(*statement.loops[i])) threads.push_back(*statement.loops[i]);
    }
    return threads;
  };
  for (std::size_t i = 0; i < out.depth; ++i) {
    const Loop& loop = *statements[0]->loops[i];
    if (request.scope == Scope::shared && is_thread_loop(loop)) {
      return Refusal{&kCachePlacement, request.site(), concat("the body is inside the thread loop ", loop.index), {}};
    }
    out.still.insert(loop.index);
  }
  if (request.scope != Scope::local) return out;
  out.threads = threads_of(*statements[0]);
  for (const Statement* statement : statements) {
    const std::vector<Loop> threads = threads_of(*statement);
    const bool same = std::equal(
        threads.begin(), threads.end(), out.threads.begin(), out.threads.end(),
        [](const Loop& a, const Loop& b) { return a.extent == b.extent && axis_of(a.index) == axis_of(b.index); });
    if (!same) return Refusal{&kCachePlacement, request.site(), "uses stand under different thread loops", {}};
    for (std::size_t i = 0; i < threads.size(); ++i) {
      if (threads[i].index == out.threads[i].index) continue;
      out.aliases.emplace(threads[i].index, Index::variable(out.threads[i].index));
    }
  }
  for (const Loop& loop : out.threads) out.still.insert(loop.index);
  return out;
}

void CacheLevel::join_single_iterations(const Statement& use) {
  for (std::size_t i = 0; i < depth; ++i) {
    if (use.loops[i]->extent == 1) aliases.insert_or_assign(use.loops[i]->index, Index());
  }
}

std::vector<Index> CacheLevel::in_common_names(std::vector<Index> subscripts) const {
  if (aliases.empty()) return subscripts;
  Rewriter rewriter;
  rewriter.variables = aliases;
  for (Index& subscript : subscripts) {
    // Only names change, so that it fits.
    if (auto renamed = rewrite(subscript, rewriter)) subscript = *std::move(renamed);
  }
  return subscripts;
}

Program only_expressions(const Program& program, const std::set<std::uint32_t>& expressions) {
  Program out;
  out.signature = program.signature;
  out.nests.assign(program.nests.size(), make_nest({}, nullptr, {}));
  for (const std::uint32_t expression : expressions) out.nests[expression] = program.nests[expression];
  return out;
}

std::optional<Refusal> refuse_cache(View& before, const Program& after, const CacheRequest& request,
                                    const std::string& cache) {
  // Without other data in `s` and `l` nothing outside of the copy's expression counts.
  const bool alone = !before.has_scoped_data();
  const Program expression = alone ? only_expressions(after, {request.at.expression()}) : Program();
  View view(alone ? expression : after);
  if (const auto conflict = placement_conflict(view, cache)) {
    return refuse(kCachePlacement, request.site(), *conflict);
  }
  if (const auto oversize = oversize_of(view, cache, request.lanes)) {
    return refuse_bytes(request, oversize->bytes, oversize->limit);
  }
  if (cannot_race(before, request)) return std::nullopt;
  if (const auto conflict = race_conflict(before, view, request.at.expression())) {
    return refuse(kCacheRaces, request.site(), *conflict);
  }
  return std::nullopt;
}

Refusal refuse_large(const CacheRequest& request) {
  return {&kCacheBox, request.site(), "a subscript would not fit in 64 bits", {}};
}

bool guards_read_data(View& view, const CacheRequest& request) {
  bool found = false;
  for (const std::size_t number : statements_below(view, *request.at.nest)) {
    for (const ExprPtr& guard : view.table().statements[number].guards) {
      for_each_ref(*guard, [&found](const RefPtr&) { found = true; });
    }
  }
  return found;
}

std::size_t item_of(const CacheRequest& request, const Statement& statement) {
  const bool last = request.at.position + 1 == request.at.nest->nest->loops.size();
  return last ? statement.items[request.at.nest->items.size()] : 0;
}

}  // namespace steptp
