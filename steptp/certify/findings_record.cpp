// What a certificate says of an evaluation: the first points.
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

}  // namespace steptp::certify
