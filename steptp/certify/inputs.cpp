// Inputs of an evaluation. No tensor is ever made: each element is a function of the seed, the name of the input and
// the position in it, so that two programs, and a replay, see the same values. Values that are written out, or chosen
// by somebody else, take the place of drawn ones. How each kind of draw makes its values is in drawn_values.cpp.
// docs/decisions/0010-certified-evaluation.md.
#include "steptp/certify/inputs.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "steptp/certify/domains.h"

namespace steptp::certify {

IntegerRange legal_range(const InputFacts& facts) {
  // Wide enough to be generic, small enough that sums of thousands do not wrap in i64.
  return legal_range(facts, std::int64_t{1} << 40);
}

IntegerRange legal_range(const InputFacts& facts, std::int64_t most) {
  const DTypeInfo& type = info(facts.variable->dtype);
  IntegerRange range = {std::max(type.least, -most), std::min(type.greatest, most), false};
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

std::vector<std::int64_t> index_at(const Variable& variable, std::int64_t position) {
  std::vector<std::int64_t> index(variable.shape.size());
  for (std::size_t d = index.size(); d-- > 0; position /= variable.shape[d]) index[d] = position % variable.shape[d];
  return index;
}

bool is_legal(const InputFacts& facts, Fraction value) {
  if (value.is_minus_infinity()) return facts.domain.kind == Domain::Kind::masked;
  const double nearest = to_double(value);
  const bool fits = std::fabs(nearest) <= greatest_of(facts.variable->dtype);
  return fits && nearest_inside(facts.domain, nearest, 0) == nearest;
}

InputSource::InputSource(const InputModel& model, Draw draw) : model_(model), draw_(std::move(draw)) {
  for (const InputFacts& facts : model.inputs) {
    const bool is_constant = !facts.variable->values.empty();
    const bool is_plain =
        is_two_sided(facts.domain) && !is_constant && draw_.kind == DrawKind::generic && !draw_.given && !draw_.chosen;
    add_stream({draw_.seed ^ facts.stream,
                is_plain,
                is_constant ? nullptr : draw_.chosen,
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

}  // namespace steptp::certify
