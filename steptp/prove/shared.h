#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "steptp/ir/signature.h"
#include "steptp/prove/arena.h"
#include "steptp/prove/tables.h"

namespace steptp::forms {

/// What both programs of a pair agree on: the numbers of known variables, the names of elements, and the value numbers
/// that may stand for a definition instead of what is in it.
class Shared {
 public:
  Shared(Arena& arena, const Signature& signature);

  [[nodiscard]] std::optional<std::uint32_t> known(const std::string& name) const;
  /// What is known of all entries of a constant, by its number; nothing where that is no rule.
  [[nodiscard]] const TwoValuedTable* table(std::uint32_t number) const;
  /// The variables that stand for the element of a tensor of this shape.
  [[nodiscard]] const std::vector<VariableId>& element(const std::vector<std::int64_t>& shape);
  /// The same as subscripts: what has only one value under the assumptions of the moment is a number.
  [[nodiscard]] std::vector<Affine> subscripts(const std::vector<std::int64_t>& shape);

  Arena& arena;
  const Signature& signature;

 private:
  std::map<std::string, std::uint32_t> numbers_;
  std::map<std::size_t, TwoValuedTable> tables_;
  std::map<std::vector<std::int64_t>, std::vector<VariableId>> elements_;
};

}  // namespace steptp::forms
