/// flash: attention as one kernel, tile by tile of keys and values.
///   S=S+Q*K;..;X=max(X,S);E=E+exp(S-X);P=exp(S-X)/E;O=O+P*V   -->   B_{bx}[L_{k}[K^{s};V^{s};B_{tx}[..]];O=I/N]
#include "steptp/analysis/device.h"
#include "steptp/base/text.h"
#include "steptp/moves/attention_kernel.h"
#include "steptp/moves/attention_parts.h"

namespace steptp {

const Move& flash_move();

namespace {

constexpr Parameter kParameters[] = {
    {"queries", Parameter::Kind::integer, "queries of a block"},
    {"keys", Parameter::Kind::integer, "keys and values that are staged in a round"},
    {"threads", Parameter::Kind::integer, "threads of a query", 1},
    {"rows", Parameter::Kind::integer, "queries of a thread", 1},
    {"share", Parameter::Kind::word, "head, keys"},
    {"staged", Parameter::Kind::word, "keys, queries, outputs"},
    {"following", Parameter::Kind::integer, "copies behind it", 0},
};
constexpr Precondition kNeeds[] = {
    kStep,
    kAttention,
};

std::optional<Refusal> make(MoveBuilder& builder, const Choice& choice) {
  const Handle& product = builder.follow(choice.at);
  if (!inline_copies_of_attention(builder, product)) return builder.refusal();
  const auto parts = find_attention_parts(builder.view(), *product.only());
  if (!parts) return parts.error();
  AttentionLayout layout;
  layout.queries = choice.integer("queries");
  layout.keys = choice.integer("keys");
  layout.threads = choice.integer("threads");
  layout.rows = choice.integer("rows");
  layout.following = choice.integer("following");
  layout.shares_head = choice.word("share") == "head";
  layout.queries_in_s = choice.word("staged") != "keys";
  layout.outputs_in_s = choice.word("staged") == "outputs";
  (void)make_attention_kernel(builder, *parts, layout);
  return builder.refusal();
}

void choices(View& view, Listing& listing) {
  (void)view;
  (void)listing;
}

}  // namespace

const Move& flash_move() {
  static constexpr Move kMove = {
      "flash",
      "attention as one kernel",
      "S=S+Q*K;..;X=max(X,S);E=E+exp(S-X);P=exp(S-X)/E;O=O+P*V   -->   B_{bx}[L_{k}[K^{s};V^{s};B_{tx}[..]];O=I/N]",
      {"", ""},
      kParameters,
      kNeeds,
      choices,
      make,
      false,
      33,
  };
  return kMove;
}

}  // namespace steptp
