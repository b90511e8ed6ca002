#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "steptp/ir/program.h"

namespace steptp {

/// The address of a part of a program. Diagnostics, steps and traces name parts this way, so the text form is stable:
///
///   2                 expression (top-level nest) 2, counted from 0
///   2/0/1             item 1 of item 0 of expression 2: an equation or a nest
///   2/0:loop[1]       loop 1 of that nest            2/0:guard.0.1    a part of its guard
///   2/0/1:left        left side of the equation      2/0/1:left[0]    its subscript 0
///   2/0/1:right.0.2   child 2 of child 0 of the right side (ir/expr.h numbers children)
///   2/0/1:right.0[1]  subscript 1 of the reference that right.0 reads
struct Site {
  enum class Part : std::uint8_t { item, loop, guard, left, right };
  std::vector<std::uint32_t> items;
  Part part = Part::item;
  std::vector<std::uint32_t> path;      ///< inside guard and right
  std::optional<std::uint32_t> number;  ///< loop: which; left and right: which subscript
  bool operator==(const Site&) const = default;
};

[[nodiscard]] std::string to_text(const Site& site);
[[nodiscard]] std::optional<Site> parse_site(std::string_view text);

/// What an address leads to; nothing where the program has no such part.
using SitePart =
    std::variant<std::monostate, const Nest*, const Equation*, const Loop*, const Ref*, const Expr*, const Index*>;
[[nodiscard]] SitePart resolve(const std::vector<NestPtr>& nests, const Site& site);

}  // namespace steptp
