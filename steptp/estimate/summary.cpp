// From the arrangement of a program to the summaries of its kernels. What the CUDA text makes of loops, vectors and
// reductions is decided there by the same functions of `lowering`; what a compiler takes out of loops is counted where
// its operands are known: an operation is repeated by the loops that its operands depend on.
#include "steptp/estimate/summary.h"

#include <algorithm>
#include <map>
#include <set>

#include "steptp/analysis/matrix_nests.h"
#include "steptp/estimate/barriers.h"
#include "steptp/estimate/statement_reader.h"
#include "steptp/lowering/collectives.h"
#include "steptp/lowering/conditions.h"
#include "steptp/lowering/homes.h"
#include "steptp/lowering/own_sums.h"
#include "steptp/lowering/threads.h"
#include "steptp/lowering/units.h"

namespace steptp::estimation {

namespace {

using lowering::ArrangedKernel;
using lowering::Arrangement;
using lowering::Node;

/// Registers that every kernel takes, for addresses and indices.
constexpr double kFewRegisters = 26;

class KernelReader {
 public:
  KernelReader(const Arrangement& arrangement, const ArrangedKernel& kernel)
      : arrangement_(arrangement), kernel_(kernel), body_(lowering::with_guards_outside(kernel.body)) {}

  KernelSummary run() {
    out_.name = kernel_.name;
    set_launch();
    out_.shared_bytes = static_cast<double>(std::min<Wide>(kernel_.layout.bytes, INT64_MAX));
    out_.is_divided = is_divided();
    block_level(body_);
    out_.barriers = barriers_of(arrangement_, kernel_);
    add_registers();
    return std::move(out_);
  }

 private:
  void set_launch() {
    in_turn_ = lowering::axes_in_turn(arrangement_, kernel_);
    for (const Loop& loop : kernel_.host_loops) out_.launches *= static_cast<double>(loop.extent);
    for (std::size_t i = 0; i < 3; ++i) {
      const bool turn = std::find(in_turn_.begin(), in_turn_.end(), static_cast<Axis>(i)) != in_turn_.end();
      if (turn) out_.launches *= static_cast<double>(kernel_.extents[i]);
      out_.grid[i] = turn ? 1 : kernel_.extents[i];
    }
    out_.block = lowering::block_of(arrangement_, kernel_);
    out_.has_units = lowering::has_units(arrangement_, kernel_);
  }

  /// As the LLVM back end decides.
  [[nodiscard]] bool is_divided() const {
    if (kernel_.body.size() != 1 || kernel_.body[0].kind != Node::Kind::loop) return false;
    const Loop& outermost = kernel_.body[0].loop;
    if (outermost.kind != LoopKind::bound) return false;
    const Axis axis = *axis_of(outermost.index);
    for (const std::size_t statement : kernel_.statements) {
      const std::vector<Axis> reduced = lowering::reduced_axes(arrangement_.table, statement);
      if (std::find(reduced.begin(), reduced.end(), axis) != reduced.end()) return false;
    }
    for (const std::vector<std::string>* list : {&kernel_.shared, &kernel_.local}) {
      for (const std::string& name : *list) {
        if (lowering::home_of(kernel_, arrangement_.buffers.at(name)).depth == 0) return false;
      }
    }
    return true;
  }

  void block_level(const std::vector<Node>& nodes) {
    for (const Node& node : nodes) {
      if (lowering::is_item(node)) {
        item_ = &node;
        thread_level(node, 1, nullptr);
        item_ = nullptr;
        continue;
      }
      if (node.kind == Node::Kind::guard) guards_.push_back(node.condition.get());
      block_level(node.body);
      if (node.kind == Node::Kind::guard) guards_.pop_back();
    }
  }

  /// `around` is the innermost loop around the node.
  void thread_level(const Node& node, std::size_t neighbours, const Node* around) {
    if (node.kind == Node::Kind::store) return statement(node, neighbours, around);
    if (node.kind == Node::Kind::guard) guards_.push_back(node.condition.get());
    const Node* inner = node.kind == Node::Kind::loop ? &node : around;
    for (const Node& below : node.body) thread_level(below, node.body.size(), inner);
    if (node.kind == Node::Kind::guard) guards_.pop_back();
  }

