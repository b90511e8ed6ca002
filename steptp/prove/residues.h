#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "steptp/prove/arena.h"
#include "steptp/prove/field.h"

namespace steptp::forms {

/// Forms as numbers modulo a prime, at one random point: rational functions whose normal forms differ are recognised as
/// one. What is not arithmetic is opaque: an unknown that depends only on the residues of its parts.
///
/// Arithmetic in a field says nothing about infinities and NaN. So a product with a factor that may be infinite or NaN
/// is one unknown of its coefficient and its factors, and is matched as a whole. A divisor is taken to be other than
/// zero: whoever compares residues has to show that `after` divides by zero only where `before` does (hazards.h). Then
/// the inverse of a number is a number wherever it is evaluated.
///
/// A condition is an unknown b, and a choice between numbers is b*x+(1-b)*y: what agrees for every b agrees for 0
/// and 1.
class Residues {
 public:
  Residues(Arena& arena, std::uint64_t seed, int prime_bits = 61) : arena_(arena), field_(seed, prime_bits) {}

  /// Where `is_number`, it is NaN if one of the unknowns in `nan` is, and otherwise a number. Where not, it may be
  /// infinite; equal residues then mean equal sums of products, infinities and NaN included.
  struct Value {
    Field::Residue residue = 0;
    bool is_number = true;
    /// Of numerator and denominator in the unknowns, and more by what their coefficients add to the chance of an error
    /// (Field::weight_of_bits): both add up in sums and products of quotients.
    double degree = 0;
    std::vector<Field::Residue> nan = {};  ///< unknowns that may be NaN, by their residues, sorted
    /// Another value, for unknowns whose arguments are this one.
    [[nodiscard]] std::uint64_t key() const;
  };
  /// Equal wherever `before` is not NaN.
  [[nodiscard]] static bool agree(const Value& before, const Value& after);
  /// Throws GiveUp where the prime divides a denominator or a divisor vanishes at this point.
  [[nodiscard]] Value of_polynomial(PolynomialId id);
  [[nodiscard]] Value of_condition(ConditionId id);
  [[nodiscard]] Value of_affine(const Affine& affine);

  /// The logarithm to base 2 of the chance that two different forms of such a degree agree at this point.
  [[nodiscard]] double bound_log2(double degree) const;

 private:
  [[nodiscard]] Value of_generator(GeneratorId id);
  [[nodiscard]] Value made(GeneratorId id);
  [[nodiscard]] Value of_atom(AtomId id);
  [[nodiscard]] Value of_inverse(PolynomialId divisor);
  [[nodiscard]] Value of_call(const Generator& node);
  [[nodiscard]] Value of_select(const Generator& node);
  [[nodiscard]] Value of_fold(GeneratorId id);
  [[nodiscard]] Value of_comparison(const Condition& node);
  [[nodiscard]] Value of_connective(const Condition& node);
  [[nodiscard]] Value of_bound(const Affine& affine, bool equality);
  [[nodiscard]] Value of_wild_product(const Monomial& product, const mpq_class& coefficient);
  /// The operands of a maximum or minimum, those of folds over few values among them.
  void add_operands(PolynomialId id, bool is_max, std::vector<Value>& out);
  [[nodiscard]] Value of_operands(bool is_max, std::vector<Value> operands);
  /// A fold over few values of one of its variables, taken apart: which variable.
  [[nodiscard]] static std::optional<std::size_t> short_range(const Generator& fold);
  [[nodiscard]] std::vector<PolynomialId> pieces(GeneratorId fold, std::size_t variable);
  /// Values of such a degree are taken for the same where their residues are.
  void note_compared(double degree);
  /// An unknown with the given key; `degree` is that of its arguments.
  [[nodiscard]] Value opaque(std::uint64_t key, bool is_number, double degree);
  [[nodiscard]] Value of_number(const mpq_class& value) const;
  [[nodiscard]] Value of_number(std::int64_t value) const;
  [[nodiscard]] Value complement(const Value& value) const;
  /// What a sum of so many terms adds to their degrees.
  [[nodiscard]] double weight_of_terms(std::size_t count) const;
  /// One unknown more that may be NaN.
  [[nodiscard]] static Value perhaps_nan(Value value);

  Arena& arena_;
  Field field_;
  std::unordered_map<GeneratorId, Value> generators_;
  std::unordered_map<PolynomialId, Value> polynomials_;
  std::unordered_map<ConditionId, Value> conditions_;
  // What the error bound is made of: how many unknowns stand for something with arguments, or arguments were compared,
  // and the greatest degree of such an argument.
  double opaque_terms_ = 0;
  double argument_degree_ = 1;
};

}  // namespace steptp::forms
