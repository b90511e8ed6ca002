// A counterexample of drawn numbers is hard to read. Simpler inputs are tried, and kept where the programs still differ
// at the element: one number for a whole input, few elements besides, small integers and short fractions, values that
// the types can hold. docs/decisions/0010-certified-evaluation.md.
#include "steptp/certify/simplify.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "steptp/arithmetic/failure.h"
#include "steptp/arithmetic/rounded_arithmetic.h"
#include "steptp/base/random.h"

namespace steptp::certify {

namespace {

/// What simplifying may cost: some milliseconds.
constexpr std::uint64_t kOperations = 1'000'000;
constexpr int kMostTrials = 200;
/// From the simplest on.
constexpr double kSimple[] = {0, 1, -1, 2, -2, 0.5, -0.5, 3, -3, 4, 5, 8, 10, 100};

class Simplifier {
 public:
  Simplifier(const Pair& pair, const InputModel& model, const CertifyOptions& options, Counterexample& example)
      : pair_(pair), model_(model), options_(options), example_(example) {}

  void run() {
    if (!fills_alone() && !small_numbers() && !as_found()) return keep();
    reduce_inputs();
    reduce_chunks();
    reduce_elements();
    keep();
  }

 private:
  // Values.

  [[nodiscard]] const InputFacts& facts_of(const std::string& name) const {
    return model_.inputs[model_.numbers.find(name)->second];
  }

  /// The value of the input's type next to a number; nothing where it is not legal.
  [[nodiscard]] static std::optional<GivenValue> legal(const InputFacts& facts, double wanted) {
    GivenValue out;
    if (!is_float(facts.variable->dtype)) {
      const IntegerRange range = legal_range(facts);
      if (wanted != std::floor(wanted) || std::fabs(wanted) > 0x1p60) return std::nullopt;
      out.is_integer = true;
      out.integer = static_cast<std::int64_t>(wanted);
      const bool fits = out.integer >= range.low && out.integer <= range.high && !(range.skip_zero && out.integer == 0);
      return fits ? std::optional(out) : std::nullopt;
    }
    if (facts.domain.kind == Domain::Kind::masked && wanted < 0 && std::isinf(wanted)) {
      out.real = kMinusInfinity;
      return out;
    }
    const double value = round_to(facts.variable->dtype, wanted);
    if (!std::isfinite(value)) return std::nullopt;
    switch (facts.domain.kind) {
      case Domain::Kind::unstated:
      case Domain::Kind::masked:
      case Domain::Kind::any: break;
      case Domain::Kind::positive:
        if (!(value > 0)) return std::nullopt;
        break;
      case Domain::Kind::nonzero:
        if (value == 0) return std::nullopt;
        break;
      case Domain::Kind::range:
        if (!(value >= facts.domain.low && value < facts.domain.high)) return std::nullopt;
        break;
    }
    out.real = fraction_of(value);
    return out;
  }

  /// The first of these that is legal, else the simplest that is.
  [[nodiscard]] static std::optional<GivenValue> legal_or_simple(const InputFacts& facts, double wanted) {
    if (const auto value = legal(facts, wanted)) return value;
    for (const double simple : kSimple) {
      if (const auto value = legal(facts, simple)) return value;
    }
    const double low = is_float(facts.variable->dtype) ? facts.domain.low : static_cast<double>(legal_range(facts).low);
    return legal(facts, low);
  }

  [[nodiscard]] bool is_free(const InputFacts& facts) const { return facts.variable->values.empty(); }

  // Trials.

  /// Nothing more is tried.
  [[nodiscard]] bool is_spent() const { return trials_ >= kMostTrials || budget_.operations < kOperations / 100; }

  /// Keeps the inputs where the programs differ at the element with them.
  bool try_with(const GivenInputs& inputs) {
    if (is_spent()) return false;
    ++trials_;
    const Draw draw{DrawKind::generic, example_.seed, 0, 0, -1, std::make_shared<const GivenInputs>(inputs)};
    try {
      Comparison comparison(pair_, model_, draw, options_, budget_);
      const PointAnswer found = comparison.at({example_.output, example_.index});
      const bool is_undefined = found.kind == PointAnswer::Kind::undefined;
      // What has no value on a set of measure zero is no difference, and round numbers lie on such sets.
      if (found.kind != PointAnswer::Kind::differs && !(is_undefined && was_undefined_)) return false;
      best_ = inputs;
      before_ = found.before;
      after_ = found.after;
      return true;
    } catch (const Failure&) {
      return false;
    }
  }

  /// One number for all elements of an input: the same for all, or another for each.
  bool fills_alone() {
    for (const auto& [first, step] :
         {std::pair(1.0, 0.0), {1.0, 1.0}, {0.0, 0.0}, {2.0, 1.0}, {-1.0, 0.0}, {-2.0, 1.5}, {0.5, 0.25}}) {
      GivenInputs inputs;
      bool is_legal = true;
      double value = first;
      for (const InputFacts& facts : model_.inputs) {
        if (!is_free(facts)) continue;
        const auto given = legal_or_simple(facts, value);
        is_legal = is_legal && given;
        if (given) inputs.fill[facts.variable->name] = *given;
        value += step;
      }
      if (is_legal && try_with(inputs)) return true;
    }
    return false;
  }

