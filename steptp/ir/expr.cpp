#include "steptp/ir/expr.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "steptp/base/recycled.h"

namespace steptp {

namespace {

template <typename Op>
Hash hash_chain(Hash seed, const std::vector<ExprPtr>& operands, const std::vector<Op>& operators) {
  Hash hash = combine(seed, operands.size());
  for (const ExprPtr& operand : operands) hash = combine(hash, operand->hash);
  for (const Op op : operators) hash = combine(hash, static_cast<Hash>(op));
  return hash;
}

struct NodeHasher {
  Hash operator()(const Literal& literal) const {
    return literal.is_integer ? combine(1, static_cast<Hash>(literal.integer))
                              : combine(2, std::bit_cast<Hash>(literal.real));
  }
  Hash operator()(const Infinity&) const { return mix(3); }
  Hash operator()(const IndexValue& value) const { return combine(4, hash_text(value.index)); }
  Hash operator()(const Read& read) const { return combine(5, hash_of(*read.ref)); }
  Hash operator()(const Sum& sum) const { return hash_chain(6, sum.operands, sum.operators); }
  Hash operator()(const Product& product) const { return hash_chain(7, product.operands, product.operators); }
  Hash operator()(const Power& power) const { return combine(combine(8, power.base->hash), power.exponent->hash); }
  Hash operator()(const Extremum& extremum) const {
    return combine(combine(extremum.is_max ? 9 : 10, extremum.left->hash), extremum.right->hash);
  }
  Hash operator()(const Call& call) const {
    return combine(combine(11, static_cast<Hash>(call.function)), call.argument->hash);
  }
  Hash operator()(const Select& select) const {
    return combine(combine(combine(12, select.condition->hash), select.if_true->hash), select.if_false->hash);
  }
  Hash operator()(const Compare& compare) const { return hash_chain(13, compare.operands, compare.operators); }
  Hash operator()(const Logic& logic) const {
    return hash_chain(14 + static_cast<Hash>(logic.op), logic.operands, std::vector<LogicOp>());
  }
};

bool equal_all(const std::vector<ExprPtr>& left, const std::vector<ExprPtr>& right) {
  if (left.size() != right.size()) return false;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (!equal(*left[i], *right[i])) return false;
  }
  return true;
}

struct NodeEqual {
  const ExprNode& other;
  bool operator()(const Literal& a) const {
    const auto& b = std::get<Literal>(other);
    return a.is_integer == b.is_integer &&
           (a.is_integer ? a.integer == b.integer
                         : std::bit_cast<std::uint64_t>(a.real) == std::bit_cast<std::uint64_t>(b.real));
  }
  bool operator()(const Infinity&) const { return true; }
  bool operator()(const IndexValue& a) const { return a.index == std::get<IndexValue>(other).index; }
  bool operator()(const Read& a) const { return equal(*a.ref, *std::get<Read>(other).ref); }
  bool operator()(const Sum& a) const {
    const auto& b = std::get<Sum>(other);
    return a.operators == b.operators && equal_all(a.operands, b.operands);
  }
  bool operator()(const Product& a) const {
    const auto& b = std::get<Product>(other);
    return a.operators == b.operators && equal_all(a.operands, b.operands);
  }
  bool operator()(const Power& a) const {
    const auto& b = std::get<Power>(other);
    return equal(*a.base, *b.base) && equal(*a.exponent, *b.exponent);
  }
  bool operator()(const Extremum& a) const {
    const auto& b = std::get<Extremum>(other);
    return a.is_max == b.is_max && equal(*a.left, *b.left) && equal(*a.right, *b.right);
  }
  bool operator()(const Call& a) const {
    const auto& b = std::get<Call>(other);
    return a.function == b.function && equal(*a.argument, *b.argument);
  }
  bool operator()(const Select& a) const {
    const auto& b = std::get<Select>(other);
    return equal(*a.condition, *b.condition) && equal(*a.if_true, *b.if_true) && equal(*a.if_false, *b.if_false);
  }
  bool operator()(const Compare& a) const {
    const auto& b = std::get<Compare>(other);
    return a.operators == b.operators && equal_all(a.operands, b.operands);
  }
  bool operator()(const Logic& a) const {
    const auto& b = std::get<Logic>(other);
    return a.op == b.op && equal_all(a.operands, b.operands);
  }
};

}  // namespace

