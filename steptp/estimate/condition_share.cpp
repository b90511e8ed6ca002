#include "steptp/estimate/condition_share.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "steptp/estimate/element_offset.h"

namespace steptp::estimation {

namespace {

using lowering::Value;

/// A condition with its indices made ready to be evaluated at many iterations.
struct Prepared {
  const Value* value = nullptr;
  ElementOffset index;
  std::vector<Prepared> operands;
};

Prepared prepare(const Value& value, const std::vector<const Loop*>& loops) {
  Prepared out;
  out.value = &value;
  if (value.kind == Value::Kind::index) out.index = ElementOffset(value.index, loops);
  for (const lowering::ValuePtr& operand : value.operands) out.operands.push_back(prepare(*operand, loops));
  return out;
}

bool holds(CompareOp op, double a, double b) {
  switch (op) {
    case CompareOp::less: return a < b;
    case CompareOp::less_equal: return a <= b;
    case CompareOp::greater: return a > b;
    case CompareOp::greater_equal: return a >= b;
    case CompareOp::equal: return a == b;
    case CompareOp::not_equal: return a != b;
  }
  return false;
}

/// Nothing where data, or an operation that conditions on indices seldom have, decides.
std::optional<double> number(const Prepared& prepared, const std::vector<std::int64_t>& point);

std::optional<double> arithmetic(const Prepared& prepared, const std::vector<std::int64_t>& point) {
  const auto a = number(prepared.operands[0], point);
  const auto b = number(prepared.operands[1], point);
  if (!a || !b) return std::nullopt;
  switch (prepared.value->op) {
    case ArithmeticOp::add: return *a + *b;
    case ArithmeticOp::subtract: return *a - *b;
    case ArithmeticOp::multiply: return *a * *b;
    case ArithmeticOp::floor_divide: return *b == 0 ? std::optional<double>() : std::floor(*a / *b);
    case ArithmeticOp::modulo: return *b == 0 ? std::optional<double>() : *a - *b * std::floor(*a / *b);
    case ArithmeticOp::max: return std::max(*a, *b);
    case ArithmeticOp::min: return std::min(*a, *b);
    case ArithmeticOp::divide:
    case ArithmeticOp::power: return std::nullopt;
  }
  return std::nullopt;
}

std::optional<double> logic(const Prepared& prepared, const std::vector<std::int64_t>& point) {
  bool is_open = false;
  const bool all = prepared.value->logic == LogicOp::conjunction;
  for (const Prepared& operand : prepared.operands) {
    const auto one = number(operand, point);
    if (!one) {
      is_open = true;
    } else if ((*one != 0) != all) {
      return all ? 0 : 1;
    }
  }
  if (is_open) return std::nullopt;
  return all ? 1 : 0;
}

std::optional<double> number(const Prepared& prepared, const std::vector<std::int64_t>& point) {
  const Value& value = *prepared.value;
  switch (value.kind) {
    case Value::Kind::integer: return static_cast<double>(value.integer);
    case Value::Kind::real: return value.real;
    case Value::Kind::index: return static_cast<double>(prepared.index.at(point));
    case Value::Kind::convert: return number(prepared.operands[0], point);
    case Value::Kind::arithmetic: return arithmetic(prepared, point);
    case Value::Kind::compare: {
      const auto a = number(prepared.operands[0], point);
      const auto b = number(prepared.operands[1], point);
      if (!a || !b) return std::nullopt;
      return holds(value.comparison, *a, *b) ? 1 : 0;
    }
    case Value::Kind::logic: return logic(prepared, point);
    case Value::Kind::load:
    case Value::Kind::integer_power:
    case Value::Kind::function:
    case Value::Kind::select: return std::nullopt;
  }
  return std::nullopt;
}

void collect_loops(const Value& value, const std::vector<const Loop*>& loops, std::vector<bool>& used) {
  if (value.kind == Value::Kind::index) {
    for_each_variable(value.index, [&](const std::string& name) {
      for (std::size_t i = loops.size(); i-- > 0;) {
        if (loops[i]->index != name) continue;
        used[i] = true;
        break;
      }
    });
  }
  for (const lowering::ValuePtr& operand : value.operands) collect_loops(*operand, loops, used);
}

/// The loops that a condition mentions: over blocks, over threads, and those that each thread runs by itself.
class Points {
 public:
  Points(const Value& condition, const std::vector<const Loop*>& loops)
      : prepared_(prepare(condition, loops)), loops_(loops), point_(loops.size(), 0) {
    std::vector<bool> used(loops.size(), false);
    collect_loops(condition, loops, used);
    for (std::size_t i = 0; i < loops.size(); ++i) {
      if (!used[i]) continue;
      const std::optional<Axis> axis = loops[i]->kind == LoopKind::bound ? axis_of(loops[i]->index) : std::nullopt;
      levels_[!axis ? 2 : is_thread_axis(*axis) ? 1 : 0].loops.push_back(i);
    }
    std::int64_t points = 1;
    for (Level& level : levels_) {
      level.points = count(level.loops, kExact / points);
      points = std::min(points * level.points, kExact + 1);
    }
    is_exact_ = points <= kExact;
    if (is_exact_) return;
    for (std::size_t i = 0; i < levels_.size(); ++i) levels_[i].points = levels_[i].loops.empty() ? 1 : kSamples[i];
  }

