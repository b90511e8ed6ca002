#include "steptp/cursor/tile_structure.h"

#include <algorithm>
#include <array>

#include "steptp/planner/proposals.h"

namespace steptp::cursor {

namespace {

using Member = std::int64_t TileSizes::*;
/// In the order of the decisions.
constexpr std::array<Member, 7> kMembers = {&TileSizes::thread_rows, &TileSizes::thread_columns, &TileSizes::rows,
                                            &TileSizes::columns,     &TileSizes::depth,          &TileSizes::vector,
                                            &TileSizes::padding};
/// The largest value of each that is offered at all.
constexpr std::array<std::int64_t, 7> kMost = {1024, 1024, 16, 16, 128, 16, 8};
constexpr std::size_t kThreadColumns = 1;
constexpr std::size_t kVector = 5;
constexpr std::size_t kPadding = 6;

bool is_power_of_two(std::int64_t number) { return (number & (number - 1)) == 0; }

/// Whether a size is offered for this member, whatever the others are.
bool is_offered(std::size_t member, std::int64_t size) {
  if (size > kMost[member]) return false;
  if (member == kPadding) return size == 0 || is_power_of_two(size);
  return size >= 1 && (member != kVector || is_power_of_two(size));
}

/// With other sizes, whether every place of a staged tile is written is a question about vectors and rests together
/// that `check` does not answer within its budget.
bool can_have_vectors(const TileSizes& sizes) {
  return std::all_of(kMembers.begin(), kMembers.end() - 1,
                     [&](Member member) { return is_power_of_two(sizes.*member); });
}

TileSizes sizes_of(std::span<const Token> chosen) {
  TileSizes out;
  for (std::size_t i = 0; i < chosen.size(); ++i) out.*kMembers[i] = *number_of_token(chosen[i]);
  return out;
}

}  // namespace

TileStructure::TileStructure(const TileLimits& limits, std::int64_t following)
    : Structure("tile", {"thread_rows", "thread_columns", "rows", "columns", "depth", "vector", "padding"}),
      limits_(limits),
      following_(following) {
  TileSizes sizes;
  for (const std::int64_t rows : decision_numbers()) {
    for (const std::int64_t columns : decision_numbers()) {
      sizes.thread_rows = rows;
      sizes.thread_columns = columns;
      if (fits(sizes)) fewest_threads_ = std::max(fewest_threads_, rows * columns);
    }
  }
  fewest_threads_ = std::min(fewest_threads_, limits.fewest_threads);
}

std::int64_t TileStructure::shared_bytes(const TileSizes& sizes) const {
  const std::int64_t left = (sizes.thread_rows * sizes.rows + sizes.padding) * limits_.bytes.left;
  const std::int64_t right = (sizes.thread_columns * sizes.columns + sizes.padding) * limits_.bytes.right;
  return (left + right) * sizes.depth;
}

/// A tile stays below twice the extent, so that none is mostly beyond the result; the rest are the limits of the move.
bool TileStructure::fits(const TileSizes& sizes) const {
  for (std::size_t i = 0; i < kMembers.size(); ++i) {
    if (!is_offered(i, sizes.*kMembers[i])) return false;
  }
  return sizes.thread_rows * sizes.rows < 2 * limits_.rows &&
         sizes.thread_columns * sizes.columns < 2 * limits_.columns && sizes.depth < 2 * limits_.depth &&
         sizes.vector <= limits_.widest && ((sizes.vector == 1 && sizes.padding == 0) || can_have_vectors(sizes)) &&
         (sizes.padding == 0 || limits_.has_padding) && shared_bytes(sizes) <= limits_.shared_bytes &&
         !refuse_tile_sizes({}, limits_.bytes, sizes);
}

/// Every limit grows with every size but the fewest threads, so the smallest completion decides.
bool TileStructure::can_be_completed(TileSizes sizes, std::size_t chosen) const {
  if (chosen <= kThreadColumns) {
    const auto& numbers = decision_numbers();
    const auto enough = std::find_if(numbers.begin(), numbers.end(), [&](std::int64_t number) {
      return number >= 1 && sizes.thread_rows * number >= fewest_threads_;
    });
    if (enough == numbers.end()) return false;
    sizes.thread_columns = *enough;
  }
  // A vector divides the columns: the smallest one does.
  return sizes.thread_rows * sizes.thread_columns >= fewest_threads_ && fits(sizes);
}

bool TileStructure::is_empty() const {
  std::vector<Token> values;
  legal({}, values);
  return values.empty();
}

void TileStructure::legal(std::span<const Token> chosen, std::vector<Token>& out) const {
  TileSizes sizes = sizes_of(chosen);
  const std::size_t next = chosen.size();
  for (const std::int64_t number : decision_numbers()) {
    if (!is_offered(next, number)) continue;
    sizes.*kMembers[next] = number;
    if (can_be_completed(sizes, next + 1)) out.push_back(*number_token(number));
  }
}

std::vector<PlannedMove> TileStructure::moves(std::span<const Token> chosen) const {
  Values values;
  const TileSizes sizes = sizes_of(chosen);
  for (std::size_t i = 0; i < kMembers.size(); ++i) {
    values.emplace_back(word_of_token(opcodes()[i]).substr(3), Json(sizes.*kMembers[i]));
  }
  values.emplace_back("following", Json(following_));
  return {planned_move("tile", 0, std::move(values))};
}

std::vector<std::vector<Token>> TileStructure::examples() const {
  std::vector<std::vector<Token>> out;
  std::vector<Token> values;
  // At each decision the same share of the way through what is legal: the smallest, the largest, and some between.
  for (const std::size_t share : {0, 16, 8, 5, 11, 3, 13}) {
    std::vector<Token> chosen;
    while (chosen.size() < opcodes().size()) {
      values.clear();
      legal(chosen, values);
      if (values.empty()) return out;
      chosen.push_back(values[(values.size() - 1) * share / 16]);
    }
    if (std::find(out.begin(), out.end(), chosen) == out.end()) out.push_back(std::move(chosen));
  }
  return out;
}

}  // namespace steptp::cursor
