#include "steptp/analysis/tables.h"

#include <algorithm>
#include <utility>

#include "steptp/analysis/box_search.h"
#include "steptp/analysis/interval.h"
#include "steptp/ir/expr.h"

namespace steptp {

namespace {

/// What a nest writes into every element of a tensor of integers.
struct Contents {
  std::uint32_t nest = 0;          ///< number of the expression that writes it
  std::vector<const Loop*> loops;  ///< by subscript
  Index value;
};

class Tables {
 public:
  explicit Tables(const AccessTable& table) : table_(table) {
    for (const auto& [name, tensor] : table.tensors) {
      if (auto contents = contents_of(tensor)) known_.emplace(name, std::move(*contents));
    }
  }

  [[nodiscard]] bool is_empty() const { return known_.empty(); }

  /// The same reference where nothing is known.
  [[nodiscard]] RefPtr written_out(const Access& access) const {
    auto out = std::make_shared<Ref>(*access.ref);
    bool has_changed = false;
    for (Index& subscript : out->subscripts) {
      auto value = written_out(subscript, table_.statements[access.statement]);
      if (!value || *value == subscript) continue;
      subscript = std::move(*value);
      has_changed = true;
    }
    return has_changed ? out : access.ref;
  }

 private:
  [[nodiscard]] std::optional<Contents> contents_of(const TensorFacts& tensor) const {
    if (!is_integer(tensor.dtype) || tensor.known || tensor.writes.size() != 1) return std::nullopt;
    if (tensor.effective_scope() != Scope::global) return std::nullopt;
    const Access& write = table_.accesses[tensor.writes[0]];
    const Statement& statement = table_.statements[write.statement];
    if (!statement.guards.empty() || statement.accumulates) return std::nullopt;
    if (write.ref->subscripts.size() != statement.loops.size()) return std::nullopt;
    Contents out;
    out.nest = statement.items[0];
    // Each loop once, and nothing else: every element is written, by one iteration.
    for (const Index& subscript : write.ref->subscripts) {
      const std::string* name = subscript.as_variable();
      const auto loop = std::find_if(statement.loops.begin(), statement.loops.end(),
                                     [&](const Loop* one) { return name && one->index == *name; });
      if (loop == statement.loops.end()) return std::nullopt;
      if (std::find(out.loops.begin(), out.loops.end(), *loop) != out.loops.end()) return std::nullopt;
      out.loops.push_back(*loop);
    }
    auto value = to_index(*statement.equation->right);
    if (!value || reads_tensor(*value)) return std::nullopt;
    const Interval range = range_of(*value, loop_box(statement));
    const DTypeInfo& type = info(tensor.dtype);
    if (range.low < type.least || range.high > type.greatest) return std::nullopt;
    out.value = std::move(*value);
    return out;
  }

  [[nodiscard]] std::optional<Index> written_out(const Index& index, const Statement& reader) const {
    Index sum = Index::constant(index.constant_term());
    for (const IndexTerm& term : index.terms()) {
      std::optional<Index> product = Index::constant(term.coefficient);
      for (const IndexAtom& atom : term.factors) {
        const auto factor = written_out(atom, reader);
        product = factor ? Index::multiply(*product, *factor) : std::nullopt;
        if (!product) return std::nullopt;
      }
      const auto total = Index::add(sum, *product);
      if (!total) return std::nullopt;
      sum = *total;
    }
    return sum;
  }

  [[nodiscard]] std::optional<Index> written_out(const IndexAtom& atom, const Statement& reader) const {
    if (const auto* variable = std::get_if<LoopVariable>(&atom)) return Index::variable(variable->name);
    if (const auto* read = std::get_if<IndirectRead>(&atom)) return read_from(*read->ref, reader);
    const auto* quotient = std::get_if<FloorQuotient>(&atom);
    const auto* remainder = std::get_if<FloorRemainder>(&atom);
    const auto dividend = written_out(quotient ? *quotient->dividend : *remainder->dividend, reader);
    const auto divisor = written_out(quotient ? *quotient->divisor : *remainder->divisor, reader);
    if (!dividend || !divisor) return std::nullopt;
    return quotient ? Index::floor_divide(*dividend, *divisor) : Index::modulo(*dividend, *divisor);
  }

  [[nodiscard]] std::optional<Index> read_from(const Ref& ref, const Statement& reader) const {
    const auto known = known_.find(ref.tensor);
    if (known == known_.end() || known->second.nest >= reader.items[0]) return std::nullopt;
    const Contents& contents = known->second;
    std::map<std::string, Index> values;
    for (std::size_t d = 0; d < contents.loops.size(); ++d) {
      auto value = written_out(ref.subscripts[d], reader);
      if (!value) return std::nullopt;
      // Elsewhere than in the table there is nothing, whatever the formula says.
      const Interval range = range_of(*value, loop_box(reader));
      if (range.low < 0 || range.high >= contents.loops[d]->extent) return std::nullopt;
      values.emplace(contents.loops[d]->index, std::move(*value));
    }
    return rewrite(contents.value, {[&](const std::string& name) { return std::optional(values.at(name)); }, {}});
  }

  const AccessTable& table_;
  std::map<std::string, Contents> known_;
};

}  // namespace

AccessTable with_known_indices(AccessTable table) {
  const Tables tables(table);
  if (tables.is_empty()) return table;
  AccessTable out = table;
  for (Access& access : out.accesses) access.ref = tables.written_out(access);
  return out;
}

}  // namespace steptp
