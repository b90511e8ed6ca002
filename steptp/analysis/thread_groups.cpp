// Which threads of a block reduce into one element. The subscripts of the element are split into what threads, loops
// inside of threads, and everything around decide; the divisors of // and % cut the number of a thread into digits,
// and trying all threads of a block shows which digits make no difference. Nothing is proved by form: that groups have
// elements of their own is shown by coincidence.h, or by listing all elements of a block. Decision 0060.
// More than 400 lines, because the search is one class that nobody else needs to see.
#include "steptp/analysis/thread_groups.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "steptp/analysis/coincidence.h"
#include "steptp/analysis/index_map.h"
#include "steptp/analysis/interval.h"

namespace steptp {

namespace {

/// A thread has so many parts in registers, and so many flags in a word.
constexpr std::int64_t kHeldElements = 64;
/// Of shared memory for the parts of a block, unless one element needs more.
constexpr std::int64_t kCellBytes = std::int64_t{16} * 1024;
/// Elements of a block that are listed.
constexpr std::int64_t kListedElements = std::int64_t{1} << 16;
constexpr std::int64_t kThreads = 1024;
constexpr std::array kThreadAxes = {Axis::tx, Axis::ty, Axis::tz};

std::optional<Axis> axis_of_loop(const Loop& loop) {
  return loop.kind == LoopKind::bound ? axis_of(loop.index) : std::nullopt;
}

std::set<std::string> variables_of(const Index& index) {
  std::set<std::string> out;
  for_each_variable(index, [&out](const std::string& name) { out.insert(name); });
  return out;
}

class Finder {
 public:
  Finder(const AccessTable& table, const std::array<std::int64_t, kAxes>& extents, std::size_t number)
      : table_(table), extents_(extents), statement_(table.statements[number]) {
    write_ = &*std::find_if(table.accesses.begin(), table.accesses.end(),
                            [&](const Access& access) { return access.statement == number && access.is_write; });
  }

