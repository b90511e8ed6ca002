// A kernel as one LLVM function in which blocks and threads are plain loops, in the order of the text. The outermost
// loop is given to the caller in parts, to be divided among CPU threads, if nothing reduces over it. Small scoped
// arrays live on the stack, others in scratch memory (lowering/homes.h). Decision 0023.
#include "steptp/llvm/lower.h"

#include <algorithm>
#include <limits>

#include "steptp/llvm/builder.h"
#include "steptp/lowering/homes.h"
#include "steptp/lowering/offsets.h"
#include "steptp/lowering/threads.h"

namespace steptp::llvm_ir {

using lowering::Home;
using lowering::Node;

namespace {

/// Arrays up to this are on the stack, where the optimiser takes them into registers.
constexpr std::int64_t kStackBytes = 4096;

/// A loop around as many equations, once loops in it are unrolled, has enough to do: looking whether it could be
/// vectorised takes time that grows with their square.
constexpr std::int64_t kManyEquations = 64;
/// Kernels that compute fewer equations than this run in a microsecond, and unrolling them takes a thousand times that.
constexpr std::int64_t kFewEquations = 4096;

/// Loops of so many rounds are taken for lanes of vectors, where nothing else is in them.
constexpr std::int64_t kFewestLanes = 8;
constexpr std::int64_t kMostLanes = 256;

bool reads(const lowering::Value& value, const std::string& tensor) {
  return (value.kind == lowering::Value::Kind::load && value.ref->tensor == tensor) ||
         std::any_of(value.operands.begin(), value.operands.end(),
                     [&](const lowering::ValuePtr& operand) { return reads(*operand, tensor); });
}

/// Only equations that each write another element in each round, perhaps under conditions: one vector after the other
/// does them, as long as the loop is one when LLVM comes to vectors. What accumulates has to have one accumulator for
/// each round by its subscript: LLVM reorders the sums of loops that are asked to become vectors.
bool writes_lanes(const std::vector<Node>& nodes, const std::string& index) {
  return std::all_of(nodes.begin(), nodes.end(), [&](const Node& node) {
    if (node.kind == Node::Kind::guard) return writes_lanes(node.body, index);
    if (node.kind != Node::Kind::store || node.target->subscripts.empty()) return false;
    const Index& last = node.target->subscripts.back();
    if (reads(*node.value, node.target->tensor)) return lowering::run_alignment(last, index) != 0;
    return lowering::mentions(last, index);
  });
}

/// Rounds read one element after the other, or all the same.
bool reads_neighbours(const lowering::Value& value, const std::string& index) {
  if (value.kind == lowering::Value::Kind::load) {
    const std::vector<Index>& subscripts = value.ref->subscripts;
    for (std::size_t i = 0; i < subscripts.size(); ++i) {
      if (!lowering::mentions(subscripts[i], index)) continue;
      if (i + 1 != subscripts.size() || lowering::run_alignment(subscripts[i], index) == 0) return false;
    }
  }
  return std::all_of(value.operands.begin(), value.operands.end(),
                     [&](const lowering::ValuePtr& operand) { return reads_neighbours(*operand, index); });
}

bool reads_neighbours(const std::vector<Node>& nodes, const std::string& index) {
  return std::all_of(nodes.begin(), nodes.end(), [&](const Node& node) {
    return node.kind == Node::Kind::store ? reads_neighbours(*node.value, index) : reads_neighbours(node.body, index);
  });
}

/// What is to be unrolled and reads far from each other is better so: vectors would be gathered.
bool is_lanes(const Node& node) {
  const std::int64_t extent = node.loop.extent;
  if (extent < kFewestLanes || extent > kMostLanes || !writes_lanes(node.body, node.loop.index)) return false;
  if (node.loop.kind == LoopKind::unrolled) return reads_neighbours(node.body, node.loop.index);
  return node.loop.kind == LoopKind::serial;
}

/// How often the equations below are computed, or how many of them there are when loops with the kinds are unrolled.
std::int64_t count_equations(const std::vector<Node>& nodes, bool only_unrolled) {
  std::int64_t sum = 0;
  for (const Node& node : nodes) {
    const bool once = node.kind != Node::Kind::loop ||
                      (only_unrolled && node.loop.kind != LoopKind::unrolled && node.loop.kind != LoopKind::vectorized);
    const std::int64_t inside = node.kind == Node::Kind::store ? 1 : count_equations(node.body, only_unrolled);
    const std::int64_t times = once ? 1 : node.loop.extent;
    std::int64_t product = 0;
    if (__builtin_mul_overflow(inside, times, &product) || __builtin_add_overflow(sum, product, &sum)) {
      return std::numeric_limits<std::int64_t>::max();
    }
  }
  return sum;
}

/// The text of one kernel: blocks and threads run one after another, in the order of the text.
class KernelWriter {
 public:
  KernelWriter(const lowering::Arrangement& arrangement, const lowering::ArrangedKernel& kernel, FloatRules rules,
               int& metadata, std::string& metadata_text)
      : arrangement_(arrangement),
        kernel_(kernel),
        values_(arrangement, rules, out_),
        metadata_(metadata),
        metadata_text_(metadata_text),
        is_short_(count_equations(kernel.body, false) < kFewEquations) {}

