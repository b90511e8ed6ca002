#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "steptp/analysis/interval.h"
#include "steptp/arithmetic/failure.h"
#include "steptp/base/text.h"
#include "steptp/ir/typing.h"
#include "steptp/machine/code.h"
#include "steptp/machine/origin.h"

namespace steptp::certify {

namespace {

/// More nodes than this in one program are refused: an evaluation goes down the tree recursively.
constexpr std::size_t kMaxNodes = 1'000'000;
/// The work, in nodes, up to which a value is computed again instead of remembered.
constexpr std::uint32_t kCheapNodes = 24;

struct TypedNode {
  std::uint32_t node = 0;
  ValueType type;
};

/// A number as written, with its sign.
std::optional<double> literal_number(const Expr& expr) {
  if (const auto* literal = std::get_if<Literal>(&expr.node)) return literal->real;
  const auto* call = std::get_if<Call>(&expr.node);
  if (!call || call->function != Function::negate) return std::nullopt;
  const auto inner = literal_number(*call->argument);
  return inner ? std::optional(-*inner) : std::nullopt;
}

class Compiler {
 public:
  explicit Compiler(const Program& program) : table_(collect_accesses(program)) {}

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

  std::uint32_t tensor_number(const std::string& name) const { return code_.tensor_numbers.find(name)->second; }

  std::vector<Writer> writers_seen_from(std::uint32_t reader, std::uint32_t tensor) const {
    std::vector<Writer> writers;
    for (const std::uint32_t writer : code_.tensors[tensor].writers) {
      writers.push_back({writer, shared_loops(table_.statements[reader], table_.statements[writer]), writer < reader});
    }
    return writers;
  }

