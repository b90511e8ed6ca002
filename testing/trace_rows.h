#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "steptp/strategies/strategy.h"

namespace steptp::testing {

/// One step and what is told of it.
struct TraceRow {
  std::string type;  ///< of the zoo, or "example"
  const Strategy* strategy = nullptr;
  Program before;
  Choice choice;
  Applied applied;
  std::uint64_t seed = 0;
};

/// Which steps: of every `stride`-th type of the zoo from `first` on at its default shape, `draws` on each state of a
/// walk through all strategies, and of a walk that inlines, which makes the larger expressions that algebra needs.
struct TraceRows {
  std::uint64_t seed = 0;
  std::size_t first = 0;
  std::size_t stride = 1;
  std::uint64_t steps = 3;
  std::uint64_t draws = 4;
};

/// The examples of all strategies first.
void for_each_example(const std::function<void(const TraceRow&)>& visit);
void for_each_row(const TraceRows& rows, const std::function<void(const TraceRow&)>& visit);

}  // namespace steptp::testing
