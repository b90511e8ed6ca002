#include "steptp/moves/joint_kernel.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "steptp/base/text.h"
#include "steptp/moves/loop_header.h"

namespace steptp {

namespace {

constexpr std::int64_t kWarp = 32;
constexpr std::int64_t kDeepest = 64;       ///< threads along tz
constexpr std::int64_t kMostElements = 64;  ///< of one tensor in the registers of a thread
constexpr std::string_view kBlockAxes[] = {"bx", "by", "bz"};
constexpr std::string_view kThreadAxes[] = {"tx", "ty", "tz"};

using Roles = std::vector<std::string>;

Roles all_of(std::initializer_list<const Roles*> lists) {
  Roles out;
  for (const Roles* list : lists) out.insert(out.end(), list->begin(), list->end());
  return out;
}

class JointKernel {
 public:
  JointKernel(MoveBuilder& builder, const JointBlocks& blocks, const JointLayout& layout)
      : builder_(builder), blocks_(blocks), layout_(layout) {
    // The longest loop is on bx, which has room for more blocks than the others.
    std::vector<std::size_t> order(blocks.extents.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return blocks.extents[a] < blocks.extents[b]; });
    for (const std::size_t loop : order) common_.push_back(concat("block ", loop));
  }

  bool make() {
    choose_axes();
    for (std::size_t i = 0; i < blocks_.parts.size(); ++i) {
      if (!divide(i)) return false;
    }
    for (std::size_t i = 1; i < blocks_.parts.size(); ++i) {
      const Values depth = {{"depth", static_cast<std::int64_t>(common_.size())}};
      if (!builder_.step("operator_fusion", item_site({blocks_.first}), depth)) return false;
    }
    return std::all_of(blocks_.made.begin(), blocks_.made.end(),
                       [this](const std::string& tensor) { return place(tensor); });
  }

 private:
  // --- loops ---------------------------------------------------------------------------------------------------------

  [[nodiscard]] static std::int64_t product(const JointPart& part, const std::vector<std::size_t>& loops) {
    std::int64_t out = 1;
    for (const std::size_t loop : loops) {
      if (__builtin_mul_overflow(out, part.extents[loop], &out)) return INT64_MAX;
    }
    return out;
  }

  /// Threads for each of the rows that a block has at once.
  [[nodiscard]] std::int64_t threads_of_row() const {
    return std::max<std::int64_t>(layout_.threads / layout_.rows, 1);
  }

  /// There are too few elements in a row to have a warp work on them, and more to fold for each.
  static bool folds_together(const JointPart& part) {
    const std::int64_t elements = product(part, part.own);
    return part.folds && part.own.size() <= 1 && elements < kWarp && product(part, part.rest) > elements;
  }

  /// Threads of one row along each axis that a part has for them, x first.
  [[nodiscard]] std::vector<std::int64_t> row_shape(const JointPart& part, std::size_t most_axes) const {
    std::int64_t left = threads_of_row();
    if (folds_together(part)) {
      const bool has_own = !part.own.empty() && most_axes > 1;
      const std::int64_t elements = has_own ? product(part, part.own) : 1;
      const std::int64_t folded = std::min(product(part, part.rest), std::max<std::int64_t>(left / elements, 1));
      return has_own ? std::vector{folded, elements} : std::vector{folded};
    }
    std::vector<std::int64_t> out;
    for (auto loop = part.own.rbegin(); loop != part.own.rend() && out.size() < most_axes && left > 1; ++loop) {
      out.push_back(std::min(part.extents[*loop], out.size() == 2 ? std::min(left, kDeepest) : left));
      left /= out.back();
    }
    return out;
  }

  /// A block has along each axis as many threads as the part with most of them. The more axes a row has, the more parts
  /// differ, so that there are as many as still make a block of no more threads than it may have: with one there always
  /// are.
  void choose_axes() {
    axes_ = layout_.rows > 1 ? 2 : 3;
    for (;; --axes_) {
      std::vector<std::int64_t> shape;
      for (const JointPart& part : blocks_.parts) {
        const std::vector<std::int64_t> own = row_shape(part, axes_);
        shape.resize(std::max(shape.size(), own.size()), 1);
        for (std::size_t i = 0; i < own.size(); ++i) shape[i] = std::max(shape[i], own[i]);
      }
      row_axes_ = shape.size();
      widest_ = shape.empty() ? layout_.rows : shape[0];
      const std::int64_t all = std::accumulate(shape.begin(), shape.end(), layout_.rows, std::multiplies<>());
      if (axes_ == 1 || all <= layout_.threads) return;
    }
  }

