/// pipelining: what a round of a loop stages is fetched some rounds before, into several buffers.
///   L^{4}_{k=0}[L_{c}[E^{s}_{c}=A_{k,c}];S(E^{s})]   -->
///   L_{c}[E^{s}_{0,c}=A_{0,c}];L^{4}_{k=0}[L_{c}?{k+1<4}[E^{s}_{(k+1)%2,c}=A_{k+1,c}];S(E^{s}_{k%2})]
/// Safe because every read takes what the copy of its own round has written, nothing in the loop changes what is
/// copied, and a buffer is written again only in the round behind the one that reads it. Unlike `cache_read_write` with
/// `ahead` it takes a copy as it is: filled, shared by threads, in vectors. Not one of the published strategies.
#include <algorithm>

#include "steptp/base/text.h"
#include "steptp/strategies/legality.h"
#include "steptp/strategies/loops.h"
#include "steptp/strategies/origins.h"
#include "steptp/strategies/storage.h"

namespace steptp {

namespace {

constexpr Parameter kParameters[] = {
    {"of", Parameter::Kind::word, "the tensor in s or l that is staged"},
    {"buffers", Parameter::Kind::integer, "how many rounds it holds: one less is how far ahead it is fetched"},
};
constexpr Precondition kPublished[] = {
    {Check::pattern_match, "copy",
     "one item of the body writes the tensor, assigns it, and does nothing else; only items behind it read it"},
    {Check::dependency, "own-round", "every read takes what the same round of the loop has written"},
};
constexpr Precondition kSafety[] = {
    {Check::scope, "staged", "the tensor is in s or l, and only the body of the loop touches it"},
    {Check::size, "rounds",
     "the loop is an L loop, the last of its header, without a guard and inside of another, and has as many rounds as "
     "there are buffers, which are 2 or more"},
    {Check::order, "unchanged", "nothing in the body of the loop writes what is copied"},
    {Check::size, "size", "data in s and l fits in the device's memory"},
    {Check::order, "races", "no two threads touch an element that one of them writes"},
    kSubscriptsFit,
};
constexpr const Precondition& kCopy = kPublished[0];
constexpr const Precondition& kOwnRound = kPublished[1];
constexpr const Precondition& kStaged = kSafety[0];
constexpr const Precondition& kRounds = kSafety[1];
constexpr const Precondition& kUnchanged = kSafety[2];
constexpr const Precondition& kSize = kSafety[3];
constexpr const Precondition& kRaces = kSafety[4];
constexpr Component kModifies[] = {Component::expressions, Component::variables, Component::range_adjustments};
constexpr NewElement kIntroduces[] = {NewElement::expressions, NewElement::index_calculations};
constexpr std::int64_t kBuffers[] = {2, 3, 4};

struct Question {
  PlacedLoop at;
  std::string of;
  std::int64_t buffers = 2;

