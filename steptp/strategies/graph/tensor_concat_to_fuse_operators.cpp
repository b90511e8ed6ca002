/// tensor_concat_to_fuse_operators: two operators that do the same to different operands work on both at once.
///   L^{6}_{a=0}[D_{a}=f(A_{a})]; L^{4}_{a=0}[E_{a}=f(C_{a})]
///     -->   L^{6}_{a=0}[F_{a}=A_{a}]; L^{4}_{a=0}[F_{a+6}=C_{a}]; L^{10}_{a=0}[G_{a}=f(F_{a})];
///           L^{6}_{a=0}[D_{a}=G_{a}]; L^{4}_{a=0}[E_{a}=G_{a+6}]
/// Safe because the operators do not touch each other's results, differ only in operands that follow the loop, and
/// these lie behind each other without overlapping.
/// More than 400 lines, because a strategy is one file.
#include <algorithm>

#include "steptp/analysis/device.h"
#include "steptp/analysis/interval.h"
#include "steptp/base/text.h"
#include "steptp/strategies/expressions.h"
#include "steptp/strategies/layouts.h"
#include "steptp/strategies/legality.h"
#include "steptp/strategies/loops.h"
#include "steptp/strategies/origins.h"
#include "steptp/strategies/pieces.h"

namespace steptp {

namespace {

constexpr Parameter kParameters[] = {
    {"loop", Parameter::Kind::integer, "along which loop of the header, counted from 0, the operands are put together"},
};
constexpr Precondition kPublished[] = {
    {Check::dependency, "independent", "neither nest touches what the other writes"},
    {Check::operation_identity, "same-operator",
     "the nest behind has the same loops but for one extent, and the same operations; operands that do not "
     "follow "
     "the loop are the same"},
};
constexpr Precondition kSafety[] = {
    {Check::fact, "operator",
     "both nests are one equation over data in g that computes something, not from other elements of its result"},
    {Check::fact, "output-axis", "the loop is an output axis of both, no V loop, and its index is no value"},
    {Check::fact, "separate",
     "operands have the index only as multiples in subscripts, once without a window around it, and are read "
     "unconditionally"},
    {Check::launch, "launch",
     "a loop over threads stays within the device's limits, and inside a kernel the new nests make no race"},
    {Check::size, "memory", "operands and results have at most 2^31 elements, and subscripts fit"},
};
constexpr const Precondition& kIndependent = kPublished[0];
constexpr const Precondition& kSameOperator = kPublished[1];
constexpr const Precondition& kOperator = kSafety[0];
constexpr const Precondition& kOutputAxis = kSafety[1];
constexpr const Precondition& kSeparate = kSafety[2];
constexpr const Precondition& kLaunch = kSafety[3];
constexpr const Precondition& kMemory = kSafety[4];
constexpr Component kModifies[] = {Component::expressions, Component::range_adjustments, Component::equations,
                                   Component::variables, Component::index_segments};
constexpr NewElement kIntroduces[] = {NewElement::variables, NewElement::index_calculations, NewElement::expressions};

/// The second operator is in the names of the first's loops.
struct Pair {
  Operator first;
  Operator second;
  RefPtr second_left;
  ExprPtr second_right;
};

struct Operands {
  RefPtr first;
  RefPtr second;
};

/// Where operands stand in the right side. One tensor of the first operator may stand for two of the second.
struct Use {
  std::vector<std::uint32_t> path;
  std::size_t operands = 0;  ///< their number
};

struct Concatenation {
  Pair pair;
  std::size_t position = 0;
  std::vector<Operands> operands;
  std::vector<Use> uses;

