#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "replay/evaluate.h"
#include "replay/form.h"
#include "steptp/base/json.h"
#include "steptp/base/result.h"
#include "steptp/ir/program.h"

namespace steptp::replayer {

/// A part of a tensor, and its elements there as a function of i0, i1, ...
struct Region {
  FormPtr where;
  FormPtr form;
  FormPtr after;  ///< the form of `after`, where it is another; otherwise null
  /// 1 where the element has no value, 0 elsewhere; null where it has one everywhere.
  FormPtr no_value_before;
  FormPtr no_value_after;
  [[nodiscard]] const FormPtr& form_after() const { return after ? after : form; }
};

/// What is claimed of every value of a tensor that stands for itself. A sign says nothing of NaN.
struct Facts {
  bool nonnegative = false;
  bool nonpositive = false;
  bool nonzero = false;
  bool finite = false;
  bool is_number = false;
};

/// These versions of tensors of both programs have these elements.
struct Claim {
  std::int64_t number = -1;  ///< the value number; outputs have none
  std::string output;
  std::vector<std::int64_t> shape;
  std::vector<VersionName> before;
  std::vector<VersionName> after;
  std::vector<Region> regions;
  Facts facts;
  [[nodiscard]] std::string name() const;
  /// A name for a form that others refer to, and no tensor.
  [[nodiscard]] bool is_name() const { return number >= 0 && before.empty() && after.empty(); }
};

struct SideCondition {
  std::string needs;  ///< nonzero, finite, nonnegative
  FormPtr of;
  struct Variable {
    std::uint32_t number = 0;
    std::int64_t low = 0;
    std::int64_t high = 0;
  };
  std::vector<Variable> variables;
};

/// The values from which the judge drew an input at generic points; a part of those that are legal.
struct InputRule {
  std::string name;
  std::string draw;  ///< any, positive, nonzero, masked, range, integer, given
  double low = 0;
  double high = 0;
  std::int64_t least = 0;
  std::int64_t greatest = 0;
  bool skips_zero = false;
  bool is_bounded = false;
};

/// What is believed of an input without a domain: that it is in range where it indexes a tensor, or not zero where it
/// divides.
struct Assumption {
  std::string text;
  std::string name;
  std::string indexed;  ///< the tensor; empty: not zero
  std::int64_t low = 0;
  std::int64_t high = 0;  ///< not included
};

/// Elements of inputs by name and position, as exact values; others have the fill of their input, if there is one.
struct GivenInputs {
  std::map<std::string, std::string> fill;
  std::map<std::pair<std::string, std::vector<std::int64_t>>, std::string> elements;
};

struct RecordedPoint {
  std::string output;
  std::vector<std::int64_t> index;
  std::uint64_t seed = 0;  ///< of a generic draw, where no inputs are written out
  std::string by;          ///< field, balls, integers; nothing at a counterexample
  std::uint64_t prime = 0;
  std::string before;  ///< residue, or number as text
  std::string after;
  std::optional<GivenInputs> inputs;  ///< where they are written out
};

/// What `exact` rests on.
struct Cover {
  std::string by;  ///< cells, elements
  std::uint64_t count = 0;
  std::optional<double> bound_log2;
};

/// Values of a source reach an output, or decide what does, through a type that is too narrow: significand bits and
/// the greatest exponent.
struct Loss {
  std::string source;  ///< the name of a known variable, "literal 0.1 in f32" or "index in f32"
  bool decides = false;
  std::string output;
  std::pair<std::int64_t, std::int64_t> found;
  std::pair<std::int64_t, std::int64_t> expected;
};

struct Certificate {
  std::string id;
  std::string verdict;
  bool same = false;
  Program before;
  Program after;
  std::vector<Assumption> assumes;
  /// Of each known variable: its domain, or what is assumed of it where it has none.
  std::map<std::string, Domain, std::less<>> domains;
  std::vector<double> numbers;  ///< the literals of both programs
  Names names;
  // proved
  std::vector<Claim> values;
  std::vector<Claim> outputs;
  std::vector<SideCondition> conditions;
  std::size_t unused_parts = 0;  ///< parts of forms to which nothing refers
  // exact
  std::optional<Cover> cover;
  std::vector<InputRule> inputs;
  std::vector<RecordedPoint> points;
  // differs
  std::optional<RecordedPoint> counterexample;
  std::optional<Loss> loss;
};

/// Reads a certificate; the error says what is wrong with the file. Nothing in it is believed yet.
[[nodiscard]] Result<Certificate, std::string> read_certificate(std::string_view text);

}  // namespace steptp::replayer