  std::optional<ThreadGroups> run() {
    if (!statement_.accumulates || !has_one_identity() || threads() > kThreads) return std::nullopt;
    // Data in `l` belongs to one thread.
    const TensorFacts& tensor = table_.tensors.at(statement_.equation->left->tensor);
    if (is_private(tensor.effective_scope())) return std::nullopt;
    if (!sort_loops() || !split_subscripts()) return std::nullopt;
    find_digits();
    if (!groups_are_apart()) return std::nullopt;
    hold_elements();
    find_way();
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::int64_t extent(Axis axis) const { return extents_[static_cast<std::size_t>(axis)]; }
  [[nodiscard]] std::int64_t threads() const { return extent(Axis::tx) * extent(Axis::ty) * extent(Axis::tz); }

  /// Its elements need no flags that say whether they are defined.
  [[nodiscard]] bool has_one_identity() const {
    const std::string& tensor = statement_.equation->left->tensor;
    return statement_.equation->left->dtype != DType::boolean &&
           std::all_of(table_.statements.begin(), table_.statements.end(), [&](const Statement& other) {
             return !other.accumulates || other.equation->left->tensor != tensor ||
                    *other.accumulates == *statement_.accumulates;
           });
  }

  /// From the outermost loop over threads inwards there is nothing but this equation (docs/language.md R10).
  bool sort_loops() {
    std::size_t first = statement_.kernel.host_loops;
    const auto is_thread_loop = [&](std::size_t at) {
      const auto axis = axis_of_loop(*statement_.loops[at]);
      return axis && is_thread_axis(*axis);
    };
    while (first < statement_.loops.size() && !is_thread_loop(first)) ++first;
    if (first == statement_.loops.size()) return false;
    out_.first_loop = first;
    for (std::size_t at = first; at < statement_.loops.size(); ++at) {
      const Loop& loop = *statement_.loops[at];
      const auto axis = axis_of_loop(loop);
      if (!axis) element_loops_.push_back(at);
      if (!axis || !is_thread_axis(*axis)) continue;
      thread_loops_.push_back(at);
      loop_of_[*axis] = at;
    }
    std::size_t loops = 0;
    for (const Nest* nest : statement_.nests) {
      loops += nest->loops.size();
      out_.is_guarded = out_.is_guarded || (nest->guard && loops > first);
    }
    for (const Axis axis : kThreadAxes) {
      if (extent(axis) > 1 && !loop_of_.contains(axis)) out_.missing.push_back(axis);
    }
    return true;
  }

  [[nodiscard]] bool is_one_of(const std::vector<std::size_t>& loops, const std::string& name) const {
    return std::any_of(loops.begin(), loops.end(), [&](std::size_t at) { return statement_.loops[at]->index == name; });
  }

  /// Each term belongs to threads, to loops inside of threads, or to neither; false where one belongs to both.
  bool split_subscripts() {
    std::vector<BoxVariable> box;
    for (const Loop* loop : statement_.loops) box.push_back({loop->index, loop->extent});
    for (const Index& subscript : statement_.equation->left->subscripts) {
      if (reads_tensor(subscript)) return false;
      Index of_threads;
      Index of_elements;
      const Index simple = simplified(subscript, box);
      for (const IndexTerm& term : simple.terms()) {
        const auto whole = product(term);
        if (!whole) return false;
        const std::set<std::string> used = variables_of(*whole);
        const auto uses = [&](const std::vector<std::size_t>& loops) {
          return std::any_of(used.begin(), used.end(), [&](const std::string& name) { return is_one_of(loops, name); });
        };
        const bool by_thread = uses(thread_loops_);
        const bool by_element = uses(element_loops_);
        if (!by_thread && !by_element) continue;
        const bool by_others = std::any_of(used.begin(), used.end(), [&](const std::string& name) {
          return !is_one_of(thread_loops_, name) && !is_one_of(element_loops_, name);
        });
        if ((by_thread && by_element) || by_others) return false;
        auto sum = Index::add(by_thread ? of_threads : of_elements, *whole);
        if (!sum) return false;
        (by_thread ? of_threads : of_elements) = *std::move(sum);
      }
      of_threads_.push_back(std::move(of_threads));
      of_elements_.push_back(std::move(of_elements));
    }
    std::erase_if(element_loops_, [&](std::size_t at) { return !is_used(of_elements_, statement_.loops[at]->index); });
    for (const std::size_t at : thread_loops_) {
      if (is_used(of_threads_, statement_.loops[at]->index)) out_.kept_loops.push_back(at);
    }
    return true;
  }

  static bool is_used(const std::vector<Index>& subscripts, const std::string& name) {
    return std::any_of(subscripts.begin(), subscripts.end(),
                       [&](const Index& subscript) { return variables_of(subscript).contains(name); });
  }

  static std::optional<Index> product(const IndexTerm& term) {
    std::optional<Index> out = Index::constant(term.coefficient);
    for (const IndexAtom& factor : term.factors) {
      struct Visitor {
        std::optional<Index> operator()(const LoopVariable& variable) const { return Index::variable(variable.name); }
        std::optional<Index> operator()(const FloorQuotient& node) const {
          return Index::floor_divide(*node.dividend, *node.divisor);
        }
        std::optional<Index> operator()(const FloorRemainder& node) const {
          return Index::modulo(*node.dividend, *node.divisor);
        }
        std::optional<Index> operator()(const IndirectRead&) const { return std::nullopt; }
      };
      const auto atom = std::visit(Visitor{}, factor);
      out = out && atom ? Index::multiply(*out, *atom) : std::nullopt;
    }
    return out;
  }

  /// What // and % divide by, where only this variable is in them.
  static void add_divisors(const Index& index, const std::string& name, std::set<std::int64_t>& out) {
    const auto visit = [&](const Index& dividend, const Index& divisor) {
      if (divisor.is_constant() && variables_of(dividend).contains(name)) out.insert(divisor.constant_term());
      add_divisors(dividend, name, out);
    };
    for (const IndexTerm& term : index.terms()) {
      for (const IndexAtom& factor : term.factors) {
        if (const auto* quotient = std::get_if<FloorQuotient>(&factor)) visit(*quotient->dividend, *quotient->divisor);
        if (const auto* rest = std::get_if<FloorRemainder>(&factor)) visit(*rest->dividend, *rest->divisor);
      }
    }
  }

  /// The positions of a thread on its axes.
  using Position = std::array<std::int64_t, 3>;
  [[nodiscard]] std::vector<Wide> subscripts_at(const Position& position) const {
    Ranges point;
    for (const auto& [axis, loop] : loop_of_) {
      const Wide value = position[static_cast<std::size_t>(axis) - 3];
      point.variables[statement_.loops[loop]->index] = {value, value};
    }
    std::vector<Wide> out;
    for (const Index& subscript : of_threads_) out.push_back(range_of(subscript, point).low);
    return out;
  }

  [[nodiscard]] Position position_of(std::int64_t thread) const {
    return {thread % extent(Axis::tx), thread / extent(Axis::tx) % extent(Axis::ty),
            thread / extent(Axis::tx) / extent(Axis::ty)};
  }

  void list_values() {
    for (std::int64_t thread = 0; thread < threads(); ++thread) {
      values_.push_back(subscripts_at(position_of(thread)));
    }
  }

  void find_digits() {
    // Where each axis is one digit, whoever occurs makes a difference.
    if (is_cut()) list_values();
    std::int64_t lane_stride = 1;
    for (const Axis axis : kThreadAxes) {
      std::set<std::int64_t> divisors;
      if (const auto loop = loop_of_.find(axis); loop != loop_of_.end()) {
        for (const Index& subscript : of_threads_) {
          add_divisors(subscript, statement_.loops[loop->second]->index, divisors);
        }
      }
      std::vector<std::int64_t> cuts = {1};
      for (const std::int64_t divisor : divisors) {
        if (divisor > cuts.back() && divisor < extent(axis) && extent(axis) % divisor == 0 &&
            divisor % cuts.back() == 0) {
          cuts.push_back(divisor);
        }
      }
      cuts.push_back(extent(axis));
      for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
        const ThreadDigit digit{axis, cuts[i], cuts[i + 1] / cuts[i]};
        if (digit.size > 1) add_digit(digit, lane_stride * digit.stride);
      }
      lane_stride *= extent(axis);
    }
  }

