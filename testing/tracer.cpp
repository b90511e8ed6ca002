#include "testing/tracer.h"

#include <cmath>
#include <map>
#include <set>
#include <stdexcept>
#include <vector>

#include "steptp/base/random.h"
#include "steptp/base/text.h"

namespace steptp::testing {

namespace {

struct Violation : std::runtime_error {
  using std::runtime_error::runtime_error;
};
[[noreturn]] void fail(std::string message) { throw Violation(std::move(message)); }

/// What is known of a type: enough to find an integer division by zero or an `inf` among integers.
struct Type {
  bool real = false;
  bool weak = true;
  bool infinite = false;  ///< weak, with an `inf` somewhere in it
};

Type joined(const Type& left, const Type& right) {
  if ((left.infinite && !right.weak && !right.real) || (right.infinite && !left.weak && !left.real)) {
    fail("inf among integers");
  }
  const bool weak = left.weak && right.weak;
  return {left.real || right.real, weak, weak && (left.infinite || right.infinite)};
}

class Typer {
 public:
  Type type(const Expr& expr) {
    if (const auto known = known_.find(&expr); known != known_.end()) return known->second;
    const Type found = std::visit([this](const auto& node) { return this->node(node); }, expr.node);
    known_.emplace(&expr, found);
    return found;
  }

 private:
  Type node(const Literal& literal) { return {!literal.is_integer, true, false}; }
  Type node(const Infinity&) { return {true, true, true}; }
  Type node(const IndexValue&) { return {}; }
  Type node(const Read& read) { return {is_float(read.ref->dtype), false, false}; }
  Type node(const Sum& sum) { return all(sum.operands); }
  Type node(const Product& product) {
    Type result = type(*product.operands[0]);
    for (std::size_t i = 0; i < product.operators.size(); ++i) {
      result = joined(result, type(*product.operands[i + 1]));
      if (product.operators[i] == ArithmeticOp::divide) result.real = true;
    }
    return result;
  }
  Type node(const Power& power) { return joined(type(*power.base), type(*power.exponent)); }
  Type node(const Extremum& node) { return joined(type(*node.left), type(*node.right)); }
  Type node(const Call& call) {
    Type result = type(*call.argument);
    result.real = result.real || (call.function != Function::negate && call.function != Function::abs);
    return result;
  }
  Type node(const Select& select) {
    (void)type(*select.condition);
    return joined(type(*select.if_true), type(*select.if_false));
  }
  Type node(const Compare& compare) {
    (void)all(compare.operands);
    return {false, false, false};
  }
  Type node(const Logic& logic) {
    for (const ExprPtr& operand : logic.operands) (void)type(*operand);
    return {false, false, false};
  }
  Type all(const std::vector<ExprPtr>& operands) {
    Type result = type(*operands[0]);
    for (const ExprPtr& operand : operands) result = joined(result, type(*operand));
    return result;
  }
  std::map<const Expr*, Type> known_;
};

struct Facts {
  DType dtype;
  Scope scope;
  std::size_t rank;
  std::set<Axis> axes;
  int kernel = -1;
};

double converted(double value, DType dtype) {
  if (dtype == DType::boolean) return value != 0 ? 1 : 0;
  if (is_float(dtype)) return value;
  if (std::isnan(value)) return 0;
  const double low = static_cast<double>(info(dtype).least);
  const double high = static_cast<double>(info(dtype).greatest);
  return std::min(std::max(std::trunc(value), low), high);
}

class Tracer {
 public:
  Tracer(const Program& program, std::uint64_t seed) : program_(program), random_(seed) {}

  void run() {
    for (const Variable& variable : program_.signature.variables) {
      if (variable.role != Role::output) fill(variable);
    }
    for (const NestPtr& nest : program_.nests) {
      // Without a bound loop the whole expression is a kernel of one thread.
      if (!binds(*nest)) begin_kernel(*nest);
      this->nest(*nest, binds(*nest));
    }
    for (const Variable& variable : program_.signature.variables) {
      const auto wanted = static_cast<std::size_t>(element_count(variable.shape).value());
      if (memory_[variable.name].size() != wanted) fail(concat("output ", variable.name, " is not complete"));
    }
  }

