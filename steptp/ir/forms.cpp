#include "steptp/ir/forms.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace steptp {

namespace {

enum class Detail : std::uint8_t { everything, no_numbers, written, plain };

/// A sum as numbers times symbols; the symbol of a lone number is kUnit.
struct ScaledSymbol {
  double number = 1;
  Hash symbol = 0;
};
constexpr Hash kUnit = 17;

/// The tensors that something reads besides their own accumulation, and the outputs; again without the equations that
/// are dead then.
std::set<std::string> live_tensors(const Program& program) {
  std::set<std::string> live;
  for (const Variable& variable : program.signature.variables) {
    if (variable.role == Role::output) live.insert(variable.name);
  }
  for (std::size_t before = 0; before != live.size();) {
    before = live.size();
    for_each_equation(program, [&](const Equation& equation, const std::vector<const Nest*>& nests) {
      if (!live.contains(equation.left->tensor)) return;
      const auto take = [&](const RefPtr& ref) { live.insert(ref->tensor); };
      for_each_ref(equation.left, take);
      for_each_ref(*equation.right, take);
      for (const Nest* nest : nests) {
        if (nest->guard) for_each_ref(*nest->guard, take);
      }
    });
  }
  return live;
}

/// Hashes expression by expression; a tensor is the hash of the expressions that made it.
class FormHasher {
 public:
  FormHasher(const Program& program, Detail detail)
      : program_(program),
        with_numbers_(detail != Detail::no_numbers),
        is_written_(detail == Detail::written),
        is_plain_(detail == Detail::plain) {
    if (is_plain_) live_ = live_tensors(program);
  }

  Hash hash() {
    name_known();
    std::vector<Hash> nests;
    for (const NestPtr& nest : program_.nests) {
      if (is_live(*nest)) nests.push_back(top_level(*nest));
    }
    std::sort(nests.begin(), nests.end());
    Hash out = with_numbers_ ? 1 : 2;
    for (const Hash nest : nests) out = combine(out, nest);
    for (const Variable& variable : program_.signature.variables) {
      if (variable.role == Role::output) out = combine(out, versions_[variable.name]);
    }
    return out;
  }

 private:
  void name_known() {
    std::array<Hash, 4> seen{};
    for (const Variable& variable : program_.signature.variables) {
      const auto role = static_cast<std::size_t>(variable.role);
      Hash hash = combine(combine(3, role), seen[role]++);
      if (with_numbers_) {
        hash = combine(hash, static_cast<Hash>(variable.dtype));
        for (const std::int64_t extent : variable.shape) hash = combine(hash, static_cast<Hash>(extent));
      }
      hash = combine(hash, variable.shape.size());
      versions_[variable.name] = hash;
    }
  }

  Hash top_level(const Nest& nest) {
    indices_.clear();
    written_.clear();
    collect_written(nest);
    const Hash hash = nest_hash(nest);
    for (std::size_t i = 0; i < written_.size(); ++i) versions_[written_[i]] = combine(hash, i);
    return hash;
  }

  [[nodiscard]] bool is_live(const Item& item) const {
    if (!is_plain_) return true;
    if (const auto* inner = std::get_if<NestPtr>(&item)) return is_live(**inner);
    return live_.contains(std::get<EquationPtr>(item)->left->tensor);
  }
  [[nodiscard]] bool is_live(const Nest& nest) const {
    return std::any_of(nest.items.begin(), nest.items.end(), [this](const Item& item) { return is_live(item); });
  }

  void collect_written(const Nest& nest) {
    for (const Item& item : nest.items) {
      if (!is_live(item)) continue;
      if (const auto* inner = std::get_if<NestPtr>(&item)) {
        collect_written(**inner);
      } else {
        const std::string& tensor = std::get<EquationPtr>(item)->left->tensor;
        if (std::find(written_.begin(), written_.end(), tensor) == written_.end()) written_.push_back(tensor);
      }
    }
  }

