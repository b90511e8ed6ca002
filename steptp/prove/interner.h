#pragma once

#include <deque>
#include <utility>

#include "steptp/base/hash.h"
#include "steptp/prove/nodes.h"
#include "steptp/prove/number_table.h"

namespace steptp::forms {

[[nodiscard]] Hash hash_of(const Affine& affine);
[[nodiscard]] Hash hash_of(const Atom& atom);
[[nodiscard]] Hash hash_of(const Condition& condition);
[[nodiscard]] Hash hash_of(const Generator& generator);
[[nodiscard]] Hash hash_of(const Monomial& monomial);
[[nodiscard]] Hash hash_of(const Polynomial& polynomial);

/// Numbers for nodes: equal content, equal number. Compares content, never hashes alone.
template <typename Node>
class Interner {
 public:
  /// The number, and whether it is new.
  std::pair<std::uint32_t, bool> add(Node node) {
    const Hash hash = hash_of(node);
    const auto known = numbers_.find(hash, [&](std::uint32_t number) { return nodes_[number] == node; });
    if (known) return {*known, false};
    const auto number = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back(std::move(node));
    traits_.emplace_back();
    numbers_.add(hash, number);
    return {number, true};
  }
  /// Its number stays taken, but the same content gets another one from now on.
  void forget(std::uint32_t number) { numbers_.remove(hash_of(nodes_[number]), number); }
  [[nodiscard]] const Node& operator[](std::uint32_t number) const { return nodes_[number]; }
  [[nodiscard]] const Traits& traits(std::uint32_t number) const { return traits_[number]; }
  [[nodiscard]] Traits& traits(std::uint32_t number) { return traits_[number]; }

 private:
  std::deque<Node> nodes_;  ///< references stay valid while others are added
  std::deque<Traits> traits_;
  NumberTable numbers_;
};

}  // namespace steptp::forms