  void add_statement(std::uint32_t number) {
    const Statement& source = table_.statements[number];
    statement_ = number;
    const auto first_node = static_cast<std::uint32_t>(code_.nodes.size());
    StatementCode& out = code_.statements[number];
    out.tensor = tensor_number(source.equation->left->tensor);
    out.dtype = source.equation->left->dtype;
    out.text = to_text(Site{source.items, Site::Part::item, {}, {}});
    Wide points = 1;
    for (const Loop* loop : source.loops) {
      out.extents.push_back(loop->extent);
      out.loops.push_back(loop->index);
      points *= loop->extent;
      if (points > INT64_MAX) fail(FailureKind::unsupported, concat(out.text, " has too many iterations"));
    }
    if (source.loops.size() > kMaxLoops) fail(FailureKind::unsupported, concat(out.text, " has too many loops"));
    out.left = access(source.equation->left);
    work_ = 0;
    for (const ExprPtr& guard : source.guards) {
      out.guards_are_bounds = add_bounds(*guard, true, out.guard_bounds) && out.guards_are_bounds;
      in_guard_ = true;
      out.guards.push_back(converted(expression(guard), DType::boolean));
      in_guard_ = false;
      path_.push_back({guard, true});
    }
    out.accumulates = source.accumulates.has_value();
    if (out.accumulates) {
      out.accumulation = *source.accumulates;
      accumulator_ = source.equation->left.get();
      for (const Writer& writer : writers_seen_from(number, out.tensor)) {
        if (writer.statement != number) out.private_from = std::max(out.private_from, writer.shared_loops);
      }
      for (Writer writer : writers_seen_from(number, out.tensor)) {
        if (writer.statement == number) writer.shared_loops = out.private_from;
        out.earlier.push_back(writer);
      }
    }
    out.right = converted(expression(source.equation->right), out.dtype);
    if (out.accumulates && !find_terms(out, out.right)) out.terms.clear();
    accumulator_ = nullptr;
    path_.clear();
    work_of_.push_back(work_);
    out.work = static_cast<std::uint32_t>(code_.nodes.size()) - first_node + 1;
    add_direct(out);
    out.is_cheap = !out.accumulates && work_ <= kCheapNodes;
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

  static void add_direct(StatementCode& out) {
    out.is_direct = out.guards.empty();
    std::uint32_t number = 0;
    for (const auto* list : {&out.left.subscripts, &out.left.hidden}) {
      for (const IndexCode& subscript : *list) add_direct(subscript, number++, out);
    }
    out.has_rounds = has_rounds(out);
  }

  /// Some loop does not follow from the element that is written.
  static bool has_rounds(const StatementCode& statement) {
    std::vector<bool> is_known(statement.extents.size());
    for (const auto* list : {&statement.left.subscripts, &statement.left.hidden}) {
      for (const IndexCode& subscript : *list) {
        std::vector<LinearPart> parts = subscript.linear;
        if (!subscript.is_linear) continue;
        std::sort(parts.begin(), parts.end(), [](const LinearPart& a, const LinearPart& b) {
          return std::abs(a.coefficient) < std::abs(b.coefficient);
        });
        Wide reached = 0;  // by all parts so far together
        bool are_digits = true;
        for (const LinearPart& part : parts) {
          const Wide weight = std::abs(part.coefficient);
          are_digits = are_digits && weight > reached;
          reached += weight * (statement.extents[part.slot] - 1);
        }
        for (const LinearPart& part : parts) is_known[part.slot] = is_known[part.slot] || are_digits;
      }
    }
    for (std::size_t i = 0; i < is_known.size(); ++i) {
      if (!is_known[i] && statement.extents[i] > 1) return true;
    }
    return false;
  }

  static void add_direct(const IndexCode& subscript, std::uint32_t number, StatementCode& out) {
    std::vector<LinearPart> parts = subscript.linear;
    if (!subscript.is_linear) {
      out.is_direct = false;
    } else if (parts.size() <= 1) {
      out.is_direct = out.is_direct && (parts.empty() || parts[0].coefficient == 1);
      out.direct.push_back({number, parts.empty() ? kNone : parts[0].slot, subscript.constant});
    } else {
      std::sort(parts.begin(), parts.end(),
                [](const LinearPart& a, const LinearPart& b) { return a.coefficient > b.coefficient; });
      for (std::size_t i = 0; i < parts.size(); ++i) {
        const bool is_last = i + 1 == parts.size();
        const Wide below = is_last ? 1 : static_cast<Wide>(parts[i + 1].coefficient) * out.extents[parts[i + 1].slot];
        out.is_direct = out.is_direct && parts[i].coefficient == below;
        out.direct.push_back({number, parts[i].slot, subscript.constant, true, parts[i].coefficient,
                              i == 0 ? 0 : out.extents[parts[i].slot]});
      }
    }
  }

  /// The values of right - left where a comparison holds; nothing for !=, which leaves two pieces.
  static std::optional<Bound> bound_of(CompareOp op) {
    constexpr std::int64_t kFarOff = std::int64_t{1} << 61;
    switch (op) {
      case CompareOp::less: return Bound{{}, 1, kFarOff};
      case CompareOp::less_equal: return Bound{{}, 0, kFarOff};
      case CompareOp::greater: return Bound{{}, -kFarOff, -1};
      case CompareOp::greater_equal: return Bound{{}, -kFarOff, 0};
      case CompareOp::equal: return Bound{{}, 0, 0};
      case CompareOp::not_equal: return std::nullopt;
    }
    return std::nullopt;
  }

  static CompareOp opposite(CompareOp op) {
    switch (op) {
      case CompareOp::less: return CompareOp::greater_equal;
      case CompareOp::less_equal: return CompareOp::greater;
      case CompareOp::greater: return CompareOp::less_equal;
      case CompareOp::greater_equal: return CompareOp::less;
      case CompareOp::equal: return CompareOp::not_equal;
      case CompareOp::not_equal: return CompareOp::equal;
    }
    return op;
  }

  /// Adds what follows for the indices where the condition holds, or fails. False where that is not all of it.
  bool add_bounds(const Expr& condition, bool holds, Bounds& out) {
    if (const auto* logic = std::get_if<Logic>(&condition.node)) {
      if ((logic->op == LogicOp::conjunction) != holds) return false;
      bool all = true;
      for (const ExprPtr& operand : logic->operands) all = add_bounds(*operand, holds, out) && all;
      return all;
    }
    const auto* compare = std::get_if<Compare>(&condition.node);
    if (!compare || (!holds && compare->operators.size() > 1)) return false;
    bool all = true;
    for (std::size_t i = 0; i < compare->operators.size(); ++i) {
      const auto left = to_index(*compare->operands[i]);
      const auto right = to_index(*compare->operands[i + 1]);
      const auto difference = left && right ? Index::subtract(*right, *left) : std::nullopt;
      std::optional<Bound> bound = bound_of(holds ? compare->operators[i] : opposite(compare->operators[i]));
      if (difference && bound) {
        bound->target = index(*difference);
        out.push_back(std::move(*bound));
      } else {
        all = false;
      }
    }
    return all;
  }

  std::uint32_t slot_of(const std::string& name) const {
    const auto& loops = table_.statements[statement_].loops;
    for (std::size_t i = 0; i < loops.size(); ++i) {
      if (loops[i]->index == name) return static_cast<std::uint32_t>(i);
    }
    fail(FailureKind::unsupported, concat("index ", name, " is not bound by a loop"));
  }

  IndexAtom atom(const steptp::IndexAtom& source) {
    IndexAtom out;
    if (const auto* variable = std::get_if<LoopVariable>(&source)) {
      out.slot = slot_of(variable->name);
    } else if (const auto* quotient = std::get_if<FloorQuotient>(&source)) {
      out.kind = IndexAtom::Kind::quotient;
      out.dividend = std::make_shared<const IndexCode>(index(*quotient->dividend));
      out.divisor = std::make_shared<const IndexCode>(index(*quotient->divisor));
    } else if (const auto* remainder = std::get_if<FloorRemainder>(&source)) {
      out.kind = IndexAtom::Kind::remainder;
      out.dividend = std::make_shared<const IndexCode>(index(*remainder->dividend));
      out.divisor = std::make_shared<const IndexCode>(index(*remainder->divisor));
    } else {
      out.kind = IndexAtom::Kind::read;
      out.read = std::make_shared<const Access>(access(std::get<IndirectRead>(source).ref));
    }
    return out;
  }

  IndexCode index(const Index& source) {
    IndexCode out;
    out.constant = source.constant_term();
    for (const IndexTerm& term : source.terms()) {
      IndexProduct& product = out.terms.emplace_back();
      product.coefficient = term.coefficient;
      for (const steptp::IndexAtom& factor : term.factors) product.factors.push_back(atom(factor));
      if (product.factors.size() == 1 && product.factors[0].kind == IndexAtom::Kind::slot) {
        out.linear.push_back({product.coefficient, product.factors[0].slot});
      } else {
        out.is_linear = false;
      }
    }
    out.reads_data = reads_tensor(source);
    return out;
  }

  Access access(const RefPtr& ref) {
    Access out;
    out.tensor = tensor_number(ref->tensor);
    for (const Index& subscript : ref->subscripts) out.subscripts.push_back(index(subscript));
    steptp::Access as_listed;
    as_listed.statement = statement_;
    as_listed.ref = ref;
    for (const Index& hidden : hidden_subscripts(table_, as_listed)) out.hidden.push_back(index(hidden));
    out.writers = writers_seen_from(statement_, out.tensor);
    for (const auto* list : {&out.subscripts, &out.hidden}) {
      for (const IndexCode& subscript : *list) out.is_linear = out.is_linear && subscript.is_linear;
    }
    if (code_.tensors[out.tensor].known) flatten(out);
    find_origin(code_, table_, statement_, out);
    work_ += 1;
    std::uint32_t most = 0;
    for (const Writer& writer : out.writers) {
      // What is written here or later may lead back here: it has to be remembered.
      const std::uint32_t cost = writer.statement >= work_of_.size()           ? kCheapNodes + 1
                                 : code_.statements[writer.statement].is_cheap ? work_of_[writer.statement]
                                                                               : 1;
      most = std::max(most, cost);
    }
    work_ += most;
    return out;
  }

  /// One position instead of subscripts, where every one of them is in range over the whole box.
  void flatten(Access& out) const {
    const std::vector<std::int64_t>& shape = code_.tensors[out.tensor].shape;
    const auto& loops = table_.statements[statement_].loops;
    if (!element_count(shape)) return;
    std::int64_t stride = 1;
    for (std::size_t d = shape.size(); d-- > 0;) {
      const IndexCode& subscript = out.subscripts[d];
      if (!subscript.is_linear) return;
      Wide low = subscript.constant;
      Wide high = subscript.constant;
      for (const LinearPart& part : subscript.linear) {
        const Wide reach = static_cast<Wide>(part.coefficient) * (loops[part.slot]->extent - 1);
        (reach < 0 ? low : high) += reach;
        out.flat.push_back({part.coefficient * stride, part.slot});
      }
      if (low < 0 || high >= shape[d]) return;
      out.flat_constant += subscript.constant * stride;
      stride *= shape[d];
    }
    out.is_flat = true;
  }

  std::uint32_t add(Node node) {
    if (code_.nodes.size() >= kMaxNodes) fail(FailureKind::unsupported, "the program has too many operations");
    work_ += 1;
    note_features(node);
    code_.nodes.push_back(node);
    return static_cast<std::uint32_t>(code_.nodes.size() - 1);
  }

  void note_features(const Node& node) {
    if (node.op == Op::compare_reals || node.op == Op::integer_of_real || node.op == Op::integer_read) {
      code_.has_order = true;
    }
    if (node.op == Op::real_arithmetic) {
      switch (node.arithmetic) {
        case ArithmeticOp::add:
        case ArithmeticOp::subtract:
        case ArithmeticOp::multiply:
        case ArithmeticOp::power: break;
        case ArithmeticOp::divide: code_.has_divisions = true; break;
        case ArithmeticOp::floor_divide:
        case ArithmeticOp::modulo:
        case ArithmeticOp::max:
        case ArithmeticOp::min: code_.has_order = true; break;
      }
    }
    if (node.op != Op::real_function) return;
    const Function function = node.function;
    if (function == Function::abs || function == Function::floor || function == Function::ceil ||
        function == Function::round) {
      code_.has_order = true;
    }
  }

  std::uint32_t branch(const ExprPtr& condition, bool is_selection) {
    Branch made;
    made.condition = condition;
    made.on_indices = condition && is_index_condition(*condition);
    made.statement = statement_;
    made.is_selection = is_selection;
    made.in_guard = in_guard_;
    made.path = path_;
    for (const PathCondition& item : path_) add_bounds(*item.condition, item.holds, made.where_false);
    made.where_true = made.where_false;
    if (condition) add_bounds(*condition, false, made.where_false);
    if (condition) add_bounds(*condition, true, made.where_true);
    code_.branches.push_back(std::move(made));
    return static_cast<std::uint32_t>(code_.branches.size() - 1);
  }

  std::uint32_t fold(Fold what) {
    const std::uint32_t number = branch(nullptr, false);
    code_.branches[number].fold = what;
    code_.branches[number].on_reals = true;
    return number;
  }

  [[nodiscard]] bool compares_reals(std::uint32_t number) const {
    const Node& node = code_.nodes[number];
    if (node.op == Op::compare_reals || node.op == Op::integer_of_real) return true;
    return node.op == Op::logic && (compares_reals(node.first) || compares_reals(node.second));
  }

  /// Float conversions are the identity; those to integer and bool never are.
  std::uint32_t converted(TypedNode value, DType dtype) {
    const bool from_float = is_float(value.type.dtype);
    if (from_float && is_float(dtype)) return value.node;
    if (!from_float && value.type.dtype == dtype) return value.node;
    Node node;
    node.dtype = dtype;
    node.first = value.node;
    node.op = is_float(dtype) ? Op::real_of_integer : from_float ? Op::integer_of_real : Op::integer_wrap;
    if (node.op == Op::integer_of_real) {
      node.branch = fold({dtype == DType::boolean ? Fold::Kind::to_bool : Fold::Kind::rounding});
    }
    return add(node);
  }

  static ValueType checked(std::optional<ValueType> type) {
    if (!type) fail(FailureKind::unsupported, "inf in an integer expression");
    return *type;
  }

  TypedNode binary(ArithmeticOp op, TypedNode left, TypedNode right) {
    const ValueType type = checked(binary_type(op, left.type, right.type));
    Node node;
    node.dtype = type.dtype;
    node.arithmetic = op;
    node.first = converted(left, type.dtype);
    node.second = converted(right, type.dtype);
    node.op = is_float(type.dtype) ? Op::real_arithmetic : Op::integer_arithmetic;
    if (is_float(type.dtype) && (op == ArithmeticOp::floor_divide || op == ArithmeticOp::modulo)) {
      node.branch = fold({Fold::Kind::rounding});
    }
    return {add(node), type};
  }

  struct Maker;
  TypedNode expression(const ExprPtr& source);

  AccessTable table_;
  Code code_;
  std::uint32_t statement_ = 0;
  const Ref* accumulator_ = nullptr;  ///< of the statement at hand, where it accumulates
  bool in_guard_ = false;
  std::vector<PathCondition> path_;
  std::uint32_t work_ = 0;
  std::vector<std::uint32_t> work_of_;
};

struct Compiler::Maker {
  Compiler& compiler;
  const ExprPtr& source;

