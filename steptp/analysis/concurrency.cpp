#include "steptp/analysis/concurrency.h"

#include <algorithm>
#include <array>
#include <utility>

namespace steptp {

namespace {

constexpr std::array kBlockAxes = {Axis::bx, Axis::by, Axis::bz};
constexpr std::array kThreadAxes = {Axis::tx, Axis::ty, Axis::tz, Axis::wx, Axis::wy, Axis::wz};

bool is_over(const Loop& loop, bool threads) {
  if (loop.kind != LoopKind::bound) return false;
  const auto axis = axis_of(loop.index);
  return axis && is_thread_axis(*axis) == threads;
}

/// Whether a loop over such an axis runs more than once around one of them.
bool has_several(const Statement& first, const Statement& second, bool threads) {
  const auto several = [threads](const Loop* loop) { return is_over(*loop, threads) && loop->extent > 1; };
  return std::any_of(first.loops.begin(), first.loops.end(), several) ||
         std::any_of(second.loops.begin(), second.loops.end(), several);
}

}  // namespace

Linear axis_value(const Statement& statement, const Instance& instance, Axis axis) {
  for (std::size_t i = statement.kernel.host_loops; i < statement.loops.size(); ++i) {
    const Loop& loop = *statement.loops[i];
    if (loop.kind == LoopKind::bound && axis_of(loop.index) == axis) return Linear::variable(instance.variables[i]);
  }
  return Linear::number(0);
}

std::size_t first_thread_loop(const Statement& statement, std::size_t limit) {
  std::size_t position = 0;
  while (position < limit && !is_over(*statement.loops[position], true)) ++position;
  return position;
}

std::vector<Concurrency> concurrency_of(const Statement& first, const Statement& second) {
  std::vector<Concurrency> ways;
  const std::size_t shared = relate(first, second).shared_loops;
  for (std::size_t i = 0; i < shared; ++i) {
    const Loop& loop = *first.loops[i];
    const bool runs_at_once =
        loop.kind == LoopKind::parallel || loop.kind == LoopKind::vectorized || loop.kind == LoopKind::tensorized;
    if (runs_at_once && loop.extent > 1) {
      ways.push_back({Concurrency::Kind::iterations, i, i});
    }
  }
  if (first.kernel != second.kernel) return ways;
  const std::size_t thread_level = first_thread_loop(first, shared);
  if (thread_level < shared && has_several(first, second, true)) {
    ways.push_back({Concurrency::Kind::threads, thread_level, thread_level});
  }
  if (has_several(first, second, false)) {
    ways.push_back({Concurrency::Kind::blocks, 0, first.kernel.host_loops});
  }
  return ways;
}

std::vector<LoopPair> pair_loops(const Statement& first, const Statement& second, const Concurrency& concurrency) {
  std::vector<LoopPair> pairs = pair_loops(first, second, concurrency.equal_prefix);
  if (concurrency.kind == Concurrency::Kind::threads) {
    for (LoopPair& pair : pairs) pair.equal = pair.equal || is_over(*first.loops[pair.first], false);
  }
  return pairs;
}

bool may_differ(const Statement& first, const LoopPair& pair, const Concurrency& concurrency) {
  switch (concurrency.kind) {
    case Concurrency::Kind::iterations: return pair.first == concurrency.loop && pair.second == concurrency.loop;
    case Concurrency::Kind::threads: return is_over(*first.loops[pair.first], true);
    case Concurrency::Kind::blocks: return is_over(*first.loops[pair.first], false);
  }
  return true;
}

void require_concurrent(IntegerSet& set, const Statement& first, const Instance& first_instance,
                        const Statement& second, const Instance& second_instance, const Concurrency& concurrency,
                        std::int64_t only) {
  const auto value = [](const Instance& instance, std::size_t position) {
    return Linear::variable(instance.variables[position]);
  };
  for (std::size_t i = 0; i < concurrency.equal_prefix; ++i) {
    set.require(equals(value(first_instance, i), value(second_instance, i)));
  }
  std::vector<std::pair<Linear, Linear>> differing;
  const auto add_axes = [&](const auto& axes) {
    for (const Axis axis : axes) {
      differing.emplace_back(axis_value(first, first_instance, axis), axis_value(second, second_instance, axis));
    }
  };
  switch (concurrency.kind) {
    case Concurrency::Kind::iterations:
      differing.emplace_back(value(first_instance, concurrency.loop), value(second_instance, concurrency.loop));
      break;
    case Concurrency::Kind::threads:
      for (const Axis axis : kBlockAxes) {
        set.require(equals(axis_value(first, first_instance, axis), axis_value(second, second_instance, axis)));
      }
      if (only < 0) add_axes(kThreadAxes);
      break;
    case Concurrency::Kind::blocks:
      if (only < 0) add_axes(kBlockAxes);
      break;
  }
  if (only >= 0 && concurrency.kind != Concurrency::Kind::iterations) {
    const auto position = static_cast<std::size_t>(only);
    for (std::size_t i = 0; i < position; ++i) {
      if (may_differ(first, {i, i, false}, concurrency)) {
        set.require(equals(value(first_instance, i), value(second_instance, i)));
      }
    }
    differing.emplace_back(value(first_instance, position), value(second_instance, position));
  }
  Formula different;
  for (const auto& [a, b] : differing) {
    if (a.terms.empty() && b.terms.empty()) continue;
    different.push_back({less(a, b)});
    different.push_back({less(b, a)});
  }
  set.require(std::move(different));
}

}  // namespace steptp
