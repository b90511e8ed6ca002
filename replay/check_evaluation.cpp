// Confirms evaluations and counterexamples: both programs are evaluated at the points that the certificate lists, at
// further inputs of the replayer's own, and, for a difference, at the inputs that are written out, with more bits
// where long doubles do not tell the values apart. Decision 0014.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <set>

#include "replay/check.h"
#include "replay/draws.h"
#include "steptp/base/random.h"
#include "steptp/base/text.h"

namespace steptp::replayer {

namespace {

/// Both programs at one element of an output.
struct Both {
  Value before;
  Value after;
  bool used_functions = false;
  bool after_is_undefined = false;
  bool was_ambiguous = false;
  long double greatest = 0;  ///< of what was stored on the way
};

/// "nan", "inf" and numbers: whether a decimal, as long as it is written, is the value that comes out.
bool is_written(const std::string& text, const Value& value, long double greatest) {
  if (value.is_integer) return std::to_string(value.integer) == text;
  char* end = nullptr;
  const long double written = std::strtold(text.c_str(), &end);
  if (text.empty() || *end != '\0') return false;
  if (!value.real.is_finite()) {
    if (value.real.kind == Class::nan) return std::isnan(written);
    return std::isinf(written) && (written > 0) == (value.real.kind == Class::plus_infinity);
  }
  // Nothing is known of it but in many bits, which show the difference.
  if (std::isinf(value.real.error)) return true;
  // What a double cannot hold is written as an infinity.
  if (std::isinf(written)) return std::fabs(value.real.value) > 0x1p1023L && (written > 0) == (value.real.value > 0);
  const auto digits =
      std::count_if(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find_last_not_of('0') + 1),
                    [](char c) { return c >= '0' && c <= '9'; });
  // Short decimals are what they say; long ones were computed in doubles, with some loss.
  constexpr std::ptrdiff_t kLong = 16;
  const long double unit = digits >= kLong ? 1e-12L : 1e-13L;
  const long double size =
      digits >= kLong ? std::fmax(greatest, std::fabs(value.real.value)) : std::fabs(value.real.value);
  return std::fabs(written - value.real.value) <= value.real.error + size * (unit + 0x1p-52L);
}

class EvaluationCheck {
 public:
  explicit EvaluationCheck(Context& context) : context_(context), certificate_(context.certificate) {
    for (const InputRule& rule : certificate_.inputs) rules_[rule.name] = &rule;
  }

  void run() {
    check_outputs();
    for (const RecordedPoint& point : certificate_.points) check_point(point);
    fresh_points();
    report();
  }

  /// The values of both programs at inputs that are written out, or drawn as the judge draws.
  Both evaluate(const RecordedPoint& point, std::uint64_t prime, long bits = 0) {
    const Variable* output = certificate_.before.signature.find(point.output);
    if (!output || output->role != Role::output) throw Refused{concat(point.output, " is not an output")};
    if (!is_inside(output->shape, point.index)) {
      throw Refused{concat(point.output, subscripts(point.index), " is not an element")};
    }
    return evaluate(point, prime, bits, [&](const Numbers& numbers, const Variable& variable, const auto& index) {
      if (point.inputs) {
        if (const auto given = given_input(numbers, *point.inputs, variable, index)) return *given;
        // Where nothing is written, any value will do, and this is one.
        return Draws(certificate_, numbers, Kind::mixed, context_.seed).input(variable, index);
      }
      const auto rule = rules_.find(variable.name);
      if (rule == rules_.end()) throw Undefined{"nothing is said of the values of " + variable.name};
      return recorded_input(numbers, *rule->second, variable, position_of(variable, index), point.seed);
    });
  }

 private:
  template <typename Input>
  Both evaluate(const RecordedPoint& point, std::uint64_t prime, long bits, const Input& input) {
    Numbers numbers(prime, bits);
    Sources sources;
    sources.input = [&](const Variable& variable, const std::vector<std::int64_t>& index) {
      return input(numbers, variable, index);
    };
    Both out;
    for (const bool is_before : {true, false}) {
      Evaluator evaluator(is_before ? context_.before : context_.after, numbers, sources, context_.budget);
      try {
        (is_before ? out.before : out.after) = evaluator.output(point.output, point.index);
      } catch (const Undefined&) {
        if (is_before) throw;
        out.after_is_undefined = true;
      }
    }
    out.used_functions = numbers.used_functions();
    out.was_ambiguous = numbers.was_ambiguous();
    out.greatest = numbers.greatest();
    return out;
  }

