/// partially_equivalent_then_correct: two windowed reductions (convolutions, poolings) of padded inputs become one over
/// the inputs side by side, and the elements whose windows reach across are computed again.
///   H=pad(A);D=conv(H);I=pad(C);E=conv(I);   -->   M=conv(pad(A,C));D_{i}=M_{i};E_{i}=M_{i+n/s};then D, E at the
///   border
/// Safe because padded side by side the inputs differ from each padded alone only behind the end of the first and
/// before the beginning of the second: with stride s, length n, padding p and windows of w_low..w_high, D_{i} is M_{i}
/// where i*s+w_high<p+n, E_{j} is M_{j+n/s} where j*s+w_low>=p, and all others are computed as they were.
#include <algorithm>
#include <set>

#include "steptp/base/text.h"
#include "steptp/strategies/expressions.h"
#include "steptp/strategies/loops.h"
#include "steptp/strategies/origins.h"
#include "steptp/strategies/pieces.h"
#include "steptp/strategies/rewrite.h"
#include "steptp/strategies/windows.h"

namespace steptp {

namespace {

constexpr Parameter kParameters[] = {
    {"with", Parameter::Kind::word, "the address of the second reduction"},
    {"dimension", Parameter::Kind::integer, "the dimension of the padded inputs along which they come side by side"},
};
constexpr Precondition kSafety[] = {
    {Check::fact, "pair",
     "both nests are expressions that reduce, by + or max, windows of one padded copy each, in the same way and with "
     "the same other operands; both copies pad in the same way"},
    {Check::fact, "window",
     "along the dimension a serial loop of the output moves the window, and nothing else uses it"},
    {Check::fact, "stride", "the stride divides the length of the inputs"},
    {Check::fact, "kept", "some elements of both results need no correction"},
    {Check::order, "between", "nothing between the four nests touches what they make or writes what they read"},
    {Check::size, "memory", "the new tensors have at most 2^31 elements"},
};
constexpr const Precondition& kPair = kSafety[0];
constexpr const Precondition& kWindow = kSafety[1];
constexpr const Precondition& kStride = kSafety[2];
constexpr const Precondition& kKept = kSafety[3];
constexpr const Precondition& kBetween = kSafety[4];
constexpr const Precondition& kMemory = kSafety[5];
constexpr Component kModifies[] = {Component::expressions, Component::range_adjustments, Component::equations,
                                   Component::variables, Component::index_segments};
constexpr NewElement kIntroduces[] = {NewElement::variables, NewElement::index_calculations, NewElement::expressions};

std::optional<Refusal> refuse_between(View& view, const WindowPair& pair) {
  const Site site = item_site(pair.first.reduction.place->items);
  const std::set<std::uint32_t> own = {pair.first.reduction.place->items[0], pair.second.reduction.place->items[0],
                                       pair.first.padding.place->items[0], pair.second.padding.place->items[0]};
  std::set<std::string> made;
  std::set<std::string> read;
  for (const Access& access : view.table().accesses) {
    if (!own.contains(view.table().statements[access.statement].items[0])) continue;
    (access.is_write ? made : read).insert(access.ref->tensor);
  }
  for (const std::uint32_t number : own) {
    const auto next = own.upper_bound(number);
    if (next == own.end()) break;
    auto touched = touched_between(view, {}, number + 1, *next, made, true);
    if (!touched) touched = touched_between(view, {}, number + 1, *next, read, false);
    if (touched) return Refusal{&kBetween, site, concat(*touched, " is touched between"), {{"tensor", *touched}}};
  }
  return std::nullopt;
}

RefPtr shifted_ref(const RefPtr& ref, const std::string& tensor, const std::string& loop, std::int64_t by) {
  const RefPtr to = moved(ref, loop, by);
  return make_ref(tensor, to->dtype, to->scope, to->subscripts);
}

/// Both inputs side by side, without padding: J_{..,x,..}=A; J_{..,x+n,..}=C.
Item side_by_side(const WindowPair& pair, const Border& border, const std::string& name) {
  const Padding& padding = pair.first.padding;
  std::vector<Loop> loops = padding.loops();
  std::vector<Item> items;
  for (const Windows* one : {&pair.first, &pair.second}) {
    RefPtr source = one->padding.source;
    std::vector<Index> subscripts;
    Rewriter rewriter;
    for (std::size_t i = 0; i < loops.size(); ++i) {
      const Index index = Index::variable(loops[i].index);
      const auto at = Index::add(index, Index::constant(padding.ranges[i].low));
      rewriter.variables.emplace(one->padding.loops()[i].index, *at);
      const bool second = one == &pair.second && i == border.dimension;
      subscripts.push_back(*Index::add(index, Index::constant(second ? padding.ranges[i].count : 0)));
    }
    source = rewrite(source, rewriter);
    items.emplace_back(
        make_equation(make_ref(name, source->dtype, Scope::global, std::move(subscripts)), read_expr(source)));
  }
  for (std::size_t i = 0; i < loops.size(); ++i) loops[i].extent = padding.ranges[i].count;
  return make_nest(std::move(loops), nullptr, std::move(items));
}

Item padded_nest(const WindowPair& pair, const Border& border, const std::string& name, const std::string& source) {
  const Padding& padding = pair.first.padding;
  std::vector<Loop> loops = padding.loops();
  std::vector<Padding::Range> ranges = padding.ranges;
  const std::int64_t more = ranges[border.dimension].count;
  loops[border.dimension].extent += more;
  ranges[border.dimension].count += more;
  const RefPtr left = instead(padding.left(), padding.left()->tensor, name);
  const ExprPtr value = padded(loops, ranges, source, padding.source->dtype, padding.fill);
  return make_nest(std::move(loops), nullptr, {make_equation(left, value)});
}

/// The elements from `begin` on, `count` of them, from the beginning.
Item correction(const Windows& windows, const std::string& loop, std::int64_t begin, std::int64_t count) {
  const Reduction& reduction = windows.reduction;
  const RefPtr left = moved(reduction.left(), loop, begin);
  Rewriter rewriter;
  rewriter.variables.emplace(loop, *Index::add(Index::variable(loop), Index::constant(begin)));
  const ExprPtr identity =
      reduction.op == ArithmeticOp::add ? integer_literal(0) : make_call(Function::negate, make_expr(Infinity{}));
  const Equation& old = *reduction.statement->equation;
  EquationPtr equation = make_equation(left, begin == 0 ? old.right : rewrite(old.right, rewriter));
  equation = stands_for(std::move(equation), old);
  const Nest& nest = *reduction.place->nest;
  const Item again = stands_for(make_nest(reduction.reduced, nullptr, {std::move(equation)}), nest);
  return stands_for(
      make_nest(with_extent(reduction.output, loop, count), nullptr, {make_equation(left, identity), again}), nest);
}

/// Both reductions as one, over the border between them.
Item whole_nest(const WindowPair& pair, std::vector<Loop> loops, const RefPtr& left, const Rewriter& rename) {
  const Equation& first = *pair.first.reduction.statement->equation;
  const Equation& second = *pair.second.reduction.statement->equation;
  const RefPtr both = stands_for(stands_for(left, *first.left), *second.left);
  EquationPtr equation = make_equation(both, rewrite(first.right, rename));
  equation = stands_for(stands_for(std::move(equation), first), second);
  NestPtr nest = make_nest(std::move(loops), nullptr, {std::move(equation)});
  nest = stands_for(std::move(nest), *pair.first.reduction.place->nest);
  return stands_for(std::move(nest), *pair.second.reduction.place->nest, inverted(pair.names));
}

struct Planned {
  Program program;
  std::vector<Part> added;
};

Result<Planned, Refusal> plan(View& view, const WindowPair& pair, const Border& border) {
  const Site site = item_site(pair.first.reduction.place->items);
  if (auto refusal = refuse_between(view, pair)) return *std::move(refusal);
  const Reduction& reduction = pair.first.reduction;
  std::vector<Loop> copy = pair.first.padding.loops();
  copy[border.dimension].extent *= 2;
  const std::int64_t whole = border.extent + border.shift;
  const std::vector<Loop> longer = with_extent(reduction.output, border.loop, whole);
  for (const std::vector<Loop>* loops : std::initializer_list<const std::vector<Loop>*>{&copy, &longer}) {
    std::vector<const Loop*> all;
    for (const Loop& loop : *loops) all.push_back(&loop);
    if (elements_of(all, kMaxTensorElements) > kMaxTensorElements) {
      return Refusal{&kMemory, site, "a tensor would have more than 2^31 elements", {}};
    }
  }
  NameSource names = view.fresh_tensors();
  const std::string joined = names.next();
  const std::string padded_name = names.next();
  const std::string result = names.next();
  const RefPtr left = instead(reduction.left(), reduction.left()->tensor, result);
  Rewriter rename;
  rename.ref = [&](const RefPtr& ref) {
    return instead(instead(ref, pair.first.padding.left()->tensor, padded_name), reduction.left()->tensor, result);
  };
  std::vector<Item> items = {side_by_side(pair, border, joined), padded_nest(pair, border, padded_name, joined),
                             whole_nest(pair, with_extent(reduction.loops(), border.loop, whole), left, rename)};
  const RefPtr second = instead(reduction.left(), reduction.left()->tensor, pair.second.reduction.left()->tensor);
  items.emplace_back(
      make_nest(reduction.output, nullptr,
                {make_equation(reduction.left(), read_expr(left)),
                 make_equation(second, read_expr(shifted_ref(left, result, border.loop, border.shift)))}));
  const bool corrects[] = {border.first_end<border.extent, border.second_begin> 0};
  const Windows* both[] = {&pair.first, &pair.second};
  for (const std::size_t i : {0U, 1U}) {  // the padded copies, for the corrections and whoever else reads them
    const Padding& padding = both[i]->padding;
    const auto& reads = view.table().tensors.at(padding.left()->tensor).reads;
    const bool is_needed =
        corrects[i] || std::any_of(reads.begin(), reads.end(), [&](std::size_t number) {
          return &view.table().statements[view.table().accesses[number].statement] != both[i]->reduction.statement;
        });
    if (is_needed) items.push_back(item_at(view.program(), padding.place->items));
  }
  if (corrects[0])
    items.push_back(correction(pair.first, border.loop, border.first_end, border.extent - border.first_end));
  if (corrects[1]) items.push_back(correction(pair.second, pair.names.at(border.loop), 0, border.second_begin));
  std::vector<std::uint32_t> gone = {reduction.place->items[0], pair.second.reduction.place->items[0],
                                     pair.first.padding.place->items[0], pair.second.padding.place->items[0]};
  std::sort(gone.rbegin(), gone.rend());
  Planned out;
  const auto at = static_cast<std::uint32_t>(gone[0] - 3);
  for (std::uint32_t i = 0; i < items.size(); ++i) out.added.push_back({"expression", item_site({at + i})});
  out.program = with_items(view.program(), std::vector<std::uint32_t>{gone[0]}, std::move(items));
  for (std::size_t i = 1; i < gone.size(); ++i) {
    out.program = with_items(out.program, std::vector<std::uint32_t>{gone[i]}, {});
  }
  return out;
}

void choices(View& view, Listing& listing) {
  for (const PlacedNest& one : view.nests()) {
    if (!find_windows(view, one)) continue;
    for (const PlacedNest& other : view.nests()) {
      if (other.items[0] <= one.items[0] || !find_windows(view, other)) continue;
      const Site site = item_site(one.items);
      const auto pair = find_window_pair(view, one, other);
      if (!pair) {
        listing.refuse(refuse({}, kSafety, site, pair.error()));
        continue;
      }
      std::vector<std::int64_t> dimensions;
      for (std::size_t i = 0; i < pair->first.padding.loops().size(); ++i) {
        const auto border = find_border(*pair, static_cast<std::int64_t>(i));
        if (!border)
          listing.refuse(refuse({}, kSafety, site, border.error()));
        else if (listing.allows(plan(view, *pair, *border)))
          dimensions.push_back(static_cast<std::int64_t>(i));
      }
      listing.offer(
          {item_site(one.items),
           {{"with", std::vector<std::string>{to_text(item_site(other.items))}}, {"dimension", std::move(dimensions)}},
           false});
    }
  }
}

Result<Applied, Refusal> apply(View& view, const Choice& choice) {
  const auto one = nest_at(view, choice.at);
  if (!one) return one.error();
  const auto with = parse_site(choice.word("with"));
  if (!with) return Refusal{&kPlace, choice.at, "\"with\" is not an address", {}};
  const auto other = nest_at(view, *with);
  if (!other) return other.error();
  const auto pair = find_window_pair(view, **one, **other);
  if (!pair) return refuse({}, kSafety, choice.at, pair.error());
  const auto border = find_border(*pair, choice.integer("dimension"));
  if (!border) return refuse({}, kSafety, choice.at, border.error());
  auto planned = plan(view, *pair, *border);
  if (!planned) return planned.error();
  Applied out;
  out.program = std::move(planned->program);
  out.facts.matched = {{"padding", item_site(pair->first.padding.place->items)},
                       {"reduction", item_site((*one)->items)},
                       {"padding", item_site(pair->second.padding.place->items)},
                       {"reduction", item_site((*other)->items)}};
  out.facts.removed = out.facts.matched;
  out.facts.added = std::move(planned->added);
  const std::int64_t corrected = border->extent - border->first_end + border->second_begin;
  out.facts.holds = {{&kPair, {}},
                     {&kWindow, {{"loop", border->loop}}},
                     {&kStride, {{"shift", border->shift}}},
                     {&kKept, {{"corrected", corrected}}},
                     {&kBetween, {}},
                     {&kMemory, {}}};
  out.facts.values = {{"dimension", choice.integer("dimension")},
                      {"shift", border->shift},
                      {"first", border->first_end},
                      {"second", border->second_begin}};
  out.facts.because =
      concat("only from ", border->first_end,
             " on do windows of the first reach into the second input, "
             "and only before ",
             border->second_begin, " do windows of the second reach back into the first: these are computed again");
  return out;
}

}  // namespace

const Strategy& partially_equivalent_then_correct_strategy() {
  static constexpr Strategy kStrategy = {
      "partially_equivalent_then_correct",
      Level::math,
      "two windowed reductions of padded inputs become one over both side by side, corrected where windows reach "
      "across",
      "H=pad(A);D=conv(H);I=pad(C);E=conv(I);   -->   M=conv(pad(A,C));D_{i}=M_{i};E_{i}=M_{i+n/s};then D, E at the "
      "border",
      "padded side by side the inputs differ from each padded alone only behind the end of the first and before the "
      "beginning of the second, and every element whose window reaches there is computed again",
      "",
      {"@input A f32[2,6]\n@input C f32[2,6]\n@param G f32[3]\n@output D f32[2,6]\n@output E f32[2,6]\n"
       "B^{2}_{tx=0}L^{8}_{c=0}[H^{f32,g}_{tx,c}=if_then_else(1<=c<7,A^{f32,g}_{tx,c-1},0);];"
       "B^{2}_{tx=0}L^{6}_{c=0}L^{3}_{f=0}[D^{f32,g}_{tx,c}=D^{f32,g}_{tx,c}+H^{f32,g}_{tx,c+f}*G^{f32,g}_{f};];"
       "B^{2}_{tx=0}L^{8}_{c=0}[I^{f32,g}_{tx,c}=if_then_else(1<=c<7,C^{f32,g}_{tx,c-1},0);];"
       "B^{2}_{tx=0}L^{6}_{c=0}L^{3}_{f=0}[E^{f32,g}_{tx,c}=E^{f32,g}_{tx,c}+I^{f32,g}_{tx,c+f}*G^{f32,g}_{f};];\n",
       R"({"at":"1","with":"3","dimension":1})"},
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
