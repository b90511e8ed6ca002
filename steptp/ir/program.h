#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "steptp/ir/expr.h"
#include "steptp/ir/signature.h"

namespace steptp {

/// L P V U B T. Kinds never change values; they are promises that `check` verifies.
enum class LoopKind : std::uint8_t { serial, parallel, vectorized, unrolled, bound, tensorized };
[[nodiscard]] char code(LoopKind kind);

/// The hardware axes a bound loop can name: `tx` and `txa` are one axis. `wx wy wz` count units, which are warps.
enum class Axis : std::uint8_t { bx, by, bz, tx, ty, tz, wx, wy, wz };
inline constexpr std::size_t kAxes = 9;
[[nodiscard]] std::string_view name_of(Axis axis);
/// The axis of a bound index name; nothing for a plain index.
[[nodiscard]] std::optional<Axis> axis_of(std::string_view index);
/// Not a block axis: `t` and `w` axes tell the threads of one block apart, one by one or a unit at a time.
[[nodiscard]] inline bool is_thread_axis(Axis axis) { return axis >= Axis::tx; }
[[nodiscard]] inline bool is_unit_axis(Axis axis) { return axis >= Axis::wx; }

struct Loop {
  LoopKind kind = LoopKind::serial;
  std::int64_t extent = 1;
  std::string index;
  bool operator==(const Loop&) const = default;
};

struct Equation {
  RefPtr left;
  ExprPtr right;
};
using EquationPtr = std::shared_ptr<const Equation>;

struct Nest;
using NestPtr = std::shared_ptr<const Nest>;
using Item = std::variant<EquationPtr, NestPtr>;

/// Loops around equations and further nests, run only where the guard holds (null: everywhere).
struct Nest {
  std::vector<Loop> loops;
  ExprPtr guard;
  std::vector<Item> items;
};

/// A program: what it knows, and its top-level nests ("expressions") in order. Copying one is cheap: nests are shared.
struct Program {
  std::string name;
  Signature signature;
  std::vector<NestPtr> nests;
};

[[nodiscard]] EquationPtr make_equation(RefPtr left, ExprPtr right);
[[nodiscard]] NestPtr make_nest(std::vector<Loop> loops, ExprPtr guard, std::vector<Item> items);

[[nodiscard]] bool equal(const Nest& left, const Nest& right);
/// Same nests, structurally; names and signatures are not looked at.
[[nodiscard]] bool equal_nests(const Program& left, const Program& right);
/// Same nests and same signature (the program's name plays no part).
[[nodiscard]] bool equal(const Program& left, const Program& right);
[[nodiscard]] Hash hash_of(const Nest& nest);
[[nodiscard]] Hash hash_of(const Program& program);

/// A guard, an extension function, a depth, or a word of matrix instructions makes a program extended: the published
/// language has none of them.
[[nodiscard]] bool is_extended(const Program& program);

/// Calls `visit` for every equation in textual order, with the nests around it, outermost first.
void for_each_equation(const Program& program,
                       const std::function<void(const Equation&, const std::vector<const Nest*>&)>& visit);

}  // namespace steptp
