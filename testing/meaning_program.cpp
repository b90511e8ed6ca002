#include "testing/meaning_program.h"

#include <algorithm>
#include <set>

namespace steptp::testing {

namespace {

bool has_bound_loop(const Nest& nest) {
  return std::any_of(nest.loops.begin(), nest.loops.end(),
                     [](const Loop& loop) { return loop.kind == LoopKind::bound; }) ||
         std::any_of(nest.items.begin(), nest.items.end(), [](const Item& item) {
           const auto* inner = std::get_if<NestPtr>(&item);
           return inner && has_bound_loop(**inner);
         });
}

}  // namespace

std::optional<std::uint64_t> natural_literal(const Expr& expr) {
  const auto* literal = std::get_if<Literal>(&expr.node);
  if (!literal || !literal->is_integer || literal->integer < 0) return std::nullopt;
  return static_cast<std::uint64_t>(literal->integer);
}

MeaningProgram::MeaningProgram(const Program& program) : program_(program) {
  for (const Variable& variable : program_.signature.variables) {
    tensors_[variable.name] = {variable.dtype, Scope::global, &variable, {}};
  }
  MeaningStatement outermost;
  outermost.axes.fill(kNoEntry);
  for (std::size_t i = 0; i < program_.nests.size(); ++i) {
    add_nest(*program_.nests[i], static_cast<std::int64_t>(i), outermost, std::nullopt);
  }
  std::map<std::string, std::set<std::size_t>> kernels;
  for (const MeaningStatement& statement : statements_) {
    const auto touch = [&](const RefPtr& ref) { kernels[ref->tensor].insert(statement.kernel); };
    for_each_ref(statement.equation->left, touch);
    for_each_ref(*statement.equation->right, touch);
  }
  for (auto& [name, tensor] : tensors_) {
    if (kernels[name].size() > 1) tensor.scope = Scope::global;
  }
}

const MeaningTensor* MeaningProgram::tensor(const std::string& name) const {
  const auto at = tensors_.find(name);
  return at == tensors_.end() ? nullptr : &at->second;
}

/// A kernel is what lies under an outermost B; what has no B in it, at the top or under host loops, is one of its own.
void MeaningProgram::add_nest(const Nest& nest, std::int64_t number, MeaningStatement around,
                              std::optional<std::size_t> kernel) {
  around.entries.push_back({nullptr, number});
  const bool own_kernel = !kernel && !has_bound_loop(nest);
  if (own_kernel) {
    kernel = kernels_++;
    around.launch = around.entries.size();
  }
  for (const Loop& loop : nest.loops) {
    if (!kernel && loop.kind == LoopKind::bound) {
      kernel = kernels_++;
      around.launch = around.entries.size();
    }
    around.loops[loop.index] = around.entries.size();
    if (const auto axis = axis_of(loop.index)) around.axes[static_cast<std::size_t>(*axis)] = around.entries.size();
    around.entries.push_back({&loop, 0});
  }
  if (nest.guard) around.guards.push_back({around.entries.size(), nest.guard});
  if (kernel) around.kernel = *kernel;
  for (std::size_t i = 0; i < nest.items.size(); ++i) {
    const auto item = static_cast<std::int64_t>(i);
    if (const auto* inner = std::get_if<NestPtr>(&nest.items[i])) {
      add_nest(**inner, item, around, kernel);
      continue;
    }
    MeaningStatement statement = around;
    statement.entries.push_back({nullptr, item});
    if (!kernel) {
      statement.kernel = kernels_++;
      statement.launch = statement.entries.size();
    }
    add_equation(std::get<EquationPtr>(nest.items[i]), std::move(statement));
  }
}

void MeaningProgram::add_equation(const EquationPtr& equation, MeaningStatement statement) {
  statement.number = statements_.size();
  statement.equation = equation;
  statement.accumulates = accumulation_operator(*equation->left, equation->right);
  const auto declare = [&](const RefPtr& ref) {
    tensors_.try_emplace(ref->tensor, MeaningTensor{ref->dtype, ref->scope, nullptr, {}});
  };
  for_each_ref(equation->left, declare);
  for_each_ref(*equation->right, declare);
  tensors_[equation->left->tensor].writers.push_back(statement.number);
  statements_.push_back(std::move(statement));
}

std::optional<ValueType> MeaningProgram::type_of(const Expr& expr) const {
  const auto at = types_.find(&expr);
  if (at != types_.end()) return at->second;
  const auto type = find_type(expr);
  types_[&expr] = type;
  return type;
}

std::optional<ValueType> MeaningProgram::find_type(const Expr& expr) const {
  const auto chain = [&](const std::vector<ExprPtr>& operands, const std::vector<ArithmeticOp>& operators) {
    std::optional<ValueType> type = type_of(*operands[0]);
    for (std::size_t i = 0; i < operators.size() && type; ++i) {
      const auto right = type_of(*operands[i + 1]);
      type = right ? binary_type(operators[i], *type, *right) : std::nullopt;
    }
    return type;
  };
  const auto joined = [&](const ExprPtr& left, const ExprPtr& right) -> std::optional<ValueType> {
    const auto a = type_of(*left);
    const auto b = type_of(*right);
    return a && b ? join_type(*a, *b) : std::nullopt;
  };
  if (const auto* literal = std::get_if<Literal>(&expr.node)) {
    return literal->is_integer ? kWeakInteger : kWeakDecimal;
  }
  if (std::holds_alternative<Infinity>(expr.node)) return kWeakInf;
  if (std::holds_alternative<IndexValue>(expr.node)) return kWeakInteger;
  if (const auto* read = std::get_if<Read>(&expr.node)) return typed(read->ref->dtype);
  if (const auto* sum = std::get_if<Sum>(&expr.node)) return chain(sum->operands, sum->operators);
  if (const auto* product = std::get_if<Product>(&expr.node)) return chain(product->operands, product->operators);
  if (const auto* power = std::get_if<Power>(&expr.node)) {
    const auto base = type_of(*power->base);
    const auto exponent = type_of(*power->exponent);
    if (!base || !exponent) return std::nullopt;
    return binary_type(ArithmeticOp::power, *base, *exponent, natural_literal(*power->exponent).has_value());
  }
  if (const auto* extremum = std::get_if<Extremum>(&expr.node)) return joined(extremum->left, extremum->right);
  if (const auto* call = std::get_if<Call>(&expr.node)) {
    const auto argument = type_of(*call->argument);
    return argument ? std::optional(unary_type(call->function, *argument)) : std::nullopt;
  }
  if (const auto* choice = std::get_if<Select>(&expr.node)) return joined(choice->if_true, choice->if_false);
  return typed(DType::boolean);
}

}  // namespace steptp::testing
