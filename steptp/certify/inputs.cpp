#include "steptp/certify/inputs.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "steptp/base/random.h"

namespace steptp::certify {

namespace {

constexpr double kTies[] = {0, 1, -1, 0.5, 2, -0.5};

/// The nearest thing to a wanted value that the domain allows.
double inside(const Domain& domain, double wanted, double unit) {
  switch (domain.kind) {
    case Domain::Kind::unstated:
    case Domain::Kind::masked:
    case Domain::Kind::any: return wanted;
    case Domain::Kind::positive: return wanted > 0 ? wanted : wanted < 0 ? -wanted : 0x1p-30;
    case Domain::Kind::nonzero: return wanted != 0 ? wanted : 0x1p-30;
    case Domain::Kind::range: {
      if (wanted >= domain.low && wanted < domain.high) return wanted;
      const double mapped = domain.low + (domain.high - domain.low) * unit;
      return mapped >= domain.low && mapped < domain.high ? mapped : domain.low;
    }
  }
  return wanted;
}

/// Drawn from all small numbers, but for zero.
bool is_two_sided(const Domain& domain) {
  return domain.kind != Domain::Kind::positive && domain.kind != Domain::Kind::range;
}

/// The greatest value of a float type.
double greatest_of(DType dtype) {
  const DTypeInfo& type = info(dtype);
  return std::ldexp(2 - std::ldexp(1.0, 1 - type.precision), type.max_exponent);
}

/// The domain may state less than the dtype's range or more; never more than fits.
std::int64_t clamp_to(const DTypeInfo& type, double value) {
  if (!(value > static_cast<double>(type.least))) return type.least;
  if (value >= static_cast<double>(type.greatest)) return type.greatest;
  return static_cast<std::int64_t>(value);
}

}  // namespace

IntegerRange legal_range(const InputFacts& facts) {
  const DTypeInfo& type = info(facts.variable->dtype);
  IntegerRange range = {type.least, type.greatest, false};
  // Wide enough to be generic, small enough that sums of thousands do not wrap in i64.
  constexpr std::int64_t kWide = std::int64_t{1} << 40;
  range.low = std::max(range.low, -kWide);
  range.high = std::min(range.high, kWide);
  switch (facts.domain.kind) {
    case Domain::Kind::unstated:
    case Domain::Kind::masked:
    case Domain::Kind::any: break;
    case Domain::Kind::positive: range.low = 1; break;
    case Domain::Kind::nonzero: range.skip_zero = true; break;
    case Domain::Kind::range:
      range.low = clamp_to(type, std::ceil(facts.domain.low));
      range.high = clamp_to(type, std::ceil(facts.domain.high) - 1);
      break;
  }
  if (facts.is_bounded) {
    range.low = std::max(range.low, facts.low);
    range.high = std::min(range.high, facts.high);
  }
  return range;
}

namespace {

std::int64_t uniform(const IntegerRange& range, std::uint64_t bits) {
  const std::uint64_t width = static_cast<std::uint64_t>(range.high) - static_cast<std::uint64_t>(range.low) + 1;
  const std::int64_t value = range.low + static_cast<std::int64_t>(width == 0 ? bits : bits % width);
  if (value != 0 || !range.skip_zero) return value;
  return range.high > 0 ? range.high : range.low;
}

}  // namespace

std::string_view name_of(DrawKind kind) {
  switch (kind) {
    case DrawKind::generic: return "generic";
    case DrawKind::positive: return "positive";
    case DrawKind::negative: return "negative";
    case DrawKind::ties: return "ties";
    case DrawKind::zeros: return "zeros";
    case DrawKind::thresholds: return "thresholds";
    case DrawKind::large: return "large";
    case DrawKind::wide: return "wide";
    case DrawKind::huge: return "huge";
    case DrawKind::tiny: return "tiny";
    case DrawKind::below: return "below";
    case DrawKind::above: return "above";
    case DrawKind::rising: return "rising";
    case DrawKind::falling: return "falling";
    case DrawKind::peak: return "peak";
    case DrawKind::dip: return "dip";
    case DrawKind::masked_first: return "masked_first";
    case DrawKind::masked: return "masked";
    case DrawKind::pattern: return "pattern";
    case DrawKind::hidden: return "hidden";
    case DrawKind::first_index: return "first_index";
    case DrawKind::last_index: return "last_index";
    case DrawKind::line: return "line";
    case DrawKind::solved: return "solved";
  }
  return "generic";
}

bool is_open(DrawKind kind) {
  return kind != DrawKind::solved && kind != DrawKind::ties && kind != DrawKind::zeros && kind != DrawKind::thresholds;
}

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
    case DrawKind::huge: wanted = std::ldexp(generic, static_cast<int>(small % 64)); break;
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
    case DrawKind::thresholds: {
      const std::vector<double>& list = model_.thresholds;
      if (list.empty() || small % 8 == 7) break;
      const double threshold = list[(bits >> 8) % list.size()];
      const double step = std::max(std::fabs(threshold), 0x1p-10) * 0x1p-40;
      const double choices[] = {threshold,     threshold + step, threshold - step,   threshold + 1,
                                threshold - 1, 2 * threshold,    generic + threshold};
      wanted = choices[small % 8];
      if (!std::isfinite(wanted)) wanted = threshold;
      break;
    }
  }
  const double greatest = greatest_of(facts.variable->dtype);
  return inside(facts.domain, std::clamp(wanted, -greatest, greatest), unit);
}

