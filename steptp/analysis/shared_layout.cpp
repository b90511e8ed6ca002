// Which tensors of a block share bytes. Time is counted in items: what all threads of a block come to together, with
// barriers in between where data passes. A tensor is live from the item that touches it first to the one that touches
// it last, through every loop in which some read may see what an earlier round wrote, and from the start of the block
// where it begins with an identity that somebody may read. That a read sees its own round only is shown by boxes of
// written elements (written_boxes.h), as definedness is. Decision 0061.
#include "steptp/analysis/shared_layout.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "steptp/analysis/box_search.h"
#include "steptp/analysis/instances.h"
#include "steptp/analysis/rounds.h"
#include "steptp/analysis/thread_groups.h"
#include "steptp/analysis/written_boxes.h"

namespace steptp {

namespace {

/// What is smaller has bytes of its own: a barrier more costs more than it saves.
constexpr Wide kLeastShared = 1024;
constexpr Wide kAlignment = 16;

Wide aligned(Wide bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

struct Span {
  std::size_t first = 0;
  std::size_t last = 0;
};

bool is_thread_loop(const Loop& loop) {
  const auto axis = loop.kind == LoopKind::bound ? axis_of(loop.index) : std::nullopt;
  return axis && is_thread_axis(*axis);
}

/// The items of a kernel, and for each loop that is not bound, which of them it is around.
class Items {
 public:
  Items(const AccessTable& table, const KernelFacts& kernel) : table_(table) {
    const std::size_t depth = kernel.kernel.root.size() - 1;
    std::size_t loop = kernel.kernel.host_loops;
    const Statement& first = table.statements[kernel.statements.front()];
    if (depth >= first.nests.size()) {  // a bare equation
      add_item(kernel.statements);
    } else {
      for (std::size_t i = 0; i < depth; ++i) loop -= first.nests[i]->loops.size();
      visit(kernel.statements, depth, loop, kernel.kernel.host_loops);
    }
  }

  [[nodiscard]] std::size_t item_of(std::size_t statement) const { return item_of_.at(statement); }
  struct Around {
    std::size_t statement = 0;  ///< one that it is around
    std::size_t loop = 0;       ///< its number in that statement
    Span items;
  };
  [[nodiscard]] const std::vector<Around>& loops() const { return loops_; }

 private:
  using Statements = std::vector<std::size_t>;

  void add_item(const Statements& statements) {
    for (const std::size_t statement : statements) item_of_[statement] = count_;
    ++count_;
  }

  /// `loop` counts in the nest, `number` in the statements.
  void visit(const Statements& statements, std::size_t depth, std::size_t loop, std::size_t number) {
    const Nest& nest = *table_.statements[statements.front()].nests[depth];
    if (loop < nest.loops.size()) {
      if (nest.loops[loop].kind != LoopKind::bound) {
        const std::size_t first = count_;
        loop_or_item(statements, depth, loop, number);
        loops_.push_back({statements.front(), number, {first, count_ - 1}});
      } else {
        loop_or_item(statements, depth, loop, number);
      }
      return;
    }
    for (std::size_t begin = 0; begin < statements.size();) {
      const auto part_of = [&](std::size_t at) { return table_.statements[statements[at]].items[depth + 1]; };
      std::size_t end = begin;
      while (end < statements.size() && part_of(end) == part_of(begin)) ++end;
      const Statements part(statements.begin() + static_cast<std::ptrdiff_t>(begin),
                            statements.begin() + static_cast<std::ptrdiff_t>(end));
      if (table_.statements[part.front()].nests.size() == depth + 1) {
        add_item(part);
      } else {
        visit(part, depth + 1, 0, number);
      }
      begin = end;
    }
  }

  /// A loop over threads, or one without such a loop below, is an item.
  void loop_or_item(const Statements& statements, std::size_t depth, std::size_t loop, std::size_t number) {
    const Nest& nest = *table_.statements[statements.front()].nests[depth];
    const bool has_threads = std::any_of(statements.begin(), statements.end(), [&](std::size_t statement) {
      const auto& loops = table_.statements[statement].loops;
      return std::any_of(loops.begin() + static_cast<std::ptrdiff_t>(number), loops.end(),
                         [](const Loop* inner) { return is_thread_loop(*inner); });
    });
    const bool is_block_loop = nest.loops[loop].kind == LoopKind::bound && !is_thread_loop(nest.loops[loop]);
    if (is_thread_loop(nest.loops[loop]) || (!has_threads && !is_block_loop)) {
      add_item(statements);
    } else {
      visit(statements, depth, loop + 1, number + 1);
    }
  }

  const AccessTable& table_;
  std::map<std::size_t, std::size_t> item_of_;
  std::vector<Around> loops_;
  std::size_t count_ = 0;
};

class Layout {
 public:
  Layout(const AccessTable& table, const std::map<std::string, InferredShape>& shapes, const KernelFacts& kernel)
      : table_(table), shapes_(shapes), kernel_(kernel), items_(table, kernel) {}

  SharedLayout run() {
    for (const std::string& name : kernel_.shared) {
      Wide bytes = info(table_.tensors.at(name).dtype).bytes;
      for (const std::int64_t dimension : shapes_.at(name).dimensions) bytes = std::min(bytes * dimension, kWideLimit);
      add_tensor(name, std::min(bytes * table_.tensors.at(name).scope.depth, kWideLimit));
    }
    add_cells();
    // Large ones first; then by name, so that the same program has the same layout.
    std::stable_sort(parts_.begin(), parts_.end(), [](const Part& a, const Part& b) { return a.bytes > b.bytes; });
    Wide apart = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      place(i);
      apart += aligned(parts_[i].bytes);
    }
    out_.is_shared = out_.bytes < apart;
    return std::move(out_);
  }

 private:
  struct Part {
    std::string name;
    Wide bytes = 0;
    std::vector<Span> live;
    bool is_filled = false;
  };

  void add_tensor(const std::string& name, Wide bytes) {
    const TensorFacts& tensor = table_.tensors.at(name);
    const bool has_flags = has_several_operators(tensor);
    const bool is_filled = !has_flags && reads_identity(tensor);
    Span span = live(tensor);
    if (is_filled) span.first = 0;
    parts_.push_back({name, bytes, {span}, is_filled});
    if (!has_flags) return;
    parts_.push_back({flags_of(name), bytes / info(tensor.dtype).bytes, {{0, span.last}}, true});
  }

  [[nodiscard]] bool has_several_operators(const TensorFacts& tensor) const {
    std::set<ArithmeticOp> operators;
    for (const std::size_t write : tensor.writes) {
      const auto& accumulates = table_.statements[table_.accesses[write].statement].accumulates;
      if (accumulates) operators.insert(*accumulates);
    }
    return operators.size() > 1;
  }

  [[nodiscard]] bool is_inside(const Access& access, const Items::Around& loop) const {
    const Loop* const around = table_.statements[loop.statement].loops[loop.loop];
    const Statement& statement = table_.statements[access.statement];
    return loop.loop < statement.loops.size() && statement.loops[loop.loop] == around;
  }

  [[nodiscard]] bool touches(const TensorFacts& tensor, const Items::Around& loop) const {
    const auto inside = [&](std::size_t access) { return is_inside(table_.accesses[access], loop); };
    return std::any_of(tensor.reads.begin(), tensor.reads.end(), inside) ||
           std::any_of(tensor.writes.begin(), tensor.writes.end(), inside);
  }

  /// Whether every read is in the loop and sees what its own round wrote: nothing lives from one round to the next.
  [[nodiscard]] bool begins_anew(const TensorFacts& tensor, const Items::Around& loop) const {
    return std::all_of(tensor.reads.begin(), tensor.reads.end(), [&](std::size_t number) {
      const Access& read = table_.accesses[number];
      return is_inside(read, loop) && reads_what_was_written(table_, tensor, read, loop.loop + 1);
    });
  }

  /// The rounds of this loop may be in flight together: the tensor is live throughout it.
  [[nodiscard]] bool runs_ahead(const TensorFacts& tensor, const Items::Around& loop) const {
    return tensor.scope.depth > 1 && round_loop(table_, tensor) == loop.loop;
  }

  [[nodiscard]] Span live(const TensorFacts& tensor) const {
    std::optional<Span> span;
    for (const auto* list : {&tensor.writes, &tensor.reads}) {
      for (const std::size_t access : *list) {
        const std::size_t item = items_.item_of(table_.accesses[access].statement);
        if (!span) span = Span{item, item};
        span = Span{std::min(span->first, item), std::max(span->last, item)};
      }
    }
    for (const Items::Around& loop : items_.loops()) {
      if (!touches(tensor, loop) || (!runs_ahead(tensor, loop) && begins_anew(tensor, loop))) continue;
      span = Span{std::min(span->first, loop.items.first), std::max(span->last, loop.items.last)};
    }
    return *span;
  }

  /// Its identity is there when the block starts.
  [[nodiscard]] bool reads_identity(const TensorFacts& tensor) const {
    return std::any_of(tensor.reads.begin(), tensor.reads.end(), [&](std::size_t number) {
      const Access& read = table_.accesses[number];
      return read.is_accumulator && !reads_what_was_written(table_, tensor, read);
    });
  }

  void add_cells() {
    Part cells{kReductionCells, 0, {}, false};
    for (const std::size_t statement : kernel_.statements) {
      const auto groups = thread_groups(table_, kernel_.extents, statement);
      if (!groups) continue;
      const Wide bytes = groups->shared_bytes(info(table_.statements[statement].equation->left->dtype).bytes);
      if (bytes == 0) continue;
      cells.bytes = std::max(cells.bytes, bytes);
      cells.live.push_back({items_.item_of(statement), items_.item_of(statement)});
    }
    if (cells.bytes > 0) parts_.push_back(std::move(cells));
  }

  [[nodiscard]] static bool meet(const Part& a, const Part& b) {
    if (a.bytes < kLeastShared || b.bytes < kLeastShared) return true;
    return std::any_of(a.live.begin(), a.live.end(), [&](const Span& one) {
      return std::any_of(b.live.begin(), b.live.end(),
                         [&](const Span& other) { return one.first <= other.last && other.first <= one.last; });
    });
  }

  /// At the lowest place where nothing lies that is live at the same time.
  void place(std::size_t number) {
    const Part& part = parts_[number];
    std::vector<std::pair<Wide, Wide>> taken;
    for (std::size_t i = 0; i < number; ++i) {
      const SharedLayout::Place& other = out_.places.at(parts_[i].name);
      if (meet(part, parts_[i])) taken.emplace_back(other.offset, other.offset + aligned(other.bytes));
    }
    std::sort(taken.begin(), taken.end());
    Wide at = 0;
    for (const auto& [begin, end] : taken) {
      if (at + aligned(part.bytes) <= begin) break;
      at = std::max(at, end);
    }
    out_.places[part.name] = {at, part.bytes, part.is_filled};
    out_.bytes = std::max(out_.bytes, at + aligned(part.bytes));
  }

  const AccessTable& table_;
  const std::map<std::string, InferredShape>& shapes_;
  const KernelFacts& kernel_;
  Items items_;
  std::vector<Part> parts_;
  SharedLayout out_;
};

}  // namespace

bool SharedLayout::overlap(const std::string& first, const std::string& second) const {
  const auto a = places.find(first);
  const auto b = places.find(second);
  if (a == places.end() || b == places.end() || first == second) return false;
  return a->second.offset < b->second.offset + b->second.bytes && b->second.offset < a->second.offset + a->second.bytes;
}

SharedLayout shared_layout(const AccessTable& table, const std::map<std::string, InferredShape>& shapes,
                           const KernelFacts& kernel) {
  return Layout(table, shapes, kernel).run();
}

}  // namespace steptp
