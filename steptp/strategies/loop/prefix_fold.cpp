/// prefix_fold: a fold over all iterations up to this one goes on from the one before, or from the parts before.
///   L^{8}_{a=0}L^{8}_{c=0}[D_{a}=D_{a}+if_then_else(c<=a,f(c),0)]
///     -->   L^{8}_{a=0}[E_{a}=if_then_else(a-1<0,0,E_{a-1})+f(a);D_{a}=E_{a}]   (running)
///     -->   L^{2}_{d=0}L^{4}_{c=0}[E_{d}=E_{d}+f(d*4+c)];
///     L^{2}_{d=0}L^{2}_{c=0}[F_{d}=F_{d}+if_then_else(c<d,E_{c},0)];
///           L^{2}_{d=0}L^{4}_{a=0}L^{4}_{c=0}[G_{d,a}=G_{d,a}+if_then_else(c<=a,f(d*4+c),0)];
///           L^{2}_{d=0}L^{4}_{a=0}[D_{d*4+a}=F_{d}+G_{d,a}]   (parts)
/// Safe because the operator is associative up to rounding and every term keeps its place: what is folded up to a is
/// what is folded up to a-1, and the term of a; or what whole parts before make, and what the own part makes up to a.
/// Not one of the published strategies.
/// More than 400 lines, because a strategy is one file.
#include <algorithm>

#include "steptp/base/text.h"
#include "steptp/strategies/expressions.h"
#include "steptp/strategies/legality.h"
#include "steptp/strategies/loops.h"
#include "steptp/strategies/origins.h"
#include "steptp/strategies/pieces.h"

namespace steptp {

namespace {

constexpr Parameter kParameters[] = {
    {"form", Parameter::Kind::word, "running: an iteration goes on from the one before; parts: from the parts before"},
    {"inner", Parameter::Kind::integer, "iterations of a part; 0 for running"},
};
constexpr Precondition kPublished[] = {
    {Check::pattern_match, "prefix",
     "the expression is one equation X=X+if_then_else(c<=a,T,0), or with c<a, or * with 1, max with -inf, min with "
     "inf; "
     "nothing else writes X, a is a subscript of X by itself and occurs nowhere else, no loop but c is reduced, and c "
     "has as many iterations as a, with c<a perhaps one fewer"},
};
constexpr Precondition kSafety[] = {
    {Check::order, "serial", "the loops over a and c are L loops, and no loop is a V loop"},
    {Check::fact, "inclusive", "running: the iteration a takes its own term, by c<=a"},
    {Check::size, "cut", "a part has 2 iterations or more, and there are 2 parts or more"},
    {Check::size, "memory", "new tensors have at most 2^31 elements, and subscripts fit in 64 bits"},
};
constexpr const Precondition& kPrefix = kPublished[0];
constexpr const Precondition& kSerial = kSafety[0];
constexpr const Precondition& kInclusive = kSafety[1];
constexpr const Precondition& kCut = kSafety[2];
constexpr const Precondition& kMemory = kSafety[3];
constexpr Component kModifies[] = {Component::expressions, Component::loop_axes, Component::equations,
                                   Component::variables};
constexpr NewElement kIntroduces[] = {NewElement::variables, NewElement::index_calculations, NewElement::expressions};
constexpr std::string_view kForms[] = {"running", "parts"};

/// X=X(+)if_then_else(c<=a,T,identity).
struct Prefix {
  Operator op;
  Loop along;                 ///< a
  Loop earlier;               ///< c
  std::size_t dimension = 0;  ///< of X, that is a
  bool is_strict = false;     ///< c<a
  ExprPtr term;
  ExprPtr identity;

