// Resolves names in expressions: loops to slots, tensors to numbers, every operation to its type (docs/language.md
// R7). The tree stays the program's tree.
#include "steptp/oracle/resolve_expr.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "steptp/base/text.h"

namespace steptp::oracle {

TensorCode& NameResolver::declare(const std::string& name, DType dtype, Scope scope, std::size_t rank) {
  const auto [at, added] = numbers_.try_emplace(name, static_cast<std::uint32_t>(tensors.size()));
  if (added) {
    TensorCode& tensor = tensors.emplace_back();
    tensor.name = name;
    tensor.dtype = dtype;
    tensor.scope = scope;
    tensor.rank = rank;
    tensor.written.assign(rank, Reach{0, -1});
    tensor.axis_extents.fill(1);
  }
  return tensors[at->second];
}

void NameResolver::open(const Loop& loop) {
  loops_.push_back(&loop);
  most_slots = std::max(most_slots, depth());
}

std::uint32_t NameResolver::slot_of(const std::string& name) const {
  const auto at = std::find_if(loops_.begin(), loops_.end(), [&name](const Loop* loop) { return loop->index == name; });
  return static_cast<std::uint32_t>(at - loops_.begin());
}

void NameResolver::fail(const Site& site, std::string message) {
  if (problem) return;
  problem.emplace();
  problem->site = site;
  problem->message = std::move(message);
}

double NameResolver::take_operations() { return std::exchange(operations_, 0.0); }

AtomCode NameResolver::atom(const IndexAtom& source, const Site& site, MaybeReach& reach) {
  struct Visitor {
    NameResolver& names;
    const Site& site;
    MaybeReach& reach;
    AtomCode out;
    void operator()(const LoopVariable& variable) {
      out.slot = names.slot_of(variable.name);
      reach = Reach{0, names.loops_[out.slot]->extent - 1};
    }
    void operator()(const FloorQuotient& node) {
      out.kind = AtomCode::Kind::quotient;
      both(*node.dividend, *node.divisor);
      reach = quotient(out.dividend->reach, out.divisor->reach);
    }
    void operator()(const FloorRemainder& node) {
      out.kind = AtomCode::Kind::remainder;
      both(*node.dividend, *node.divisor);
      reach = remainder(out.dividend->reach, out.divisor->reach);
    }
    void operator()(const IndirectRead& read) {
      out.kind = AtomCode::Kind::read;
      if (is_float(read.ref->dtype)) {
        names.fail(site, concat(read.ref->tensor, " is ", code(read.ref->dtype), " and cannot be a subscript"));
      }
      names.operations_ += 1;
      out.read = std::make_shared<const Access>(names.access(*read.ref, site));
      reach = reach_of(read.ref->dtype);
    }
    void both(const Index& dividend, const Index& divisor) {
      names.operations_ += 1;
      out.dividend = std::make_shared<const IndexCode>(names.index(dividend, site));
      out.divisor = std::make_shared<const IndexCode>(names.index(divisor, site));
    }
  };
  Visitor visitor{*this, site, reach, {}};
  std::visit(visitor, source);
  return std::move(visitor.out);
}

IndexCode NameResolver::index(const Index& source, const Site& site) {
  IndexCode out;
  out.constant = source.constant_term();
  out.reach = Reach{out.constant, out.constant};
  for (const IndexTerm& term : source.terms()) {
    TermCode& made = out.terms.emplace_back();
    made.coefficient = term.coefficient;
    MaybeReach product = Reach{term.coefficient, term.coefficient};
    for (const IndexAtom& factor : term.factors) {
      MaybeReach reach;
      made.factors.push_back(atom(factor, site, reach));
      product = multiply(product, reach);
      operations_ += 1;
    }
    const bool one_loop = made.factors.size() == 1 && made.factors[0].kind == AtomCode::Kind::slot;
    if (one_loop) out.linear.emplace_back(term.coefficient, made.factors[0].slot);
    out.is_linear = out.is_linear && one_loop;
    if (term.coefficient == 1) operations_ -= 1;
    operations_ += 1;
    out.reach = add(out.reach, product);
  }
  // k terms are joined by k - 1 operators, or by k where a constant is added.
  if (!source.terms().empty() && source.constant_term() == 0) operations_ -= 1;
  return out;
}

Access NameResolver::access(const Ref& source, const Site& site) {
  Access out;
  TensorCode& declared = declare(source.tensor, source.dtype, source.scope, source.subscripts.size());
  out.tensor = numbers_.at(source.tensor);
  if (std::find(declared.kernels.begin(), declared.kernels.end(), kernel) == declared.kernels.end()) {
    declared.kernels.push_back(kernel);
  }
  out.site = site;
  out.axes.fill(kNoSlot);
  std::uint32_t axes = 0;
  for (std::uint32_t slot = 0; slot < loops_.size(); ++slot) {
    if (loops_[slot]->kind != LoopKind::bound) continue;
    if (const auto axis = axis_of(loops_[slot]->index)) {
      out.axes[static_cast<std::size_t>(*axis)] = slot;
      axes |= 1u << static_cast<std::uint32_t>(*axis);
    }
  }
  records.push_back({out.tensor, axes, site});
  for (std::uint32_t i = 0; i < source.subscripts.size(); ++i) {
    Site inner = site;
    if (!inner.number) inner.number = i;
    out.subscripts.push_back(index(source.subscripts[i], inner));
  }
  return out;
}

void NameResolver::count_write(const Access& target, double points) {
  TensorCode& tensor = tensors[target.tensor];
  tensor.writes += points;
  for (std::size_t i = 0; i < target.subscripts.size(); ++i) {
    const MaybeReach& reach = target.subscripts[i].reach;
    if (!reach || !tensor.written[i]) {
      tensor.written[i] = std::nullopt;
    } else {
      tensor.written[i]->high = std::max(tensor.written[i]->high, reach->high);
    }
  }
  for (std::size_t axis = 0; axis < kAxes; ++axis) {
    if (target.axes[axis] == kNoSlot) continue;
    tensor.axis_extents[axis] = std::max(tensor.axis_extents[axis], loops_[target.axes[axis]]->extent);
  }
}

struct NameResolver::ExprMaker {
  NameResolver& names;
  const std::vector<std::uint32_t>& path;
  ExprCode out;