  void check_outputs() const {
    std::set<std::string> met;
    for (const RecordedPoint& point : certificate_.points) met.insert(point.output);
    for (const Variable& variable : certificate_.before.signature.variables) {
      if (variable.role == Role::output && !met.contains(variable.name)) {
        throw Refused{concat("no point of the output ", variable.name, " was looked at")};
      }
    }
  }

  void check_point(const RecordedPoint& point) {
    const std::string place = concat(point.output, subscripts(point.index));
    if (point.before != point.after) throw Refused{concat("the record itself says that ", place, " differs")};
    const bool by_field = point.by == "field";
    if (by_field && (point.prime < (std::uint64_t{1} << 60) || point.prime >> 62 != 0 || !is_prime(point.prime))) {
      throw Refused{concat(point.prime, " is not a prime of 61 bits")};
    }
    Both found;
    try {
      found = evaluate(point, by_field ? point.prime : kPrime);
    } catch (const Undecided&) {
      not_recomputed_ += 1;
      return;
    } catch (const Undefined& undefined) {
      throw Refused{concat("there is no value at ", place, ": ", undefined.reason)};
    }
    try {
      compare(found, place);
    } catch (const Undecided&) {
      // Every element is looked at with other inputs besides.
      not_recomputed_ += 1;
      return;
    }
    if (by_field && found.was_ambiguous) {
      not_recomputed_ += 1;
      return;
    }
    if (point.by == "integers") {
      if (!found.before.is_integer || std::to_string(found.before.integer) != point.before) {
        throw Refused{concat("the integer recorded at ", place, " is not what comes out")};
      }
    } else if (by_field) {
      if (std::to_string(found.before.real.residue) != point.before ||
          std::to_string(found.after.real.residue) != point.after) {
        throw Refused{concat("the residue recorded at ", place, " is not what comes out")};
      }
    } else if (point.by == "balls") {
      check_number(point, found, place);
    } else {
      throw Refused{concat("an unknown arithmetic '", point.by, "'")};
    }
    recomputed_ += 1;
  }

  /// A decimal as balls print it: correct up to its last digits.
  static void check_number(const RecordedPoint& point, const Both& found, const std::string& place) {
    if (!is_written(point.before, found.before, found.greatest)) {
      throw Refused{concat("the number recorded at ", place, " is not what comes out")};
    }
  }

  void compare(const Both& found, const std::string& place) {
    if (found.after_is_undefined) throw Refused{concat("after has no value at ", place)};
    if (found.before.is_integer != found.after.is_integer) throw Refused{concat("types differ at ", place)};
    if (found.before.is_integer) {
      if (found.before.integer != found.after.integer) throw Refused{concat("the programs differ at ", place)};
      return;
    }
    switch (compare_values(found.before.real, found.after.real, found.used_functions)) {
      case Agreement::differs: throw Refused{concat("the programs differ at ", place)};
      case Agreement::not_counted: return;  // nothing is asked where before is NaN
      case Agreement::by_residue: by_residue_ += 1; return;
      case Agreement::by_digits: by_digits_ += 1; return;
      case Agreement::undecided: throw Undecided{concat("long doubles are too coarse at ", place)};
    }
  }

  /// The same elements with inputs of the replayer's own.
  void fresh_points() {
    std::set<std::pair<std::string, std::vector<std::int64_t>>> elements;
    for (const RecordedPoint& point : certificate_.points) elements.emplace(point.output, point.index);
    const std::uint64_t start = context_.budget;
    std::set<std::string> said;
    std::uint64_t trial = 0;
    for (const Kind kind : kKinds) {
      for (const auto& [output, index] : elements) {
        if (said.contains(output) && start - context_.budget > kEnoughSteps) break;
        RecordedPoint point;
        point.output = output;
        point.index = index;
        const std::uint64_t seed = combine(context_.seed, ++trial);
        const std::string place = concat(output, subscripts(index));
        try {
          const Both found =
              evaluate(point, kPrime, 0, [&](const Numbers& numbers, const Variable& variable, const auto& at) {
                return Draws(certificate_, numbers, kind, seed).input(variable, at);
              });
          compare(found, place);
        } catch (const Undefined&) {
          continue;
        } catch (const Undecided&) {
          continue;
        }
        said.insert(output);
        fresh_ += 1;
      }
    }
  }