  TypedNode made(Node node, ValueType type) const {
    node.dtype = type.dtype;
    return {compiler.add(node), type};
  }
  /// A whole subscript-like expression at once: cheaper to evaluate, and the same integer.
  std::optional<TypedNode> as_index() const {
    const auto exact = to_index(*source);
    if (!exact) return std::nullopt;
    Node node;
    node.op = Op::integer_index;
    node.payload = static_cast<std::uint32_t>(compiler.code_.indices.size());
    compiler.code_.indices.push_back(compiler.index(*exact));
    return made(node, kWeakInteger);
  }
  TypedNode chain(const std::vector<ExprPtr>& operands, const std::vector<ArithmeticOp>& operators) const {
    if (const auto exact = as_index()) return *exact;
    TypedNode value = compiler.expression(operands[0]);
    for (std::size_t i = 0; i < operators.size(); ++i) {
      value = compiler.binary(operators[i], value, compiler.expression(operands[i + 1]));
    }
    return value;
  }

  TypedNode operator()(const Literal& literal) const {
    Node node;
    if (literal.is_integer) {
      node.op = Op::integer_literal;
      node.integer = literal.integer;
      return made(node, kWeakInteger);
    }
    node.payload = static_cast<std::uint32_t>(compiler.code_.literals.size());
    compiler.code_.literals.push_back(decimal_of(literal.real));
    return made(node, kWeakDecimal);
  }
  TypedNode operator()(const Infinity&) const {
    Node node;
    node.op = Op::real_infinity;
    return made(node, kWeakInf);
  }
  TypedNode operator()(const IndexValue& value) const {
    Node node;
    node.op = Op::integer_slot;
    node.payload = compiler.slot_of(value.index);
    return made(node, kWeakInteger);
  }
  TypedNode operator()(const Read& read) const {
    const bool real = is_float(read.ref->dtype);
    Node node;
    // The form of an accumulation makes this the one place where the left side's tensor occurs.
    if (compiler.accumulator_ && read.ref->tensor == compiler.accumulator_->tensor) {
      node.op = real ? Op::real_accumulator : Op::integer_accumulator;
      return made(node, typed(read.ref->dtype));
    }
    node.op = real ? Op::real_read : Op::integer_read;
    Access access = compiler.access(read.ref);
    node.payload = static_cast<std::uint32_t>(compiler.code_.accesses.size());
    compiler.code_.accesses.push_back(std::move(access));
    return made(node, typed(read.ref->dtype));
  }
  TypedNode operator()(const Sum& sum) const { return chain(sum.operands, sum.operators); }
  TypedNode operator()(const Product& product) const { return chain(product.operands, product.operators); }
  TypedNode operator()(const Power& power) const {
    const auto* literal = std::get_if<Literal>(&power.exponent->node);
    const bool natural = literal && literal->is_integer && literal->integer >= 0;
    const TypedNode base = compiler.expression(power.base);
    const TypedNode exponent = compiler.expression(power.exponent);
    const ValueType type = checked(binary_type(ArithmeticOp::power, base.type, exponent.type, natural));
    Node node;
    node.first = compiler.converted(base, type.dtype);
    if (is_integer_power(base.type, natural)) {
      node.op = Op::integer_power;
      node.integer = literal->integer;
      return made(node, type);
    }
    node.op = Op::real_arithmetic;
    node.arithmetic = ArithmeticOp::power;
    node.second = compiler.converted(exponent, type.dtype);
    if (!natural) compiler.code_.has_functions = compiler.code_.has_roots = true;
    return made(node, type);
  }
  TypedNode operator()(const Extremum& extremum) const {
    const TypedNode made_node =
        compiler.binary(extremum.is_max ? ArithmeticOp::max : ArithmeticOp::min, compiler.expression(extremum.left),
                        compiler.expression(extremum.right));
    const auto first = literal_number(*extremum.left);
    const auto number = first ? first : literal_number(*extremum.right);
    if (number && is_float(made_node.type.dtype)) {
      const ArithmeticOp op = extremum.is_max ? ArithmeticOp::max : ArithmeticOp::min;
      compiler.code_.nodes[made_node.node].branch = compiler.fold({Fold::Kind::clamp, op, *number, first.has_value()});
    }
    return made_node;
  }
  TypedNode operator()(const Call& call) const {
    if (const auto exact = as_index()) return *exact;
    const TypedNode argument = compiler.expression(call.argument);
    const ValueType type = unary_type(call.function, argument.type);
    Node node;
    node.function = call.function;
    node.first = compiler.converted(argument, type.dtype);
    node.op = is_float(type.dtype) ? Op::real_function : Op::integer_function;
    const bool is_real = node.op == Op::real_function;
    switch (call.function) {
      case Function::negate: break;
      case Function::abs:
        if (is_real) node.branch = compiler.fold({Fold::Kind::absolute});
        break;
      case Function::floor:
      case Function::ceil:
      case Function::round:
        if (is_real) node.branch = compiler.fold({Fold::Kind::rounding});
        break;
      case Function::log:
      case Function::sqrt:
      case Function::rsqrt: compiler.code_.has_roots = true; [[fallthrough]];
      case Function::exp:
      case Function::erf:
      case Function::tanh:
      case Function::sin:
      case Function::cos:
        compiler.code_.has_functions = true;
        compiler.work_ += kCheapNodes;
        break;
    }
    return made(node, type);
  }
  TypedNode operator()(const Select& select) const {
    const TypedNode condition = compiler.expression(select.condition);
    compiler.path_.push_back({select.condition, true});
    const TypedNode if_true = compiler.expression(select.if_true);
    compiler.path_.back().holds = false;
    const TypedNode if_false = compiler.expression(select.if_false);
    compiler.path_.pop_back();
    const ValueType type = checked(join_type(if_true.type, if_false.type));
    Node node;
    node.op = is_float(type.dtype) ? Op::real_select : Op::integer_select;
    node.first = compiler.converted(condition, DType::boolean);
    node.second = compiler.converted(if_true, type.dtype);
    node.third = compiler.converted(if_false, type.dtype);
    node.dtype = type.dtype;
    node.branch = compiler.branch(select.condition, true);
    compiler.code_.branches[node.branch].on_reals = compiler.compares_reals(node.first);
    return made(node, type);
  }
  TypedNode operator()(const Compare& compare) const {
    std::vector<TypedNode> operands;
    for (const ExprPtr& operand : compare.operands) operands.push_back(compiler.expression(operand));
    std::uint32_t all = kNone;
    for (std::size_t i = 0; i < compare.operators.size(); ++i) {
      const DType dtype = checked(join_type(operands[i].type, operands[i + 1].type)).dtype;
      Node node;
      node.op = is_float(dtype) ? Op::compare_reals : Op::compare_integers;
      node.comparison = compare.operators[i];
      node.first = compiler.converted(operands[i], dtype);
      node.second = compiler.converted(operands[i + 1], dtype);
      node.branch = compiler.branch(
          make_expr(Compare{{compare.operands[i], compare.operands[i + 1]}, {compare.operators[i]}}), false);
      compiler.code_.branches[node.branch].on_reals = node.op == Op::compare_reals;
      const std::uint32_t one = made(node, typed(DType::boolean)).node;
      all = all == kNone ? one : both(LogicOp::conjunction, all, one);
    }
    return {all, typed(DType::boolean)};
  }
  TypedNode operator()(const Logic& logic) const {
    std::uint32_t all = kNone;
    for (const ExprPtr& operand : logic.operands) {
      const std::uint32_t one = compiler.converted(compiler.expression(operand), DType::boolean);
      all = all == kNone ? one : both(logic.op, all, one);
    }
    return {all, typed(DType::boolean)};
  }
  std::uint32_t both(LogicOp op, std::uint32_t left, std::uint32_t right) const {
    Node node;
    node.op = Op::logic;
    node.logic = op;
    node.first = left;
    node.second = right;
    return made(node, typed(DType::boolean)).node;
  }
};

TypedNode Compiler::expression(const ExprPtr& source) { return std::visit(Maker{*this, source}, source->node); }

}  // namespace

Code compile(const Program& program) { return Compiler(program).run(); }

}  // namespace steptp::certify