  KernelEntry write(const std::vector<std::string>& buffers, std::string& text) {
    entry_.name = kernel_.name;
    decide_parallel();
    std::string parameters;
    for (const std::string& name : kernel_.globals) append(parameters, "ptr noalias align 16 %", name, ", ");
    for (const Loop& loop : kernel_.host_loops) append(parameters, "i64 %host_", loop.index, ", ");
    for (const std::string& name : kernel_.globals) values_.place(name, {concat("%", name), {}});
    for (const Loop& loop : kernel_.host_loops) values_.open(loop, concat("%host_", loop.index));
    place_scoped();
    fill_at(0);
    nodes(kernel_.body, 0);
    out_.run("ret void");
    append(text, "\ndefine internal void @", kernel_.name, "_body(", parameters,
           "ptr noalias %scratch, ptr noalias %status, i64 %begin, i64 %end) {\nentry:\n", allocas_, out_.text(),
           "}\n");
    append_wrapper(buffers, text);
    return entry_;
  }

  [[nodiscard]] const std::optional<std::string>& problem() const { return values_.problem(); }

 private:
  /// The outermost loop, where it is around everything; its iterations are what a caller divides.
  [[nodiscard]] const Node* outermost() const {
    const bool one = kernel_.body.size() == 1 && kernel_.body.front().kind == Node::Kind::loop;
    return one ? &kernel_.body.front() : nullptr;
  }

  void decide_parallel() {
    const Node* node = outermost();
    if (!node) return;
    entry_.iterations = node->loop.extent;
    if (node->loop.kind != LoopKind::bound) return;
    const Axis axis = *axis_of(node->loop.index);
    entry_.parallel = true;
    for (const std::size_t statement : kernel_.statements) {
      const std::vector<Axis> reduced = lowering::reduced_axes(arrangement_.table, statement);
      if (std::find(reduced.begin(), reduced.end(), axis) != reduced.end()) entry_.parallel = false;
    }
    for (const std::vector<std::string>* list : {&kernel_.shared, &kernel_.local, &kernel_.fragments}) {
      for (const std::string& name : *list) {
        if (lowering::home_of(kernel_, arrangement_.buffers.at(name)).depth == 0) entry_.parallel = false;
      }
    }
  }

  void place_scoped() {
    for (const std::vector<std::string>* list : {&kernel_.shared, &kernel_.local, &kernel_.fragments}) {
      for (const std::string& name : *list) {
        const lowering::Buffer& buffer = arrangement_.buffers.at(name);
        Home home = lowering::home_of(kernel_, buffer);
        if (lowering::begins_anew(arrangement_.table, buffer)) home = {home.depth, {}, buffer.elements};
        const std::int64_t bytes = home.elements * info(buffer.dtype).bytes;
        const std::string pointer = concat("%", name);
        if (bytes <= kStackBytes) {
          append(allocas_, "  ", pointer, " = alloca [", home.elements, " x ", memory_type(buffer.dtype),
                 "], align 16\n");
        } else {
          append(allocas_, "  ", pointer, " = getelementptr inbounds i8, ptr %scratch, i64 ", entry_.scratch_bytes,
                 "\n");
          entry_.scratch_bytes += (bytes + 63) / 64 * 64;
        }
        values_.place(name, {pointer, home.expanded});
        if (buffer.initial) filled_.push_back({home.depth, &buffer, home.elements});
      }
    }
  }