  /// The loops of one expression: blocks, threads, and what each thread does.
  bool divide(std::size_t number) {
    const JointPart& part = blocks_.parts[number];
    Roles roles(part.extents.size());
    for (std::size_t i = 0; i < part.blocks.size(); ++i) roles[part.blocks[i]] = concat("block ", i);
    Roles own;
    Roles rest;
    for (const std::size_t loop : part.own) own.push_back(roles[loop] = concat("own ", loop));
    for (const std::size_t loop : part.rest) rest.push_back(roles[loop] = concat("rest ", loop));
    LoopHeader header(builder_, {blocks_.first + static_cast<std::uint32_t>(number)}, std::move(roles));
    if (!header.unbind_all()) return false;
    Roles tile;
    if (layout_.rows > 1) {
      const std::string last = concat("block ", part.blocks.size() - 1);
      if (!header.split(last, layout_.rows, last, "tile")) return false;
      tile.emplace_back("tile");
    }
    Roles threads;
    const bool done = folds_together(part) ? share_folds(header, tile, own, rest, threads)
                                           : share_elements(header, tile, own, rest, threads);
    if (!done || !bind_threads(header, tile, threads)) return false;
    for (std::size_t i = 0; i < common_.size(); ++i) {
      if (!header.bind(common_[i], kBlockAxes[common_.size() - 1 - i])) return false;
    }
    return true;
  }

  /// A loop becomes so many threads, with rounds where it is longer.
  static bool cut(LoopHeader& header, const std::string& role, std::int64_t most, Roles& threads, Roles& rounds) {
    if (header.extent(role) <= most) {
      threads.insert(threads.begin(), role);
      return true;
    }
    const std::string outer = concat(role, " rounds");
    const std::string inner = concat(role, " threads");
    if (!header.split(role, most, outer, inner)) return false;
    threads.insert(threads.begin(), inner);
    rounds.insert(rounds.begin(), outer);
    return true;
  }

  /// Threads have elements of their own, of the last loops first.
  bool share_elements(LoopHeader& header, const Roles& tile, const Roles& own, const Roles& rest, Roles& threads) {
    Roles rounds;
    std::int64_t left = threads_of_row();
    for (auto role = own.rbegin(); role != own.rend(); ++role) {
      const std::int64_t extent = header.extent(*role);
      if (threads.size() == axes_ || left < 2) {
        rounds.insert(rounds.begin(), *role);
        continue;
      }
      const std::int64_t most = threads.size() == 2 ? std::min(left, kDeepest) : left;
      if (!cut(header, *role, most, threads, rounds)) return false;
      left /= std::min(extent, most);
    }
    return header.arrange(all_of({&common_, &tile, &threads, &rounds, &rest}));
  }

  /// Threads fold together, each a part of what one element is made of.
  bool share_folds(LoopHeader& header, const Roles& tile, const Roles& own, const Roles& rest, Roles& threads) {
    Roles folds;
    Roles idle;  // of one iteration, whatever it is for
    for (const std::string& role : rest) (header.extent(role) > 1 ? folds : idle).push_back(role);
    const bool has_own = !own.empty() && axes_ > 1;
    const std::int64_t elements = has_own ? header.extent(own[0]) : 1;
    const std::int64_t most = std::max<std::int64_t>(threads_of_row() / elements, 1);
    if (!header.arrange(all_of({&common_, &tile, &own, &folds, &idle})) || !header.fuse(folds, "folded")) return false;
    Roles rounds;
    if (!cut(header, "folded", most, threads, rounds)) return false;
    Roles& where = has_own ? threads : rounds;
    where.insert(where.begin(), own.begin(), own.end());
    return header.arrange(all_of({&common_, &tile, &threads, &rounds, &idle}));
  }

  /// Rows are on the last axis that the kernel has, and the threads of a row on those before it, x for the last. A part
  /// that has no use for one of them has it with one iteration: what lives in l stands inside of all axes.
  bool bind_threads(LoopHeader& header, const Roles& tile, Roles threads) {
    for (std::size_t i = 0; i < threads.size(); ++i) {
      if (!header.bind(threads[i], kThreadAxes[threads.size() - 1 - i])) return false;
    }
    if (!tile.empty() && !header.bind(tile[0], kThreadAxes[row_axes_])) return false;
    for (std::size_t i = threads.size(); !threads.empty() && i < row_axes_; ++i) {
      const std::string one = concat("one ", i);
      if (!header.split(threads[0], header.extent(threads[0]), one, threads[0])) return false;
      if (!header.bind(one, kThreadAxes[i])) return false;
    }
    return true;
  }

  // --- data ----------------------------------------------------------------------------------------------------------

  [[nodiscard]] Site block_loop() const { return loop_site({blocks_.first}, common_.size() - 1); }

  /// What writes a tensor, if all of it stands in the kernel.
  std::vector<const Statement*> writers_inside(const std::string& tensor) {
    std::vector<const Statement*> out = writers_of(builder_.view(), tensor);
    const bool inside = std::all_of(out.begin(), out.end(),
                                    [&](const Statement* statement) { return statement->items[0] == blocks_.first; });
    return inside ? out : std::vector<const Statement*>();
  }

  bool is_read_elsewhere(const std::string& tensor) {
    if (!is_intermediate(builder_.view(), tensor)) return true;
    const std::vector<const Statement*> readers = readers_of(builder_.view(), tensor);
    return std::any_of(readers.begin(), readers.end(),
                       [&](const Statement* statement) { return statement->items[0] != blocks_.first; });
  }

