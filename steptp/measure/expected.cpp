// What elements of an output have to be, so that a wrong run gets no time. Elements are evaluated one by one with a
// running error bound; a result may differ by what `verify` calls safe. Where that bound is too wide to notice a
// missing term (long sums in f16), the order of the run is followed instead (decisions 0035 and 0037). Elements that
// stay too uncertain are left out and others are tried.
#include "steptp/measure/expected.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "steptp/base/ordered_stream.h"
#include "steptp/base/random.h"
#include "steptp/base/text.h"
#include "steptp/certify/typed_run.h"
#include "steptp/execution/thread_team.h"
#include "steptp/machine/big_stack.h"
#include "steptp/measure/thread_order.h"

namespace steptp {

namespace {

using certify::TypedRun;

/// As in certify/safe.cpp: what is no loss against the order of the text.
constexpr double kFactor = 8;
constexpr double kUnits = 4;
/// A bound that is wider than this part of what an output holds would accept results in which a term is missing.
constexpr double kGreatestShare = 1.0 / 16;
/// What an element beside another one may take, as a part of what that one took.
constexpr std::uint64_t kShareBeside = 16;
constexpr std::uint64_t kMemoryBytes = std::uint64_t{256} << 20;
/// So many elements of an output are drawn from all over it before edges count more.
constexpr std::uint32_t kAnywhere = 8;

/// Elements that one thread draws sooner than others are woken.
constexpr std::size_t kWorthThreads = 100'000;

void draw(const certify::DrawnInputs& inputs, std::size_t number, const Variable& variable, ThreadTeam& team,
          Tensor& tensor) {
  const auto width = static_cast<std::size_t>(info(variable.dtype).bytes);
  const std::size_t count = tensor.data.size() / width;
  const std::size_t parts = count < kWorthThreads ? 1 : team.threads();
  team.run(static_cast<std::int64_t>(parts), [&](std::int64_t part) {
    const std::size_t begin = count * static_cast<std::size_t>(part) / parts;
    const std::size_t end = count * static_cast<std::size_t>(part + 1) / parts;
    for (std::size_t i = begin; i < end; ++i) {
      const auto position = static_cast<std::int64_t>(i);
      store(is_float(variable.dtype) ? Scalar::real(variable.dtype, inputs.real(number, position))
                                     : Scalar::integer(variable.dtype, inputs.integer(number, position)),
            tensor.data.data() + i * width);
    }
  });
}

std::vector<std::int64_t> subscripts_of(std::int64_t position, const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> out(shape.size());
  for (std::size_t i = shape.size(); i-- > 0; position /= shape[i]) out[i] = position % shape[i];
  return out;
}

class Evaluation {
 public:
  Evaluation(const Program& program, const Program& drawn, std::uint64_t seed, std::uint32_t wanted,
             std::uint64_t operations, RunOrder order)
      : program_(program),
        run_(program, drawn, seed, kMemoryBytes),
        random_(seed + 1),
        wanted_(wanted),
        operations_(operations),
        // Another program's run is as far from the exact value as is allowed, and our value is within the bound of it.
        factor_(order == RunOrder::any ? kFactor + 1 : kFactor) {
    if (order == RunOrder::any) return;
    std::optional<certify::ThreadFolds> folds = certify::ThreadFolds();
    if (order == RunOrder::threads) folds = thread_order(program, run_.code());
    knows_order_ = folds.has_value();
    if (folds) run_.follow_threads(*std::move(folds));
  }

  Expectations run() {
    if (!run_.problem().empty()) {
      out_.problem = run_.problem();
      return out_;
    }
    for (const Variable& variable : program_.signature.variables) {
      if (variable.role != Role::output) continue;
      greatest_ = 0;
      dearest_ = 0;
      // Some cannot be certified; as many again are tried in their place.
      const std::size_t enough = out_.elements.size() + wanted_;
      for (std::uint32_t i = 0; i < 2 * wanted_ && out_.elements.size() < enough; ++i) {
        ExpectedElement element;
        element.output = variable.name;
        const auto axis = axis_beside();
        element.subscripts = axis ? beside(variable, *axis) : drawn(variable, i);
        for (std::size_t k = 0; k < variable.shape.size(); ++k) {
          element.position = element.position * variable.shape[k] + element.subscripts[k];
        }
        const std::vector<std::int64_t> at = element.subscripts;
        limit_ = axis ? dearest_ / kShareBeside : operations_;
        const std::uint64_t limit = limit_;
        evaluate(std::move(element));
        note_cost(variable, at, axis, limit - limit_, limit);
        if (variable.shape.empty()) break;
      }
    }
    return out_;
  }

