#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "steptp/prove/accumulations.h"
#include "steptp/prove/as_written.h"
#include "steptp/prove/evaluator.h"
#include "steptp/prove/reaching_writes.h"
#include "steptp/prove/recurrences.h"
#include "steptp/prove/shared.h"
#include "steptp/prove/values.h"
#include "steptp/prove/write_solver.h"
#include "steptp/prove/writers.h"

namespace steptp::forms {

using Numbering = std::map<Version, std::uint32_t>;

/// The parts of a flow, which ask each other: a read asks for the writes that reach it, these for the values that were
/// written, and those for what they read.
struct FlowParts {
  FlowParts(Shared& shared, const Program& program, bool unrolls);

  Shared& shared;
  FlowOptions options;
  const Writers writers;
  Hazards hazards;
  Conversions conversions;
  Evaluator evaluator;
  WrittenValues written;
  WriteSolver solver;
  ReachingWrites reaching;
  Accumulations accumulations;
  Recurrences recurrences;
};

/// Values of elements as functions of indices: every read is followed to the writes that reach it, symbolically.
/// Relies on a program that `check` calls ok: a read that is reached sees a defined element.
class Flow {
 public:
  Flow(Shared& shared, const Program& program, bool unrolls = false);

  /// See FlowOptions.
  void overestimate_sums() { parts_.options.overestimates_sums = true; }
  void keep_order_of_sums() { parts_.options.keeps_order_of_sums = true; }

  [[nodiscard]] const Writers& writers() const { return parts_.writers; }
  /// Some recurrence goes through other statements.
  [[nodiscard]] bool has_roundabouts() const { return parts_.recurrences.has_roundabouts(); }

  /// The value of an element of an output at the end.
  [[nodiscard]] Value output(const std::string& name, const std::vector<Affine>& element);
  /// The value of an element of a version, where reads of other versions that have a number stay reads.
  [[nodiscard]] Value value(const Version& version, const std::vector<Affine>& element);

  /// A version that is read as `definition(number)` from now on.
  void set_number(const Version& version, VersionNumbers numbers) { parts_.reaching.set_number(version, numbers); }
  /// Takes all numbers back.
  void forget_numbers();
  /// Recurrences were written down with the numbers that there were.
  void renew_recurrences() { parts_.recurrences.find_recurrences(); }

 private:
  FlowParts parts_;
};

// The words of FlowRoom, once all parts are known.
inline PolynomialId FlowRoom::to_real(const Value& value) { return parts_.conversions.to_real(value); }
inline Value FlowRoom::integer_of(PolynomialId polynomial) { return parts_.conversions.integer_of(polynomial); }
inline SolvedWrite FlowRoom::solve(std::size_t writer, const std::vector<Affine>& element,
                                   const std::map<std::size_t, Affine>& fixed) {
  return parts_.solver.solve(writer, element, fixed);
}
inline Value FlowRoom::right_side(std::size_t statement, const std::vector<Affine>& loops, bool as_accumulator,
                                  std::optional<PolynomialId> accumulator) {
  return parts_.evaluator.right_side(statement, loops, as_accumulator, accumulator);
}

}  // namespace steptp::forms
