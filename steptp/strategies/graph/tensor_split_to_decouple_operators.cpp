/// tensor_split_to_decouple_operators: an operator works on two parts of its operands, one after the other.
///   L^{6}_{a=0}[C_{a}=f(A_{a})]
///     -->   L^{2}_{a=0}[D_{a}=A_{a}]; L^{4}_{a=0}[E_{a}=A_{a+2}]; L^{2}_{a=0}[F_{a}=f(D_{a})];
///     L^{4}_{a=0}[G_{a}=f(E_{a})];
///           L^{2}_{a=0}[C_{a}=F_{a}]; L^{4}_{a=0}[C_{a+2}=G_{a}]
/// Safe because every iteration of the loop is in one part, its operands are copied as they are, and parts of a
/// reduction are combined by its operator, once.
#include <algorithm>

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
    {"cut", Parameter::Kind::integer, "iterations of the loop in the first part"},
};
constexpr Precondition kSafety[] = {
    {Check::fact, "operator",
     "the nest is one equation over data in g that computes something, not from other elements of its result"},
    {Check::fact, "axis", "the loop is in the left subscripts, or the equation accumulates in an order that is free"},
    {Check::fact, "affine", "operands have the index only as multiples in subscripts, and are read unconditionally"},
    {Check::size, "cut", "the cut leaves iterations on both sides, and the loop is not a V loop"},
    {Check::scope, "kernel", "inside a kernel, block loops still enclose all its items, and the parts make no race"},
    {Check::size, "memory", "operands and results have at most 2^31 elements, and subscripts fit"},
};
constexpr const Precondition& kOperator = kSafety[0];
constexpr const Precondition& kAxis = kSafety[1];
constexpr const Precondition& kAffine = kSafety[2];
constexpr const Precondition& kCut = kSafety[3];
constexpr const Precondition& kKernel = kSafety[4];
constexpr const Precondition& kMemory = kSafety[5];
constexpr Component kModifies[] = {Component::expressions, Component::range_adjustments, Component::equations,
                                   Component::variables, Component::index_segments};
constexpr NewElement kIntroduces[] = {NewElement::variables, NewElement::index_calculations, NewElement::expressions};

struct Splitting {
  PlacedLoop at;
  Operator op;
  std::vector<RefPtr> operands;  ///< references with the index in their subscripts, each once
  bool reduces = false;

  [[nodiscard]] const std::string& index() const { return at.loop().index; }
};

std::optional<Refusal> refuse_operand(View& view, const Access& access, const PlacedLoop& at, const Operator& op) {
  const std::string& index = at.loop().index;
  const auto refuse_because = [&](std::string_view why) {
    return Refusal{&kAffine, at.site(), concat(to_text(access.site), why), {{"tensor", access.ref->tensor}}};
  };
  if (!access.conditions.empty()) return refuse_because(" is read under a condition");
  for (const Index& subscript : access.ref->subscripts) {
    if (reads_tensor(subscript)) return refuse_because(" has a subscript that reads a tensor");
    if (!along(subscript, index))
      return refuse_because(concat(" has a subscript in which ", index, " is not a multiple"));
  }
  std::vector<std::int64_t> shape = view.shape_of(access.ref->tensor).dimensions;
  for (const Loop& loop : op.around) shape.push_back(loop.extent);
  if (elements_of(shape, kMaxTensorElements) > kMaxTensorElements) {
    return Refusal{
        &kMemory, at.site(), concat("copies of ", access.ref->tensor, " would have more than 2^31 elements"), {}};
  }
  return std::nullopt;
}

Result<Splitting, Refusal> plan(View& view, const PlacedLoop& at, const Result<Operator, std::string>& op) {
  if (!op) return Refusal{&kOperator, at.site(), op.error(), {}};
  if (at.loop().extent < 2 || at.loop().kind == LoopKind::vectorized) {
    return Refusal{&kCut, at.site(), concat("a ", code(at.loop().kind), " loop of ", at.loop().extent), {}};
  }
  Splitting out{at, *op, {}, !op->output.contains(at.loop().index)};
  if (out.reduces && !is_free_accumulation(*op->statement)) {
    return Refusal{&kAxis, at.site(), concat(out.index(), " is neither an output nor a reduction axis"), {}};
  }
  for (const Access& access : view.table().accesses) {
    if (&view.table().statements[access.statement] != op->statement || access.is_write || access.is_accumulator)
      continue;
    if (!uses_variable(*access.ref, out.index())) continue;
    if (auto refusal = refuse_operand(view, access, at, *op)) return *std::move(refusal);
    const auto same = [&](const RefPtr& other) { return equal(*other, *access.ref); };
    if (std::none_of(out.operands.begin(), out.operands.end(), same)) out.operands.push_back(access.ref);
  }
  if (result_elements(*op, out.index(), at.loop().extent) > kMaxTensorElements) {
    return Refusal{&kMemory, at.site(), "a part of the result would have more than 2^31 elements", {}};
  }
  return out;
}