  [[nodiscard]] const Loop& loop() const { return pair.first.nest->loops[position]; }
  [[nodiscard]] std::int64_t other() const { return pair.second.nest->loops[position].extent; }
};

Result<Pair, Refusal> find_pair(View& view, const Site& site) {
  const auto nest = nest_at(view, site);
  if (!nest) return nest.error();
  const PlacedNest* behind = view.find_nest(sibling(site.items, 1));
  if (!behind) return Refusal{&kSameOperator, site, "no nest follows", {}};
  const auto first = find_operator(view, **nest);
  if (!first) return Refusal{&kOperator, site, first.error(), {}};
  const auto second = find_operator(view, *behind);
  if (!second) return Refusal{&kOperator, item_site(behind->items), second.error(), {}};
  Pair out{*first, *second, nullptr, nullptr};
  const std::vector<Loop>& one = first->nest->loops;
  const std::vector<Loop>& other = second->nest->loops;
  const auto alike = [](const Loop& a, const Loop& b) {
    return a.kind == b.kind && axis_of(a.index) == axis_of(b.index);
  };
  if (!std::equal(one.begin(), one.end(), other.begin(), other.end(), alike)) {
    return Refusal{&kSameOperator, site, "the loops differ in number, kind or axis", {}};
  }
  Rewriter rename;
  for (std::size_t i = 0; i < one.size(); ++i) {
    rename.variables.emplace(other[i].index, Index::variable(one[i].index));
  }
  out.second_left = rewrite(second->statement->equation->left, rename);
  out.second_right = rewrite(second->right(), rename);
  if (first->statement->accumulates != second->statement->accumulates || first->left().dtype != second->left().dtype) {
    return Refusal{&kSameOperator, site, "the results differ in dtype or in the way they accumulate", {}};
  }
  return out;
}

std::optional<Refusal> refuse_dependence(View& view, const Pair& pair) {
  const std::vector<std::uint32_t>& items = pair.first.place->items;
  const auto conflict = exchange_conflict(view, items, pair.second.place->items);
  return conflict ? std::optional(refuse(kIndependent, item_site(items), *conflict)) : std::nullopt;
}

/// Two right sides side by side.
class Comparison {
 public:
  Comparison(View& view, const Concatenation& of) : view_(view), of_(of), index_(of.loop().index) {}

  std::optional<Refusal> compare(const ExprPtr& a, const ExprPtr& b, bool conditional) {
    const auto* read = std::get_if<Read>(&a->node);
    const auto* other = std::get_if<Read>(&b->node);
    if (read && other) return compare(read->ref, other->ref, conditional);
    const auto* value = std::get_if<IndexValue>(&a->node);
    if (value && value->index == index_) return because(kOutputAxis, concat(index_, " is a value"));
    if (a->node.index() != b->node.index() || child_count(*a) != child_count(*b)) return differ();
    if (child_count(*a) == 0) return equal(*a, *b) ? std::nullopt : differ();
    // The same node around the children of the other: operators and functions agree.
    std::vector<ExprPtr> parts;
    for (std::size_t i = 0; i < child_count(*a); ++i) parts.push_back(child(*a, i));
    if (!equal(*with_children(b, parts), *a)) return differ();
    const bool select = std::holds_alternative<Select>(a->node);
    for (std::size_t i = 0; i < child_count(*a); ++i) {
      path_.push_back(static_cast<std::uint32_t>(i));
      if (auto refusal = compare(child(*a, i), child(*b, i), conditional || (select && i > 0))) return refusal;
      path_.pop_back();
    }
    return std::nullopt;
  }

  std::vector<Operands> operands;
  std::vector<Use> uses;

 private:
  [[nodiscard]] Refusal because(const Precondition& precondition, std::string why) const {
    return {&precondition, item_site(of_.pair.first.place->items), std::move(why), {}};
  }
  [[nodiscard]] std::optional<Refusal> differ() const { return because(kSameOperator, "the operations differ"); }

