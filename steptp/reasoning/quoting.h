#pragma once

// Pieces of traces that several strategies need: quotations, lists, counted nouns.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/ir/index.h"
#include "steptp/reasoning/trace.h"

namespace steptp {

using TracePieces = std::vector<TracePiece>;

/// One of the two programs, and how its parts are quoted.
struct Quotable {
  const Program* program = nullptr;
  TracePiece::Kind kind = TracePiece::Kind::before;
};

[[nodiscard]] TracePieces plain(std::string words);
[[nodiscard]] TracePieces name_piece(std::string_view name);
[[nodiscard]] TracePieces quote_piece(const Quotable& from, TextRange range);
void add(TracePieces& to, TracePieces more);
void add(TracePieces& to, std::string_view words);

/// "a", "a and b", "a, b and c".
[[nodiscard]] TracePieces list_of(std::vector<TracePieces> items, std::string_view last = " and ");
/// Each name once.
[[nodiscard]] TracePieces names_of(std::span<const std::string> names);

/// "one use", "3 uses".
[[nodiscard]] std::string counted(std::int64_t number, std::string_view one, std::string_view several);
/// "the third expression"; "the only expression" of a program that has no other.
[[nodiscard]] std::string expression_words(const Program& program, std::size_t number);

/// A calculation in words, with the names in it quoted: the text of it need not occur anywhere.
[[nodiscard]] TracePieces index_words(const Index& index);

/// Null where the address leads to nothing of the kind.
[[nodiscard]] const Nest* nest_at(const Program& program, const std::vector<std::uint32_t>& items);
[[nodiscard]] const Loop* loop_at(const Program& program, const Site& site);
[[nodiscard]] const Equation* equation_at(const Program& program, const std::vector<std::uint32_t>& items);

/// All loops of the nest at these items, as one quotation.
[[nodiscard]] TracePieces header_of(const Quotable& from, const std::vector<std::uint32_t>& items);
/// A nest: whole where it is short, else its loops and what it computes.
[[nodiscard]] TracePieces nest_of(const Quotable& from, const Site& site);
/// The equations below an item, in the order of the text.
[[nodiscard]] std::vector<Site> equations_below(const Program& program, const std::vector<std::uint32_t>& items);
/// The items of a nest, one after the other; its equations where there are many.
[[nodiscard]] TracePieces items_of(const Quotable& from, const std::vector<std::uint32_t>& items);
/// The equations below an item: quoted where there are few, else by their left sides.
[[nodiscard]] TracePieces body_of(const Quotable& from, const std::vector<std::uint32_t>& items);

/// Parts that stand in several places: each once per expression, with how often and in which expression. The expression
/// is left out where it is `here`, and everywhere without `with_expressions`: where expressions have come or gone,
/// their numbers would not be those of the other program.
[[nodiscard]] TracePieces places_of(const Quotable& from, std::vector<Site> sites,
                                    std::optional<std::uint32_t> here = std::nullopt, bool with_expressions = true);

/// Where a tensor is written and read below an item.
[[nodiscard]] std::vector<Site> accesses_below(const Program& program, const std::vector<std::uint32_t>& items,
                                               std::string_view tensor);

/// A subscript below the items that is the index alone or, if there is none, has it in it. It leads to the same place
/// in a program in which only indices were replaced.
[[nodiscard]] std::optional<Site> subscript_with(const Program& program, const std::vector<std::uint32_t>& items,
                                                 std::string_view index);

}  // namespace steptp