  Hash nest_hash(const Nest& nest) {
    Hash hash = 5;
    for (const Loop& loop : nest.loops) {
      if (is_plain_ && loop.extent == 1) {
        single_.insert(loop.index);
        continue;
      }
      single_.erase(loop.index);
      const std::optional<Axis> axis = loop.kind == LoopKind::bound ? axis_of(loop.index) : std::nullopt;
      const Hash name = axis ? combine(6, static_cast<Hash>(*axis)) : combine(7, indices_.size());
      indices_[loop.index] = name;
      hash = combine(combine(hash, static_cast<Hash>(loop.kind)), name);
      if (with_numbers_) hash = combine(hash, static_cast<Hash>(loop.extent));
    }
    if (nest.guard) hash = combine(hash, expr_hash(*nest.guard));
    for (const Item& item : nest.items) {
      if (!is_live(item)) continue;
      if (const auto* inner = std::get_if<NestPtr>(&item)) {
        hash = combine(hash, nest_hash(**inner));
      } else {
        const Equation& equation = *std::get<EquationPtr>(item);
        hash = combine(combine(hash, ref_hash(*equation.left)), expr_hash(*equation.right));
      }
    }
    return hash;
  }

  Hash tensor_hash(const std::string& tensor) {
    const auto version = versions_.find(tensor);
    const Hash before = version == versions_.end() ? 8 : version->second;
    const auto place = std::find(written_.begin(), written_.end(), tensor);
    if (place == written_.end()) return before;
    return combine(combine(9, before), static_cast<Hash>(place - written_.begin()));
  }

  Hash ref_hash(const Ref& ref) {
    Hash hash = combine(combine(10, tensor_hash(ref.tensor)),
                        static_cast<Hash>(ref.scope.scope) + (ref.scope.depth - 1U) * Hash{16});
    if (with_numbers_) hash = combine(hash, static_cast<Hash>(ref.dtype));
    for (const Index& subscript : ref.subscripts) hash = combine(hash, index_hash(subscript));
    return hash;
  }

  /// Sums and products of subscripts are sorted by names: they are added up instead.
  Hash index_hash(const Index& index) {
    Hash sum = 0;
    for (const IndexTerm& term : index.terms()) {
      if (has_single(term)) continue;
      Hash product = 0;
      for (const IndexAtom& atom : term.factors) product += mix(atom_hash(atom));
      sum += combine(with_numbers_ ? static_cast<Hash>(term.coefficient) : 11, product);
    }
    return combine(with_numbers_ ? static_cast<Hash>(index.constant_term()) : 12, sum);
  }

  /// Whether it is zero, because it has the index of a loop of one iteration as a factor.
  [[nodiscard]] bool has_single(const IndexTerm& term) const {
    return std::any_of(term.factors.begin(), term.factors.end(), [this](const IndexAtom& atom) {
      const auto* variable = std::get_if<LoopVariable>(&atom);
      return variable && single_.contains(variable->name);
    });
  }

  Hash atom_hash(const IndexAtom& atom) {
    if (const auto* variable = std::get_if<LoopVariable>(&atom)) return index_name(variable->name);
    if (const auto* quotient = std::get_if<FloorQuotient>(&atom))
      return combine(combine(13, index_hash(*quotient->dividend)), index_hash(*quotient->divisor));
    if (const auto* remainder = std::get_if<FloorRemainder>(&atom))
      return combine(combine(14, index_hash(*remainder->dividend)), index_hash(*remainder->divisor));
    return combine(15, ref_hash(*std::get<IndirectRead>(atom).ref));
  }

  Hash index_name(const std::string& name) {
    const auto found = indices_.find(name);
    return found == indices_.end() ? hash_text(name) : found->second;
  }

  template <typename Operators>
  Hash operators_hash(Hash hash, const Operators& operators) {
    for (const auto op : operators) hash = combine(hash, static_cast<Hash>(op));
    return hash;
  }

  /// The terms of a sum, numbers in front, brackets dissolved.
  void add_terms(const Expr& expr, double scale, std::vector<ScaledSymbol>& out) {
    if (const auto* sum = std::get_if<Sum>(&expr.node)) {
      add_terms(*sum->operands[0], scale, out);
      for (std::size_t i = 0; i < sum->operators.size(); ++i) {
        add_terms(*sum->operands[i + 1], sum->operators[i] == ArithmeticOp::add ? scale : -scale, out);
      }
      return;
    }
    ScaledSymbol term{scale, 0};
    add_factors(expr, false, term);
    out.push_back(term);
  }

