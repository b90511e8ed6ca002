// A unit has some neighbouring queries of its block: its lanes make their scores and their outputs by matrix
// instructions, and masks, maxima, sums and weights lie in fragments between the two products. Halves are kept in f32,
// but for the weights, which are a factor.
#include <algorithm>

#include "steptp/ir/dtype_facts.h"
#include "steptp/moves/attention_steps.h"

namespace steptp {

namespace {

constexpr std::int64_t kLanes = 32;

class AttentionUnits {
 public:
  using Items = AttentionSteps::Items;

  explicit AttentionUnits(AttentionSteps& steps)
      : steps_(steps),
        names_(steps.names()),
        layout_(steps.layout()),
        scores_(steps.names().scores),
        is_narrow_(is_narrow_float(steps.parts().factors.value_or(DType::f64))) {}

  bool make() {
    return steps_.part_round() && roll() && inline_scales() && keep_round() && keep_state() && fetch_all() &&
           steps_.builder().step("loop_tensorization", item_site(steps_.kernel()), {{"wide", is_narrow_ ? 1 : 0}});
  }

 private:
  bool roll() {
    state_ = steps_.roll_all();
    rounds_ = steps_.nest_of(names_.share);
    rounds_.pop_back();
    return !state_.empty();
  }

  /// Cached, and not written back.
  bool keep(const Items& nest, std::size_t loop, const std::string& tensor, std::string_view scope = "l") {
    const AttentionSteps::Copy copy = {"plain", 1, scope == "l" ? kLanes : 1};
    return steps_.cache(nest, loop, "write", tensor, scope, copy) && steps_.drop(tensor);
  }

  /// The lanes of a sum of doubles hold other elements than those of a factor: such weights pass through `s`.
  bool keep_round() {
    std::vector<std::string> tensors = scores_;
    for (const std::string& tensor : {names_.maximum, names_.factor, names_.sum, names_.share}) {
      tensors.push_back(tensor);
    }
    for (const std::string& tensor : tensors) {
      if (!keep(rounds_, 0, tensor)) return false;
    }
    return keep(rounds_, 0, names_.weights, is_narrow_ ? "l" : "s");
  }

  bool keep_state() {
    for (const std::vector<std::string>& rolled : state_) {
      for (const std::string& tensor : rolled) {
        if (!keep(steps_.kernel(), steps_.blocks(), tensor)) return false;
      }
    }
    return true;
  }

  /// A scale is made again where it is read, by the maximum and by the weights: it takes no fragment of its own then. A
  /// mask stays.
  bool inline_scales() {
    for (std::size_t i = scores_.size(); i-- > 1;) {
      const Statement* between = only_writer(steps_.builder().view(), scores_[i]);
      if (!between || !std::holds_alternative<Product>(between->equation->right->node)) continue;
      if (steps_.builder().may_step("compute_inline", item_site(between->items))) {
        scores_.erase(scores_.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
    return !steps_.builder().refusal();
  }

  /// Queries, keys and values are fetched by the lanes of all units.
  bool fetch_all() {
    std::vector<Items> copies;
    for (const Statement& statement : steps_.builder().view().table().statements) {
      if (statement.items[0] != steps_.kernel()[0] || statement.equation->left->scope != Scope::shared) continue;
      const auto inside = statement.loops.begin() + static_cast<std::ptrdiff_t>(steps_.blocks()) + 1;
      const bool is_bound =
          std::any_of(inside, statement.loops.end(), [](const Loop* loop) { return loop->kind == LoopKind::bound; });
      if (!is_bound) copies.emplace_back(statement.items.begin(), statement.items.end() - 1);
    }
    return std::all_of(copies.begin(), copies.end(), [&](const Items& nest) { return fetch(nest); });
  }

  bool fetch(const Items& nest) {
    const std::size_t loops = steps_.nest_at(nest).loops.size();
    std::int64_t lanes = 16 / info(*steps_.parts().factors).bytes;
    while (steps_.nest_at(nest).loops.back().extent % lanes != 0) lanes /= 2;
    if (lanes > 1 && can_be_lanes(nest, loops - 1, lanes)) {
      if (!steps_.split(nest, loops - 1, lanes) || !vectorize(steps_.builder(), nest, loops)) return false;
    }
    for (std::size_t left = loops; left > 1; --left) {
      if (!steps_.builder().step("loop_fusion", loop_site(nest, 0), {{"keep", "inner"}})) return false;
    }
    return give_to_units(nest);
  }

  static bool vectorize(MoveBuilder& builder, const Items& nest, std::size_t loop) {
    return builder.step("loop_vectorization", loop_site(nest, loop));
  }

  bool can_be_lanes(const Items& nest, std::size_t position, std::int64_t lanes) {
    MoveBuilder trial(steps_.builder().program(), Tracking::off);
    return trial.step("loop_split", loop_site(nest, position), {{"inner", lanes}, {"kind", "inner"}}) &&
           vectorize(trial, nest, position + 1);
  }

  bool give_to_units(const Items& nest) {
    if (!steps_.split(nest, 0, kLanes)) return false;
    const std::int64_t units = layout_.queries / layout_.rows;
    if (steps_.nest_at(nest).loops[0].extent <= units) return steps_.bind(nest, 0, "ty");
    if (!steps_.split(nest, 0, units) || !steps_.bind(nest, 1, "ty")) return false;
    (void)steps_.builder().may_step("loop_unrolling", loop_site(nest, 0));
    return true;
  }

  AttentionSteps& steps_;
  const AttentionNames& names_;
  const AttentionLayout& layout_;
  std::vector<std::string> scores_;  ///< and what is made of them, in fragments of its own
  bool is_narrow_;
  std::vector<std::vector<std::string>> state_;  ///< maximum, sum, output: each with its value before
  Items rounds_;                                 ///< the nest over rounds, behind what sets the state
};

}  // namespace

bool finish_by_units(AttentionSteps& steps) { return AttentionUnits(steps).make(); }

}  // namespace steptp