std::vector<std::int64_t> index_at(const Variable& variable, std::int64_t position) {
  std::vector<std::int64_t> index(variable.shape.size());
  for (std::size_t d = index.size(); d-- > 0; position /= variable.shape[d]) index[d] = position % variable.shape[d];
  return index;
}

bool is_legal(const InputFacts& facts, Fraction value) {
  if (value.is_minus_infinity()) return facts.domain.kind == Domain::Kind::masked;
  const double nearest = to_double(value);
  return std::fabs(nearest) <= greatest_of(facts.variable->dtype) && inside(facts.domain, nearest, 0) == nearest;
}

InputSource::InputSource(const InputModel& model, Draw draw) : model_(model), draw_(std::move(draw)) {
  for (const InputFacts& facts : model.inputs) {
    const bool is_constant = !facts.variable->values.empty();
    const bool is_plain = is_two_sided(facts.domain) && !is_constant && draw_.kind == DrawKind::generic &&
                          !draw_.given && !draw_.chosen;
    add_stream({draw_.seed ^ facts.stream, is_plain, is_constant ? nullptr : draw_.chosen,
                {is_constant, facts.may_be_nan, facts.domain}});
  }
  if (!draw_.given) return;
  fills_.resize(model.inputs.size());
  for (const auto& [name, value] : draw_.given->fill) {
    if (const auto at = model.numbers.find(name); at != model.numbers.end()) fills_[at->second] = value;
  }
  for (const auto& [element, value] : draw_.given->elements) {
    const auto at = model.numbers.find(element.first);
    if (at == model.numbers.end()) continue;
    const std::vector<std::int64_t>& shape = model.inputs[at->second].variable->shape;
    std::int64_t position = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) position = position * shape[d] + element.second[d];
    elements_[{at->second, position}] = value;
  }
}

void InputSource::watch(ReadLog* log) {
  log_ = log;
  ask_for_each();
}

std::size_t InputSource::number_of(std::string_view name) const {
  const auto at = model_.numbers.find(name);
  return at == model_.numbers.end() ? 0 : at->second;
}

void InputSource::list(std::size_t input, std::int64_t position, const GivenValue& value) const {
  if (log_->known.contains({input, position})) return;
  if (log_->reads.size() >= log_->most) {
    log_->has_more = true;
    return;
  }
  log_->known.insert({input, position});
  log_->reads.push_back({input, position, value});
}

const GivenValue* InputSource::given(std::size_t input, std::int64_t position) const {
  if (!draw_.given || !model_.inputs[input].variable->values.empty()) return nullptr;
  if (const auto at = elements_.find({input, position}); at != elements_.end()) return &at->second;
  return fills_[input] ? &*fills_[input] : nullptr;
}

Fraction InputSource::other_real(std::size_t input, std::int64_t position) const {
  const GivenValue* written = given(input, position);
  const Fraction value = written ? written->real : drawn_real(input, position);
  if (log_) list(input, position, {false, 0, value});
  return value;
}

std::int64_t InputSource::integer(std::size_t input, std::int64_t position) const {
  const GivenValue* written = given(input, position);
  const std::int64_t value = written ? written->integer : drawn_integer(input, position);
  if (log_) list(input, position, {true, value, {}});
  return value;
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
  return uniform(range, mix(bits));
}

}  // namespace steptp::certify
