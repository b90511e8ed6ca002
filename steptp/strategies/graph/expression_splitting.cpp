/// expression_splitting: a sub-expression is computed into a tensor of its own, which takes its place.
///   D_{a}=exp(A_{a}-C)*2;   -->   E_{a}=exp(A_{a}-C); D_{a}=E_{a}*2;
/// Safe because the new tensor has one element for each value of the indices in the sub-expression and its type, and
/// nothing that it reads is written before it is used.
#include <algorithm>

#include "steptp/base/text.h"
#include "steptp/strategies/expressions.h"
#include "steptp/strategies/legality.h"
#include "steptp/strategies/loops.h"
#include "steptp/strategies/origins.h"
#include "steptp/structure/types.h"

namespace steptp {

namespace {

constexpr Parameter kParameters[] = {
    {"place", Parameter::Kind::word, "where the new equation stands: before the nest, or inside, before the equation"},
};
constexpr Precondition kSafety[] = {
    {Check::fact, "computes",
     "the part is not a number, an index, a read or a condition, not the whole right side, and has a dtype"},
    {Check::fact, "always",
     "the part does not stand in a branch of an if_then_else, which may keep its reads in range"},
    {Check::order, "not-written", "before the nest: nothing that the part reads is written in the nest"},
    {Check::scope, "global", "before the nest: the part reads no data in s or l"},
    {Check::size, "memory", "the new tensor has at most 2^31 elements"},
    {Check::order, "races", "no race comes from the new equation, and block loops still enclose their kernels"},
};
constexpr const Precondition& kComputes = kSafety[0];
constexpr const Precondition& kAlways = kSafety[1];
constexpr const Precondition& kNotWritten = kSafety[2];
constexpr const Precondition& kGlobal = kSafety[3];
constexpr const Precondition& kMemory = kSafety[4];
constexpr const Precondition& kRaces = kSafety[5];
constexpr Component kModifies[] = {Component::expressions, Component::equations};
constexpr NewElement kIntroduces[] = {NewElement::variables};
constexpr std::string_view kInside = "inside";
constexpr std::string_view kPlaces[] = {"before", kInside};

struct Splitting {
  PlacedExpr part;
  bool inside = false;
  DType dtype = DType::f32;
  std::vector<const Loop*> loops;  ///< of the subscripts, outermost first
};

bool is_concurrent(const Loop& loop) {
  return loop.kind == LoopKind::bound || loop.kind == LoopKind::parallel || loop.kind == LoopKind::vectorized;
}

/// One dimension for each loop that the part uses; loops that may run at the same time get theirs too where the new
/// equation stands inside them.
std::vector<const Loop*> subscript_loops(const Splitting& splitting) {
  const Statement& statement = *splitting.part.statement;
  const Nest& nest = *statement.nests.back();
  const std::size_t header = statement.loops.size() - nest.loops.size();
  std::set<std::string> used = variables_of(*splitting.part.expr);
  if (!splitting.inside && nest.guard) used.merge(variables_of(*nest.guard));
  std::vector<const Loop*> out;
  for (std::size_t i = 0; i < statement.loops.size(); ++i) {
    const bool stays = splitting.inside || i < header;
    if (used.contains(statement.loops[i]->index) || (stays && is_concurrent(*statement.loops[i]))) {
      out.push_back(statement.loops[i]);
    }
  }
  return out;
}

Result<Splitting, Refusal> plan(View& view, const PlacedExpr& part, bool inside) {
  const auto type = is_condition(*part.expr) ? std::nullopt : type_of(*part.expr);
  if (part.site.path.empty() || is_leaf(*part.expr) || !type || type->weak) {
    return Refusal{&kComputes, part.site, "a number, an index, a read, a condition or the whole right side", {}};
  }
  if (is_wide_product(part)) {
    return Refusal{&kComputes, part.site, "a product that is computed in the type of the sum that it is added to", {}};
  }
  if (part.is_branch) return Refusal{&kAlways, part.site, "a branch of an if_then_else", {}};
  const Statement& statement = *part.statement;
  const std::vector<std::uint32_t> around(statement.items.begin(), statement.items.end() - 1);
  if (!inside) {
    for (const std::string& name : tensors_of(*part.expr)) {
      const TensorFacts& tensor = view.table().tensors.at(name);
      for (const std::size_t number : tensor.writes) {
        const std::vector<std::uint32_t>& items =
            view.table().statements[view.table().accesses[number].statement].items;
        if (items.size() <= around.size() || !std::equal(around.begin(), around.end(), items.begin())) continue;
        return Refusal{&kNotWritten, part.site, concat(name, " is written in the nest"), {{"tensor", name}}};
      }
      if (tensor.scope != Scope::global) {
        return Refusal{&kGlobal, part.site, concat(name, " is in ", code(tensor.scope)), {{"tensor", name}}};
      }
    }
  }
  Splitting out{part, inside, type->dtype, {}};
  out.loops = subscript_loops(out);
  if (elements_of(out.loops, kMaxTensorElements) > kMaxTensorElements) {
    return Refusal{&kMemory, part.site, "the tensor would have more than 2^31 elements", {}};
  }
  return out;
}

struct Built {
  Program program;
  RefPtr tensor;
};

Built build(View& view, const Splitting& splitting) {
  const Statement& statement = *splitting.part.statement;
  std::vector<Index> subscripts;
  for (const Loop* loop : splitting.loops) subscripts.push_back(Index::variable(loop->index));
  Built out;
  out.tensor = make_ref(view.fresh_tensors().next(), splitting.dtype, Scope::global, std::move(subscripts));
  const EquationPtr definition = make_equation(out.tensor, splitting.part.expr);
  const Equation& old = *statement.equation;
  const EquationPtr rest =
      stands_for(make_equation(old.left, with_part(old.right, splitting.part.site.path, read_expr(out.tensor))), old);
  if (splitting.inside) {
    out.program = with_items(view.program(), statement.items, {definition, rest});
    return out;
  }
  out.program = with_items(view.program(), statement.items, {rest});
  const std::vector<std::uint32_t> around(statement.items.begin(), statement.items.end() - 1);
  const Nest& nest = *statement.nests.back();
  std::vector<Loop> loops;
  for (const Loop& loop : nest.loops) {
    const auto same = [&loop](const Loop* other) { return other == &loop; };
    if (std::any_of(splitting.loops.begin(), splitting.loops.end(), same)) loops.push_back(loop);
  }
  Item item = definition;
  if (loops.empty() && around.size() == 1) loops.push_back({LoopKind::bound, 1, "tx"});
  if (loops.empty() && nest.guard) {
    loops.push_back({LoopKind::serial, 1, view.fresh_indices(statement.items[0]).next()});
  }
  if (!loops.empty()) item = make_nest(std::move(loops), nest.guard, {definition});
  out.program = with_items(out.program, around, {item, item_at(out.program, around)});
  return out;
}

/// A nest at the top level is a launch of its own; elsewhere the new equation joins others.
std::optional<Refusal> refuse_races(View& view, const Splitting& splitting, const Built& built) {
  const Statement& statement = *splitting.part.statement;
  if (!splitting.inside && statement.nests.size() == 1) return std::nullopt;
  View after(built.program);
  auto conflict = race_conflict(view, after, statement.items[0]);
  // A nest of its own inside a kernel, beside the one it came from.
  if (!conflict) conflict = placement_conflict(after);
  return conflict ? std::optional(refuse(kRaces, splitting.part.site, *conflict)) : std::nullopt;
}

void choices(View& view, Listing& listing) {
  for (const PlacedExpr& part : all_expressions(view)) {
    if (is_leaf(*part.expr) || part.site.path.empty()) continue;
    bool offered = false;
    for (const bool inside : {false, true}) {
      if (offered) break;
      const auto splitting = plan(view, part, inside);
      if (!splitting) {
        listing.refuse(splitting.error());
        if (splitting.error().precondition != &kNotWritten && splitting.error().precondition != &kGlobal) break;
        continue;
      }
      if (!listing.allows(refuse_races(view, *splitting, build(view, *splitting)))) continue;
      offered = true;
      listing.offer({part.site, {{"place", std::vector<std::string>{inside ? "inside" : "before"}}}, false});
    }
  }
}

Result<Applied, Refusal> apply(View& view, const Choice& choice) {
  const auto part = find_expression(view, choice.at);
  if (!part) return part.error();
  const auto named = one_of(choice, "place", kPlaces);
  if (!named) return named.error();
  const std::string& place = choice.word("place");
  const auto splitting = plan(view, *part, kPlaces[*named] == kInside);
  if (!splitting) return splitting.error();
  Built built = build(view, *splitting);
  if (auto refusal = refuse_races(view, *splitting, built)) return *std::move(refusal);
  Applied out;
  const std::vector<std::uint32_t>& items = part->statement->items;
  const std::vector<std::uint32_t> around(items.begin(), items.end() - 1);
  out.facts.matched = {{"part", choice.at}, {"equation", item_site(items)}};
  out.facts.removed = {{"part", choice.at}};
  out.facts.added = {{"definition", item_site(place == "inside" ? items : around)}};
  out.facts.holds = {{&kComputes, {{"dtype", code(splitting->dtype)}}},
                     {&kAlways, {}},
                     {&kNotWritten, {{"place", place}}},
                     {&kMemory, {{"elements", elements_of(splitting->loops, kMaxTensorElements)}}}};
  out.facts.values = {{"tensor", built.tensor->tensor}, {"dtype", code(splitting->dtype)}, {"place", place}};
  out.facts.because = concat(built.tensor->tensor, " holds one element for each value of the ", splitting->loops.size(),
                             " loops it is indexed by, and nothing it reads is written before it is used");
  out.program = std::move(built.program);
  return out;
}

}  // namespace

const Strategy& expression_splitting_strategy() {
  static constexpr Strategy kStrategy = {
      "expression_splitting",
      Level::graph,
      "a sub-expression is computed into a tensor of its own, which takes its place",
      "D_{a}=exp(A_{a}-C)*2;   -->   E_{a}=exp(A_{a}-C); D_{a}=E_{a}*2;",
      "the new tensor has one element for each value of the indices in the sub-expression and its type, and nothing "
      "that "
      "it reads is written before it is used",
      "compute_inline",
      {"@input A f32[8,6]\n@input D f32[8]\n@output E f32[8]\n"
       "B^{8}_{tx=0}L^{6}_{a=0}[E^{f32,g}_{tx}=E^{f32,g}_{tx}+exp(A^{f32,g}_{tx,a}-D^{f32,g}_{tx});];\n",
       R"({"at":"0/0:right.1","place":"before"})"},
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
