// TVMScript: one block per statement, with loops as `range`, `T.grid` or thread bindings, guards as `T.where`, and
// implicit initialisation as `T.init` where TVM means the same by it (initial.h), otherwise as a block that fills
// the buffer. Two dialects differ in names only. What TVM would give another meaning is refused. Decision 0022.
// More than 400 lines, because a module is written in one walk, by one class that nobody else needs to see.
#include "steptp/tir/lower.h"

#include <algorithm>
#include <utility>

#include "steptp/base/text.h"
#include "steptp/tir/expressions.h"
#include "steptp/tir/initial.h"
#include "steptp/tir/names.h"
#include "steptp/tir/refusals.h"
#include "steptp/tir/rounds.h"

namespace steptp::tir {

using lowering::ArrangedKernel;
using lowering::Buffer;
using lowering::Node;

namespace {

constexpr std::int64_t kFillThreads = 256;

std::string tuple(const std::vector<std::int64_t>& values) {
  return concat("(", join(values, ", ", [](std::int64_t value) { return std::to_string(value); }),
                values.size() == 1 ? ",)" : ")");
}

std::string_view thread_name(Axis axis) {
  constexpr std::array<std::string_view, 6> kNames = {"blockIdx.x",  "blockIdx.y",  "blockIdx.z",
                                                      "threadIdx.x", "threadIdx.y", "threadIdx.z"};
  return kNames[static_cast<std::size_t>(axis)];
}

std::optional<Axis> axis_of_loop(const Loop& loop) {
  return loop.kind == LoopKind::bound ? axis_of(loop.index) : std::nullopt;
}

class ModuleWriter {
 public:
  ModuleWriter(const lowering::Arrangement& arrangement, Dialect dialect, DeviceKind target)
      : arrangement_(arrangement),
        names_(names_of(dialect)),
        target_(target),
        expressions_(arrangement, target),
        inits_(statements_with_init(arrangement)) {}

  Result<std::string, Diagnostic> run() {
    if (target_ == DeviceKind::cuda) problem_ = find_unfit_for_cuda(arrangement_, inits_);
    if (problem_) return *std::move(problem_);
    line("from tvm.script import ir as I, ", names_.module, " as T");
    line("");
    line("@I.ir_module");
    open("class Module:");
    line(names_.function);
    open("def main(",
         join(arrangement_.program->signature.variables, ", ",
              [](const Variable& variable) {
                return concat(variable.name, ": T.Buffer(", tuple(variable.shape), ", \"", type_name(variable.dtype),
                              "\")");
              }),
         "):");
    line("T.func_attr({\"", names_.no_alias, "\": True})");
    allocate();
    for (const auto& [name, buffer] : arrangement_.buffers) {
      if (buffer.scope == Scope::global && needs_fill(arrangement_, inits_, buffer)) fill_global(buffer);
    }
    host(arrangement_.host);
    if (problem_) return *std::move(problem_);
    return std::move(text_);
  }

 private:
  template <typename... Parts>
  void line(const Parts&... parts) {
    const std::string made = concat(parts...);
    if (!made.empty()) text_.append(depth_ * 4, ' ');
    append(text_, made, "\n");
  }
  template <typename... Parts>
  void open(const Parts&... parts) {
    line(parts...);
    ++depth_;
  }
  void close(std::size_t levels = 1) { depth_ -= levels; }

  void fail(std::string message, const Site& site) {
    if (!problem_) problem_ = lowering::cannot_lower(std::move(message), site);
  }
  [[nodiscard]] Site site_of(std::size_t statement) const {
    return Site{arrangement_.table.statements[statement].items, Site::Part::item, {}, {}};
  }

