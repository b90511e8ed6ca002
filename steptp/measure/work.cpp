#include "steptp/measure/work.h"

#include <algorithm>
#include <set>

#include "steptp/ir/index.h"
#include "steptp/ir/ref.h"

namespace steptp {

namespace {

using lowering::Node;
using lowering::Value;
using Loops = std::set<std::string>;

class Counter {
 public:
  explicit Counter(const lowering::Arrangement& arrangement) : arrangement_(arrangement) {}

  Work run() {
    for (const lowering::ArrangedKernel& kernel : arrangement_.kernels) {
      for (const Node& node : kernel.body) visit(node, false);
    }
    for (const Variable& variable : arrangement_.program->signature.variables) {
      const auto bytes = static_cast<double>(arrangement_.buffers.at(variable.name).bytes);
      work_.bytes += bytes;
      if (surely_read_.contains(variable.name)) work_.certain_bytes += bytes;
    }
    return std::move(work_);
  }

 private:
  void visit(const Node& node, bool guarded) {
    if (node.kind == Node::Kind::store) return count(node, guarded);
    for (const Node& inner : node.body) visit(inner, guarded || node.kind == Node::Kind::guard);
  }

  void count(const Node& store, bool guarded) {
    extents_.clear();
    for (const Loop* loop : arrangement_.table.statements[store.statement].loops) extents_[loop->index] = loop->extent;
    Loops loops;
    operations(*store.value, guarded, loops);
  }

  /// Adds up what is done, and says which loops the value depends on.
  void operations(const Value& value, bool guarded, Loops& loops) {
    switch (value.kind) {
      case Value::Kind::load: return load(*value.ref, guarded, loops);
      case Value::Kind::index:
        for_each_variable(value.index, [&loops](const std::string& name) { loops.insert(name); });
        return;
      default: break;
    }
    Loops own;
    for (std::size_t i = 0; i < value.operands.size(); ++i) {
      const bool branch = value.kind == Value::Kind::select && i > 0;
      operations(*value.operands[i], guarded || branch, own);
    }
    const bool counts = value.kind == Value::Kind::arithmetic ||
                        (value.kind == Value::Kind::function && value.function != Function::negate);
    if (counts && is_float(value.dtype)) {
      double times = 1;
      for (const std::string& name : own) {
        const auto at = extents_.find(name);
        if (at != extents_.end()) times *= static_cast<double>(at->second);
      }
      work_.flops[value.dtype] += times;
      if (!guarded) work_.certain_flops[value.dtype] += times;
    }
    loops.merge(own);
  }

  void load(const Ref& ref, bool guarded, Loops& loops) {
    const lowering::Buffer& buffer = arrangement_.buffers.at(ref.tensor);
    const bool is_input = buffer.known && buffer.known->role != Role::output;
    // What the program itself writes may be another value in every iteration.
    if (!is_input) {
      for (const auto& [name, extent] : extents_) loops.insert(name);
      return;
    }
    double points = 1;
    Loops own;
    bool indirect = false;
    for (const Index& index : ref.subscripts) {
      for_each_variable(index, [&own](const std::string& name) { own.insert(name); });
      for (const IndexTerm& term : index.terms()) {
        for (const IndexAtom& factor : term.factors)
          indirect = indirect || !std::holds_alternative<LoopVariable>(factor);
      }
    }
    for (const std::string& name : own) {
      const auto at = extents_.find(name);
      if (at != extents_.end()) points *= static_cast<double>(at->second);
    }
    // Fewer reads than elements: a slice, of which the rest is never touched.
    if (!guarded && !indirect && points >= static_cast<double>(buffer.elements)) surely_read_.insert(ref.tensor);
    loops.merge(own);
  }

  const lowering::Arrangement& arrangement_;
  std::map<std::string, std::int64_t> extents_;
  std::set<std::string> surely_read_;
  Work work_;
};

}  // namespace

double Work::all_flops() const {
  double sum = 0;
  for (const auto& [dtype, count] : flops) sum += count;
  return sum;
}

Work work_of(const lowering::Arrangement& arrangement) { return Counter(arrangement).run(); }

double MachinePeak::flops_of(DType dtype) const {
  const auto own = flops.find(dtype);
  if (own != flops.end()) return own->second;
  const auto single = flops.find(DType::f32);
  return single == flops.end() ? 0 : single->second;
}

double roofline_seconds(double bytes, const std::map<DType, double>& flops, const MachinePeak& peak) {
  double arithmetic = 0;
  for (const auto& [dtype, count] : flops) {
    if (const double rate = peak.flops_of(dtype); rate > 0) arithmetic += count / rate;
  }
  const double memory = peak.bytes_per_second > 0 ? bytes / peak.bytes_per_second : 0;
  return std::max(memory, arithmetic);
}

}  // namespace steptp
