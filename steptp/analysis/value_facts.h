#pragma once

#include <map>
#include <string>
#include <vector>

#include "steptp/analysis/accesses.h"
#include "steptp/analysis/interval.h"
#include "steptp/analysis/shapes.h"

namespace steptp {

/// What is known of the integers that tensors hold, and what had to be assumed for it.
struct ValueFacts {
  /// Integer tensors whose values are narrower than their dtype.
  std::map<std::string, Interval, std::less<>> ranges;
  /// "C lies in [0,10) where it indexes A": from use as an index, for known variables without a domain. An assumption
  /// belongs to its access, and holds where that is evaluated; nothing else profits from it.
  std::vector<std::string> assumes;
  /// The dimensions of tensors, for accesses whose indices are assumed to lie within them; empty: nothing is assumed.
  std::map<std::string, std::vector<std::int64_t>, std::less<>> assumed_dimensions;
};

/// Ranges that follow from domains, from constants' values, and from what the program writes into intermediates.
[[nodiscard]] ValueFacts derive_value_facts(const AccessTable& table);

/// A known integer variable without a domain that is used as an index, where no condition of its own protects the use.
struct UseAsIndex {
  std::string variable;
  std::string indexed;
  Interval range;  ///< the values that index within the shape
  bool operator==(const UseAsIndex&) const = default;
};
/// Each once, in the order of the text.
[[nodiscard]] std::vector<UseAsIndex> uses_as_index(const AccessTable& table,
                                                    const std::map<std::string, InferredShape>& shapes,
                                                    const ValueFacts& facts);

/// Assumes of each such use that its values index within the shape; `abstract_access` of that access knows it then.
void assume_from_use(const AccessTable& table, const std::map<std::string, InferredShape>& shapes, ValueFacts& facts);

/// An access with the reads of integer tensors, in its subscripts and in its conditions, replaced by variables (named
/// @0, @1, ...) that range over what those tensors can hold, so that conditions on them count.
struct AbstractAccess {
  Ranges ranges;  ///< of the loops and of the new variables
  std::vector<PathCondition> conditions;
  std::vector<Index> subscripts;
  /// The references that became variables, one entry per distinct reference.
  std::vector<RefPtr> abstracted;
};
[[nodiscard]] AbstractAccess abstract_access(const AccessTable& table, const ValueFacts& facts, const Access& access,
                                             const std::vector<Index>& subscripts);
/// The same for a value somewhere in a statement, under conditions: the value comes back as an index where it is one.
struct AbstractValue {
  Ranges ranges;
  std::vector<PathCondition> conditions;
  ExprPtr value;
  std::vector<RefPtr> abstracted;
};
[[nodiscard]] AbstractValue abstract_value(const Statement& statement, const ValueFacts& facts,
                                           const std::vector<PathCondition>& conditions, const ExprPtr& value);
[[nodiscard]] std::string abstract_name(std::size_t number);
/// The conditions on loop indices alone: a search need not look at data to use them.
[[nodiscard]] std::vector<PathCondition> index_conditions(const AbstractAccess& access);

}  // namespace steptp
