// From a program to an arrangement: buffers with shape and strides, kernels as trees of loops, guards and stores,
// and the host's tree with launches as leaves. An accumulator that may be undefined gets its identity as the initial
// value of its buffer; if several operators accumulate into one tensor, a tensor of flags remembers which elements
// are defined. Decision 0022.
#include "steptp/lowering/arrangement.h"

#include <algorithm>
#include <set>
#include <utility>

#include "steptp/analysis/shapes.h"
#include "steptp/analysis/written_boxes.h"
#include "steptp/base/text.h"

namespace steptp::lowering {

namespace {

/// The operators whose identity an accumulator of each tensor may read.
std::map<std::string, std::set<ArithmeticOp>> accumulations(const AccessTable& table) {
  std::map<std::string, std::set<ArithmeticOp>> out;
  for (const Statement& statement : table.statements) {
    if (statement.accumulates) out[statement.equation->left->tensor].insert(*statement.accumulates);
  }
  return out;
}

class Arranger {
 public:
  explicit Arranger(const Program& program) {
    arrangement_.program = &program;
    arrangement_.table = collect_accesses(program);
  }

  Result<Arrangement, Diagnostic> run() {
    add_buffers();
    if (problem_) return *std::move(problem_);
    add_kernels();
    for (std::uint32_t i = 0; i < arrangement_.program->nests.size(); ++i) {
      items_ = {i};
      std::vector<Node> made = nest(*arrangement_.program->nests[i], 0, false);
      std::move(made.begin(), made.end(), std::back_inserter(arrangement_.host));
    }
    if (problem_) return *std::move(problem_);
    return std::move(arrangement_);
  }

 private:
  void fail(std::string message, const Site& site) {
    if (!problem_) problem_ = cannot_lower(std::move(message), site);
  }

  [[nodiscard]] Site first_touch(const TensorFacts& tensor) const {
    const auto& list = tensor.writes.empty() ? tensor.reads : tensor.writes;
    return list.empty() ? Site{} : arrangement_.table.accesses[list[0]].site;
  }

  void add_buffers() {
    shapes_ = infer_shapes(arrangement_.table);
    const auto operators = accumulations(arrangement_.table);
    for (const auto& [name, tensor] : arrangement_.table.tensors) {
      Buffer buffer;
      buffer.name = name;
      buffer.dtype = tensor.dtype;
      buffer.scope = tensor.effective_scope();
      buffer.known = tensor.known;
      buffer.shape = shapes_.at(name).dimensions;
      const auto elements = element_count(buffer.shape);
      if (!elements || *elements > INT64_MAX / 16) {
        fail(concat("the elements of ", name, " cannot be numbered with 64 bits"), first_touch(tensor));
        continue;
      }
      buffer.elements = *elements;
      buffer.bytes = buffer.elements * info(buffer.dtype).bytes;
      std::int64_t stride = 1;
      buffer.strides.assign(buffer.shape.size(), 1);
      for (std::size_t i = buffer.shape.size(); i-- > 0;) {
        buffer.strides[i] = stride;
        stride *= buffer.shape[i];
      }
      const auto at = operators.find(name);
      if (at != operators.end() && at->second.size() == 1) {
        buffer.initial = identity_value(*at->second.begin(), buffer.dtype);
      } else if (at != operators.end() && !(buffer.scope == Scope::fragment && is_written_first(tensor))) {
        add_flags(buffer);
      }
      arrangement_.buffers.emplace(name, std::move(buffer));
    }
  }

  /// No accumulation reads an element that nothing has written.
  [[nodiscard]] bool is_written_first(const TensorFacts& tensor) const {
    return std::all_of(tensor.reads.begin(), tensor.reads.end(), [&](std::size_t number) {
      return reads_what_was_written(arrangement_.table, tensor, arrangement_.table.accesses[number]);
    });
  }

  /// Accumulators with different identities: whether an element is defined has to be remembered.
  void add_flags(const Buffer& buffer) {
    Buffer flags = buffer;
    flags.name = flags_of(buffer.name);
    flags.dtype = DType::u8;
    flags.known = nullptr;
    flags.bytes = flags.elements;
    flags.initial = integer_value(DType::u8, 0);
    flagged_.insert(buffer.name);
    arrangement_.buffers.emplace(flags.name, std::move(flags));
  }

