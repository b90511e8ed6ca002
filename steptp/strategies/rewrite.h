#pragma once

// Trees with parts exchanged. Everything here gives new objects, and the old ones where nothing changed.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "steptp/ir/program.h"

namespace steptp {

/// What an index variable becomes.
using IndexValues = std::map<std::string, Index, std::less<>>;

/// What to do with the parts of a tree. A hook returns what to put there; one that is not set changes nothing.
struct Rewriter {
  /// A whole subscript; nothing to go on into its parts with `variables`.
  std::function<std::optional<Index>(const Index&)> index;
  /// An integer expression of indices used as a value, outermost first; nothing likewise.
  std::function<std::optional<Index>(const Index&)> value;
  IndexValues variables;
  /// Loops of nests below that get another name; what uses them has to be in `variables` too.
  std::map<std::string, std::string, std::less<>> loops;
  /// A read inside a subscript: what stands there instead; nothing to go on into its subscripts.
  std::function<std::optional<Index>(const RefPtr&)> read;
  /// A reference whose subscripts have been rewritten.
  std::function<RefPtr(const RefPtr&)> ref;
  /// An expression whose children have been rewritten.
  std::function<ExprPtr(const ExprPtr&)> expr;
};

/// Null (nothing) where a subscript would not fit in the limits of Index; a step that meets this refuses.
[[nodiscard]] std::optional<Index> rewrite(const Index& index, const Rewriter& rewriter);
[[nodiscard]] RefPtr rewrite(const RefPtr& ref, const Rewriter& rewriter);
[[nodiscard]] ExprPtr rewrite(const ExprPtr& expr, const Rewriter& rewriter);
[[nodiscard]] std::optional<Item> rewrite(const Item& item, const Rewriter& rewriter);
[[nodiscard]] std::optional<std::vector<Item>> rewrite(const std::vector<Item>& items, const Rewriter& rewriter);

/// An index as a value expression.
[[nodiscard]] ExprPtr to_expr(const Index& index);
/// left & right; either may be null.
[[nodiscard]] ExprPtr conjunction(const ExprPtr& left, const ExprPtr& right);
/// index < limit, as a condition.
[[nodiscard]] ExprPtr less_than(const Index& index, std::int64_t limit);

/// Sums and multiples whose result is known to fit or is refused by the caller.
[[nodiscard]] std::optional<Index> scaled_plus(const Index& index, std::int64_t factor, const Index& rest);

/// The program with the item at an address replaced by others (none: it is taken out). At the top level all of them are
/// nests.
[[nodiscard]] Program with_items(const Program& program, std::span<const std::uint32_t> address,
                                 std::vector<Item> replacement);
/// Without an item and the nests that it leaves empty; nothing where the program would be empty.
[[nodiscard]] std::optional<Program> without_item(const Program& program, std::vector<std::uint32_t> items);
/// The address of the sibling that many places further.
[[nodiscard]] std::vector<std::uint32_t> sibling(std::vector<std::uint32_t> address, std::uint32_t places);
/// The item at an address; nothing where there is none.
[[nodiscard]] std::optional<Item> find_item(const Program& program, std::span<const std::uint32_t> address);
/// The item at an address; the address is good.
[[nodiscard]] Item item_at(const Program& program, std::span<const std::uint32_t> address);

}  // namespace steptp
