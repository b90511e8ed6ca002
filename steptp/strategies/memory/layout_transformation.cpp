/// layout_transformation: an expression reads a copy of an operand that lies in memory in another order.
///   D=f(C_{c,a});   -->   E_{a,c}=C_{c,a}; D=f(E_{a,c});
/// Safe because the copy has a place for every element of the operand, no two the same, and is made when the operand
/// has its last value.
#include <algorithm>

#include "steptp/analysis/index_map.h"
#include "steptp/base/text.h"
#include "steptp/strategies/expressions.h"
#include "steptp/strategies/layouts.h"
#include "steptp/strategies/lifetimes.h"
#include "steptp/strategies/loops.h"
#include "steptp/strategies/origins.h"

namespace steptp {

namespace {

constexpr Parameter kParameters[] = {
    {"tensor", Parameter::Kind::word, "the operand"},
    kFormParameter,
    kDimensionsParameter,
    kNumberParameter,
};
constexpr Precondition kSafety[] = {
    {Check::fact, "operand", "the expression reads the tensor, and does something else than copying"},
    {Check::order, "complete",
     "every element of the tensor has a value before the expression, and none is written in it or later"},
    {Check::size, "fits", "the shape has the dimensions that the form wants, and the copy takes at most 2^31 places"},
};
constexpr const Precondition& kOperand = kSafety[0];
constexpr const Precondition& kComplete = kSafety[1];
constexpr const Precondition& kFits = kSafety[2];
constexpr Component kModifies[] = {Component::expressions, Component::variables, Component::index_segments};
constexpr NewElement kIntroduces[] = {NewElement::variables, NewElement::index_calculations, NewElement::expressions};

/// The reads of a tensor in a top-level expression.
struct Operand {
  std::uint32_t expression = 0;
  std::string tensor;
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;
  std::vector<const Access*> reads;
};

bool only_copies(View& view, std::uint32_t expression) {
  const std::vector<Statement>& statements = view.table().statements;
  return std::all_of(statements.begin(), statements.end(), [&](const Statement& statement) {
    return statement.items[0] != expression || std::holds_alternative<Read>(statement.equation->right->node);
  });
}

Result<Operand, Refusal> find_operand(View& view, const Site& site, const std::string& tensor) {
  const auto expression = expression_at(view, site);
  if (!expression) return expression.error();
  Operand out{*expression, tensor, DType::f32, {}, {}};
  const AccessTable& table = view.table();
  const auto facts = table.tensors.find(tensor);
  if (facts != table.tensors.end()) {
    for (const std::size_t number : facts->second.reads) {
      const Access& read = table.accesses[number];
      if (table.statements[read.statement].items[0] == out.expression) out.reads.push_back(&read);
    }
  }
  if (out.reads.empty()) return Refusal{&kOperand, site, concat("the expression does not read ", tensor), {}};
  if (only_copies(view, out.expression)) return Refusal{&kOperand, site, "the expression only copies", {}};
  if (!is_complete(view, tensor, out.expression)) {
    return Refusal{&kComplete, site, concat(tensor, " is not complete before the expression"), {{"tensor", tensor}}};
  }
  out.dtype = facts->second.dtype;
  out.shape = view.shape_of(tensor).dimensions;
  if (elements_of(out.shape, kMaxTensorElements) > kMaxTensorElements) {
    return Refusal{&kFits, site, concat(tensor, " has more than 2^31 elements"), {{"tensor", tensor}}};
  }
  return out;
}

std::optional<std::vector<Index>> placed(const Operand& operand, const Layout& layout,
                                         const std::vector<Index>& subscripts, const std::vector<BoxVariable>& box) {
  auto out = mapped(layout, operand.shape, subscripts);
  if (!out) return std::nullopt;
  for (Index& subscript : *out) subscript = simplified(subscript, box);
  return out;
}

std::vector<BoxVariable> box_of(const std::vector<Loop>& loops) {
  std::vector<BoxVariable> box;
  box.reserve(loops.size());
  for (const Loop& loop : loops) box.push_back({loop.index, loop.extent});
  return box;
}

/// The copying nest. A dimension that is split without a rest is copied in two loops, so that no quotient is needed.
std::optional<Item> copy_nest(const Operand& operand, const Layout& layout, const std::string& copy) {
  const bool in_two = layout.form == Layout::Form::split && operand.shape[layout.dimensions[0]] % layout.number == 0;
  std::vector<std::int64_t> extents = operand.shape;
  const std::size_t at = layout.dimensions[0];
  if (in_two) {
    extents[at] /= layout.number;
    extents.insert(extents.begin() + static_cast<std::ptrdiff_t>(at) + 1, layout.number);
  }
  const BoxLoops box = loops_over(extents);
  std::vector<Index> from = box.indices;
  if (in_two) {
    const auto whole = scaled_plus(from[at], layout.number, from[at + 1]);
    if (!whole) return std::nullopt;
    from[at] = *whole;
    from.erase(from.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
  auto to = placed(operand, layout, from, box_of(box.loops));
  if (!to) return std::nullopt;
  const RefPtr left = make_ref(copy, operand.dtype, Scope::global, *std::move(to));
  const RefPtr right = make_ref(operand.tensor, operand.dtype, Scope::global, std::move(from));
  return make_nest(box.loops, nullptr, {make_equation(left, read_expr(right))});
}

std::optional<Program> build(View& view, const Operand& operand, const Layout& layout, const std::string& copy) {
  Program program = view.program();
  for (const Statement& statement : view.table().statements) {
    if (statement.items[0] != operand.expression) continue;
    std::vector<BoxVariable> box;
    for (const Loop* loop : statement.loops) box.push_back({loop->index, loop->extent});
    Rewriter rewriter;
    rewriter.ref = [&](const RefPtr& ref) -> RefPtr {
      if (ref->tensor != operand.tensor) return ref;
      auto subscripts = placed(operand, layout, ref->subscripts, box);
      return subscripts ? make_ref(copy, ref->dtype, ref->scope, *std::move(subscripts)) : nullptr;
    };
    const Equation& old = *statement.equation;
    const Item equation = stands_for(make_equation(old.left, old.right), old);
    auto changed = rewrite(equation, rewriter);
    if (!changed) return std::nullopt;
    program = with_items(program, statement.items, {*std::move(changed)});
  }
  auto nest = copy_nest(operand, layout, copy);
  if (!nest) return std::nullopt;
  const std::vector<std::uint32_t> address = {operand.expression};
  return with_items(program, address, {*std::move(nest), item_at(program, address)});
}

void choices(View& view, Listing& listing) {
  const AccessTable& table = view.table();
  for (std::uint32_t i = 0; i < view.program().nests.size(); ++i) {
    std::vector<std::string> tensors;  // in the order in which they are read
    for (const Access& access : table.accesses) {
      if (access.is_write || table.statements[access.statement].items[0] != i) continue;
      if (std::find(tensors.begin(), tensors.end(), access.ref->tensor) == tensors.end()) {
        tensors.push_back(access.ref->tensor);
      }
    }
    for (const std::string& tensor : tensors) {
      const auto operand = find_operand(view, item_site({i}), tensor);
      if (!listing.allows(operand)) continue;
      const std::vector<ParameterDomain> named = {{"tensor", std::vector<std::string>{tensor}}};
      offer_layouts(
          item_site({i}), named, operand->shape, [](const Layout&) { return true; }, listing);
    }
  }
}

Result<Applied, Refusal> apply(View& view, const Choice& choice) {
  const auto operand = find_operand(view, choice.at, choice.word("tensor"));
  if (!operand) return operand.error();
  const auto layout = layout_of(choice, operand->shape, kFits);
  if (!layout) return layout.error();
  const std::string copy = view.fresh_tensors().next();
  auto program = build(view, *operand, *layout, copy);
  if (!program) return Refusal{&kFits, choice.at, "a subscript would not fit in 64 bits", {}};
  Applied out;
  out.program = *std::move(program);
  for (const Access* read : operand->reads) out.facts.matched.push_back({"use", read->site});
  out.facts.removed = out.facts.matched;
  out.facts.added = {{"copy", choice.at}};
  out.facts.renamings = {{"tensor", operand->tensor, copy, choice.at}};
  out.facts.holds = {{&kOperand, {{"tensor", operand->tensor}}},
                     {&kComplete, {}},
                     {&kFits, {{"elements", elements_of(operand->shape, kMaxTensorElements)}}}};
  out.facts.values = {{"tensor", operand->tensor},          {"copy", copy},
                      {"form", choice.word("form")},        {"dimensions", choice.word("dimensions")},
                      {"number", choice.integer("number")}, {"same_order", keeps_order(choice, operand->shape)}};
  out.facts.because = concat("each element of ", operand->tensor, " has a place of its own in ", copy,
                             ", and gets there when its value is final");
  return out;
}

}  // namespace

const Strategy& layout_transformation_strategy() {
  static constexpr Strategy kStrategy = {
      "layout_transformation",
      Level::memory,
      "an expression reads a copy of an operand that lies in memory in another order",
      "D=f(C_{c,a});   -->   E_{a,c}=C_{c,a}; D=f(E_{a,c});",
      "the copy has a place for every element of the operand, no two the same, and is made when the operand has its "
      "last value",
      "compute_inline",
      {kMatmulExample, R"({"at":"0","tensor":"C","form":"transpose","dimensions":"1,0","number":0})"},
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
