/// tile: a contraction by tiles of blocks, threads and registers, its operands through shared memory.
///   L_{m}L_{n}L_{k}[D=D+A*C]   -->   B_{by}B_{bx}[L_{k}[F^{s}=A;G^{s}=C;B_{ty}B_{tx}[E^{l}=E^{l}+F*G]];D=E^{l}]
#include <algorithm>

#include "steptp/analysis/device.h"
#include "steptp/base/text.h"
#include "steptp/moves/tile_match.h"
#include "steptp/moves/tile_sizes.h"

namespace steptp {

const Move& tile_move();

namespace {

constexpr Parameter kParameters[] = {
    {"thread_rows", Parameter::Kind::integer, "threads of a block along the rows of the result"},
    {"thread_columns", Parameter::Kind::integer, "threads of a block along its columns"},
    {"rows", Parameter::Kind::integer, "rows of a thread, side by side"},
    {"columns", Parameter::Kind::integer, "columns of a thread, in groups of `vector`"},
    {"depth", Parameter::Kind::integer, "of the sum, what is staged in a round"},
    {"vector", Parameter::Kind::integer,
     "columns of a thread in a group; groups lie apart, and side by side where something follows; with more than 1, "
     "vectors are read and written where they can be",
     1},
    {"padding", Parameter::Kind::integer, "unused places behind each run of a staged tile", 0},
    {"following", Parameter::Kind::integer,
     "how many of the expressions behind it are taken into its kernel: bias, activation, what else has an element for "
     "each of the result's",
     0},
};
constexpr Precondition kNeeds[] = {
    kStep,      kTileContraction, kTileAxes,   kTileOperands,  kTileFollowing,
    kTileSizes, kTileThreads,     kTileShared, kTileRegisters,
};

std::optional<Refusal> make(MoveBuilder& builder, const Choice& choice) {
  const std::int64_t following = choice.integer("following");
  const auto what = find_tiled(builder.view(), choice.at, following);
  if (!what) return what.error();
  const TileSizes sizes = {choice.integer("thread_rows"), choice.integer("thread_columns"), choice.integer("rows"),
                           choice.integer("columns"),     choice.integer("depth"),          choice.integer("vector"),
                           choice.integer("padding")};
  const TileBytes bytes = {what->left.element_bytes, what->right.element_bytes, what->element_bytes};
  if (auto refusal = refuse_tile_sizes(choice.at, bytes, sizes)) return refusal;
  (void)make_tiles(builder, *what, sizes);
  return builder.refusal();
}

/// Of some powers of two those that fit in.
std::vector<std::int64_t> powers(std::int64_t from, std::int64_t to) {
  std::vector<std::int64_t> out;
  for (; from <= to; from *= 2) out.push_back(from);
  return out;
}

/// A place for each number of rows and columns of a thread, by which the threads are limited.
void offer(const Site& site, const TiledContraction& what, std::int64_t following, Listing& listing) {
  const std::int64_t widest = 16 / what.element_bytes;
  for (const std::int64_t rows : {1, 2, 4, 8}) {
    for (const std::int64_t columns : {1, 2, 4, 8}) {
      const std::int64_t registers = tile_registers(what.element_bytes, rows, columns);
      if (registers > kMostTileRegisters) continue;
      const std::int64_t side = registers * 1024 <= default_device().registers ? 32 : 16;
      listing.offer({site,
                     {{"thread_rows", powers(4, side)},
                      {"thread_columns", powers(4, side)},
                      {"rows", std::vector<std::int64_t>{rows}},
                      {"columns", std::vector<std::int64_t>{columns}},
                      {"depth", powers(4, 32)},
                      {"vector", powers(1, std::min(columns, widest))},
                      {"padding", std::vector<std::int64_t>{0, widest}},
                      {"following", std::vector<std::int64_t>{following}}},
                     false});
    }
  }
}

/// The steps are made once for the place: sizes do not decide whether strategies accept them.
bool works(View& view, const Site& site, std::int64_t following, Listing& listing) {
  const Choice small = {
      site,
      {{"thread_rows", 4}, {"thread_columns", 4}, {"rows", 2}, {"columns", 2}, {"depth", 4}, {"following", following}}};
  return can_be_made(tile_move(), view, small, listing);
}

void choices(View& view, Listing& listing) {
  const auto offer_one = [&](const Site& site, const TiledContraction& what, std::int64_t following) {
    if (!works(view, site, following, listing)) return false;
    offer(site, what, following, listing);
    return true;
  };
  offer_with_following(view, listing, find_tiled, offer_one);
}

}  // namespace

const Move& tile_move() {
  static constexpr Move kMove = {
      "tile",
      "a contraction by tiles of blocks, threads and registers, its operands through shared memory",
      "L_{m}L_{n}L_{k}[D=D+A*C]   -->   "
      "B_{by}B_{bx}[L_{k}[F^{s}=A;G^{s}=C;B_{ty}B_{tx}[E^{l}=E^{l}+F*G]];D=E^{l}]",
      {"@input A f32[40,24]\n@input C f32[24,36]\n@output D f32[40,36]\n"
       "B^{40}_{tx=0}L^{36}_{a=0}L^{24}_{c=0}[D^{f32,g}_{tx,a}=D^{f32,g}_{tx,a}+A^{f32,g}_{tx,c}*C^{f32,g}_{c,a};];\n",
       R"({"at":"0","thread_rows":4,"thread_columns":4,"rows":2,"columns":4,"depth":8,"vector":4,"padding":0,"following":0})"},
      kParameters,
      kNeeds,
      choices,
      make,
      false,
      60,
  };
  return kMove;
}

}  // namespace steptp
