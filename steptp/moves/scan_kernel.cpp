// The steps of a fold up to each place: prefix_fold makes a recurrence of it, or parts; their loops become blocks and
// threads, and what goes on from place to place a register.
#include "steptp/moves/scan_kernel.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "steptp/moves/loop_header.h"
#include "steptp/moves/parts.h"
#include "steptp/moves/registers.h"
#include "steptp/moves/row_chain.h"

namespace steptp {

namespace {

class ScanKernel {
 public:
  ScanKernel(MoveBuilder& builder, std::uint32_t at, const ScanLayout& layout)
      : builder_(builder), at_(at), layout_(layout) {}

  bool make() {
    const Statement* statement = only_statement(builder_.view(), at_);
    if (!statement || !unbind_loops(builder_, at_, steptp::loops_around(*statement))) return false;
    return layout_.has_parts() ? by_parts() : running();
  }

 private:
  using Items = std::vector<std::uint32_t>;

  bool fold(std::uint32_t expression, std::string_view form, std::int64_t inner) {
    const Values how = {{"form", form}, {"inner", inner}};
    return builder_.step("prefix_fold", item_site({expression}), how);
  }
  void note_tensors() {
    for (const auto& [name, value] : builder_.facts().values) {
      if (name != "tensors") continue;
      std::string tensor;
      for (const char letter : *value.as_string() + ",") {
        if (letter != ',') {
          tensor += letter;
        } else {
          tensors_.push_back(std::exchange(tensor, {}));
        }
      }
    }
    for (const auto& [name, value] : builder_.facts().holds[0].values) {
      if (name == "loop") along_ = *value.as_string();
    }
  }

  bool running() {
    if (!fold(at_, "running", 0)) return false;
    note_tensors();
    return arrange(at_, "") && hold(tensors_[0], {at_}, layout_.rows > 1 ? 1 : 0);
  }

  bool by_parts() {
    if (!fold(at_, "parts", layout_.part)) return false;
    note_tensors();
    const std::vector<Loop>& loops = builder_.program().nests[at_ + 3]->loops;
    const auto along = std::find_if(loops.begin(), loops.end(), [&](const Loop& one) { return one.index == along_; });
    const std::string part = (along - 1)->index;
    // Without its own term a place does not go on from the one before, so that each is folded for itself.
    if (builder_.may_step("prefix_fold", item_site({at_ + 2}), {{"form", "running"}, {"inner", 0}})) note_tensors();
    for (std::uint32_t i = 0; i < 4; ++i) {
      if (!arrange(at_ + i, part)) return false;
    }
    return fuse_places() && fuse(at_ + 1, 1) && fuse(at_, 1) && keep_parts();
  }

  /// What a part makes up to a place and what is made of it stand in one loop; where a guard cuts off the last part, in
  /// two loops of the same thread.
  bool fuse_places() {
    const auto depth = static_cast<std::int64_t>(builder_.program().nests[at_ + 3]->loops.size());
    const Values all = {{"depth", depth}};
    return builder_.may_step("operator_fusion", item_site({at_ + 2}), all) || fuse(at_ + 2, depth - 1);
  }

  bool fuse(std::uint32_t expression, std::int64_t depth) {
    return builder_.step("operator_fusion", item_site({expression}), {{"depth", depth}});
  }

  /// Rows are blocks, and threads where a block has several; parts are threads; what else there is stands inside.
  bool arrange(std::uint32_t expression, const std::string& part) {
    std::vector<std::string> rows;
    std::vector<std::string> inner;
    std::vector<std::string> roles;
    for (const Loop& loop : builder_.program().nests[expression]->loops) {
      roles.push_back(loop.index);
      const bool is_inner = loop.index == along_ || is_folded(expression, loop.index);
      if (loop.index != part) (is_inner ? inner : rows).push_back(loop.index);
    }
    LoopHeader header(builder_, {expression}, roles);
    std::vector<std::string> order = rows;
    if (!part.empty()) order.push_back(part);
    order.insert(order.end(), inner.begin(), inner.end());
    if (!header.arrange(order)) return false;
    const std::string_view threads = part.empty() ? "tx" : "ty";
    if (rows.empty()) {
      if (!header.split(part, header.extent(part), "blocks", part)) return false;
    } else {
      if (!header.fuse(rows, "blocks")) return false;
      if (layout_.rows > 1 && !header.split("blocks", layout_.rows, "blocks", "rows")) return false;
      if (layout_.rows > 1 && !header.bind("rows", threads)) return false;
    }
    return header.bind("blocks", "bx") && (part.empty() || header.bind(part, "tx"));
  }

  /// The loop is in no left subscript of the expression.
  bool is_folded(std::uint32_t expression, const std::string& index) {
    for (const Statement& statement : builder_.view().table().statements) {
      if (statement.items[0] != expression) continue;
      for (const AxisOf& axis : axes_of(statement).spatial) {
        if (axis.index == index) return false;
      }
    }
    return true;
  }

  /// A tensor that only these threads use, one place after the other, is a register.
  bool hold(const std::string& tensor, const Items& nest, std::size_t loop) {
    const Statement* writer = only_writer(builder_.view(), tensor);
    Site left = item_site(writer->items);
    left.part = Site::Part::left;
    const std::string last = std::to_string(writer->equation->left->subscripts.size() - 1);
    builder_.may_step("set_storage_layout", left, {{"form", "drop"}, {"dimensions", last}, {"number", 0}});
    return cache("write", tensor, "l", loop_site(nest, loop)) && drop(tensor);
  }

  bool cache(std::string_view direction, const std::string& of, std::string_view scope, const Site& loop) {
    const Values how = {{"direction", direction}, {"of", of}, {"scope", scope}, {"form", "plain"}, {"points", 0}};
    return builder_.step("cache_read_write", loop, how);
  }

  /// What would be written back of a tensor is not needed.
  bool drop(const std::string& tensor) {
    const Statement* writer = only_writer(builder_.view(), tensor);
    return !writer || builder_.step("dead_code_elimination", item_site(writer->items));
  }

  /// The parts as wholes lie in `s`, where all threads of their rows see them; what comes before a part is a register.
  bool keep_parts() {
    const std::size_t threads = layout_.rows > 1 ? 2 : 1;
    std::set<std::string> read;
    for_each_ref(*builder_.view().find_statement(std::vector<std::uint32_t>{at_, 0, 0})->equation->right,
                 [&](const RefPtr& ref) { read.insert(ref->tensor); });
    read.erase(tensors_[0]);
    for (std::size_t i = 2; i < tensors_.size(); ++i) {
      if (!hold(tensors_[i], {at_, 2}, threads - 1)) return false;
    }
    const Site blocks = loop_site({at_}, 0);
    if (!cache("write", tensors_[1], "l", blocks) || !drop(tensors_[1])) return false;
    if (!cache("write", tensors_[0], "s", blocks) || !drop(tensors_[0])) return false;
    for (const std::string& tensor : read) {
      if (layout_.keeps && !cache("read", tensor, "l", blocks)) return false;
    }
    unroll_loops_over_registers(builder_, at_);
    return !builder_.refusal();
  }

  MoveBuilder& builder_;
  std::uint32_t at_;
  const ScanLayout& layout_;
  std::vector<std::string> tensors_;  ///< that prefix_fold has brought in
  std::string along_;                 ///< the loop along which is folded
};

}  // namespace

bool make_scan_kernel(MoveBuilder& builder, std::uint32_t expression, const ScanLayout& layout) {
  return ScanKernel(builder, expression, layout).make();
}

}  // namespace steptp