/// One of the two parts: its operands, its result, and what they are in the program.
struct Half {
  std::int64_t offset = 0;
  std::int64_t extent = 0;
  std::vector<std::string> operands;
  RefPtr result;
};

std::optional<Item> copied(View& view, const Splitting& splitting, const Half& half, std::size_t number) {
  const RefPtr& operand = splitting.operands[number];
  const RefPtr from = moved(operand, splitting.index(), half.offset);
  if (!from) return std::nullopt;
  const RefPtr to = own_ref(splitting.op, half.operands[number], operand->dtype, operand->subscripts);
  return copy_nest(view, splitting.op, to, from, with_extent(splitting.op.nest->loops, splitting.index(), half.extent));
}

/// The right side on copies, which count from 0; whatever else has the index counts from the offset.
ExprPtr right_of(const Splitting& splitting, const Half& half) {
  Rewriter to_copies;
  to_copies.ref = [&](const RefPtr& ref) -> RefPtr {
    for (std::size_t i = 0; i < splitting.operands.size(); ++i) {
      if (!equal(*ref, *splitting.operands[i])) continue;
      return own_ref(splitting.op, half.operands[i], ref->dtype, ref->subscripts);
    }
    return ref;
  };
  ExprPtr right = rewrite(accumulating(splitting.op, half.result), to_copies);
  if (!right || half.offset == 0) return right;
  Rewriter move;
  const auto sum = Index::add(Index::variable(splitting.index()), Index::constant(half.offset));
  if (!sum) return nullptr;
  move.variables.emplace(splitting.index(), *sum);
  move.ref = [&](const RefPtr& ref) -> RefPtr {
    const bool copy = ref->tensor == half.result->tensor ||
                      std::find(half.operands.begin(), half.operands.end(), ref->tensor) != half.operands.end();
    return copy ? moved(ref, splitting.index(), -half.offset) : ref;
  };
  return rewrite(right, move);
}

struct Built {
  std::vector<Item> items;
  std::vector<std::string> tensors;
};

std::optional<Built> build(View& view, const Splitting& splitting, std::int64_t cut) {
  const Operator& op = splitting.op;
  NameSource names = view.fresh_tensors();
  Half halves[2] = {{0, cut, {}, nullptr}, {cut, splitting.at.loop().extent - cut, {}, nullptr}};
  Built out;
  for (std::size_t i = 0; i < splitting.operands.size(); ++i) {
    for (Half& half : halves) out.tensors.push_back(half.operands.emplace_back(names.next()));
  }
  for (Half& half : halves) half.result = result_ref(op, out.tensors.emplace_back(names.next()));
  for (std::size_t i = 0; i < splitting.operands.size(); ++i) {
    for (const Half& half : halves) {
      auto item = copied(view, splitting, half, i);
      if (!item) return std::nullopt;
      out.items.push_back(*std::move(item));
    }
  }
  for (const Half& half : halves) {
    const ExprPtr right = right_of(splitting, half);
    if (!right) return std::nullopt;
    const Equation& old = *op.statement->equation;
    EquationPtr equation = stands_for(make_equation(stands_for(half.result, *old.left), right), old);
    const Item item = under_loops(op, with_extent(op.nest->loops, splitting.index(), half.extent), std::move(equation));
    out.items.emplace_back(stands_for(std::get<NestPtr>(item), *op.nest));
  }
  const RefPtr& left = op.statement->equation->left;
  if (splitting.reduces) {
    const ExprPtr both = combined(op, read_expr(halves[0].result), read_expr(halves[1].result));
    out.items.push_back(under_loops(op, output_loops(op), completed(op, left, both)));
    return out;
  }
  for (const Half& half : halves) {
    const RefPtr to = moved(left, splitting.index(), half.offset);
    if (!to) return std::nullopt;
    out.items.push_back(under_loops(op, with_extent(output_loops(op), splitting.index(), half.extent),
                                    completed(op, to, read_expr(half.result))));
  }
  return out;
}

