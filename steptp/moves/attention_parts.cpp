#include "steptp/moves/attention_parts.h"

#include <algorithm>
#include <set>

#include "steptp/base/text.h"
#include "steptp/ir/dtype_facts.h"
#include "steptp/strategies/expressions.h"
#include "steptp/strategies/online.h"

namespace steptp {

namespace {

/// A copy, a scalar, or a tensor times scalars.
bool is_cheap(const Statement& statement) {
  if (statement.accumulates) return false;
  if (statement.equation->left->subscripts.empty()) return true;
  std::size_t tensors = 0;
  for (const Operand& factor : factors(statement.equation->right)) {
    const auto* read = std::get_if<Read>(&factor.expr->node);
    const bool is_scalar = read ? read->ref->subscripts.empty() : variables_of(*factor.expr).empty();
    if (is_scalar) continue;
    if (!read || factor.is_inverse) return false;
    ++tensors;
  }
  return tensors == 1;
}

/// One equation in one header, without a guard.
bool is_plain(const Statement& statement) { return statement.items.size() == 2 && statement.guards.empty(); }

/// The scores of a softmax, and what is done with them before: what leads from a tensor back to a contraction.
struct Scores {
  const Statement* contraction = nullptr;
  std::vector<const Statement*> between;
};
std::optional<Scores> scores_behind(View& view, const std::string& tensor) {
  const Statement* writer = is_intermediate(view, tensor) ? only_writer(view, tensor) : nullptr;
  if (!writer || !is_plain(*writer)) return std::nullopt;
  if (find_contraction(*writer)) return Scores{writer, {}};
  if (!is_elementwise(*writer)) return std::nullopt;
  for (const std::string& read : tensors_of(*writer->equation->right)) {
    auto found = scores_behind(view, read);
    if (!found) continue;
    found->between.push_back(writer);
    return found;
  }
  return std::nullopt;
}

/// The softmax in front of a product, as the strategies on online forms see it.
struct Softmax {
  const Statement* product = nullptr;
  const Statement* quotient = nullptr;
  SoftmaxPair pair;
};
Result<Softmax, std::string> softmax_before(View& view, const Site& site) {
  const bool is_expression = site.part == Site::Part::item && site.items.size() == 1;
  const PlacedNest* nest = is_expression ? view.find_nest(site.items) : nullptr;
  if (!nest) return std::string("there is no expression here");
  const auto sum = find_normal_softmax(view, *nest);
  if (!sum) return sum.error().message;
  auto pair = find_pair(view, **sum);
  if (!pair) return pair.error().message;
  Softmax out{only_statement(view, site.items[0]), nullptr, *std::move(pair)};
  for (const Statement* reader : readers_of(view, out.pair.sum.left()->tensor)) {
    if (!reader->accumulates && is_softmax_use(view, out.pair, *reader)) out.quotient = reader;
  }
  if (!out.quotient) return std::string("nothing is divided by the sum of the softmax");
  return out;
}

bool begins_with(const Statement& statement, const std::vector<const Loop*>& loops) {
  if (statement.loops.size() < loops.size()) return false;
  return std::equal(loops.begin(), loops.end(), statement.loops.begin(),
                    [](const Loop* a, const Loop* b) { return a->extent == b->extent; });
}

/// What may go into the attention: copies, and on the side of the scores, where elementwise expressions stand in
/// between, multiples too.
void collect_cheap(View& view, const std::string& tensor, bool is_score, std::set<const Statement*>& out) {
  const Statement* writer = is_intermediate(view, tensor) ? only_writer(view, tensor) : nullptr;
  if (!writer || out.contains(writer)) return;
  const bool is_copy = is_score ? is_cheap(*writer) : std::holds_alternative<Read>(writer->equation->right->node);
  const bool is_sum = writer->accumulates.has_value();
  if (is_copy) out.insert(writer);
  const bool goes_on = is_copy || (is_score && (!is_sum || find_contraction(*writer)));
  if (!goes_on) return;
  for (const std::string& read : tensors_of(*writer->equation->right)) {
    if (read != tensor) collect_cheap(view, read, is_score && !is_sum, out);
  }
}

/// The next copy that goes into its readers: not what the softmax itself reads, which is kept.
std::vector<const Statement*> copies_of(View& view, const Softmax& softmax) {
  std::set<const Statement*> found;
  const std::set<std::string> scores = tensors_of(*softmax.pair.scores);
  for (const std::string& tensor : scores) collect_cheap(view, tensor, true, found);
  for (const std::string& tensor : tensors_of(*softmax.product->equation->right)) {
    if (tensor != softmax.quotient->equation->left->tensor) collect_cheap(view, tensor, false, found);
  }
  std::vector<const Statement*> out;
  for (const Statement& statement : view.table().statements) {
    const bool is_read_by_softmax = scores.contains(statement.equation->left->tensor);
    if (found.contains(&statement) && !is_read_by_softmax) out.push_back(&statement);
  }
  return out;
}

/// The type of what both products multiply.
std::optional<DType> type_of_factors(const Statement& scores, const Statement& product) {
  std::set<DType> types;
  for (const Statement* one : {&scores, &product}) {
    const auto read = find_multiplied(*one);
    if (!read) return std::nullopt;
    types.insert({read->a->dtype, read->b->dtype});
  }
  return types.size() == 1 ? std::optional(*types.begin()) : std::nullopt;
}

}  // namespace

bool inline_copies_of_attention(MoveBuilder& builder, const Handle& product) {
  for (bool again = true; again;) {
    again = false;
    if (!product.only()) return true;
    const auto softmax = softmax_before(builder.view(), *product.only());
    if (!softmax) return true;
    std::vector<Site> sites;
    for (const Statement* copy : copies_of(builder.view(), *softmax)) sites.push_back(item_site(copy->items));
    for (const Site& site : sites) {
      again = builder.may_step("compute_inline", site);
      if (again) break;
    }
  }
  return !builder.refusal();
}

Result<AttentionParts, Refusal> find_attention_parts(View& view, const Site& site) {
  const auto none = [&](std::string why) { return Refusal{&kAttention, site, std::move(why), {}}; };
  const auto softmax = softmax_before(view, site);
  if (!softmax) return none(softmax.error());
  const auto* read = std::get_if<Read>(&softmax->pair.scores->node);
  if (!read) return none("the softmax is not of one tensor");
  const auto scores = scores_behind(view, read->ref->tensor);
  if (!scores) return none(concat(read->ref->tensor, " is not made of scores S=S+Q*K by elementwise expressions"));
  AttentionParts out;
  const Statement& sum = *softmax->pair.sum.statement;
  const std::vector<const Loop*>& rows = sum.loops;
  const auto is_part = [&](const Statement& part) { return is_plain(part) && begins_with(part, rows); };
  const Statement& product = *softmax->product;
  const bool is_product = is_plain(product) && product.loops.size() == rows.size() + 1 &&
                          begins_with(product, {rows.begin(), rows.end() - 1}) &&
                          product.loops.back()->extent == rows.back()->extent;
  const bool are_parts = softmax->pair.sum.reduced.size() == 1 && rows.size() >= 2 &&
                         is_part(*softmax->pair.max.statement) && is_part(sum) && is_part(*softmax->quotient) &&
                         is_part(*scores->contraction) && scores->contraction->loops.size() == rows.size() + 1 &&
                         std::all_of(scores->between.begin(), scores->between.end(),
                                     [&](const Statement* part) { return is_part(*part); });
  if (!are_parts || !is_product) {
    return none("its expressions do not run over batch, queries, keys and the head, in this order");
  }
  out.scores = scores->contraction->items[0];
  for (const Statement* part : scores->between) out.between.push_back(part->items[0]);
  out.maximum = softmax->pair.max.statement->items[0];
  out.sum = sum.items[0];
  out.quotient = softmax->quotient->items[0];
  out.product = product.items[0];
  out.batch = rows.size() - 2;
  for (std::size_t i = 0; i < out.batch; ++i) out.heads *= rows[i]->extent;
  out.queries = rows[out.batch]->extent;
  out.keys = rows.back()->extent;
  out.head = scores->contraction->loops.back()->extent;
  out.values = product.loops[rows.size() - 1]->extent;
  out.result = product.equation->left->tensor;
  out.element_bytes = info(sum.equation->left->dtype).bytes;
  out.factors = type_of_factors(*scores->contraction, product);
  return out;
}

std::int64_t copies_behind(View& view, const AttentionParts& parts) {
  std::int64_t count = 0;
  for (std::string tensor = parts.result;; ++count) {
    const Statement* reader = is_intermediate(view, tensor) ? only_reader(view, tensor) : nullptr;
    if (!reader || reader->accumulates || !is_plain(*reader) || reader->loops.size() != parts.batch + 2) return count;
    tensor = reader->equation->left->tensor;
    if (writers_of(view, tensor).size() != 1) return count;
  }
}

}  // namespace steptp