  void fill_at(std::size_t depth) {
    for (const Filled& filled : filled_) {
      if (filled.depth == depth) values_.fill(*filled.buffer, concat("%", filled.buffer->name), filled.elements);
    }
  }

  void nodes(const std::vector<Node>& list, std::size_t depth) {
    for (const Node& node : list) {
      switch (node.kind) {
        case Node::Kind::loop: loop(node, depth); break;
        case Node::Kind::guard: guard(node, depth); break;
        case Node::Kind::store: values_.store(*node.target, *node.value); break;
        case Node::Kind::launch: break;
      }
    }
  }

  void loop(const Node& node, std::size_t depth) {
    const bool outer = &node == outermost();
    const std::string before = out_.current();
    const std::string body = out_.new_label();
    const std::string latch = out_.new_label();
    const std::string after = out_.new_label();
    out_.jump(body);
    out_.begin(body);
    const std::string next = concat("%next_", body);
    const std::string at =
        out_.emit("phi i64 [ ", outer ? "%begin" : "0", ", %", before, " ], [ ", next, ", %", latch, " ]");
    values_.open(node.loop, at);
    // Homes are inside loops that are around everything: there the depth counts bound loops only.
    const bool home = node.loop.kind == LoopKind::bound;
    if (home) fill_at(depth + 1);
    nodes(node.body, home ? depth + 1 : kNowhere);
    values_.close();
    out_.jump(latch);
    out_.begin(latch);
    out_.run(next, " = add nuw nsw i64 ", at, ", 1");
    const std::string more = out_.emit("icmp ult i64 ", next, ", ", outer ? "%end" : concat(node.loop.extent));
    out_.run("br i1 ", more, ", label %", body, ", label %", after, loop_metadata(node));
    out_.begin(after);
  }

  void guard(const Node& node, std::size_t depth) {
    const std::string yes = out_.new_label();
    const std::string after = out_.new_label();
    (void)depth;
    out_.branch(values_.value(*node.condition), yes, after);
    out_.begin(yes);
    nodes(node.body, kNowhere);
    out_.jump(after);
    out_.begin(after);
  }

  /// V asks for vectors, U for unrolling; neither changes values. Where it does not pay, others are told not to.
  std::string loop_metadata(const Node& node) {
    if (!is_short_ && is_lanes(node)) return lane_metadata();
    std::vector<std::string_view> wishes;
    if (node.loop.kind == LoopKind::vectorized) {
      wishes.emplace_back("!\"llvm.loop.vectorize.enable\", i1 true");
    } else if (node.loop.kind == LoopKind::unrolled) {
      wishes.emplace_back("!\"llvm.loop.unroll.enable\"");
    } else {
      if (count_equations(node.body, true) >= kManyEquations) {
        wishes.emplace_back("!\"llvm.loop.vectorize.enable\", i1 false");
      }
      if (is_short_) wishes.emplace_back("!\"llvm.loop.unroll.disable\"");
    }
    if (wishes.empty()) return {};
    const int number = metadata_++;
    std::string list;
    std::string texts;
    for (const std::string_view wish : wishes) {
      append(list, ", !", metadata_);
      append(texts, "!", metadata_++, " = !{", wish, "}\n");
    }
    append(metadata_text_, "!", number, " = distinct !{!", number, list, "}\n", texts);
    return concat(", !llvm.loop !", number);
  }

