// A copy that is made before its uses.
#include <algorithm>
#include <set>

#include "steptp/analysis/instances.h"
#include "steptp/analysis/interval.h"
#include "steptp/base/text.h"
#include "steptp/ir/dtype_facts.h"
#include "steptp/strategies/fill.h"
#include "steptp/strategies/origins.h"
#include "steptp/strategies/staging.h"
#include "steptp/strategies/storage.h"

namespace steptp {

namespace {

/// The nest that fills the copy.
struct Copy {
  std::vector<Loop> loops;
  std::vector<Index> point;
  std::vector<ExprPtr> bounds;
  ExprPtr value;
};

std::optional<Copy> copy_of(View& view, const CacheRequest& request, const Staged& staged) {
  Copy out;
  out.loops = staged.level.threads;
  std::optional<NameSource> fresh;
  std::set<std::string> used;
  for (std::size_t i = 0; i < staged.extents.size(); ++i) {
    std::string name = staged.names[i];
    if (name.empty() || !used.insert(name).second) {
      if (!fresh) fresh = view.fresh_indices(request.at.expression());
      name = fresh->next();
    }
    out.loops.push_back({LoopKind::serial, staged.extents[i], name});
    out.point.push_back(Index::variable(name));
  }
  out.value = staged.value(out.point);
  if (!out.value) return std::nullopt;
  std::vector<Loop> around;
  for (std::size_t i = 0; i < staged.level.depth; ++i) around.push_back(*staged.statements[0]->loops[i]);
  around.insert(around.end(), out.loops.begin(), out.loops.end());
  out.bounds = staged.bounds(out.point, around);
  return out;
}

Item copy_item(std::vector<Loop> loops, const ExprPtr& guard, EquationPtr equation, std::string spare_index) {
  if (loops.empty() && !guard) return equation;
  if (loops.empty()) loops.push_back({LoopKind::serial, 1, std::move(spare_index)});
  return make_nest(std::move(loops), guard, {std::move(equation)});
}

struct Assembly {
  std::vector<Item> items;                         ///< in place of the nest
  std::vector<std::vector<std::uint32_t>> copies;  ///< addresses after
};

/// The neutral value of the accumulations in which the copy is used: all of them have the same.
ExprPtr neutral_value(const Staged& staged) {
  std::optional<ArithmeticOp> op;
  for (const Statement* statement : staged.statements) {
    if (!statement->accumulates || (op && *op != *statement->accumulates)) return nullptr;
    op = statement->accumulates;
  }
  if (op == ArithmeticOp::add) return integer_literal(0);
  if (op == ArithmeticOp::multiply || !is_float(staged.dtype)) return nullptr;
  const ExprPtr infinity = make_expr(Infinity{});
  return op == ArithmeticOp::max ? make_call(Function::negate, infinity) : infinity;
}

std::optional<Refusal> refuse_form(const CacheRequest& request, const Staged& staged, const Copy& copy) {
  const auto refuse_because = [&](std::string why) { return Refusal{&kCacheForm, request.site(), std::move(why), {}}; };
  switch (request.form) {
    case CacheForm::plain: return std::nullopt;
    case CacheForm::fill:
      if (copy.bounds.empty()) return refuse_because("no element of the copy lies outside of the source");
      if (!neutral_value(staged)) return refuse_because("its uses have no neutral value in common");
      return std::nullopt;
    case CacheForm::wide:
      if (is_narrow_float(staged.dtype)) return std::nullopt;
      return refuse_because(concat(staged.source, " is of type ", code(staged.dtype)));
    case CacheForm::ahead:
      if (request.at.loop().kind != LoopKind::serial || request.at.loop().extent < 2) {
        return refuse_because(concat(request.at.loop().index, " is not an L loop of several iterations"));
      }
      if (request.at.position == 0 && request.at.nest->around.empty()) {
        return refuse_because("no loop is around it to hold the first round's data");
      }
      if (open_body(*request.at.nest->nest, request.at.position).guard) {
        return refuse_because("the body of the loop is guarded");
      }
      return std::nullopt;
  }
  return std::nullopt;
}

/// The copy's equation with its guard, where one loop has another value.
std::optional<Item> copy_at(View& view, const CacheRequest& request, const Copy& copy, const RefPtr& cache,
                            const IndexValues& move, const ExprPtr& only_where) {
  Rewriter rewriter;
  rewriter.variables = move;
  const ExprPtr value = rewrite(copy.value, rewriter);
  std::vector<ExprPtr> bounds = only_where ? std::vector<ExprPtr>{only_where} : std::vector<ExprPtr>{};
  for (const ExprPtr& bound : copy.bounds) bounds.push_back(rewrite(bound, rewriter));
  if (!value || std::find(bounds.begin(), bounds.end(), nullptr) != bounds.end()) return std::nullopt;
  return copy_item(copy.loops, conjunction_of(bounds), make_equation(cache, value),
                   view.fresh_indices(request.at.expression()).next());
}

RefPtr cache_ref(const std::string& name, DType dtype, Placement scope, const std::vector<Index>& front,
                 const std::vector<Index>& point) {
  std::vector<Index> subscripts = front;
  subscripts.insert(subscripts.end(), point.begin(), point.end());
  return make_ref(name, dtype, scope, std::move(subscripts));
}

/// Two buffers: round 0 is fetched before the loop, round k+1 in round k.
std::optional<Assembly> assemble_ahead(View& view, const CacheRequest& request, const Staged& staged, const Copy& copy,
                                       const std::string& cache) {
  const Nest& nest = *request.at.nest->nest;
  const Loop& loop = request.at.loop();
  const Index round = Index::variable(loop.index);
  const Index two = Index::constant(2);
  const auto next = Index::add(round, Index::constant(1));
  const auto ref = [&](const Index& buffer) {
    return cache_ref(cache, staged.dtype, request.scope, {buffer}, copy.point);
  };
  auto first = copy_at(view, request, copy, ref(Index()), {{loop.index, Index()}}, nullptr);
  auto further = copy_at(view, request, copy, ref(*Index::modulo(*next, two)), {{loop.index, *next}},
                         less_than(*next, loop.extent));
  Rewriter rewriter;
  staged.replace(rewriter, cache, staged.dtype, {*Index::modulo(round, two)});
  OpenedBody body = open_body(nest, request.at.position);
  auto items = rewrite(body.items, rewriter);
  if (!first || !further || !items) return std::nullopt;
  items->insert(items->begin(), *std::move(further));
  const Item inner = stands_for(make_nest({loop}, nullptr, *std::move(items)), nest);
  const std::vector<std::uint32_t>& place = request.at.nest->items;
  Assembly out;
  if (request.at.position == 0) {
    out.items = {*std::move(first), inner};
    out.copies = {place, sibling(place, 1)};
  } else {
    const auto outer_end = nest.loops.begin() + static_cast<std::ptrdiff_t>(request.at.position);
    out.items = {stands_for(make_nest({nest.loops.begin(), outer_end}, nullptr, {*std::move(first), inner}), nest)};
    out.copies = {place, place};
    out.copies[0].push_back(0);
    out.copies[1].push_back(1);
  }
  out.copies[1].push_back(0);
  return out;
}

std::optional<Assembly> assemble(View& view, const CacheRequest& request, const Staged& staged, Copy copy,
                                 const std::string& cache, DType dtype) {
  if (request.form == CacheForm::ahead) return assemble_ahead(view, request, staged, copy, cache);
  if (request.form == CacheForm::fill) {
    const ExprPtr neutral = neutral_value(staged);
    // A padded expression has the neutral value outside of its own condition, too.
    const auto* select = std::get_if<Select>(&copy.value->node);
    if (select && is_index_condition(*select->condition) && equal(*select->if_false, *neutral)) {
      for (const ExprPtr& condition : conjuncts(select->condition)) copy.bounds.push_back(condition);
      copy.value = select->if_true;
    }
    copy.value = make_expr(Select{conjunction_of(copy.bounds), copy.value, neutral});
    copy.bounds.clear();
  }
  auto item = copy_at(view, request, copy, cache_ref(cache, dtype, request.scope, {}, copy.point), {}, nullptr);
  Rewriter rewriter;
  staged.replace(rewriter, cache, dtype, {});
  OpenedBody body = open_body(*request.at.nest->nest, request.at.position);
  auto items = rewrite(body.items, rewriter);
  if (!item || !items) return std::nullopt;
  std::size_t at = items->size();
  for (const Statement* statement : staged.statements) at = std::min(at, item_of(request, *statement));
  items->insert(items->begin() + static_cast<std::ptrdiff_t>(at), *std::move(item));
  Assembly out;
  out.items = {stands_for(make_nest(body.outer, body.guard, *std::move(items)), *request.at.nest->nest)};
  out.copies = {request.at.nest->items};
  out.copies[0].push_back(static_cast<std::uint32_t>(at));
  return out;
}

/// The copies read what has a value, in range.
std::optional<Refusal> refuse_uncovered(View& after, const CacheRequest& request, const Assembly& assembly) {
  for (const Access& access : after.table().accesses) {
    const Statement& statement = after.table().statements[access.statement];
    const bool copies = std::any_of(assembly.copies.begin(), assembly.copies.end(), [&](const auto& place) {
      return place.size() <= statement.items.size() && std::equal(place.begin(), place.end(), statement.items.begin());
    });
    if (!copies || access.is_write || is_defined(after, access)) continue;
    return Refusal{&kCacheCovered,
                   request.site(),
                   concat("the copy may read elements of ", access.ref->tensor, " that have no value"),
                   {{"tensor", access.ref->tensor}}};
  }
  return std::nullopt;
}

Interval whole_range(const Loop& loop) { return {0, static_cast<Wide>(loop.extent) - 1}; }

/// What refuse_uncovered finds of a tensor, where ranges of subscripts show it.
bool is_plainly_covered(View& view, const CacheRequest& request, const Staged& staged, const Copy& copy) {
  const AccessTable& table = view.table();
  const RefPtr& source = std::get<Read>(copy.value->node).ref;
  const TensorFacts& tensor = table.tensors.at(source->tensor);
  if (tensor.known && tensor.writes.empty()) return copy.bounds.empty();
  const PlannedCopy planned{staged.statements, staged.level, staged.extents, staged.dtype};
  if (tensor.scope != Scope::global && !is_in_kernel_of_uses(request, planned)) return false;
  const Statement& use = *staged.statements[0];
  Ranges loops;
  for (std::size_t i = 0; i < staged.level.depth; ++i)
    loops.variables[use.loops[i]->index] = whole_range(*use.loops[i]);
  for (const Loop& loop : copy.loops) loops.variables[loop.index] = whole_range(loop);
  // The copy stands under the same axes as the use, or has no part in this.
  Access access;
  access.statement = static_cast<std::size_t>(&use - table.statements.data());
  access.ref = source;
  bool known = true;
  const std::vector<Index> subscripts = full_subscripts(table, access);
  for (const Index& subscript : subscripts) {
    for_each_variable(subscript, [&](const std::string& name) { known = known && loops.variables.contains(name); });
  }
  return known && is_plainly_written(view, tensor, use, subscripts, loops);
}

/// The expressions that say whether what is copied is in range and has a value: the copy's own, and those that write
/// what it reads. All of them where subscripts or guards depend on data.
std::set<std::uint32_t> expressions_that_count(View& view, const CacheRequest& request, const Copy& copy) {
  const AccessTable& table = view.table();
  std::set<std::uint32_t> out = {request.at.expression()};
  bool depends_on_data = false;
  const auto has_data = [](const RefPtr& ref) {
    std::size_t refs = 0;
    for_each_ref(ref, [&refs](const RefPtr&) { ++refs; });
    return refs > 1;
  };
  const auto look = [&](const RefPtr& ref) {
    depends_on_data = depends_on_data || has_data(ref);
    for (const std::size_t number : table.tensors.at(ref->tensor).writes) {
      const Statement& writer = table.statements[table.accesses[number].statement];
      out.insert(writer.items[0]);
      depends_on_data = depends_on_data || has_data(table.accesses[number].ref);
      for (const ExprPtr& guard : writer.guards) {
        for_each_ref(*guard, [&](const RefPtr&) { depends_on_data = true; });
      }
    }
  };
  for_each_ref(*copy.value, look);
  for (const ExprPtr& bound : copy.bounds) for_each_ref(*bound, [&](const RefPtr&) { depends_on_data = true; });
  if (!depends_on_data) return out;
  for (std::uint32_t i = 0; i < view.program().nests.size(); ++i) out.insert(i);
  return out;
}

}  // namespace

Result<CacheStep, Refusal> plan_cached_read(View& view, const CacheRequest& request) {
  const auto site = parse_site(request.of);
  auto found = site ? stage_expression(view, request, *site) : stage_tensor(view, request);
  if (!found) return found.error();
  const Staged& staged = *found;
  if (auto refusal = refuse_size(request, staged.extents, staged.dtype)) return *std::move(refusal);
  auto copy = copy_of(view, request, staged);
  if (!copy) return refuse_large(request);
  if (auto refusal = refuse_form(request, staged, *copy)) return *std::move(refusal);
  const DType dtype = request.form == CacheForm::wide ? DType::f32 : staged.dtype;
  CacheStep out;
  out.has_guard = !copy->bounds.empty();
  if (out.has_guard && request.purpose == CachePurpose::ask_unguarded) {
    return Refusal{&kCacheForm, request.site(), "the copy would have a guard", {}};
  }
  const PlannedCopy planned{staged.statements, staged.level, staged.extents, dtype};
  const bool simple = !site && request.form != CacheForm::ahead && !request.points;
  const bool covered = simple && is_plainly_covered(view, request, staged, *copy);
  const bool placed = !site && is_plainly_placed(view, request, planned);
  if (request.purpose != CachePurpose::make && covered && placed && !guards_read_data(view, request)) return out;
  out.cache = view.fresh_tensors().next();
  out.source = staged.source;
  out.extents = staged.extents;
  out.uses = staged.uses;
  const auto assembly = assemble(view, request, staged, *copy, out.cache, dtype);
  if (!assembly) return refuse_large(request);
  for (const auto& place : assembly->copies) out.added.push_back({"copy", item_site(place)});
  out.program = with_items(view.program(), request.at.nest->items, assembly->items);
  if (!covered) {
    const Program counts = only_expressions(out.program, expressions_that_count(view, request, *copy));
    View part(counts);
    if (auto refusal = refuse_uncovered(part, request, *assembly)) return *std::move(refusal);
  }
  if (!placed) {
    if (auto refusal = refuse_cache(view, out.program, request, out.cache)) return *std::move(refusal);
  }
  if (request.form != CacheForm::fill || request.purpose != CachePurpose::make) return out;
  View after(out.program);
  if (auto unguarded = without_needless_guards(after, out.cache, request.lanes)) {
    if (!refuse_cache(view, unguarded->program, request, out.cache)) {
      out.program = std::move(unguarded->program);
      out.dropped = unguarded->conditions;
    }
  }
  return out;
}

}  // namespace steptp
