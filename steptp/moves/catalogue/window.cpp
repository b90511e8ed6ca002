/// window: a convolution as a matrix product over several loops for each dimension, or tiles with a halo of whatever
/// reads windows: pooling, depthwise convolutions, stencils.
///   L_{n}L_{a}L_{c}L_{f}L_{g}[D_{n,a,c}=D_{n,a,c}+A_{n,f,c+g}*W_{a,f,g}]
///     -->   B_{by}B_{bx}[L_{k}[E^{s}=W;F^{s}=A;B_{ty}B_{tx}[G^{l}=G^{l}+E*F]];D=G^{l}], columns being all pixels
///   L_{n}L_{c}L_{g}[D_{n,c}=max(D_{n,c},A_{n,c+g})]
///     -->   B_{bx}[B_{tx}[E^{s}_{tx}=A_{..}];B_{tx}L_{g}[G^{l}=max(G^{l},E^{s}_{tx+g})];B_{tx}[D=G^{l}]]
#include <algorithm>
#include <optional>
#include <span>

#include "steptp/base/text.h"
#include "steptp/moves/matrix_tiling.h"
#include "steptp/moves/tile_sizes.h"
#include "steptp/moves/window_tiling.h"
#include "steptp/strategies/parameters.h"

namespace steptp {

const Move& window_move();

namespace {

constexpr std::string_view kForms[] = {"product", "halo", "matrix"};
constexpr std::string_view kImages[] = {"shared", "direct"};
/// Rounds in flight where nothing is said of them.
constexpr std::int64_t kBuffers = 2;
constexpr Parameter kParameters[] = {
    {"form", Parameter::Kind::word,
     "product: a convolution as a matrix product, rows being output channels and columns the pixels of all images; "
     "halo: rows and columns are the last two axes of the result; matrix: product, by matrix instructions, threads "
     "being "
     "units and rows and columns those of a unit"},
    {"thread_rows", Parameter::Kind::integer, "threads of a block along the rows"},
    {"thread_columns", Parameter::Kind::integer, "threads of a block along the columns"},
    {"rows", Parameter::Kind::integer, "rows of a thread, side by side"},
    {"columns", Parameter::Kind::integer, "columns of a thread, in groups of `vector` that lie apart"},
    {"depth", Parameter::Kind::integer,
     "what is staged in a round: product: of the channels and the window; halo: of the channels that are summed", 1},
    {"vector", Parameter::Kind::integer,
     "columns of a thread in a group; with more than 1, vectors are read and written where they can be", 1},
    {"padding", Parameter::Kind::integer, "product: unused places behind each run of a staged tile", 0},
    {"image", Parameter::Kind::word,
     "shared: what is read along windows is staged in shared memory; direct: threads read it where it is"},
    {"channels", Parameter::Kind::integer,
     "halo: output channels of a thread, each from what it has read; product has them as rows", 1},
    {"following", Parameter::Kind::integer,
     "how many of the expressions behind it are taken into its kernel: bias, activation, what else has an element for "
     "each of the result's",
     0},
    {"buffers", Parameter::Kind::integer, "matrix: 1 to 5 rounds may be in flight", kBuffers},
};
constexpr Precondition kNeeds[] = {kStep,        kWindowEquation,  kWindowProduct,  kWindowAxes,
                                   kWindowReads, kWindowFollowing, kTileSizes,      kTileThreads,
                                   kTileShared,  kTileRegisters,   kMatrixTypes,    kMatrixSizes,
                                   kMatrixUnits, kMatrixShared,    kMatrixRegisters};

TileSizes sizes_of(const Choice& choice) {
  return {choice.integer("thread_rows"), choice.integer("thread_columns"), choice.integer("rows"),
          choice.integer("columns"),     choice.integer("depth"),          choice.integer("vector"),
          choice.integer("padding")};
}

constexpr std::int64_t kMostChannels = 200;  ///< of a thread: each is a register at least

/// What a tile has beyond the end of a group would be channels of the next one.
std::optional<Refusal> refuse_group(const Site& site, std::int64_t group, const TileSizes& sizes) {
  if (group == 1) return std::nullopt;
  const std::int64_t block = std::min(sizes.thread_rows * sizes.rows, group);
  const std::int64_t rows = std::min(sizes.rows, block);
  if (group % block == 0 && block % rows == 0) return std::nullopt;
  return Refusal{
      &kTileSizes, site, concat(group, " channels of a group, in tiles of ", block, ", ", rows, " for a thread"), {}};
}

std::optional<Refusal> make_product(MoveBuilder& builder, const Choice& choice, std::int64_t following,
                                    bool is_direct) {
  if (choice.integer("channels") != 1) {
    return Refusal{&kWindowAxes, choice.at, "a product has its output channels as rows", {}};
  }
  const auto what = find_window_product(builder.view(), choice.at, following);
  if (!what) return what.error();
  const TileSizes sizes = sizes_of(choice);
  const TileBytes bytes = {what->weights.element_bytes, is_direct ? 0 : what->image.element_bytes,
                           what->kernel.element_bytes};
  if (auto refusal = refuse_tile_sizes(choice.at, bytes, sizes)) return refusal;
  if (auto refusal = refuse_group(choice.at, what->kernel.group, sizes)) return refusal;
  (void)make_window_product(builder, *what, sizes, is_direct);
  return builder.refusal();
}

/// The product as one of matrix instructions; nothing where there are none for it.
std::optional<Refusal> make_units(MoveBuilder& builder, const Choice& choice, std::int64_t following) {
  const auto what = find_window_product(builder.view(), choice.at, following);
  if (!what) return what.error();
  const auto product = matrix_product_of(builder.view(), choice.at, *what);
  if (!product) return product.error();
  if (auto refusal = refuse_group(choice.at, what->kernel.group, sizes_of(choice))) return refusal;
  const MatrixSizes sizes = {choice.integer("thread_rows"), choice.integer("thread_columns"),
                             choice.integer("rows"),        choice.integer("columns"),
                             choice.integer("depth"),       choice.integer("buffers")};
  if (auto refusal = refuse_matrix_sizes(choice.at, *product, sizes)) return refusal;
  (void)make_window_units(builder, *what, sizes_of(choice), sizes.buffers);
  return builder.refusal();
}

bool has_output_channels(const WindowHalo& what) {
  return std::find(what.kernel.roles.begin(), what.kernel.roles.end(), "c") != what.kernel.roles.end();
}

/// Output channels are more rows, as far as registers go.
std::optional<Refusal> refuse_halo(const Site& site, const WindowHalo& what, const TileSizes& sizes,
                                   std::int64_t channels) {
  if (channels < 1 || channels > kMostChannels) {
    return Refusal{&kTileSizes, site, concat(channels, " channels of a thread, of at most ", kMostChannels), {}};
  }
  if (channels > 1 && !has_output_channels(what)) {
    return Refusal{&kWindowAxes, site, "the result has no output channels of its own", {}};
  }
  const TileBytes bytes = {0, 0, what.kernel.element_bytes};
  if (auto refusal = refuse_tile_sizes(site, bytes, sizes)) return refusal;
  TileSizes with_channels = sizes;
  with_channels.rows *= channels;
  return refuse_tile_sizes(site, bytes, with_channels);
}

std::optional<Refusal> make_halo(MoveBuilder& builder, const Choice& choice, std::int64_t following, bool is_direct) {
  const auto what = find_window_halo(builder.view(), choice.at, following);
  if (!what) return what.error();
  const TileSizes sizes = sizes_of(choice);
  const std::int64_t channels = choice.integer("channels");
  if (auto refusal = refuse_halo(choice.at, *what, sizes, channels)) return refusal;
  (void)make_window_halo(builder, *what, sizes, channels, is_direct);
  return builder.refusal();
}

std::optional<Refusal> make(MoveBuilder& builder, const Choice& choice) {
  const auto form = one_of(choice, "form", kForms);
  if (!form) return form.error();
  const auto image = one_of(choice, "image", kImages);
  if (!image) return image.error();
  const std::int64_t following = choice.integer("following");
  if (auto refusal = refuse_outside(choice, "buffers", 1, kMostDepth)) return refusal;
  if (*form != 0 && choice.integer("padding") != 0) {
    return Refusal{&kTileSizes, choice.at, "padding is of the form product: leave it out, or say 0", {}};
  }
  if (following < 0) return Refusal{&kWindowFollowing, choice.at, "the number of expressions is negative", {}};
  if (*form == 2) return make_units(builder, choice, following);
  return *form == 0 ? make_product(builder, choice, following, *image == 1)
                    : make_halo(builder, choice, following, *image == 1);
}

/// A form worth offering. Whether strategies accept its steps depends on where tiles begin and end in the pixels, so
/// that each is tried: first with all that follows, then alone.
struct Form {
  std::string_view form;
  std::int64_t thread_rows;
  std::int64_t thread_columns;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t depth;
  std::string_view image;
  std::int64_t channels = 1;
};
constexpr Form kProducts[] = {{"product", 8, 16, 2, 2, 8, "shared"}, {"product", 1, 128, 4, 1, 8, "direct"}};
constexpr Form kHalos[] = {
    {"halo", 4, 32, 1, 1, 1, "shared"}, {"halo", 4, 32, 2, 1, 1, "direct"}, {"halo", 8, 16, 1, 1, 2, "shared", 8}};

bool offer(View& view, const Site& site, const Form& form, std::int64_t following, Listing& listing) {
  using Numbers = std::vector<std::int64_t>;
  using Words = std::vector<std::string>;
  const ChoiceSite offered = {site,
                              {{"form", Words{std::string(form.form)}},
                               {"thread_rows", Numbers{form.thread_rows}},
                               {"thread_columns", Numbers{form.thread_columns}},
                               {"rows", Numbers{form.rows}},
                               {"columns", Numbers{form.columns}},
                               {"depth", Numbers{form.depth}},
                               {"vector", Numbers{1}},
                               {"padding", Numbers{0}},
                               {"image", Words{std::string(form.image)}},
                               {"channels", Numbers{form.channels}},
                               {"following", Numbers{following}},
                               {"buffers", Numbers{kBuffers}}},
                              false};
  if (!can_be_made(window_move(), view, offered.choice(0), listing)) return false;
  listing.offer(offered);
  return true;
}

/// How many expressions can be taken along; nothing where the form has no place here.
template <typename Find>
std::optional<std::int64_t> longest_following(View& view, const Site& site, const Find& find, Listing& listing) {
  std::optional<std::int64_t> out;
  while (true) {
    const auto found = find(view, site, out ? *out + 1 : 0);
    if (!found) {
      listing.refuse(found.error());
      return out;
    }
    out = out ? *out + 1 : 0;
  }
}

template <typename Find>
void offer_all(View& view, const Site& site, std::span<const Form> forms, const Find& find, Listing& listing) {
  const auto following = longest_following(view, site, find, listing);
  if (!following) return;
  for (const Form& form : forms) {
    if (!offer(view, site, form, *following, listing) && *following > 0) (void)offer(view, site, form, 0, listing);
  }
}

void choices(View& view, Listing& listing) {
  for (std::uint32_t i = 0; i < view.program().nests.size(); ++i) {
    const Site site = item_site({i});
    offer_all(view, site, kProducts, find_window_product, listing);
    offer_all(view, site, kHalos, find_window_halo, listing);
  }
}

}  // namespace

const Move& window_move() {
  static constexpr Move kMove = {
      "window",
      "a convolution as a matrix product of fused pixels, or tiles with a halo of what reads windows",
      "L_{n}L_{a}L_{c}L_{f}L_{g}[D_{n,a,c}=D_{n,a,c}+A_{n,f,c+g}*W_{a,f,g}]   -->\n"
      "  B_{by}B_{bx}[L_{k}[E^{s}=W;F^{s}=A;B_{ty}B_{tx}[G^{l}=G^{l}+E*F]];D=G^{l}]\n"
      "  L_{n}L_{c}L_{g}[D_{n,c}=max(D_{n,c},A_{n,c+g})]   -->\n"
      "  B_{bx}[B_{tx}[E^{s}_{tx}=A];B_{tx}L_{g}[G^{l}=max(G^{l},E^{s}_{tx+g})];B_{tx}[D=G^{l}]]",
      {"@input A f32[4,6,66,34]\n@output D f32[4,6,64,32]\n"
       "B^{4}_{tx=0}L^{6}_{a=0}L^{64}_{c=0}L^{32}_{d=0}L^{3}_{f=0}L^{3}_{g=0}"
       "[D^{f32,g}_{tx,a,c,d}=max(D^{f32,g}_{tx,a,c,d},A^{f32,g}_{tx,a,c+f,d+g});];\n",
       R"({"at":"0","form":"halo","thread_rows":4,"thread_columns":32,"rows":1,"columns":1,"depth":1,"vector":1,)"
       R"("padding":0,"image":"shared","channels":1,"following":0})"},
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