  [[nodiscard]] ArithmeticOp by() const { return *op.statement->accumulates; }
};

/// What is folded into X: the other operand.
ExprPtr term_of(const Equation& equation) {
  const auto is_left = [&](const ExprPtr& expr) {
    const auto* read = std::get_if<Read>(&expr->node);
    return read && equal(*read->ref, *equation.left);
  };
  const auto other = [&](const ExprPtr& a, const ExprPtr& b) { return is_left(a) ? b : is_left(b) ? a : nullptr; };
  const ExprNode& right = equation.right->node;
  if (const auto* extremum = std::get_if<Extremum>(&right)) return other(extremum->left, extremum->right);
  if (const auto* sum = std::get_if<Sum>(&right)) {
    const bool adds = sum->operands.size() == 2 && sum->operators[0] == ArithmeticOp::add;
    return adds ? other(sum->operands[0], sum->operands[1]) : nullptr;
  }
  const auto* product = std::get_if<Product>(&right);
  const bool multiplies = product && product->operands.size() == 2 && product->operators[0] == ArithmeticOp::multiply;
  return multiplies ? other(product->operands[0], product->operands[1]) : nullptr;
}

/// Whether an expression is the number with which a fold begins.
bool is_identity(const Expr& expr, ArithmeticOp op) {
  const auto* call = std::get_if<Call>(&expr.node);
  const bool is_negative = call && call->function == Function::negate;
  const Expr& magnitude = is_negative ? *call->argument : expr;
  if (op == ArithmeticOp::max || op == ArithmeticOp::min) {
    return std::holds_alternative<Infinity>(magnitude.node) && is_negative == (op == ArithmeticOp::max);
  }
  const auto* literal = std::get_if<Literal>(&magnitude.node);
  return literal && !is_negative && literal->real == (op == ArithmeticOp::add ? 0 : 1);
}

/// a-c-n, where the comparison says that it is not negative; nothing where it is no comparison of indices.
std::optional<Index> margin_of(const Expr& condition, bool holds) {
  const auto* compare = std::get_if<Compare>(&condition.node);
  if (!compare || compare->operators.size() != 1) return std::nullopt;
  const auto left = to_index(*compare->operands[0]);
  const auto right = to_index(*compare->operands[1]);
  if (!left || !right) return std::nullopt;
  const CompareOp op = compare->operators[0];
  if (op == CompareOp::equal || op == CompareOp::not_equal) return std::nullopt;
  const bool is_below = (op == CompareOp::less || op == CompareOp::less_equal) == holds;
  const bool is_strict = (op == CompareOp::less || op == CompareOp::greater) == holds;
  const auto margin = is_below ? Index::subtract(*right, *left) : Index::subtract(*left, *right);
  return margin && is_strict ? Index::subtract(*margin, Index::constant(1)) : margin;
}

/// The loops of a margin a-c; nothing where it is something else.
struct Compared {
  std::string along;
  std::string earlier;
};
std::optional<Compared> compared_by(const Index& margin) {
  Compared out;
  for (const IndexTerm& term : margin.terms()) {
    const auto* variable = term.factors.size() == 1 ? std::get_if<LoopVariable>(&term.factors[0]) : nullptr;
    if (!variable || (term.coefficient != 1 && term.coefficient != -1)) return std::nullopt;
    std::string& name = term.coefficient == 1 ? out.along : out.earlier;
    if (!name.empty()) return std::nullopt;
    name = variable->name;
  }
  if (out.along.empty() || out.earlier.empty()) return std::nullopt;
  return out;
}

const Loop* loop_of(const Nest& nest, const std::string& index) {
  const auto found =
      std::find_if(nest.loops.begin(), nest.loops.end(), [&](const Loop& loop) { return loop.index == index; });
  return found == nest.loops.end() ? nullptr : &*found;
}

/// The dimension that is the index by itself, where no other subscript has it.
std::optional<std::size_t> dimension_of(const Ref& ref, const std::string& index) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < ref.subscripts.size(); ++i) {
    if (!uses_variable(ref.subscripts[i], index)) continue;
    if (found || !ref.subscripts[i].as_variable()) return std::nullopt;
    found = i;
  }
  return found;
}

/// The term under the condition, and what the condition compares.
std::string take_term(Prefix& prefix) {
  const ExprPtr whole = term_of(*prefix.op.statement->equation);
  const auto* select = whole ? std::get_if<Select>(&whole->node) : nullptr;
  if (!select) return concat("what is folded into ", prefix.op.left().tensor, " is no if_then_else");
  const bool holds = is_identity(*select->if_false, prefix.by());
  if (!holds && !is_identity(*select->if_true, prefix.by())) return "neither branch is what a fold begins with";
  prefix.term = holds ? select->if_true : select->if_false;
  prefix.identity = holds ? select->if_false : select->if_true;
  const auto margin = margin_of(*select->condition, holds);
  const auto compared = margin ? compared_by(*margin) : std::nullopt;
  const std::int64_t offset = margin ? margin->constant_term() : 0;
  if (!compared || (offset != 0 && offset != -1)) return "the condition is no comparison c<=a or c<a of two loops";
  prefix.is_strict = offset == -1;
  const Loop* along = loop_of(*prefix.op.nest, compared->along);
  const Loop* earlier = loop_of(*prefix.op.nest, compared->earlier);
  if (!along || !earlier) return "the condition compares other loops than those of the expression";
  prefix.along = *along;
  prefix.earlier = *earlier;
  return {};
}