  std::optional<Refusal> compare(const RefPtr& a, const RefPtr& b, bool conditional) {
    if (of_.pair.first.statement->accumulates && equal(*a, of_.pair.first.left())) {
      return equal(*b, *of_.pair.second_left) ? std::nullopt : differ();
    }
    if (!uses_variable(*a, index_) && !uses_variable(*b, index_)) {
      if (equal(*a, *b)) return std::nullopt;
      return because(kSameOperator, concat(a->tensor, " and ", b->tensor, " do not follow ", index_, " and differ"));
    }
    if (a->dtype != b->dtype || a->subscripts != b->subscripts) {
      return because(kSameOperator, concat(a->tensor, " and ", b->tensor, " differ in dtype or subscripts"));
    }
    if (auto refusal = refuse_together(*a, conditional)) return refusal;
    for (const RefPtr& ref : {a, b}) {
      std::vector<std::int64_t> shape = view_.shape_of(ref->tensor).dimensions;
      for (const Loop& loop : of_.pair.first.around) shape.push_back(loop.extent);
      if (elements_of(shape, kMaxTensorElements / 2) > kMaxTensorElements / 2) {
        return because(kMemory, concat("two tensors like ", ref->tensor, " have more than 2^31 elements"));
      }
    }
    const auto same = [&](const Operands& known) { return equal(*known.first, *a) && equal(*known.second, *b); };
    const auto known = std::find_if(operands.begin(), operands.end(), same);
    uses.push_back({path_, static_cast<std::size_t>(known - operands.begin())});
    if (known == operands.end()) operands.push_back({a, b});
    return std::nullopt;
  }

  /// Copied behind each other the parts do not overlap: in one dimension, each value of the index has subscripts of
  /// its own.
  std::optional<Refusal> refuse_together(const Ref& ref, bool conditional) const {
    if (conditional) return because(kSeparate, concat(ref.tensor, " is read under a condition"));
    Ranges ranges;
    for (const Loop& loop : of_.pair.first.nest->loops) {
      ranges.variables[loop.index] = {0, static_cast<Wide>(loop.extent) - 1};
    }
    bool separate = false;
    for (const Index& subscript : ref.subscripts) {
      const auto parts = along(subscript, index_);
      if (reads_tensor(subscript) || !parts) {
        return because(kSeparate, concat("a subscript of ", ref.tensor, " is not made of multiples"));
      }
      const Interval rest = range_of(parts->rest, ranges);
      separate = separate || (parts->coefficient > 0 && rest.low >= 0 && rest.high < parts->coefficient);
    }
    if (separate) return std::nullopt;
    return because(kSeparate, concat("parts of ", ref.tensor, " would overlap"));
  }

  View& view_;
  const Concatenation& of_;
  const std::string& index_;
  std::vector<std::uint32_t> path_;
};

std::optional<Refusal> refuse_launch(const Concatenation& of, const Site& site) {
  const auto axis = axis_of(of.loop().index);
  if (!axis) return std::nullopt;
  const Device& device = default_device();
  const std::int64_t extent = of.loop().extent + of.other();
  const auto number = static_cast<std::size_t>(*axis);
  std::int64_t limit = is_thread_axis(*axis) ? device.block[number - 3] : device.grid[number];
  for (const Loop& loop : of.pair.first.nest->loops) {
    const auto other = axis_of(loop.index);
    if (is_thread_axis(*axis) && other && other != axis && is_thread_axis(*other)) {
      limit = std::min(limit, device.threads / loop.extent);
    }
  }
  if (extent <= limit) return std::nullopt;
  return Refusal{&kLaunch,
                 site,
                 concat(extent, " iterations over ", name_of(*axis), ", which has at most ", limit),
                 {{"extent", extent}, {"limit", limit}}};
}

Result<Concatenation, Refusal> plan(View& view, const Pair& pair, const Site& site, std::int64_t wanted) {
  const std::vector<Loop>& one = pair.first.nest->loops;
  const std::vector<Loop>& other = pair.second.nest->loops;
  if (wanted < 0 || wanted >= static_cast<std::int64_t>(one.size())) {
    return Refusal{&kChoice, site, concat("the header has ", one.size(), " loops, counted from 0"), {}};
  }
  Concatenation out{pair, static_cast<std::size_t>(wanted), {}, {}};
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (i == out.position || one[i].extent == other[i].extent) continue;
    return Refusal{&kSameOperator, site, concat(one[i].index, " has other extents"), {{"loop", one[i].index}}};
  }
  const auto is_output = [&](const Operator& op, const std::vector<Loop>& loops) {
    return op.output.contains(loops[out.position].index);
  };
  if (!is_output(pair.first, one) || !is_output(pair.second, other) || out.loop().kind == LoopKind::vectorized) {
    return Refusal{&kOutputAxis, site, concat(out.loop().index, " is no output axis of both, or a V loop"), {}};
  }
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (pair.first.output.contains(one[i].index) == pair.second.output.contains(other[i].index)) continue;
    return Refusal{&kSameOperator, site, "the results have other axes", {{"loop", one[i].index}}};
  }
  if (auto refusal = refuse_launch(out, site)) return *std::move(refusal);
  Comparison comparison(view, out);
  if (auto refusal = comparison.compare(pair.first.right(), pair.second_right, false)) return *std::move(refusal);
  if (result_elements(pair.first, out.loop().index, out.loop().extent + out.other()) > kMaxTensorElements) {
    return Refusal{&kMemory, site, "the result would have more than 2^31 elements", {}};
  }
  out.operands = std::move(comparison.operands);
  out.uses = std::move(comparison.uses);
  return out;
}

