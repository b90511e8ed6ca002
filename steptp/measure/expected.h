#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "steptp/base/json.h"
#include "steptp/base/result.h"
#include "steptp/oracle/machine.h"

namespace steptp {

/// What an element of an output has to be, and how far from it a result of another order of operations may lie.
struct ExpectedElement {
  std::string output;
  std::int64_t position = 0;
  std::vector<std::int64_t> subscripts;
  bool is_real = true;
  double value = 0;
  double allowed = 0;    ///< of a run of this program
  double any_order = 0;  ///< of another program that is equal to it; at least `allowed`, infinite where not known
  std::int64_t integer = 0;
  bool each_run = true;  ///< compared after every run; otherwise after the first one and the last one
};

struct Expectations {
  std::vector<ExpectedElement> elements;
  std::string problem;  ///< why some of the elements have no certified value; empty where all have
};

/// Inputs as verification draws them: each element a function of seed, name and position, within the domains that the
/// signature states or the program's use demands. Programs that are compared take those of one. Error: why there are
/// none.
[[nodiscard]] Result<Tensors, std::string> drawn_inputs(const Program& program, std::uint64_t seed);

/// In which order a run does the operations of a program.
enum class RunOrder : std::uint8_t {
  text,     ///< in that of the text, as on a CPU
  threads,  ///< in that of the text, but for reductions over threads and blocks, as our CUDA text does them
  any,      ///< not known: runs of other programs that are equal to this one
};

/// Corners and random elements of every output at the inputs of `drawn`, evaluated one by one in the declared types
/// with a running error bound (arithmetic/rounded_arithmetic.h). Allowed is what `verify` calls safe: 8 times the bound
/// of the program in the order of its text, and 4 units in the last place. Where that is too wide to show that a term
/// is missing, as for long sums in f16, and the order of the run is known (measure/thread_order.h), it is what such a
/// run can have (arithmetic/ordered_arithmetic.h), and the same units. Where a comparison of data lies within the
/// errors, bounds hold for both outcomes. Elements whose bounds stay too wide, or that are integers which errors may
/// decide, are left out and others tried instead; so is what takes more than `operations`. With `RunOrder::any` there
/// is no interval of an order, and allowed is one bound more: how far the value itself may be from the exact one.
[[nodiscard]] Expectations expected_elements(const Program& program, const Program& drawn, std::uint64_t seed,
                                             std::uint32_t wanted = 8, std::uint64_t operations = 30'000'000,
                                             RunOrder order = RunOrder::threads);

/// The same at the elements of `places`, of which output and position count. Those of which nothing can be said are
/// left out.
[[nodiscard]] Expectations expected_elements_at(const Program& program, const Program& drawn, std::uint64_t seed,
                                                const std::vector<ExpectedElement>& places, std::uint64_t operations,
                                                RunOrder order);

/// Whether certified values of two programs at one element do not exclude that they are the same.
[[nodiscard]] bool may_be_equal(const ExpectedElement& one, const ExpectedElement& other);

/// Whether a value is what was expected.
[[nodiscard]] bool is_expected(const ExpectedElement& expected, const Scalar& value);

[[nodiscard]] Json to_json(const Expectations& expectations);
/// Nothing where the elements are not what `to_json` writes.
[[nodiscard]] std::optional<std::vector<ExpectedElement>> expectations_from_json(const Json& json);

}  // namespace steptp