  ExprCode child(const ExprPtr& source, std::uint32_t number) {
    std::vector<std::uint32_t> inner = path;
    inner.push_back(number);
    return names.expression(source, inner);
  }
  void children(const std::vector<ExprPtr>& sources) {
    for (std::uint32_t i = 0; i < sources.size(); ++i) out.operands.push_back(child(sources[i], i));
  }
  /// The structural checks have refused what has no type.
  ValueType checked(std::optional<ValueType> type) {
    if (!type) names.fail(out.site, "inf in an integer expression");
    return type.value_or(typed(DType::f64));
  }
  void step(ArithmeticOp op, ValueType right) {
    out.type = checked(binary_type(op, out.type, right));
    out.operators.push_back(op);
    out.dtypes.push_back(out.type.dtype);
    names.operations_ += 1;
  }
  /// `wide`: the type in which the first operand takes part, where it is not its own.
  void chain(const std::vector<ExprPtr>& sources, const std::vector<ArithmeticOp>& operators,
             std::optional<DType> wide = std::nullopt) {
    out.kind = ExprCode::Kind::chain;
    children(sources);
    out.type = wide ? typed(*wide) : out.operands[0].type;
    for (std::size_t i = 0; i < operators.size(); ++i) step(operators[i], out.operands[i + 1].type);
  }

