#include "steptp/analysis/padded_rows.h"

#include <functional>
#include <set>

#include "steptp/analysis/box_search.h"

namespace steptp {

namespace {

std::optional<Index> index_of(const IndexAtom& atom) {
  if (const auto* variable = std::get_if<LoopVariable>(&atom)) return Index::variable(variable->name);
  if (const auto* read = std::get_if<IndirectRead>(&atom)) return Index::read(read->ref);
  if (const auto* quotient = std::get_if<FloorQuotient>(&atom)) {
    return Index::floor_divide(*quotient->dividend, *quotient->divisor);
  }
  const auto& remainder = std::get<FloorRemainder>(atom);
  return Index::modulo(*remainder.dividend, *remainder.divisor);
}

/// coefficient * the factors of a term.
std::optional<Index> scaled(const IndexTerm& term, std::int64_t coefficient) {
  std::optional<Index> out = Index::constant(coefficient);
  for (const IndexAtom& atom : term.factors) {
    const auto factor = out ? index_of(atom) : std::nullopt;
    out = factor ? Index::multiply(*out, *factor) : std::nullopt;
  }
  return out;
}

/// row * length + place, with every place in a row.
struct Split {
  Index row;
  Index place;
};
std::optional<Split> split(const Index& index, std::int64_t length, const Ranges& loops) {
  std::optional<Index> row = Index::constant(floor_quotient(index.constant_term(), length));
  std::optional<Index> place = Index::constant(floor_remainder(index.constant_term(), length));
  for (const IndexTerm& term : index.terms()) {
    const bool is_row = term.coefficient % length == 0;
    const auto part = scaled(term, is_row ? term.coefficient / length : term.coefficient);
    std::optional<Index>& side = is_row ? row : place;
    side = part && side ? Index::add(*side, *part) : std::nullopt;
    if (!side) return std::nullopt;
  }
  const Interval range = range_of(*place, loops);
  if (range.low < 0 || range.high >= static_cast<Wide>(length)) return std::nullopt;
  return Split{*std::move(row), *std::move(place)};
}

/// Numbers of the accesses of a tensor.
std::vector<std::size_t> accesses_of(const TensorFacts& tensor) {
  std::vector<std::size_t> out = tensor.writes;
  out.insert(out.end(), tensor.reads.begin(), tensor.reads.end());
  return out;
}

/// Lengths that rows may have, the longest first.
std::set<std::int64_t, std::greater<>> lengths_of(const AccessTable& table, const std::vector<std::size_t>& accesses) {
  std::set<std::int64_t, std::greater<>> out;
  for (const std::size_t number : accesses) {
    for (const IndexTerm& term : table.accesses[number].ref->subscripts[0].terms()) {
      if (term.coefficient > 1) out.insert(term.coefficient);
    }
  }
  return out;
}

/// What all accesses become with rows of one length; nothing where one does not fit.
std::optional<std::vector<Split>> splits_of(const AccessTable& table, const std::vector<std::size_t>& accesses,
                                            std::int64_t length) {
  std::vector<Split> out;
  for (const std::size_t number : accesses) {
    const Access& access = table.accesses[number];
    auto one = split(access.ref->subscripts[0], length, loop_box(table.statements[access.statement]));
    if (!one) return std::nullopt;
    out.push_back(*std::move(one));
  }
  return out;
}

void give_rows(AccessTable& table, TensorFacts& tensor) {
  const std::vector<std::size_t> accesses = accesses_of(tensor);
  for (const std::int64_t length : lengths_of(table, accesses)) {
    auto splits = splits_of(table, accesses, length);
    if (!splits) continue;
    for (std::size_t i = 0; i < accesses.size(); ++i) {
      RefPtr& ref = table.accesses[accesses[i]].ref;
      ref = make_ref(ref->tensor, ref->dtype, ref->scope, {(*splits)[i].row, (*splits)[i].place});
    }
    tensor.rank = 2;
    return;
  }
}

}  // namespace

AccessTable with_rows(AccessTable table) {
  for (auto& [name, tensor] : table.tensors) {
    if (tensor.rank == 1 && !tensor.known && tensor.effective_scope() != Scope::global) give_rows(table, tensor);
  }
  return table;
}

}  // namespace steptp
