#include "steptp/dataset/forms.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace steptp::dataset {

namespace {

/// Hashes expression by expression; a tensor is the hash of the expressions that made it.
class FormHasher {
 public:
  FormHasher(const Program& program, bool with_numbers) : program_(program), with_numbers_(with_numbers) {}

  Hash hash() {
    name_known();
    std::vector<Hash> nests;
    for (const NestPtr& nest : program_.nests) nests.push_back(top_level(*nest));
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

  void collect_written(const Nest& nest) {
    for (const Item& item : nest.items) {
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
      const std::optional<Axis> axis = loop.kind == LoopKind::bound ? axis_of(loop.index) : std::nullopt;
      const Hash name = axis ? combine(6, static_cast<Hash>(*axis)) : combine(7, indices_.size());
      indices_[loop.index] = name;
      hash = combine(combine(hash, static_cast<Hash>(loop.kind)), name);
      if (with_numbers_) hash = combine(hash, static_cast<Hash>(loop.extent));
    }
    if (nest.guard) hash = combine(hash, expr_hash(*nest.guard));
    for (const Item& item : nest.items) {
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
      Hash product = 0;
      for (const IndexAtom& atom : term.factors) product += mix(atom_hash(atom));
      sum += combine(with_numbers_ ? static_cast<Hash>(term.coefficient) : 11, product);
    }
    return combine(with_numbers_ ? static_cast<Hash>(index.constant_term()) : 12, sum);
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

  Hash expr_hash(const Expr& expr) {
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
  std::map<std::string, Hash> versions_;  ///< of each tensor: how its present content was made
  std::map<std::string, Hash> indices_;   ///< of the loops of the expression at hand
  std::vector<std::string> written_;      ///< by the expression at hand, in order
};

}  // namespace

Hash form_of(const Program& program) { return FormHasher(program, true).hash(); }
Hash pattern_of(const Program& program) { return FormHasher(program, false).hash(); }

}  // namespace steptp::dataset
