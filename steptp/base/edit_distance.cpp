#include "steptp/base/edit_distance.h"

#include <algorithm>
#include <vector>

namespace steptp {

std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  for (std::size_t k = 0; k <= to.size(); ++k) row[k] = k;
  for (std::size_t i = 1; i <= from.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t k = 1; k <= to.size(); ++k) {
      const std::size_t above = row[k];
      row[k] = std::min({above + 1, row[k - 1] + 1, diagonal + (from[i - 1] == to[k - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[to.size()];
}

}  // namespace steptp
