#include "testing/attention_moves.h"

#include <algorithm>

#include "steptp/moves/attention_parts.h"
#include "steptp/plans/registry.h"

namespace steptp::testing {

namespace {

/// From the largest down.
std::vector<std::int64_t> divisors_up_to(std::int64_t number, std::int64_t most) {
  std::vector<std::int64_t> out;
  for (std::int64_t i = std::min(number, most); i > 0; --i) {
    if (number % i == 0) out.push_back(i);
  }
  return out;
}

struct Found {
  Site site;
  AttentionParts parts;
};
std::optional<Found> find_place(const Program& program) {
  for (std::uint32_t i = 0; i < program.nests.size(); ++i) {
    MoveBuilder builder(program);
    const Handle& product = builder.follow(item_site({i}));
    if (!inline_copies_of_attention(builder, product) || !product.only()) continue;
    const auto parts = find_attention_parts(builder.view(), *product.only());
    if (parts) return Found{item_site({i}), *parts};
  }
  return std::nullopt;
}

Choice choice_of(const Found& found, std::int64_t keys, std::int64_t queries, const FlashSizes& most,
                 std::string_view staged) {
  const std::int64_t rows = most.threads > 1 && queries % 2 == 0 ? 2 : 1;
  return {found.site,
          {{"queries", queries},
           {"keys", keys},
           {"threads", most.threads},
           {"rows", rows},
           {"scores", most.threads > 1 ? most.scores : "keys"},
           {"staged", staged},
           {"following", 0}}};
}

/// The only expression with nests inside.
std::uint32_t kernel_of(const Program& program) {
  const auto has_nests = [](const NestPtr& nest) {
    return std::any_of(nest->items.begin(), nest->items.end(),
                       [](const Item& item) { return std::holds_alternative<NestPtr>(item); });
  };
  const auto found = std::find_if(program.nests.begin(), program.nests.end(), has_nests);
  return static_cast<std::uint32_t>(found - program.nests.begin());
}

}  // namespace

Result<FlashAttention, std::string> make_flash(const Program& program, const FlashSizes& most) {
  const auto found = find_place(program);
  if (!found) return std::string("no attention");
  const Move& move = *find_move("flash");
  std::string why;
  std::vector<std::string_view> ways = {"keys", "queries", "outputs"};
  if (most.threads > 1) ways = {"queries"};
  for (const std::string_view staged : ways) {
    for (const std::int64_t keys : divisors_up_to(found->parts.keys, most.keys)) {
      for (const std::int64_t queries : divisors_up_to(found->parts.queries, most.queries)) {
        const Choice choice = choice_of(*found, keys, queries, most, staged);
        auto moved = apply(move, program, choice);
        if (moved) {
          const std::uint32_t kernel = kernel_of(moved->program);
          return FlashAttention{choice, *std::move(moved), kernel};
        }
        why = to_text(move, moved.error());
        const std::string_view need = moved.error().refusal.precondition->id;
        if (need != "registers" && need != "shared" && need != "sizes") return why;
      }
    }
  }
  return why;
}

}  // namespace steptp::testing
