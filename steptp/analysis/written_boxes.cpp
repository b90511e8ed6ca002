#include "steptp/analysis/written_boxes.h"

#include <algorithm>
#include <string>
#include <utility>

#include "steptp/analysis/box_search.h"
#include "steptp/analysis/instances.h"

namespace steptp {

namespace {

std::size_t guards_in(const Statement& statement, std::size_t nests) {
  return static_cast<std::size_t>(std::count_if(statement.nests.begin(),
                                                statement.nests.begin() + static_cast<std::ptrdiff_t>(nests),
                                                [](const Nest* nest) { return nest->guard != nullptr; }));
}

}  // namespace

std::optional<WrittenBox> written_box(const AccessTable& table, const Access& write, std::size_t shared_loops,
                                      std::size_t shared_nests) {
  const Statement& statement = table.statements[write.statement];
  if (statement.guards.size() > guards_in(statement, shared_nests)) return std::nullopt;
  const Ranges loops = loop_box(statement);
  std::vector<std::string> used;
  WrittenBox out;
  for (const Index& subscript : full_subscripts(table, write)) {
    auto split = split_by(subscript, statement.loops, shared_loops);
    const auto values = split ? dense_values(split->own, loops, used) : std::nullopt;
    if (!values) return std::nullopt;
    out.bases.push_back(std::move(split->shared));
    out.box.push_back(*values);
  }
  return out;
}

std::vector<WrittenBoxes> written_before(const AccessTable& table, const TensorFacts& tensor, const Statement& reader,
                                         std::size_t least_shared) {
  std::vector<WrittenBoxes> groups;
  for (const std::size_t number : tensor.writes) {
    const Access& write = table.accesses[number];
    const Relation relation = relate(table.statements[write.statement], reader);
    if (!relation.before || relation.shared_loops < least_shared) continue;
    auto found = written_box(table, write, relation.shared_loops, relation.shared_nests);
    if (!found) continue;
    auto group = std::find_if(groups.begin(), groups.end(), [&](const WrittenBoxes& g) {
      return g.shared_loops == relation.shared_loops && g.bases == found->bases;
    });
    if (group == groups.end()) {
      group = groups.insert(groups.end(), {relation.shared_loops, std::move(found->bases), {}});
    }
    group->boxes.push_back(std::move(found->box));
  }
  return groups;
}

bool boxes_hold(const std::vector<WrittenBoxes>& written, const std::vector<Index>& subscripts, const Ranges& loops) {
  return std::any_of(written.begin(), written.end(), [&](const WrittenBoxes& group) {
    if (group.bases.size() != subscripts.size()) return false;
    Box whole;
    for (std::size_t i = 0; i < subscripts.size(); ++i) {
      const auto own = Index::subtract(subscripts[i], group.bases[i]);
      if (!own) return false;
      whole.push_back(range_of(*own, loops));
    }
    return boxes_cover(whole, group.boxes);
  });
}

bool reads_what_was_written(const AccessTable& table, const TensorFacts& tensor, const Access& read,
                            std::size_t least_shared) {
  const Statement& reader = table.statements[read.statement];
  if (std::any_of(read.ref->subscripts.begin(), read.ref->subscripts.end(), reads_tensor)) return false;
  return boxes_hold(written_before(table, tensor, reader, least_shared), full_subscripts(table, read),
                    loop_box(reader));
}

}  // namespace steptp
