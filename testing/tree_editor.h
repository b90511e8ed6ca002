#pragma once

#include <functional>
#include <vector>

#include "steptp/ir/program.h"

namespace steptp::testing {

/// What to do at each part of a program. A hook gets the part with its children already edited and returns what to put
/// there, the same object for no change; a hook that is not set changes nothing.
struct TreeHooks {
  std::function<ExprPtr(const ExprPtr&)> expr;
  /// `indexes`: the reference stands in a subscript and has to stay an integer.
  std::function<RefPtr(const RefPtr&, bool indexes)> ref;
  std::function<void(Nest&)> nest;
};

/// Rebuilds trees so that the invariants of the nodes hold again (chains stay flat).
[[nodiscard]] ExprPtr edit(const ExprPtr& expr, const TreeHooks& hooks);
[[nodiscard]] RefPtr edit(const RefPtr& ref, bool indexes, const TreeHooks& hooks);
[[nodiscard]] NestPtr edit(const NestPtr& nest, const TreeHooks& hooks);
[[nodiscard]] Program edit(Program program, const TreeHooks& hooks);

/// The node again, with its chains flattened.
[[nodiscard]] ExprPtr flattened(const ExprPtr& expr);

/// Renames a loop index in everything below.
[[nodiscard]] Item rename_index(const Item& item, const std::string& from, const std::string& to);

}  // namespace steptp::testing
