// What a certificate says of an evaluation: the first points, and every branch with what was seen of it.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "steptp/base/text.h"
#include "steptp/certify/findings.h"

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

void Findings::record_point(Comparison& comparison, const Draw& draw, const OutputPoint& point,
                            const PointAnswer& found) {
  if (!pair_.options.keep_record || answer_.record.points.size() >= kMostPoints) return;
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

void Findings::record_branches(const SettledOutcomes& settled) {
  if (!pair_.options.keep_record) return;
  for (const bool in_before : {true, false}) {
    const Code& code = pair_.code(in_before);
    const Coverage& coverage = pair_.coverage(in_before);
    const auto& outcomes = seen(in_before);
    for (std::uint32_t i = 0; i < code.branches.size(); ++i) {
      const Branch& branch = code.branches[i];
      if (branch.is_selection) continue;  // the comparisons in it are listed
      const auto state = [&](bool outcome) -> std::string {
        if ((outcomes[i] & (outcome ? 2 : 1)) != 0) return "seen";
        if (!coverage.matters(i)) return "is not used";
        return settled.contains(in_before, i, outcome) ? "does not occur" : "as in the other program";
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