std::optional<Refusal> refuse_kernel(View& view, const Splitting& splitting, const std::vector<Item>& items) {
  if (splitting.op.around.empty()) return std::nullopt;
  const Program program = with_items(view.program(), splitting.at.nest->items, items);
  const auto conflict = replacement_conflict(view, program, splitting.op);
  return conflict ? std::optional(refuse(kKernel, splitting.at.site(), *conflict)) : std::nullopt;
}

/// One cut stands for all: the parts of another are not longer.
bool allows_cuts(View& view, const Splitting& splitting, Listing& listing) {
  const auto built = build(view, splitting, 1);
  return built && listing.allows(refuse_kernel(view, splitting, built->items));
}

void choices(View& view, Listing& listing) {
  for (const PlacedNest& nest : view.nests()) {
    const auto op = find_operator(view, nest);
    for (std::size_t i = 0; i < nest.nest->loops.size(); ++i) {
      const PlacedLoop at{&nest, i};
      const auto splitting = plan(view, at, op);
      if (!listing.allows(splitting)) continue;
      if (!nest.around.empty() && !allows_cuts(view, *splitting, listing)) continue;
      listing.offer({at.site(), {{"cut", IntegerRange{1, at.loop().extent - 1, {}}}}, false});
    }
  }
}

Result<Applied, Refusal> apply(View& view, const Choice& choice) {
  const auto at = find_loop(view, choice.at);
  if (!at) return at.error();
  const auto splitting = plan(view, *at, find_operator(view, *at->nest));
  if (!splitting) return splitting.error();
  const std::int64_t cut = choice.integer("cut");
  const std::int64_t extent = at->loop().extent;
  if (cut < 1 || cut >= extent) {
    return Refusal{
        &kCut, choice.at, concat("a cut of ", extent, " iterations at ", cut), {{"extent", extent}, {"cut", cut}}};
  }
  auto built = build(view, *splitting, cut);
  if (!built) return Refusal{&kMemory, choice.at, "a subscript would not fit in 64 bits", {}};
  if (auto refusal = refuse_kernel(view, *splitting, built->items)) return *std::move(refusal);
  Applied out;
  out.facts.matched = {{"loop", choice.at}, {"equation", item_site(splitting->op.statement->items)}};
  out.facts.removed = {{"expression", item_site(at->nest->items)}};
  for (std::uint32_t i = 0; i < built->items.size(); ++i) {
    out.facts.added.push_back({"expression", item_site(sibling(at->nest->items, i))});
  }
  out.facts.holds = {{&kOperator, {{"tensor", splitting->op.left().tensor}}},
                     {&kAxis, {{"loop", splitting->index()}, {"reduction", splitting->reduces}}},
                     {&kAffine, {{"operands", static_cast<std::int64_t>(splitting->operands.size())}}},
                     {&kCut, {{"extent", extent}, {"cut", cut}}}};
  std::string tensors;
  for (const std::string& name : built->tensors) append(tensors, tensors.empty() ? "" : ",", name);
  out.facts.values = {{"extent", extent}, {"cut", cut}, {"tensors", tensors}};
  out.facts.because = splitting->reduces
                          ? concat("every value of ", splitting->index(), " enters one part, and both enter the result")
                          : concat("every value of ", splitting->index(), " is in one part, which writes its elements");
  out.program = with_items(view.program(), at->nest->items, std::move(built->items));
  return out;
}

}  // namespace

const Strategy& tensor_split_to_decouple_operators_strategy() {
  static constexpr Strategy kStrategy = {
      "tensor_split_to_decouple_operators",
      Level::graph,
      "an operator works on two parts of its operands, one after the other",
      "C_{a}=f(A_{a})   -->   D_{a}=A_{a}; E_{a}=A_{a+2}; F_{a}=f(D_{a}); G_{a}=f(E_{a}); C_{a}=F_{a}; C_{a+2}=G_{a}",
      "every iteration of the loop is in one part, its operands are copied as they are, and parts of a reduction are "
      "combined by its operator, once",
      "tensor_concat_to_fuse_operators",
      {"@input A f32[8,6]\n@output C f32[8,6]\n"
       "B^{8}_{tx=0}L^{6}_{a=0}[C^{f32,g}_{tx,a}=exp(A^{f32,g}_{tx,a});];\n",
       R"({"at":"0:loop[1]","cut":2})"},
      kParameters,
      {},
      kSafety,
      kModifies,
      kIntroduces,
      choices,
      apply,
  };
  return kStrategy;
}

}  // namespace steptp
