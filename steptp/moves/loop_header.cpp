#include "steptp/moves/loop_header.h"

#include <algorithm>
#include <utility>

namespace steptp {

LoopHeader::LoopHeader(MoveBuilder& builder, std::vector<std::uint32_t> items, std::vector<std::string> roles)
    : builder_(builder), items_(std::move(items)), roles_(std::move(roles)) {}

std::size_t LoopHeader::position(std::string_view role) const {
  return static_cast<std::size_t>(std::find(roles_.begin(), roles_.end(), role) - roles_.begin());
}

const Nest& LoopHeader::nest() const {
  return *std::get<const Nest*>(resolve(builder_.program().nests, item_site(items_)));
}

bool LoopHeader::has(std::string_view role) const { return position(role) < roles_.size(); }

std::int64_t LoopHeader::extent(std::string_view role) const { return nest().loops[position(role)].extent; }

bool LoopHeader::split(std::string_view role, std::int64_t inner, std::string outer_role, std::string inner_role) {
  const std::size_t at = position(role);
  if (!builder_.step("loop_split", loop_site(items_, at), {{"inner", inner}, {"kind", "inner"}})) return false;
  roles_[at] = std::move(inner_role);
  roles_.insert(roles_.begin() + static_cast<std::ptrdiff_t>(at), std::move(outer_role));
  return true;
}

bool LoopHeader::arrange(const std::vector<std::string>& order) {
  for (std::size_t want = 0; want < order.size(); ++want) {
    const std::size_t from = position(order[want]);
    if (from == want) continue;
    const Values with = {{"with", static_cast<std::int64_t>(from)}};
    if (!builder_.step("loop_reorder", loop_site(items_, want), with)) return false;
    std::swap(roles_[want], roles_[from]);
  }
  return true;
}

bool LoopHeader::fuse_first(std::size_t count) {
  for (; count > 1; --count) {
    if (!builder_.step("loop_fusion", loop_site(items_, 0), {{"keep", "inner"}})) return false;
    roles_.erase(roles_.begin());
  }
  return true;
}

bool LoopHeader::fuse(const std::vector<std::string>& roles, std::string to) {
  if (roles.empty()) return true;
  const std::size_t at = position(roles[0]);
  for (std::size_t count = roles.size(); count > 1; --count) {
    if (!builder_.step("loop_fusion", loop_site(items_, at), {{"keep", "inner"}})) return false;
    roles_.erase(roles_.begin() + static_cast<std::ptrdiff_t>(at));
  }
  roles_[at] = std::move(to);
  return true;
}

bool LoopHeader::bind(std::string_view role, std::string_view axis) {
  return builder_.step("loop_binding", loop_site(items_, position(role)), {{"axis", axis}, {"multiple", 1}});
}

bool LoopHeader::unbind_all() {
  for (std::size_t i = 0; i < roles_.size(); ++i) {
    if (nest().loops[i].kind != LoopKind::bound) continue;
    if (!builder_.step("loop_binding", loop_site(items_, i), {{"axis", "none"}, {"multiple", 1}})) return false;
  }
  return true;
}

}  // namespace steptp
