// The part of a tensor that some accesses touch while the outer loops stand still, as a box. Each subscript is split
// into what stands still and what moves; the moving parts of all uses must differ by constants only. Where a sum of
// loops leaves gaps (a*64+c with c<4), the copy gets one dimension for each loop, so that it has no gaps. Decision
// 0018.
#include "steptp/strategies/footprint.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "steptp/analysis/box_search.h"
#include "steptp/analysis/interval.h"
#include "steptp/base/text.h"

namespace steptp {

namespace {

/// The term with another coefficient.
std::optional<Index> term_index(const IndexTerm& term, std::int64_t coefficient) {
  std::optional<Index> product = Index::constant(coefficient);
  for (const IndexAtom& factor : term.factors) {
    struct Visitor {
      std::optional<Index> operator()(const LoopVariable& v) const { return Index::variable(v.name); }
      std::optional<Index> operator()(const FloorQuotient& n) const {
        return Index::floor_divide(*n.dividend, *n.divisor);
      }
      std::optional<Index> operator()(const FloorRemainder& n) const { return Index::modulo(*n.dividend, *n.divisor); }
      std::optional<Index> operator()(const IndirectRead& n) const { return Index::read(n.ref); }
    };
    const auto value = std::visit(Visitor{}, factor);
    if (!value || !product) return std::nullopt;
    product = Index::multiply(*product, *value);
  }
  return product;
}

bool moves(const IndexTerm& term, const Index& value, const std::set<std::string>& still) {
  const auto* loop = term.factors.size() == 1 ? std::get_if<LoopVariable>(&term.factors[0]) : nullptr;
  if (loop) return !still.contains(loop->name);
  bool found = false;
  for_each_variable(value, [&](const std::string& name) { found = found || !still.contains(name); });
  return found;
}

/// The index divided by a number that divides all its coefficients.
std::optional<Index> divided(const Index& index, std::int64_t by) {
  if (by == 1) return index;
  std::optional<Index> sum = Index::constant(index.constant_term() / by);
  for (const IndexTerm& term : index.terms()) {
    const auto next = term_index(term, term.coefficient / by);
    sum = sum && next ? Index::add(*sum, *next) : std::nullopt;
    if (!sum) return std::nullopt;
  }
  return sum;
}

std::int64_t common_divisor(std::int64_t a, std::int64_t b) {
  if (a == INT64_MIN || b == INT64_MIN) return 1;
  return std::gcd(a, b);
}

struct Parts {
  Index still;   ///< without a constant
  Index moving;  ///< without a constant
  std::int64_t constant = 0;
  std::int64_t divisor = 0;  ///< of the moving coefficients
};

std::optional<Parts> parts_of(const Index& index, const std::set<std::string>& still) {
  Parts parts;
  parts.constant = index.constant_term();
  for (const IndexTerm& term : index.terms()) {
    const auto value = term_index(term, term.coefficient);
    if (!value || reads_tensor(*value)) return std::nullopt;
    const bool moving = moves(term, *value, still);
    if (moving) parts.divisor = common_divisor(parts.divisor, term.coefficient);
    Index& side = moving ? parts.moving : parts.still;
    auto sum = Index::add(side, *value);
    if (!sum) return std::nullopt;
    side = *std::move(sum);
  }
  return parts;
}

/// A use's subscript in its parts, and the values of the loops around it.
struct SplitUse {
  Parts parts;
  const Ranges* box = nullptr;
};

/// Where the moving part of all uses is the same sum of multiples of loops, and different iterations have different
/// values: a part for each loop, the largest step first.
std::vector<FootprintPart> parts_by_loop(const std::vector<SplitUse>& uses) {
  std::vector<FootprintPart> out;
  const Parts& first = uses[0].parts;
  if (first.moving.terms().size() < 2) return out;  // one loop alone leaves no gaps
  for (const SplitUse& use : uses) {
    if (!(use.parts.moving == first.moving) || use.parts.constant != first.constant) return {};
  }
  for (const IndexTerm& term : first.moving.terms()) {
    const auto* loop = term.factors.size() == 1 ? std::get_if<LoopVariable>(&term.factors[0]) : nullptr;
    if (!loop || term.coefficient < 1) return {};
    const Interval range = uses[0].box->variables.find(loop->name)->second;
    if (range.high < 1 || range.high > INT32_MAX) return {};
    for (const SplitUse& use : uses) {
      const auto same = use.box->variables.find(loop->name);
      if (same == use.box->variables.end() || !(same->second == range)) return {};
    }
    out.push_back({term.coefficient, static_cast<std::int64_t>(range.high) + 1});
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.step > b.step; });
  Wide reach = 0;
  for (std::size_t i = out.size(); i-- > 0;) {
    if (out[i].step <= reach) return {};
    reach += static_cast<Wide>(out[i].step) * (out[i].extent - 1);
  }
  return out;
}

/// The same where loops that run once are 0, as they are.
Index without_single_loops(const Index& index, const Ranges& box) {
  IndexRewriter rewriter;
  rewriter.variable = [&](const std::string& name) -> std::optional<Index> {
    const auto range = box.variables.find(name);
    const bool is_zero = range != box.variables.end() && range->second == Interval{0, 0};
    return is_zero ? std::optional<Index>(Index()) : std::nullopt;
  };
  return rewrite(index, rewriter).value_or(index);
}

/// Whether what stands still is the same in all uses. Of one element, some uses may have the number 0 and others a loop
/// that runs once.
bool stand_still_alike(std::vector<SplitUse>& uses) {
  const auto alike = [&] {
    return std::all_of(uses.begin(), uses.end(),
                       [&](const SplitUse& use) { return use.parts.still == uses[0].parts.still; });
  };
  if (alike()) return true;
  for (SplitUse& use : uses) use.parts.still = without_single_loops(use.parts.still, *use.box);
  return alike();
}

/// One dimension from the same subscript of all uses; boxes: of the loops around each.
Result<FootprintDimension, std::string> dimension_of(const std::vector<SubscriptUse>& uses,
                                                     const std::vector<Ranges>& boxes, std::size_t number,
                                                     const std::set<std::string>& still) {
  std::vector<SplitUse> splits;
  std::optional<Interval> all;
  std::int64_t step = 0;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    auto found = parts_of(uses[i].subscripts[number], still);
    if (!found) return concat("subscript ", number, " reads a tensor or does not fit");
    splits.push_back({*std::move(found), &boxes[i]});
    const Parts& first = splits[0].parts;
    const Parts& parts = splits.back().parts;
    const Interval range = range_of(parts.moving, boxes[i]) + Interval{parts.constant, parts.constant};
    if (!uses[i].is_inside) all = all ? hull(*all, range) : range;
    step = common_divisor(step, parts.divisor);
    const Wide apart = static_cast<Wide>(parts.constant) - first.constant;
    if (apart > INT64_MAX || apart < -INT64_MAX) return concat("subscript ", number, " is wide");
    step = common_divisor(step, static_cast<std::int64_t>(apart));
  }
  if (!stand_still_alike(splits)) {
    return concat("uses have different parts in subscript ", number, " that stand still");
  }
  FootprintDimension out;
  const auto fixed = all->low < INT64_MIN || all->low > INT64_MAX
                         ? std::nullopt
                         : Index::add(splits[0].parts.still, Index::constant(static_cast<std::int64_t>(all->low)));
  step = std::max<std::int64_t>(step, 1);
  const Wide extent = (all->high - all->low) / step + 1;
  if (!fixed || extent > INT64_MAX) return concat("subscript ", number, " does not fit");
  out.fixed = *fixed;
  if (extent > 1) out.parts = {{step, static_cast<std::int64_t>(extent)}};
  std::vector<FootprintPart> loops = parts_by_loop(splits);
  Wide elements = 1;
  for (const FootprintPart& part : loops) elements *= part.extent;
  if (!loops.empty() && elements < extent) out.parts = std::move(loops);
  return out;
}

