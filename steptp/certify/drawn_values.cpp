// How each kind of draw makes its values (DrawKind): random bits of an element, by seed, name and position, become a
// number that the domain and the type allow. Generic reals are multiples of 2^-52, which arithmetic is quick with;
// lines and ties have few digits, so that points between them are exact. docs/decisions/0010-certified-evaluation.md.
#include <algorithm>
#include <cmath>
#include <vector>

#include "steptp/base/random.h"
#include "steptp/certify/domains.h"
#include "steptp/certify/inputs.h"

namespace steptp::certify {

namespace {

constexpr double kTies[] = {0, 1, -1, 0.5, 2, -0.5};

/// One of the numbers that the programs compare data with: exactly, a little beside it, one beside it, twice as much.
double near_threshold(const std::vector<double>& thresholds, std::uint64_t bits, double generic) {
  const std::uint64_t choice = (bits & 0xff) % 8;
  if (thresholds.empty() || choice == 7) return generic;
  const double threshold = thresholds[(bits >> 8) % thresholds.size()];
  const double step = std::max(std::fabs(threshold), 0x1p-10) * 0x1p-40;
  const double choices[] = {threshold,     threshold + step, threshold - step,   threshold + 1,
                            threshold - 1, 2 * threshold,    generic + threshold};
  const double wanted = choices[choice];
  return std::isfinite(wanted) ? wanted : threshold;
}

std::int64_t uniform(const IntegerRange& range, std::uint64_t bits) {
  const std::uint64_t width = static_cast<std::uint64_t>(range.high) - static_cast<std::uint64_t>(range.low) + 1;
  const std::int64_t value = range.low + static_cast<std::int64_t>(width == 0 ? bits : bits % width);
  if (value != 0 || !range.skip_zero) return value;
  return range.high > 0 ? range.high : range.low;
}

}  // namespace

/// Every other seed ties at round numbers, the others at generic ones: a tie at zero hides what is multiplied by it. A
/// quarter of the elements is generic, so that a tie elsewhere shows in them. In half of the seeds the elements of a
/// row are the same: what a row is reduced to then ties as often as single elements do.
double InputSource::tie(const InputFacts& facts, std::int64_t position, std::uint64_t bits) const {
  const std::uint64_t mode = mix(draw_.seed);
  if ((mode & 2) != 0) {
    const std::int64_t row = facts.variable->shape.empty() ? 1 : facts.variable->shape.back();
    bits = random_at(draw_.seed ^ facts.stream, static_cast<std::uint64_t>(position / row));
  }
  const std::uint64_t choice = bits & 0xff;
  if (choice % 4 == 3) return 2 * static_cast<double>(bits >> 11) * 0x1p-53 - 1;
  if ((mode & 1) == 0) return kTies[(choice >> 2) % std::size(kTies)];
  constexpr std::uint64_t kValues = 3;
  return 2 * static_cast<double>(random_at(mode, (choice >> 2) % kValues) >> 11) * 0x1p-53 - 1;
}

bool InputSource::is_masked(const InputFacts& facts, std::int64_t position) const {
  if (&facts != &model_.inputs[draw_.input]) return false;
  const std::int64_t row = facts.variable->shape.empty() ? 1 : facts.variable->shape.back();
  return draw_.kind == DrawKind::masked_first ? position % row == 0 : position / row % 2 == 0;
}

bool InputSource::is_hidden(const InputFacts& facts, std::int64_t position, std::uint64_t bits) const {
  const std::int64_t row = facts.variable->shape.empty() ? 1 : facts.variable->shape.back();
  const std::int64_t hiding = draw_.step % kHidings;
  return hiding == 0 ? bits % 4 == 0 : hiding == 1 ? position % row == 0 : hiding == 3 || position / row % 2 == 0;
}

bool InputSource::is_in_pattern(const std::vector<std::int64_t>& shape, std::int64_t position) const {
  if (draw_.step % kPatterns >= kAllTrue) return draw_.step % kPatterns == kAllTrue;
  const auto axis = static_cast<std::size_t>(draw_.step / kPatterns);
  for (std::size_t d = shape.size() - 1; d > axis; --d) position /= shape[d];
  const std::int64_t place = position % shape[axis];
  switch (draw_.step % kPatterns) {
    case 0: return place % 2 == 0;
    case 1: return place % 2 == 1;
    case 2: return place == 0;
    case 3: return place != 0;
    case 4: return place == shape[axis] - 1;
    default: return place != shape[axis] - 1;
  }
}

double InputSource::special_real(const InputFacts& facts, std::int64_t position, std::uint64_t bits) const {
  const auto small = static_cast<std::size_t>(bits & 0xff);
  const double unit = static_cast<double>(bits >> 11) * 0x1p-53;
  const double generic = 2 * unit - 1;
  double wanted = generic;
  switch (draw_.kind) {
    case DrawKind::generic:
    case DrawKind::pattern:
    case DrawKind::hidden:
    case DrawKind::first_index:
    case DrawKind::last_index:
    case DrawKind::line: break;
    case DrawKind::positive: wanted = unit + 0x1p-53; break;
    case DrawKind::negative: wanted = -unit - 0x1p-53; break;
    case DrawKind::ties: wanted = tie(facts, position, bits); break;
    case DrawKind::solved: {
      const bool is_zero = draw_.step % 2 == 1 &&
                           &facts == &model_.inputs[static_cast<std::size_t>(draw_.step / 2) % model_.inputs.size()];
      wanted = is_zero ? 0 : (static_cast<double>(bits % 4096) - 2047) / 1024;
      break;
    }
    case DrawKind::zeros: wanted = 0; break;
    case DrawKind::large: wanted = generic * 24; break;
    case DrawKind::wide: {
      const double width = facts.variable->dtype == DType::f16 ? 12 : 100;
      // What sums of products of wide values are like.
      wanted = generic * width * (facts.is_made ? 16 * width : 1);
      break;
    }
    case DrawKind::huge: wanted = generic * static_cast<double>(std::uint64_t{1} << small % 64); break;
    case DrawKind::tiny: wanted = std::trunc(generic * 0x1p22) * 0x1p-52; break;
    case DrawKind::below: wanted = -(unit + 1) * model_.beyond; break;
    case DrawKind::above: wanted = (unit + 1) * model_.beyond; break;
    case DrawKind::rising: wanted = (static_cast<double>(position) + unit) * 0x1p-20; break;
    case DrawKind::falling: wanted = -(static_cast<double>(position) + unit) * 0x1p-20; break;
    case DrawKind::peak:
    case DrawKind::dip:
      if (position == draw_.position && &facts == &model_.inputs[draw_.input]) {
        wanted = (draw_.kind == DrawKind::peak ? 1 : -1) * (8 + unit);
      }
      break;
    case DrawKind::masked_first:
    case DrawKind::masked:
      // So far down that exp is zero in the type, and not so far that an input which is no mask overflows sums.
      if (is_masked(facts, position)) wanted = facts.variable->dtype == DType::f16 ? -64 : -0x1p14;
      break;
    case DrawKind::thresholds: wanted = near_threshold(model_.thresholds, bits, generic); break;
  }
  const double greatest = greatest_of(facts.variable->dtype);
  return nearest_inside(facts.domain, std::clamp(wanted, -greatest, greatest), unit);
}

Fraction InputSource::drawn_real(std::size_t input, std::int64_t position) const {
  const InputFacts& facts = model_.inputs[input];
  if (!facts.variable->values.empty()) {
    const double value = facts.variable->values[static_cast<std::size_t>(position)];
    return std::isinf(value) ? kMinusInfinity : fraction_of(value);
  }
  if (draw_.chosen) {
    const double value = draw_.chosen->real(input, position);
    return std::isinf(value) ? kMinusInfinity : fraction_of(value);
  }
  const std::uint64_t bits = random_at(draw_.seed ^ facts.stream, static_cast<std::uint64_t>(position));
  if (draw_.kind == DrawKind::hidden && facts.domain.kind == Domain::Kind::masked && is_hidden(facts, position, bits))
    return kMinusInfinity;
  const bool plain = is_two_sided(facts.domain);
  if (draw_.kind == DrawKind::generic && facts.domain.kind != Domain::Kind::range) {
    const auto k = static_cast<std::int64_t>(bits >> 11);
    if (plain) {
      const std::int64_t centred = k - (std::int64_t{1} << 52);
      return {centred == 0 ? 1 : centred, -52};
    }
    return {k + 1, -52};
  }
  if (draw_.kind == DrawKind::line && facts.domain.kind != Domain::Kind::range) {
    // Two ends of 20 bits and a step of kLineBits between them are exact together.
    constexpr int kEndBits = 20;
    const auto end = [plain](std::uint64_t random) {
      const auto k = static_cast<std::int64_t>(random >> (64 - kEndBits));
      return plain ? 2 * k + 1 - (std::int64_t{1} << kEndBits) : 2 * k + 1;
    };
    const std::int64_t first = end(bits);
    return {first * kLineSteps + (end(mix(bits)) - first) * draw_.step, -kEndBits - kLineBits};
  }
  return fraction_of(special_real(facts, position, bits));
}

std::int64_t InputSource::drawn_integer(std::size_t input, std::int64_t position) const {
  const InputFacts& facts = model_.inputs[input];
  if (!facts.variable->values.empty()) {
    return static_cast<std::int64_t>(facts.variable->values[static_cast<std::size_t>(position)]);
  }
  if (draw_.chosen) return draw_.chosen->integer(input, position);
  const std::uint64_t bits = random_at(draw_.seed ^ facts.stream, static_cast<std::uint64_t>(position));
  return uniform(drawn_range(facts, position, bits), mix(bits));
}

IntegerRange InputSource::drawn_range(const InputFacts& facts, std::int64_t position, std::uint64_t bits) const {
  const IntegerRange legal = legal_range(facts);
  IntegerRange range = legal;
  const auto near = [&](std::int64_t low, std::int64_t high) {
    range.low = std::clamp(low, legal.low, legal.high);
    range.high = std::clamp(high, legal.low, legal.high);
  };
  switch (draw_.kind) {
    case DrawKind::generic:
    case DrawKind::line:
    case DrawKind::solved:
    case DrawKind::tiny:
    case DrawKind::hidden:
    case DrawKind::peak:
    case DrawKind::dip:
      // Half of the seeds small, so that integers meet.
      if (!facts.is_bounded && (mix(draw_.seed) & 1) != 0) near(-8, 8);
      break;
    case DrawKind::large:
    case DrawKind::wide:
    case DrawKind::huge:
    case DrawKind::rising:
    case DrawKind::falling: break;
    case DrawKind::above: near(legal.high - 16, legal.high); break;
    case DrawKind::below: near(legal.low, legal.low + 16); break;
    case DrawKind::positive: near(1, 16); break;
    case DrawKind::negative: near(-16, -1); break;
    case DrawKind::ties: near(-1, 2); break;
    case DrawKind::zeros: near(0, 0); break;
    case DrawKind::masked_first:
    case DrawKind::masked:
      if (is_masked(facts, position)) {
        near(0, 0);
      } else if (&facts == &model_.inputs[draw_.input]) {
        near(1, 1);
      }
      break;
    case DrawKind::pattern:
      if (&facts == &model_.inputs[draw_.input]) {
        const std::int64_t value = is_in_pattern(facts.variable->shape, position) ? 1 : 0;
        near(value, value);
      }
      break;
    case DrawKind::first_index: near(legal.low, legal.low); break;
    case DrawKind::last_index: near(legal.high, legal.high); break;
    case DrawKind::thresholds: {
      const std::vector<double>& list = model_.thresholds;
      if (list.empty()) break;
      const double threshold = list[(bits >> 8) % list.size()];
      const std::int64_t around = clamp_to(info(facts.variable->dtype), threshold);
      constexpr std::int64_t kFarOff = std::int64_t{1} << 61;
      const std::int64_t centre = std::clamp(around, -kFarOff, kFarOff);
      near(centre - 1, centre + 1);
      break;
    }
  }
  return range;
}

}  // namespace steptp::certify