  [[nodiscard]] std::int64_t ahead() const { return buffers - 1; }
  [[nodiscard]] const Nest& nest() const { return *at.nest->nest; }
  [[nodiscard]] std::size_t depth() const { return loops_around(*at.nest) + at.position + 1; }
  [[nodiscard]] Refusal refuse_because(const Precondition& why, std::string message) const {
    return {&why, at.site(), std::move(message), {{"tensor", of}, {"buffers", buffers}}};
  }
  /// The item of the body in which a statement stands; nothing where it stands elsewhere.
  [[nodiscard]] std::optional<std::uint32_t> item_of(const Statement& statement) const {
    const std::vector<std::uint32_t>& items = at.nest->items;
    const bool inside =
        statement.items.size() > items.size() && std::equal(items.begin(), items.end(), statement.items.begin());
    return inside ? std::optional(statement.items[items.size()]) : std::nullopt;
  }
};

struct Step {
  Program program;
  std::uint32_t copy = 0;                         ///< the item before
  std::vector<std::vector<std::uint32_t>> added;  ///< copies after: those before the loop, then the one inside
};

std::optional<Refusal> refuse_rounds(const Question& question) {
  const Loop& loop = question.at.loop();
  const std::int64_t buffers = question.buffers;
  if (loop.kind != LoopKind::serial || loop.extent < buffers || buffers < 2) {
    return question.refuse_because(
        kRounds, concat(buffers, " buffers for ", loop.extent, " rounds of a loop of the kind ", code(loop.kind)));
  }
  if (question.at.position + 1 != question.nest().loops.size() || question.nest().guard) {
    return question.refuse_because(kRounds, concat(loop.index, " is not the last loop of a header without a guard"));
  }
  if (question.at.position > 0 || !question.at.nest->around.empty()) return std::nullopt;
  return question.refuse_because(kRounds, "no loop is around it to hold what is fetched first");
}

/// The item that writes the tensor.
Result<std::uint32_t, Refusal> find_copy(View& view, const Question& question) {
  const AccessTable& table = view.table();
  const auto known = table.tensors.find(question.of);
  if (known == table.tensors.end() || known->second.scope == Scope::global) {
    return question.refuse_because(kStaged, concat(question.of, " is no tensor in s or l"));
  }
  std::optional<std::uint32_t> copy;
  for (const std::size_t number : known->second.writes) {
    const Statement& writer = table.statements[table.accesses[number].statement];
    const auto item = question.item_of(writer);
    if (!item) return question.refuse_because(kStaged, concat(to_text(table.accesses[number].site), " writes it too"));
    if ((copy && *copy != *item) || writer.accumulates) {
      return question.refuse_because(kCopy, concat(to_text(table.accesses[number].site), " writes it too, or folds"));
    }
    copy = item;
  }
  for (const std::size_t number : known->second.reads) {
    const Access& read = table.accesses[number];
    const auto item = question.item_of(table.statements[read.statement]);
    if (!item) return question.refuse_because(kStaged, concat(to_text(read.site), " is outside of the loop"));
    if (!copy || *item <= *copy) return question.refuse_because(kCopy, concat(to_text(read.site), " is not behind it"));
    if (!is_defined(view, read, question.depth())) {
      return question.refuse_because(kOwnRound, concat(to_text(read.site), " may read what another round wrote"));
    }
  }
  if (!copy) return question.refuse_because(kCopy, concat("nothing writes ", question.of));
  return *copy;
}

/// What the copy reads stays as it is, and it writes nothing else.
std::optional<Refusal> refuse_sources(View& view, const Question& question, std::uint32_t copy) {
  std::set<std::string> read;
  std::set<std::string> written;
  for (const Access& access : view.table().accesses) {
    const auto item = question.item_of(view.table().statements[access.statement]);
    if (!item) continue;
    const std::string& name = access.ref->tensor;
    if (access.is_write) written.insert(name);
    if (*item != copy) continue;
    if (!access.is_write) read.insert(name);
    if (access.is_write && name != question.of)
      return question.refuse_because(kCopy, concat("it writes ", name, " too"));
  }
  for (const std::string& name : read) {
    if (written.contains(name)) return question.refuse_because(kUnchanged, concat(name, " is written in the loop"));
  }
  return std::nullopt;
}

/// The copy with another round in place of the loop's, and perhaps only where there is such a round.
std::optional<Item> copy_at(View& view, const Question& question, const Item& copy, const Index& round,
                            const ExprPtr& only_where) {
  Rewriter move;
  move.variables.emplace(question.at.loop().index, round);
  const auto moved = rewrite(copy, move);
  if (!moved || !only_where) return moved;
  if (const auto* nest = std::get_if<NestPtr>(&*moved)) {
    return stands_for(make_nest((*nest)->loops, conjunction(only_where, (*nest)->guard), (*nest)->items), **nest);
  }
  return make_nest({{LoopKind::serial, 1, view.fresh_indices(question.at.expression()).next()}}, only_where, {*moved});
}

std::optional<Step> build(View& view, const Question& question, std::uint32_t copy) {
  const Loop& loop = question.at.loop();
  const Index round = Index::variable(loop.index);
  const auto buffer = Index::modulo(round, Index::constant(question.buffers));
  const auto later = Index::add(round, Index::constant(question.ahead()));
  Rewriter rewriter;
  rewriter.ref = [&](const RefPtr& ref) -> RefPtr {
    if (ref->tensor != question.of) return ref;
    std::vector<Index> subscripts = ref->subscripts;
    subscripts.insert(subscripts.begin(), *buffer);
    return make_ref(ref->tensor, ref->dtype, ref->scope, std::move(subscripts));
  };
  auto items = buffer && later ? rewrite(question.nest().items, rewriter) : std::nullopt;
  if (!items) return std::nullopt;
  Step out;
  out.copy = copy;
  std::vector<Item> around;
  const std::vector<std::uint32_t>& place = question.at.nest->items;
  const bool is_first = question.at.position == 0;
  const auto address = [&](std::uint32_t number) {
    std::vector<std::uint32_t> site = is_first ? sibling(place, number) : place;
    if (!is_first) site.push_back(number);
    return site;
  };
  for (std::int64_t i = 0; i < question.ahead(); ++i) {
    auto first = copy_at(view, question, (*items)[copy], Index::constant(i), nullptr);
    if (!first) return std::nullopt;
    out.added.push_back(address(static_cast<std::uint32_t>(i)));
    around.push_back(*std::move(first));
  }
  auto further = copy_at(view, question, (*items)[copy], *later, less_than(*later, loop.extent));
  if (!further) return std::nullopt;
  (*items)[copy] = *std::move(further);
  around.emplace_back(stands_for(make_nest({loop}, nullptr, *std::move(items)), question.nest()));
  out.added.push_back(address(static_cast<std::uint32_t>(question.ahead())));
  out.added.back().push_back(copy);
  if (!is_first) {
    const std::vector<Loop> outer(question.nest().loops.begin(), question.nest().loops.end() - 1);
    around = {stands_for(make_nest(outer, nullptr, std::move(around)), question.nest())};
  }
  out.program = with_items(view.program(), place, std::move(around));
  return out;
}

Result<Step, Refusal> plan(View& view, const Question& question) {
  if (auto refusal = refuse_rounds(question)) return *std::move(refusal);
  const auto copy = find_copy(view, question);
  if (!copy) return copy.error();
  if (auto refusal = refuse_sources(view, question, *copy)) return *std::move(refusal);
  auto step = build(view, question, *copy);
  if (!step) return refuse_overflow(question.at.site());
  View after(step->program);
  if (const auto oversize = oversize_of(after, question.of)) {
    return question.refuse_because(kSize, concat(oversize->bytes, " bytes, of which there are ", oversize->limit));
  }
  if (const auto conflict = placement_conflict(after, question.of)) {
    return refuse(kStaged, question.at.site(), *conflict);
  }
  if (const auto conflict = race_conflict(view, after, question.at.expression())) {
    return refuse(kRaces, question.at.site(), *conflict);
  }
  return *std::move(step);
}

void choices(View& view, Listing& listing) {
  if (!view.has_scoped_data()) return;
  for (const PlacedLoop& at : all_loops(view)) {
    std::set<std::string> staged;
    for (const Access& access : accesses_below(view, *at.nest)) {
      if (access.is_write && access.ref->scope != Scope::global) staged.insert(access.ref->tensor);
    }
    for (const std::string& tensor : staged) {
      std::vector<std::int64_t> numbers;
      for (const std::int64_t buffers : kBuffers) {
        if (!listing.allows(plan(view, {at, tensor, buffers}))) break;
        numbers.push_back(buffers);
      }
      if (numbers.empty()) continue;
      listing.offer({at.site(), {{"of", std::vector<std::string>{tensor}}, {"buffers", std::move(numbers)}}, true});
    }
  }
}

Result<Applied, Refusal> apply(View& view, const Choice& choice) {
  const auto at = find_loop(view, choice.at);
  if (!at) return at.error();
  auto step = plan(view, {*at, choice.word("of"), choice.integer("buffers")});
  if (!step) return step.error();
  Applied out;
  std::vector<std::uint32_t> copy = at->nest->items;
  copy.push_back(step->copy);
  out.program = std::move(step->program);
  out.facts.matched = {{"loop", choice.at}, {"copy", item_site(copy)}};
  out.facts.removed = {{"copy", item_site(copy)}};
  for (const auto& place : step->added) out.facts.added.push_back({"copy", item_site(place)});
  out.facts.holds = {{&kCopy, {}},
                     {&kOwnRound, {{"loop", at->loop().index}}},
                     {&kStaged, {{"tensor", choice.word("of")}}},
                     {&kRounds, {{"buffers", choice.integer("buffers")}}},
                     {&kUnchanged, {}},
                     {&kSize, {}},
                     {&kRaces, {}}};
  out.facts.values = {{"tensor", choice.word("of")}, {"buffers", choice.integer("buffers")}};
  out.facts.because = concat("a round reads only what was copied for it, and its buffer is written again behind it");
  return out;
}

}  // namespace

const Strategy& pipelining_strategy() {
  static constexpr Strategy kStrategy = {
      "pipelining",
      Level::memory,
      "what a round of a loop stages is fetched some rounds before, into several buffers",
      "L^{4}_{k=0}[L_{c}[E^{s}_{c}=A_{k,c}];S(E^{s})]   -->   "
      "L_{c}[E^{s}_{0,c}=A_{0,c}];L^{4}_{k=0}[L_{c}?{k+1<4}[E^{s}_{(k+1)%2,c}=A_{k+1,c}];S(E^{s}_{k%2})]",
      "every read takes what the copy of its own round has written, nothing in the loop changes what is copied, and a "
      "buffer is written again only in the round behind the one that reads it",
      "",
      {"@input A f32[2,4,8]\n@output D f32[2,8]\n"
       "B^{2}_{bx=0}L^{4}_{k=0}[B^{8}_{tx=0}[E^{f32,s}_{tx}=A^{f32,g}_{bx,k,tx};];"
       "B^{8}_{tx=0}[D^{f32,g}_{bx,tx}=D^{f32,g}_{bx,tx}+E^{f32,s}_{7-tx};];];\n",
       R"({"at":"0:loop[1]","of":"E","buffers":3})"},
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