  void report() const {
    Report& out = context_.report;
    out.retested.push_back(concat(recomputed_, " recorded points recomputed, ", fresh_, " points with other inputs: ",
                                  by_residue_, " values equal modulo a prime, ", by_digits_, " in 36 bits and more"));
    if (not_recomputed_ > 0)
      out.believed.push_back(concat(not_recomputed_, " recorded points that long doubles do not decide"));
    out.believed.push_back("that every element was shown by itself, whatever its inputs");
  }

  static constexpr std::uint64_t kEnoughSteps = 20'000'000;

  Context& context_;
  const Certificate& certificate_;
  std::map<std::string, const InputRule*, std::less<>> rules_;
  std::uint64_t recomputed_ = 0;
  std::uint64_t not_recomputed_ = 0;
  std::uint64_t fresh_ = 0;
  std::uint64_t by_residue_ = 0;
  std::uint64_t by_digits_ = 0;
};

}  // namespace

std::string subscripts(const std::vector<std::int64_t>& index) {
  return concat("[", join(index, ",", [](std::int64_t number) { return std::to_string(number); }), "]");
}

bool is_inside(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& index) {
  if (shape.size() != index.size()) return false;
  for (std::size_t d = 0; d < index.size(); ++d) {
    if (index[d] < 0 || index[d] >= shape[d]) return false;
  }
  return true;
}

void check_evaluation(Context& context) {
  if (context.certificate.points.empty()) throw Refused{"there is no evaluation in it"};
  EvaluationCheck(context).run();
}

namespace {

/// The counterexample in numbers of so many bits. False where that does not tell the values apart.
bool shows_difference(Context& context, long bits) {
  const RecordedPoint& point = *context.certificate.counterexample;
  const std::string place = concat(point.output, subscripts(point.index));
  Both found;
  try {
    found = EvaluationCheck(context).evaluate(point, kPrime, bits);
  } catch (const Undefined& undefined) {
    throw Refused{concat("before has no value at ", place, ": ", undefined.reason)};
  }
  if (!found.before.is_integer && found.before.real.kind == Class::nan) {
    throw Refused{concat("before is NaN at ", place)};
  }
  const auto is_said = [&](const std::string& text, const Value& value) {
    return text.empty() || is_written(text, value, found.greatest);
  };
  if (!is_said(point.before, found.before)) {
    throw Refused{concat("the value of before at ", place, " is not the one that is written")};
  }
  if (found.after_is_undefined) {
    if (!point.after.empty() && point.after != "undefined") {
      throw Refused{concat("after has no value at ", place, ", and one is written")};
    }
    context.report.reproved.push_back(concat("before has a value at ", place, ", and after has none"));
    return true;
  }
  const Agreement agreement =
      found.before.is_integer
          ? (found.before.integer == found.after.integer ? Agreement::by_residue : Agreement::differs)
          : compare_values(found.before.real, found.after.real, found.used_functions);
  if (agreement == Agreement::undecided) throw Undecided{concat("values that are not told apart at ", place)};
  if (agreement != Agreement::differs) return false;
  if (!is_said(point.after, found.after)) {
    throw Refused{concat("the value of after at ", place, " is not the one that is written")};
  }
  context.report.reproved.push_back(
      concat("both values at ", place, ", from the inputs that are written: they differ"));
  return true;
}

}  // namespace

void check_counterexample(Context& context) {
  if (!context.certificate.counterexample) {
    // A loss of precision is read off the types; nothing else differs without inputs that show it.
    if (!context.certificate.loss) throw Refused{"there is no counterexample in it"};
    return check_precision(context);
  }
  constexpr long kBits[] = {0, 256, 2048, 16384};
  for (const long bits : kBits) {
    try {
      if (shows_difference(context, bits)) return;
    } catch (const Undecided&) {
      if (bits == kBits[3]) throw;
    }
  }
  throw Refused{"the programs agree at the counterexample"};
}

}  // namespace steptp::replayer
