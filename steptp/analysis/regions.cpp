#include "steptp/analysis/regions.h"

#include <algorithm>
#include <utility>

namespace steptp {

Relation relate(const Statement& first, const Statement& second) {
  Relation relation;
  const std::size_t limit = std::min(first.nests.size(), second.nests.size());
  while (relation.shared_nests < limit && first.nests[relation.shared_nests] == second.nests[relation.shared_nests] &&
         first.items[relation.shared_nests] == second.items[relation.shared_nests]) {
    relation.shared_loops += first.nests[relation.shared_nests]->loops.size();
    ++relation.shared_nests;
  }
  relation.before = first.items[relation.shared_nests] < second.items[relation.shared_nests];
  return relation;
}

std::optional<SplitIndex> split_by(const Index& index, const std::vector<const Loop*>& loops,
                                   std::size_t shared_loops) {
  const auto is_shared = [&](const std::string& name) {
    for (std::size_t i = 0; i < shared_loops; ++i) {
      if (loops[i]->index == name) return true;
    }
    return false;
  };
  SplitIndex split{Index(), Index::constant(index.constant_term())};
  for (const IndexTerm& term : index.terms()) {
    bool shared = false;
    bool own = false;
    std::optional<Index> product = Index::constant(term.coefficient);
    for (const IndexAtom& factor : term.factors) {
      struct Visitor {
        std::optional<Index> operator()(const LoopVariable& v) const { return Index::variable(v.name); }
        std::optional<Index> operator()(const FloorQuotient& n) const {
          return Index::floor_divide(*n.dividend, *n.divisor);
        }
        std::optional<Index> operator()(const FloorRemainder& n) const {
          return Index::modulo(*n.dividend, *n.divisor);
        }
        std::optional<Index> operator()(const IndirectRead&) const { return std::nullopt; }
      };
      const auto value = std::visit(Visitor{}, factor);
      if (!value) return std::nullopt;
      for_each_variable(*value, [&](const std::string& name) { (is_shared(name) ? shared : own) = true; });
      product = Index::multiply(*product, *value);
      if (!product) return std::nullopt;
    }
    if (shared && own) return std::nullopt;
    Index& side = shared ? split.shared : split.own;
    auto sum = Index::add(side, *product);
    if (!sum) return std::nullopt;
    side = *std::move(sum);
  }
  return split;
}

std::optional<Interval> dense_values(const Index& index, const Ranges& box, std::vector<std::string>& used) {
  std::vector<std::pair<Wide, Wide>> steps;  // |coefficient|, number of values
  Wide least = index.constant_term();
  for (const IndexTerm& term : index.terms()) {
    const auto* variable = term.factors.size() == 1 ? std::get_if<LoopVariable>(&term.factors[0]) : nullptr;
    if (!variable || std::find(used.begin(), used.end(), variable->name) != used.end()) return std::nullopt;
    const auto range = box.variables.find(variable->name);
    if (range == box.variables.end()) return std::nullopt;
    used.push_back(variable->name);
    const Wide coefficient = term.coefficient;
    least += coefficient * (coefficient > 0 ? range->second.low : range->second.high);
    steps.emplace_back(coefficient > 0 ? coefficient : -coefficient, range->second.high - range->second.low + 1);
  }
  std::sort(steps.begin(), steps.end());
  Wide reach = 0;
  for (const auto& [coefficient, count] : steps) {
    if (count == 1) continue;
    if (coefficient > reach + 1) return std::nullopt;
    reach += coefficient * (count - 1);
  }
  return Interval{least, least + reach};
}

bool boxes_cover(const Box& whole, const std::vector<Box>& parts) {
  constexpr std::size_t kMaxPieces = 256;
  std::vector<Box> rest = {whole};
  for (const Box& part : parts) {
    std::vector<Box> next;
    for (const Box& piece : rest) {
      bool meets = true;
      for (std::size_t i = 0; i < piece.size(); ++i) {
        meets = meets && part[i].low <= piece[i].high && piece[i].low <= part[i].high;
      }
      if (!meets) {
        next.push_back(piece);
        continue;
      }
      Box core = piece;
      for (std::size_t i = 0; i < piece.size(); ++i) {
        if (core[i].low < part[i].low) {
          next.push_back(core);
          next.back()[i].high = part[i].low - 1;
          core[i].low = part[i].low;
        }
        if (core[i].high > part[i].high) {
          next.push_back(core);
          next.back()[i].low = part[i].high + 1;
          core[i].high = part[i].high;
        }
      }
    }
    rest = std::move(next);
    if (rest.empty()) return true;
    if (rest.size() > kMaxPieces) return false;
  }
  return false;
}

}  // namespace steptp
