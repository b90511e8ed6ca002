/// reduction_factorization: a reduction is made in parts, which are then combined.
///   L^{4}_{c=0}[D=D+f(c)]   -->   L^{1}_{c=0}[E=E+f(c)]; L^{3}_{c=0}[F=F+f(c+1)]; D=D+(E+F)
///   L^{4}_{c=0}L^{9}_{d=0}[D=D+f(c,d)]   -->   L^{4}_{c=0}L^{9}_{d=0}[E_{c}=E_{c}+f(c,d)]; L^{4}_{c=0}[D=D+E_{c}]
/// Safe because the operator is associative and commutative, up to rounding: every term enters one part, every part
/// enters the result once, and what the accumulator held before stays in it.
#include <algorithm>
#include <set>

#include "steptp/base/text.h"
#include "steptp/strategies/legality.h"
#include "steptp/strategies/loops.h"
#include "steptp/strategies/origins.h"
#include "steptp/strategies/storage.h"

namespace steptp {

namespace {

constexpr Parameter kParameters[] = {
    {"form", Parameter::Kind::word,
     "accumulate: two parts, added to the accumulator; assign: it had no value before; rfactor: a part per iteration"},
    {"cut", Parameter::Kind::integer, "iterations of the first part; 0 for rfactor"},
};
constexpr Precondition kPublished[] = {
    {Check::reduction_axis, "reduction",
     "the only equation of the nest accumulates by + * max or min, the loop is not in its left subscripts"},
};
constexpr Precondition kSafety[] = {
    {Check::size, "cut", "the cut leaves iterations on both sides"},
    {Check::size, "memory", "the parts have at most 2^31 elements, and subscripts fit"},
    {Check::scope, "global",
     "the accumulator is in g, the nest has no loop over blocks below a kernel's header, and a loop over an axis is "
     "not cut where its iterations read data of their own in s or l"},
    {Check::fact, "guard",
     "the guard does not read a loop that the combining nest does not have; for rfactor each part still has a term"},
    {Check::fact, "first-write",
     "to assign, nothing else writes the accumulator, the nest runs once, and each element once"},
    {Check::order, "races", "inside of a nest no two threads or blocks then touch an element that one of them writes"},
};
constexpr const Precondition& kReduction = kPublished[0];
constexpr const Precondition& kCut = kSafety[0];
constexpr const Precondition& kMemory = kSafety[1];
constexpr const Precondition& kGlobal = kSafety[2];
constexpr const Precondition& kGuard = kSafety[3];
constexpr const Precondition& kFirstWrite = kSafety[4];
constexpr const Precondition& kRaces = kSafety[5];
constexpr Component kModifies[] = {Component::expressions, Component::loop_axes, Component::range_adjustments,
                                   Component::equations, Component::variables};
constexpr NewElement kIntroduces[] = {NewElement::variables, NewElement::index_calculations, NewElement::expressions};
constexpr std::int64_t kMaxElements = std::int64_t{1} << 31;

enum class Form : std::uint8_t { accumulate, assign, rfactor };
constexpr std::string_view kForms[] = {"accumulate", "assign", "rfactor"};

struct Reduction {
  PlacedLoop at;
  const Statement* statement = nullptr;
  std::set<std::string> output;  ///< indices in the left subscripts
};

/// The left subscripts are loop indices, no two the same, and numbers: each iteration of the output loops has its own
/// element.
bool is_one_to_one(const Ref& left) {
  std::set<std::string> seen;
  return std::all_of(left.subscripts.begin(), left.subscripts.end(), [&seen](const Index& subscript) {
    const std::string* name = subscript.as_variable();
    return subscript.is_constant() || (name && seen.insert(*name).second);
  });
}

/// What does not depend on the form.
Result<Reduction, Refusal> plan(View& view, const PlacedLoop& at) {
  const Nest& nest = *at.nest->nest;
  const auto refuse_because = [&](std::string why) { return Refusal{&kReduction, at.site(), std::move(why), {}}; };
  if (nest.items.size() != 1 || !std::holds_alternative<EquationPtr>(nest.items[0])) {
    return refuse_because(concat("the nest has ", nest.items.size(), " items or another nest inside"));
  }
  std::vector<std::uint32_t> items = at.nest->items;
  items.push_back(0);
  Reduction out{at, view.find_statement(items), {}};
  const Ref& left = *out.statement->equation->left;
  for (const Index& subscript : left.subscripts) {
    for_each_variable(subscript, [&](const std::string& name) { out.output.insert(name); });
  }
  if (!is_free_accumulation(*out.statement)) {
    return refuse_because(concat("the equation does not accumulate into ", left.tensor, " in an order that is free"));
  }
  if (out.output.contains(at.loop().index)) {
    return refuse_because(concat(at.loop().index, " is in the left subscripts"));
  }
  if (left.scope != Scope::global) {
    return Refusal{&kGlobal, at.site(), concat(left.tensor, " is in ", code(left.scope)), {}};
  }
  if (!at.nest->around.empty() && std::any_of(nest.loops.begin(), nest.loops.end(), [](const Loop& loop) {
        const auto axis = axis_of(loop.index);
        return axis && !is_thread_axis(*axis);
      })) {
    return Refusal{&kGlobal, at.site(), "the header has a loop over blocks", {}};
  }
  return out;
}

/// The loops whose iterations have parts of their own: those around the nest and the output loops of its header.
std::vector<const Loop*> part_loops(const Reduction& reduction) {
  std::vector<const Loop*> loops;
  for (const Loop& loop : reduction.at.nest->nest->loops) {
    if (reduction.output.contains(loop.index)) loops.push_back(&loop);
  }
  for (const Nest* outer : reduction.at.nest->around) {
    for (const Loop& loop : outer->loops) loops.push_back(&loop);
  }
  return loops;
}

/// The loops of the header that stay around the combining equation.
std::vector<Loop> combining_loops(const Reduction& reduction, Form form) {
  std::vector<Loop> loops;
  const std::vector<Loop>& header = reduction.at.nest->nest->loops;
  for (std::size_t i = 0; i < header.size(); ++i) {
    const bool kept = form == Form::rfactor && i == reduction.at.position;
    if (kept || reduction.output.contains(header[i].index)) loops.push_back(header[i]);
  }
  return loops;
}

/// A loop of the header that the combining nest does not have, and that the condition reads; empty where there is none.
std::string lost_loop(const Reduction& reduction, Form form, const ExprPtr& condition) {
  std::string out;
  const std::vector<Loop> kept = combining_loops(reduction, form);
  for_each_variable(*condition, [&](const std::string& name) {
    const auto named = [&name](const Loop& loop) { return loop.index == name; };
    const std::vector<Loop>& header = reduction.at.nest->nest->loops;
    const bool here = std::any_of(header.begin(), header.end(), named);
    if (out.empty() && here && std::none_of(kept.begin(), kept.end(), named)) out = name;
  });
  return out;
}

/// Of the guard what the combining nest can ask. The rest only says which terms a part has.
ExprPtr combining_guard(const Reduction& reduction, Form form) {
  const ExprPtr& guard = reduction.at.nest->nest->guard;
  if (!guard) return nullptr;
  std::vector<ExprPtr> kept = conjuncts(guard);
  std::erase_if(kept, [&](const ExprPtr& condition) { return !lost_loop(reduction, form, condition).empty(); });
  return conjunction_of(kept);
}

std::optional<Refusal> refuse_form(View& view, const Reduction& reduction, Form form) {
  const Ref& left = *reduction.statement->equation->left;
  if (form == Form::assign) {
    std::string_view why;
    if (view.table().tensors.at(left.tensor).writes.size() > 1)
      why = " is written elsewhere too";
    else if (!reduction.at.nest->around.empty())
      why = " may be written in each round of the loops around";
    else if (!is_one_to_one(left))
      why = " may be written by several iterations of the output loops";
    if (!why.empty()) {
      return Refusal{&kFirstWrite, reduction.at.site(), concat(left.tensor, why), {{"tensor", left.tensor}}};
    }
  }
  if (form != Form::rfactor && reduction.at.loop().kind == LoopKind::bound) {
    // Shifted, an iteration would be another thread, which has other data.
    RefPtr own;
    for_each_ref(*reduction.statement->equation->right, [&](const RefPtr& ref) {
      if (ref->scope != Scope::global) own = ref;
    });
    if (own) {
      return Refusal{
          &kGlobal, reduction.at.site(), concat(own->tensor, " is in ", code(own->scope)), {{"tensor", own->tensor}}};
    }
  }
  if (form != Form::rfactor && reduction.at.loop().extent < 2) {
    return Refusal{&kCut, reduction.at.site(), "one iteration cannot be cut", {{"extent", 1}}};
  }
  std::int64_t elements = form == Form::rfactor ? reduction.at.loop().extent : 1;
  for (const Loop* loop : part_loops(reduction)) {
    elements = loop->extent > kMaxElements / elements ? kMaxElements + 1 : elements * loop->extent;
    if (elements > kMaxElements) break;
  }
  if (elements <= kMaxElements) return std::nullopt;
  return Refusal{&kMemory, reduction.at.site(), "a part would have more than 2^31 elements", {{"limit", kMaxElements}}};
}

/// A part has the subscripts of the accumulator where these are one to one, otherwise the output loops; then the loops
/// around the nest that are not among them, so that each run of the nest has parts of its own; then what else is given.
RefPtr part_ref(const Reduction& reduction, std::string name, const std::vector<Index>& more) {
  const Ref& left = *reduction.statement->equation->left;
  const bool same = is_one_to_one(left);
  std::vector<Index> subscripts = same ? left.subscripts : std::vector<Index>{};
  for (const Loop* loop : part_loops(reduction)) {
    if (!same || !reduction.output.contains(loop->index)) subscripts.push_back(Index::variable(loop->index));
  }
  subscripts.insert(subscripts.end(), more.begin(), more.end());
  return make_ref(std::move(name), left.dtype, left.scope, std::move(subscripts));
}

ExprPtr combine(ArithmeticOp op, const ExprPtr& a, const ExprPtr& b) {
  if (op == ArithmeticOp::add) return make_sum(a, op, b);
  if (op == ArithmeticOp::multiply) return make_product(a, op, b);
  return make_expr(Extremum{op == ArithmeticOp::max, a, b});
}

/// The nest with the part as its accumulator, its loop shortened and shifted.
std::optional<Item> part_nest(const Reduction& reduction, const RefPtr& part, std::int64_t shift, std::int64_t extent) {
  const Nest& nest = *reduction.at.nest->nest;
  const Ref& left = *reduction.statement->equation->left;
  std::vector<Loop> loops = nest.loops;
  loops[reduction.at.position].extent = extent;
  Rewriter rename;
  rename.expr = [&](const ExprPtr& expr) {
    const auto* read = std::get_if<Read>(&expr->node);
    return read && equal(*read->ref, left) ? read_expr(stands_for(part, *read->ref)) : expr;
  };
  ExprPtr right = rewrite(reduction.statement->equation->right, rename);
  Rewriter move;
  if (shift > 0) {
    const std::string& index = reduction.at.loop().index;
    const auto moved = Index::add(Index::variable(index), Index::constant(shift));
    if (!moved) return std::nullopt;
    move.variables.emplace(index, *moved);
  }
  right = right ? rewrite(right, move) : nullptr;
  const ExprPtr guard = nest.guard ? rewrite(nest.guard, move) : nullptr;
  if (!right || (nest.guard && !guard)) return std::nullopt;
  const Equation& equation = *reduction.statement->equation;
  return stands_for(make_nest(std::move(loops), guard,
                              {stands_for(make_equation(stands_for(part, left), std::move(right)), equation)}),
                    nest);
}

/// The combining equation with its loops; a nest has at least one, so that a scalar runs in a launch of one thread.
Item combining_nest(View& view, const Reduction& reduction, Form form, EquationPtr equation) {
  std::vector<Loop> loops = combining_loops(reduction, form);
  const bool inside = !reduction.at.nest->around.empty();
  if (loops.empty() && !combining_guard(reduction, form) && inside) return equation;
  if (loops.empty() && inside) {
    loops.push_back({LoopKind::serial, 1, view.fresh_indices(reduction.at.expression()).next()});
  }
  if (loops.empty()) loops.push_back({LoopKind::bound, 1, "tx"});
  return make_nest(std::move(loops), combining_guard(reduction, form), {std::move(equation)});
}

struct Built {
  std::vector<Item> items;
  std::vector<std::string> parts;
};

std::optional<Built> build(View& view, const Reduction& reduction, Form form, std::int64_t cut) {
  const RefPtr& left = reduction.statement->equation->left;
  const ArithmeticOp op = *reduction.statement->accumulates;
  NameSource names = view.fresh_tensors();
  Built out;
  const auto add_part = [&](const RefPtr& part, std::int64_t shift, std::int64_t extent) {
    auto nest = part_nest(reduction, part, shift, extent);
    out.parts.push_back(part->tensor);
    if (!nest) return false;
    out.items.push_back(*std::move(nest));
    return true;
  };
  const std::int64_t extent = reduction.at.loop().extent;
  ExprPtr result;
  if (form == Form::rfactor) {
    const RefPtr part = part_ref(reduction, names.next(), {Index::variable(reduction.at.loop().index)});
    if (!add_part(part, 0, extent)) return std::nullopt;
    result = combine(op, read_expr(left), read_expr(part));
  } else {
    const RefPtr first = part_ref(reduction, names.next(), {});
    const RefPtr second = part_ref(reduction, names.next(), {});
    if (!add_part(first, 0, cut) || !add_part(second, cut, extent - cut)) return std::nullopt;
    result = combine(op, read_expr(first), read_expr(second));
    if (form == Form::accumulate) result = combine(op, read_expr(left), result);
  }
  out.items.push_back(combining_nest(view, reduction, form, make_equation(left, std::move(result))));
  return out;
}

/// Where the guard reads loops that the combining nest does not have, each part that is combined must still have a
/// term.
std::optional<Refusal> refuse_guard(View& view, const Reduction& reduction, Form form) {
  const Nest& nest = *reduction.at.nest->nest;
  const std::string lost = nest.guard ? lost_loop(reduction, form, nest.guard) : std::string();
  if (lost.empty()) return std::nullopt;
  const Refusal refusal = {&kGuard, reduction.at.site(), concat("the guard reads ", lost), {{"index", lost}}};
  const auto built = form == Form::rfactor ? build(view, reduction, form, 0) : std::nullopt;
  if (!built) return refusal;
  const Program after = with_items(view.program(), reduction.at.nest->items, built->items);
  View parts(after);
  const std::vector<std::size_t>& reads = parts.table().tensors.at(built->parts[0]).reads;
  const bool all_have = std::all_of(reads.begin(), reads.end(), [&](std::size_t number) {
    const Access& read = parts.table().accesses[number];
    return read.is_accumulator || is_defined(parts, read);
  });
  return all_have ? std::nullopt : std::optional(refusal);
}

/// Parts and what combines them are several items where one equation stood, which alone may reduce over threads or
/// blocks. Where the cut is plays no part.
std::optional<Refusal> refuse_races(View& view, const Reduction& reduction, Form form) {
  const auto is_bound = [](const Loop* loop) { return loop->kind == LoopKind::bound; };
  const std::vector<const Loop*>& loops = reduction.statement->loops;
  if (reduction.at.nest->around.empty() || std::none_of(loops.begin(), loops.end(), is_bound)) return std::nullopt;
  const auto built = build(view, reduction, form, form == Form::rfactor ? 0 : (reduction.at.loop().extent + 1) / 2);
  if (!built) return std::nullopt;  // which the step says
  const Program program = with_items(view.program(), reduction.at.nest->items, built->items);
  View after(program);
  const auto conflict = race_conflict(view, after, reduction.at.expression());
  return conflict ? std::optional(steptp::refuse(kRaces, reduction.at.site(), *conflict)) : std::nullopt;
}

/// All that may be wrong with a form.
std::optional<Refusal> refuse(View& view, const Reduction& reduction, Form form) {
  auto refusal = refuse_form(view, reduction, form);
  if (!refusal) refusal = refuse_guard(view, reduction, form);
  return refusal ? refusal : refuse_races(view, reduction, form);
}

void choices(View& view, Listing& listing) {
  for (const PlacedLoop& at : all_loops(view)) {
    const auto reduction = plan(view, at);
    if (!listing.allows(reduction)) continue;
    for (const Form form : {Form::accumulate, Form::assign, Form::rfactor}) {
      if (!listing.allows(refuse(view, *reduction, form))) continue;
      ParameterDomain cut{"cut", IntegerRange{1, at.loop().extent - 1, {}}};
      if (form == Form::rfactor) cut.values = std::vector<std::int64_t>{0};
      const std::string name(kForms[static_cast<std::size_t>(form)]);
      listing.offer({at.site(), {{"form", std::vector<std::string>{name}}, std::move(cut)}, form == Form::rfactor});
    }
  }
}

Facts facts_of(const Reduction& reduction, Form form, std::int64_t cut, const Built& built) {
  const std::vector<std::uint32_t>& items = reduction.at.nest->items;
  const Ref& left = *reduction.statement->equation->left;
  const std::string op(text_of(*reduction.statement->accumulates));
  Facts facts;
  facts.matched = {{"loop", reduction.at.site()}, {"equation", item_site(reduction.statement->items)}};
  facts.removed = {{"expression", item_site(items)}};
  for (std::uint32_t i = 0; i < built.items.size(); ++i) {
    std::vector<std::uint32_t> place = items;
    place.back() += i;
    facts.added.push_back({i < built.parts.size() ? "part" : "combination", item_site(std::move(place))});
  }
  for (const std::string& part : built.parts) {
    facts.renamings.push_back({"tensor", left.tensor, part, item_site(items)});
  }
  facts.holds = {{&kReduction, {{"operator", op}, {"tensor", left.tensor}, {"loop", reduction.at.loop().index}}},
                 {&kGlobal, {}},
                 {&kGuard, {}}};
  facts.values = {{"form", kForms[static_cast<std::size_t>(form)]}, {"extent", reduction.at.loop().extent}};
  if (form != Form::rfactor) facts.values.emplace_back("cut", cut);
  facts.because = concat(op, " is associative and commutative up to rounding, each term of ", left.tensor,
                         " enters one part, and each part enters ", left.tensor, " once");
  return facts;
}

Result<Applied, Refusal> apply(View& view, const Choice& choice) {
  const auto at = find_loop(view, choice.at);
  if (!at) return at.error();
  const auto named = one_of(choice, "form", kForms);
  if (!named) return named.error();
  const auto form = static_cast<Form>(*named);
  const auto reduction = plan(view, *at);
  if (!reduction) return reduction.error();
  if (auto refusal = refuse(view, *reduction, form)) return *std::move(refusal);
  const std::int64_t cut = choice.integer("cut");
  const std::int64_t extent = at->loop().extent;
  if (form == Form::rfactor ? cut != 0 : cut < 1 || cut >= extent) {
    return Refusal{
        &kCut, choice.at, concat("a cut of ", extent, " iterations at ", cut), {{"extent", extent}, {"cut", cut}}};
  }
  const auto built = build(view, *reduction, form, cut);
  if (!built) return Refusal{&kMemory, choice.at, "a subscript would not fit in 64 bits", {}};
  return Applied{with_items(view.program(), at->nest->items, built->items), facts_of(*reduction, form, cut, *built)};
}

}  // namespace

const Strategy& reduction_factorization_strategy() {
  static constexpr Strategy kStrategy = {
      "reduction_factorization",
      Level::operators,
      "a reduction is made in parts, which are then combined",
      "L^{4}_{c=0}[D=D+f(c)]   -->   L^{1}_{c=0}[E=E+f(c)]; L^{3}_{c=0}[F=F+f(c+1)]; D=D+(E+F)",
      "the operator is associative and commutative, up to rounding: every term enters one part, every part enters the "
      "result once, and what the accumulator held before stays in it",
      "",
      {kMatmulExample, R"({"at":"0:loop[2]","form":"accumulate","cut":1})"},
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
