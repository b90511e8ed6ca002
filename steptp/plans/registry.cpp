#include "steptp/plans/registry.h"

#include <algorithm>

#include "steptp/base/edit_distance.h"
#include "steptp/base/text.h"

namespace steptp {

const std::vector<const Move*>& all_moves() {
  static const std::vector<const Move*> kAll = registered_moves();
  return kAll;
}

const Move* find_move(std::string_view name) {
  const std::vector<const Move*>& all = all_moves();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Move* move) { return move->name == name; });
  return found == all.end() ? nullptr : *found;
}

std::string unknown_move(std::string_view name) {
  std::string_view meant;
  std::size_t least = name.size() / 2 + 1;
  for (const Move* move : all_moves()) {
    const std::size_t distance = edit_distance(name, move->name);
    if (distance >= least) continue;
    least = distance;
    meant = move->name;
  }
  return concat("unknown move '", name, "'", meant.empty() ? "" : "; did you mean ", meant, meant.empty() ? "" : "?");
}

}  // namespace steptp