  void allocate() {
    for (const auto& [name, buffer] : arrangement_.buffers) {
      if (buffer.known) continue;
      std::vector<std::int64_t> shape = buffer.shape;
      std::string scope = buffer.scope == Scope::shared ? ", scope=\"shared\"" : ", scope=\"local\"";
      if (buffer.scope == Scope::global || target_ == DeviceKind::cpu) scope.clear();
      if (buffer.scope != Scope::global && target_ == DeviceKind::cpu) {
        const ArrangedKernel& kernel = kernel_of(name);
        auto expanded = lowering::home_of(kernel, buffer).expanded;
        shape.clear();
        for (const auto& [axis, stride] : expanded) shape.push_back(kernel.extents[static_cast<std::size_t>(axis)]);
        shape.insert(shape.end(), buffer.shape.begin(), buffer.shape.end());
        expressions_.expanded[name] = std::move(expanded);
      }
      shapes_[name] = shape;
      line(name, " = ", names_.alloc_buffer, "(", tuple(shape), ", \"", type_name(buffer.dtype), "\"", scope, ")");
    }
  }
  [[nodiscard]] const ArrangedKernel& kernel_of(const std::string& buffer) const {
    for (const ArrangedKernel& kernel : arrangement_.kernels) {
      for (const auto* list : {&kernel.shared, &kernel.local, &kernel.fragments}) {
        if (std::find(list->begin(), list->end(), buffer) != list->end()) return kernel;
      }
    }
    return arrangement_.kernels.front();
  }

  [[nodiscard]] std::string unique(const std::string& name) {
    const int number = blocks_[name]++;
    return number == 0 ? name : concat(name, "_", number);
  }

  /// All elements hold the identity, one block for the buffer.
  void fill(const Buffer& buffer, const std::vector<std::int64_t>& shape) {
    std::vector<std::string> loops;
    std::vector<std::string> axes;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      loops.push_back(concat("i", i));
      axes.push_back(concat("v_i", i));
    }
    const auto list = [](const std::vector<std::string>& names) {
      return join(names, ", ", [](const std::string& name) { return name; });
    };
    const std::string extents = join(shape, ", ", [](std::int64_t value) { return std::to_string(value); });
    if (shape.size() == 1) open("for i0 in range(", extents, "):");
    if (shape.size() > 1) open("for ", list(loops), " in T.grid(", extents, "):");
    open("with ", names_.block, "(\"", unique(buffer.name + "_init"), "\"):");
    const std::string target = concat(buffer.name, "[", shape.empty() ? "()" : list(axes), "]");
    if (shape.size() == 1) line("v_i0 = T.axis.spatial(", extents, ", i0)");
    if (shape.size() > 1)
      line(list(axes), " = T.axis.remap(\"", std::string(shape.size(), 'S'), "\", [", list(loops), "])");
    line("T.reads()");
    line("T.writes(", target, ")");
    const std::string zero = concat("T.", type_name(buffer.dtype), buffer.dtype == DType::boolean ? "(False)" : "(0)");
    line(target, " = ", buffer.initial ? expressions_.value(*buffer.initial) : zero);
    close(shape.empty() ? 1 : 2);
  }

  void fill_global(const Buffer& buffer) {
    if (target_ == DeviceKind::cpu) return fill(buffer, buffer.shape);
    const std::int64_t blocks = (buffer.elements + kFillThreads - 1) / kFillThreads;
    open("for bx in T.thread_binding(", blocks, ", thread=\"blockIdx.x\"):");
    open("for tx in T.thread_binding(", kFillThreads, ", thread=\"threadIdx.x\"):");
    open("with ", names_.block, "(\"", unique(buffer.name + "_init"), "\"):");
    const std::string number = concat("bx * ", kFillThreads, " + tx");
    line("v_i = T.axis.spatial(", buffer.elements, ", ", number, ")");
    if (buffer.elements % kFillThreads != 0) line("T.where(", number, " < ", buffer.elements, ")");
    std::vector<std::string> subscripts;
    for (std::size_t i = 0; i < buffer.shape.size(); ++i) {
      subscripts.push_back(concat("v_i // ", buffer.strides[i], " % ", buffer.shape[i]));
    }
    const std::string target =
        concat(buffer.name, "[",
               subscripts.empty() ? "()" : join(subscripts, ", ", [](const std::string& text) { return text; }), "]");
    line("T.reads()");
    line("T.writes(", target, ")");
    const std::string zero = concat("T.", type_name(buffer.dtype), buffer.dtype == DType::boolean ? "(False)" : "(0)");
    line(target, " = ", buffer.initial ? expressions_.value(*buffer.initial) : zero);
    close(3);
  }