 private:
  using Key = std::vector<std::int64_t>;

  static bool binds(const Nest& nest) {
    for (const Loop& loop : nest.loops) {
      if (loop.kind == LoopKind::bound) return true;
    }
    for (const Item& item : nest.items) {
      if (const auto* inner = std::get_if<NestPtr>(&item); inner && binds(**inner)) return true;
    }
    return false;
  }

  void begin_kernel(const Nest& nest) {
    kernel_number_ = kernel_numbers_.try_emplace(&nest, static_cast<int>(kernel_numbers_.size())).first->second;
    std::erase_if(memory_, [this](const auto& entry) {
      const auto facts = facts_.find(entry.first);
      return facts != facts_.end() && facts->second.scope != Scope::global;
    });
  }

  void fill(const Variable& variable) {
    std::vector<double> values = variable.values;
    const auto count = static_cast<std::size_t>(element_count(variable.shape).value());
    while (values.size() < count) {
      double value = static_cast<double>(random_.between(-9, 9));
      if (variable.domain.kind == Domain::Kind::range) {
        value = std::floor(variable.domain.low + static_cast<double>(random_.below(1000)) / 1000 *
                                                     (variable.domain.high - variable.domain.low));
      }
      values.push_back(converted(value, variable.dtype));
    }
    Key key(variable.shape.size(), 0);
    for (std::size_t i = 0; i < count; ++i) {
      memory_[variable.name][key] = values[i];
      for (std::size_t d = key.size(); d-- > 0;) {
        if (++key[d] < variable.shape[d]) break;
        key[d] = 0;
      }
    }
  }

  /// `host`: no bound loop is open yet, but there is one further in.
  void nest(const Nest& nest, bool host) { loops(nest, 0, host); }

  void loops(const Nest& nest, std::size_t number, bool host) {
    if (number == nest.loops.size()) return body(nest, host);
    const Loop& loop = nest.loops[number];
    if (loop.extent < 1) fail("an empty loop");
    if (indices_.contains(loop.index)) fail(concat("shadowed index ", loop.index));
    const auto axis = axis_of(loop.index);
    if (axis.has_value() != (loop.kind == LoopKind::bound)) fail(concat("kind of ", loop.index));
    if (axis && axes_.contains(*axis)) fail(concat("axis of ", loop.index, " twice"));
    if (axis && host) {
      begin_kernel(nest);
      host = false;
    }
    for (std::int64_t i = 0; i < loop.extent; ++i) {
      indices_[loop.index] = i;
      if (axis) axes_[*axis] = i;
      loops(nest, number + 1, host);
    }
    indices_.erase(loop.index);
    if (axis) axes_.erase(*axis);
  }

  void body(const Nest& nest, bool host) {
    if (nest.items.empty()) fail("an empty body");
    if (nest.guard && value(*nest.guard) == 0) return;
    for (const Item& item : nest.items) {
      if (const auto* equation = std::get_if<EquationPtr>(&item)) {
        store(**equation);
      } else {
        this->nest(*std::get<NestPtr>(item), host);
      }
    }
  }

