#include "steptp/strategies/windows.h"

#include <algorithm>

#include "steptp/analysis/box_search.h"
#include "steptp/analysis/interval.h"
#include "steptp/base/text.h"
#include "steptp/strategies/expressions.h"
#include "steptp/strategies/pieces.h"
#include "steptp/strategies/rewrite.h"

namespace steptp {

RefPtr instead(const RefPtr& ref, const std::string& from, const std::string& to) {
  return ref->tensor == from ? make_ref(to, ref->dtype, ref->scope, ref->subscripts) : ref;
}

namespace {

const PlacedNest* maker_of(View& view, const std::string& tensor) {
  const TensorFacts& facts = view.table().tensors.at(tensor);
  if (facts.writes.size() != 1) return nullptr;
  const Statement& statement = view.table().statements[view.table().accesses[facts.writes[0]].statement];
  return view.find_nest(std::span(statement.items).first(statement.items.size() - 1));
}

ExprPtr with_tensor(const ExprPtr& expr, const std::string& from, const std::string& to) {
  Rewriter rewriter;
  rewriter.ref = [&](const RefPtr& ref) { return instead(ref, from, to); };
  return rewrite(expr, rewriter);
}

bool pad_alike(const Padding& a, const Padding& b) {
  if (a.loops().size() != b.loops().size() || a.left()->dtype != b.left()->dtype || !equal(*a.fill, *b.fill) ||
      a.source->dtype != b.source->dtype) {
    return false;
  }
  LoopNames names;
  for (std::size_t i = 0; i < a.loops().size(); ++i) {
    const bool same = a.loops()[i].extent == b.loops()[i].extent && a.ranges[i].low == b.ranges[i].low &&
                      a.ranges[i].count == b.ranges[i].count;
    if (!same) return false;
    names.emplace(a.loops()[i].index, b.loops()[i].index);
  }
  return equal(*instead(renamed(a.source, names), a.source->tensor, b.source->tensor), *b.source);
}

bool is_serial(const Loop& loop) { return loop.kind == LoopKind::serial || loop.kind == LoopKind::unrolled; }

/// How a loop of the output moves the window along a dimension: by the stride, over offsets from low to high.
struct Motion {
  const Loop* loop = nullptr;
  std::int64_t stride = 0;
  Interval offsets;
};

/// Nothing where the loop does not move the window along this dimension, or shows elsewhere in the term too.
std::optional<Motion> motion_by(const Windows& windows, std::size_t dimension, const Loop& loop) {
  const Reduction& reduction = windows.reduction;
  const std::string& copy = windows.padding.left()->tensor;
  std::optional<Interval> all;
  std::int64_t stride = 0;
  bool elsewhere = false;
  Rewriter without;  // what is left of the term when the copy loses its subscripts
  without.ref = [&](const RefPtr& ref) {
    if (ref->tensor != copy) return ref;
    const auto moving = along(ref->subscripts[dimension], loop.index);
    elsewhere = elsewhere || !moving || (all && stride != moving->coefficient);
    for (std::size_t i = 0; i < ref->subscripts.size(); ++i) {
      elsewhere = elsewhere || (i != dimension && uses_variable(ref->subscripts[i], loop.index));
    }
    if (elsewhere) return ref;
    stride = moving->coefficient;
    const Interval reach = range_of(moving->rest, loop_box(*reduction.statement));
    all = all ? hull(*all, reach) : reach;
    return make_ref(ref->tensor, ref->dtype, ref->scope, {});
  };
  const ExprPtr rest = rewrite(reduction.term, without);
  constexpr Wide kLarge = Wide{1} << 40;
  if (elsewhere || !all || stride < 1 || variables_of(*rest).contains(loop.index)) return std::nullopt;
  if (all->low < -kLarge || all->high > kLarge || stride > kLarge) return std::nullopt;
  return Motion{&loop, stride, *all};
}

/// The loop is a subscript of the result by itself, and shows in no other.
bool stands_alone(const Ref& left, const std::string& loop) {
  std::size_t uses = 0;
  std::size_t alone = 0;
  for (const Index& subscript : left.subscripts) {
    uses += uses_variable(subscript, loop) ? 1 : 0;
    alone += subscript == Index::variable(loop) ? 1 : 0;
  }
  return uses == 1 && alone == 1;
}

}  // namespace

std::optional<Windows> find_windows(View& view, const PlacedNest& nest) {
  if (!nest.around.empty()) return std::nullopt;
  const auto reduction = find_reduction(view, nest);
  if (!reduction || !is_float(reduction->left()->dtype) ||
      !std::all_of(reduction->reduced.begin(), reduction->reduced.end(), is_serial)) {
    return std::nullopt;
  }
  for (const std::string& tensor : tensors_of(*reduction->term)) {
    const PlacedNest* maker = maker_of(view, tensor);
    if (!maker || !maker->around.empty() || maker->items[0] >= nest.items[0]) continue;
    auto padding = find_padding(view, *maker);
    if (padding) return Windows{*reduction, *std::move(padding)};
  }
  return std::nullopt;
}

Result<WindowPair, Obstacle> find_window_pair(View& view, const PlacedNest& one, const PlacedNest& other) {
  const auto first = find_windows(view, one);
  const auto second = find_windows(view, other);
  if (!first || !second) return Obstacle{"pair", "no reduction of windows of a padded copy"};
  const std::string& made = first->reduction.left()->tensor;
  const std::string& also_made = second->reduction.left()->tensor;
  WindowPair out{*first, *second, {}};
  const bool apart = one.items[0] < other.items[0] && first->padding.place != second->padding.place &&
                     first->reduction.op == second->reduction.op &&
                     first->reduction.left()->dtype == second->reduction.left()->dtype;
  const ExprPtr term =
      with_tensor(first->reduction.term, first->padding.left()->tensor, second->padding.left()->tensor);
  const bool alike = for_each_renaming(one.nest->loops, other.nest->loops, [&](const LoopNames& names) {
    out.names = names;
    return one.nest->loops.size() == other.nest->loops.size() &&
           equal(*instead(renamed(first->reduction.left(), names), made, also_made), *second->reduction.left()) &&
           same_value(renamed(term, names), second->reduction.term);
  });
  if (!apart || !alike || !pad_alike(first->padding, second->padding)) {
    return Obstacle{"pair", concat(made, " and ", also_made, " are not made in the same way")};
  }
  return out;
}

Result<Border, Obstacle> find_border(const WindowPair& pair, std::int64_t wanted) {
  const auto refuse_window = [](std::string why) { return Obstacle{"window", std::move(why)}; };
  const Padding& padding = pair.first.padding;
  if (wanted < 0 || wanted >= static_cast<std::int64_t>(padding.loops().size())) {
    return refuse_window(concat("there is no dimension ", wanted));
  }
  Border out;
  out.dimension = static_cast<std::size_t>(wanted);
  std::optional<Motion> motion;
  for (const Loop& loop : pair.first.reduction.output) {
    auto found = motion_by(pair.first, out.dimension, loop);
    if (found && stands_alone(*pair.first.reduction.left(), loop.index)) motion = found;
  }
  if (!motion) return refuse_window(concat("no loop of the output alone moves the window along dimension ", wanted));
  if (!is_serial(*motion->loop)) return refuse_window(concat("the loop over ", motion->loop->index, " is not serial"));
  if (!is_serial(padding.loops()[out.dimension]) || !is_serial(pair.second.padding.loops()[out.dimension])) {
    return refuse_window(concat("the loop over dimension ", wanted, " of the copy is not serial"));
  }
  const Padding::Range& range = padding.ranges[out.dimension];
  const std::int64_t stride = motion->stride;
  if (range.count % stride != 0) {
    return Obstacle{"stride", concat("a stride of ", stride, ", which does not divide ", range.count)};
  }
  out.loop = motion->loop->index;
  out.extent = motion->loop->extent;
  out.shift = range.count / stride;
  // i*s+high < p+n, and j*s+low >= p.
  const auto low = static_cast<std::int64_t>(motion->offsets.low);
  const auto high = static_cast<std::int64_t>(motion->offsets.high);
  const std::int64_t end = floor_quotient(range.low + range.count - 1 - high, stride) + 1;
  const std::int64_t begin = -floor_quotient(low - range.low, stride);
  out.first_end = std::clamp<std::int64_t>(end, 0, out.extent);
  out.second_begin = std::clamp<std::int64_t>(begin, 0, out.extent);
  if (out.first_end < 1 || out.second_begin >= out.extent) {
    return Obstacle{"kept", "every element of one of them would have to be corrected"};
  }
  return out;
}

}  // namespace steptp
