// Which elements of the outputs are looked at.
#include <algorithm>
#include <utility>

#include "steptp/certify/judge.h"

namespace steptp::certify {

void Judge::add_point(OutputPoint point) {
  const Variable* variable = signature_.find(point.output);
  if (!variable || variable->shape.size() != point.element.size()) return;
  for (std::size_t d = 0; d < point.element.size(); ++d) {
    if (point.element[d] < 0 || point.element[d] >= variable->shape[d]) return;
  }
  if (known_points_.insert(point).second) points_.push_back(std::move(point));
}

void Judge::choose_points() {
  for (const Variable& variable : signature_.variables) {
    if (variable.role != Role::output) continue;
    std::vector<std::int64_t> last;
    for (const std::int64_t size : variable.shape) last.push_back(size - 1);
    add_point({variable.name, std::vector<std::int64_t>(variable.shape.size(), 0)});
    add_point({variable.name, last});
  }
  required_ = points_.size();
  for (Coverage* coverage : {&before_coverage_, &after_coverage_}) {
    for (OutputPoint& point : coverage->edges()) add_point(std::move(point));
  }
  required_ = points_.size();
  add_small_outputs();
  for (const Variable& variable : signature_.variables) {
    if (variable.role != Role::output) continue;
    const std::size_t corners =
        std::min<std::size_t>(std::size_t{1} << std::min<std::size_t>(variable.shape.size(), 4), 16);
    for (std::uint32_t i = 0; i < options_.points; ++i) {
      std::vector<std::int64_t> element;
      for (const std::int64_t size : variable.shape) {
        element.push_back(static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(size))));
      }
      add_point({variable.name, std::move(element)});
    }
    for (std::size_t corner = 1; corner + 1 < corners; ++corner) {
      std::vector<std::int64_t> element;
      for (std::size_t d = 0; d < variable.shape.size(); ++d) {
        element.push_back(((corner >> d) & 1) != 0 ? variable.shape[d] - 1 : 0);
      }
      add_point({variable.name, std::move(element)});
    }
  }
}

void Judge::add_small_outputs() {
  for (const Variable& variable : signature_.variables) {
    const auto count = element_count(variable.shape);
    if (variable.role != Role::output || !count || *count > kFewElements) continue;
    for (std::int64_t position = 0; position < *count; ++position) {
      add_point({variable.name, index_at(variable, position)});
    }
  }
}

}  // namespace steptp::certify