  Key place(const Ref& ref) {
    const auto [known, fresh] =
        facts_.try_emplace(ref.tensor, Facts{ref.dtype, ref.scope, ref.subscripts.size(), {}, -1});
    Facts& facts = known->second;
    if (facts.dtype != ref.dtype || facts.scope != ref.scope || facts.rank != ref.subscripts.size()) {
      fail(concat("conflict about ", ref.tensor));
    }
    std::set<Axis> axes;
    Key key;
    for (const auto& [axis, position] : axes_) {
      if (ref.scope == Scope::global || (ref.scope == Scope::shared && is_thread_axis(axis))) continue;
      axes.insert(axis);
      key.push_back(position);
    }
    if (ref.scope != Scope::global) {
      if (fresh) facts.axes = axes;
      if (fresh) facts.kernel = kernel_number_;
      if (facts.axes != axes) fail(concat("scope-axes of ", ref.tensor));
      if (facts.kernel != kernel_number_) fail(concat(ref.tensor, " in two kernels"));
    }
    const Variable* variable = program_.signature.find(ref.tensor);
    if (variable && (ref.scope != Scope::global || ref.dtype != variable->dtype ||
                     ref.subscripts.size() != variable->shape.size())) {
      fail(concat("not as declared: ", ref.tensor));
    }
    for (std::size_t d = 0; d < ref.subscripts.size(); ++d) {
      const std::int64_t position = integer(ref.subscripts[d]);
      if (position < 0 || (variable && position >= variable->shape[d])) {
        fail(concat(ref.tensor, " out of range: ", position, " in dimension ", d));
      }
      key.push_back(position);
    }
    return key;
  }

  void store(const Equation& equation) {
    const Ref& left = *equation.left;
    const Variable* variable = program_.signature.find(left.tensor);
    if (variable && variable->role != Role::output) fail(concat("writes ", left.tensor));
    identity_.reset();
    accumulator_ = nullptr;
    if (const auto op = accumulation_operator(left, equation.right)) {
      accumulator_ = &left;
      identity_ = *op == ArithmeticOp::multiply ? 1
                  : *op == ArithmeticOp::max    ? -INFINITY
                  : *op == ArithmeticOp::min    ? INFINITY
                                                : 0;
    }
    (void)types_.type(*equation.right);
    const double right = value(*equation.right);
    memory_[left.tensor][place(left)] = converted(right, left.dtype);
  }

  double load(const Ref& ref) {
    const Key key = place(ref);
    const auto& cells = memory_[ref.tensor];
    if (const auto found = cells.find(key); found != cells.end()) return found->second;
    if (accumulator_ && identity_ && equal(*accumulator_, ref)) return converted(*identity_, ref.dtype);
    fail(concat("undefined ", ref.tensor, '[', join(key, ",", [](std::int64_t i) { return i; }), ']'));
  }

  std::int64_t integer(const Index& index) {
    struct Visitor {
      Tracer& tracer;
      std::int64_t operator()(const LoopVariable& variable) const { return tracer.position_of(variable.name); }
      std::int64_t operator()(const FloorQuotient& node) const {
        const std::int64_t dividend = tracer.integer(*node.dividend);
        return floor_quotient(dividend, tracer.divisor(*node.divisor));
      }
      std::int64_t operator()(const FloorRemainder& node) const {
        const std::int64_t dividend = tracer.integer(*node.dividend);
        return floor_remainder(dividend, tracer.divisor(*node.divisor));
      }
      std::int64_t operator()(const IndirectRead& read) const {
        if (!is_integer(read.ref->dtype)) fail("a subscript that is not an integer");
        return static_cast<std::int64_t>(tracer.load(*read.ref));
      }
    };
    std::int64_t sum = index.constant_term();
    for (const IndexTerm& term : index.terms()) {
      std::int64_t product = term.coefficient;
      for (const IndexAtom& factor : term.factors) product *= std::visit(Visitor{*this}, factor);
      sum += product;
    }
    return sum;
  }

  std::int64_t divisor(const Index& index) {
    const std::int64_t value = integer(index);
    if (value == 0) fail("a division by zero in a subscript");
    return value;
  }

  std::int64_t position_of(const std::string& name) {
    const auto found = indices_.find(name);
    if (found == indices_.end()) fail(concat("no loop ", name));
    return found->second;
  }

