#include "steptp/certify/output_points.h"

#include <algorithm>
#include <utility>

namespace steptp::certify {

void OutputPoints::add(OutputPoint point) {
  const Variable* variable = pair_.signature.find(point.output);
  if (!variable || variable->shape.size() != point.element.size()) return;
  for (std::size_t d = 0; d < point.element.size(); ++d) {
    if (point.element[d] < 0 || point.element[d] >= variable->shape[d]) return;
  }
  if (known_.insert(point).second) points_.push_back(std::move(point));
}

std::vector<OutputPoint> OutputPoints::first(std::size_t most) const {
  return {points_.begin(), points_.begin() + static_cast<std::ptrdiff_t>(std::min(points_.size(), most))};
}

void OutputPoints::choose() {
  for (const Variable& variable : pair_.signature.variables) {
    if (variable.role != Role::output) continue;
    std::vector<std::int64_t> last;
    for (const std::int64_t size : variable.shape) last.push_back(size - 1);
    add({variable.name, std::vector<std::int64_t>(variable.shape.size(), 0)});
    add({variable.name, last});
  }
  for (Coverage* coverage : {&pair_.before_coverage, &pair_.after_coverage}) {
    for (OutputPoint& point : coverage->edges()) add(std::move(point));
  }
  required_ = points_.size();
  add_small_outputs();
  for (const Variable& variable : pair_.signature.variables) {
    if (variable.role != Role::output) continue;
    add_random(variable);
    add_corners(variable);
  }
}

void OutputPoints::add_random(const Variable& output) {
  for (std::uint32_t i = 0; i < pair_.options.points; ++i) {
    std::vector<std::int64_t> element;
    for (const std::int64_t size : output.shape) {
      element.push_back(static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(size))));
    }
    add({output.name, std::move(element)});
  }
}

/// Those of the first four dimensions; the first and the last corner of all are there already.
void OutputPoints::add_corners(const Variable& output) {
  const std::size_t corners = std::size_t{1} << std::min<std::size_t>(output.shape.size(), 4);
  for (std::size_t corner = 1; corner + 1 < corners; ++corner) {
    std::vector<std::int64_t> element;
    for (std::size_t d = 0; d < output.shape.size(); ++d) {
      element.push_back(((corner >> d) & 1) != 0 ? output.shape[d] - 1 : 0);
    }
    add({output.name, std::move(element)});
  }
}

void OutputPoints::add_small_outputs() {
  for (const Variable& variable : pair_.signature.variables) {
    const auto count = element_count(variable.shape);
    if (variable.role != Role::output || !count || *count > kFewElements) continue;
    for (std::int64_t position = 0; position < *count; ++position) {
      add({variable.name, index_at(variable, position)});
    }
  }
}

}  // namespace steptp::certify
