// What a certificate says of an evaluation.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "steptp/base/text.h"
#include "steptp/certify/judge.h"

namespace steptp::certify {

namespace {

/// Points beyond these are looked at but not written down.
constexpr std::size_t kMostPoints = 400;
constexpr std::size_t kMostGeneric = 200;
/// Special draws are written down as values, where an element reads no more than these.
constexpr std::size_t kMostReads = 64;

/// Balls agree on many digits; a program without balls can check as many as a double has.
std::string shortened(const std::string& digits) {
  double value = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  // Subnormal numbers have fewer digits than they are worth.
  if (read.ec != std::errc() || std::fabs(value) < std::numeric_limits<double>::min()) return digits;
  std::array<char, 64> buffer{};
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
}

}  // namespace

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

void Judge::record_point(Comparison& comparison, const Draw& draw, const OutputPoint& point, const PointAnswer& found) {
  if (!options_.keep_record || answer_.record.points.size() >= kMostPoints) return;
  const bool is_generic = draw.kind == DrawKind::generic;
  if (is_generic && answer_.record.points.size() >= kMostGeneric) return;
  EvaluationRecord::Point out;
  out.output = point.output;
  out.element = point.element;
  out.draw = name_of(draw.kind);
  out.seed = draw.seed;
  out.by = found.is_integer ? "integers" : found.by_field ? "field" : "balls";
  out.prime = found.prime;
  out.before = out.by == "field" ? std::to_string(found.before_residue) : found.before;
  out.after = out.by == "field" ? std::to_string(found.after_residue) : found.after;
  if (!is_generic) {
    out.given = comparison.given_inputs(point, kMostReads);
    if (!out.given) return;
  }
  if (out.by == "balls") out.before = out.after = shortened(found.before);
  answer_.record.points.push_back(std::move(out));
}

void Judge::record_branches() {
  if (!options_.keep_record) return;
  for (const bool in_before : {true, false}) {
    const Code& code = in_before ? before_ : after_;
    const Coverage& coverage = in_before ? before_coverage_ : after_coverage_;
    const auto& seen = in_before ? seen_before_ : seen_after_;
    for (std::uint32_t i = 0; i < code.branches.size(); ++i) {
      const Branch& branch = code.branches[i];
      if (branch.is_selection) continue;  // the comparisons in it are listed
      const auto state = [&](bool outcome) -> std::string {
        if ((seen[i] & (outcome ? 2 : 1)) != 0) return "seen";
        if (!coverage.matters(i)) return "is not used";
        return settled_.contains({in_before, i, outcome}) ? "does not occur" : "as in the other program";
      };
      answer_.record.branches.push_back({in_before, code.table.statements[branch.statement].items, branch.condition,
                                         branch.fold         ? "fold"
                                         : branch.on_indices ? "indices"
                                                             : "data",
                                         state(true), state(false)});
    }
  }
}

}  // namespace steptp::certify
