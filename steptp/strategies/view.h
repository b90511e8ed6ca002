#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "steptp/algebra/facts.h"
#include "steptp/algebra/scalars.h"
#include "steptp/analysis/accesses.h"
#include "steptp/analysis/kernels.h"
#include "steptp/analysis/presburger.h"
#include "steptp/analysis/shapes.h"
#include "steptp/analysis/value_facts.h"
#include "steptp/ir/names.h"
#include "steptp/ir/program.h"
#include "steptp/ir/site.h"

namespace steptp {

/// A nest with its address.
struct PlacedNest {
  std::vector<std::uint32_t> items;
  const Nest* nest = nullptr;
  std::vector<const Nest*> around;  ///< outermost first, without itself
};

/// The accesses of one tensor in one top-level expression, as numbers in the table.
struct LocalAccesses {
  const std::string* tensor = nullptr;
  std::vector<std::size_t> writes;
  std::vector<std::size_t> reads;
};

/// Two accesses that stand in the way of a step.
struct Conflict {
  Site first;
  Site second;
  std::string why;
};

/// Answers by their questions: each is worked out once.
template <class Key, class Value>
class Memo {
 public:
  /// The answer for `key`. `find` works it out the first time, and does not ask for the same key.
  template <class Find>
  const Value& get(const Key& key, Find find) {
    const auto [known, is_new] = answers_.try_emplace(key);
    if (is_new) known->second = find();
    return known->second;
  }

 private:
  std::map<Key, Value> answers_;
};

/// What functions of legality.h and storage.h have found out of one program: several strategies ask the same.
struct LegalityMemos {
  Memo<std::tuple<const Nest*, std::size_t, bool>, std::optional<Conflict>> carried;  ///< carried_conflict
  /// Of tensors that scope_conflict has looked at: each iteration of the nest makes what it reads.
  Memo<std::pair<const Nest*, std::string>, bool> private_data;
  Memo<std::pair<std::size_t, std::size_t>, bool> defined;  ///< is_defined: number of the read, loops in common
  Memo<std::pair<const Nest*, std::size_t>, bool> apart;    ///< iterations_stay_apart
  Memo<const Nest*, bool> permutable;                       ///< the loops of the nest may stand in any order
};

/// A program as strategies look at it: what analyses say is worked out when somebody asks, once for all strategies. Not
/// for several threads at a time. It keeps its reference: the program outlives it.
class View {
 public:
  explicit View(const Program& program);
  ~View();
  View(const View&) = delete;
  View& operator=(const View&) = delete;

  [[nodiscard]] const Program& program() const { return program_; }
  [[nodiscard]] const AccessTable& table();
  [[nodiscard]] const ValueFacts& facts();
  /// Of a tensor of the program. One at a time: most questions are about one, and some shapes take a search.
  [[nodiscard]] const InferredShape& shape_of(const std::string& tensor);
  [[nodiscard]] const std::vector<KernelFacts>& kernels();
  /// What is known of reals, and expressions in canonical form.
  [[nodiscard]] const algebra::Facts& real_facts();
  [[nodiscard]] algebra::Scalars& scalars() { return scalars_; }
  [[nodiscard]] Presburger& isl() { return isl_; }
  /// Some tensor is in `s` or `l`.
  [[nodiscard]] bool has_scoped_data();
  [[nodiscard]] LegalityMemos& memos() { return memos_; }
  /// What a top-level expression touches, by the names of tensors.
  [[nodiscard]] const std::vector<LocalAccesses>& touched(std::uint32_t expression);
  /// Every nest, in the order of the text.
  [[nodiscard]] const std::vector<PlacedNest>& nests();

  /// Null where the address does not lead to a nest, an equation.
  [[nodiscard]] const PlacedNest* find_nest(std::span<const std::uint32_t> items);
  [[nodiscard]] const Statement* find_statement(std::span<const std::uint32_t> items);

  /// A tensor name that the whole program does not use; each call gives another.
  [[nodiscard]] NameSource fresh_tensors();
  /// Index names that one top-level expression does not use.
  [[nodiscard]] NameSource fresh_indices(std::uint32_t expression);

 private:
  const Program& program_;
  std::optional<AccessTable> table_;
  std::optional<ValueFacts> facts_;
  std::optional<algebra::Facts> real_facts_;
  algebra::Scalars scalars_;
  std::map<std::string, InferredShape> shapes_;
  std::optional<std::vector<PlacedNest>> nests_;
  std::optional<std::vector<KernelFacts>> kernels_;
  std::optional<std::vector<std::vector<LocalAccesses>>> touched_;
  std::optional<bool> has_scoped_data_;
  Presburger isl_;
  LegalityMemos memos_;
};

/// All integers that divide n, ascending. Where what is left of n has no factor below two millions it counts as a
/// prime, so that beyond 2^42 some may be missing.
[[nodiscard]] std::vector<std::int64_t> divisors(std::int64_t n);

/// Addresses of parts of a nest.
[[nodiscard]] Site item_site(std::vector<std::uint32_t> items);
[[nodiscard]] Site loop_site(std::vector<std::uint32_t> items, std::size_t loop);
[[nodiscard]] Site guard_site(std::vector<std::uint32_t> items);

}  // namespace steptp
