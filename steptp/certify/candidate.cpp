// More than 400 lines, because what an input may be, how it is drawn and how it is changed are read together.
#include "steptp/certify/candidate.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "steptp/arithmetic/rounded_arithmetic.h"
#include "steptp/certify/domains.h"

namespace steptp::certify {

namespace {

constexpr std::size_t kPatternsOfInputs = 8;
constexpr int kMuchSmaller = 14;  ///< in bits; sums of some hundred small ones are still small

/// Of exponents of normal numbers.
double small_power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

}  // namespace

SafeRange::Exponents exponents_of(const InputFacts& facts, const SafeRange& range) {
  const DType dtype = facts.variable->dtype;
  if (!facts.is_made) return range.exponents(dtype);
  // Values of good runs stay below a quarter from the top.
  const int most = info(dtype).max_exponent;
  return {-(most - most / 4), most - most / 4 - 1};
}

double legal_value(const InputFacts& facts, double wanted, const SafeRange& range) {
  const DType dtype = facts.variable->dtype;
  const Domain& domain = facts.domain;
  const SafeRange::Exponents wide = exponents_of(facts, range);
  const double least = facts.is_made ? std::ldexp(1.0, wide.low) : range.least(dtype);
  const double greatest = facts.is_made ? std::ldexp(1.0, wide.high) : range.greatest(dtype);
  double size = std::fabs(wanted);
  if (size != 0) size = round_to(dtype, std::clamp(size, least, greatest));
  double value = std::copysign(size, wanted);
  switch (domain.kind) {
    case Domain::Kind::unstated:
    case Domain::Kind::masked:  // which elements are -inf is for the mask to say
    case Domain::Kind::any: break;
    case Domain::Kind::positive: value = size == 0 ? least : size; break;
    case Domain::Kind::nonzero: value = size == 0 ? least : value; break;
    case Domain::Kind::range: {
      if (value >= domain.low && value < domain.high) break;
      // Magnitudes become distances from the lower end, so that all sizes of them occur.
      int exponent = 0;
      const double part = std::frexp(size, &exponent);
      constexpr int kMost = 24;
      const double inside = domain.low + (domain.high - domain.low) * std::ldexp(part, -(std::abs(exponent) % kMost));
      value = round_to(dtype, inside);
      if (!(value >= domain.low && value < domain.high)) value = domain.low;
      break;
    }
  }
  return value;
}

CandidateInputs::CandidateInputs(const InputModel& model, const Candidate& candidate, const SafeRange& range)
    : model_(model), candidate_(candidate), range_(range) {
  for (const InputFacts& facts : model.inputs) {
    const bool is_free = facts.domain.kind == Domain::Kind::unstated || facts.domain.kind == Domain::Kind::any ||
                         facts.domain.kind == Domain::Kind::nonzero || facts.domain.kind == Domain::Kind::masked;
    const DType dtype = facts.variable->dtype;
    streams_.push_back({facts.variable->shape.empty() ? 1 : facts.variable->shape.back(),
                        is_float(dtype) ? exponents_of(facts, range) : SafeRange::Exponents{}, dtype,
                        is_free && range.kind != SafeRange::Kind::given, false});
  }
  for (const auto& [element, value] : candidate.elements) streams_[element.first].has_elements = true;
}

bool CandidateInputs::is_masked(std::int64_t row, const InputChoice& choice, std::int64_t position) {
  const std::int64_t place = position % row;
  switch (choice.mask) {
    case InputChoice::Mask::none: return false;
    case InputChoice::Mask::all: return true;
    case InputChoice::Mask::first: return place == 0;
    case InputChoice::Mask::last: return place == row - 1;
    case InputChoice::Mask::every_other: return place % 2 == 1;
    case InputChoice::Mask::some: return random_at(choice.seed ^ 0x5a5a, static_cast<std::uint64_t>(position)) % 4 == 0;
  }
  return false;
}

double CandidateInputs::real(std::size_t input, std::int64_t position) const {
  const Stream& stream = streams_[input];
  if (stream.has_elements) {
    if (const auto at = candidate_.elements.find({input, position}); at != candidate_.elements.end()) return at->second;
  }
  const InputChoice& choice = candidate_.inputs[input];
  if (choice.value) return legal_value(model_.inputs[input], *choice.value, range_);
  if (choice.mask != InputChoice::Mask::none && is_masked(stream.row, choice, position)) {
    const bool is_hidden = model_.inputs[input].domain.kind == Domain::Kind::masked;
    return is_hidden ? -std::numeric_limits<double>::infinity() : legal_value(model_.inputs[input], 0, range_);
  }
  std::int64_t key = position;
  if (choice.pattern == InputChoice::Pattern::by_row) key = position / stream.row;
  if (choice.pattern == InputChoice::Pattern::by_column) key = position % stream.row;
  if (choice.pattern == InputChoice::Pattern::all_same) key = 0;
  const std::uint64_t bits = random_at(choice.seed, static_cast<std::uint64_t>(key));
  int exponent = choice.centre;
  if (choice.spread > 0) {
    exponent += static_cast<int>(bits % static_cast<std::uint64_t>(2 * choice.spread + 1)) - choice.spread;
  }
  // One element of a row is much larger than all the others.
  const bool has_large =
      choice.pattern == InputChoice::Pattern::first_large || choice.pattern == InputChoice::Pattern::last_large;
  const std::int64_t large = choice.pattern == InputChoice::Pattern::first_large ? 0 : stream.row - 1;
  if (has_large && position % stream.row != large) exponent -= kMuchSmaller;
  const double unit = static_cast<double>(mix(bits) >> 11) * 0x1p-53;
  double significand = 1;
  if (choice.closeness < kExactlyOne) significand += unit * small_power_of_two(-choice.closeness);
  if (choice.pattern == InputChoice::Pattern::rising || choice.pattern == InputChoice::Pattern::falling) {
    // Evenly from one half to one and a half times the centre, along a row.
    const double along = (static_cast<double>(position % stream.row) + unit) / static_cast<double>(stream.row);
    significand = choice.pattern == InputChoice::Pattern::rising ? 0.5 + along : 1.5 - along;
    exponent = choice.centre;
  }
  bool is_negative = choice.sign == InputChoice::Sign::negative;
  if (choice.sign == InputChoice::Sign::mixed) is_negative = (mix(bits ^ 1) & 1) != 0;
  if (choice.sign == InputChoice::Sign::alternating) is_negative = position % 2 == 1;
  const double value = (is_negative ? -significand : significand);
  // Inside the range nothing has to be looked up.
  if (stream.is_free && exponent > stream.exponents.low && exponent < stream.exponents.high && significand >= 1) {
    return round_to(stream.dtype, value * small_power_of_two(exponent));
  }
  return legal_value(model_.inputs[input], std::ldexp(value, exponent), range_);
}

std::int64_t CandidateInputs::integer(std::size_t input, std::int64_t position) const {
  const InputFacts& facts = model_.inputs[input];
  const IntegerRange legal = legal_range(facts);
  const IntegerRange all = legal_range(facts, std::numeric_limits<std::int64_t>::max());
  const InputChoice& choice = candidate_.inputs[input];
  const std::uint64_t bits = random_at(choice.seed, static_cast<std::uint64_t>(position));
  const auto inside = [&](std::int64_t low, std::int64_t high) {
    low = std::clamp(low, all.low, all.high);
    high = std::clamp(high, all.low, all.high);
    const auto width = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
    const std::int64_t value = low + static_cast<std::int64_t>(width == 0 ? bits : bits % width);
    return value == 0 && all.skip_zero ? std::max<std::int64_t>(all.low, 1) : value;
  };
  if (choice.value) {
    const std::int64_t wanted = clamp_to(info(facts.variable->dtype), *choice.value);
    return inside(wanted, wanted);
  }
  const bool is_near_an_end = choice.seed % 2 == 0 || choice.spread == 0;
  if (is_near_an_end && choice.sign == InputChoice::Sign::positive) return inside(0, 8);
  if (is_near_an_end && choice.sign == InputChoice::Sign::negative) return inside(legal.low, legal.low + 2);
  if (is_near_an_end && choice.sign == InputChoice::Sign::alternating) return inside(legal.high - 2, legal.high);
  if (choice.seed % 2 == 0) return inside(legal.low, legal.high);
  // Of all magnitudes alike, on both sides of zero: one for all elements, or one for each.
  const std::uint64_t place = choice.seed % 4 == 1 ? 0 : static_cast<std::uint64_t>(position) + 1;
  const std::uint64_t draw = mix(choice.seed + place);
  const std::uint64_t digits = std::bit_width(static_cast<std::uint64_t>(std::max(all.high, -(all.low + 1)))) + 1;
  const int exponent = static_cast<int>((draw >> 1) % digits) - 1;
  const std::int64_t least = exponent < 0 ? 0 : std::int64_t{1} << exponent;
  const std::int64_t most = exponent < 0 ? 0 : least + (least - 1);
  return draw % 2 == 0 ? inside(least, most) : inside(-most, -least);
}

Candidate CandidateMaker::uniform(int part, InputChoice::Sign sign) const {
  Candidate out;
  for (const InputFacts& facts : model_.inputs) {
    InputChoice choice;
    choice.closeness = kExactlyOne;
    choice.sign = sign;
    const SafeRange::Exponents range = exponents_of(facts, range_);
    choice.centre = part < 0 ? range.low : part > 0 ? range.high : std::clamp(0, range.low, range.high);
    choice.seed = mix(facts.stream);
    out.inputs.push_back(choice);
  }
  return out;
}

int CandidateMaker::drawn_exponent(std::size_t input) {
  const SafeRange::Exponents range = exponents_of(model_.inputs[input], range_);
  // Functions have their edges near one; quotients and products anywhere.
  if (random_.chance(1, 2)) {
    return static_cast<int>(
        random_.between(std::clamp(-10, range.low, range.high), std::clamp(11, range.low, range.high)));
  }
  return static_cast<int>(random_.between(range.low, range.high));
}

InputChoice CandidateMaker::drawn_choice(std::size_t input) {
  InputChoice choice;
  const SafeRange::Exponents range = exponents_of(model_.inputs[input], range_);
  choice.centre = drawn_exponent(input);
  choice.spread = random_.chance(1, 2)
                      ? 0
                      : static_cast<int>(random_.below(static_cast<std::uint64_t>(range.high - range.low + 1)));
  if (random_.chance(1, 3)) choice.spread = static_cast<int>(random_.below(4));
  constexpr int kClosest = 22;
  choice.closeness = random_.chance(1, 3)   ? static_cast<int>(random_.below(kClosest))
                     : random_.chance(1, 3) ? kExactlyOne
                                            : 0;
  choice.sign = static_cast<InputChoice::Sign>(random_.below(4));
  choice.pattern = random_.chance(1, 2) ? InputChoice::Pattern::each
                                        : static_cast<InputChoice::Pattern>(random_.below(kPatternsOfInputs));
  choice.mask = random_.chance(1, 8) ? static_cast<InputChoice::Mask>(random_.below(6)) : InputChoice::Mask::none;
  choice.seed = random_.next();
  // Whole numbers that the programs mention: integers are compared with them, or one beside.
  if (!is_float(model_.inputs[input].variable->dtype) && !specials_.empty() && random_.chance(1, 2)) {
    double special = specials_[random_.below(specials_.size())];
    // A quotient is compared with one number and divided by another.
    if (random_.chance(1, 3)) special *= specials_[random_.below(specials_.size())];
    if (special < 0x1p62) choice.value = std::trunc(special) + static_cast<double>(random_.below(3)) - 1;
  }
  return choice;
}

Candidate CandidateMaker::drawn() {
  Candidate out;
  for (std::size_t i = 0; i < model_.inputs.size(); ++i) out.inputs.push_back(drawn_choice(i));
  // Inputs that hang together: the same size, nearly the same values.
  if (out.inputs.size() > 1 && random_.chance(1, 3)) {
    for (std::size_t i = 1; i < out.inputs.size(); ++i) {
      out.inputs[i].centre = out.inputs[0].centre;
      out.inputs[i].closeness = out.inputs[0].closeness;
      out.inputs[i].spread = out.inputs[0].spread;
    }
  }
  return out;
}

std::vector<Candidate> CandidateMaker::starts() {
  std::vector<Candidate> out;
  using Sign = InputChoice::Sign;
  out.push_back(uniform(0, Sign::positive));
  const auto add = [&](const auto& edit) {
    Candidate candidate = uniform(0, Sign::mixed);
    for (InputChoice& choice : candidate.inputs) edit(choice);
    out.push_back(std::move(candidate));
  };
  add([](InputChoice& choice) { choice.closeness = 0; });
  add_opposites(out);
  add([](InputChoice& choice) { choice.closeness = 0, choice.centre = 6; });
  add([](InputChoice& choice) { choice.closeness = 0, choice.spread = 6; });
  add([](InputChoice& choice) { choice.closeness = 0, choice.spread = 1000; });
  add([](InputChoice& choice) { choice.closeness = 12, choice.centre = 5, choice.sign = Sign::positive; });
  add([](InputChoice& choice) { choice.closeness = 4, choice.sign = Sign::alternating; });
  add([](InputChoice& choice) { choice.pattern = InputChoice::Pattern::rising, choice.centre = 4; });
  add([](InputChoice& choice) { choice.pattern = InputChoice::Pattern::falling, choice.centre = 4; });
  add([](InputChoice& choice) { choice.pattern = InputChoice::Pattern::first_large, choice.sign = Sign::positive; });
  add([](InputChoice& choice) { choice.pattern = InputChoice::Pattern::last_large, choice.sign = Sign::positive; });
  add([](InputChoice& choice) { choice.mask = InputChoice::Mask::first, choice.closeness = 0; });
  add([](InputChoice& choice) { choice.mask = InputChoice::Mask::some, choice.closeness = 0; });
  for (const int part : {1, -1}) out.push_back(uniform(part, Sign::positive));
  // One input zero, the others not small.
  for (std::size_t i = 0; i < model_.inputs.size(); ++i) {
    Candidate candidate = uniform(0, Sign::mixed);
    for (InputChoice& choice : candidate.inputs) choice.centre = 6;
    candidate.inputs[i].mask = InputChoice::Mask::all;
    out.push_back(std::move(candidate));
  }
  for (std::size_t i = 0; i < model_.inputs.size(); ++i) {
    const SafeRange::Exponents range = exponents_of(model_.inputs[i], range_);
    for (const int exponent : {range.high, range.low, 7, range.high / 2}) {
      for (const Sign sign : {Sign::positive, Sign::negative}) {
        Candidate candidate = uniform(0, Sign::positive);
        candidate.inputs[i].centre = exponent;
        candidate.inputs[i].sign = sign;
        candidate.inputs[i].closeness = 0;
        out.push_back(std::move(candidate));
      }
    }
  }
  return out;
}

/// Of two inputs all elements cancel: a sum of them has no error, and what it is taken apart into has.
void CandidateMaker::add_opposites(std::vector<Candidate>& out) const {
  constexpr int kMostPairs = 6;
  int pairs = 0;
  for (std::size_t i = 0; i < model_.inputs.size(); ++i) {
    for (std::size_t j = i + 1; j < model_.inputs.size() && pairs < kMostPairs; ++j) {
      const DType dtype = model_.inputs[i].variable->dtype;
      if (!is_float(dtype) || dtype != model_.inputs[j].variable->dtype || !is_free(i) || !is_free(j)) continue;
      ++pairs;
      Candidate candidate = uniform(0, InputChoice::Sign::mixed);
      for (InputChoice& choice : candidate.inputs) choice.closeness = 0;
      candidate.inputs[i].value = 1;
      candidate.inputs[j].value = -1;
      out.push_back(std::move(candidate));
    }
  }
}

void CandidateMaker::change_input(Candidate& candidate) {
  const std::size_t input = random_.below(candidate.inputs.size());
  InputChoice& choice = candidate.inputs[input];
  choice.value.reset();
  const SafeRange::Exponents range = exponents_of(model_.inputs[input], range_);
  switch (random_.below(14)) {
    case 0: choice = drawn_choice(input); break;
    case 1: choice.sign = static_cast<InputChoice::Sign>(random_.below(4)); break;
    case 2: choice.pattern = static_cast<InputChoice::Pattern>(random_.below(kPatternsOfInputs)); break;
    case 3: choice.seed = random_.next(); break;
    case 4:
      choice.closeness = static_cast<int>(random_.below(3)) == 0 ? kExactlyOne : static_cast<int>(random_.below(24));
      break;
    case 5:
      choice.spread =
          static_cast<int>(random_.below(static_cast<std::uint64_t>(range.high - range.low + 1))) >> random_.below(6);
      break;
    case 6: choice.mask = static_cast<InputChoice::Mask>(random_.below(6)); break;
    default: {
      const int size = 1 << random_.below(7);
      last_ = {true, false, input, 0, random_.chance(1, 2) ? size : -size};
      choice.centre = std::clamp(choice.centre + last_.exponent, range.low, range.high);
      break;
    }
  }
}

/// A number that the programs mention, one beside it, or one between it and the next.
double CandidateMaker::drawn_special() {
  const std::size_t number = random_.below(specials_.size());
  const double sign = random_.chance(1, 3) ? -1 : 1;
  const double special = specials_[number] * sign;
  switch (random_.below(3)) {
    case 0: return special;
    case 1: {
      const double step = std::ldexp(random_.chance(1, 2) ? 1.0 : -1.0, -static_cast<int>(random_.below(24)));
      return special * (1 + step);
    }
    default: break;
  }
  const double next = specials_[(number + 1) % specials_.size()];
  return sign * std::sqrt(specials_[number]) * std::sqrt(next);
}

std::vector<double> CandidateMaker::tries(const InputRead& read) const {
  constexpr std::size_t kMost = 14;
  const InputFacts& facts = model_.inputs[read.input];
  std::vector<double> out;
  if (!is_float(facts.variable->dtype) || !facts.variable->values.empty()) return out;
  const auto add = [&](double wanted) {
    for (const double one : {wanted, -wanted}) {
      const double value = legal_value(facts, one, range_);
      if (std::find(out.begin(), out.end(), value) == out.end()) out.push_back(value);
    }
  };
  for (std::size_t i = 0; i < std::min(specials_.size(), kMost); ++i) {
    if (i + 1 < specials_.size()) add(std::sqrt(specials_[i]) * std::sqrt(specials_[i + 1]));
    add(specials_[i]);
  }
  return out;
}

void CandidateMaker::change_element(Candidate& candidate, const std::vector<InputRead>& reads) {
  const InputRead& read = reads[random_.below(reads.size())];
  const InputFacts& facts = model_.inputs[read.input];
  if (!is_float(facts.variable->dtype) || !facts.variable->values.empty()) return change_input(candidate);
  const CandidateInputs inputs(model_, candidate, range_);
  const double old = inputs.real(read.input, read.position);
  double wanted = old;
  switch (random_.below(10)) {
    case 0: wanted = -old; break;
    case 1: wanted = 0; break;
    case 2: {
      const InputRead& other = reads[random_.below(reads.size())];
      if (!is_float(model_.inputs[other.input].variable->dtype)) break;
      const double same = inputs.real(other.input, other.position);
      const double factor = random_.chance(1, 2) ? 1 : 1 + std::ldexp(1.0, -static_cast<int>(random_.below(24)));
      wanted = (random_.chance(1, 4) ? -same : same) * factor;
      break;
    }
    case 3:
    case 5:
    case 6:
      if (!specials_.empty()) {
        wanted = drawn_special();
        break;
      }
      [[fallthrough]];
    case 4: wanted = std::ldexp(random_.chance(1, 2) ? 1.0 : -1.5, drawn_exponent(read.input)); break;
    default: {
      const int size = 1 << random_.below(7);
      last_ = {true, true, read.input, read.position, random_.chance(1, 2) ? size : -size};
      wanted = std::ldexp(old == 0 ? 1 : old, last_.exponent);
      // Less than a factor of two, now and then.
      if (random_.chance(1, 4)) {
        last_.is_set = false;
        wanted = old * (1 + (random_.chance(1, 2) ? 1 : -0.5) * static_cast<double>(random_.below(1000)) / 1000);
      }
      break;
    }
  }
  candidate.elements[{read.input, read.position}] = legal_value(facts, wanted, range_);
}

void CandidateMaker::change(Candidate& candidate, const std::vector<InputRead>& reads) {
  last_ = {};
  if (candidate.inputs.empty()) return;
  const bool is_single = !reads.empty() && random_.chance(reads.size() <= 8 ? 3 : 1, 4);
  if (is_single) return change_element(candidate, reads);
  change_input(candidate);
}

bool CandidateMaker::repeat(Candidate& candidate) {
  if (!last_.is_set) return false;
  const InputFacts& facts = model_.inputs[last_.input];
  const SafeRange::Exponents range = exponents_of(facts, range_);
  if (!last_.is_element) {
    int& centre = candidate.inputs[last_.input].centre;
    const int old = centre;
    centre = std::clamp(centre + last_.exponent, range.low, range.high);
    return centre != old;
  }
  double& element = candidate.elements[{last_.input, last_.position}];
  const double old = element;
  element = legal_value(facts, std::ldexp(old, last_.exponent), range_);
  return element != old;
}

}  // namespace steptp::certify