  void host(const std::vector<Node>& nodes) {
    for (const Node& node : nodes) {
      switch (node.kind) {
        case Node::Kind::loop:
          open("for ", loop_name(node.loop.index), " in range(", node.loop.extent, "):");
          expressions_.loops.push_back(&node.loop);
          host(node.body);
          expressions_.loops.pop_back();
          close();
          break;
        case Node::Kind::guard:
          guards_.push_back(node.condition);
          host(node.body);
          guards_.pop_back();
          break;
        case Node::Kind::launch:
          kernel_ = &arrangement_.kernels[node.kernel];
          home_fills(0);
          items(kernel_->body, 0);
          break;
        case Node::Kind::store: break;
      }
    }
  }

  /// DeviceKind cpu: scoped data begins anew where it lives.
  void home_fills(std::size_t depth) {
    if (target_ != DeviceKind::cpu) return;
    for (const auto* list : {&kernel_->shared, &kernel_->local, &kernel_->fragments}) {
      for (const std::string& name : *list) {
        const Buffer& buffer = arrangement_.buffers.at(name);
        // One that nobody initialises is filled where TVM would otherwise allocate it in each round anew.
        const bool is_filled = needs_fill(arrangement_, inits_, buffer) || may_live_on(arrangement_, buffer);
        if (is_filled && lowering::home_of(*kernel_, buffer).depth == depth) fill(buffer, shapes_.at(name));
      }
    }
  }

  void items(const std::vector<Node>& nodes, std::size_t depth) {
    for (const Node& node : nodes) {
      const std::size_t before = depth_;
      const std::vector<Loop> added = missing_axes(node);
      for (const Loop& loop : added) {
        open("for ", loop.index, " in T.thread_binding(", loop.extent, ", thread=\"",
             thread_name(*axis_of(loop.index.substr(0, 2))), "\"):");
        zeros_.push_back(loop.index);
      }
      switch (node.kind) {
        case Node::Kind::loop: loop(node, depth); break;
        case Node::Kind::guard:
          guards_.push_back(node.condition);
          items(node.body, kNowhere);
          guards_.pop_back();
          break;
        case Node::Kind::store: block(node); break;
        case Node::Kind::launch: break;
      }
      zeros_.resize(zeros_.size() - added.size());
      depth_ = before;
    }
  }

  /// DeviceKind cuda: an item without a loop over a thread axis runs where that index is 0, so it gets such a loop.
  [[nodiscard]] std::vector<Loop> missing_axes(const Node& node) const {
    std::vector<Loop> out;
    if (target_ == DeviceKind::cpu || node.kind != Node::Kind::store) return out;
    for (const Axis axis : {Axis::tx, Axis::ty, Axis::tz}) {
      const std::int64_t extent = kernel_->extents[static_cast<std::size_t>(axis)];
      const bool open_already = std::any_of(expressions_.loops.begin(), expressions_.loops.end(),
                                            [&](const Loop* loop) { return axis_of_loop(*loop) == axis; });
      if (extent > 1 && !open_already) out.push_back({LoopKind::bound, extent, concat(name_of(axis), "_0")});
    }
    return out;
  }