struct Built {
  std::vector<Item> items;
  std::vector<std::string> tensors;
};

/// The equation on both operands, and its nest: they stand for those of the two operators.
EquationPtr both(const Concatenation& of, const RefPtr& result, ExprPtr right) {
  const Equation& first = *of.pair.first.statement->equation;
  const Equation& second = *of.pair.second.statement->equation;
  const std::vector<ExprPtr> old = {first.right, of.pair.second_right};
  RefPtr left = stands_for(stands_for(result, *first.left), *second.left);
  EquationPtr made = make_equation(std::move(left), reads_stand_for(std::move(right), old));
  return stands_for(stands_for(std::move(made), first), second);
}
NestPtr both(const Concatenation& of, NestPtr made) {
  const Nest& second = *of.pair.second.nest;
  std::map<std::string, std::string> names;
  for (std::size_t i = 0; i < second.loops.size(); ++i) {
    names.emplace(second.loops[i].index, of.pair.first.nest->loops[i].index);
  }
  return stands_for(stands_for(std::move(made), *of.pair.first.nest), second, names);
}

std::optional<Built> build(View& view, const Concatenation& of) {
  const Operator& first = of.pair.first;
  const std::string& index = of.loop().index;
  const std::int64_t extent = of.loop().extent;
  const std::vector<Loop> other = with_extent(first.nest->loops, index, of.other());
  NameSource names = view.fresh_tensors();
  Built out;
  for (const Operands& operands : of.operands) {
    const RefPtr to =
        own_ref(first, out.tensors.emplace_back(names.next()), operands.first->dtype, operands.first->subscripts);
    const RefPtr behind = moved(to, index, extent);
    if (!behind) return std::nullopt;
    out.items.push_back(copy_nest(view, first, to, operands.first, first.nest->loops));
    out.items.push_back(copy_nest(view, first, behind, operands.second, other));
  }
  const RefPtr result = result_ref(first, names.next());
  ExprPtr right = accumulating(first, result);
  for (const Use& use : of.uses) {
    const Ref& ref = *of.operands[use.operands].first;
    right = with_part(right, use.path, read_expr(own_ref(first, out.tensors[use.operands], ref.dtype, ref.subscripts)));
  }
  const auto add = [&](std::vector<Loop> loops, EquationPtr equation) {
    out.items.emplace_back(make_nest(std::move(loops), nullptr, {std::move(equation)}));
  };
  out.items.emplace_back(both(of, make_nest(with_extent(first.nest->loops, index, extent + of.other()), nullptr,
                                            {both(of, result, std::move(right))})));
  add(output_loops(first), completed(first, first.statement->equation->left, read_expr(result)));
  const RefPtr behind = moved(result, index, extent);
  if (!behind) return std::nullopt;
  add(with_extent(output_loops(first), index, of.other()),
      completed(of.pair.second, of.pair.second_left, read_expr(behind)));
  out.tensors.push_back(result->tensor);
  return out;
}

Program replaced(View& view, const Pair& pair, std::vector<Item> items) {
  const Program program = with_items(view.program(), pair.second.place->items, {});
  return with_items(program, pair.first.place->items, std::move(items));
}

std::optional<Refusal> refuse_result(View& view, const Pair& pair, const Program& program) {
  const auto conflict = replacement_conflict(view, program, pair.first);
  return conflict ? std::optional(refuse(kLaunch, item_site(pair.first.place->items), *conflict)) : std::nullopt;
}