  Expectations run_at(const std::vector<ExpectedElement>& places) {
    if (!run_.problem().empty()) {
      out_.problem = run_.problem();
      return out_;
    }
    for (const Variable& variable : program_.signature.variables) {
      if (variable.role != Role::output) continue;
      greatest_ = 0;
      for (const ExpectedElement& place : places) {
        if (place.output != variable.name) continue;
        ExpectedElement element;
        element.output = place.output;
        element.position = place.position;
        element.each_run = place.each_run;
        element.subscripts = subscripts_of(place.position, variable.shape);
        limit_ = operations_;
        evaluate(std::move(element));
      }
    }
    return out_;
  }

 private:
  /// Corners first, then anywhere; every second one of many lies on edges, where tiles end.
  std::vector<std::int64_t> drawn(const Variable& variable, std::uint32_t number) {
    std::vector<std::int64_t> out;
    for (const std::int64_t extent : variable.shape) {
      std::int64_t at = number == 0 ? 0 : number == 1 ? extent - 1 : random_.between(0, extent - 1);
      if (number >= kAnywhere && number % 2 == 1) {
        const std::int64_t side = random_.between(0, 2);
        at = side == 0 ? 0 : side == 1 ? extent - 1 : at;
      }
      out.push_back(at);
    }
    return out;
  }

  /// Where one element takes so much that others would not fit in (statistics of a channel over a whole batch), the
  /// others lie beside it, each along one axis, where they share with it what takes so much. An axis along which they
  /// do not is not tried again.
  [[nodiscard]] std::optional<std::size_t> axis_beside() {
    if (dearest_ == 0) return std::nullopt;
    for (std::size_t i = 0; i < is_costly_.size(); ++i) {
      last_axis_ = (last_axis_ + 1) % is_costly_.size();
      if (!is_costly_[last_axis_]) return last_axis_;
    }
    return std::nullopt;
  }

  std::vector<std::int64_t> beside(const Variable& variable, std::size_t axis) {
    std::vector<std::int64_t> out = dear_;
    out[axis] = random_.between(0, variable.shape[axis] - 1);
    return out;
  }

  void note_cost(const Variable& variable, const std::vector<std::int64_t>& at, std::optional<std::size_t> axis,
                 std::uint64_t cost, std::uint64_t limit) {
    if (axis) {
      is_costly_[*axis] = cost > limit / 2;
    } else if (dearest_ == 0 && !at.empty() && cost > operations_ / wanted_) {
      dearest_ = cost;
      dear_ = at;
      is_costly_.clear();
      // Along an axis of one there is nothing beside it.
      for (const std::int64_t extent : variable.shape) is_costly_.push_back(extent == 1);
    }
  }

  void leave_out(std::string reason) {
    if (out_.problem.empty()) out_.problem = std::move(reason);
  }

  void evaluate(ExpectedElement element) {
    if (!in_any_order(element)) return;
    if (element.is_real) {
      greatest_ = std::max(greatest_, std::isfinite(element.value) ? std::fabs(element.value) : 0);
      if (is_wide(element) && knows_order_ && !in_order(element)) return;
      if (is_wide(element)) return leave_out("the rounding errors of an element may be as large as its value");
    }
    out_.elements.push_back(std::move(element));
  }

  /// Zero, for one, may be what is left of large numbers; then it is compared with other elements. Outcomes of a
  /// comparison may be as far apart as they like, and are not.
  [[nodiscard]] bool is_wide(const ExpectedElement& element) const {
    // What overflows in one order may be a number in another.
    if (!std::isfinite(element.value)) return std::isinf(element.allowed);
    const double size = is_covered_ ? std::fabs(element.value) : greatest_;
    return element.allowed > kGreatestShare * size && element.allowed > least_;
  }

  using Evaluate = TypedRun::Element (TypedRun::*)(const std::string&, const std::vector<std::int64_t>&,
                                                   std::uint64_t&);

  /// Nothing where nothing can be said.
  std::optional<TypedRun::Element> value_of(const ExpectedElement& element, Evaluate method) {
    const std::uint64_t granted = std::min(limit_, operations_);
    std::uint64_t left = granted;
    TypedRun::Element found = (run_.*method)(element.output, element.subscripts, left);
    operations_ -= granted - left;
    limit_ -= granted - left;
    is_covered_ = found.is_covered;
    if (!found.failure && !found.is_open) return found;
    // Another axis is tried.
    const bool is_spent = found.failure && found.failure->kind == certify::FailureKind::operations;
    if (is_spent && granted < operations_) return std::nullopt;
    leave_out(found.failure ? found.failure->message : "a comparison of data lies within the rounding errors");
    return std::nullopt;
  }

  /// False where nothing can be said.
  bool in_any_order(ExpectedElement& element) {
    const auto found = value_of(element, &TypedRun::in_any_order);
    if (!found) return false;
    element.is_real = found->is_real;
    element.integer = found->integer;
    if (!found->is_real) return true;
    element.value = found->value;
    if (!std::isfinite(element.value)) {
      element.allowed = element.any_order = found->error;
      return true;
    }
    least_ = kUnits * found->unit;
    element.allowed = element.any_order = factor_ * found->error + least_;
    return true;
  }