  ConditionShare share() {
    ConditionShare out{0, 0, 0};
    for (std::int64_t block = 0; block < levels_[0].points; ++block) {
      place(levels_[0], block);
      double of_block = 0;
      for (std::int64_t thread = 0; thread < levels_[1].points; ++thread) {
        place(levels_[1], thread);
        const double of_thread = mean_of_thread();
        out.busiest = std::max(out.busiest, of_thread);
        of_block += of_thread / static_cast<double>(levels_[1].points);
      }
      out.block = std::max(out.block, of_block);
      out.all += of_block / static_cast<double>(levels_[0].points);
    }
    if (is_exact_ || out.all > 0) return out;
    // It may hold between the places that were looked at.
    const auto half = [this](std::size_t level) {
      return levels_[level].loops.empty() ? 1 : 0.5 / static_cast<double>(levels_[level].points);
    };
    return {half(0) * half(1) * half(2), half(1) * half(2), half(2)};
  }

 private:
  struct Level {
    std::vector<std::size_t> loops;
    std::int64_t points = 1;
  };
  static constexpr std::int64_t kExact = 2048;
  static constexpr std::array<std::int64_t, 3> kSamples = {16, 16, 8};

  double mean_of_thread() {
    double sum = 0;
    for (std::int64_t round = 0; round < levels_[2].points; ++round) {
      place(levels_[2], round);
      sum += number(prepared_, point_).value_or(0.5);
    }
    return sum / static_cast<double>(levels_[2].points);
  }

  /// Iterations of loops together; one more than `most` where they are more.
  [[nodiscard]] std::int64_t count(const std::vector<std::size_t>& which, std::int64_t most) const {
    std::int64_t out = 1;
    for (const std::size_t i : which) {
      if (loops_[i]->extent > most / out) return most + 1;
      out *= loops_[i]->extent;
    }
    return out;
  }

  /// Along one loop in equal steps; multiples of different irrational steps fill a box evenly.
  void place(const Level& level, std::int64_t sample) {
    constexpr double kGolden = 0.6180339887498949;
    std::int64_t rest = sample;
    for (std::size_t k = 0; k < level.loops.size(); ++k) {
      const std::int64_t extent = loops_[level.loops[k]]->extent;
      std::int64_t& at = point_[level.loops[k]];
      if (is_exact_) {
        at = rest % extent;
        rest /= extent;
        continue;
      }
      double place = (static_cast<double>(sample) + 0.5) * std::sqrt(static_cast<double>(2 * k) + kGolden);
      place -= std::floor(place);
      if (level.loops.size() == 1) place = (static_cast<double>(sample) + 0.5) / static_cast<double>(level.points);
      at = static_cast<std::int64_t>(place * static_cast<double>(extent));
    }
  }

  Prepared prepared_;
  const std::vector<const Loop*>& loops_;
  std::vector<std::int64_t> point_;
  std::array<Level, 3> levels_;
  bool is_exact_ = false;
};

}  // namespace

ConditionShare share_of(const lowering::Value& condition, const std::vector<const Loop*>& loops) {
  return Points(condition, loops).share();
}

}  // namespace steptp::estimation
