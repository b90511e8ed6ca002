#include "steptp/moves/thread_roles.h"

#include <algorithm>

namespace steptp {

std::vector<Dimension> dimensions_of(const std::vector<std::int64_t>& extents, std::int64_t threads) {
  std::vector<Dimension> out;
  for (const std::int64_t extent : extents) out.push_back({extent, 1});
  std::size_t axes = 0;
  for (std::size_t i = out.size(); i-- > 0 && axes < 3 && threads > 1;) {
    if (out[i].extent < 2) continue;
    out[i].threads = std::min(out[i].extent, axes == 2 ? std::min<std::int64_t>(threads, 64) : threads);
    threads /= out[i].threads;
    ++axes;
  }
  return out;
}

std::vector<ThreadRole> roles_of(const std::vector<Dimension>& dimensions) {
  std::vector<ThreadRole> out;
  for (const Dimension& one : dimensions) {
    if (one.threads < one.extent || one.threads == 1) {
      out.push_back({ThreadRole::Kind::block, (one.extent - 1) / one.threads + 1});
    }
    if (one.threads > 1) out.push_back({ThreadRole::Kind::thread, one.threads});
  }
  std::vector<std::size_t> blocks;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i].kind == ThreadRole::Kind::block) blocks.push_back(i);
  }
  std::stable_sort(blocks.begin(), blocks.end(),
                   [&](std::size_t a, std::size_t b) { return out[a].extent > out[b].extent; });
  for (std::size_t i = 3; i < blocks.size(); ++i) out[blocks[i]].kind = ThreadRole::Kind::inside;
  return out;
}

std::vector<std::size_t> order_of(const std::vector<ThreadRole>& roles) {
  std::vector<std::size_t> out(roles.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = i;
  std::stable_sort(out.begin(), out.end(), [&](std::size_t a, std::size_t b) {
    if (roles[a].kind != roles[b].kind) return roles[a].kind < roles[b].kind;
    return roles[a].kind == ThreadRole::Kind::block && roles[a].extent < roles[b].extent;
  });
  return out;
}

std::size_t count_of(const std::vector<ThreadRole>& roles, ThreadRole::Kind kind) {
  return static_cast<std::size_t>(
      std::count_if(roles.begin(), roles.end(), [kind](const ThreadRole& role) { return role.kind == kind; }));
}

}  // namespace steptp