  /// Not unrolled before it is made of vectors, and then unrolled, so that accumulators become registers.
  std::string lane_metadata() {
    const int number = metadata_;
    metadata_ += 6;
    append(metadata_text_, "!", number, " = distinct !{!", number, ", !", number + 1, ", !", number + 2, ", !",
           number + 3, "}\n!", number + 1, " = !{!\"llvm.loop.vectorize.enable\", i1 true}\n!", number + 2,
           " = !{!\"llvm.loop.unroll.disable\"}\n!", number + 3, " = !{!\"llvm.loop.vectorize.followup_vectorized\", !",
           number + 4, ", !", number + 5, "}\n!", number + 4, " = !{!\"llvm.loop.isvectorized\"}\n!", number + 5,
           " = !{!\"llvm.loop.unroll.full\"}\n");
    return concat(", !llvm.loop !", number);
  }

  void append_wrapper(const std::vector<std::string>& buffers, std::string& text) const {
    append(text, "\ndefine void @", kernel_.name,
           "(ptr %buffers, ptr %host, ptr %scratch, ptr %status, i64 %begin, i64 %end) {\nentry:\n");
    std::string arguments;
    for (const std::string& name : kernel_.globals) {
      const auto number = std::find(buffers.begin(), buffers.end(), name) - buffers.begin();
      append(text, "  %at_", name, " = getelementptr inbounds ptr, ptr %buffers, i64 ", number, "\n  %", name,
             " = load ptr, ptr %at_", name, "\n");
      append(arguments, "ptr %", name, ", ");
    }
    for (std::size_t i = 0; i < kernel_.host_loops.size(); ++i) {
      const std::string& name = kernel_.host_loops[i].index;
      append(text, "  %at_host_", name, " = getelementptr inbounds i64, ptr %host, i64 ", i, "\n  %host_", name,
             " = load i64, ptr %at_host_", name, "\n");
      append(arguments, "i64 %host_", name, ", ");
    }
    append(text, "  call void @", kernel_.name, "_body(", arguments,
           "ptr %scratch, ptr %status, i64 %begin, i64 %end)\n  ret void\n}\n");
  }

  struct Filled {
    std::size_t depth = 0;
    const lowering::Buffer* buffer = nullptr;
    std::int64_t elements = 0;
  };
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1) / 2;

  const lowering::Arrangement& arrangement_;
  const lowering::ArrangedKernel& kernel_;
  Builder out_;
  Values values_;
  KernelEntry entry_;
  std::string allocas_;
  std::vector<Filled> filled_;
  int& metadata_;
  std::string& metadata_text_;
  bool is_short_;
};

}  // namespace

Result<Lowered, Diagnostic> lower(const Program& program, FloatRules rules) {
  auto arrangement = lowering::arrangement_of(program);
  if (!arrangement) return arrangement.error();
  Lowered out;
  out.arrangement = std::move(arrangement).value();
  for (const auto& [name, buffer] : out.arrangement.buffers) {
    if (buffer.scope == Scope::global) out.buffers.push_back(name);
  }
  append(out.text, "; ", program.name.empty() ? "A program" : program.name,
         ", lowered by steptp. Buffers begin at multiples of 16 bytes and do not overlap.\n", helper_text());
  for (const auto& [name, buffer] : out.arrangement.buffers) {
    if (buffer.scope != Scope::global || !buffer.initial) continue;
    Builder builder;
    Values values(out.arrangement, rules, builder);
    values.fill(buffer, "%buffer", buffer.elements);
    append(out.text, "\ndefine void @fill_", name, "(ptr align 16 %buffer) {\nentry:\n", builder.text(),
           "  ret void\n}\n");
    out.fills.push_back({"fill_" + name, name});
  }
  int metadata = 0;
  std::string metadata_text;
  for (const lowering::ArrangedKernel& kernel : out.arrangement.kernels) {
    KernelWriter writer(out.arrangement, kernel, rules, metadata, metadata_text);
    out.kernels.push_back(writer.write(out.buffers, out.text));
    if (writer.problem()) return lowering::cannot_lower(*writer.problem(), kernel.site);
  }
  out.text += vector_math_text(out.text);
  out.text += fast_math_text(out.text);
  if (!metadata_text.empty()) append(out.text, "\n", metadata_text);
  return out;
}

}  // namespace steptp::llvm_ir