  void operator()(const Literal& literal) {
    out.type = literal.is_integer ? kWeakInteger : kWeakDecimal;
    out.value =
        literal.is_integer ? Scalar::integer(DType::i64, literal.integer) : Scalar::real(DType::f64, literal.real);
  }
  void operator()(const Infinity&) {
    out.type = kWeakInf;
    out.value = Scalar::real(DType::f64, std::numeric_limits<double>::infinity());
  }
  void operator()(const IndexValue& value) {
    out.kind = ExprCode::Kind::index;
    out.type = kWeakInteger;
    out.slot = names.slot_of(value.index);
  }
  void operator()(const Read& read) {
    out.kind = ExprCode::Kind::read;
    out.type = typed(read.ref->dtype);
    Access made = names.access(*read.ref, out.site);
    // The form of an accumulation makes this the one place where the left side's tensor occurs.
    if (names.accumulation && read.ref->tensor == names.left->tensor) {
      made.initial = identity(*names.accumulation, read.ref->dtype);
    }
    out.read = std::make_shared<const Access>(std::move(made));
  }
  void operator()(const Sum& sum) { chain(sum.operands, sum.operators); }
  void operator()(const Product& product) {
    const bool is_wide = names.wide && names.wide->product == &product;
    chain(product.operands, product.operators, is_wide ? std::optional(names.wide->dtype) : std::nullopt);
  }
  void operator()(const Power& power) {
    children({power.base, power.exponent});
    const auto* literal = std::get_if<Literal>(&power.exponent->node);
    const bool natural = literal && literal->is_integer && literal->integer >= 0;
    const ValueType base = out.operands[0].type;
    out.type = checked(binary_type(ArithmeticOp::power, base, out.operands[1].type, natural));
    names.operations_ += 1;
    if (is_integer_power(base, natural)) {
      out.kind = ExprCode::Kind::integer_power;
      out.exponent = static_cast<std::uint64_t>(literal->integer);
      out.operands.pop_back();
    } else {
      out.kind = ExprCode::Kind::chain;
      out.operators.push_back(ArithmeticOp::power);
      out.dtypes.push_back(out.type.dtype);
    }
  }
  void operator()(const Extremum& extremum) {
    chain({extremum.left, extremum.right}, {extremum.is_max ? ArithmeticOp::max : ArithmeticOp::min});
  }
  void operator()(const Call& call) {
    out.kind = ExprCode::Kind::function;
    out.function = call.function;
    children({call.argument});
    out.type = unary_type(call.function, out.operands[0].type);
    names.operations_ += 1;
  }
  void operator()(const Select& select) {
    out.kind = ExprCode::Kind::select;
    children({select.condition, select.if_true, select.if_false});
    out.type = checked(join_type(out.operands[1].type, out.operands[2].type));
    names.operations_ += 1;
  }
  void operator()(const Compare& compare) {
    out.kind = ExprCode::Kind::compare;
    children(compare.operands);
    for (std::size_t i = 0; i < compare.operators.size(); ++i) {
      out.dtypes.push_back(checked(join_type(out.operands[i].type, out.operands[i + 1].type)).dtype);
      names.operations_ += 1;
    }
    out.comparisons = compare.operators;
    out.type = typed(DType::boolean);
  }
  void operator()(const Logic& logic) {
    out.kind = ExprCode::Kind::logic;
    out.logic = logic.op;
    children(logic.operands);
    out.type = typed(DType::boolean);
    names.operations_ += static_cast<double>(logic.operands.size() - 1);
  }
};

ExprCode NameResolver::expression(const ExprPtr& source, const std::vector<std::uint32_t>& path) {
  ExprMaker maker{*this, path, {}};
  maker.out.site = Site{items, Site::Part::right, path, {}};
  std::visit(maker, source->node);
  return std::move(maker.out);
}

GuardCode NameResolver::guard(const Expr& source, const std::vector<std::uint32_t>& path) {
  GuardCode out;
  out.site = Site{items, Site::Part::guard, path, {}};
  const auto value = [this, &out](const Expr& expr) {
    const auto converted = to_index(expr);
    if (!converted) fail(out.site, "a guard computes with loop indices and integers only");
    out.values.push_back(index(converted.value_or(Index()), out.site));
  };
  if (const auto* compare = std::get_if<Compare>(&source.node)) {
    out.kind = GuardCode::Kind::compare;
    out.comparisons = compare->operators;
    for (const ExprPtr& operand : compare->operands) value(*operand);
  } else if (const auto* logic = std::get_if<Logic>(&source.node)) {
    out.kind = GuardCode::Kind::logic;
    out.logic = logic->op;
    for (std::uint32_t i = 0; i < logic->operands.size(); ++i) {
      std::vector<std::uint32_t> inner = path;
      inner.push_back(i);
      out.operands.push_back(guard(*logic->operands[i], inner));
    }
  } else {
    value(source);
  }
  operations_ += 1;
  return out;
}

}  // namespace steptp::oracle