  double applied(ArithmeticOp op, double left, double right, bool real) {
    switch (op) {
      case ArithmeticOp::add: return left + right;
      case ArithmeticOp::subtract: return left - right;
      case ArithmeticOp::multiply: return left * right;
      case ArithmeticOp::divide: return left / right;
      case ArithmeticOp::floor_divide:
      case ArithmeticOp::modulo:
        if (!real && right == 0) fail("an integer division by zero");
        return op == ArithmeticOp::modulo ? left - std::floor(left / right) * right : std::floor(left / right);
      case ArithmeticOp::power: return std::pow(left, right);
      case ArithmeticOp::max: return std::fmax(left, right);
      case ArithmeticOp::min: return std::fmin(left, right);
    }
    return 0;
  }

  double value(const Expr& expr) {
    return std::visit([this](const auto& node) { return this->node(node); }, expr.node);
  }
  double node(const Literal& literal) { return literal.real; }
  double node(const Infinity&) { return INFINITY; }
  double node(const IndexValue& index) { return static_cast<double>(position_of(index.index)); }
  double node(const Read& read) { return load(*read.ref); }
  double node(const Sum& sum) { return chain(sum.operands, sum.operators); }
  double node(const Product& product) { return chain(product.operands, product.operators); }
  double node(const Power& power) { return std::pow(value(*power.base), value(*power.exponent)); }
  double node(const Extremum& node) {
    const double left = value(*node.left);
    return node.is_max ? std::fmax(left, value(*node.right)) : std::fmin(left, value(*node.right));
  }
  double node(const Call& call) {
    const double argument = value(*call.argument);
    if (call.function == Function::negate) return -argument;
    return call.function == Function::abs ? std::fabs(argument) : std::tanh(argument);  // any real number will do
  }
  double node(const Select& select) {
    return value(value(*select.condition) != 0 ? *select.if_true : *select.if_false);
  }
  double node(const Compare& compare) {
    bool holds = true;
    double left = value(*compare.operands[0]);
    for (std::size_t i = 0; i < compare.operators.size(); ++i) {
      const double right = value(*compare.operands[i + 1]);
      holds = holds && compared(compare.operators[i], left, right);
      left = right;
    }
    return holds ? 1 : 0;
  }
  double node(const Logic& logic) {
    bool all = true;
    bool any = false;
    for (const ExprPtr& operand : logic.operands) {
      const bool holds = value(*operand) != 0;
      all = all && holds;
      any = any || holds;
    }
    return (logic.op == LogicOp::conjunction ? all : any) ? 1 : 0;
  }

  double chain(const std::vector<ExprPtr>& operands, const std::vector<ArithmeticOp>& operators) {
    double result = value(*operands[0]);
    bool real = types_.type(*operands[0]).real;
    for (std::size_t i = 0; i < operators.size(); ++i) {
      real = real || operators[i] == ArithmeticOp::divide || types_.type(*operands[i + 1]).real;
      result = applied(operators[i], result, value(*operands[i + 1]), real);
    }
    return result;
  }

  static bool compared(CompareOp op, double left, double right) {
    switch (op) {
      case CompareOp::less: return left < right;
      case CompareOp::less_equal: return left <= right;
      case CompareOp::greater: return left > right;
      case CompareOp::greater_equal: return left >= right;
      case CompareOp::equal: return left == right;
      case CompareOp::not_equal: return left != right;
    }
    return false;
  }

  const Program& program_;
  Random random_;
  Typer types_;
  std::map<std::string, std::map<Key, double>> memory_;
  std::map<std::string, Facts> facts_;
  std::map<std::string, std::int64_t> indices_;
  std::map<Axis, std::int64_t> axes_;
  std::map<const Nest*, int> kernel_numbers_;
  int kernel_number_ = 0;
  const Ref* accumulator_ = nullptr;
  std::optional<double> identity_;
};

}  // namespace

std::string trace(const Program& program, std::uint64_t seed) {
  try {
    Tracer(program, seed).run();
  } catch (const Violation& violation) {
    return violation.what();
  }
  return {};
}

}  // namespace steptp::testing
