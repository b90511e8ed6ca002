// An expression becomes nodes in the order of evaluation. Everything that can go two ways becomes a branch with the
// conditions above it, so that the judge can ask which outcomes were seen: comparisons, selections, and operations that
// are one formula here and another there. docs/decisions/0010-certified-evaluation.md.
#include "steptp/machine/compile_expression.h"

#include <optional>
#include <variant>

#include "steptp/analysis/interval.h"
#include "steptp/arithmetic/failure.h"

namespace steptp::certify {

namespace {

/// More nodes than this in one program are refused: an evaluation goes down the tree recursively.
constexpr std::size_t kMaxNodes = 1'000'000;

/// A number as written, with its sign.
std::optional<double> literal_number(const Expr& expr) {
  if (const auto* literal = std::get_if<Literal>(&expr.node)) return literal->real;
  const auto* call = std::get_if<Call>(&expr.node);
  if (!call || call->function != Function::negate) return std::nullopt;
  const auto inner = literal_number(*call->argument);
  return inner ? std::optional(-*inner) : std::nullopt;
}

ValueType checked(std::optional<ValueType> type) {
  if (!type) fail(FailureKind::unsupported, "inf in an integer expression");
  return *type;
}

}  // namespace

std::uint32_t ExpressionCompiler::add(Node node) {
  if (code_.nodes.size() >= kMaxNodes) fail(FailureKind::unsupported, "the program has too many operations");
  accesses_.add_work(1);
  note_features(node);
  code_.nodes.push_back(node);
  return static_cast<std::uint32_t>(code_.nodes.size() - 1);
}

void ExpressionCompiler::note_features(const Node& node) {
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

std::uint32_t ExpressionCompiler::branch(const ExprPtr& condition, bool is_selection) {
  Branch made;
  made.condition = condition;
  made.on_indices = condition && is_index_condition(*condition);
  made.statement = accesses_.statement();
  made.is_selection = is_selection;
  made.in_guard = in_guard_;
  made.path = path_;
  for (const PathCondition& item : path_) accesses_.add_bounds(*item.condition, item.holds, made.where_false);
  made.where_true = made.where_false;
  if (condition) accesses_.add_bounds(*condition, false, made.where_false);
  if (condition) accesses_.add_bounds(*condition, true, made.where_true);
  code_.branches.push_back(std::move(made));
  return static_cast<std::uint32_t>(code_.branches.size() - 1);
}

std::uint32_t ExpressionCompiler::fold(Fold what) {
  const std::uint32_t number = branch(nullptr, false);
  code_.branches[number].fold = what;
  code_.branches[number].on_reals = true;
  return number;
}

bool ExpressionCompiler::compares_reals(std::uint32_t number) const {
  const Node& node = code_.nodes[number];
  if (node.op == Op::compare_reals || node.op == Op::integer_of_real) return true;
  return node.op == Op::logic && (compares_reals(node.first) || compares_reals(node.second));
}

std::uint32_t ExpressionCompiler::converted(TypedNode value, DType dtype) {
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

auto ExpressionCompiler::binary(ArithmeticOp op, TypedNode left, TypedNode right) -> TypedNode {
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

/// One node of the tree, by what it is.
struct ExpressionCompiler::Maker {
  ExpressionCompiler& compiler;
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
    compiler.code_.indices.push_back(compiler.accesses_.index(*exact));
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
    node.payload = compiler.accesses_.slot_of(value.index);
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
    Access access = compiler.accesses_.access(read.ref);
    node.payload = static_cast<std::uint32_t>(compiler.code_.accesses.size());
    compiler.code_.accesses.push_back(std::move(access));
    return made(node, typed(read.ref->dtype));
  }
  TypedNode operator()(const Sum& sum) const { return chain(sum.operands, sum.operators); }
  TypedNode operator()(const Product& product) const {
    if (!compiler.wide_ || compiler.wide_->product != &product) return chain(product.operands, product.operators);
    // The factors are floats of one type, which is widened without rounding.
    TypedNode first = compiler.expression(product.operands[0]);
    first.type = typed(compiler.wide_->dtype);
    return compiler.binary(product.operators[0], first, compiler.expression(product.operands[1]));
  }
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
        compiler.accesses_.add_work(kCheapNodes);
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

auto ExpressionCompiler::expression(const ExprPtr& source) -> TypedNode {
  return std::visit(Maker{*this, source}, source->node);
}

std::uint32_t ExpressionCompiler::guard(const ExprPtr& source) {
  in_guard_ = true;
  const std::uint32_t node = converted(expression(source), DType::boolean);
  in_guard_ = false;
  path_.push_back({source, true});
  return node;
}

std::uint32_t ExpressionCompiler::right_side(const ExprPtr& source, DType dtype, const Ref* accumulator) {
  accumulator_ = accumulator;
  if (accumulator) wide_ = wide_product(*accumulator, source);
  const std::uint32_t node = converted(expression(source), dtype);
  accumulator_ = nullptr;
  wide_.reset();
  path_.clear();
  return node;
}

}  // namespace steptp::certify
