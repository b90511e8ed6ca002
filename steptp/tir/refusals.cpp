#include "steptp/tir/refusals.h"

#include <algorithm>
#include <utility>

#include "steptp/base/text.h"
#include "steptp/lowering/threads.h"
#include "steptp/tir/initial.h"
#include "steptp/tir/rounds.h"

namespace steptp::tir {

using lowering::ArrangedKernel;
using lowering::Buffer;
using lowering::Node;

namespace {

bool has_bound_loop(const Node& node) {
  if (node.kind == Node::Kind::loop && node.loop.kind == LoopKind::bound) return true;
  return std::any_of(node.body.begin(), node.body.end(), has_bound_loop);
}

class CudaRefusals {
 public:
  CudaRefusals(const lowering::Arrangement& arrangement, const std::set<std::size_t>& inits)
      : arrangement_(arrangement), inits_(inits) {}

  std::optional<Diagnostic> run() {
    for (std::size_t i = 0; i < arrangement_.table.statements.size(); ++i) {
      const auto& loops = arrangement_.table.statements[i].loops;
      const bool is_matrix =
          std::any_of(loops.begin(), loops.end(), [](const Loop* loop) { return loop->kind == LoopKind::tensorized; });
      if (is_matrix) fail("TVM's script has no matrix nests; --to cuda and --target cpu take T loops", site_of(i));
    }
    for (const ArrangedKernel& kernel : arrangement_.kernels) {
      const bool bound = std::any_of(kernel.body.begin(), kernel.body.end(), has_bound_loop);
      if (!bound) fail("TVM builds no kernel of an expression without a bound loop", kernel.site);
      for (const std::size_t first : kernel.statements) {
        for (const Axis axis : lowering::reduced_axes(arrangement_.table, first)) {
          if (!is_thread_axis(axis)) fail("TVM has no reduction over blocks", site_of(first));
          if (!inits_.contains(first)) fail("TVM reduces over threads only what it initialises", site_of(first));
          refuse_reduction(first);
        }
        for (const std::size_t second : kernel.statements) {
          const std::string& tensor = arrangement_.table.statements[first].equation->left->tensor;
          if (arrangement_.buffers.at(tensor).scope != Scope::global || !touches(second, tensor)) continue;
          if (first != second && lowering::share_data(arrangement_.table, first, second)) {
            fail(concat("TVM puts no barrier where threads pass ", tensor, " through global memory"), site_of(second));
          }
        }
      }
    }
    for (const auto& [name, tensor] : arrangement_.table.tensors) {
      const Buffer& buffer = arrangement_.buffers.at(name);
      const Site site = tensor.writes.empty() ? Site{} : arrangement_.table.accesses[tensor.writes[0]].site;
      if (buffer.is_workspace() && tensor.kernels.size() == 1 && !needs_fill(arrangement_, inits_, buffer)) {
        fail(concat("TVM moves ", name, ", which one kernel alone touches, into it, and cannot build that"), site);
      }
      if (buffer.scope != Scope::global && needs_fill(arrangement_, inits_, buffer)) {
        fail(concat("the accumulator ", name, " is not initialised as T.init does"), site);
      }
      if ((is_private(buffer.scope) && !buffer.shape.empty() && buffer.initial) || may_live_on(arrangement_, buffer)) {
        fail(concat("TVM compacts ", name, ", which lives from round to round of a loop, wrongly"), site);
      }
    }
    return std::move(problem_);
  }

 private:
  void fail(std::string message, const Site& site) {
    if (!problem_) problem_ = lowering::cannot_lower(std::move(message), site);
  }
  [[nodiscard]] Site site_of(std::size_t statement) const {
    return Site{arrangement_.table.statements[statement].items, Site::Part::item, {}, {}};
  }

  /// Its reductions over threads know sums and products, of one element at a time; max begins with the least finite
  /// number there.
  void refuse_reduction(std::size_t number) {
    const Statement& statement = arrangement_.table.statements[number];
    const ArithmeticOp op = *statement.accumulates;
    if (op != ArithmeticOp::add && op != ArithmeticOp::multiply) {
      fail("TVM's max and min over threads have other identities", site_of(number));
    }
    const auto value = lowering::value_of(*statement.equation);
    if (!value || value->dtype != statement.equation->left->dtype) {
      fail("TVM reduces over threads in the accumulator's own dtype", site_of(number));
    }
    bool inside = false;
    for (const Loop* loop : statement.loops) {
      const bool spatial = is_spatial(arrangement_, statement, *loop);
      inside = inside || (loop->kind == LoopKind::bound && !spatial);
      if (!inside || !spatial) continue;
      fail(loop->kind == LoopKind::bound ? "TVM reduces over threads only in the innermost of the bound loops"
                                         : "TVM reduces over threads into one element at a time",
           site_of(number));
    }
  }
  [[nodiscard]] bool touches(std::size_t statement, const std::string& tensor) const {
    return std::any_of(
        arrangement_.table.accesses.begin(), arrangement_.table.accesses.end(),
        [&](const Access& access) { return access.statement == statement && access.ref->tensor == tensor; });
  }

  const lowering::Arrangement& arrangement_;
  const std::set<std::size_t>& inits_;
  std::optional<Diagnostic> problem_;
};

}  // namespace

std::optional<Diagnostic> find_unfit_for_cuda(const lowering::Arrangement& arrangement,
                                              const std::set<std::size_t>& inits) {
  return CudaRefusals(arrangement, inits).run();
}

bool needs_fill(const lowering::Arrangement& arrangement, const std::set<std::size_t>& inits, const Buffer& buffer) {
  if (!buffer.initial) return false;
  const auto at = arrangement.table.tensors.find(buffer.name);
  if (at == arrangement.table.tensors.end()) return true;  // flags
  return at->second.writes.size() != 1 || !inits.contains(arrangement.table.accesses[at->second.writes[0]].statement);
}

}  // namespace steptp::tir
