/// range_cut: what a condition on indices makes needless is skipped, as a whole where it can be.
///   D_{a,c}=D_{a,c}+f(a,c,d); E_{a,c}=if_then_else(c<=a,D_{a,c},0)   -->   ?{c<=a}[D_{a,c}=..]; E_{a,c}=..   (needed)
///   D_{a}=D_{a}+if_then_else(c<=a,A_{c},0)   -->   ?{c<=a}[D_{a}=D_{a}+A_{c}]   (neutral)
///   L^{8}_{k=0}L^{4}_{c=0}?{k*4+c<=a}[S]   -->   L^{8}_{k=0}?{k*4<=a}[L^{4}_{c=0}?{k*4+c<=a}[S]]   (blocks)
/// Safe because no element is left out that somebody reads; because an accumulation does not change where it takes the
/// neutral value; and because the condition outside holds wherever the one inside does, so that it only saves looking.
/// Not one of the published strategies.
#include <algorithm>

#include "steptp/analysis/box_search.h"
#include "steptp/analysis/interval.h"
#include "steptp/base/text.h"
#include "steptp/strategies/expressions.h"
#include "steptp/strategies/fill.h"
#include "steptp/strategies/loops.h"
#include "steptp/strategies/origins.h"
#include "steptp/strategies/storage.h"