/// The loop that an index has with this coefficient.
std::optional<Index> term_with(const Index& index, std::int64_t coefficient) {
  for (const IndexTerm& term : index.terms()) {
    if (term.coefficient == coefficient) return term_index(term, 1);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<Index>> Footprint::inside(const std::vector<Index>& subscripts) const {
  if (points) return subscripts == points->subscripts ? points->points.places() : std::nullopt;
  std::vector<Index> out;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    const FootprintDimension& dimension = dimensions[i];
    if (dimension.parts.empty()) continue;
    const auto rest = Index::subtract(subscripts[i], dimension.fixed);
    if (!rest) return std::nullopt;
    for (const FootprintPart& part : dimension.parts) {
      auto place = dimension.parts.size() == 1 ? divided(*rest, part.step) : term_with(*rest, part.step);
      if (!place) return std::nullopt;
      out.push_back(*std::move(place));
    }
  }
  return out;
}

std::optional<std::vector<Index>> Footprint::outside(const std::vector<Index>& point) const {
  std::vector<Index> out;
  if (points) {
    for (const Index& subscript : points->subscripts) {
      auto value = points->points.at(subscript, point);
      if (!value) return std::nullopt;
      out.push_back(*std::move(value));
    }
    return out;
  }
  std::size_t next = 0;
  for (const FootprintDimension& dimension : dimensions) {
    std::optional<Index> subscript = dimension.fixed;
    for (const FootprintPart& part : dimension.parts) {
      const auto scaled = Index::multiply(point[next++], Index::constant(part.step));
      subscript = subscript && scaled ? Index::add(*subscript, *scaled) : std::nullopt;
    }
    if (!subscript) return std::nullopt;
    out.push_back(*std::move(subscript));
  }
  return out;
}

std::vector<std::int64_t> Footprint::extents() const {
  if (points) return points->points.extents();
  std::vector<std::int64_t> out;
  for (const FootprintDimension& dimension : dimensions) {
    for (const FootprintPart& part : dimension.parts) out.push_back(part.extent);
  }
  return out;
}

Result<Footprint, std::string> footprint_of(const std::vector<SubscriptUse>& uses, const std::set<std::string>& still) {
  Footprint out;
  std::vector<Ranges> boxes;
  for (const SubscriptUse& use : uses) boxes.push_back(loop_box(*use.statement));
  for (std::size_t i = 0; i < uses[0].subscripts.size(); ++i) {
    auto dimension = dimension_of(uses, boxes, i, still);
    if (!dimension) return dimension.error();
    out.dimensions.push_back(*std::move(dimension));
  }
  return out;
}

Result<Footprint, std::string> point_footprint_of(const std::vector<SubscriptUse>& uses,
                                                  const std::set<std::string>& still) {
  MovingPoints points(still, true);
  for (const SubscriptUse& use : uses) {
    if (!(use.subscripts == uses[0].subscripts)) return std::string("uses have different subscripts");
    const Ranges box = loop_box(*use.statement);
    for (std::size_t i = 0; i < use.subscripts.size(); ++i) {
      if (points.note(use.subscripts[i], box)) continue;
      return concat("subscript ", i, " reads a tensor, multiplies what moves, or does not fit");
    }
  }
  Footprint out;
  out.points = PointFootprint{uses[0].subscripts, std::move(points)};
  return out;
}

std::optional<MovingIndex> split_moving(const Index& index, const std::set<std::string>& still) {
  const auto parts = parts_of(index, still);
  if (!parts) return std::nullopt;
  MovingIndex out{parts->still, {}, parts->divisor, parts->constant};
  if (out.factor == 0) return out;
  if (parts->moving.sorted().terms()[0].coefficient < 0) out.factor = -out.factor;
  auto moving = divided(parts->moving, out.factor);
  if (!moving) return std::nullopt;
  out.moving = *std::move(moving);
  return out;
}

}  // namespace steptp
