/// inline: an elementwise producer becomes part of its consumers, or an elementwise consumer the epilogue of its
/// producer, in one kernel and without a tensor between them.
///   D_{a}=A_{a}*2; E_{a}=exp(D_{a})                      -->   E_{a}=exp(A_{a}*2)
///   L_{a}L_{c}[D_{a}=D_{a}+f(a,c)]; L_{a}[E_{a}=g(D_{a})]   -->   L_{a}[L_{c}[D=D+f(a,c)];E_{a}=g(D)]
#include <algorithm>

#include "steptp/base/text.h"
#include "steptp/moves/builder.h"
#include "steptp/moves/parts.h"

namespace steptp {

const Move& inline_move();

namespace {

constexpr std::string_view kForms[] = {"producer", "epilogue"};
constexpr Parameter kParameters[] = {
    {"form", Parameter::Kind::word,
     "producer: the equation here goes into those that read it; epilogue: the equation here goes behind the one whose "
     "result it reads, into its loops"},
};
constexpr Precondition kNeeds[] = {
    kStep,
    {Check::pattern_match, "elementwise", "each iteration has an element of its own, which it only assigns"},
    {Check::pattern_match, "producer", "an earlier expression of one equation makes what it reads, over its loops"},
};
constexpr const Precondition& kElementwise = kNeeds[1];
constexpr const Precondition& kProducer = kNeeds[2];

/// The producer of an epilogue, and how the consumer's loops have to stand so that they are the producer's.
struct Epilogue {
  const Statement* consumer = nullptr;
  const Statement* producer = nullptr;
  std::vector<std::size_t> order;  ///< the consumer's loop for each of the producer's, from outside
};

/// The loop of the consumer that is a subscript where the producer's loop is one.
std::optional<std::size_t> partner_of(const Statement& consumer, const Ref& read, const Ref& left,
                                      const std::string& index) {
  for (std::size_t i = 0; i < left.subscripts.size() && i < read.subscripts.size(); ++i) {
    const std::string* there = left.subscripts[i].as_variable();
    const std::string* here = read.subscripts[i].as_variable();
    if (!there || !here || *there != index) continue;
    for (std::size_t k = 0; k < consumer.loops.size(); ++k) {
      if (consumer.loops[k]->index == *here) return k;
    }
  }
  return std::nullopt;
}

/// Whether the producer stands before, alone in its expression, and its outer loops are loops of the consumer.
std::optional<Epilogue> match(View& view, const Statement& consumer, const Ref& read) {
  const Statement* producer = only_writer(view, read.tensor);
  if (!producer || producer->items[0] >= consumer.items[0] || producer->items.size() != 2) return std::nullopt;
  if (only_statement(view, producer->items[0]) != producer || !is_intermediate(view, read.tensor)) return std::nullopt;
  Epilogue out{&consumer, producer, {}};
  const Ref& left = *producer->equation->left;
  for (const Loop* loop : producer->loops) {
    const auto partner = partner_of(consumer, read, left, loop->index);
    if (!partner || consumer.loops[*partner]->extent != loop->extent) break;
    out.order.push_back(*partner);
  }
  return out.order.empty() ? std::nullopt : std::optional(std::move(out));
}

Result<Epilogue, Refusal> find_epilogue(View& view, const Site& site) {
  const Statement* consumer = statement_at(view, site);
  if (!consumer || consumer->items.size() != 2 || !is_elementwise(*consumer)) {
    return Refusal{&kElementwise, site, "there is no expression here that is one elementwise equation", {}};
  }
  std::optional<Epilogue> best;
  for_each_ref(*consumer->equation->right, [&](const RefPtr& ref) {
    auto found = match(view, *consumer, *ref);
    const bool later = found && (!best || found->producer->items[0] > best->producer->items[0]);
    if (later) best = std::move(found);
  });
  if (best) return *std::move(best);
  return Refusal{&kProducer, site, "nothing that it reads is made by one equation before, over loops of its own", {}};
}

/// Loops that the consumer has come to stand where the producer has them, one exchange after the other.
bool align(MoveBuilder& builder, const Handle& nest, std::vector<std::size_t> order) {
  for (std::size_t want = 0; want < order.size(); ++want) {
    const std::size_t from = order[want];
    if (from == want) continue;
    const std::vector<std::uint32_t>& items = nest.only()->items;
    if (!builder.step("loop_reorder", loop_site(items, want), {{"with", static_cast<std::int64_t>(from)}}))
      return false;
    for (std::size_t& place : order) place = place == want ? from : place;
    order[want] = want;
  }
  return true;
}

std::optional<Refusal> make_epilogue(MoveBuilder& builder, const Choice& choice) {
  const auto found = find_epilogue(builder.view(), choice.at);
  if (!found) return found.error();
  const Epilogue epilogue = *found;
  const std::string tensor = epilogue.producer->equation->left->tensor;
  const std::uint32_t first = epilogue.producer->items[0];
  const std::uint32_t second = epilogue.consumer->items[0];
  const Handle& consumer = builder.follow(item_site({second}));
  const Handle& definition = builder.follow(item_site(epilogue.producer->items));
  if (!align(builder, consumer, epilogue.order)) return builder.refusal();
  const Values how = {{"depth", static_cast<std::int64_t>(epilogue.order.size())},
                      {"next", static_cast<std::int64_t>(second - first)}};
  if (!builder.step("operator_fusion", item_site({first}), how)) return builder.refusal();
  // What only passes from one equation to the other need not be stored.
  if (const Site* at = definition.only()) builder.may_step("set_storage_scope", *at, {{"scope", "l"}});
  return builder.refusal();
}

std::optional<Refusal> make(MoveBuilder& builder, const Choice& choice) {
  const auto form = one_of(choice, "form", kForms);
  if (!form) return form.error();
  if (*form == 1) return make_epilogue(builder, choice);
  const Statement* statement = statement_at(builder.view(), choice.at);
  if (!statement || !is_elementwise(*statement)) {
    return Refusal{&kElementwise, choice.at, "there is no expression here that is one elementwise equation", {}};
  }
  (void)builder.step("compute_inline", item_site(statement->items));
  return builder.refusal();
}

void choices(View& view, Listing& listing) {
  std::vector<std::string> words(std::begin(kForms), std::end(kForms));
  for (std::uint32_t i = 0; i < view.program().nests.size(); ++i) {
    const Site site = item_site({i});
    const Statement* statement = only_statement(view, i);
    if (!statement || !is_elementwise(*statement)) {
      listing.refuse({&kElementwise, site, "it is not one elementwise equation", {}});
      continue;
    }
    listing.offer({site, {values_that_work(inline_move(), view, {site, {}}, {"form", words}, listing)}, false});
  }
}

}  // namespace

const Move& inline_move() {
  static constexpr Move kMove = {
      "inline",
      "an elementwise producer becomes part of its consumers, or an elementwise consumer the epilogue of its producer",
      "D_{a}=A_{a}*2; E_{a}=exp(D_{a})   -->   E_{a}=exp(A_{a}*2)\n"
      "  L_{a}L_{c}[D_{a}=D_{a}+f(a,c)]; L_{a}[E_{a}=g(D_{a})]   -->   L_{a}[L_{c}[D=D+f(a,c)];E_{a}=g(D)]",
      {"@input A f32[8,6]\n@output E f32[8]\n"
       "B^{8}_{tx=0}L^{6}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{tx,a};];"
       "B^{8}_{tx=0}[E^{f32,g}_{tx}=exp(D^{f32,g}_{tx});];\n",
       R"({"at":"1","form":"epilogue"})"},
      kParameters,
      kNeeds,
      choices,
      make,
      false,
      150,
  };
  return kMove;
}

}  // namespace steptp