namespace {

/// Splices a first operand that is a chain of the same kind: (a+b)+c and a+b+c are one tree.
template <typename Chain>
void splice_first(ExprNode& node) {
  auto* chain = std::get_if<Chain>(&node);
  const auto* inner = chain ? std::get_if<Chain>(&chain->operands[0]->node) : nullptr;
  if (!inner) return;
  Chain merged = *inner;
  merged.operands.insert(merged.operands.end(), chain->operands.begin() + 1, chain->operands.end());
  merged.operators.insert(merged.operators.end(), chain->operators.begin(), chain->operators.end());
  node = std::move(merged);
}

void splice_logic(ExprNode& node) {
  auto* logic = std::get_if<Logic>(&node);
  if (!logic) return;
  const auto same = [logic](const ExprPtr& operand) {
    const auto* inner = std::get_if<Logic>(&operand->node);
    return inner && inner->op == logic->op;
  };
  if (std::none_of(logic->operands.begin(), logic->operands.end(), same)) return;
  std::vector<ExprPtr> flat;
  for (const ExprPtr& operand : logic->operands) {
    if (same(operand)) {
      const auto& inner = std::get<Logic>(operand->node).operands;
      flat.insert(flat.end(), inner.begin(), inner.end());
    } else {
      flat.push_back(operand);
    }
  }
  logic->operands = std::move(flat);
}

}  // namespace

ExprPtr make_expr(ExprNode node) {
  splice_first<Sum>(node);
  splice_first<Product>(node);
  splice_logic(node);
  const Hash hash = std::visit(NodeHasher{}, node);
  return make_recycled<const Expr>(Expr{std::move(node), hash});
}

// The text has no negative numbers, only negated ones.
ExprPtr integer_literal(std::int64_t value) {
  if (value < 0 && value != INT64_MIN) return make_call(Function::negate, integer_literal(-value));
  return make_expr(Literal{true, value, static_cast<double>(value)});
}
ExprPtr real_literal(double value) {
  if (std::signbit(value)) return make_call(Function::negate, real_literal(-value));
  return make_expr(Literal{false, 0, value});
}
ExprPtr read_expr(RefPtr ref) { return make_expr(Read{std::move(ref)}); }

ExprPtr make_sum(ExprPtr left, ArithmeticOp op, ExprPtr right) {
  return make_expr(Sum{{std::move(left), std::move(right)}, {op}});
}

ExprPtr make_product(ExprPtr left, ArithmeticOp op, ExprPtr right) {
  return make_expr(Product{{std::move(left), std::move(right)}, {op}});
}

ExprPtr make_call(Function function, ExprPtr argument) { return make_expr(Call{function, std::move(argument)}); }

bool equal(const Expr& left, const Expr& right) {
  if (&left == &right) return true;
  return left.hash == right.hash && left.node.index() == right.node.index() &&
         std::visit(NodeEqual{right.node}, left.node);
}

namespace {

/// The children as a list of places in the node, so that counting, reading and replacing share one table of shapes.
struct ChildList {
  std::vector<const ExprPtr*> places;
  void operator()(const Literal&) {}
  void operator()(const Infinity&) {}
  void operator()(const IndexValue&) {}
  void operator()(const Read&) {}
  void operator()(const Sum& node) { all(node.operands); }
  void operator()(const Product& node) { all(node.operands); }
  void operator()(const Power& node) { places = {&node.base, &node.exponent}; }
  void operator()(const Extremum& node) { places = {&node.left, &node.right}; }
  void operator()(const Call& node) { places = {&node.argument}; }
  void operator()(const Select& node) { places = {&node.condition, &node.if_true, &node.if_false}; }
  void operator()(const Compare& node) { all(node.operands); }
  void operator()(const Logic& node) { all(node.operands); }
  void all(const std::vector<ExprPtr>& operands) {
    places.reserve(operands.size());
    for (const ExprPtr& operand : operands) places.push_back(&operand);
  }
};

}  // namespace