  void statement(const Node& store, std::size_t neighbours, const Node* around) {
    StatementReader reader(arrangement_, kernel_, store, guards_, in_turn_, identities_);
    const Statement& source = arrangement_.table.statements[store.statement];
    if (lowering::is_run_by_units(source)) {
      out_.statements.push_back(reader.read_matrix(out_.block));
      factors_ = std::max(factors_, factor_registers(source));
      return;
    }
    const bool may_have_lanes = neighbours == 1 && around && around->body.size() == 1 &&
                                around->body[0].kind == Node::Kind::store && !source.loops.empty();
    StatementReader::Way way;
    way.lanes = may_have_lanes ? &around->loop : nullptr;
    const std::vector<Axis> reduced =
        source.accumulates ? lowering::reduced_thread_axes(arrangement_, store.statement) : std::vector<Axis>();
    if (!reduced.empty()) way.join = join_of(reduced, way.held);
    if (source.accumulates) {
      if (const auto own = lowering::own_sum(arrangement_, kernel_, store.statement)) {
        way.is_own_sum = true;
        way.held.insert(way.held.end(), own->held.begin(), own->held.end());
        held_ = std::max(held_, static_cast<double>(own->elements));
      }
    }
    StatementSummary made = reader.read(way, out_.block);
    made.is_alone = neighbours == 1;
    if (made.join) held_ = std::max(held_, static_cast<double>(made.join->elements));
    out_.spilled_bytes = std::max(out_.spilled_bytes, reader.spilled_bytes());
    out_.statements.push_back(std::move(made));
  }

  [[nodiscard]] JoinSummary join_of(const std::vector<Axis>& reduced, std::vector<std::size_t>& held) const {
    JoinSummary out;
    const auto reduction = item_ ? lowering::thread_reduction(arrangement_, kernel_, *item_) : std::nullopt;
    if (!reduction) {
      out.in_turn = true;
      for (const Axis axis : reduced) out.threads *= kernel_.extents[static_cast<std::size_t>(axis)];
      return out;
    }
    const ThreadGroups& groups = reduction->groups;
    out.threads = groups.size;
    out.elements = groups.elements;
    held = groups.held;
    const auto steps = [](double parts) { return parts <= 1 ? 0.0 : std::ceil(std::log2(parts)); };
    const auto size = static_cast<double>(groups.size);
    switch (groups.way) {
      case ThreadGroups::Way::alone: break;
      case ThreadGroups::Way::warp: out.shuffles = steps(size); break;
      case ThreadGroups::Way::warps:
        out.shuffles = steps(kWarp) + steps(size / kWarp);
        out.shared_rounds = 2;
        break;
      case ThreadGroups::Way::shared: out.shared_rounds = steps(size) + 1; break;
    }
    return out;
  }

  /// The factors of one step along k, which a lane loads before it multiplies.
  [[nodiscard]] static double factor_registers(const Statement& source) {
    const auto nest = matrix_nest(source);
    if (!nest || nest->form != MatrixForm::contraction) return 0;
    double sides = 0;
    for (const MatrixRole role : {MatrixRole::row, MatrixRole::column}) {
      double extent = 1;
      for (std::size_t i = 0; i < nest->roles.size(); ++i) {
        if (nest->roles[i] == role) extent *= static_cast<double>(source.loops[nest->first_loop + i]->extent);
      }
      sides += extent;
    }
    return sides * static_cast<double>(nest->shape.inner) * info(nest->first->dtype).bytes / 4 / lowering::kUnitLanes;
  }

  void add_registers() {
    double words = 0;
    for (const std::string& name : kernel_.local) {
      words += static_cast<double>(arrangement_.buffers.at(name).bytes) / 4;
    }
    for (const std::string& name : kernel_.fragments) {
      words += static_cast<double>(arrangement_.buffers.at(name).bytes) / 4 / lowering::kUnitLanes;
    }
    words += factors_;
    words -= out_.spilled_bytes / 4;
    double vectors = 0;
    for (const StatementSummary& statement : out_.statements) {
      double own = 0;
      for (const AccessSummary& access : statement.accesses) {
        if (!access.is_write) own += access.element_bytes * static_cast<double>(access.lanes) / 4;
      }
      vectors = std::max(vectors, own);
    }
    out_.registers = kFewRegisters + words + held_ + vectors;
  }

  const Arrangement& arrangement_;
  const ArrangedKernel& kernel_;
  /// Guards that say the same for all lanes stand outside of their loop, as in the CUDA text.
  std::vector<Node> body_;
  KernelSummary out_;
  std::vector<Axis> in_turn_;
  std::vector<const lowering::Value*> guards_;
  const Node* item_ = nullptr;
  std::map<const Loop*, std::size_t> identities_;
  double held_ = 0;
  double factors_ = 0;
};

}  // namespace

ProgramSummary summary_of(const Arrangement& arrangement) {
  ProgramSummary out;
  for (const auto& [name, buffer] : arrangement.buffers) {
    if (lowering::needs_fill(arrangement, buffer)) {
      out.fills.push_back({name, static_cast<double>(buffer.bytes)});
    }
  }
  for (const ArrangedKernel& kernel : arrangement.kernels)
    out.kernels.push_back(KernelReader(arrangement, kernel).run());
  return out;
}

Result<ProgramSummary, std::string> summary_of(const Program& program) {
  const auto arrangement = lowering::arrangement_of(program);
  if (!arrangement) return arrangement.error().message;
  return summary_of(*arrangement);
}

}  // namespace steptp::estimation