  void add_digit(const ThreadDigit& digit, std::int64_t lane_stride) {
    const bool is_kept = !loop_of_.contains(digit.axis) || makes_a_difference(digit, lane_stride);
    std::vector<ThreadDigit>& list = is_kept ? out_.kept : out_.reduced;
    std::vector<std::int64_t>& strides = is_kept ? kept_strides_ : reduced_strides_;
    (is_kept ? out_.groups : out_.size) *= digit.size;
    if (!list.empty() && list.back().axis == digit.axis && list.back().stride * list.back().size == digit.stride) {
      list.back().size *= digit.size;
      return;
    }
    list.push_back(digit);
    strides.push_back(lane_stride);
  }

  /// Whether subscripts take the number of a thread apart, or add numbers on several axes up.
  [[nodiscard]] bool is_cut() const {
    return !std::all_of(of_threads_.begin(), of_threads_.end(),
                        [](const Index& index) { return index.is_constant() || index.as_variable(); });
  }

  [[nodiscard]] bool makes_a_difference(const ThreadDigit& digit_of, std::int64_t stride) const {
    const std::int64_t size = digit_of.size;
    if (values_.empty()) {
      const std::size_t loop = loop_of_.at(digit_of.axis);
      return std::find(out_.kept_loops.begin(), out_.kept_loops.end(), loop) != out_.kept_loops.end();
    }
    for (std::int64_t thread = 0; thread < threads(); ++thread) {
      const std::int64_t digit = thread / stride % size;
      if (digit > 0 &&
          values_[static_cast<std::size_t>(thread)] != values_[static_cast<std::size_t>(thread - digit * stride)]) {
        return true;
      }
    }
    return false;
  }

  /// No two groups have one element, and a thread has none twice.
  [[nodiscard]] bool groups_are_apart() {
    const Coincidence found =
        coincide(table_, *write_, *write_, pair_loops(statement_, statement_, statement_.kernel.host_loops));
    const auto is_equal = [&](std::size_t loop) {
      return std::any_of(found.pairs.begin(), found.pairs.end(),
                         [&](const LoopPair& pair) { return pair.first == loop && pair.second == loop && pair.equal; });
    };
    const bool is_shown = std::all_of(out_.kept_loops.begin(), out_.kept_loops.end(), is_equal) &&
                          std::all_of(element_loops_.begin(), element_loops_.end(), is_equal);
    return is_shown || listed_elements_differ();
  }

  [[nodiscard]] bool is_active(std::int64_t thread) const {
    const Position position = position_of(thread);
    return std::all_of(kThreadAxes.begin(), kThreadAxes.end(), [&](Axis axis) {
      const auto loop = loop_of_.find(axis);
      const std::int64_t used = loop == loop_of_.end() ? 1 : statement_.loops[loop->second]->extent;
      return position[static_cast<std::size_t>(axis) - 3] < used;
    });
  }

  [[nodiscard]] bool listed_elements_differ() {
    std::int64_t points = 1;
    for (const std::size_t at : element_loops_) {
      if (statement_.loops[at]->extent > kListedElements / (points * out_.groups)) return false;
      points *= statement_.loops[at]->extent;
    }
    std::vector<std::vector<Wide>> offsets;
    for (std::int64_t point = 0; point < points; ++point) offsets.push_back(element_at(point));
    // Of a group, any thread that is active stands for all.
    std::set<std::vector<std::int64_t>> met;
    std::set<std::vector<Wide>> elements;
    if (values_.empty()) list_values();
    for (std::int64_t thread = 0; thread < threads(); ++thread) {
      if (!is_active(thread) || !met.insert(group_of(thread)).second) continue;
      for (const std::vector<Wide>& offset : offsets) {
        std::vector<Wide> element = values_[static_cast<std::size_t>(thread)];
        element.resize(offset.size());
        for (std::size_t i = 0; i < offset.size(); ++i) element[i] += offset[i];
        if (!elements.insert(std::move(element)).second) return false;
      }
    }
    return true;
  }