std::vector<const ExprPtr*> children(const Expr& expr) {
  ChildList list;
  std::visit(list, expr.node);
  return std::move(list.places);
}

std::size_t child_count(const Expr& expr) { return children(expr).size(); }
const ExprPtr& child(const Expr& expr, std::size_t number) { return *children(expr).at(number); }

ExprPtr with_children(const ExprPtr& expr, const std::vector<ExprPtr>& replacements) {
  ExprNode node = expr->node;
  ChildList list;
  std::visit(list, node);
  bool changed = false;
  for (std::size_t i = 0; i < list.places.size(); ++i) {
    if (*list.places[i] == replacements[i]) continue;
    changed = true;
    const_cast<ExprPtr&>(*list.places[i]) = replacements[i];  // a place in our own copy of the node
  }
  return changed ? make_expr(std::move(node)) : expr;
}

void for_each_ref(const RefPtr& ref, const std::function<void(const RefPtr&)>& visit) {
  visit(ref);
  for (const Index& subscript : ref->subscripts) {
    if (subscript.nesting() == 0) continue;  // variables only
    for_each_read(subscript, [&visit](const RefPtr& inner) { for_each_ref(inner, visit); });
  }
}

namespace {

/// Goes down without a list of children: every reader and printer of a program comes through here.
struct RefVisitor {
  const std::function<void(const RefPtr&)>& visit;
  void operator()(const Literal&) const {}
  void operator()(const Infinity&) const {}
  void operator()(const IndexValue&) const {}
  void operator()(const Read& node) const { for_each_ref(node.ref, visit); }
  void operator()(const Sum& node) const { all(node.operands); }
  void operator()(const Product& node) const { all(node.operands); }
  void operator()(const Power& node) const { each(node.base, node.exponent); }
  void operator()(const Extremum& node) const { each(node.left, node.right); }
  void operator()(const Call& node) const { each(node.argument); }
  void operator()(const Select& node) const { each(node.condition, node.if_true, node.if_false); }
  void operator()(const Compare& node) const { all(node.operands); }
  void operator()(const Logic& node) const { all(node.operands); }
  void all(const std::vector<ExprPtr>& operands) const {
    for (const ExprPtr& operand : operands) for_each_ref(*operand, visit);
  }
  template <typename... Parts>
  void each(const Parts&... parts) const {
    (for_each_ref(*parts, visit), ...);
  }
};

}  // namespace

void for_each_ref(const Expr& expr, const std::function<void(const RefPtr&)>& visit) {
  std::visit(RefVisitor{visit}, expr.node);
}

void for_each_variable(const Expr& expr, const std::function<void(const std::string&)>& visit) {
  if (const auto* value = std::get_if<IndexValue>(&expr.node)) visit(value->index);
  if (const auto* read = std::get_if<Read>(&expr.node)) {
    for (const Index& subscript : read->ref->subscripts) for_each_variable(subscript, visit);
  }
  for (const ExprPtr* place : children(expr)) for_each_variable(**place, visit);
}

namespace {

struct ToIndex {
  std::optional<Index> operator()(const Literal& literal) const {
    if (!literal.is_integer) return std::nullopt;
    return Index::constant(literal.integer);
  }
  std::optional<Index> operator()(const IndexValue& value) const { return Index::variable(value.index); }
  std::optional<Index> operator()(const Sum& sum) const { return fold(sum.operands, sum.operators); }
  std::optional<Index> operator()(const Product& product) const { return fold(product.operands, product.operators); }
  std::optional<Index> operator()(const Call& call) const {
    if (call.function != Function::negate) return std::nullopt;
    const auto argument = to_index(*call.argument);
    return argument ? Index::subtract(Index(), *argument) : std::nullopt;
  }
  std::optional<Index> operator()(const Infinity&) const { return std::nullopt; }
  std::optional<Index> operator()(const Read&) const { return std::nullopt; }
  std::optional<Index> operator()(const Power&) const { return std::nullopt; }
  std::optional<Index> operator()(const Extremum&) const { return std::nullopt; }
  std::optional<Index> operator()(const Select&) const { return std::nullopt; }
  std::optional<Index> operator()(const Compare&) const { return std::nullopt; }
  std::optional<Index> operator()(const Logic&) const { return std::nullopt; }