  bool is_thread_loop(const AxisOf& loop) const {
    const auto axis = axis_of(loop.index);
    return loop.kind == LoopKind::bound && axis && is_thread_axis(*axis);
  }

  /// Several threads fold into one element.
  bool is_collective(const Statement& statement) const {
    const Axes axes = axes_of(statement);
    return std::any_of(axes.reduced.begin(), axes.reduced.end(),
                       [&](const AxisOf& loop) { return is_thread_loop(loop); });
  }

  /// Elements that one thread of the writer makes.
  std::int64_t elements_of_thread(const Statement& writer) const {
    std::vector<AxisOf> serial = axes_of(writer).spatial;
    std::erase_if(serial, [](const AxisOf& loop) { return loop.kind == LoopKind::bound; });
    return iterations(serial);
  }

  /// The innermost loop over threads around a statement, or the one over blocks.
  Site innermost(const Statement& statement) const {
    Site out = block_loop();
    for (const AxisOf& loop : loops_around(statement)) {
      if (is_thread_loop(loop)) out = loop.loop;
    }
    return out;
  }

  [[nodiscard]] Values copy_of(const std::string& tensor, std::string_view scope, bool is_sum) {
    const DType dtype = builder_.view().table().tensors.at(tensor).dtype;
    const bool is_wide = is_sum && layout_.is_wide && (dtype == DType::f16 || dtype == DType::bf16);
    return {{"direction", "write"},
            {"of", tensor},
            {"scope", std::string(scope)},
            {"form", is_wide ? "wide" : "plain"},
            {"points", 0}};
  }

  /// Nobody needs what goes back to g, or threads write it together.
  bool write_back(const std::string& tensor) {
    const Statement* writer = only_writer(builder_.view(), tensor);
    if (!writer) return true;
    if (is_intermediate(builder_.view(), tensor) && readers_of(builder_.view(), tensor).empty()) {
      return builder_.step("dead_code_elimination", item_site(writer->items));
    }
    const std::vector<AxisOf> loops = loops_around(*writer);
    const bool has_threads =
        std::any_of(loops.begin(), loops.end(), [&](const AxisOf& loop) { return is_thread_loop(loop); });
    const AxisOf& last = loops.back();
    if (!has_threads && last.kind == LoopKind::serial && last.extent > 1 && last.extent <= widest_) {
      (void)builder_.may_step("loop_binding", last.loop, {{"axis", "tx"}, {"multiple", 1}});
    }
    return true;
  }

  /// What passes inside the kernel only lives with the threads or the block. Sums are kept where they are made.
  bool place(const std::string& tensor) {
    const std::vector<const Statement*> writers = writers_inside(tensor);
    if (writers.empty()) return true;
    const bool folds =
        std::any_of(writers.begin(), writers.end(), [](const Statement* one) { return one->accumulates.has_value(); });
    const bool is_inside = !is_read_elsewhere(tensor);
    if (std::any_of(writers.begin(), writers.end(), [&](const Statement* one) { return is_collective(*one); })) {
      return builder_.step("cache_read_write", block_loop(), copy_of(tensor, "s", true)) && write_back(tensor);
    }
    const bool fits = elements_of_thread(*writers[0]) <= kMostElements;
    if (is_inside && fits && builder_.may_step("cache_read_write", block_loop(), copy_of(tensor, "l", folds))) {
      return write_back(tensor);
    }
    if (folds) {
      const Site loop = writers.size() == 1 ? innermost(*writers[0]) : block_loop();
      const Values sums = copy_of(tensor, "l", true);
      if (!builder_.may_step("cache_read_write", loop, sums) && layout_.is_wide) {
        return builder_.step("cache_read_write", loop, sums);
      }
    }
    if (!is_inside) return true;
    return builder_.step("cache_read_write", block_loop(), copy_of(tensor, "s", false)) && write_back(tensor);
  }

  MoveBuilder& builder_;
  const JointBlocks& blocks_;
  const JointLayout& layout_;
  Roles common_;              ///< the loops that become blocks, in the order in which they stand
  std::size_t axes_ = 1;      ///< that the threads of a row may have
  std::size_t row_axes_ = 1;  ///< that they have in some part
  std::int64_t widest_ = 1;   ///< threads along tx
};

}  // namespace

void keep_axes(JointBlocks& blocks, std::size_t axes) {
  for (JointPart& part : blocks.parts) {
    const auto others = part.blocks.begin() + static_cast<std::ptrdiff_t>(axes);
    part.own.insert(part.own.begin(), others, part.blocks.end());
    part.blocks.erase(others, part.blocks.end());
  }
  blocks.extents.resize(axes);
}

bool make_joint_kernel(MoveBuilder& builder, const JointBlocks& blocks, const JointLayout& layout) {
  return JointKernel(builder, blocks, layout).make();
}

}  // namespace steptp