bool allows_result(View& view, const Concatenation& of, Listing& listing) {
  if (of.pair.first.around.empty()) return true;
  auto built = build(view, of);
  return built && listing.allows(refuse_result(view, of.pair, replaced(view, of.pair, std::move(built->items))));
}

void choices(View& view, Listing& listing) {
  for (const PlacedNest& nest : view.nests()) {
    const Site site = item_site(nest.items);
    const auto pair = find_pair(view, site);
    if (!listing.allows(pair)) continue;
    std::vector<std::int64_t> loops;
    for (std::size_t k = 0; k < pair->first.nest->loops.size(); ++k) {
      const auto planned = plan(view, *pair, site, static_cast<std::int64_t>(k));
      if (listing.allows(planned) && allows_result(view, *planned, listing)) {
        loops.push_back(static_cast<std::int64_t>(k));
      }
    }
    if (loops.empty()) continue;
    if (listing.allows(refuse_dependence(view, *pair))) listing.offer({site, {{"loop", std::move(loops)}}, false});
  }
}

Result<Applied, Refusal> apply(View& view, const Choice& choice) {
  const auto pair = find_pair(view, choice.at);
  if (!pair) return pair.error();
  const auto concatenation = plan(view, *pair, choice.at, choice.integer("loop"));
  if (!concatenation) return concatenation.error();
  if (auto refusal = refuse_dependence(view, *pair)) return *std::move(refusal);
  auto built = build(view, *concatenation);
  if (!built) return Refusal{&kMemory, choice.at, "a subscript would not fit in 64 bits", {}};
  Applied out;
  const auto count = static_cast<std::uint32_t>(built->items.size());
  out.program = replaced(view, *pair, std::move(built->items));
  if (auto refusal = refuse_result(view, *pair, out.program)) return *std::move(refusal);
  out.facts.matched = {{"expression", choice.at}, {"expression", item_site(pair->second.place->items)}};
  out.facts.removed = out.facts.matched;
  for (std::uint32_t i = 0; i < count; ++i) {
    out.facts.added.push_back({"expression", item_site(sibling(choice.at.items, i))});
  }
  const std::int64_t extent = concatenation->loop().extent;
  out.facts.holds = {{&kIndependent, {}},
                     {&kSameOperator, {}},
                     {&kOutputAxis, {{"loop", concatenation->loop().index}}},
                     {&kSeparate, {{"operands", static_cast<std::int64_t>(concatenation->operands.size())}}}};
  std::string tensors;
  for (const std::string& name : built->tensors) append(tensors, tensors.empty() ? "" : ",", name);
  out.facts.values = {{"first", extent}, {"second", concatenation->other()}, {"tensors", tensors}};
  out.facts.because = concat("values of ", concatenation->loop().index, " below ", extent,
                             " are the first operator's, the others the second's, and no element belongs to both");
  return out;
}

}  // namespace

const Strategy& tensor_concat_to_fuse_operators_strategy() {
  static constexpr Strategy kStrategy = {
      "tensor_concat_to_fuse_operators",
      Level::graph,
      "two operators that do the same to different operands work on both at once",
      "D_{a}=f(A_{a}); E_{a}=f(C_{a})   -->   F_{a}=A_{a}; F_{a+6}=C_{a}; G_{a}=f(F_{a}); D_{a}=G_{a}; E_{a}=G_{a+6}",
      "the operators do not touch each other's results, differ only in operands that follow the loop, and these lie "
      "behind each other without overlapping",
      "tensor_split_to_decouple_operators",
      {"@input A f32[8,6]\n@input C f32[8,4]\n@output D f32[8,6]\n@output E f32[8,4]\n"
       "B^{8}_{tx=0}L^{6}_{a=0}[D^{f32,g}_{tx,a}=exp(A^{f32,g}_{tx,a});];"
       "B^{8}_{tx=0}L^{4}_{a=0}[E^{f32,g}_{tx,a}=exp(C^{f32,g}_{tx,a});];\n",
       R"({"at":"0","loop":1})"},
      kParameters,
      kPublished,
      kSafety,
      kModifies,
      kIntroduces,
      choices,
      apply,
  };
  return kStrategy;
}

}  // namespace steptp
