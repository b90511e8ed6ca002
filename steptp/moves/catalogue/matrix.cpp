/// matrix: a contraction by matrix instructions: blocks, tiles of warps, operands staged in shared memory some rounds
/// ahead, sums in fragments.
///   L_{m}L_{n}L_{k}[D=D+A*C]   -->   B_{by}B_{bx}[L_{k}[B_{tx}[F^{s3}=A];B_{tx}[G^{s3}=C];
///   B_{wx}B_{wy}T_{m}T_{n}T_{k}[E^{f}=E^{f}+F*G]];B_{wx}B_{wy}T_{m}T_{n}[D=E^{f}]]
#include <algorithm>

#include "steptp/moves/matrix_tiling.h"
#include "steptp/moves/tile_match.h"

namespace steptp {

const Move& matrix_move();

namespace {

constexpr Parameter kParameters[] = {
    {"unit_rows", Parameter::Kind::integer, "units, which are warps, of a block along the rows of the result"},
    {"unit_columns", Parameter::Kind::integer, "units of a block along its columns"},
    {"rows", Parameter::Kind::integer, "rows of a unit: a multiple of the instruction's"},
    {"columns", Parameter::Kind::integer, "columns of a unit, likewise"},
    {"depth", Parameter::Kind::integer, "of the sum, what is staged in a round, likewise"},
    {"buffers", Parameter::Kind::integer, "1 to 5: so many rounds may be in flight", 1},
    {"group", Parameter::Kind::integer,
     "blocks of so many rows, or the next number that divides those there are, run side by side, so that they share "
     "what they read",
     1},
    {"following", Parameter::Kind::integer,
     "how many of the expressions behind it are taken into its kernel: bias, activation, what else has an element for "
     "each of the result's",
     0},
};
constexpr Precondition kNeeds[] = {
    kStep,        kTileContraction, kTileAxes,    kTileOperands, kTileFollowing,
    kMatrixTypes, kMatrixSizes,     kMatrixUnits, kMatrixShared, kMatrixRegisters,
};

std::optional<Refusal> make(MoveBuilder& builder, const Choice& choice) {
  const std::int64_t following = choice.integer("following");
  const auto product = find_matrix_product(builder.view(), choice.at, following);
  if (!product) return product.error();
  const MatrixSizes sizes = {choice.integer("unit_rows"), choice.integer("unit_columns"), choice.integer("rows"),
                             choice.integer("columns"),   choice.integer("depth"),        choice.integer("buffers"),
                             choice.integer("group")};
  if (auto refusal = refuse_matrix_sizes(choice.at, *product, sizes)) return refusal;
  (void)make_matrix_tiles(builder, *product, sizes);
  return builder.refusal();
}

/// For a number of units and a tile of each, the depths and buffers that fit.
void offer(const Site& site, const MatrixProduct& product, const MatrixSizes& tile, std::int64_t following,
           Listing& listing) {
  for (const std::int64_t depth : {1, 2, 4}) {
    MatrixSizes sizes = tile;
    sizes.depth = depth * (product.shape.inner == 4 ? 8 : 16);
    std::vector<std::int64_t> buffers;
    for (sizes.buffers = 1; !refuse_matrix_sizes(site, product, sizes); ++sizes.buffers) {
      buffers.push_back(sizes.buffers);
    }
    if (buffers.empty()) continue;
    listing.offer({site,
                   {{"unit_rows", std::vector<std::int64_t>{tile.unit_rows}},
                    {"unit_columns", std::vector<std::int64_t>{tile.unit_columns}},
                    {"rows", std::vector<std::int64_t>{tile.rows}},
                    {"columns", std::vector<std::int64_t>{tile.columns}},
                    {"depth", std::vector<std::int64_t>{sizes.depth}},
                    {"buffers", std::move(buffers)},
                    {"group", std::vector<std::int64_t>{1, 8}},
                    {"following", std::vector<std::int64_t>{following}}},
                   false});
  }
}

void offer_tiles(const Site& site, const MatrixProduct& product, std::int64_t following, Listing& listing) {
  for (const std::int64_t unit_rows : {1, 2, 4}) {
    for (const std::int64_t unit_columns : {1, 2, 4}) {
      for (const std::int64_t rows : {1, 2, 4}) {
        for (const std::int64_t columns : {1, 2, 4, 8}) {
          offer(site, product, {unit_rows, unit_columns, rows * product.shape.rows, columns * product.shape.columns},
                following, listing);
        }
      }
    }
  }
}

/// The steps are made once for the place, with the smallest tile: sizes do not decide whether strategies accept them.
bool works(View& view, const Site& site, const MatrixProduct& product, std::int64_t following, Listing& listing) {
  const Choice small = {site,
                        {{"unit_rows", 1},
                         {"unit_columns", 1},
                         {"rows", product.shape.rows},
                         {"columns", product.shape.columns},
                         {"depth", product.shape.inner},
                         {"following", following}}};
  return can_be_made(matrix_move(), view, small, listing);
}

void choices(View& view, Listing& listing) {
  const auto offer_one = [&](const Site& site, const MatrixProduct& what, std::int64_t following) {
    if (!works(view, site, what, following, listing)) return false;
    offer_tiles(site, what, following, listing);
    return true;
  };
  offer_with_following(view, listing, find_matrix_product, offer_one);
}

}  // namespace

const Move& matrix_move() {
  static constexpr Move kMove = {
      "matrix",
      "a contraction by matrix instructions: tiles of warps, operands staged some rounds ahead, sums in fragments",
      "L_{m}L_{n}L_{k}[D=D+A*C]   -->   B_{by}B_{bx}[L_{k}[B_{tx}[F^{s3}=A];B_{tx}[G^{s3}=C];"
      "B_{wx}B_{wy}T_{m}T_{n}T_{k}[E^{f}=E^{f}+F*G]];B_{wx}B_{wy}T_{m}T_{n}[D=E^{f}]]",
      {"@input A f64[20,24]\n@input C f64[24,36]\n@output D f64[20,36]\n"
       "B^{20}_{tx=0}L^{36}_{a=0}L^{24}_{c=0}[D^{f64,g}_{tx,a}=D^{f64,g}_{tx,a}+A^{f64,g}_{tx,c}*C^{f64,g}_{c,a};];\n",
       R"({"at":"0","unit_rows":2,"unit_columns":2,"rows":8,"columns":16,"depth":8,"buffers":2,"group":1,"following":0})"},
      kParameters,
      kNeeds,
      choices,
      make,
      false,
      90,
      DType::f64,
  };
  return kMove;
}

}  // namespace steptp