  /// A product: the number of it, and the sum of the hashes of what else is in it.
  void add_factors(const Expr& expr, bool divides, ScaledSymbol& out) {
    if (const auto* literal = std::get_if<Literal>(&expr.node); literal && (literal->real != 0 || !divides)) {
      out.number = divides ? out.number / literal->real : out.number * literal->real;
      return;
    }
    const auto* call = std::get_if<Call>(&expr.node);
    if (call && call->function == Function::negate) {
      out.number = -out.number;
      return add_factors(*call->argument, divides, out);
    }
    const auto* product = std::get_if<Product>(&expr.node);
    const auto is_real = [](ArithmeticOp op) { return op == ArithmeticOp::multiply || op == ArithmeticOp::divide; };
    if (product && std::all_of(product->operators.begin(), product->operators.end(), is_real)) {
      add_factors(*product->operands[0], divides, out);
      for (std::size_t i = 0; i < product->operators.size(); ++i) {
        add_factors(*product->operands[i + 1], divides != (product->operators[i] == ArithmeticOp::divide), out);
      }
      return;
    }
    const ScaledSymbol inner =
        std::holds_alternative<Sum>(expr.node) ? scaled_sum(expr) : ScaledSymbol{1, leaf_hash(expr)};
    out.number = divides ? out.number / inner.number : out.number * inner.number;
    if (inner.symbol != kUnit) out.symbol += mix(combine(divides ? 18 : 19, inner.symbol));
  }

  /// A sum that has come down to one term is that term.
  ScaledSymbol scaled_sum(const Expr& expr) {
    std::vector<ScaledSymbol> terms;
    add_terms(expr, 1, terms);
    double constant = 0;
    Hash sum = 0;
    std::size_t count = 0;
    ScaledSymbol last{0, kUnit};
    for (const ScaledSymbol& term : terms) {
      if (term.symbol == 0) constant += term.number;
      if (term.symbol == 0 || term.number == 0) continue;
      ++count;
      last = {term.number, term.symbol};
      sum += mix(combine(std::bit_cast<Hash>(term.number), term.symbol));
    }
    if (count == 0) return {constant, kUnit};
    if (count == 1 && constant == 0) return last;
    if (constant != 0) sum += mix(combine(std::bit_cast<Hash>(constant), kUnit));
    return {1, combine(20, sum)};
  }

  Hash plain_hash(const Expr& expr) {
    const ScaledSymbol all = scaled_sum(expr);
    return combine(std::bit_cast<Hash>(all.number), all.symbol);
  }

  /// What a condition without data says.
  [[nodiscard]] static std::optional<bool> known_condition(const Expr& expr) {
    const auto* compare = std::get_if<Compare>(&expr.node);
    if (!compare || compare->operands.size() != 2) return std::nullopt;
    const auto* left = std::get_if<Literal>(&compare->operands[0]->node);
    const auto* right = std::get_if<Literal>(&compare->operands[1]->node);
    if (!left || !right) return std::nullopt;
    switch (compare->operators[0]) {
      case CompareOp::less: return left->real < right->real;
      case CompareOp::less_equal: return left->real <= right->real;
      case CompareOp::greater: return left->real > right->real;
      case CompareOp::greater_equal: return left->real >= right->real;
      case CompareOp::equal: return left->real == right->real;
      case CompareOp::not_equal: return left->real != right->real;
    }
    return std::nullopt;
  }

  /// In a plain form: what is neither a sum nor a product. Nothing that is the same as one of its parts stands for it.
  Hash leaf_hash(const Expr& expr) {
    if (const auto* power = std::get_if<Power>(&expr.node)) {
      const auto* exponent = std::get_if<Literal>(&power->exponent->node);
      if (exponent && exponent->real == 1) return plain_hash(*power->base);
    }
    if (const auto* select = std::get_if<Select>(&expr.node)) {
      const auto known = known_condition(*select->condition);
      if (known) return plain_hash(*known ? *select->if_true : *select->if_false);
      if (plain_hash(*select->if_true) == plain_hash(*select->if_false)) return plain_hash(*select->if_true);
    }
    if (const auto* extremum = std::get_if<Extremum>(&expr.node)) {
      const Hash left = plain_hash(*extremum->left);
      const Hash right = plain_hash(*extremum->right);
      if (left == right) return left;
      return combine(combine(21, extremum->is_max ? 1 : 0), mix(left) + mix(right));
    }
    return node_hash(expr);
  }

