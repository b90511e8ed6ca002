// The flow of values through a program (docs/decisions/0011). An output element is asked for; its value is what the
// last write put there, found symbolically (reaching_writes.cpp) by solving the writer's subscripts for its loops
// (write_solver.cpp); that write's right side is evaluated (evaluate.cpp), which asks for what it reads; accumulations
// become folds (accumulations.cpp), and statements that read what they wrote become recurrences (recurrences.cpp).
// Nothing is unrolled, so the cost does not depend on extents.
#include "steptp/prove/flow.h"

namespace steptp::forms {

FlowRoom::FlowRoom(FlowParts& parts)
    : parts_(parts),
      arena_(parts.shared.arena),
      writers_(parts.writers),
      table_(parts.writers.table()),
      hazards_(parts.hazards) {}

std::optional<int> FlowRoom::order(const Affine& left, const Affine& right) {
  const Interval gap = arena_.known.range(Affine::difference(left, right));
  if (gap.is_point() && gap.low == 0) return 0;
  if (gap.high < 0) return -1;
  if (gap.low > 0) return 1;
  return std::nullopt;
}

FlowParts::FlowParts(Shared& known, const Program& program, bool unrolls)
    : shared(known),
      options{.unrolls = unrolls},
      writers(program),
      hazards(known.arena),
      conversions(known.arena),
      evaluator(*this),
      written(*this),
      solver(*this),
      reaching(*this),
      accumulations(*this),
      recurrences(*this) {}

Flow::Flow(Shared& shared, const Program& program, bool unrolls) : parts_(shared, program, unrolls) {
  parts_.recurrences.find_recurrences();
}

void Flow::forget_numbers() {
  parts_.reaching.forget_numbers();
  renew_recurrences();
}

Value Flow::output(const std::string& name, const std::vector<Affine>& element) {
  parts_.recurrences.prepare_recurrences(writers().table().statements.size());
  parts_.reaching.begin();
  parts_.evaluator.begin_element();
  return parts_.reaching.resolve(name, element, kEnd, {}, writers().of(name).size());
}

Value Flow::value(const Version& version, const std::vector<Affine>& element) {
  if (version.writers > 0) {
    parts_.recurrences.prepare_recurrences(writers().of(version.tensor)[version.writers - 1] + 1);
  }
  parts_.reaching.begin();
  parts_.evaluator.begin_element();
  return parts_.reaching.resolve(version.tensor, element, kEnd, {}, version.writers);
}

}  // namespace steptp::forms