  void loop(const Node& node, std::size_t depth) {
    std::vector<const Node*> run = {&node};
    while (run.back()->loop.kind == LoopKind::serial && run.back()->body.size() == 1 &&
           run.back()->body[0].kind == Node::Kind::loop && run.back()->body[0].loop.kind == LoopKind::serial) {
      run.push_back(&run.back()->body[0]);
    }
    if (run.size() > 1) {
      open("for ", join(run, ", ", [](const Node* one) { return loop_name(one->loop.index); }), " in T.grid(",
           join(run, ", ", [](const Node* one) { return std::to_string(one->loop.extent); }), "):");
    } else {
      open("for ", loop_name(node.loop.index), " in ", range_of_loop(node), ":");
    }
    for (const Node* one : run) expressions_.loops.push_back(&one->loop);
    const bool narrower = narrower_than_launch(node.loop);
    if (narrower) shorter_.push_back(&node.loop);
    const bool home = node.loop.kind == LoopKind::bound;
    if (home) home_fills(depth + 1);
    items(run.back()->body, home ? depth + 1 : kNowhere);
    if (narrower) shorter_.pop_back();
    expressions_.loops.resize(expressions_.loops.size() - run.size());
    close();
  }

  [[nodiscard]] bool narrower_than_launch(const Loop& loop) const {
    const auto axis = axis_of_loop(loop);
    return target_ == DeviceKind::cuda && axis && loop.extent < kernel_->extents[static_cast<std::size_t>(*axis)];
  }

  [[nodiscard]] std::string range_of_loop(const Node& node) const {
    const Loop& loop = node.loop;
    switch (loop.kind) {
      case LoopKind::serial:
      case LoopKind::tensorized: return concat("range(", loop.extent, ")");
      case LoopKind::parallel:
        // Iterations that accumulate into one element must not run at the same time; a GPU has no such loop, and TVM's
        // pool of threads no second one inside the first.
        if (target_ == DeviceKind::cuda || reduces_over(node, loop) || in_parallel())
          return concat("range(", loop.extent, ")");
        return concat("T.parallel(", loop.extent, ")");
      case LoopKind::vectorized:
        if (!vector_fits(node)) return concat("T.unroll(", loop.extent, ")");
        return concat("T.vectorized(", loop.extent, ")");
      case LoopKind::unrolled: return concat("T.unroll(", loop.extent, ")");
      case LoopKind::bound: break;
    }
    if (target_ == DeviceKind::cpu) return concat("range(", loop.extent, ")");
    const Axis axis = *axis_of(loop.index);
    return concat("T.thread_binding(", kernel_->extents[static_cast<std::size_t>(axis)], ", thread=\"",
                  thread_name(axis), "\")");
  }

  [[nodiscard]] bool in_parallel() const {
    return std::any_of(expressions_.loops.begin(), expressions_.loops.end(),
                       [](const Loop* loop) { return loop->kind == LoopKind::parallel; });
  }
  void statements(const Node& node, std::vector<const Node*>& out) const {
    if (node.kind == Node::Kind::store) out.push_back(&node);
    for (const Node& inner : node.body) statements(inner, out);
  }
  [[nodiscard]] bool reduces_over(const Node& node, const Loop& loop) const {
    std::vector<const Node*> below;
    statements(node, below);
    return std::any_of(below.begin(), below.end(), [&](const Node* one) {
      const Statement& statement = arrangement_.table.statements[one->statement];
      const auto at = std::find_if(statement.loops.begin(), statement.loops.end(),
                                   [&](const Loop* other) { return other->index == loop.index; });
      return at != statement.loops.end() && !is_spatial(arrangement_, statement, **at);
    });
  }
  /// Widths that TVM builds for CUDA: f32 up to 4, f16 and bf16 even up to 8, f64 up to 4; reductions are not vectors.
  [[nodiscard]] bool vector_fits(const Node& node) const {
    std::vector<const Node*> below;
    statements(node, below);
    // TVM takes such loops only around one equation: data is not allocated in them, nor a loop written.
    const bool innermost = node.body.size() == 1 && node.body[0].kind == Node::Kind::store;
    if (!innermost || reduces_over(node, node.loop)) return false;
    if (target_ == DeviceKind::cpu) return true;
    const std::int64_t extent = node.loop.extent;
    return std::all_of(below.begin(), below.end(), [&](const Node* one) {
      const int bytes = info(one->target->dtype).bytes;
      if (bytes == 2) return extent % 2 == 0 && extent <= 8;
      return (bytes == 4 || bytes == 8) && (extent == 2 || extent == 4);
    });
  }