/// What of the loops does not fit; empty where they do.
std::string misfit_of(const Prefix& prefix) {
  const std::string& along = prefix.along.index;
  for (const Loop& loop : prefix.op.nest->loops) {
    const bool is_output = prefix.op.output.contains(loop.index);
    if (is_output != (loop.index != prefix.earlier.index)) {
      return concat(loop.index, is_output ? " is not reduced" : " is reduced, too");
    }
  }
  if (variables_of(*prefix.term).contains(along)) return concat("the term depends on ", along);
  const std::int64_t fewer = prefix.along.extent - prefix.earlier.extent;
  if (fewer != 0 && (fewer != 1 || !prefix.is_strict)) {
    return concat(along, " has ", prefix.along.extent, " iterations, and ", prefix.earlier.index, " has ",
                  prefix.earlier.extent);
  }
  return {};
}

Result<Prefix, Refusal> find(View& view, const PlacedNest& nest) {
  const Site site = item_site(nest.items);
  const auto refuse_because = [&](std::string why) { return Refusal{&kPrefix, site, std::move(why), {}}; };
  auto op = find_operator(view, nest);
  if (!op) return refuse_because(op.error());
  Prefix out;
  out.op = *std::move(op);
  if (!out.op.is_first || !is_free_accumulation(*out.op.statement)) {
    return refuse_because(concat(out.op.left().tensor, " is not folded by an expression of its own, in any order"));
  }
  if (std::string why = take_term(out); !why.empty()) return refuse_because(std::move(why));
  if (std::string why = misfit_of(out); !why.empty()) return refuse_because(std::move(why));
  const auto dimension = dimension_of(out.op.left(), out.along.index);
  if (!dimension) {
    return refuse_because(concat(out.along.index, " is not a subscript of ", out.op.left().tensor, " by itself"));
  }
  out.dimension = *dimension;
  for (const Loop& loop : nest.nest->loops) {
    const bool is_own = loop.index == out.along.index || loop.index == out.earlier.index;
    if (loop.kind == LoopKind::vectorized || (is_own && loop.kind != LoopKind::serial)) {
      return Refusal{&kSerial, site, concat("the loop over ", loop.index, " is ", code(loop.kind)), {}};
    }
  }
  return out;
}

/// How many parts.
std::int64_t parts_of(const Prefix& prefix, std::int64_t inner) { return (prefix.along.extent - 1) / inner + 1; }

std::optional<Refusal> refuse_form(const Prefix& prefix, bool running, std::int64_t inner) {
  const Site site = item_site(prefix.op.place->items);
  if (running && prefix.is_strict) {
    return Refusal{&kInclusive, site, concat("the condition is ", prefix.earlier.index, "<", prefix.along.index), {}};
  }
  const bool is_cut = inner >= 2 && inner < prefix.along.extent;
  if (running ? inner != 0 : !is_cut) {
    return Refusal{&kCut,
                   site,
                   concat("parts of ", inner, " of ", prefix.along.extent, " iterations"),
                   {{"inner", inner}, {"extent", prefix.along.extent}}};
  }
  // Parts of any length have less than twice as many iterations together.
  const std::int64_t extent = prefix.along.extent * (running ? 1 : 2);
  if (result_elements(prefix.op, prefix.along.index, extent) <= kMaxTensorElements) return std::nullopt;
  return Refusal{&kMemory, site, "a new tensor would have more than 2^31 elements", {}};
}

ExprPtr fold_of(ArithmeticOp by, const ExprPtr& a, const ExprPtr& b) {
  if (by == ArithmeticOp::add) return make_sum(a, by, b);
  if (by == ArithmeticOp::multiply) return make_product(a, by, b);
  return make_expr(Extremum{by == ArithmeticOp::max, a, b});
}

/// The subscripts of X but for the one along which it folds, and others behind them.
RefPtr part_ref(const Prefix& prefix, std::string name, std::vector<Index> more) {
  std::vector<Index> subscripts = prefix.op.left().subscripts;
  subscripts.erase(subscripts.begin() + static_cast<std::ptrdiff_t>(prefix.dimension));
  subscripts.insert(subscripts.end(), more.begin(), more.end());
  return make_ref(std::move(name), prefix.op.left().dtype, Scope::global, std::move(subscripts));
}

/// The loops of the expression with others in place of those over a and c: the first of them where a stood.
std::vector<Loop> loops_with(const Prefix& prefix, const std::vector<Loop>& own) {
  std::vector<Loop> out;
  for (const Loop& loop : prefix.op.nest->loops) {
    if (loop.index == prefix.along.index) out.insert(out.end(), own.begin(), own.end());
    if (loop.index != prefix.along.index && loop.index != prefix.earlier.index) out.push_back(loop);
  }
  return out;
}

