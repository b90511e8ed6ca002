#include "steptp/verify/vacuous.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "steptp/oracle/inputs.h"
#include "steptp/oracle/machine.h"
#include "steptp/prove/prove.h"

namespace steptp {

namespace {

constexpr std::uint64_t kSeeds = 3;
constexpr std::uint64_t kOperations = 1'000'000;

/// Some run ends with a number there, or could not be made.
bool may_be_number(const Program& program, const PerhapsFilled& place) {
  if (!place.element) return true;
  RunOptions options;
  options.budget = kOperations;
  options.elements = {{place.output, *place.element}};
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const auto inputs = make_inputs(program.signature, seed);
    if (!inputs) return true;
    const auto result = run(program, *inputs, options);
    if (!result || result->elements.empty()) return true;
    const Scalar& value = result->elements[0];
    if (!is_float(value.dtype()) || !std::isnan(value.as_real())) return true;
  }
  return false;
}

}  // namespace

bool fills_vacuous_elements(const Program& before, const Program& after) {
  const std::vector<PerhapsFilled> places = perhaps_filled(before, after);
  return std::any_of(places.begin(), places.end(),
                     [&](const PerhapsFilled& place) { return may_be_number(after, place); });
}

}  // namespace steptp