  /// The terms of a sum in any order, brackets dissolved.
  void add_written(const Expr& expr, bool is_negative, Hash& out) {
    const auto* sum = std::get_if<Sum>(&expr.node);
    if (!sum) {
      out += mix(combine(is_negative ? 23 : 24, written_hash(expr)));
      return;
    }
    add_written(*sum->operands[0], is_negative, out);
    for (std::size_t i = 0; i < sum->operators.size(); ++i) {
      add_written(*sum->operands[i + 1], is_negative != (sum->operators[i] != ArithmeticOp::add), out);
    }
  }

  /// Factors change places between two divisions, and not across one: what overflows depends on it.
  Hash written_product(const Product& product) {
    Hash hash = 25;
    Hash run = mix(written_hash(*product.operands[0]));
    ArithmeticOp last = ArithmeticOp::multiply;
    for (std::size_t i = 0; i < product.operators.size(); ++i) {
      const ArithmeticOp op = product.operators[i];
      const bool goes_on = op == last && (op == ArithmeticOp::multiply || op == ArithmeticOp::divide);
      if (!goes_on) hash = combine(combine(hash, run), static_cast<Hash>(op));
      run = (goes_on ? run : 0) + mix(written_hash(*product.operands[i + 1]));
      last = op;
    }
    return combine(hash, run);
  }

  Hash written_hash(const Expr& expr) {
    if (std::holds_alternative<Sum>(expr.node)) {
      Hash terms = 0;
      add_written(expr, false, terms);
      return combine(26, terms);
    }
    if (const auto* product = std::get_if<Product>(&expr.node)) return written_product(*product);
    if (const auto* extremum = std::get_if<Extremum>(&expr.node)) {
      return combine(combine(27, extremum->is_max ? 1 : 0),
                     mix(written_hash(*extremum->left)) + mix(written_hash(*extremum->right)));
    }
    return node_hash(expr);
  }

  Hash expr_hash(const Expr& expr) {
    if (is_written_) return written_hash(expr);
    return is_plain_ ? plain_hash(expr) : node_hash(expr);
  }

  Hash node_hash(const Expr& expr) {
    Hash hash = combine(16, expr.node.index());
    if (const auto* literal = std::get_if<Literal>(&expr.node)) {
      return with_numbers_ ? combine(combine(hash, literal->is_integer ? 1 : 0), std::bit_cast<Hash>(literal->real))
                           : hash;
    }
    if (const auto* index = std::get_if<IndexValue>(&expr.node)) return combine(hash, index_name(index->index));
    if (const auto* read = std::get_if<Read>(&expr.node)) return combine(hash, ref_hash(*read->ref));
    if (const auto* sum = std::get_if<Sum>(&expr.node)) hash = operators_hash(hash, sum->operators);
    if (const auto* product = std::get_if<Product>(&expr.node)) hash = operators_hash(hash, product->operators);
    if (const auto* compare = std::get_if<Compare>(&expr.node)) hash = operators_hash(hash, compare->operators);
    if (const auto* extremum = std::get_if<Extremum>(&expr.node)) hash = combine(hash, extremum->is_max ? 1 : 0);
    if (const auto* call = std::get_if<Call>(&expr.node)) hash = combine(hash, static_cast<Hash>(call->function));
    if (const auto* logic = std::get_if<Logic>(&expr.node)) hash = combine(hash, static_cast<Hash>(logic->op));
    for (const ExprPtr* part : children(expr)) hash = combine(hash, expr_hash(**part));
    return hash;
  }

  const Program& program_;
  bool with_numbers_;
  bool is_written_;
  bool is_plain_;
  std::set<std::string> live_;            ///< of a plain form: tensors whose equations count
  std::set<std::string> single_;          ///< indices of loops of one iteration
  std::map<std::string, Hash> versions_;  ///< of each tensor: how its present content was made
  std::map<std::string, Hash> indices_;   ///< of the loops of the expression at hand
  std::vector<std::string> written_;      ///< by the expression at hand, in order
};

}  // namespace

Hash form_of(const Program& program) { return FormHasher(program, Detail::everything).hash(); }
Hash pattern_of(const Program& program) { return FormHasher(program, Detail::no_numbers).hash(); }
Hash written_form_of(const Program& program) { return FormHasher(program, Detail::written).hash(); }
Hash plain_form_of(const Program& program) { return FormHasher(program, Detail::plain).hash(); }

}  // namespace steptp