  /// The elements that were read, each a small number drawn at random.
  bool small_numbers() {
    constexpr std::uint64_t kDraws = 6;
    if (!example_.given) return false;
    for (std::uint64_t draw = 0; draw < kDraws; ++draw) {
      GivenInputs inputs = filled();
      Random random(draw);
      for (const auto& [element, value] : example_.given->elements) {
        const auto number = static_cast<double>(random.between(-8, 8)) * (draw % 2 == 0 ? 1 : 0.25);
        if (const auto given = legal_or_simple(facts_of(element.first), number)) inputs.elements[element] = *given;
      }
      if (try_with(inputs)) return true;
    }
    return false;
  }

  /// The elements as they were drawn, rounded to their types.
  bool as_found() {
    if (!example_.given) return false;
    GivenInputs inputs = filled();
    for (const auto& [element, value] : example_.given->elements) {
      if (value.is_integer) {
        inputs.elements[element] = value;
      } else if (const auto given = legal_or_simple(facts_of(element.first), to_double(value.real))) {
        inputs.elements[element] = *given;
      }
    }
    return try_with(inputs);
  }

  [[nodiscard]] GivenInputs filled() const {
    GivenInputs inputs;
    for (const InputFacts& facts : model_.inputs) {
      if (!is_free(facts)) continue;
      if (const auto value = legal_or_simple(facts, 0)) inputs.fill[facts.variable->name] = *value;
    }
    return inputs;
  }

  // Less and less.

  static bool is_of(const std::pair<const GivenInputs::Element, GivenValue>& item, const std::string& name) {
    return item.first.first == name;
  }

  /// Whole inputs by one number.
  void reduce_inputs() {
    for (const InputFacts& facts : model_.inputs) {
      const std::string& name = facts.variable->name;
      if (std::none_of(best_->elements.begin(), best_->elements.end(),
                       [&](const auto& item) { return is_of(item, name); })) {
        continue;
      }
      for (const double value : {0.0, 1.0, -1.0, 2.0}) {
        const auto fill = legal(facts, value);
        if (!fill) continue;
        GivenInputs inputs = *best_;
        inputs.fill[name] = *fill;
        std::erase_if(inputs.elements, [&](const auto& item) { return is_of(item, name); });
        if (try_with(inputs)) break;
      }
    }
  }

  /// As few elements besides as can be: halves, quarters and so on take the number of the others.
  void reduce_chunks() {
    for (std::size_t chunk = best_->elements.size() / 2; chunk > 0; chunk /= 2) {
      for (std::size_t start = 0; start < best_->elements.size() && !is_spent();) {
        GivenInputs inputs = *best_;
        auto first = std::next(inputs.elements.begin(), static_cast<std::ptrdiff_t>(start));
        const std::size_t size = std::min(chunk, inputs.elements.size() - start);
        inputs.elements.erase(first, std::next(first, static_cast<std::ptrdiff_t>(size)));
        if (!try_with(inputs)) start += chunk;
      }
    }
  }

  /// Simpler numbers for what is left.
  void reduce_elements() {
    constexpr std::size_t kMost = 24;
    std::vector<GivenInputs::Element> left;
    for (const auto& [element, value] : best_->elements) left.push_back(element);
    if (left.size() > kMost) return;
    for (const GivenInputs::Element& element : left) {
      const InputFacts& facts = facts_of(element.first);
      const GivenValue now = best_->elements.at(element);
      const double number = now.is_integer ? static_cast<double>(now.integer) : to_double(now.real);
      std::vector<double> simpler(std::begin(kSimple), std::end(kSimple));
      for (const double scale : {1.0, 2.0, 10.0, 16.0, 1000.0}) simpler.push_back(std::round(number * scale) / scale);
      for (const double wanted : simpler) {
        if (wanted == number) break;
        const auto value = legal(facts, wanted);
        if (!value || *value == now) continue;
        GivenInputs inputs = *best_;
        inputs.elements[element] = *value;
        if (try_with(inputs)) break;
      }
    }
  }

  void keep() {
    if (!best_) {
      example_.is_representable = false;
      return;
    }
    example_.is_representable = true;
    example_.given = best_;
    example_.before = before_;
    example_.after = after_;
    const Draw draw{DrawKind::generic, example_.seed, 0, 0, -1, std::make_shared<const GivenInputs>(*best_)};
    try {
      Comparison comparison(pair_, model_, draw, options_, budget_);
      example_.inputs = comparison.inputs_of({example_.output, example_.index});
    } catch (const Failure&) {
      example_.inputs.clear();
    }
  }

  const Pair& pair_;
  const InputModel& model_;
  const CertifyOptions& options_;
  Counterexample& example_;
  Budget budget_{kOperations, std::uint64_t{256} << 20, options_.stop};
  int trials_ = 0;
  std::optional<GivenInputs> best_;
  std::string before_;
  std::string after_;
  /// After had no number there; the reason of a difference is not to change.
  bool was_undefined_ = example_.after == "undefined" || example_.after.find_first_of("in") != std::string::npos;
};

}  // namespace

void simplify(const Pair& pair, const InputModel& model, const CertifyOptions& options, Counterexample& example) {
  Simplifier(pair, model, options, example).run();
}

}  // namespace steptp::certify