  void block(const Node& node) {
    const Statement& statement = arrangement_.table.statements[node.statement];
    const bool is_flag = node.target->tensor != statement.equation->left->tensor;
    const bool init = !is_flag && inits_.contains(node.statement);
    if (!zeros_.empty() && statement.accumulates &&
        arrangement_.buffers.at(node.target->tensor).scope == Scope::shared) {
      fail("TVM puts a barrier inside the condition under which one thread accumulates", site_of(node.statement));
    }
    open("with ", names_.block, "(\"", unique(node.target->tensor), "\"):");
    std::string kinds;
    for (const Loop* loop : statement.loops) kinds += is_flag || is_spatial(arrangement_, statement, *loop) ? 'S' : 'R';
    const auto names = [&](auto to_name) {
      return join(statement.loops, ", ", [&](const Loop* loop) { return to_name(loop->index); });
    };
    if (statement.loops.size() == 1) {
      const Loop& only = *statement.loops[0];
      line(axis_name(only.index), kinds == "S" ? " = T.axis.spatial(" : " = T.axis.reduce(", only.extent, ", ",
           loop_name(only.index), ")");
    } else {
      line(names(axis_name), " = T.axis.remap(\"", kinds, "\", [", names(loop_name), "])");
    }
    where();
    std::vector<std::string> reads;
    for (const Access& access : arrangement_.table.accesses) {
      if (access.statement != node.statement || access.is_write || (init && access.is_accumulator)) continue;
      std::string text = expressions_.element(*access.ref, true);
      if (std::find(reads.begin(), reads.end(), text) == reads.end()) reads.push_back(std::move(text));
    }
    if (is_flag) reads.clear();
    line("T.reads(", join(reads, ", ", [](const std::string& text) { return text; }), ")");
    line("T.writes(", expressions_.element(*node.target, true), ")");
    if (init) {
      open("with T.init():");
      line(expressions_.element(*node.target), " = ",
           expressions_.value(*arrangement_.buffers.at(node.target->tensor).initial));
      close();
    }
    line(expressions_.element(*node.target), " = ", expressions_.value(*node.value));
    close();
    if (expressions_.problem()) fail(*expressions_.problem(), site_of(node.statement));
  }

  /// The guards around a block, over its loops.
  void where() {
    std::vector<std::string> conditions;
    expressions_.in_block = false;
    for (const Loop* loop : shorter_) conditions.push_back(concat(loop_name(loop->index), " < ", loop->extent));
    for (const std::string& name : zeros_) conditions.push_back(concat(name, " == 0"));
    for (const lowering::ValuePtr& guard : guards_) conditions.push_back(expressions_.value(*guard));
    expressions_.in_block = true;
    if (conditions.empty()) return;
    std::string all = conditions[0];
    for (std::size_t i = 1; i < conditions.size(); ++i) all = concat("T.And(", all, ", ", conditions[i], ")");
    line("T.where(", all, ")");
  }

  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1) / 2;

  const lowering::Arrangement& arrangement_;
  const Names& names_;
  DeviceKind target_;
  Expressions expressions_;
  std::set<std::size_t> inits_;
  std::string text_;
  std::size_t depth_ = 0;
  const ArrangedKernel* kernel_ = nullptr;
  std::vector<lowering::ValuePtr> guards_;
  std::vector<const Loop*> shorter_;  ///< open loops that are shorter than the launch
  std::vector<std::string> zeros_;    ///< added loops, where only 0 counts
  std::map<std::string, int> blocks_;
  std::map<std::string, std::vector<std::int64_t>> shapes_;
  std::optional<Diagnostic> problem_;
};

}  // namespace

Result<std::string, Diagnostic> lower(const Program& program, Dialect dialect, DeviceKind target) {
  const auto arrangement = lowering::arrangement_of(program);
  if (!arrangement) return arrangement.error();
  return ModuleWriter(*arrangement, dialect, target).run();
}

}  // namespace steptp::tir
