#pragma once

#include <optional>
#include <string>
#include <vector>

#include "steptp/measure/expected.h"
#include "steptp/measure/time_programs.h"

namespace steptp {

/// What the runs of the programs of a request are compared with.
class Comparisons {
 public:
  /// `order`: in which a run of a program does its operations, where a program is evaluated itself.
  Comparisons(const TimeRequest& request, RunOrder order) : request_(request), order_(order) {}

  /// The elements of one program; those of the programs before it are asked for first.
  void evaluate(std::size_t i);
  [[nodiscard]] const Expectations& of(std::size_t i) const { return expectations_[i]; }

  /// Whose inputs a program gets: the root's, those of the first program with its signature, or its own.
  [[nodiscard]] const Program& drawn_for(std::size_t i) const;
  [[nodiscard]] std::uint64_t seed() const { return request_.root ? request_.root->seed() : request_.seed; }
  [[nodiscard]] bool has_inputs_of_first(std::size_t i) const;

  /// Programs with one signature are said to be one function. A note where certified values of a program and of the
  /// first one say otherwise.
  [[nodiscard]] std::optional<std::string> difference_from_first(std::size_t i) const;

  /// A run did not meet the root's elements. True, once, where certified values of the program itself agree with all of
  /// them, and stand in their place from now on: the root's bounds were too narrow for how this program computes.
  [[nodiscard]] bool take_own(std::size_t i);

 private:
  [[nodiscard]] Expectations own(std::size_t i) const;

  const TimeRequest& request_;
  RunOrder order_;
  std::vector<Expectations> expectations_;
  std::vector<bool> has_own_;
};

/// Whether two programs have the same variables, in order.
[[nodiscard]] bool have_same_variables(const Program& one, const Program& other);

}  // namespace steptp