  void add_kernels() {
    std::vector<std::string> order;
    for (const Variable& variable : arrangement_.program->signature.variables) order.push_back(variable.name);
    for (const auto& [name, buffer] : arrangement_.buffers) {
      if (!buffer.known) order.push_back(name);
    }
    for (const KernelFacts& facts : collect_kernels(arrangement_.table)) {
      ArrangedKernel& kernel = arrangement_.kernels.emplace_back();
      kernel.name = concat("kernel_", arrangement_.kernels.size() - 1);
      kernel.extents = facts.extents;
      kernel.statements = facts.statements;
      kernel.site = Site{facts.kernel.root, Site::Part::item, {}, {}};
      numbers_.emplace(facts.kernel, arrangement_.kernels.size() - 1);
      std::set<std::string> touched;
      std::set<std::string> written;
      for (const Access& access : arrangement_.table.accesses) {
        if (arrangement_.table.statements[access.statement].kernel != facts.kernel) continue;
        touched.insert(access.ref->tensor);
        if (access.is_write) written.insert(access.ref->tensor);
        if (!flagged_.contains(access.ref->tensor)) continue;
        touched.insert(flags_of(access.ref->tensor));
        written.insert(flags_of(access.ref->tensor));
      }
      for (const std::string& name : order) {
        if (!touched.contains(name)) continue;
        switch (arrangement_.buffers.at(name).scope) {
          case Scope::global:
            kernel.globals.push_back(name);
            if (written.contains(name)) kernel.written.push_back(name);
            break;
          case Scope::shared: kernel.shared.push_back(name); break;
          case Scope::local: kernel.local.push_back(name); break;
          case Scope::fragment: kernel.fragments.push_back(name); break;
        }
      }
      std::sort(kernel.written.begin(), kernel.written.end());
      kernel.layout = shared_layout(arrangement_.table, shapes_, facts);
    }
  }

  /// The nodes of a nest from its loop number `first` on. On the host (`in_kernel` false) a kernel becomes a launch.
  std::vector<Node> nest(const Nest& source, std::size_t first, bool in_kernel) {
    if (!in_kernel) {
      if (const auto number = kernel_starting_at(loops_.size())) {
        ArrangedKernel& kernel = arrangement_.kernels[*number];
        for (const Loop* loop : loops_) kernel.host_loops.push_back(*loop);
        std::vector<Node> body = nest(source, first, true);
        arrangement_.kernels[*number].body = std::move(body);
        return {launch(*number)};
      }
    }
    if (first < source.loops.size()) {
      Node node;
      node.kind = Node::Kind::loop;
      node.loop = source.loops[first];
      loops_.push_back(&source.loops[first]);
      node.body = nest(source, first + 1, in_kernel);
      loops_.pop_back();
      return {std::move(node)};
    }
    std::vector<Node> items;
    for (std::uint32_t i = 0; i < source.items.size(); ++i) {
      items_.push_back(i);
      std::vector<Node> made = item(source.items[i], in_kernel);
      std::move(made.begin(), made.end(), std::back_inserter(items));
      items_.pop_back();
    }
    if (!source.guard) return items;
    Node node;
    node.kind = Node::Kind::guard;
    node.condition = condition_value(*source.guard);
    if (!node.condition) fail("the guard has no type", Site{items_, Site::Part::guard, {}, {}});
    node.body = std::move(items);
    std::vector<Node> out;
    out.push_back(std::move(node));
    return out;
  }

  std::vector<Node> item(const Item& source, bool in_kernel) {
    if (const auto* inner = std::get_if<NestPtr>(&source)) return nest(**inner, 0, in_kernel);
    const Equation& equation = *std::get<EquationPtr>(source);
    if (in_kernel) return equation_nodes(equation);
    // A bare item under host loops is a kernel of one thread of its own.
    const auto number = kernel_starting_at(loops_.size());
    if (!number) return {};
    for (const Loop* loop : loops_) arrangement_.kernels[*number].host_loops.push_back(*loop);
    arrangement_.kernels[*number].body = equation_nodes(equation);
    return {launch(*number)};
  }

  std::vector<Node> equation_nodes(const Equation& equation) {
    std::optional<Flagged> flagged;
    const Statement& statement = arrangement_.table.statements[next_statement_];
    const Ref& left = *equation.left;
    if (flagged_.contains(left.tensor) && statement.accumulates) flagged = Flagged{&left, *statement.accumulates};
    Node node;
    node.target = equation.left;
    node.statement = next_statement_++;
    ValuePtr value = value_of(equation, flagged);
    if (!value) {
      fail("the equation has no type", Site{items_, Site::Part::right, {}, {}});
      return {};
    }
    node.value = converted(std::move(value), left.dtype);
    std::vector<Node> out = {node};
    if (flagged_.contains(left.tensor)) {
      Node flag = node;
      flag.target = flag_ref(left);
      flag.value = integer_value(DType::u8, 1);
      out.push_back(std::move(flag));
    }
    return out;
  }

  [[nodiscard]] std::optional<std::size_t> kernel_starting_at(std::size_t host_loops) const {
    const auto at = numbers_.find(Kernel{items_, host_loops});
    if (at == numbers_.end()) return std::nullopt;
    return at->second;
  }

  static Node launch(std::size_t number) {
    Node node;
    node.kind = Node::Kind::launch;
    node.kernel = number;
    return node;
  }

  Arrangement arrangement_;
  std::map<std::string, InferredShape> shapes_;
  std::set<std::string> flagged_;
  std::map<Kernel, std::size_t> numbers_;
  std::vector<std::uint32_t> items_;
  std::vector<const Loop*> loops_;
  std::size_t next_statement_ = 0;  ///< equations are met in the order of the table
  std::optional<Diagnostic> problem_;
};

}  // namespace

Diagnostic cannot_lower(std::string message, const Site& site, std::string hint) {
  Diagnostic out = make_error("cannot-lower", std::move(message), std::move(hint));
  out.site = to_text(site);
  return out;
}

Result<Arrangement, Diagnostic> arrangement_of(const Program& program) { return Arranger(program).run(); }

}  // namespace steptp::lowering
