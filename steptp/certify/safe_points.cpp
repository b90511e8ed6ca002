// Which elements of the outputs the search for faults looks at.
#include "steptp/certify/safe_points.h"

#include <algorithm>

#include "steptp/certify/coverage.h"

namespace steptp::certify {

namespace {

constexpr std::size_t kManyPoints = 512;
constexpr std::int64_t kSmallOutput = 12;

}  // namespace

std::vector<OutputPoint> PointChoice::few() {
  for (const Variable& variable : signature_.variables) {
    if (variable.name.starts_with('#')) add_few(variable);
  }
  return points_;
}

std::vector<OutputPoint> PointChoice::many() {
  constexpr std::int64_t kAll = 256;
  constexpr std::int64_t kDrawn = 128;
  limit_ = kManyPoints;
  for (const Variable& variable : signature_.variables) {
    const auto count = element_count(variable.shape);
    if (variable.role != Role::output || !count) continue;
    for (std::int64_t i = 0; i < *count && *count <= kAll; ++i) {
      add({variable.name, index_at(variable, i)});
    }
    // One in every part of so many: no part of one in 64 is left out.
    for (std::int64_t i = 0; i<kDrawn&& * count> kAll; ++i) {
      const std::int64_t first = *count / kDrawn * i + *count % kDrawn * i / kDrawn;
      const std::int64_t within = std::max<std::int64_t>(*count / kDrawn, 1);
      const auto drawn = static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(within)));
      add({variable.name, index_at(variable, std::min(first + drawn, *count - 1))});
    }
  }
  return points_;
}

std::vector<OutputPoint> PointChoice::choose(const Code& before, const Code& after, const InputModel& model) {
  for (const Variable& variable : signature_.variables) {
    if (variable.role == Role::output) add_ends(variable);
  }
  for (const Code* code : {&before, &after}) {
    Coverage coverage(*code, model);
    for (const OutputPoint& point : coverage.regions()) add(point);
    for (const OutputPoint& point : coverage.chosen_elements()) add(point);
    for (const OutputPoint& point : coverage.edges()) add(point);
  }
  for (const Variable& variable : signature_.variables) {
    if (variable.role == Role::output) add_few(variable);
  }
  return points_;
}

void PointChoice::add(const OutputPoint& point) {
  const Variable* variable = signature_.find(point.output);
  if (!variable || variable->role != Role::output || variable->shape.size() != point.element.size()) return;
  for (std::size_t d = 0; d < point.element.size(); ++d) {
    if (point.element[d] < 0 || point.element[d] >= variable->shape[d]) return;
  }
  if (points_.size() < limit_ && known_.insert(point).second) points_.push_back(point);
}

void PointChoice::add_few(const Variable& variable) {
  const auto count = element_count(variable.shape);
  if (count && *count <= kSmallOutput) {
    for (std::int64_t i = 0; i < *count; ++i) add({variable.name, index_at(variable, i)});
    return;
  }
  add_ends(variable);
}

void PointChoice::add_ends(const Variable& variable) {
  OutputPoint first{variable.name, {}};
  OutputPoint last{variable.name, {}};
  OutputPoint drawn{variable.name, {}};
  for (const std::int64_t extent : variable.shape) {
    first.element.push_back(0);
    last.element.push_back(extent - 1);
    drawn.element.push_back(static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(extent))));
  }
  for (const OutputPoint& point : {first, drawn, last}) add(point);
}

}  // namespace steptp::certify
