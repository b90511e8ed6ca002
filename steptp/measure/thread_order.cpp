// In which order CUDA threads and launches add up, as lowering/collectives.h writes them, told in the terms of
// certify. Where a part of the order is not known, nothing is said, and no narrow bound is used. Decision 0037.
#include "steptp/measure/thread_order.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "steptp/lowering/arrangement.h"
#include "steptp/lowering/collectives.h"
#include "steptp/lowering/threads.h"
#include "steptp/lowering/units.h"

namespace steptp {

namespace {

using certify::RankPart;
using certify::ThreadFold;
using lowering::Node;

void add_statements(const Node& node, std::vector<std::size_t>& out) {
  if (node.kind == Node::Kind::store) out.push_back(node.statement);
  for (const Node& inner : node.body) add_statements(inner, out);
}

class KernelOrder {
 public:
  KernelOrder(const lowering::Arrangement& arrangement, const lowering::ArrangedKernel& kernel,
              const certify::Code& code, certify::ThreadFolds& out)
      : arrangement_(arrangement),
        kernel_(kernel),
        code_(code),
        out_(out),
        in_turn_(lowering::axes_in_turn(arrangement, kernel)) {}

  /// Matrix instructions cut sums off (decision 0140), and units reduce in an order of their own.
  bool run() { return !lowering::has_units(arrangement_, kernel_) && blocks_keep_order() && follow(kernel_.body); }

 private:
  [[nodiscard]] const Statement& statement(std::size_t number) const { return arrangement_.table.statements[number]; }

  [[nodiscard]] std::optional<Axis> axis_of(std::size_t number, std::size_t loop) const {
    const bool is_inside = loop >= statement(number).kernel.host_loops;
    return is_inside ? lowering::axis_of_loop(*statement(number).loops[loop]) : std::nullopt;
  }

  /// Launches for one block after another are in the order of the text where these loops come first, in the order in
  /// which the axes are launched, and nobody else writes what is reduced. Other block axes are fixed by an element.
  [[nodiscard]] bool blocks_keep_order() const {
    if (in_turn_.empty()) return true;
    for (const std::size_t number : kernel_.statements) {
      if (!turns_come_first(number)) return false;
      const std::vector<Axis> reduced = lowering::reduced_axes(arrangement_.table, number);
      const bool over_blocks =
          std::any_of(reduced.begin(), reduced.end(), [](Axis axis) { return !is_thread_axis(axis); });
      if (over_blocks && writers_of(statement(number).equation->left->tensor) > 1) return false;
    }
    return true;
  }

  [[nodiscard]] bool turns_come_first(std::size_t number) const {
    std::vector<Axis> met;
    for (std::size_t i = statement(number).kernel.host_loops; i < statement(number).loops.size(); ++i) {
      const auto axis = axis_of(number, i);
      if (!axis || is_thread_axis(*axis)) break;
      if (std::find(in_turn_.begin(), in_turn_.end(), *axis) != in_turn_.end()) met.push_back(*axis);
    }
    return met == in_turn_;
  }

  [[nodiscard]] std::ptrdiff_t writers_of(const std::string& tensor) const {
    return std::count_if(kernel_.statements.begin(), kernel_.statements.end(),
                         [&](std::size_t number) { return statement(number).equation->left->tensor == tensor; });
  }

  bool follow(const std::vector<Node>& nodes) {
    return std::all_of(nodes.begin(), nodes.end(),
                       [this](const Node& node) { return lowering::is_item(node) ? item(node) : follow(node.body); });
  }

  bool item(const Node& node) {
    std::vector<std::size_t> statements;
    add_statements(node, statements);
    for (const std::size_t number : statements) {
      const std::vector<Axis> axes = lowering::reduced_thread_axes(arrangement_, number);
      if (axes.empty()) continue;
      // CUDA refuses it.
      if (statements.size() > 1) return false;
      return collective(node, number, axes);
    }
    return true;
  }

  bool collective(const Node& node, std::size_t number, const std::vector<Axis>& axes) {
    ThreadFold fold;
    fold.first_loop = first_thread_loop(number);
    // Another writer among the threads' loops would have been an equation beside this one.
    if (code_.statements[number].private_from > fold.first_loop) return false;
    if (const auto reduction = lowering::thread_reduction(arrangement_, kernel_, node)) {
      fold.form = ThreadFold::Form::together;
      fold.rank = rank_of(number, reduction->groups.reduced);
      fold.joined = reduction->groups.joined();
    } else if (turns_are_in_text_order(number, axes)) {
      return true;
    } else {
      fold.form = ThreadFold::Form::in_turn;
      fold.rank = rank_of(number, axes);
    }
    out_.emplace(static_cast<std::uint32_t>(number), std::move(fold));
    return true;
  }

  [[nodiscard]] std::uint32_t first_thread_loop(std::size_t number) const {
    std::uint32_t at = 0;
    while (!axis_of(number, at) || !is_thread_axis(*axis_of(number, at))) ++at;
    return at;
  }

  /// Thread after thread is the order of the text where their loops come first, tx innermost. Other thread axes are
  /// fixed by an element.
  [[nodiscard]] bool turns_are_in_text_order(std::size_t number, const std::vector<Axis>& axes) const {
    std::vector<Axis> met;
    for (std::size_t i = first_thread_loop(number); i < statement(number).loops.size(); ++i) {
      const auto axis = axis_of(number, i);
      if (!axis) break;
      if (std::find(axes.begin(), axes.end(), *axis) != axes.end()) met.push_back(*axis);
    }
    return std::equal(met.rbegin(), met.rend(), axes.begin(), axes.end());
  }

  /// tx runs fastest. An axis without a loop stands at 0.
  [[nodiscard]] std::vector<RankPart> rank_of(std::size_t number, const std::vector<Axis>& axes) const {
    std::vector<RankPart> out;
    std::int64_t stride = 1;
    for (const Axis axis : axes) {
      for (std::uint32_t loop = 0; loop < statement(number).loops.size(); ++loop) {
        if (axis_of(number, loop) == axis) out.push_back({stride, loop});
      }
      stride *= kernel_.extents[static_cast<std::size_t>(axis)];
    }
    return out;
  }

  /// The same of digits. One that reaches to the end of its axis has nothing above it.
  [[nodiscard]] std::vector<RankPart> rank_of(std::size_t number, const std::vector<ThreadDigit>& digits) const {
    std::vector<RankPart> out;
    std::int64_t stride = 1;
    for (const ThreadDigit& digit : digits) {
      const bool is_last = digit.stride * digit.size == kernel_.extents[static_cast<std::size_t>(digit.axis)];
      for (std::uint32_t loop = 0; loop < statement(number).loops.size(); ++loop) {
        if (axis_of(number, loop) != digit.axis) continue;
        out.push_back({stride, loop, digit.stride, is_last ? 0 : digit.size});
      }
      stride *= digit.size;
    }
    return out;
  }

  const lowering::Arrangement& arrangement_;
  const lowering::ArrangedKernel& kernel_;
  const certify::Code& code_;
  certify::ThreadFolds& out_;
  std::vector<Axis> in_turn_;
};

}  // namespace

std::optional<certify::ThreadFolds> thread_order(const Program& program, const certify::Code& code) {
  const auto arrangement = lowering::arrangement_of(program);
  if (!arrangement) return std::nullopt;
  certify::ThreadFolds out;
  for (const lowering::ArrangedKernel& kernel : arrangement->kernels) {
    if (!KernelOrder(*arrangement, kernel, code, out).run()) return std::nullopt;
  }
  return out;
}

}  // namespace steptp
