// The steps of an online form: a strategy makes the recurrences; they keep their latest values only, their rows become
// blocks and threads, what uses them comes in, and what they keep goes into registers.
#include "steptp/moves/online_kernel.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "steptp/moves/loop_header.h"
#include "steptp/moves/parts.h"
#include "steptp/moves/registers.h"

namespace steptp {

namespace {

class OnlineKernel {
 public:
  OnlineKernel(MoveBuilder& builder, const OnlineLayout& layout) : builder_(builder), layout_(layout) {}

  bool make(const Site& at, const OnlineStep& step) {
    if (!builder_.step(step.strategy, at, step.values)) return false;
    const std::vector<Site> added = builder_.added("recurrence");
    if (added.empty() || added[0].items.size() != 1) return false;
    at_ = added[0].items[0];
    for (const auto& [name, value] : builder_.facts().values) {
      if (name == "loop") carry_ = *value.as_string();
    }
    return arrange_recurrences() && roll() && follow() && bind_rows() && keep();
  }

 private:
  /// Rows stand outside and are one loop.
  bool arrange_recurrences() {
    std::vector<std::string> roles;
    std::vector<std::string> rows;
    for (const Loop& loop : builder_.program().nests[at_]->loops) {
      roles.push_back(loop.index);
      if (loop.index != carry_) rows.push_back(loop.index);
      if (loop.index != carry_) extents_.push_back(loop.extent);
    }
    LoopHeader header(builder_, {at_}, roles);
    std::vector<std::string> order = rows;
    order.push_back(carry_);
    return header.unbind_all() && header.arrange(order) && header.fuse_first(rows.size());
  }

  /// Recurrences keep their latest value; where the one before is needed beside it, both.
  bool roll() {
    std::vector<std::string> tensors;
    for (const Statement& statement : builder_.view().table().statements) {
      const std::string& tensor = statement.equation->left->tensor;
      const bool is_new = std::find(tensors.begin(), tensors.end(), tensor) == tensors.end();
      if (statement.items[0] == at_ && is_new) tensors.push_back(tensor);
    }
    for (const std::string& tensor : tensors) {
      state_.push_back(tensor);
      const Statement* writer = only_writer(builder_.view(), tensor);
      const Index last = writer->equation->left->subscripts.back();
      const std::string* index = last.as_variable();
      if (!index || *index != carry_) continue;
      Site left = item_site(writer->items);
      left.part = Site::Part::left;
      const std::string dimension = std::to_string(writer->equation->left->subscripts.size() - 1);
      const auto shape = [&](std::string_view form) {
        return Values{{"form", form}, {"dimensions", dimension}, {"number", 0}};
      };
      if (builder_.may_step("set_storage_layout", left, shape("drop"))) continue;
      std::set<std::string> before = all_tensors();
      if (!builder_.step("set_storage_layout", left, shape("rolling"))) return false;
      for (const std::string& name : all_tensors()) {
        if (!before.contains(name)) state_.push_back(name);
      }
    }
    return true;
  }

  [[nodiscard]] std::set<std::string> all_tensors() {
    std::set<std::string> out;
    for (const auto& [name, facts] : builder_.view().table().tensors) out.insert(name);
    return out;
  }

  /// What comes behind, with the same rows, is made by the same threads.
  bool follow() {
    for (std::int64_t i = 0; i < layout_.following; ++i) {
      if (at_ + 1 >= builder_.program().nests.size()) return false;
      std::vector<std::string> roles;
      for (const Loop& loop : builder_.program().nests[at_ + 1]->loops) roles.push_back(loop.index);
      LoopHeader header(builder_, {at_ + 1}, roles);
      if (!header.unbind_all() || roles.size() < extents_.size() || !header.fuse_first(extents_.size())) return false;
      if (!builder_.step("operator_fusion", item_site({at_}), {{"depth", 1}})) return false;
    }
    return true;
  }

  bool bind_rows() {
    const auto bind = [&](std::size_t loop, std::string_view axis) {
      return builder_.step("loop_binding", loop_site({at_}, loop), {{"axis", axis}, {"multiple", 1}});
    };
    if (layout_.rows == 1) return bind(0, "bx");
    const Values how = {{"inner", layout_.rows}, {"kind", "inner"}};
    return builder_.step("loop_split", loop_site({at_}, 0), how) && bind(0, "bx") && bind(1, "tx");
  }

  /// What goes on from round to round is the thread's own; it is written back where somebody else reads it.
  bool keep() {
    const Site loop = loop_site({at_}, layout_.rows > 1 ? 1 : 0);
    for (const std::string& tensor : state_) {
      const Values how = {{"direction", "write"}, {"of", tensor}, {"scope", "l"}, {"form", "plain"}, {"points", 0}};
      if (!builder_.may_step("cache_read_write", loop, how)) continue;
      const Statement* writer = only_writer(builder_.view(), tensor);
      const bool is_read = !is_intermediate(builder_.view(), tensor) || !readers_of(builder_.view(), tensor).empty();
      if (writer && !is_read && !builder_.step("dead_code_elimination", item_site(writer->items))) return false;
    }
    unroll_loops_over_registers(builder_, at_);
    return !builder_.refusal();
  }

  MoveBuilder& builder_;
  const OnlineLayout& layout_;
  std::uint32_t at_ = 0;
  std::string carry_;
  std::vector<std::int64_t> extents_;  ///< of the loops over rows
  std::vector<std::string> state_;     ///< tensors that the recurrences make
};

}  // namespace

bool make_online_kernel(MoveBuilder& builder, const Site& at, const OnlineStep& step, const OnlineLayout& layout) {
  return OnlineKernel(builder, layout).make(at, step);
}

}  // namespace steptp
