/// summed_operand: a sum over results of contractions becomes a contraction with an operand that is summed before.
///   C_{a,c}=C_{a,c}+A_{a,k}*F_{c,k}; D_{a}=D_{a}+C_{a,c}   -->   E_{k}=E_{k}+F_{c,k}; D_{a}=D_{a}+A_{a,k}*E_{k}
/// Safe because a sum of sums is the sum of all terms in any order, and a finite factor that is the same in all of them
/// can be taken out. What makes C stays where it is. Not one of the published strategies.
#include <algorithm>

#include "steptp/base/text.h"
#include "steptp/strategies/expressions.h"
#include "steptp/strategies/legality.h"
#include "steptp/strategies/lifetimes.h"
#include "steptp/strategies/loops.h"
#include "steptp/strategies/origins.h"
#include "steptp/strategies/pieces.h"

namespace steptp {

namespace {

constexpr Precondition kPublished[] = {
    {Check::pattern_match, "sum",
     "the expression is one equation X=X+C over tensors in g, without guards and V loops, and C is no tensor of the "
     "signature"},
    {Check::dependency, "made",
     "every equation that writes C is an expression in front of it, C=C+T for each element of C, and nothing that T "
     "reads changes afterwards"},
    {Check::pattern_match, "product",
     "some T is a product with a factor of tensors that no loop over which X adds up occurs in, beside another that "
     "one occurs in"},
};
constexpr Precondition kSafety[] = {
    {Check::fact, "finite", "all factors of such a product are finite"},
    {Check::fact, "types", "all tensors of X and of each T have one float type"},
    {Check::size, "memory", "new tensors have at most 2^31 elements, and subscripts fit in 64 bits"},
};
constexpr const Precondition& kSum = kPublished[0];
constexpr const Precondition& kMade = kPublished[1];
constexpr const Precondition& kProduct = kPublished[2];
constexpr const Precondition& kFinite = kSafety[0];
constexpr const Precondition& kTypes = kSafety[1];
constexpr const Precondition& kMemory = kSafety[2];
constexpr Component kModifies[] = {Component::expressions, Component::equations, Component::variables};
constexpr NewElement kIntroduces[] = {NewElement::variables, NewElement::expressions};

/// C=C+T, with the loops of the sum in place of those that are subscripts of C.
struct Made {
  Operator op;
  std::vector<Loop> reduced;  ///< its own loops over which it adds up, with names that the sum does not use
  ExprPtr term;
  ExprPtr fixed;  ///< the factor that is taken out; null where none is
  ExprPtr moving;
};

/// X=X+C.
struct SumOfSums {
  Operator op;
  RefPtr of;
  std::vector<Loop> summed;  ///< those that X does not follow
  std::vector<Made> parts;
};

bool has_lanes(const Nest& nest) {
  return std::any_of(nest.loops.begin(), nest.loops.end(),
                     [](const Loop& loop) { return loop.kind == LoopKind::vectorized; });
}

/// X and T of X=X+T.
struct Terms {
  ExprPtr left;
  ExprPtr term;
};
/// Nothing where the equation is no sum of two.
std::optional<Terms> terms_of(const Operator& op) {
  const auto* sum = std::get_if<Sum>(&op.right()->node);
  if (!sum || sum->operands.size() != 2 || sum->operators[0] != ArithmeticOp::add) return std::nullopt;
  const auto is_left = [&](const ExprPtr& expr) {
    const auto* read = std::get_if<Read>(&expr->node);
    return read && equal(*read->ref, op.left());
  };
  if (is_left(sum->operands[0])) return Terms{sum->operands[0], sum->operands[1]};
  if (is_left(sum->operands[1])) return Terms{sum->operands[1], sum->operands[0]};
  return std::nullopt;
}

/// An expression of its own that adds terms up; the text says why it is none.
Result<Operator, std::string> find_adding(View& view, const PlacedNest& nest) {
  auto op = find_operator(view, nest);
  if (!op) return op.error();
  if (!op->around.empty() || has_lanes(*op->nest)) return std::string("it is inside another nest, or has a V loop");
  const bool adds = op->statement->accumulates == ArithmeticOp::add && is_free_accumulation(*op->statement);
  if (!adds || !terms_of(*op)) return concat(op->left().tensor, " is not a sum of terms");
  return *std::move(op);
}

Result<SumOfSums, Refusal> find_sum(View& view, const PlacedNest& nest) {
  const Site site = item_site(nest.items);
  const auto refuse_because = [&](std::string why) { return Refusal{&kSum, site, std::move(why), {}}; };
  auto op = find_adding(view, nest);
  if (!op) return refuse_because(op.error());
  SumOfSums out;
  out.op = *std::move(op);
  const ExprPtr term = terms_of(out.op)->term;
  const auto* read = std::get_if<Read>(&term->node);
  if (!read) return refuse_because("what is added up is not one element of a tensor");
  out.of = read->ref;
  const TensorFacts& facts = view.table().tensors.at(out.of->tensor);
  if (facts.known || facts.scope != Scope::global) {
    return refuse_because(concat(out.of->tensor, " is a tensor of the signature, or not in g"));
  }
  for (const Loop& loop : out.op.nest->loops) {
    if (!out.op.output.contains(loop.index)) out.summed.push_back(loop);
  }
  if (out.summed.empty()) return refuse_because("nothing is added up");
  return out;
}

/// What of an equation that writes C does not fit; empty where it does. `values` becomes what its loops are in the sum.
std::string match(View& view, const SumOfSums& sum, Made& made, IndexValues& values) {
  const std::vector<Index>& subscripts = made.op.left().subscripts;
  const InferredShape& shape = view.shape_of(sum.of->tensor);
  for (std::size_t i = 0; i < subscripts.size(); ++i) {
    const std::string* name = subscripts[i].as_variable();
    const auto loop = std::find_if(made.op.nest->loops.begin(), made.op.nest->loops.end(),
                                   [&](const Loop& one) { return name && one.index == *name; });
    if (loop == made.op.nest->loops.end() || !shape.exact || loop->extent != shape.dimensions[i]) {
      return concat("it does not write each element of ", sum.of->tensor, " by a loop of its own");
    }
    if (!values.emplace(*name, sum.of->subscripts[i]).second) return concat(*name, " is two subscripts");
  }
  return {};
}

/// A product is cut into what follows the loops that are added up, and what does not.
void cut_product(const SumOfSums& sum, Made& made) {
  const auto* product = std::get_if<Product>(&made.term->node);
  if (!product) return;
  const bool only_factors = std::all_of(product->operators.begin(), product->operators.end(),
                                        [](ArithmeticOp op) { return op == ArithmeticOp::multiply; });
  if (!only_factors) return;
  ExprPtr fixed;
  ExprPtr moving;
  for (const ExprPtr& factor : product->operands) {
    const std::set<std::string> used = variables_of(*factor);
    const bool moves =
        std::any_of(sum.summed.begin(), sum.summed.end(), [&](const Loop& loop) { return used.contains(loop.index); });
    ExprPtr& side = moves ? moving : fixed;
    side = side ? make_product(side, ArithmeticOp::multiply, factor) : factor;
  }
  if (!moving || !fixed || tensors_of(*fixed).empty()) return;
  made.fixed = std::move(fixed);
  made.moving = std::move(moving);
}

std::optional<Refusal> refuse_values(View& view, const SumOfSums& sum, const Made& made, const ExprPtr& term) {
  const Site site = item_site(made.op.statement->items);
  const DType dtype = sum.op.left().dtype;
  bool is_same = is_float(dtype) && sum.of->dtype == dtype;
  for_each_ref(*term, [&](const RefPtr& ref) { is_same = is_same && ref->dtype == dtype; });
  if (!is_same) return Refusal{&kTypes, site, concat("not all tensors are of ", code(dtype)), {}};
  if (!made.fixed) return std::nullopt;
  for (const ExprPtr& factor : std::get<Product>(term->node).operands) {
    if (view.real_facts().of(factor, {made.op.statement, {}}).finite) continue;
    return Refusal{&kFinite, site, concat("a factor of what makes ", sum.of->tensor, " may be infinite"), {}};
  }
  return std::nullopt;
}

Result<Made, Refusal> find_made(View& view, const SumOfSums& sum, const Access& write, NameSource& names) {
  const std::vector<std::uint32_t>& items = view.table().statements[write.statement].items;
  const auto refuse_because = [&](std::string why) { return Refusal{&kMade, write.site, std::move(why), {}}; };
  const std::uint32_t expression = items[0];
  if (expression >= sum.op.place->items[0]) return refuse_because(concat(sum.of->tensor, " is written later"));
  auto op = find_adding(view, *view.find_nest(std::span(items).first(1)));
  if (!op) return refuse_because(op.error());
  Made out;
  out.op = *std::move(op);
  IndexValues values;
  if (std::string why = match(view, sum, out, values); !why.empty()) return refuse_because(std::move(why));
  const ExprPtr term = terms_of(out.op)->term;
  for (const std::string& tensor : tensors_of(*term)) {
    if (!is_complete(view, tensor, expression)) return refuse_because(concat(tensor, " is not complete before it"));
  }
  for (const Loop& loop : out.op.nest->loops) {
    if (out.op.output.contains(loop.index)) continue;
    out.reduced.push_back({LoopKind::serial, loop.extent, names.next()});
    values.emplace(loop.index, Index::variable(out.reduced.back().index));
  }
  Rewriter rewriter;
  rewriter.variables = std::move(values);
  out.term = rewrite(term, rewriter);
  if (!out.term) return Refusal{&kMemory, write.site, "a subscript would not fit in 64 bits", {}};
  cut_product(sum, out);
  if (auto refusal = refuse_values(view, sum, out, term)) return *std::move(refusal);
  return out;
}

/// The loops whose indices occur in what is added up before, without those over which that is done.
std::vector<Loop> loops_of_operand(const SumOfSums& sum, const Made& made) {
  const std::set<std::string> used = variables_of(*made.moving);
  std::vector<Loop> out;
  for (const Loop& loop : output_loops(sum.op)) {
    if (used.contains(loop.index)) out.push_back(loop);
  }
  for (const Loop& loop : made.reduced) {
    if (used.contains(loop.index)) out.push_back(loop);
  }
  return out;
}

std::int64_t elements(const std::vector<Loop>& loops) {
  std::vector<const Loop*> all;
  all.reserve(loops.size());
  for (const Loop& loop : loops) all.push_back(&loop);
  return elements_of(all, kMaxTensorElements);
}

Result<SumOfSums, Refusal> plan(View& view, const PlacedNest& nest) {
  auto sum = find_sum(view, nest);
  if (!sum) return sum.error();
  const Site site = item_site(nest.items);
  NameSource names = view.fresh_indices(nest.items[0]);
  for (const std::size_t number : view.table().tensors.at(sum->of->tensor).writes) {
    auto made = find_made(view, *sum, view.table().accesses[number], names);
    if (!made) return made.error();
    sum->parts.push_back(*std::move(made));
  }
  // A sum that begins before what it adds up is made would have other terms.
  if (sum->parts.empty() || !is_complete(view, sum->of->tensor, nest.items[0])) {
    return Refusal{&kMade, site, concat(sum->of->tensor, " is not complete before it"), {}};
  }
  const auto is_cut = [](const Made& made) { return made.fixed != nullptr; };
  if (std::none_of(sum->parts.begin(), sum->parts.end(), is_cut)) {
    return Refusal{&kProduct, site, concat("no factor can be taken out of what makes ", sum->of->tensor), {}};
  }
  for (const Made& made : sum->parts) {
    if (!made.fixed || elements(loops_of_operand(*sum, made)) <= kMaxTensorElements) continue;
    return Refusal{&kMemory, site, "a new tensor would have more than 2^31 elements", {}};
  }
  return sum;
}

struct Built {
  std::vector<Item> items;
  std::vector<std::string_view> roles;
  std::string tensors;
};

/// X=X+term under loops.
Item adding(const SumOfSums& sum, std::vector<Loop> loops, const ExprPtr& term) {
  const Equation& old = *sum.op.statement->equation;
  const ExprPtr more = make_sum(terms_of(sum.op)->left, ArithmeticOp::add, term);
  EquationPtr equation = stands_for(make_equation(old.left, more), old);
  return stands_for(make_nest(std::move(loops), nullptr, {std::move(equation)}), *sum.op.nest);
}

/// E=E+moving over its own loops, then those that are added up.
Item summing(const SumOfSums& sum, const Made& made, const RefPtr& operand) {
  std::vector<Loop> loops = loops_of_operand(sum, made);
  loops.insert(loops.end(), sum.summed.begin(), sum.summed.end());
  return make_nest(std::move(loops), nullptr,
                   {make_equation(operand, make_sum(read_expr(operand), ArithmeticOp::add, made.moving))});
}

Built build(View& view, const SumOfSums& sum) {
  NameSource names = view.fresh_tensors();
  Built out;
  const auto add = [&](Item item, std::string_view role) {
    out.items.push_back(std::move(item));
    out.roles.push_back(role);
  };
  for (const Made& made : sum.parts) {
    std::vector<Loop> loops = made.fixed ? output_loops(sum.op) : sum.op.nest->loops;
    loops.insert(loops.end(), made.reduced.begin(), made.reduced.end());
    if (!made.fixed) {
      add(adding(sum, std::move(loops), made.term), "sum");
      continue;
    }
    const std::string name = names.next();
    append(out.tensors, out.tensors.empty() ? "" : ",", name);
    std::vector<Index> subscripts;
    for (const Loop& loop : loops_of_operand(sum, made)) subscripts.push_back(Index::variable(loop.index));
    const RefPtr operand = make_ref(name, sum.op.left().dtype, Scope::global, std::move(subscripts));
    add(summing(sum, made, operand), "operand");
    add(adding(sum, std::move(loops), make_product(made.fixed, ArithmeticOp::multiply, read_expr(operand))), "sum");
  }
  return out;
}

void choices(View& view, Listing& listing) {
  if (!listing.extended) return;
  for (const PlacedNest& nest : view.nests()) {
    if (nest.items.size() == 1 && listing.allows(plan(view, nest))) listing.offer({item_site(nest.items), {}, true});
  }
}

Result<Applied, Refusal> apply(View& view, const Choice& choice) {
  const auto nest = nest_at(view, choice.at);
  if (!nest) return nest.error();
  const auto sum = plan(view, **nest);
  if (!sum) return sum.error();
  Built built = build(view, *sum);
  Applied out;
  out.facts.matched = {{"equation", item_site(sum->op.statement->items)}};
  for (const Made& made : sum->parts) out.facts.matched.push_back({"term", item_site(made.op.statement->items)});
  out.facts.removed = {{"expression", choice.at}};
  for (std::uint32_t i = 0; i < built.items.size(); ++i) {
    out.facts.added.push_back({std::string(built.roles[i]), item_site(sibling((*nest)->items, i))});
  }
  out.facts.holds = {{&kSum, {{"tensor", sum->of->tensor}}},
                     {&kMade, {{"tensor", sum->of->tensor}}},
                     {&kProduct, {{"tensor", sum->of->tensor}}},
                     {&kFinite, {{"tensor", sum->of->tensor}}},
                     {&kTypes, {}},
                     {&kMemory, {}}};
  out.facts.values = {{"tensor", sum->of->tensor}, {"tensors", built.tensors}};
  out.facts.because = concat("all terms of ", sum->of->tensor,
                             " are added up in any order, and a factor that is the same in all of them is taken out");
  out.program = with_items(view.program(), (*nest)->items, std::move(built.items));
  return out;
}

}  // namespace

const Strategy& summed_operand_strategy() {
  static constexpr Strategy kStrategy = {
      "summed_operand",
      Level::math,
      "a sum over results of contractions becomes a contraction with an operand that is summed before",
      "C_{a,c}=C_{a,c}+A_{a,k}*F_{c,k};D_{a}=D_{a}+C_{a,c}   -->   E_{k}=E_{k}+F_{c,k};D_{a}=D_{a}+A_{a,k}*E_{k}",
      "a sum of sums is the sum of all terms in any order, and a finite factor that is the same in all of them can be "
      "taken out",
      "",
      {"@input A f32[8,4]\n@input F f32[6,4]\n@output D f32[8]\n"
       "B^{8}_{tx=0}L^{6}_{a=0}L^{4}_{c=0}[C^{f32,g}_{tx,a}=C^{f32,g}_{tx,a}+A^{f32,g}_{tx,c}*F^{f32,g}_{a,c};];"
       "B^{8}_{tx=0}L^{6}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+C^{f32,g}_{tx,a};];\n",
       R"({"at":"1"})"},
      {},
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
