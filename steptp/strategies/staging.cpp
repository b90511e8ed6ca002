// What a cached read copies: either the part of a tensor that the body uses, or the value of one expression (an
// if_then_else of a tensor) over the indices that move in it. Either becomes a nest that fills the copy, and a
// replacement for each use. Decision 0018.
#include "steptp/strategies/staging.h"

#include <algorithm>

#include "steptp/analysis/box_search.h"
#include "steptp/base/text.h"
#include "steptp/strategies/expressions.h"
#include "steptp/strategies/storage.h"
#include "steptp/structure/types.h"

namespace steptp {

namespace {

const Loop* loop_named(const Statement& statement, const std::string& name) {
  for (const Loop* loop : statement.loops) {
    if (loop->index == name) return loop;
  }
  return nullptr;
}

/// The name of the loop that an index is, where it is a plain loop with that many iterations.
std::string good_name(const Statement& statement, const Index& index, std::int64_t extent) {
  const std::string* name = index.as_variable();
  const Loop* loop = name ? loop_named(statement, *name) : nullptr;
  return loop && loop->kind != LoopKind::bound && loop->extent == extent ? *name : std::string();
}

/// index < size and 0 <= index, where the loops do not show it.
void add_bounds(const Index& index, std::int64_t size, const Ranges& box, std::vector<ExprPtr>& out) {
  const Interval range = range_of(index, box);
  if (range.low < 0) out.push_back(make_expr(Compare{{integer_literal(0), to_expr(index)}, {CompareOp::less_equal}}));
  if (range.high >= size) out.push_back(less_than(index, size));
}

/// An integer quotient of data could be by zero where the expression was not evaluated before.
bool may_trap(const Expr& expr) {
  if (const auto* product = std::get_if<Product>(&expr.node); product && !to_index(expr)) {
    for (const ArithmeticOp op : product->operators) {
      if (op == ArithmeticOp::floor_divide || op == ArithmeticOp::modulo) return true;
    }
  }
  for (std::size_t i = 0; i < child_count(expr); ++i) {
    if (may_trap(*child(expr, i))) return true;
  }
  return false;
}

std::optional<Refusal> refuse_expression(View& view, const CacheRequest& request, const Expr& expr) {
  const auto type = is_condition(expr) ? std::nullopt : type_of(expr);
  const bool is_staged =
      request.any_expression || std::holds_alternative<Select>(expr.node) || std::holds_alternative<Read>(expr.node);
  if (!is_staged || !type || type->weak || may_trap(expr) || tensors_of(expr).empty()) {
    return Refusal{
        &kCacheUses, request.site(), "the expression is neither an if_then_else of a tensor nor a read of one", {}};
  }
  for (const std::size_t number : statements_below(view, *request.at.nest)) {
    const std::string& written = view.table().statements[number].equation->left->tensor;
    if (!tensors_of(expr).contains(written)) continue;
    return Refusal{&kCacheUnchanged, request.site(), concat(written, " is written in the body"), {}};
  }
  for (const std::string& name : tensors_of(expr)) {
    if (view.table().tensors.at(name).scope != Scope::local || request.scope == Scope::local) continue;
    return Refusal{&kCachePlacement, request.site(), concat(name, " is a thread's own"), {}};
  }
  return std::nullopt;
}

/// An expression over the indices of the copy; null where one of its own indices is not decided by the point.
ExprPtr at_point(const ExprPtr& expr, const MovingPoints& points, const std::vector<Index>& point) {
  bool failed = false;
  Rewriter move;
  const auto index_at = [&](const Index& index) -> std::optional<Index> {
    auto now = points.at(index, point);
    failed = failed || !now;
    return now ? now : std::optional(index);
  };
  move.index = index_at;
  move.value = index_at;
  ExprPtr value = rewrite(expr, move);
  return failed ? nullptr : value;
}

/// What holds at a point of the copy wherever all uses read it: those conditions of their guards that the point
/// decides. Guards outside of the level hold for the copy as well.
std::vector<ExprPtr> guards_at(const CacheRequest& request, const std::vector<const Statement*>& uses,
                               const MovingPoints& points, const std::vector<Index>& point) {
  const std::vector<ExprPtr> outside = conjuncts(open_body(*request.at.nest->nest, request.at.position).guard);
  std::optional<std::vector<ExprPtr>> common;
  for (const Statement* use : uses) {
    std::vector<ExprPtr> here;
    for (std::size_t i = request.at.nest->around.size(); i < use->nests.size(); ++i) {
      for (const ExprPtr& condition : conjuncts(use->nests[i]->guard)) {
        if (std::find(outside.begin(), outside.end(), condition) != outside.end()) continue;
        if (!is_index_condition(*condition)) continue;
        if (ExprPtr moved = at_point(condition, points, point)) here.push_back(std::move(moved));
      }
    }
    if (!common) {
      common = std::move(here);
      continue;
    }
    std::erase_if(*common, [&](const ExprPtr& condition) {
      return std::none_of(here.begin(), here.end(), [&](const ExprPtr& other) { return equal(*other, *condition); });
    });
  }
  return *std::move(common);
}

/// The reads of the tensor in the body, noted in `out` too. Nothing below the level may write the tensor.
Result<std::vector<SubscriptUse>, Refusal> find_uses(View& view, const CacheRequest& request, Staged& out) {
  const AccessTable& table = view.table();
  const auto tensor = table.tensors.find(request.of);
  const auto refuse_uses = [&] {
    return Refusal{
        &kCacheUses, request.site(), concat(request.of, " is not read in the body"), {{"tensor", request.of}}};
  };
  if (tensor == table.tensors.end()) return refuse_uses();
  const std::vector<std::size_t> below = statements_below(view, *request.at.nest);
  const auto is_below = [&](std::size_t number) {
    return std::find(below.begin(), below.end(), table.accesses[number].statement) != below.end();
  };
  std::vector<SubscriptUse> uses;
  for (const std::size_t number : tensor->second.reads) {
    if (!is_below(number)) continue;
    const Access& access = table.accesses[number];
    const Statement& statement = table.statements[access.statement];
    uses.push_back({&statement, access.ref->subscripts});
    out.statements.push_back(&statement);
    out.uses.push_back({"use", access.site});
  }
  if (uses.empty()) return refuse_uses();
  for (const std::size_t number : tensor->second.writes) {
    if (!is_below(number)) continue;
    return Refusal{&kCacheUnchanged,
                   request.site(),
                   concat(request.of, " is written at ", to_text(table.accesses[number].site)),
                   {{"tensor", request.of}}};
  }
  if (tensor->second.scope == Scope::local && request.scope != Scope::local) {
    return Refusal{&kCachePlacement, request.site(), concat(request.of, " is a thread's own"), {}};
  }
  return uses;
}

/// What the copy holds. Where a box fails, the level takes in loops of a single iteration, and `uses` and `out.level`
/// are changed to match.
Result<Footprint, std::string> find_footprint(const CacheRequest& request, std::vector<SubscriptUse>& uses,
                                              Staged& out) {
  const auto to_common_names = [&] {
    for (SubscriptUse& use : uses) use.subscripts = out.level.in_common_names(std::move(use.subscripts));
  };
  to_common_names();
  if (request.points) return point_footprint_of(uses, out.level.still);
  auto box = footprint_of(uses, out.level.still);
  if (box) return box;
  out.level.join_single_iterations(*out.statements[0]);
  to_common_names();
  return footprint_of(uses, out.level.still);
}

/// For each dimension of the copy the name that all uses suggest; empty where they disagree. Nothing where a subscript
/// inside of the copy does not fit.
std::optional<std::vector<std::string>> common_names(const Footprint& footprint, const std::vector<SubscriptUse>& uses,
                                                     const std::vector<std::int64_t>& extents) {
  std::vector<std::string> names(extents.size());
  for (const SubscriptUse& use : uses) {
    const auto inside = footprint.inside(use.subscripts);
    if (!inside) return std::nullopt;
    for (std::size_t i = 0; i < extents.size(); ++i) {
      std::string here = good_name(*use.statement, (*inside)[i], extents[i]);
      if (&use == uses.data()) {
        names[i] = std::move(here);
      } else if (names[i] != here) {
        names[i].clear();
      }
    }
  }
  return names;
}

/// What has to hold at a point of the copy so that the tensor has an element there.
std::vector<ExprPtr> bounds_at(const Footprint& footprint, const std::vector<std::int64_t>& shape,
                               const std::vector<Index>& point, const std::vector<Loop>& around) {
  Ranges ranges;
  for (const Loop& loop : around) ranges.variables[loop.index] = {0, static_cast<Wide>(loop.extent) - 1};
  std::vector<ExprPtr> conditions;
  const auto subscripts = footprint.outside(point);
  for (std::size_t i = 0; subscripts && i < shape.size(); ++i) {
    add_bounds((*subscripts)[i], shape[i], ranges, conditions);
  }
  return conditions;
}

}  // namespace

Result<Staged, Refusal> stage_tensor(View& view, const CacheRequest& request) {
  Staged out;
  out.source = request.of;
  auto found = find_uses(view, request, out);
  if (!found) return found.error();
  std::vector<SubscriptUse> uses = *std::move(found);
  const TensorFacts& tensor = view.table().tensors.at(request.of);
  out.dtype = tensor.dtype;
  auto level = cache_level(request, out.statements);
  if (!level) return level.error();
  out.level = *std::move(level);
  auto box = find_footprint(request, uses, out);
  if (!box) return Refusal{&kCacheBox, request.site(), concat(request.of, ": ", box.error()), {}};
  const Footprint footprint = *std::move(box);
  out.extents = footprint.extents();
  auto names = common_names(footprint, uses, out.extents);
  if (!names) return refuse_large(request);
  out.names = *std::move(names);
  const RefPtr example = view.table().accesses[tensor.reads[0]].ref;
  out.value = [footprint, example](const std::vector<Index>& point) -> ExprPtr {
    auto subscripts = footprint.outside(point);
    if (!subscripts) return nullptr;
    return read_expr(make_ref(example->tensor, example->dtype, example->scope, *std::move(subscripts)));
  };
  const std::vector<std::int64_t> shape = view.shape_of(request.of).dimensions;
  out.bounds = [footprint, shape, request, statements = out.statements](const std::vector<Index>& point,
                                                                        const std::vector<Loop>& around) {
    // Point by point the guards of the uses say the same in fewer divisions.
    if (footprint.points) {
      std::vector<ExprPtr> guards = guards_at(request, statements, footprint.points->points, point);
      if (!guards.empty()) return guards;
    }
    return bounds_at(footprint, shape, point, around);
  };
  out.replace = [footprint, level = out.level, name = request.of, scope = request.scope](
                    Rewriter& rewriter, const std::string& cache, DType dtype, const std::vector<Index>& front) {
    rewriter.ref = [=](const RefPtr& ref) -> RefPtr {
      if (ref->tensor != name) return ref;
      auto inside = footprint.inside(level.in_common_names(ref->subscripts));
      if (!inside) return nullptr;
      inside->insert(inside->begin(), front.begin(), front.end());
      return make_ref(cache, dtype, scope, *std::move(inside));
    };
  };
  return out;
}

Result<Staged, Refusal> stage_expression(View& view, const CacheRequest& request, const Site& site) {
  const auto placed = find_expression(view, site);
  if (!placed) return Refusal{&kPlace, site, "there is no expression at this address", {}};
  const ExprPtr expr = placed->expr;
  if (is_wide_product(*placed)) {
    return Refusal{&kCacheUses, site, "a product that is computed in the type of the sum that it is added to", {}};
  }
  if (auto refusal = refuse_expression(view, request, *expr)) return *std::move(refusal);
  Staged out;
  out.source = to_text(site);
  out.dtype = type_of(*expr)->dtype;
  const std::vector<std::size_t> below = statements_below(view, *request.at.nest);
  for (const PlacedExpr& other : all_expressions(view)) {
    if (!equal(*other.expr, *expr) || std::find(below.begin(), below.end(), other.number) == below.end()) continue;
    out.statements.push_back(other.statement);
    out.uses.push_back({"use", other.site});
  }
  if (out.statements.empty()) return Refusal{&kCacheUses, request.site(), "the expression is not in the body", {}};
  auto level = cache_level(request, out.statements);
  if (!level) return level.error();
  out.level = *std::move(level);
  MovingPoints points(out.level.still, request.points);
  bool noted = true;
  for (const Statement* statement : out.statements) {
    Rewriter look;
    const Ranges box = loop_box(*statement);
    const auto note = [&](const Index& index) -> std::optional<Index> {
      noted = points.note(index, box) && noted;
      return index;
    };
    look.index = note;
    look.value = note;
    (void)rewrite(expr, look);
  }
  if (!noted) return Refusal{&kCacheBox, request.site(), "an index reads a tensor, is wide or does not fit", {}};
  const auto places = points.places();
  if (!places) return refuse_large(request);
  const std::vector<Index>& inside = *places;
  out.extents = points.extents();
  for (std::size_t i = 0; i < inside.size(); ++i) {
    out.names.push_back(good_name(*out.statements[0], inside[i], out.extents[i]));
  }
  out.value = [expr, points](const std::vector<Index>& point) { return at_point(expr, points, point); };
  out.bounds = [request, points, uses = out.statements](const std::vector<Index>& point, const std::vector<Loop>&) {
    return request.points ? guards_at(request, uses, points, point) : std::vector<ExprPtr>();
  };
  out.replace = [expr, inside, scope = request.scope](Rewriter& rewriter, const std::string& cache, DType dtype,
                                                      const std::vector<Index>& front) {
    std::vector<Index> subscripts = front;
    subscripts.insert(subscripts.end(), inside.begin(), inside.end());
    const ExprPtr read = read_expr(make_ref(cache, dtype, scope, std::move(subscripts)));
    rewriter.expr = [expr, read](const ExprPtr& other) { return equal(*other, *expr) ? read : other; };
  };
  return out;
}

}  // namespace steptp
