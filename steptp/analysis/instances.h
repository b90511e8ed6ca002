#pragma once

#include <optional>
#include <vector>

#include "steptp/analysis/presburger.h"
#include "steptp/analysis/regions.h"
#include "steptp/analysis/value_facts.h"

namespace steptp {

/// Hidden subscripts first, then those in the text: two accesses touch one element where these are equal.
[[nodiscard]] std::vector<Index> full_subscripts(const AccessTable& table, const Access& access);

/// One making of an access, as variables of a set: one for each loop around it, outermost first, then one for each
/// value read from an integer tensor, which is any value that the tensor can hold.
struct Instance {
  std::vector<std::size_t> variables;
  std::vector<Linear> subscripts;  ///< full_subscripts
  bool certain = true;             ///< data does not decide whether and where
};

/// Adds an instance to a set. With `where`, only iterations in which the access is made. Nothing where a subscript is
/// not quasi-affine or there are too many loops.
[[nodiscard]] std::optional<Instance> add_instance(IntegerSet& set, const AccessTable& table, const ValueFacts& facts,
                                                   const Access& access, bool where);

/// Both touch one element; they have equally many subscripts.
void require_same_element(IntegerSet& set, const Instance& first, const Instance& second);

/// The first runs before the second: earlier in the shared loops, or in the same iteration of them and earlier in the
/// text. In one statement's iteration the reads come before the write.
[[nodiscard]] Formula runs_before(const AccessTable& table, const Access& first, const Instance& first_instance,
                                  const Access& second, const Instance& second_instance);

}  // namespace steptp
