#include "steptp/certify/record.h"

#include <utility>

#include "steptp/certify/inputs.h"

namespace steptp::certify {

std::vector<RecordedInput> describe_inputs(const Program& before, const Program& after) {
  std::vector<RecordedInput> out;
  const InputModel model = model_inputs(before, after);
  for (const InputFacts& facts : model.inputs) {
    RecordedInput input;
    input.name = facts.variable->name;
    if (!facts.variable->values.empty()) {
      input.draw = "given";
    } else if (!is_float(facts.variable->dtype)) {
      const IntegerRange range = legal_range(facts);
      input.draw = "integer";
      input.least = range.low;
      input.greatest = range.high;
      input.skips_zero = range.skip_zero;
      input.is_bounded = facts.is_bounded;
    } else {
      switch (facts.domain.kind) {
        case Domain::Kind::unstated:
        case Domain::Kind::any: input.draw = "any"; break;
        case Domain::Kind::positive: input.draw = "positive"; break;
        case Domain::Kind::nonzero: input.draw = "nonzero"; break;
        case Domain::Kind::masked: input.draw = "masked"; break;
        case Domain::Kind::range:
          input.draw = "range";
          input.low = facts.domain.low;
          input.high = facts.domain.high;
          break;
      }
    }
    out.push_back(std::move(input));
  }
  return out;
}

}  // namespace steptp::certify
