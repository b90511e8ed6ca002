#include "steptp/strategies/finite.h"

#include <algorithm>
#include <map>
#include <string>

namespace steptp {

namespace {

constexpr int kMostVisits = 5000;  ///< of definitions; beyond it nothing is known

enum class Sign : std::uint8_t { any, not_negative, positive };

struct Values {
  bool finite = false;
  Sign sign = Sign::any;
};

Sign weaker(Sign a, Sign b) { return std::min(a, b); }

class Finder {
 public:
  explicit Finder(View& view) : view_(view) {}

  [[nodiscard]] Values of(const Expr& expr) {
    return std::visit([this](const auto& node) { return this->node_values(node); }, expr.node);
  }

 private:
  [[nodiscard]] Values node_values(const Literal& node) {
    return {true, node.real > 0 ? Sign::positive : node.real == 0 ? Sign::not_negative : Sign::any};
  }
  [[nodiscard]] Values node_values(const Infinity&) { return {false, Sign::positive}; }
  [[nodiscard]] Values node_values(const IndexValue&) { return {true, Sign::not_negative}; }
  [[nodiscard]] Values node_values(const Read& node) { return tensor(node.ref->tensor); }

  [[nodiscard]] Values node_values(const Sum& node) {
    Values out{true, Sign::positive};
    bool some_positive = false;
    for (std::size_t i = 0; i < node.operands.size(); ++i) {
      const Values one = of(*node.operands[i]);
      const bool subtracted = i > 0 && node.operators[i - 1] == ArithmeticOp::subtract;
      out.finite = out.finite && one.finite;
      out.sign = weaker(out.sign, subtracted ? Sign::any : one.sign);
      some_positive = some_positive || one.sign == Sign::positive;
    }
    if (out.sign == Sign::not_negative && some_positive) out.sign = Sign::positive;
    return out;
  }

  [[nodiscard]] Values node_values(const Product& node) {
    Values out = of(*node.operands[0]);
    for (std::size_t i = 1; i < node.operands.size(); ++i) {
      const Values one = of(*node.operands[i]);
      const ArithmeticOp op = node.operators[i - 1];
      const bool divides = op != ArithmeticOp::multiply;
      out.finite = out.finite && one.finite && (!divides || one.sign == Sign::positive);
      const bool keeps_sign = op == ArithmeticOp::multiply || op == ArithmeticOp::divide;
      out.sign = keeps_sign ? weaker(out.sign, one.sign) : Sign::any;
    }
    return out;
  }

  [[nodiscard]] Values node_values(const Power& node) {
    const Values base = of(*node.base);
    const auto* exponent = std::get_if<Literal>(&node.exponent->node);
    if (exponent && exponent->is_integer && exponent->integer >= 0) {
      return {base.finite, exponent->integer % 2 == 0 ? std::max(base.sign, Sign::not_negative) : base.sign};
    }
    const bool natural = exponent && exponent->real > 0 && base.sign != Sign::any;
    const bool inside = natural || base.sign == Sign::positive;
    return {base.finite && inside && of(*node.exponent).finite, inside ? base.sign : Sign::any};
  }

  [[nodiscard]] Values node_values(const Extremum& node) {
    const Values left = of(*node.left);
    const Values right = of(*node.right);
    // A maximum has the better sign of the two, but not on account of what is only assumed: X=max(X,A) begins with A.
    const bool assumes = !open_.empty() && (reads_open(*node.left) || reads_open(*node.right));
    return {left.finite && right.finite,
            node.is_max && !assumes ? std::max(left.sign, right.sign) : weaker(left.sign, right.sign)};
  }

  [[nodiscard]] Values node_values(const Call& node) {
    const Values argument = of(*node.argument);
    switch (node.function) {
      case Function::negate:
      case Function::sin:
      case Function::cos: return {argument.finite, Sign::any};
      case Function::exp: return {argument.finite, Sign::positive};
      case Function::log: return {argument.finite && argument.sign == Sign::positive, Sign::any};
      case Function::sqrt: return {argument.finite && argument.sign != Sign::any, argument.sign};
      case Function::rsqrt: return {argument.finite && argument.sign == Sign::positive, argument.sign};
      case Function::abs: return {argument.finite, std::max(argument.sign, Sign::not_negative)};
      case Function::erf:
      case Function::tanh: return {argument.finite, argument.sign};
      case Function::floor:
      case Function::ceil:
      case Function::round: return {argument.finite, weaker(argument.sign, Sign::not_negative)};
    }
    return {};
  }

  [[nodiscard]] Values node_values(const Select& node) {
    const Values yes = of(*node.if_true);
    const Values no = of(*node.if_false);
    return {yes.finite && no.finite, weaker(yes.sign, no.sign)};
  }
  [[nodiscard]] Values node_values(const Compare&) { return {true, Sign::not_negative}; }
  [[nodiscard]] Values node_values(const Logic&) { return {true, Sign::not_negative}; }

  /// What all equations that write a tensor can write. What is being worked out counts as finite and not negative: the
  /// values come one after the other, each from earlier ones, and an accumulation begins with 0 or 1 and a first
  /// operand. Where that does not hold for what comes out, it is worked out again without the sign.
  [[nodiscard]] Values tensor(const std::string& name) {
    const TensorFacts& facts = view_.table().tensors.at(name);
    if (facts.known && facts.known->role != Role::output) {
      const Domain& domain = facts.known->domain;
      const bool positive =
          domain.kind == Domain::Kind::positive || (domain.kind == Domain::Kind::range && domain.low > 0);
      return {true, positive ? Sign::positive : Sign::any};
    }
    const auto open = open_.find(name);
    if (open != open_.end()) return {true, open->second};
    Values out = written(name, facts, Sign::not_negative);
    if (out.sign == Sign::any) out = written(name, facts, Sign::any);
    if (!is_float(facts.dtype) && out.sign == Sign::positive) out.sign = Sign::not_negative;  // 0.5 is stored as 0
    return out;
  }

  [[nodiscard]] Values written(const std::string& name, const TensorFacts& facts, Sign assumed) {
    if (++visits_ > kMostVisits || facts.writes.empty()) return {};
    open_.emplace(name, assumed);
    Values out{true, Sign::positive};
    for (const std::size_t number : facts.writes) {
      const Access& write = view_.table().accesses[number];
      const Values one = of(*view_.table().statements[write.statement].equation->right);
      out = {out.finite && one.finite, weaker(out.sign, one.sign)};
    }
    open_.erase(name);
    return out;
  }

  [[nodiscard]] bool reads_open(const Expr& expr) const {
    bool found = false;
    for_each_ref(expr, [&](const RefPtr& ref) { found = found || open_.contains(ref->tensor); });
    return found;
  }

  View& view_;
  std::map<std::string, Sign> open_;  ///< being worked out, with what is assumed
  int visits_ = 0;
};

}  // namespace

bool is_finite(View& view, const Expr& expr) { return Finder(view).of(expr).finite; }

}  // namespace steptp
