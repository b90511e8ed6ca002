#include <algorithm>

#include "testing/deep_stack.h"
#include "testing/meaning.h"

namespace steptp::testing {

namespace {

/// The order of docs/verification.md, "What equal means": a number or an infinity has to stay what it is; NaN or no
/// value may become anything. Where the values cannot be compared, no difference is claimed.
bool differs(MeantArithmetic& arithmetic, Meant before, Meant after) {
  if (!before.is_number() && !before.is_infinite()) return false;
  if (after.kind == Meant::Kind::unknown) return false;
  if (before.kind != after.kind) return true;
  const auto order = arithmetic.order(before, after);
  return order && *order != 0;
}

std::vector<OutputElement> all_elements(const Signature& signature) {
  std::vector<OutputElement> out;
  for (const Variable& variable : signature.variables) {
    if (variable.role != Role::output) continue;
    const std::int64_t count = element_count(variable.shape).value_or(0);
    for (std::int64_t i = 0; i < count; ++i) out.emplace_back(variable.name, subscripts_at(variable.shape, i));
  }
  return out;
}

}  // namespace

std::map<std::string, std::vector<Meant>> evaluate_meaning(const Program& program, const MeaningInputs& inputs,
                                                           Reals& reals) {
  std::map<std::string, std::vector<Meant>> out;
  on_deep_stack([&] {
    Meaning meaning(program, inputs, reals);
    for (const auto& [output, index] : all_elements(program.signature)) {
      out[output].push_back(meaning.element(output, index));
    }
  });
  return out;
}

std::optional<MeaningDifference> first_difference(const Program& before, const Program& after,
                                                  const MeaningInputs& inputs,
                                                  const std::vector<OutputElement>& elements, std::uint64_t steps) {
  std::optional<MeaningDifference> out;
  on_deep_stack([&] {
    Reals reals;
    Meaning first(before, inputs, reals, steps);
    Meaning second(after, inputs, reals, steps);
    for (const auto& [output, index] : elements.empty() ? all_elements(before.signature) : elements) {
      const Meant one = first.element(output, index);
      const Meant other = second.element(output, index);
      if (!differs(first.arithmetic(), one, other)) continue;
      out = {output, index, first.arithmetic().text(one), first.arithmetic().text(other)};
      return;
    }
  });
  return out;
}

}  // namespace steptp::testing
