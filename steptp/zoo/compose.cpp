#include "steptp/zoo/compose.h"

#include <algorithm>
#include <array>
#include <bit>

#include "steptp/base/text.h"
#include "steptp/graph/operator.h"
#include "steptp/zoo/components.h"

namespace steptp::zoo {

namespace {

constexpr int kMostComponents = 5;

bool fits(const Component& component, int rank) {
  const int after = rank + component.rank_change;
  return (component.ranks >> rank & 1U) != 0 && after >= kLeastRank && after <= kMostRank;
}

/// How many lists of `length` components can follow a tensor with `rank` dimensions.
std::uint64_t lists(int rank, int length) {
  static const auto kCounts = [] {
    std::array<std::array<std::uint64_t, kMostRank + 1>, kMostComponents + 1> counts{};
    counts[0].fill(1);
    for (std::size_t longer = 1; longer <= kMostComponents; ++longer) {
      for (int from = kLeastRank; from <= kMostRank; ++from) {
        for (const Component& component : all_components()) {
          if (!fits(component, from)) continue;
          counts[longer][static_cast<std::size_t>(from)] +=
              counts[longer - 1][static_cast<std::size_t>(from + component.rank_change)];
        }
      }
    }
    return counts;
  }();
  return kCounts[static_cast<std::size_t>(length)][static_cast<std::size_t>(rank)];
}

/// A list drawn uniformly: each component with the weight of the lists that can follow it.
std::vector<const Component*> draw_list(Random& random, int rank, int length) {
  std::vector<const Component*> out;
  for (; length > 0; --length) {
    std::uint64_t number = random.below(lists(rank, length));
    for (const Component& component : all_components()) {
      if (!fits(component, rank)) continue;
      const std::uint64_t weight = lists(rank + component.rank_change, length - 1);
      if (number >= weight) {
        number -= weight;
        continue;
      }
      out.push_back(&component);
      rank += component.rank_change;
      break;
    }
  }
  return out;
}

Shape draw_shape(Random& random, int rank) {
  // The more dimensions, the shorter they are; the first is what the threads run over.
  constexpr std::array<int, kMostRank + 1> kMostBits = {0, 10, 9, 8, 6, 5};
  Shape out;
  for (int dim = 0; dim < rank; ++dim) {
    const std::uint64_t bits = random.below(static_cast<std::uint64_t>(kMostBits[static_cast<std::size_t>(rank)]));
    const std::int64_t low = std::int64_t{1} << bits;
    out.push_back(random.between(std::max<std::int64_t>(low, 2), 2 * low));
  }
  return out;
}

}  // namespace

Result<graph::Graph, Diagnostic> compose(Random& random, DType dtype) {
  const int length = static_cast<int>(random.between(2, kMostComponents));
  const int rank = static_cast<int>(random.between(2, 4));
  const std::vector<const Component*> list = draw_list(random, rank, length);
  graph::Builder builder(join(list, "_", [](const Component* component) { return component->name; }));
  const Arguments none;
  Maker maker(builder, none, dtype);
  Scene scene{maker, random};
  try {
    Value x = maker.input("x", draw_shape(random, rank));
    for (const Component* component : list) x = component->add(scene, x);
    return std::move(builder).finish({x});
  } catch (const graph::Misuse& misuse) {
    return make_error("zoo-arguments", misuse.message);
  }
}

namespace {

struct ArgumentHash {
  Hash operator()(std::monostate) const { return 1; }
  Hash operator()(const Value& value) const {
    return combine(combine(2, static_cast<Hash>(value.node + 1)), static_cast<Hash>(value.output));
  }
  Hash operator()(const std::vector<Value>& values) const {
    Hash hash = 3;
    for (const Value& value : values) hash = combine(hash, (*this)(value));
    return hash;
  }
  Hash operator()(bool flag) const { return flag ? 4 : 5; }
  Hash operator()(std::int64_t integer) const { return combine(6, static_cast<Hash>(integer)); }
  Hash operator()(double number) const { return combine(7, std::bit_cast<Hash>(number)); }
  Hash operator()(const std::string& text) const { return combine(8, hash_text(text)); }
  Hash operator()(const std::vector<std::int64_t>& items) const {
    Hash hash = 9;
    for (const std::int64_t item : items) hash = combine(hash, static_cast<Hash>(item));
    return hash;
  }
  Hash operator()(const std::vector<double>& items) const {
    Hash hash = 10;
    for (const double item : items) hash = combine(hash, std::bit_cast<Hash>(item));
    return hash;
  }
  Hash operator()(DType dtype) const { return combine(11, static_cast<Hash>(dtype)); }
};

}  // namespace

Hash structure_hash(const graph::Graph& graph) {
  Hash hash = graph.nodes.size();
  for (const graph::Node& node : graph.nodes) {
    hash = combine(hash, static_cast<Hash>(node.kind));
    if (node.op) hash = combine(hash, hash_text(node.op->schema.name));
    for (const graph::TensorType& type : node.outputs) {
      hash = combine(combine(hash, static_cast<Hash>(type.dtype)), ArgumentHash()(type.shape));
    }
    if (node.writing != graph::Writing::alone) hash = combine(hash, static_cast<Hash>(node.writing));
    for (const graph::Argument& argument : node.arguments) hash = combine(hash, std::visit(ArgumentHash(), argument));
    if (node.value)
      hash = combine(combine(hash, std::bit_cast<Hash>(node.value->number)), static_cast<Hash>(node.value->diagonal));
  }
  return combine(hash, ArgumentHash()(graph.outputs));
}

}  // namespace steptp::zoo