ExprPtr term_at(const Prefix& prefix, const Index& place) {
  Rewriter rewriter;
  rewriter.variables.emplace(prefix.earlier.index, place);
  return rewrite(prefix.term, rewriter);
}

struct Built {
  std::vector<Item> items;
  std::vector<std::string> tensors;
};

std::optional<Built> build_running(View& view, const Prefix& prefix) {
  const Equation& old = *prefix.op.statement->equation;
  const std::string name = view.fresh_tensors().next();
  const Index along = Index::variable(prefix.along.index);
  const RefPtr now = part_ref(prefix, name, {along});
  const RefPtr before = part_ref(prefix, name, {*Index::subtract(along, Index::constant(1))});
  const ExprPtr previous =
      make_sum(make_expr(IndexValue{prefix.along.index}), ArithmeticOp::subtract, integer_literal(1));
  const ExprPtr is_first = make_expr(Compare{{previous, integer_literal(0)}, {CompareOp::less}});
  const ExprPtr start = make_expr(Select{is_first, prefix.identity, read_expr(stands_for(before, *old.left))});
  const ExprPtr term = term_at(prefix, along);
  if (!term) return std::nullopt;
  const EquationPtr step =
      stands_for(make_equation(stands_for(now, *old.left), fold_of(prefix.by(), start, term)), old);
  const NestPtr nest = make_nest(loops_with(prefix, {prefix.along}), nullptr,
                                 {step, make_equation(stands_for(old.left, *old.left), read_expr(now))});
  return Built{{stands_for(nest, *prefix.op.nest)}, {name}};
}

/// X=X(+)term under loops.
Item folding(const Prefix& prefix, const RefPtr& to, const ExprPtr& term, const std::vector<Loop>& own,
             const ExprPtr& guard) {
  return make_nest(loops_with(prefix, own), guard, {make_equation(to, fold_of(prefix.by(), read_expr(to), term))});
}

ExprPtr up_to(const std::string& earlier, const std::string& along, bool is_strict) {
  const CompareOp op = is_strict ? CompareOp::less : CompareOp::less_equal;
  return make_expr(Compare{{make_expr(IndexValue{earlier}), make_expr(IndexValue{along})}, {op}});
}

std::optional<Built> build_parts(View& view, const Prefix& prefix, std::int64_t inner) {
  const std::string& along = prefix.along.index;
  const std::string& earlier = prefix.earlier.index;
  const std::string part = view.fresh_indices(prefix.op.place->items[0]).next();
  const std::int64_t parts = parts_of(prefix, inner);
  const auto place = scaled_plus(Index::variable(part), inner, Index::variable(along));
  const auto place_of_term = scaled_plus(Index::variable(part), inner, Index::variable(earlier));
  const ExprPtr term = place_of_term ? term_at(prefix, *place_of_term) : nullptr;
  if (!term || !place) return std::nullopt;
  NameSource names = view.fresh_tensors();
  Built out;
  for (int i = 0; i < 3; ++i) out.tensors.push_back(names.next());
  const Index at_part = Index::variable(part);
  const RefPtr whole = part_ref(prefix, out.tensors[0], {at_part});
  const RefPtr before = part_ref(prefix, out.tensors[1], {at_part});
  const RefPtr own = part_ref(prefix, out.tensors[2], {at_part, Index::variable(along)});
  const RefPtr earlier_part = part_ref(prefix, out.tensors[0], {Index::variable(earlier)});
  const auto serial = [](const std::string& index, std::int64_t extent) {
    return Loop{LoopKind::serial, extent, index};
  };
  const ExprPtr guard = parts * inner > prefix.along.extent ? less_than(*place, prefix.along.extent) : nullptr;
  const auto chosen = [&](const ExprPtr& condition, const ExprPtr& value) {
    return make_expr(Select{condition, value, prefix.identity});
  };
  // The last part is a whole like the others, although nothing comes behind it: so all parts have the same loops.
  const std::int64_t terms = prefix.earlier.extent;
  out.items.push_back(folding(prefix, whole, term, {serial(part, parts), serial(earlier, inner)},
                              parts * inner > terms ? less_than(*place_of_term, terms) : nullptr));
  out.items.push_back(folding(prefix, before, chosen(up_to(earlier, part, true), read_expr(earlier_part)),
                              {serial(part, parts), serial(earlier, parts)}, nullptr));
  out.items.push_back(folding(prefix, own, chosen(up_to(earlier, along, prefix.is_strict), term),
                              {serial(part, parts), serial(along, inner), serial(earlier, inner)}, guard));
  std::vector<Index> subscripts = prefix.op.left().subscripts;
  subscripts[prefix.dimension] = *place;
  const Equation& old = *prefix.op.statement->equation;
  const RefPtr to = make_ref(old.left->tensor, old.left->dtype, old.left->scope, std::move(subscripts));
  EquationPtr both = stands_for(
      make_equation(stands_for(to, *old.left), fold_of(prefix.by(), read_expr(before), read_expr(own))), old);
  out.items.emplace_back(
      stands_for(make_nest(loops_with(prefix, {serial(part, parts), serial(along, inner)}), guard, {std::move(both)}),
                 *prefix.op.nest));
  return out;
}