  static std::optional<Index> fold(const std::vector<ExprPtr>& operands, const std::vector<ArithmeticOp>& operators) {
    std::optional<Index> value = to_index(*operands[0]);
    for (std::size_t i = 0; value && i < operators.size(); ++i) {
      const std::optional<Index> right = to_index(*operands[i + 1]);
      if (!right) return std::nullopt;
      switch (operators[i]) {
        case ArithmeticOp::add: value = Index::add(*value, *right); break;
        case ArithmeticOp::subtract: value = Index::subtract(*value, *right); break;
        case ArithmeticOp::multiply: value = Index::multiply(*value, *right); break;
        case ArithmeticOp::floor_divide: value = Index::floor_divide(*value, *right); break;
        case ArithmeticOp::modulo: value = Index::modulo(*value, *right); break;
        case ArithmeticOp::divide:
        case ArithmeticOp::power:
        case ArithmeticOp::max:
        case ArithmeticOp::min: return std::nullopt;
      }
    }
    return value;
  }
};

/// The operands of `expr` flattened over `op`. Operands that are subtracted are no candidates and are left out, and so
/// is whatever lies behind a division: `X*a/b` is a quotient, not a product of X.
void flatten(const ExprPtr& expr, ArithmeticOp op, std::vector<const Expr*>& out) {
  if (const auto* sum = std::get_if<Sum>(&expr->node); sum && op == ArithmeticOp::add) {
    for (std::size_t i = 0; i < sum->operands.size(); ++i) {
      if (i == 0 || sum->operators[i - 1] == ArithmeticOp::add) flatten(sum->operands[i], op, out);
    }
    return;
  }
  if (const auto* product = std::get_if<Product>(&expr->node); product && op == ArithmeticOp::multiply) {
    std::size_t i = product->operators.size();
    for (; i > 0 && product->operators[i - 1] == ArithmeticOp::multiply; --i) flatten(product->operands[i], op, out);
    if (i == 0) flatten(product->operands[0], op, out);
    return;
  }
  if (const auto* extremum = std::get_if<Extremum>(&expr->node);
      extremum && op == (extremum->is_max ? ArithmeticOp::max : ArithmeticOp::min)) {
    flatten(extremum->left, op, out);
    flatten(extremum->right, op, out);
    return;
  }
  out.push_back(expr.get());
}

}  // namespace

std::optional<Index> to_index(const Expr& expr) { return std::visit(ToIndex{}, expr.node); }

std::optional<ArithmeticOp> accumulation_operator(const Ref& left, const ExprPtr& right) {
  ArithmeticOp op = ArithmeticOp::add;
  if (std::holds_alternative<Product>(right->node)) {
    op = ArithmeticOp::multiply;
  } else if (const auto* extremum = std::get_if<Extremum>(&right->node)) {
    op = extremum->is_max ? ArithmeticOp::max : ArithmeticOp::min;
  } else if (!std::holds_alternative<Sum>(right->node)) {
    return std::nullopt;
  }
  std::vector<const Expr*> operands;
  flatten(right, op, operands);
  const bool found = std::any_of(operands.begin(), operands.end(), [&left](const Expr* operand) {
    const auto* read = std::get_if<Read>(&operand->node);
    return read && equal(*read->ref, left);
  });
  if (!found) return std::nullopt;
  std::size_t occurrences = 0;
  for_each_ref(*right, [&](const RefPtr& ref) { occurrences += ref->tensor == left.tensor ? 1 : 0; });
  for (const Index& subscript : left.subscripts) {
    for_each_read(subscript, [&](const RefPtr& read) {
      for_each_ref(read, [&](const RefPtr& ref) { occurrences += ref->tensor == left.tensor ? 1 : 0; });
    });
  }
  return occurrences == 1 ? std::optional(op) : std::nullopt;
}

}  // namespace steptp
