// A program becomes code for evaluation element by element, statement by statement: its loops, guards and left side,
// who writes the tensor before it, and its right side as nodes. Subscripts and accesses are compiled in
// compile_access.*, expressions in compile_expression.*; what the left side says about loops is found in
// direct_subscripts.*, and which write a read sees in origin.*. docs/decisions/0010-certified-evaluation.md.
#include <algorithm>
#include <utility>

#include "steptp/analysis/interval.h"
#include "steptp/arithmetic/failure.h"
#include "steptp/base/text.h"
#include "steptp/machine/code.h"
#include "steptp/machine/compile_access.h"
#include "steptp/machine/compile_expression.h"
#include "steptp/machine/direct_subscripts.h"

namespace steptp::certify {

namespace {

class Compiler {
 public:
  explicit Compiler(const Program& program)
      : table_(collect_accesses(program)), accesses_(table_, code_), expressions_(code_, accesses_) {}
  Compiler(const Compiler&) = delete;
  Compiler& operator=(const Compiler&) = delete;
  ~Compiler() = default;

  Code run() {
    declare_tensors();
    code_.statements.resize(table_.statements.size());
    for (std::uint32_t i = 0; i < table_.statements.size(); ++i) add_statement(i);
    for (TensorCode& tensor : code_.tensors) {
      for (const std::uint32_t writer : tensor.writers) tensor.at_end.writers.push_back({writer, 0, true});
    }
    code_.table = std::move(table_);
    return std::move(code_);
  }

 private:
  void declare_tensors() {
    for (const auto& [name, facts] : table_.tensors) {
      const auto number = static_cast<std::uint32_t>(code_.tensors.size());
      code_.tensor_numbers.emplace(name, number);
      TensorCode& tensor = code_.tensors.emplace_back();
      tensor.name = name;
      tensor.dtype = facts.dtype;
      tensor.at_end.tensor = number;
      if (facts.known) tensor.shape = facts.known->shape;
      // Names by the program's own signature: the table's pointer goes into it.
      if (facts.known && facts.known->role != Role::output) tensor.known = facts.known;
      for (const std::size_t access : facts.writes) {
        tensor.writers.push_back(static_cast<std::uint32_t>(table_.accesses[access].statement));
      }
    }
  }

  void add_statement(std::uint32_t number) {
    const Statement& source = table_.statements[number];
    const auto first_node = static_cast<std::uint32_t>(code_.nodes.size());
    StatementCode& out = code_.statements[number];
    accesses_.begin_statement(number);
    out.tensor = code_.tensor_numbers.find(source.equation->left->tensor)->second;
    out.dtype = source.equation->left->dtype;
    out.text = to_text(Site{source.items, Site::Part::item, {}, {}});
    add_loops(source, out);
    out.left = accesses_.access(source.equation->left);
    accesses_.reset_work();
    for (const ExprPtr& guard : source.guards) {
      out.guards_are_bounds = accesses_.add_bounds(*guard, true, out.guard_bounds) && out.guards_are_bounds;
      out.guards.push_back(expressions_.guard(guard));
    }
    out.accumulates = source.accumulates.has_value();
    if (out.accumulates) {
      out.accumulation = *source.accumulates;
      find_neighbours(number, out);
    }
    const Ref* accumulator = out.accumulates ? source.equation->left.get() : nullptr;
    out.right = expressions_.right_side(source.equation->right, out.dtype, accumulator);
    if (out.accumulates && !find_terms(out, out.right)) out.terms.clear();
    out.work = static_cast<std::uint32_t>(code_.nodes.size()) - first_node + 1;
    find_direct_subscripts(out);
    out.is_cheap = !out.accumulates && accesses_.work() <= kCheapNodes;
    accesses_.end_statement();
  }

  static void add_loops(const Statement& source, StatementCode& out) {
    Wide points = 1;
    for (const Loop* loop : source.loops) {
      out.extents.push_back(loop->extent);
      out.loops.push_back(loop->index);
      points *= loop->extent;
      if (points > INT64_MAX) fail(FailureKind::unsupported, concat(out.text, " has too many iterations"));
    }
    if (source.loops.size() > kMaxLoops) fail(FailureKind::unsupported, concat(out.text, " has too many loops"));
  }

  /// From which loop on the executions of an accumulation are neighbours, and which writes come before them.
  void find_neighbours(std::uint32_t number, StatementCode& out) const {
    const std::vector<Writer> writers = accesses_.writers_seen_from(number, out.tensor);
    for (const Writer& writer : writers) {
      if (writer.statement != number) out.private_from = std::max(out.private_from, writer.shared_loops);
    }
    for (Writer writer : writers) {
      if (writer.statement == number) writer.shared_loops = out.private_from;
      out.earlier.push_back(writer);
    }
  }

  /// Down the operators of the accumulation to the accumulator, which is in one operand only.
  bool find_terms(StatementCode& out, std::uint32_t number) const {
    const Node& node = code_.nodes[number];
    if (node.op == Op::real_accumulator) return true;
    if (node.op != Op::real_arithmetic || node.branch != kNone) return false;
    const bool is_subtraction = out.accumulation == ArithmeticOp::add && node.arithmetic == ArithmeticOp::subtract;
    if (node.arithmetic != out.accumulation && !is_subtraction) return false;
    if (find_terms(out, node.first)) {
      out.terms.push_back({node.second, is_subtraction});
      return true;
    }
    if (is_subtraction || !find_terms(out, node.second)) return false;
    out.terms.push_back({node.first, false});
    return true;
  }

  AccessTable table_;
  Code code_;
  AccessCompiler accesses_;
  ExpressionCompiler expressions_;
};

}  // namespace

Code compile(const Program& program) { return Compiler(program).run(); }

}  // namespace steptp::certify