void choices(View& view, Listing& listing) {
  for (const PlacedNest& nest : view.nests()) {
    const auto prefix = find(view, nest);
    if (!listing.allows(prefix)) continue;
    const auto offer = [&](bool running, ParameterDomain inner) {
      const std::string form(kForms[running ? 0 : 1]);
      listing.offer({item_site(nest.items), {{"form", std::vector<std::string>{form}}, std::move(inner)}, true});
    };
    if (listing.allows(refuse_form(*prefix, true, 0))) offer(true, {"inner", std::vector<std::int64_t>{0}});
    if (!listing.allows(refuse_form(*prefix, false, 2))) continue;
    offer(false, {"inner", IntegerRange{2, prefix->along.extent - 1, {}}});
  }
}

Result<Applied, Refusal> apply(View& view, const Choice& choice) {
  const auto nest = nest_at(view, choice.at);
  if (!nest) return nest.error();
  const auto form = one_of(choice, "form", kForms);
  if (!form) return form.error();
  const auto prefix = find(view, **nest);
  if (!prefix) return prefix.error();
  const bool running = *form == 0;
  const std::int64_t inner = choice.integer("inner");
  if (auto refusal = refuse_form(*prefix, running, inner)) return *std::move(refusal);
  auto built = running ? build_running(view, *prefix) : build_parts(view, *prefix, inner);
  if (!built) return Refusal{&kMemory, choice.at, "a subscript would not fit in 64 bits", {}};
  Applied out;
  out.facts.matched = {{"equation", item_site(prefix->op.statement->items)}};
  out.facts.removed = {{"expression", choice.at}};
  for (std::uint32_t i = 0; i < built->items.size(); ++i) {
    out.facts.added.push_back({running ? "recurrence" : "part", item_site(sibling((*nest)->items, i))});
  }
  out.facts.holds = {{&kPrefix, {{"tensor", prefix->op.left().tensor}, {"loop", prefix->along.index}}},
                     {&kSerial, {}},
                     {&kMemory, {}}};
  if (running) out.facts.holds.push_back({&kInclusive, {}});
  if (!running) out.facts.holds.push_back({&kCut, {{"inner", inner}, {"extent", prefix->along.extent}}});
  std::string tensors;
  for (const std::string& name : built->tensors) append(tensors, tensors.empty() ? "" : ",", name);
  out.facts.values = {{"form", kForms[*form]}, {"extent", prefix->along.extent}, {"tensors", tensors}};
  if (!running) out.facts.values.emplace_back("inner", inner);
  out.facts.because = running ? concat("what is folded up to ", prefix->along.index,
                                       " is what was folded up to the one before, and one "
                                       "term more")
                              : "what is folded is what all parts before make, and what the own part makes up to there";
  out.program = with_items(view.program(), (*nest)->items, std::move(built->items));
  return out;
}

}  // namespace

const Strategy& prefix_fold_strategy() {
  static constexpr Strategy kStrategy = {
      "prefix_fold",
      Level::operators,
      "a fold over all iterations up to this one goes on from the one before, or from the parts before",
      "L^{8}_{a=0}L^{8}_{c=0}[D_{a}=D_{a}+if_then_else(c<=a,f(c),0)]   -->   "
      "L^{8}_{a=0}[E_{a}=if_then_else(a-1<0,0,E_{a-1})+f(a);D_{a}=E_{a}]",
      "the operator is associative up to rounding, and every term keeps its place",
      "",
      {"@input A f32[8,12]\n@output D f32[8,12]\n"
       "B^{8}_{tx=0}L^{12}_{a=0}L^{12}_{c=0}"
       "[D^{f32,g}_{tx,a}=D^{f32,g}_{tx,a}+if_then_else(c<=a,A^{f32,g}_{tx,c},0);];\n",
       R"({"at":"0","form":"parts","inner":4})"},
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