  [[nodiscard]] std::vector<std::int64_t> group_of(std::int64_t thread) const {
    std::vector<std::int64_t> out;
    for (std::size_t i = 0; i < out_.kept.size(); ++i) out.push_back(thread / kept_strides_[i] % out_.kept[i].size);
    return out;
  }

  [[nodiscard]] std::vector<Wide> element_at(std::int64_t point) const {
    Ranges at;
    for (const std::size_t loop : element_loops_) {
      const Wide value = point % statement_.loops[loop]->extent;
      point /= statement_.loops[loop]->extent;
      at.variables[statement_.loops[loop]->index] = {value, value};
    }
    std::vector<Wide> out;
    for (const Index& subscript : of_elements_) out.push_back(range_of(subscript, at).low);
    return out;
  }

  /// The innermost loops, as far as a thread has room.
  void hold_elements() {
    for (std::size_t i = element_loops_.size(); i-- > 0;) {
      const std::int64_t iterations = statement_.loops[element_loops_[i]]->extent;
      const bool fits = out_.walked.empty() && out_.elements * iterations <= kHeldElements;
      if (fits) out_.elements *= iterations;
      std::vector<std::size_t>& list = fits ? out_.held : out_.walked;
      list.insert(list.begin(), element_loops_[i]);
    }
  }

  void find_way() {
    if (out_.size == 1) return;
    out_.way = ThreadGroups::Way::shared;
    // Digits that follow one another on the numbers of threads are one.
    std::int64_t run = out_.reduced[0].size;
    for (std::size_t i = 1; i < out_.reduced.size(); ++i) {
      if (reduced_strides_[i] != reduced_strides_[0] * run) return;
      run *= out_.reduced[i].size;
    }
    const std::int64_t stride = reduced_strides_[0];
    const auto is_power = [](std::int64_t value) { return (value & (value - 1)) == 0; };
    if (is_power(out_.size) && is_power(stride) && out_.size * stride <= kWarp) {
      out_.way = ThreadGroups::Way::warp;
      out_.lane_stride = stride;
    } else if (stride == 1 && out_.size % kWarp == 0) {
      out_.way = ThreadGroups::Way::warps;
    }
  }

  const AccessTable& table_;
  const std::array<std::int64_t, kAxes>& extents_;
  const Statement& statement_;
  const Access* write_ = nullptr;
  ThreadGroups out_;
  std::vector<std::size_t> thread_loops_;
  std::vector<std::size_t> element_loops_;
  std::map<Axis, std::size_t> loop_of_;
  std::vector<Index> of_threads_;  ///< of each subscript
  std::vector<Index> of_elements_;
  std::vector<std::vector<Wide>> values_;  ///< of_threads_, of each thread of a block
  std::vector<std::int64_t> kept_strides_;
  std::vector<std::int64_t> reduced_strides_;
};

}  // namespace

std::int64_t ThreadGroups::elements_at_once(std::int64_t element_bytes) const {
  return threads() * elements * element_bytes <= kCellBytes ? elements : 1;
}

std::int64_t ThreadGroups::cell_bytes(std::int64_t element_bytes) const {
  switch (way) {
    case Way::alone:
    case Way::warp: return 0;
    case Way::warps: return threads() / kWarp * elements * element_bytes;
    case Way::shared: return threads() * elements_at_once(element_bytes) * element_bytes;
  }
  return 0;
}

std::int64_t ThreadGroups::flag_bytes() const {
  if (!has_flags() || way == Way::alone || way == Way::warp) return 0;
  return (way == Way::warps ? threads() / kWarp : threads()) * 8;
}

std::vector<std::int64_t> ThreadGroups::joined() const {
  if (way == Way::warps) return {kWarp, size / kWarp};
  return {size};
}

std::optional<ThreadGroups> thread_groups(const AccessTable& table, const std::array<std::int64_t, kAxes>& extents,
                                          std::size_t statement) {
  return Finder(table, extents, statement).run();
}

std::int64_t first_step(std::int64_t parts) {
  std::int64_t power = 1;
  while (power * 2 < parts) power *= 2;
  return power;
}

}  // namespace steptp