namespace steptp {

namespace {

constexpr Parameter kParameters[] = {
    {"form", Parameter::Kind::word,
     "needed: at an equation whose tensor is read under a condition only; neutral: at an accumulation that takes its "
     "neutral value where a condition fails; blocks: at a loop with a guard further inside"},
};
constexpr Precondition kPublished[] = {
    {Check::dependency, "under-condition",
     "the tensor is not an output, only this equation writes it, its subscripts are different loops, and all its reads "
     "are "
     "under a condition on the loops that are their subscripts"},
};
constexpr Precondition kSafety[] = {
    {Check::order, "alone", "the equation stands alone in its nest, and its guard does not say the same already"},
    {Check::fact, "adds-nothing",
     "an accumulation takes the neutral value of its operator where a condition on indices fails, and the condition "
     "holds for some iteration of each element"},
    {Check::fact, "cuts-blocks",
     "a comparison of the guard that reads loops outside and inside is linear in those inside, and its weakest form "
     "over "
     "them can fail"},
    {Check::scope, "one-kernel",
     "no bound loop stands inside of a guard that is around a launch, and no block loop at all"},
};
constexpr const Precondition& kUnderCondition = kPublished[0];
constexpr const Precondition& kAlone = kSafety[0];
constexpr const Precondition& kAddsNothing = kSafety[1];
constexpr const Precondition& kCutsBlocks = kSafety[2];
constexpr const Precondition& kOneKernel = kSafety[3];
constexpr Component kModifies[] = {Component::expressions, Component::range_adjustments};
constexpr std::string_view kForms[] = {"needed", "neutral", "blocks"};

/// The conditions are equal, whoever built them.
bool contains(const std::vector<ExprPtr>& conditions, const ExprPtr& condition) {
  return std::any_of(conditions.begin(), conditions.end(),
                     [&](const ExprPtr& other) { return equal(*other, *condition); });
}

struct Cut {
  Program program;
  std::vector<ExprPtr> conditions;  ///< new ones
  Site guard;                       ///< where they stand after
};

// --- what is needed ------------------------------------------------------------------------------------------------

/// The loops that the subscripts of a reference are, all different; nothing where one is something else.
std::optional<std::vector<std::string>> plain_loops(const Ref& ref) {
  std::vector<std::string> out;
  for (const Index& subscript : ref.subscripts) {
    const std::string* name = subscript.as_variable();
    if (!name || std::find(out.begin(), out.end(), *name) != out.end()) return std::nullopt;
    out.push_back(*name);
  }
  return out;
}

/// What holds of the element wherever a read of it is evaluated, in the names of the loops that write it.
std::optional<std::vector<ExprPtr>> conditions_of(View& view, const Access& read, const std::vector<std::string>& own) {
  const auto loops = plain_loops(*read.ref);
  // A guard that reads the tensor looks at all of its conditions.
  if (!loops || loops->size() != own.size() || read.site.part == Site::Part::guard) return std::nullopt;
  Rewriter rename;
  for (std::size_t i = 0; i < own.size(); ++i) rename.variables.emplace((*loops)[i], Index::variable(own[i]));
  std::vector<ExprPtr> all = view.table().statements[read.statement].guards;
  for (const PathCondition& path : read.conditions) {
    if (path.holds) all.push_back(path.condition);
  }
  std::vector<ExprPtr> out;
  for (const ExprPtr& guard : all) {
    for (const ExprPtr& condition : conjuncts(guard)) {
      const std::set<std::string> used = variables_of(*condition);
      const bool about_element = std::all_of(used.begin(), used.end(), [&](const std::string& name) {
        return std::find(loops->begin(), loops->end(), name) != loops->end();
      });
      if (!about_element || used.empty() || !is_index_condition(*condition)) continue;
      ExprPtr renamed = rewrite(condition, rename);
      if (renamed && !contains(out, renamed)) out.push_back(std::move(renamed));
    }
  }
  return out;
}

Result<Cut, Refusal> plan_needed(View& view, const Site& site) {
  const auto found = equation_at(view, site);
  if (!found) return found.error();
  const Statement& statement = **found;
  const Ref& left = *statement.equation->left;
  const auto refuse_because = [&](const Precondition& why, std::string message) {
    return Refusal{&why, site, std::move(message), {{"tensor", left.tensor}}};
  };
  const TensorFacts& tensor = view.table().tensors.at(left.tensor);
  const auto own = plain_loops(left);
  if (tensor.known || tensor.writes.size() != 1 || !own) {
    return refuse_because(kUnderCondition,
                          concat(left.tensor, tensor.known                ? " is an output"
                                              : tensor.writes.size() != 1 ? " is written elsewhere too"
                                                                          : " has other subscripts than loops"));
  }
  std::optional<std::vector<ExprPtr>> common;
  for (const std::size_t number : tensor.reads) {
    const Access& read = view.table().accesses[number];
    if (&view.table().statements[read.statement] == &statement && read.is_accumulator) continue;
    const auto here = conditions_of(view, read, *own);
    if (!here)
      return refuse_because(kUnderCondition, concat("the read at ", to_text(read.site), " has other subscripts"));
    if (!common) common = *here;
    std::erase_if(*common, [&](const ExprPtr& condition) { return !contains(*here, condition); });
  }
  if (!common || common->empty()) {
    return refuse_because(kUnderCondition, concat("no condition is common to all reads of ", left.tensor));
  }
  const Nest& nest = *statement.nests.back();
  std::erase_if(*common, [&](const ExprPtr& condition) { return contains(statement.guards, condition); });
  if (nest.items.size() != 1 || common->empty()) {
    return refuse_because(kAlone, nest.items.size() != 1 ? "other items stand beside the equation"
                                                         : "its guard has the condition already");
  }
  std::vector<ExprPtr> guard = conjuncts(nest.guard);
  guard.insert(guard.end(), common->begin(), common->end());
  const std::vector<std::uint32_t> items(statement.items.begin(), statement.items.end() - 1);
  NestPtr cut = stands_for(make_nest(nest.loops, conjunction_of(guard), nest.items), nest);
  return Cut{with_items(view.program(), items, {std::move(cut)}), *std::move(common), guard_site(items)};
}

// --- what adds nothing ---------------------------------------------------------------------------------------------

/// Which operand of X=X+if_then_else(..) is the choice; nothing where the equation has another form.
std::optional<std::uint32_t> chosen_operand(const Statement& statement) {
  const Expr& right = *statement.equation->right;
  const auto* sum = std::get_if<Sum>(&right.node);
  const auto* product = std::get_if<Product>(&right.node);
  const bool joins = std::holds_alternative<Extremum>(right.node) || (sum && sum->operators[0] == ArithmeticOp::add) ||
                     (product && product->operators[0] == ArithmeticOp::multiply);
  if (!statement.accumulates || !joins || child_count(right) != 2) return std::nullopt;
  const auto* first = std::get_if<Read>(&child(right, 0)->node);
  const std::uint32_t number = first && equal(*first->ref, *statement.equation->left) ? 1 : 0;
  return std::holds_alternative<Select>(child(right, number)->node) ? std::optional(number) : std::nullopt;
}

/// For every element a condition holds where the loops that are not its subscripts are each at one end.
bool holds_somewhere(const Statement& statement, const Expr& condition) {
  constexpr std::size_t kMostLoops = 8;
  Ranges box;
  std::vector<const Loop*> others;
  std::set<std::string> own;
  for (const Index& subscript : statement.equation->left->subscripts) {
    for_each_variable(subscript, [&own](const std::string& name) { own.insert(name); });
  }
  for (const Loop* loop : statement.loops) {
    box.variables[loop->index] = {0, static_cast<Wide>(loop->extent) - 1};
    // Each block, or thread, has its own elements in s and l.
    const bool is_hidden = statement.equation->left->scope != Scope::global && loop->kind == LoopKind::bound;
    if (!own.contains(loop->index) && !is_hidden) others.push_back(loop);
  }
  if (others.size() > kMostLoops) return false;
  for (std::size_t corner = 0; corner < (std::size_t{1} << others.size()); ++corner) {
    for (std::size_t i = 0; i < others.size(); ++i) {
      const Wide at = (corner >> i) % 2 == 0 ? 0 : static_cast<Wide>(others[i]->extent) - 1;
      box.variables[others[i]->index] = {at, at};
    }
    if (truth_of(condition, box) == Truth::yes) return true;
  }
  return false;
}

Result<Cut, Refusal> plan_neutral(View& view, const Site& site) {
  const auto found = equation_at(view, site);
  if (!found) return found.error();
  const Statement& statement = **found;
  const auto refuse_because = [&](const Precondition& why, std::string message) {
    return Refusal{&why, site, std::move(message), {{"tensor", statement.equation->left->tensor}}};
  };
  const auto number = chosen_operand(statement);
  const ExprPtr& right = statement.equation->right;
  const auto* chosen = number ? std::get_if<Select>(&child(*right, *number)->node) : nullptr;
  if (!chosen || !is_index_condition(*chosen->condition) || !is_neutral(*chosen->if_false, *statement.accumulates)) {
    return refuse_because(kAddsNothing, "it takes no neutral value where a condition on indices fails");
  }
  const Nest& nest = *statement.nests.back();
  if (nest.items.size() != 1 || !statement.guards.empty()) {
    return refuse_because(kAlone,
                          nest.items.size() != 1 ? "other items stand beside the equation" : "it has a guard already");
  }
  if (!holds_somewhere(statement, *chosen->condition)) {
    return refuse_because(kAddsNothing, "the condition may fail in all iterations of an element");
  }
  std::vector<ExprPtr> operands = {child(*right, 0), child(*right, 1)};
  operands[*number] = chosen->if_true;
  EquationPtr equation =
      stands_for(make_equation(statement.equation->left, with_children(right, operands)), *statement.equation);
  const std::vector<std::uint32_t> items(statement.items.begin(), statement.items.end() - 1);
  NestPtr cut = stands_for(make_nest(nest.loops, chosen->condition, {std::move(equation)}), nest);
  return Cut{with_items(view.program(), items, {std::move(cut)}), conjuncts(chosen->condition), guard_site(items)};
}

// --- whole blocks --------------------------------------------------------------------------------------------------

/// left < right, or the like, where the loops inside have the values for which it holds most easily. Nothing where it
/// is not linear in them, reads none of them, or none outside.
ExprPtr weakest(const ExprPtr& left, CompareOp op, const ExprPtr& right, const std::vector<Loop>& inside) {
  if (op == CompareOp::equal || op == CompareOp::not_equal) return nullptr;
  const auto a = to_index(*left);
  const auto b = to_index(*right);
  const auto difference = a && b ? Index::subtract(*a, *b) : std::nullopt;
  if (!difference) return nullptr;
  const bool wants_small = op == CompareOp::less || op == CompareOp::less_equal;
  Rewriter rewriter;
  Index rest = *difference;
  for (const Loop& loop : inside) {
    for (const IndexTerm& term : difference->terms()) {
      const auto* variable = term.factors.size() == 1 ? std::get_if<LoopVariable>(&term.factors[0]) : nullptr;
      if (!variable || variable->name != loop.index) continue;
      const auto own = Index::multiply(Index::variable(loop.index), Index::constant(term.coefficient));
      const auto without = own ? Index::subtract(rest, *own) : std::nullopt;
      if (!without) return nullptr;
      rest = *without;
      const bool least = wants_small == (term.coefficient > 0);
      rewriter.variables.emplace(loop.index, Index::constant(least ? 0 : loop.extent - 1));
    }
  }
  bool reads_outside = false;
  bool reads_inside = false;
  for_each_variable(rest, [&](const std::string& name) {
    const bool is_inside = std::any_of(inside.begin(), inside.end(), [&](const Loop& l) { return l.index == name; });
    (is_inside ? reads_inside : reads_outside) = true;
  });
  if (rewriter.variables.empty() || reads_inside || !reads_outside) return nullptr;
  const auto low = rewrite(*a, rewriter);
  const auto high = rewrite(*b, rewriter);
  return low && high ? make_expr(Compare{{to_expr(*low), to_expr(*high)}, {op}}) : nullptr;
}

/// Whether a comparison of two indices fails somewhere in a box, as far as intervals show.
bool can_fail(const Expr& condition, const Ranges& box) {
  const auto& compare = std::get<Compare>(condition.node);
  const auto difference = Index::subtract(*to_index(*compare.operands[0]), *to_index(*compare.operands[1]));
  if (!difference) return false;
  const Interval range = range_of(*difference, box);
  switch (compare.operators[0]) {
    case CompareOp::less: return range.high >= 0;
    case CompareOp::less_equal: return range.high > 0;
    case CompareOp::greater: return range.low <= 0;
    case CompareOp::greater_equal: return range.low < 0;
    case CompareOp::equal:
    case CompareOp::not_equal: return false;
  }
  return false;
}

std::optional<Refusal> refuse_kernel(View& view, const PlacedLoop& at) {
  for (const std::size_t number : statements_below(view, *at.nest)) {
    const std::vector<const Loop*>& loops = view.table().statements[number].loops;
    const auto inside = loops.begin() + static_cast<std::ptrdiff_t>(loops_around(*at.nest) + at.position) + 1;
    const bool in_kernel =
        std::any_of(loops.begin(), inside, [](const Loop* loop) { return loop->kind == LoopKind::bound; });
    for (auto loop = inside; loop != loops.end(); ++loop) {
      const auto axis = axis_of((*loop)->index);
      if (!axis || (in_kernel && is_thread_axis(*axis))) continue;
      return Refusal{&kOneKernel, at.site(), concat("the guard would be around ", (*loop)->index), {}};
    }
  }
  return std::nullopt;
}

Result<Cut, Refusal> plan_blocks(View& view, const PlacedLoop& at) {
  const Nest& nest = *at.nest->nest;
  const auto refuse_because = [&](std::string message) {
    return Refusal{&kCutsBlocks, at.site(), std::move(message), {}};
  };
  if (at.position + 1 == nest.loops.size() || !nest.guard) {
    return refuse_because(nest.guard ? concat(at.loop().index, " is the last loop of its header")
                                     : "there is no guard");
  }
  if (auto refusal = refuse_kernel(view, at)) return *std::move(refusal);
  const OpenedBody body = open_body(nest, at.position);
  const auto cut = nest.loops.begin() + static_cast<std::ptrdiff_t>(at.position) + 1;
  const std::vector<Loop> inside(cut, nest.loops.end());
  Ranges box;
  for (const Nest* around : at.nest->around) {
    for (const Loop& loop : around->loops) box.variables[loop.index] = {0, static_cast<Wide>(loop.extent) - 1};
  }
  for (auto loop = nest.loops.begin(); loop != cut; ++loop) {
    box.variables[loop->index] = {0, static_cast<Wide>(loop->extent) - 1};
  }
  std::vector<ExprPtr> guard = conjuncts(body.guard);
  std::vector<ExprPtr> added;
  for (const ExprPtr& condition : conjuncts(nest.guard)) {
    const auto* compare = std::get_if<Compare>(&condition->node);
    for (std::size_t i = 0; compare && i < compare->operators.size(); ++i) {
      ExprPtr weak = weakest(compare->operands[i], compare->operators[i], compare->operands[i + 1], inside);
      if (!weak || !can_fail(*weak, box) || contains(guard, weak)) continue;
      guard.push_back(weak);
      added.push_back(std::move(weak));
    }
  }
  if (added.empty())
    return refuse_because(concat("no comparison of the guard skips whole rounds of ", at.loop().index));
  const Item inner = stands_for(std::get<NestPtr>(body.items[0]), nest);
  NestPtr outer = stands_for(make_nest(body.outer, conjunction_of(guard), {inner}), nest);
  const std::vector<std::uint32_t>& items = at.nest->items;
  return Cut{with_items(view.program(), items, {std::move(outer)}), std::move(added), guard_site(items)};
}

Result<Cut, Refusal> plan(View& view, const Site& site, std::size_t form) {
  if (form == 0) return plan_needed(view, site);
  if (form == 1) return plan_neutral(view, site);
  const auto at = find_loop(view, site);
  if (!at) return at.error();
  return plan_blocks(view, *at);
}

void choices(View& view, Listing& listing) {
  const auto offer = [&](const Site& site, std::size_t form) {
    if (!listing.allows(plan(view, site, form))) return;
    listing.offer({site, {{"form", std::vector<std::string>{std::string(kForms[form])}}}, true});
  };
  for (const Statement& statement : view.table().statements) {
    offer(item_site(statement.items), 0);
    offer(item_site(statement.items), 1);
  }
  for (const PlacedLoop& at : all_loops(view)) offer(at.site(), 2);
}

Result<Applied, Refusal> apply(View& view, const Choice& choice) {
  const auto form = one_of(choice, "form", kForms);
  if (!form) return form.error();
  auto cut = plan(view, choice.at, *form);
  if (!cut) return cut.error();
  Applied out;
  out.program = std::move(cut->program);
  const std::string_view role = *form < 2 ? "equation" : "loop";
  out.facts.matched = {{role, choice.at}};
  out.facts.removed = out.facts.matched;
  out.facts.added = {{"guard", cut->guard}};
  out.facts.values = {{"conditions", static_cast<std::int64_t>(cut->conditions.size())}};
  if (*form == 0) {
    out.facts.holds = {{&kUnderCondition, {}}, {&kAlone, {}}};
    out.facts.because = "every read of the tensor is under the condition, so that nobody reads what is left out";
  } else if (*form == 1) {
    out.facts.holds = {{&kAddsNothing, {}}, {&kAlone, {}}};
    out.facts.because = "what is left out adds the neutral value, and something is left for every element";
  } else {
    out.facts.holds = {{&kCutsBlocks, {}}, {&kOneKernel, {}}};
    out.facts.because = "the condition outside holds wherever the one inside holds";
  }
  return out;
}

}  // namespace

const Strategy& range_cut_strategy() {
  static constexpr Strategy kStrategy = {
      "range_cut",
      Level::operators,
      "what a condition on indices makes needless is skipped, as a whole where it can be",
      "D_{a,c}=D_{a,c}+f(a,c,d); E_{a,c}=if_then_else(c<=a,D_{a,c},0)   -->   ?{c<=a}[D_{a,c}=..]; E_{a,c}=..\n"
      "  D_{a}=D_{a}+if_then_else(c<=a,A_{c},0)   -->   ?{c<=a}[D_{a}=D_{a}+A_{c}]\n"
      "  L^{8}_{k=0}L^{4}_{c=0}?{k*4+c<=a}[S]   -->   L^{8}_{k=0}?{k*4<=a}[L^{4}_{c=0}?{k*4+c<=a}[S]]",
      "no element is left out that somebody reads, an accumulation does not change where it takes the neutral value, "
      "and "
      "the condition outside holds wherever the one inside does",
      "",
      {"@input A f32[6,4]\n@input C f32[4,6]\n@output E f32[6,6]\n"
       "B^{6}_{tx=0}L^{6}_{a=0}L^{4}_{c=0}[D^{f32,g}_{tx,a}=D^{f32,g}_{tx,a}+A^{f32,g}_{tx,c}*C^{f32,g}_{c,a};];"
       "B^{6}_{tx=0}L^{6}_{a=0}[E^{f32,g}_{tx,a}=if_then_else(a<=tx,D^{f32,g}_{tx,a},0);];\n",
       R"({"at":"0/0","form":"needed"})"},
      kParameters,
      kPublished,
      kSafety,
      kModifies,
      {},
      choices,
      apply,
  };
  return kStrategy;
}

}  // namespace steptp
