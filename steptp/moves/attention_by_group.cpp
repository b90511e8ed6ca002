// Several threads for each query: each makes some of its scores, or a part of each score, and some of its outputs.
// Scores and outputs are in registers, weights and what there is one of for a query in `s`.
#include <algorithm>

#include "steptp/moves/attention_steps.h"

namespace steptp {

namespace {

class AttentionGroup {
 public:
  using Items = AttentionSteps::Items;

  explicit AttentionGroup(AttentionSteps& steps)
      : steps_(steps), names_(steps.names()), layout_(steps.layout()), inner_(steps.query_loops()) {}

  bool make() {
    return steps_.part_round() && roll() && share_scores() && share_outputs() && keep_queries() && keep_round() &&
           keep_state() && fetch();
  }

 private:
  bool roll() {
    state_ = steps_.roll_all();
    rounds_ = nest_of(names_.share);
    rounds_.pop_back();
    return !state_.empty();
  }

  [[nodiscard]] Items nest_of(const std::string& tensor) { return steps_.nest_of(tensor); }

  /// A loop's iterations are divided among the threads of a query: neighbours have neighbouring ones.
  bool share_loop(const Items& nest, std::size_t loop) {
    if (steps_.nest_at(nest).loops[loop].extent > layout_.threads) {
      if (!steps_.split(nest, loop, layout_.threads)) return false;
      ++loop;
    }
    return move_out(nest, loop, 1) && steps_.bind(nest, 1, "tx");
  }
  bool move_out(const Items& nest, std::size_t loop, std::size_t to) {
    for (; loop > to; --loop) {
      if (!steps_.exchange(nest, loop - 1, loop)) return false;
    }
    return true;
  }
  /// The innermost loop goes to just inside of the threads: what it reads is used for all that a thread has.
  bool move_last_out(const Items& nest) { return move_out(nest, steps_.nest_at(nest).loops.size() - 1, 2); }

  bool share_scores() {
    const Items scores = nest_of(names_.scores[0]);
    if (!share_loop(scores, layout_.shares_head ? inner_ + 1 : inner_)) return false;
    if (!layout_.shares_head && !move_last_out(scores)) return false;
    std::vector<std::string> others(names_.scores.begin() + 1, names_.scores.end());
    for (const std::string& tensor : {names_.maximum, names_.weights, names_.sum}) others.push_back(tensor);
    for (const std::string& tensor : others) {
      if (!share_loop(nest_of(tensor), inner_)) return false;
    }
    return true;
  }

  /// The part of its queries that a thread multiplies goes into registers, where it is used for all keys of a round.
  bool keep_queries() {
    const Statement* scores = only_writer(steps_.builder().view(), names_.scores[0]);
    const auto read = layout_.shares_head && scores ? find_multiplied(*scores) : std::nullopt;
    if (!read) return true;
    const bool is_first = only_writer(steps_.builder().view(), read->a->tensor)->items.size() < rounds_.size() + 2;
    return steps_.cache(rounds_, 0, "read", (is_first ? read->a : read->b)->tensor, "l");
  }

  bool share_outputs() {
    if (!share_loop(nest_of(names_.share), inner_) || !move_last_out(nest_of(names_.share))) return false;
    std::vector<Items> nests = {nest_of(steps_.result())};
    for (const std::string& tensor : state_.back()) {
      for (const Statement* writer : writers_of(steps_.builder().view(), tensor)) {
        nests.emplace_back(writer->items.begin(), writer->items.end() - 1);
      }
    }
    for (const Items& nest : nests) {
      if (!share_loop(nest, inner_)) return false;
    }
    return true;
  }

  /// Cached, and not written back. What begins anew in `s` is set by the threads that have the query.
  bool keep(const Items& nest, std::size_t loop, const std::string& tensor, std::string_view scope) {
    if (!steps_.cache(nest, loop, "write", tensor, scope)) return false;
    if (scope == "s") {
      for (const Site& site : steps_.builder().added("identity")) {
        if (!steps_.bind(site.items, 0, "ty")) return false;
        const bool has_keys = steps_.nest_at(site.items).loops.size() > inner_;
        if (has_keys && !share_loop(site.items, inner_)) return false;
      }
    }
    return steps_.drop(tensor);
  }

  bool keep_round() {
    const std::string_view home = layout_.shares_head ? "s" : "l";
    for (std::size_t i = 0; i < names_.scores.size(); ++i) {
      if (!keep(rounds_, 0, names_.scores[i], i == 0 ? home : "l")) return false;
    }
    for (const std::string& tensor : {names_.maximum, names_.factor, names_.weights, names_.sum}) {
      if (!keep(rounds_, 0, tensor, "s")) return false;
    }
    return keep(rounds_, 0, names_.share, "l");
  }

  bool keep_state() {
    for (const std::vector<std::string>& rolled : state_) {
      for (const std::string& tensor : rolled) {
        const std::string_view home = &rolled == &state_.back() ? "l" : "s";
        if (!keep(steps_.kernel(), steps_.blocks(), tensor, home)) return false;
      }
    }
    return true;
  }

  /// Queries, keys and values are fetched by all threads.
  bool fetch() {
    std::vector<Items> copies;
    for (const Statement& statement : steps_.builder().view().table().statements) {
      if (statement.items[0] != steps_.kernel()[0] || statement.equation->left->scope != Scope::shared) continue;
      const bool is_bound =
          std::any_of(statement.loops.begin() + static_cast<std::ptrdiff_t>(steps_.blocks()) + 1, statement.loops.end(),
                      [](const Loop* loop) { return loop->kind == LoopKind::bound; });
      if (!is_bound) copies.emplace_back(statement.items.begin(), statement.items.end() - 1);
    }
    for (const Items& nest : copies) {
      if (!fetch_by_all(nest)) return false;
    }
    return true;
  }
  bool fetch_by_all(const Items& nest) {
    if (nest == steps_.kernel() || nest == rounds_) return true;  // one element
    if (!steps_.fuse_all(nest)) return false;
    const std::int64_t queries = layout_.queries / layout_.rows;
    std::size_t loop = 0;
    if (steps_.nest_at(nest).loops[0].extent > queries * layout_.threads) {
      if (!steps_.split(nest, 0, queries * layout_.threads)) return false;
      loop = 1;
    }
    if (steps_.nest_at(nest).loops[loop].extent > layout_.threads) {
      if (!steps_.split(nest, loop, layout_.threads) || !steps_.bind(nest, loop, "ty")) return false;
      if (!move_out(nest, loop, 0)) return false;  // no barrier in each of its rounds
      ++loop;
    }
    return steps_.bind(nest, loop, "tx") && move_out(nest, loop, std::min<std::size_t>(loop, 1));
  }

  AttentionSteps& steps_;
  const AttentionNames& names_;
  const AttentionLayout& layout_;
  std::size_t inner_;                            ///< the position of the first loop inside of those over queries
  std::vector<std::vector<std::string>> state_;  ///< maximum, sum, output: each with its value before
  Items rounds_;                                 ///< the nest over rounds, behind what sets the state
};

}  // namespace

bool finish_by_group(AttentionSteps& steps) { return AttentionGroup(steps).make(); }

}  // namespace steptp
