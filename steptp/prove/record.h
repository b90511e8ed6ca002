#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace steptp {

/// A proof as statements that other code can check: which tensors of the two programs are one value number, and what
/// the elements of each are, as a formula over i0, i1, ... (the grammar of the formulas is in replay/form.h).
struct ProofRecord {
  struct Region {
    std::string where;
    std::string form;
    std::string after;  ///< cells: the form of `after`, where it is written in another way
    /// Where the element has no value, as a form that is 1 there and 0 elsewhere; empty where it has one everywhere.
    /// Outputs have it, and what they refer to: values that are no tensors.
    std::string no_value_before;
    std::string no_value_after;
  };
  struct Version {
    std::string tensor;
    std::size_t writers = 0;
  };
  struct Value {
    std::uint32_t number = 0;
    std::vector<std::int64_t> shape;
    std::vector<Version> before;
    std::vector<Version> after;
    std::vector<Region> regions;
    bool nonnegative = false;
    bool nonpositive = false;
    bool nonzero = false;
    bool finite = false;
    bool is_number = false;
  };
  struct Output {
    std::string name;
    std::vector<std::int64_t> shape;
    std::vector<Region> regions;
  };
  /// A law was used that needs this of a part: that it is nonzero (a factor of a divisor that may cancel), finite (a
  /// term that cancels) or nonnegative (a magnitude that is left out).
  struct Condition {
    std::string needs;
    std::string of;
    std::vector<std::pair<std::string, std::pair<std::int64_t, std::int64_t>>> variables;
  };
  std::vector<std::string> parts;  ///< formulas that others refer to by number, `$3`
  std::vector<Value> values;       ///< in an order in which each is made of earlier ones
  std::vector<Output> outputs;
  std::vector<Condition> conditions;
  bool is_too_large = false;  ///< and therefore empty
};

}  // namespace steptp
