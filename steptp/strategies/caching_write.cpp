// A tensor that is made in a copy, which is written back behind.
#include <algorithm>

#include "steptp/base/text.h"
#include "steptp/ir/dtype_facts.h"
#include "steptp/strategies/expressions.h"
#include "steptp/strategies/origins.h"
#include "steptp/strategies/storage.h"
#include "steptp/strategies/write_target.h"
#include "steptp/structure/types.h"

namespace steptp {

namespace {

ExprPtr identity_of(ArithmeticOp op, DType dtype) {
  if (op == ArithmeticOp::add) return integer_literal(0);
  if (op == ArithmeticOp::multiply) return integer_literal(1);
  if (!is_float(dtype)) return nullptr;
  const ExprPtr infinity = make_expr(Infinity{});
  return op == ArithmeticOp::max ? make_call(Function::negate, infinity) : infinity;
}

/// The loops inside the level over which one equation's left side runs, as the nest that writes back has them.
struct OutputLoops {
  std::vector<Loop> loops;
  Rewriter names;
  ExprPtr guard;
};

OutputLoops output_loops(View& view, const CacheRequest& request, const WriteTarget& target,
                         const Statement& statement) {
  OutputLoops out;
  std::set<std::string> used;
  for (const Index& subscript : statement.equation->left->subscripts) {
    for_each_variable(subscript, [&](const std::string& name) { used.insert(name); });
  }
  NameSource fresh = view.fresh_indices(request.at.expression());
  std::set<std::string> known = target.level.still;
  for (std::size_t i = target.level.depth; i < statement.loops.size(); ++i) {
    Loop loop = *statement.loops[i];
    const bool is_thread = request.scope == Scope::local && loop.kind == LoopKind::bound;
    if (!is_thread && !used.contains(loop.index)) continue;
    known.insert(loop.index);
    if (!is_thread && loop.kind == LoopKind::bound) {
      const std::string name = fresh.next();
      out.names.variables.emplace(loop.index, Index::variable(name));
      loop.index = name;
    }
    if (!is_thread) loop.kind = LoopKind::serial;
    out.loops.push_back(std::move(loop));
  }
  std::vector<ExprPtr> conditions;
  const OpenedBody body = open_body(*request.at.nest->nest, request.at.position);
  const std::vector<ExprPtr> outside = conjuncts(body.guard);
  for (std::size_t i = request.at.nest->around.size(); i < statement.nests.size(); ++i) {
    for (const ExprPtr& condition : conjuncts(statement.nests[i]->guard)) {
      const std::set<std::string> names = variables_of(*condition);
      const bool here = std::includes(known.begin(), known.end(), names.begin(), names.end());
      const bool holds = std::find(outside.begin(), outside.end(), condition) != outside.end();
      if (here && !holds) conditions.push_back(rewrite(condition, out.names));
    }
  }
  out.guard = conjunction_of(conditions);
  return out;
}

Item nest_or_equation(View& view, const CacheRequest& request, std::vector<Loop> loops, const ExprPtr& guard,
                      EquationPtr equation) {
  if (loops.empty() && !guard) return equation;
  if (loops.empty()) loops.push_back({LoopKind::serial, 1, view.fresh_indices(request.at.expression()).next()});
  return make_nest(std::move(loops), guard, {std::move(equation)});
}

struct Items {
  std::vector<Item> identity;
  std::vector<Item> back;
};

bool contains(const std::vector<Item>& items, const Item& item) {
  return std::any_of(items.begin(), items.end(), [&](const Item& other) {
    const auto* a = std::get_if<NestPtr>(&item);
    const auto* b = std::get_if<NestPtr>(&other);
    if (a && b) return equal(**a, **b);
    if (a || b) return false;
    return equal(*std::get<EquationPtr>(item)->left, *std::get<EquationPtr>(other)->left);
  });
}

/// One nest that writes back, and one that sets the identity, for each left side.
std::optional<Items> items_of(View& view, const CacheRequest& request, const WriteTarget& target,
                              const std::string& cache, DType dtype, const ExprPtr& identity) {
  Items out;
  for (const Access* access : target.accesses) {
    if (!access->is_write) continue;
    const Statement& statement = view.table().statements[access->statement];
    const OutputLoops loops = output_loops(view, request, target, statement);
    auto inside = target.footprint.inside(target.level.in_common_names(access->ref->subscripts));
    if (!inside) return std::nullopt;
    const RefPtr left = rewrite(access->ref, loops.names);
    const RefPtr place = rewrite(make_ref(cache, dtype, request.scope, *std::move(inside)), loops.names);
    if (!left || !place) return std::nullopt;
    Item back = nest_or_equation(view, request, loops.loops, loops.guard, make_equation(left, read_expr(place)));
    if (!contains(out.back, back)) out.back.push_back(std::move(back));
    if (!identity) continue;
    Item first = nest_or_equation(view, request, loops.loops, nullptr, make_equation(place, identity));
    if (!contains(out.identity, first)) out.identity.push_back(std::move(first));
  }
  return out;
}

/// Values of an output that are rounded when they are stored there would be rounded in the copy already.
const Access* rounded_in(View& view, const WriteTarget& target, DType dtype) {
  if (!target.tensor->known) return nullptr;
  for (const Access* access : target.accesses) {
    if (!access->is_write) continue;
    const ExprPtr& right = view.table().statements[access->statement].equation->right;
    const auto type = is_condition(*right) ? std::nullopt : type_of(*right);
    if (type && !type->weak && is_float(type->dtype) && promote(type->dtype, dtype) != dtype) return access;
  }
  return nullptr;
}

/// The body with the tensor's accesses renamed, and the items around those that hold them.
struct Assembly {
  Program program;
  std::vector<std::vector<std::uint32_t>> identity;
  std::vector<std::vector<std::uint32_t>> back;
};

std::optional<Assembly> assemble(View& view, const CacheRequest& request, const WriteTarget& target,
                                 const std::string& cache, DType dtype, const Items& extra) {
  Rewriter rewriter;
  rewriter.ref = [&](const RefPtr& ref) -> RefPtr {
    if (ref->tensor != request.of) return ref;
    auto inside = target.footprint.inside(target.level.in_common_names(ref->subscripts));
    return inside ? make_ref(cache, dtype, request.scope, *std::move(inside)) : nullptr;
  };
  OpenedBody body = open_body(*request.at.nest->nest, request.at.position);
  auto items = rewrite(body.items, rewriter);
  if (!items) return std::nullopt;
  std::size_t first = items->size();
  std::size_t last = 0;
  for (const Statement* statement : target.statements) {
    first = std::min(first, item_of(request, *statement));
    last = std::max(last, item_of(request, *statement));
  }
  items->insert(items->begin() + static_cast<std::ptrdiff_t>(last) + 1, extra.back.begin(), extra.back.end());
  items->insert(items->begin() + static_cast<std::ptrdiff_t>(first), extra.identity.begin(), extra.identity.end());
  Assembly out;
  std::vector<std::uint32_t> place = request.at.nest->items;
  place.push_back(0);
  for (std::size_t i = 0; i < extra.identity.size(); ++i) {
    out.identity.push_back(sibling(place, static_cast<std::uint32_t>(first + i)));
  }
  for (std::size_t i = 0; i < extra.back.size(); ++i) {
    out.back.push_back(sibling(place, static_cast<std::uint32_t>(last + 1 + extra.identity.size() + i)));
  }
  NestPtr nest = stands_for(make_nest(body.outer, body.guard, *std::move(items)), *request.at.nest->nest);
  out.program = with_items(view.program(), request.at.nest->items, {std::move(nest)});
  return out;
}

/// Everything that is written back was written in that round of the body, before the identity is put there. Without
/// guards inside the body that is clear: writing back runs over the same loops.
std::optional<Refusal> refuse_back(View& bare, const CacheRequest& request, const Assembly& assembly,
                                   const std::string& cache, std::size_t depth) {
  const TensorFacts& tensor = bare.table().tensors.at(cache);
  const bool guarded = std::any_of(tensor.writes.begin(), tensor.writes.end(), [&](std::size_t number) {
    const std::vector<const Nest*>& nests = bare.table().statements[bare.table().accesses[number].statement].nests;
    return std::any_of(nests.begin() + static_cast<std::ptrdiff_t>(request.at.nest->items.size()), nests.end(),
                       [](const Nest* nest) { return nest->guard != nullptr; });
  });
  for (const std::size_t number : tensor.reads) {
    const Access& read = bare.table().accesses[number];
    const std::vector<std::uint32_t>& items = bare.table().statements[read.statement].items;
    const bool goes_back = std::any_of(assembly.back.begin(), assembly.back.end(), [&](const auto& place) {
      return place.size() <= items.size() && std::equal(place.begin(), place.end(), items.begin());
    });
    if (!goes_back || !guarded || is_defined(bare, read, depth)) continue;
    return Refusal{&kCacheCovered,
                   request.site(),
                   concat("elements of ", request.of, " may be written back that the body does not make"),
                   {}};
  }
  return std::nullopt;
}

/// The subscripts of all accesses in the copy fit in 64 bits.
bool all_fit(const WriteTarget& target) {
  return std::all_of(target.accesses.begin(), target.accesses.end(), [&](const Access* access) {
    return target.footprint.inside(target.level.in_common_names(access->ref->subscripts)).has_value();
  });
}

}  // namespace

Result<CacheStep, Refusal> plan_cached_write(View& view, const CacheRequest& request) {
  if (request.form == CacheForm::fill || request.form == CacheForm::ahead) {
    return Refusal{&kCacheForm, request.site(), "fill and ahead are for what is read", {}};
  }
  const auto target = find_write_target(view, request);
  if (!target) return target.error();
  const DType own = target->tensor->dtype;
  if (request.form == CacheForm::wide && !is_narrow_float(own)) {
    return Refusal{&kCacheForm, request.site(), concat(request.of, " is of type ", code(own)), {}};
  }
  const DType dtype = request.form == CacheForm::wide ? DType::f32 : own;
  if (const Access* rounded = rounded_in(view, *target, dtype)) {
    return Refusal{
        &kCacheForm, request.site(), concat(to_text(rounded->site), " stores values wider than ", code(dtype)), {}};
  }
  if (auto refusal = refuse_size(request, target->footprint.extents(), dtype)) return *std::move(refusal);
  const auto whole = look_at_reads(view, request, *target);
  if (!whole) return whole.error();
  const ExprPtr identity = whole->needs_identity ? identity_of(*whole->op, dtype) : nullptr;
  if (whole->needs_identity && !identity) {
    return Refusal{&kCacheWhole, request.site(), concat("no literal is the identity of type ", code(dtype)), {}};
  }
  CacheStep out;
  out.extents = target->footprint.extents();
  const bool placed = is_plainly_placed(view, request, {target->statements, target->level, out.extents, dtype});
  const bool guarded = std::any_of(target->statements.begin(), target->statements.end(),
                                   [](const Statement* statement) { return !statement->guards.empty(); });
  if (request.purpose != CachePurpose::make && placed && !guarded && !guards_read_data(view, request)) {
    return all_fit(*target) ? Result<CacheStep, Refusal>(std::move(out)) : refuse_large(request);
  }
  out.cache = view.fresh_tensors().next();
  out.source = request.of;
  out.is_initialised = identity != nullptr;
  for (const Access* access : target->accesses) out.uses.push_back({"use", access->site});
  const auto extra = items_of(view, request, *target, out.cache, dtype, identity);
  if (!extra) return refuse_large(request);
  const auto full = assemble(view, request, *target, out.cache, dtype, *extra);
  if (!full) return refuse_large(request);
  if (guarded) {
    const auto bare = assemble(view, request, *target, out.cache, dtype, {{}, extra->back});
    if (!bare) return refuse_large(request);
    View without(bare->program);
    if (auto refusal = refuse_back(without, request, *bare, out.cache, target->level.depth)) return *std::move(refusal);
  }
  if (!placed) {
    if (auto refusal = refuse_cache(view, full->program, request, out.cache)) return *std::move(refusal);
  }
  out.program = full->program;
  for (const auto& place : full->identity) out.added.push_back({"identity", item_site(place)});
  for (const auto& place : full->back) out.added.push_back({"copy", item_site(place)});
  return out;
}

}  // namespace steptp
