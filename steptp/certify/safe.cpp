// `safe` by search, on the whole programs where they are small enough, otherwise on what differs in them.
// More than 400 lines, because the stages of a search are read together with the search itself.
#include "steptp/certify/safe.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "steptp/base/random.h"
#include "steptp/base/text.h"
#include "steptp/certify/adversary.h"
#include "steptp/certify/safe_points.h"
#include "steptp/certify/window.h"
#include "steptp/certify/witness.h"
#include "steptp/machine/big_stack.h"

namespace steptp::certify {

namespace {

/// How much of the programs is run.
enum class Extent : std::uint8_t {
  outputs,  ///< all of both
  goals,    ///< up to where the programs are alike from there on: what is no worse there stays so
  window,   ///< only what is different: what comes before it is chosen freely
};

/// Just above where an exponential in this type overflows.
double overflow_of_exponential(DType dtype) { return 1.03 * std::log(2.0) * (info(dtype).max_exponent + 1); }

/// What inputs are compared with: numbers of the programs, and where their exponentials overflow.
std::vector<double> numbers_in(const Code& before, const Code& after) {
  std::vector<double> out;
  for (const Code* code : {&before, &after}) {
    for (const Decimal& literal : code->literals) {
      if (literal.nearest != 0 && std::isfinite(literal.nearest)) out.push_back(std::fabs(literal.nearest));
    }
    for (const Node& node : code->nodes) {
      if (node.op == Op::integer_literal && node.integer != 0)
        out.push_back(std::fabs(static_cast<double>(node.integer)));
      if (node.op == Op::real_function && node.function == Function::exp)
        out.push_back(overflow_of_exponential(node.dtype));
    }
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

/// 2^63 for 9223372036854775808.
std::string short_text(const GivenValue& value) {
  constexpr int kFewBits = 20;
  const bool is_power = !value.is_integer && value.real.divisor == 1 && std::abs(value.real.mantissa) == 1;
  if (!is_power || std::abs(value.real.exponent) < kFewBits) return to_text(value);
  return concat(value.real.mantissa < 0 ? "-" : "", "2^", value.real.exponent);
}

/// Those of an input that are not named one by one.
std::string others_text(const Witness::Rest& rest, const std::string& name) {
  const std::string_view noun = rest.count == 1 ? "element" : "elements";
  if (!rest.value) return concat(rest.count, " more ", noun, " of ", name);
  const std::string which = rest.count == 1 ? std::string("the ") : concat("the ", rest.count, " ");
  return concat(*rest.value, " in ", which, rest.is_all ? "" : "other ", noun, " of ", name, " that ",
                rest.count == 1 ? "is" : "are", " read");
}

class SafetySearch {
 public:
  SafetySearch(const Program& before, const Program& after, const CertifyOptions& options, const SafeRange& range,
               Extent extent)
      : extent_(extent),
        before_(compile(before)),
        after_(compile(after)),
        model_(model_inputs(before, after)),
        window_(extent == Extent::window ? cut_equal(before_, after_, model_, before.signature) : Window{}),
        signature_(extent == Extent::outputs ? before.signature
                   : extent == Extent::goals ? find_goals(before_, after_, before.signature)
                                             : window_.signature),
        guides_(extent == Extent::outputs ? find_goals(before_, after_, before.signature) : Signature{}),
        range_(range),
        budget_{options.budget_operations, options.budget_bytes, options.stop},
        allowed_(options.budget_operations),
        seed_(mix(options.seed ^ static_cast<std::uint64_t>(extent))) {
    // One value has one error, however often it is read.
    for (Code* code : {&before_, &after_}) {
      for (StatementCode& statement : code->statements) statement.is_cheap = false;
    }
  }

  /// Something else than the outputs of the programs is looked at.
  [[nodiscard]] bool is_of_use() const {
    if (extent_ == Extent::outputs) return true;
    if (extent_ == Extent::window) return window_.is_cut && window_.is_usable && !signature_.variables.empty();
    return std::any_of(signature_.variables.begin(), signature_.variables.end(),
                       [](const Variable& variable) { return variable.name.starts_with('#'); });
  }

  /// Inputs of the whole programs at which a fault of the window might be one of them.
  [[nodiscard]] const std::vector<Candidate>& hints() const { return hints_; }

  /// What differs was searched already, and nothing was found.
  void take_second_look() { is_second_look_ = true; }
  /// Looks for the worst faults and not for the first one.
  void collect() { collects_ = true; }
  void try_hints_only() { tries_hints_only_ = true; }
  void give_up_early() { gives_up_early_ = true; }

  SafetyAnswer run(const std::vector<Candidate>& hints = {}) {
    SafetyAnswer answer;
    if (!model_.problem.empty()) {
      answer.reason = concat("no-good-input: ", model_.problem);
      return answer;
    }
    SafetyRun run(before_, after_, model_, signature_, range_, budget_);
    run.points = PointChoice(signature_, seed_).choose(before_, after_, model_);
    run.first_guide = run.points.size();
    for (OutputPoint& point : PointChoice(guides_, seed_).few()) run.points.push_back(std::move(point));
    CandidateMaker maker(model_, range_, numbers_in(before_, after_), seed_);
    Adversary adversary(run, maker, budget_, seed_);
    if (is_second_look_) adversary.take_second_look();
    if (collects_) adversary.collect();
    if (tries_hints_only_) adversary.try_hints_only();
    if (gives_up_early_) adversary.give_up_early();
    const Adversary::Finding found = adversary.run(hints);
    if (found.fault && extent_ == Extent::window) {
      answer.is_safe = false;
      if (!collects_) find_hints(run, found.at, found.fault->place());
      for (const Candidate& candidate : adversary.faults()) find_hints(run, candidate, found.fault->place());
    } else if (found.fault && extent_ == Extent::goals) {
      answer.is_safe = false;
      hints_ = {found.at};
    } else if (found.fault) {
      answer.is_safe = false;
      answer.reason = text_of(run, found);
      // An event is one whatever the inputs are off by.
      if (found.fault->has_event()) {
        answer.is_stable = false;
      } else {
        const Adversary::Finding unstable = adversary.run_for_stability(found.at);
        if (unstable.is_finished) answer.is_stable = !unstable.fault.has_value();
      }
      answer.example = example_of(run, found);
    } else if (!found.is_finished) {
      answer.reason =
          concat("not finished: ", found.reason.empty() ? "the budget of operations is spent" : found.reason);
    } else if (!found.has_good_input) {
      answer.reason = "no-good-input: before overflows, divides by zero or is undecided at every input that was tried";
    } else if (look_at_many(maker, answer)) {
      answer.is_safe = false;
    } else {
      answer.is_safe = answer.is_stable = true;
    }
    answer.work = allowed_ - std::min(allowed_, budget_.operations);
    return answer;
  }

 private:
  /// What the window reads is as it was in all elements, so that any of them shows the fault. What is read only before
  /// the window has one magnitude: one after the other, near those that give what was cut off its value.
  void find_hints(SafetyRun& run, const Candidate& found, std::size_t point) {
    constexpr std::size_t kMostReads = 64;
    Candidate base = found;
    std::vector<std::size_t> times(model_.inputs.size());
    int wanted = 0;
    bool is_negative = false;
    const CandidateInputs inputs(model_, found, range_);
    for (const InputRead& read : run.reads(found, point, kMostReads)) {
      if (++times[read.input] > 1) {
        base.inputs[read.input].value.reset();
        continue;
      }
      const InputFacts& facts = model_.inputs[read.input];
      const double value = is_float(facts.variable->dtype)
                               ? inputs.real(read.input, read.position)
                               : static_cast<double>(inputs.integer(read.input, read.position));
      base.inputs[read.input].value = value;
      if (facts.is_made && value != 0 && wanted == 0) {
        wanted = std::ilogb(value);
        is_negative = value < 0;
      }
    }
    std::erase_if(base.elements, [&](const auto& element) { return model_.inputs[element.first.first].is_made; });
    // All zero where nothing is said: a sum of zeros has no error of its own that would hide another one.
    std::vector<std::optional<int>> exponents = {std::nullopt, 0};
    for (const int parts : {1, 2, 3}) {
      for (int step = 0; step < 6; ++step) exponents.emplace_back(wanted / parts - 4 * step);
    }
    for (const std::optional<int>& exponent : exponents) {
      Candidate hint = base;
      for (std::size_t i = 0; i < model_.inputs.size(); ++i) {
        if (times[i] > 0) continue;
        InputChoice choice;
        choice.closeness = kExactlyOne;
        choice.pattern = InputChoice::Pattern::all_same;
        const SafeRange::Exponents range = exponents_of(model_.inputs[i], range_);
        choice.centre = std::clamp(exponent.value_or(0), range.low, range.high);
        if (!exponent) choice.mask = InputChoice::Mask::all;
        choice.sign = is_negative ? InputChoice::Sign::negative : InputChoice::Sign::positive;
        hint.inputs[i] = choice;
      }
      std::erase_if(hint.elements, [&](const auto& element) { return times[element.first.first] == 0; });
      hint.inputs.resize(model_.inputs.size() - window_.variables.size());
      hints_.push_back(std::move(hint));
    }
  }

  /// Few inputs at many elements: an index may single out one that nothing else points at.
  bool look_at_many(CandidateMaker& maker, SafetyAnswer& answer) {
    constexpr std::uint64_t kMostOperations = 300'000;
    constexpr std::size_t kDraws = 6;
    if (extent_ != Extent::outputs) return false;
    Budget few{std::min(budget_.operations, kMostOperations), budget_.bytes, budget_.stop};
    SafetyRun run(before_, after_, model_, signature_, range_, few);
    run.points = PointChoice(signature_, seed_).many();
    std::vector<std::size_t> all(run.points.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    std::vector<Candidate> candidates = maker.starts();
    if (candidates.size() > kDraws) candidates.resize(kDraws);
    for (std::size_t i = 0; i < kDraws; ++i) candidates.push_back(maker.drawn());
    for (const Candidate& candidate : candidates) {
      const SafetyMeasure measure = run.measure(candidate, all, false);
      if (!measure.is_finished) return false;
      Adversary::Finding finding;
      finding.at = candidate;
      finding.fault = measure;
      if (!measure.is_good() || !(measure.has_event() || measure.loss > 0)) continue;
      answer.reason = text_of(run, finding);
      answer.example = example_of(run, finding);
      return true;
    }
    return false;
  }

  /// With an allowance of its own: writing things down changes no answer.
  std::optional<std::vector<InputRead>> reads_of(SafetyRun& run, const Adversary::Finding& found, std::size_t most) {
    constexpr std::uint64_t kAllowance = 2'000'000;
    const std::uint64_t left = std::exchange(budget_.operations, kAllowance);
    std::optional<std::vector<InputRead>> out;
    try {
      out = run.all_reads(found.at, found.fault->place(), most);
    } catch (const Failure&) {
      out.reset();  // it costs too much
    }
    budget_.operations = left;
    return out;
  }

  /// The inputs that the element reads, and what goes wrong there.
  std::optional<UnsafeExample> example_of(SafetyRun& run, const Adversary::Finding& found) {
    constexpr std::size_t kMostReads = 4096;
    const OutputPoint& point = run.points[found.fault->place()];
    const auto reads = reads_of(run, found, kMostReads);
    if (!reads) return std::nullopt;
    UnsafeExample out{point.output, point.element, found.fault->fault(), {}, range_};
    for (const InputRead& read : *reads) {
      const Variable& variable = *model_.inputs[read.input].variable;
      if (!variable.values.empty()) continue;  // the signature gives them
      out.given.elements[{variable.name, index_at(variable, read.position)}] = read.value;
    }
    return out;
  }

  /// The element and the inputs that matter there.
  std::string text_of(SafetyRun& run, const Adversary::Finding& found) {
    constexpr std::size_t kRead = 2048;
    const OutputPoint& point = run.points[found.fault->place()];
    const auto subscripts = [](const std::vector<std::int64_t>& index) {
      if (index.empty()) return std::string();
      return concat("[", join(index, ",", [](std::int64_t number) { return std::to_string(number); }), "]");
    };
    const Witness witness(run.reads(found.at, found.fault->place(), kRead));
    std::string values;
    for (const InputRead& read : witness.named) {
      const Variable& variable = *model_.inputs[read.input].variable;
      append(values, values.empty() ? " with " : ", ", variable.name, subscripts(index_at(variable, read.position)),
             "=", short_text(read.value));
    }
    for (const auto& [input, rest] : witness.rest) {
      const std::string& name = model_.inputs[input].variable->name;
      append(values, values.empty() ? " with " : ", ");
      append(values, rest.is_all ? "" : "and ", others_text(rest, name));
    }
    return concat(found.fault->fault(), " at ", point.output, subscripts(point.element), values);
  }

  Extent extent_;
  Code before_;
  Code after_;
  InputModel model_;
  Window window_;
  Signature signature_;
  Signature guides_;
  const SafeRange& range_;
  Budget budget_;
  std::uint64_t allowed_;
  std::uint64_t seed_;
  std::vector<Candidate> hints_;
  bool is_second_look_ = false;
  bool collects_ = false;
  bool tries_hints_only_ = false;
  bool gives_up_early_ = false;
};

/// First what differs in the programs, whatever its inputs, then the part up to where they meet again: these cost
/// little, and say where to look in the whole. What is no worse there is no worse at the outputs, so that the whole
/// gets a second look only; a fault there says nothing, and the whole programs decide where they can be run often
/// enough.
class Stages {
 public:
  Stages(const Program& before, const Program& after, const CertifyOptions& options, const SafeRange& range)
      : before_(before), after_(after), options_(options), range_(range) {}

  SafetyAnswer run() {
    search_part(Extent::window, kFirstLook);
    if (!hints_.empty()) {
      const SafetyAnswer found = try_hints();
      if (found.is_safe) return found;
      search_part(Extent::window, kFirstLook, true);
    }
    // What differs is no more than what leads up to where the programs meet again: if that costs too much, so does
    // this.
    const bool is_costly = of_part_ && !of_part_->is_safe;
    if (!is_safe_in_part() && !is_costly) search_part(Extent::goals, kFirstLook);
    SafetyAnswer answer = is_safe_in_part() ? look_again() : search_whole(Look::first);
    // Without a good input of the whole there is nothing to compare.
    if (!answer.is_safe && !answer.reason.starts_with("no-good-input")) {
      for (const Extent extent : {Extent::goals, Extent::window}) {
        if (!is_safe_in_part()) search_part(extent, options_.budget_operations);
      }
      if (is_safe_in_part()) {
        answer = *of_part_;
      } else {
        // Too few inputs to say that there is no fault may be enough to find one.
        answer = search_whole(Look::last);
      }
    }
    answer.work = spent_;
    return answer;
  }

 private:
  static constexpr std::uint64_t kFirstLook = 700'000;
  static constexpr std::uint64_t kSecondLook = 400'000;

  [[nodiscard]] bool is_safe_in_part() const { return of_part_ && of_part_->is_safe == std::optional(true); }

  /// A part of what is left, and no more than so much.
  [[nodiscard]] CertifyOptions share(std::uint64_t parts, std::uint64_t most) const {
    CertifyOptions out = options_;
    const std::uint64_t left = options_.budget_operations - std::min(spent_, options_.budget_operations);
    out.budget_operations = std::min(left / parts, most);
    return out;
  }

  /// Most faults show at once.
  SafetyAnswer try_hints() {
    SafetySearch whole(before_, after_, share(4, kSecondLook), range_, Extent::outputs);
    whole.try_hints_only();
    SafetyAnswer answer = whole.run(hints_);
    answer.work = spent_ += answer.work;
    hints_.clear();
    return answer;
  }

  void search_part(Extent extent, std::uint64_t most, bool collects = false) {
    const std::uint64_t parts = most == kFirstLook ? 4 : extent == Extent::goals ? 2 : 1;
    SafetySearch part(before_, after_, share(parts, most), range_, extent);
    if (!part.is_of_use()) return;
    if (collects) part.collect();
    if (most == kFirstLook) part.give_up_early();
    of_part_ = part.run();
    spent_ += of_part_->work;
    hints_.insert(hints_.end(), part.hints().begin(), part.hints().end());
  }

  enum class Look : std::uint8_t { first, second, last };
  SafetyAnswer search_whole(Look look) {
    const std::uint64_t parts = look == Look::last ? 1 : 2;
    const std::uint64_t most = look == Look::second ? kSecondLook : options_.budget_operations;
    SafetySearch whole(before_, after_, share(parts, most), range_, Extent::outputs);
    if (look == Look::second) whole.take_second_look();
    if (look == Look::first) whole.give_up_early();
    SafetyAnswer answer = whole.run(hints_);
    spent_ += answer.work;
    return answer;
  }

  SafetyAnswer look_again() {
    SafetyAnswer answer = search_whole(Look::second);
    // Few inputs need not have had a good one among them.
    return answer.reason.starts_with("no-good-input") ? search_whole(Look::first) : answer;
  }

  const Program& before_;
  const Program& after_;
  const CertifyOptions& options_;
  const SafeRange& range_;
  std::uint64_t spent_ = 0;
  std::optional<SafetyAnswer> of_part_;  ///< of the last part that was searched
  std::vector<Candidate> hints_;
};

}  // namespace

SafetyAnswer compare_safety(const Program& before, const Program& after, const CertifyOptions& options,
                            const SafeRange& range) {
  SafetyAnswer answer;
  answer.reason = "not finished: no stack";
  const bool ran = run_on_big_stack([&] {
    try {
      answer = Stages(before, after, options, range).run();
      if (!answer.example) return;
      // What is written down must show the fault by itself, in the words in which it is told.
      const UnsafeRun again = run_unsafe(before, after, *answer.example);
      if (!again.is_good || !again.what) {
        answer.example.reset();
      } else {
        answer.example->what = *again.what;
      }
    } catch (const Failure& failure) {
      answer.is_safe = answer.is_stable = std::nullopt;
      answer.reason = concat("not finished: ", failure.message);
    }
  });
  if (!ran) answer.is_safe = answer.is_stable = std::nullopt;
  return answer;
}

}  // namespace steptp::certify
