#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "steptp/ir/signature.h"
#include "steptp/prove/arena.h"
#include "steptp/prove/flow.h"
#include "steptp/prove/record.h"
#include "steptp/prove/written_operations.h"

namespace steptp::forms {

/// Writes normal forms as the statements of a certificate. What occurs more than once is written once, as a part.
class StatementWriter {
 public:
  StatementWriter(Arena& arena, const Signature& signature) : arena_(arena), signature_(signature) {}

  /// The elements of a tensor, region by region; `element` are the variables that stand for i0, i1, ...
  [[nodiscard]] std::vector<ProofRecord::Region> regions(const Value& value, const std::vector<VariableId>& element);
  /// The elements of a tensor as one form.
  [[nodiscard]] std::string whole(const Value& value, const std::vector<VariableId>& element);
  /// Where the element has no value; empty where it has one everywhere.
  [[nodiscard]] std::string no_value(PolynomialId hazard, const std::vector<VariableId>& element);
  /// A cell: conditions on the element, and whether they hold.
  [[nodiscard]] std::string where(const std::vector<std::pair<ConditionId, bool>>& conditions,
                                  const std::vector<VariableId>& element);
  /// A form outside of any element, with the ranges of the variables in it. Nothing where it is made of other value
  /// numbers than these, or of variables without a range.
  [[nodiscard]] std::optional<ProofRecord::Condition> condition(const Need& need,
                                                                const std::set<std::uint32_t>& listed);
  /// The value numbers that occurred.
  [[nodiscard]] const std::set<std::uint32_t>& used() const { return used_; }
  [[nodiscard]] std::vector<std::string> take_parts() { return std::move(parts_); }
  /// Beyond a limit nothing more is written.
  [[nodiscard]] bool is_too_large() const { return size_ > kMostBytes; }

 private:
  static constexpr std::size_t kMostBytes = std::size_t{8} << 20;

  void add_regions(PolynomialId id, std::vector<std::string> where, std::vector<ProofRecord::Region>& out);
  [[nodiscard]] std::string polynomial(PolynomialId id);
  [[nodiscard]] std::string monomial(MonomialId id);
  [[nodiscard]] std::string generator(GeneratorId id);
  [[nodiscard]] static std::string operation(const WrittenOperation& operation, const std::vector<std::string>& inside,
                                             const std::string& arguments);
  [[nodiscard]] std::string written(GeneratorId id);
  [[nodiscard]] std::string reduction(const Generator& node, std::uint32_t height, const std::string& arguments);
  [[nodiscard]] std::string condition(ConditionId id);
  [[nodiscard]] std::string affine(const Affine& sum);
  [[nodiscard]] std::string atom(AtomId id);
  [[nodiscard]] std::string variable(VariableId id);
  [[nodiscard]] std::string subscripts(const Generator& node);
  void name_element(const std::vector<VariableId>& element);

  Arena& arena_;
  const Signature& signature_;
  std::map<VariableId, std::string> names_;
  std::map<GeneratorId, std::size_t> part_numbers_;
  std::map<std::string, std::size_t, std::less<>> numbers_by_text_;
  std::vector<std::string> parts_;
  std::set<std::uint32_t> used_;  ///< value numbers, of everything so far
  std::map<GeneratorId, std::set<std::uint32_t>> used_in_;
  std::size_t size_ = 0;
};

}  // namespace steptp::forms