  bool in_order(ExpectedElement& element) {
    const auto found = value_of(element, &TypedRun::in_order);
    if (!found) return false;
    if (std::isnan(found->value) ? std::isnan(found->low) && std::isnan(found->high) : found->low == found->high) {
      // Infinities and NaN, for one: there is no unit of them.
      if (!std::isfinite(found->value)) return expect(element, found->value, 0);
    }
    if (!std::isfinite(found->low) || !std::isfinite(found->high)) return true;
    const double least = kUnits * found->unit;
    const double error = std::max(found->high - found->value, found->value - found->low) + least;
    if (!(error < element.allowed)) return true;
    least_ = least;
    greatest_ = std::max(greatest_, std::fabs(found->value));
    return expect(element, found->value, error);
  }

  /// A value of the order of a run in place of that of the text. What any order allows is around the latter.
  static bool expect(ExpectedElement& element, double value, double allowed) {
    const bool is_same = element.value == value || (std::isnan(element.value) && std::isnan(value));
    if (!is_same) element.any_order += std::fabs(element.value - value);
    if (std::isnan(element.any_order)) element.any_order = std::numeric_limits<double>::infinity();
    element.value = value;
    element.allowed = allowed;
    return true;
  }

  const Program& program_;
  TypedRun run_;
  bool knows_order_ = false;  ///< in which a run accumulates
  Random random_;
  std::uint32_t wanted_;
  std::uint64_t operations_;  ///< that are left
  double factor_;
  std::uint64_t limit_ = 0;    ///< of the element at hand
  std::uint64_t dearest_ = 0;  ///< what an element took that others are drawn beside; 0 where they are drawn anywhere
  std::vector<std::int64_t> dear_;  ///< where it is
  std::vector<bool> is_costly_;     ///< by axis
  std::size_t last_axis_ = 0;
  double greatest_ = 0;      ///< of the elements of this output so far
  bool is_covered_ = false;  ///< the bound of this element holds for both outcomes of some comparison
  double least_ = 0;         ///< that is allowed at this element, however sure its value is
  Expectations out_;
};

}  // namespace

Result<Tensors, std::string> drawn_inputs(const Program& program, std::uint64_t seed) {
  const certify::DrawnInputs inputs(program, seed);
  if (!inputs.problem().empty()) return inputs.problem();
  ThreadTeam team(default_jobs());
  Tensors out;
  for (std::size_t i = 0; i < inputs.count(); ++i) {
    const Variable& variable = inputs.variable(i);
    Tensor tensor{variable.dtype, variable.shape, {}};
    std::size_t bytes = static_cast<std::size_t>(info(variable.dtype).bytes);
    for (const std::int64_t extent : variable.shape) bytes *= static_cast<std::size_t>(extent);
    tensor.data.resize(bytes);
    draw(inputs, i, variable, team, tensor);
    out.emplace(variable.name, std::move(tensor));
  }
  return out;
}

namespace {

template <typename Work>
Expectations evaluated(Work work) {
  Expectations out;
  const bool ran = certify::run_on_big_stack([&] {
    try {
      out = work();
    } catch (const certify::Failure& failure) {
      out.problem = failure.message;
    }
  });
  if (!ran) out.problem = "no stack for the evaluation";
  return out;
}

}  // namespace

Expectations expected_elements(const Program& program, const Program& drawn, std::uint64_t seed, std::uint32_t wanted,
                               std::uint64_t operations, RunOrder order) {
  return evaluated([&] { return Evaluation(program, drawn, seed, wanted, operations, order).run(); });
}

Expectations expected_elements_at(const Program& program, const Program& drawn, std::uint64_t seed,
                                  const std::vector<ExpectedElement>& places, std::uint64_t operations,
                                  RunOrder order) {
  const auto wanted = static_cast<std::uint32_t>(places.size());
  return evaluated([&] { return Evaluation(program, drawn, seed, wanted, operations, order).run_at(places); });
}

bool may_be_equal(const ExpectedElement& one, const ExpectedElement& other) {
  if (one.is_real != other.is_real) return false;
  if (!one.is_real) return one.integer == other.integer;
  return !(std::fabs(one.value - other.value) > one.any_order + other.any_order);
}

bool is_expected(const ExpectedElement& expected, const Scalar& value) {
  if (!expected.is_real) return !is_float(value.dtype()) && value.as_integer() == expected.integer;
  if (!is_float(value.dtype())) return false;
  const double got = value.as_real();
  if (std::isnan(expected.value)) return std::isnan(got);
  if (std::isinf(expected.value)) return got == expected.value;
  return std::fabs(got - expected.value) <= expected.allowed;
}

}  // namespace steptp
