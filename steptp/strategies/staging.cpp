// What a cached read copies: either the part of a tensor that the body uses, or the value of one expression (an
// if_then_else of a tensor) over the indices that move in it. Either becomes a nest that fills the copy, and a
// replacement for each use. Decision 0018.
#include "steptp/strategies/staging.h"

#include <algorithm>

#include "steptp/analysis/box_search.h"
#include "steptp/base/text.h"
#include "steptp/strategies/expressions.h"
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

/// The moving parts of the indices of an expression: each is a dimension of its copy.
struct MovingParts {
  std::vector<Index> parts;
  std::vector<Interval> ranges;
  bool failed = false;

  void note(const Index& index, const std::set<std::string>& still, const Ranges& box) {
    const auto split = split_moving(index, still);
    failed = failed || !split;
    if (!split || split->factor == 0) return;
    const Interval range = range_of(split->moving, box);
    const auto known = std::find(parts.begin(), parts.end(), split->moving);
    if (known == parts.end()) {
      parts.push_back(split->moving);
      ranges.push_back(range);
    } else {
      Interval& all = ranges[static_cast<std::size_t>(known - parts.begin())];
      all = hull(all, range);
    }
  }
  [[nodiscard]] bool is_wide(std::size_t i) const { return !ranges[i].is_point(); }
};

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
  const bool is_staged = std::holds_alternative<Select>(expr.node) || std::holds_alternative<Read>(expr.node);
  if (!is_staged || !type || type->weak || may_trap(expr) || tensors_of(expr).empty()) {
    return Refusal{
        &kCacheUses, request.site(), "the expression is no if_then_else of a tensor, and no read of one", {}};
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

/// What an index is at a point of the copy.
std::optional<Index> index_at(const Index& index, const std::set<std::string>& still, const MovingParts& parts,
                              const std::vector<Index>& point) {
  const auto split = split_moving(index, still);
  if (!split) return std::nullopt;
  std::optional<Index> out = Index::add(split->still, Index::constant(split->constant));
  if (split->factor == 0) return out;
  std::size_t coordinate = 0;
  std::size_t number = 0;
  for (; !(parts.parts[number] == split->moving); ++number) coordinate += parts.is_wide(number) ? 1 : 0;
  std::optional<Index> place = Index::constant(static_cast<std::int64_t>(parts.ranges[number].low));
  if (parts.is_wide(number)) place = Index::add(point[coordinate], *place);
  const auto moving = place ? Index::multiply(*place, Index::constant(split->factor)) : std::nullopt;
  return out && moving ? Index::add(*out, *moving) : std::nullopt;
}

}  // namespace

Result<Staged, Refusal> stage_tensor(View& view, const CacheRequest& request) {
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
  Staged out;
  out.source = request.of;
  out.dtype = tensor->second.dtype;
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
  auto level = cache_level(request, out.statements);
  if (!level) return level.error();
  out.level = *std::move(level);
  for (SubscriptUse& use : uses) use.subscripts = out.level.in_common_names(std::move(use.subscripts));
  auto box = footprint_of(uses, out.level.still);
  if (!box) {
    out.level.join_single_iterations(*out.statements[0]);
    for (SubscriptUse& use : uses) use.subscripts = out.level.in_common_names(std::move(use.subscripts));
    box = footprint_of(uses, out.level.still);
  }
  if (!box) return Refusal{&kCacheBox, request.site(), concat(request.of, ": ", box.error()), {}};
  const Footprint footprint = *std::move(box);
  out.extents = footprint.extents();
  out.names.resize(out.extents.size());
  for (const SubscriptUse& use : uses) {
    const auto inside = footprint.inside(use.subscripts);
    if (!inside) return refuse_large(request);
    for (std::size_t i = 0; i < out.extents.size(); ++i) {
      std::string here = good_name(*use.statement, (*inside)[i], out.extents[i]);
      if (&use == uses.data()) {
        out.names[i] = std::move(here);
      } else if (out.names[i] != here) {
        out.names[i].clear();
      }
    }
  }
  const RefPtr example = table.accesses[tensor->second.reads[0]].ref;
  out.value = [footprint, example](const std::vector<Index>& point) -> ExprPtr {
    auto subscripts = footprint.outside(point);
    if (!subscripts) return nullptr;
    return read_expr(make_ref(example->tensor, example->dtype, example->scope, *std::move(subscripts)));
  };
  const std::vector<std::int64_t> shape = view.shape_of(request.of).dimensions;
  out.bounds = [footprint, shape](const std::vector<Index>& point, const std::vector<Loop>& around) {
    Ranges ranges;
    for (const Loop& loop : around) ranges.variables[loop.index] = {0, static_cast<Wide>(loop.extent) - 1};
    std::vector<ExprPtr> conditions;
    const auto subscripts = footprint.outside(point);
    for (std::size_t i = 0; subscripts && i < shape.size(); ++i) {
      add_bounds((*subscripts)[i], shape[i], ranges, conditions);
    }
    return conditions;
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
  const std::set<std::string> still = out.level.still;
  MovingParts parts;
  for (const Statement* statement : out.statements) {
    Rewriter look;
    const Ranges box = loop_box(*statement);
    const auto note = [&](const Index& index) -> std::optional<Index> {
      parts.note(index, still, box);
      return index;
    };
    look.index = note;
    look.value = note;
    (void)rewrite(expr, look);
  }
  if (parts.failed) return Refusal{&kCacheBox, request.site(), "an index reads a tensor or does not fit", {}};
  for (std::size_t i = 0; i < parts.parts.size(); ++i) {
    if (parts.ranges[i].low < INT32_MIN || parts.ranges[i].high > INT32_MAX) {
      return Refusal{&kCacheBox, request.site(), "an index is wide", {}};
    }
    if (!parts.is_wide(i)) continue;
    out.extents.push_back(static_cast<std::int64_t>(parts.ranges[i].high - parts.ranges[i].low) + 1);
    out.names.push_back(parts.ranges[i].low == 0 ? good_name(*out.statements[0], parts.parts[i], out.extents.back())
                                                 : std::string());
  }
  out.value = [expr, parts, still](const std::vector<Index>& point) -> ExprPtr {
    bool failed = false;
    Rewriter move;
    const auto at_point = [&](const Index& index) -> std::optional<Index> {
      auto now = index_at(index, still, parts, point);
      failed = failed || !now;
      return now ? now : std::optional(index);
    };
    move.index = at_point;
    move.value = at_point;
    ExprPtr value = rewrite(expr, move);
    return failed ? nullptr : value;
  };
  out.bounds = [](const std::vector<Index>&, const std::vector<Loop>&) { return std::vector<ExprPtr>(); };
  std::vector<Index> inside;
  for (std::size_t i = 0; i < parts.parts.size(); ++i) {
    if (!parts.is_wide(i)) continue;
    const auto place = Index::subtract(parts.parts[i], Index::constant(static_cast<std::int64_t>(parts.ranges[i].low)));
    if (!place) return refuse_large(request);
    inside.push_back(*place);
  }
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
