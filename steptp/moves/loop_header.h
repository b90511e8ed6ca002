#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "steptp/moves/builder.h"

namespace steptp {

/// The loops of one nest by what they are for a move ("row blocks", "lanes", ...), outermost first, followed through
/// splits, exchanges, fusions and bindings. After a step that was refused nothing more is made.
class LoopHeader {
 public:
  LoopHeader(MoveBuilder& builder, std::vector<std::uint32_t> items, std::vector<std::string> roles);

  [[nodiscard]] bool has(std::string_view role) const;
  [[nodiscard]] std::int64_t extent(std::string_view role) const;
  [[nodiscard]] std::size_t size() const { return roles_.size(); }

  /// A loop becomes an outer and an inner one, with the names of what they are from now on.
  bool split(std::string_view role, std::int64_t inner, std::string outer_role, std::string inner_role);
  /// A loop is something else from now on.
  void rename(std::string_view role, std::string to) { roles_[position(role)] = std::move(to); }
  /// The loops stand in this order: all of them.
  bool arrange(const std::vector<std::string>& order);
  /// The first loops become one, which keeps the role of the last of them.
  bool fuse_first(std::size_t count);
  /// Loops side by side become one with a role of its own. Where there is none of them, nothing happens.
  bool fuse(const std::vector<std::string>& roles, std::string to);
  bool bind(std::string_view role, std::string_view axis);
  /// No loop is bound to an axis.
  bool unbind_all();

 private:
  [[nodiscard]] std::size_t position(std::string_view role) const;
  [[nodiscard]] const Nest& nest() const;

  MoveBuilder& builder_;
  std::vector<std::uint32_t> items_;
  std::vector<std::string> roles_;
};

}  // namespace steptp
