#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "steptp/analysis/accesses.h"
#include "steptp/analysis/kernels.h"
#include "steptp/analysis/shared_layout.h"
#include "steptp/base/diagnostic.h"
#include "steptp/base/result.h"
#include "steptp/lowering/value.h"

namespace steptp::lowering {

/// Where the elements of a tensor lie.
struct Buffer {
  std::string name;
  DType dtype = DType::f32;
  Scope scope = Scope::global;      ///< the scope it really has
  const Variable* known = nullptr;  ///< null: an intermediate; in `g` that is workspace
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;  ///< in elements; row-major
  std::int64_t elements = 1;
  std::int64_t bytes = 0;
  /// What its elements hold when its storage begins (the program, the block, the thread): the identity that an
  /// undefined accumulator reads as, or zero flags. Null: nobody reads an element before it is written.
  ValuePtr initial;

  [[nodiscard]] bool is_workspace() const { return scope == Scope::global && !known; }
};

/// A part of a host program or of a kernel. Of a nest, every loop is a node, then its guard, then its items.
struct Node {
  enum class Kind : std::uint8_t {
    loop,
    guard,
    store,
    launch,  ///< host only
  };
  Kind kind = Kind::store;
  Loop loop;
  ValuePtr condition;         ///< guard
  RefPtr target;              ///< store
  ValuePtr value;             ///< store: in the dtype of the target
  std::size_t statement = 0;  ///< store: its number in the table
  std::size_t kernel = 0;     ///< launch: its number in the arrangement
  std::vector<Node> body;     ///< loop, guard
};

/// What is launched at once. The host's loops around it are its parameters.
struct ArrangedKernel {
  std::string name;  ///< "kernel_0"
  std::array<std::int64_t, kAxes> extents = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  std::vector<Loop> host_loops;
  std::vector<std::size_t> statements;
  std::vector<std::string> globals;  ///< buffers in `g` that it touches: known variables first, in signature order
  std::vector<std::string> written;  ///< those of them that it writes, sorted
  std::vector<std::string> shared;   ///< sorted
  SharedLayout layout;               ///< of those, and of the cells of reductions over threads
  std::vector<std::string> local;
  std::vector<std::string> fragments;
  std::vector<Node> body;
  Site site;
};

/// The facts of a program that do not depend on the target.
struct Arrangement {
  const Program* program = nullptr;
  AccessTable table;
  std::map<std::string, Buffer> buffers;
  std::vector<ArrangedKernel> kernels;
  std::vector<Node> host;  ///< loops, guards and launches
};

/// The arrangement of a program that `check` found ok. Refuses (diagnostic `cannot-lower`) what no back end can hold:
/// shapes that are not known, sizes beyond 64 bits. The arrangement points into the program.
[[nodiscard]] Result<Arrangement, Diagnostic> arrangement_of(const Program& program);

/// The one form of a refusal to lower.
[[nodiscard]] Diagnostic cannot_lower(std::string message, const Site& site, std::string hint = {});

}  // namespace steptp::lowering
