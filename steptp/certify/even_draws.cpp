// Inputs that are spread evenly over the logarithmic range.
#include <algorithm>
#include <array>
#include <cmath>

#include "steptp/certify/candidate.h"

namespace steptp::certify {

namespace {

/// The fractions of roots of primes: multiples of each are even between 0 and 1, and those of several are so together.
constexpr std::array<double, 8> kStrides = {0.41421356237309515, 0.7320508075688772, 0.2360679774997898,
                                            0.6457513110645907,  0.3166247903553998, 0.6055512754639891,
                                            0.12310562561766059, 0.35889894354067353};

}  // namespace

Candidate CandidateMaker::even() {
  const auto number = static_cast<double>(evens_++);
  // In every other one an input is calm, so that what it is added to is not hidden by it.
  const bool has_calm = random_.chance(1, 2) && !model_.inputs.empty();
  const std::size_t calm = has_calm ? random_.below(model_.inputs.size()) : model_.inputs.size();
  Candidate out;
  for (std::size_t i = 0; i < model_.inputs.size(); ++i) {
    if (!is_float(model_.inputs[i].variable->dtype)) {
      out.inputs.push_back(drawn_choice(i));
      continue;
    }
    const SafeRange::Exponents range = exponents_of(model_.inputs[i], range_);
    const int width = std::max(range.high - range.low, 1);
    InputChoice choice;
    choice.seed = random_.next();
    choice.sign = static_cast<InputChoice::Sign>(random_.below(4));
    const double offset = static_cast<double>(mix(model_.inputs[i].stream) >> 11) * 0x1p-53;
    const double at = offset + number * kStrides[i % kStrides.size()];
    choice.centre = range.low + static_cast<int>((at - std::floor(at)) * width);
    if (i == calm) {
      choice.centre = std::clamp(0, range.low, range.high);
      choice.closeness = kExactlyOne;
      if (random_.chance(1, 2)) choice.mask = InputChoice::Mask::all;
    } else if (random_.chance(1, 2)) {
      choice.centre = range.low + width / 2;
      choice.spread = (width + 1) / 2;
    }
    out.inputs.push_back(choice);
  }
  return out;
}

std::vector<double> CandidateMaker::peaks(std::size_t input) const {
  const SafeRange::Exponents range = exponents_of(model_.inputs[input], range_);
  std::vector<double> out;
  for (const double value : {std::exp2(range.high), -std::exp2(range.high), std::exp2(range.high / 2),
                             -std::exp2(range.high / 2), std::exp2(range.low), 0.0}) {
    out.push_back(nearest_legal(input, value));
  }
  return out;
}

std::vector<double> CandidateMaker::ladder(std::size_t input) const {
  constexpr int kSteps = 12;
  const SafeRange::Exponents range = exponents_of(model_.inputs[input], range_);
  std::vector<double> out;
  for (int step = 0; step < kSteps; ++step) {
    const double exponent = range.low + (range.high - range.low) * (step + 0.5) / kSteps;
    for (const double sign : {1.0, -1.0}) {
      const double value = nearest_legal(input, sign * std::exp2(exponent));
      if (std::find(out.begin(), out.end(), value) == out.end()) out.push_back(value);
    }
  }
  return out;
}

}  // namespace steptp::certify
