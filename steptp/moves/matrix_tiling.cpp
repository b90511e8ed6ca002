#include "steptp/moves/matrix_tiling.h"

#include <algorithm>

#include "steptp/analysis/device.h"
#include "steptp/base/text.h"
#include "steptp/ir/dtype_facts.h"
#include "steptp/moves/contraction_kernel.h"
#include "steptp/moves/tile_match.h"

namespace steptp {

namespace {

constexpr std::int64_t kLargest = 4096;  ///< of each size: products of some stay small

/// The threads of the kernel are its units, along ty and tz, until the last step gives each of them its lanes.
class MatrixTiler : private ContractionKernel {
 public:
  MatrixTiler(MoveBuilder& builder, const MatrixProduct& product, const MatrixSizes& sizes)
      : ContractionKernel(builder, product.what, kWide), tile_(sizes) {
    expect_units();
  }

  bool make() {
    return make_blocks(tile_.depth) && take_following() && keep_sums() && stage_operands() &&
           builder_.step("loop_tensorization", item_site({expression_}));
  }

 private:
  static constexpr TileSizes kWide = {1, 1, 1, 1, 1, 16, 0};

  bool cut(LoopHeader& header) override {
    if (!header.split("m", tile_.block_rows(), "row blocks", "m")) return false;
    if (!header.split("m", tile_.rows, "row units", "m")) return false;
    if (!header.split("n", tile_.block_columns(), "column blocks", "n")) return false;
    if (!header.split("n", tile_.columns, "column units", "n")) return false;
    const std::int64_t rows = header.extent("row blocks");
    std::int64_t group = std::min(tile_.group, rows);
    while (rows % group != 0) --group;
    is_grouped_ = group > 1 && header.extent("column blocks") > 1;
    return !is_grouped_ || header.split("row blocks", group, "row blocks", "rows of a group");
  }

  /// Blocks outside, then what runs serially, then units, then their tiles. Blocks of a group of rows run side by side,
  /// so that what they read is still in the cache.
  bool place(LoopHeader& header, const std::vector<std::string>& roles) override {
    std::vector<std::string> order;
    std::vector<std::string> parallel;
    for (const std::string& role : roles) {
      if (role[0] == 'z') parallel.push_back(role);
    }
    order = parallel;
    order.emplace_back("row blocks");
    order.emplace_back("column blocks");
    if (is_grouped_) order.emplace_back("rows of a group");
    serial_ = 0;
    for (const std::string& role : roles) {
      if (role[0] == 's') order.push_back(role);
      serial_ += role[0] == 's' ? 1 : 0;
    }
    if (header.has("rounds")) order.emplace_back("rounds");
    for (const char* role : {"row units", "column units", "m", "n"}) order.emplace_back(role);
    if (header.has("depth")) order.emplace_back("depth");
    if (!header.arrange(order) || !header.fuse_first(parallel.size())) return false;
    if (is_grouped_ && !header.fuse({"column blocks", "rows of a group"}, "column blocks")) return false;
    return bind_blocks(header, parallel) && header.bind("row units", "ty") && header.bind("column units", "tz");
  }

  bool stage_operands() {
    const Items kernel = {expression_, 0};
    const Site level = loop_site(kernel, serial_);
    const bool points = what_.sums_parts;
    return stage(level, what_.left.tensor, "s", points, tile_.buffers) &&
           stage(level, what_.right.tensor, "s", points, tile_.buffers) && fetch(below(kernel, 0), what_.left) &&
           fetch(below(kernel, 1), what_.right);
  }

  /// A nest that fills a tile, by all lanes of all units: vectors where the rows of the operand begin with one, as many
  /// lanes as there are, and as many rounds as it takes.
  bool fetch(const Items& nest, const TiledOperand& operand) {
    const std::size_t loops = nest_at(nest).loops.size();
    std::int64_t elements = 1;
    for (const Loop& loop : nest_at(nest).loops) elements *= loop.extent;
    std::int64_t lanes = widest(nest_at(nest).loops.back().extent, operand.element_bytes);
    while (operand.row % lanes != 0 || (lanes > 1 && elements / lanes < kLanes)) lanes /= 2;
    if (lanes > 1 && can_be_lanes(nest, loops - 1, lanes)) {
      const Site last = loop_site(nest, loops - 1);
      if (!builder_.step("loop_split", last, {{"inner", lanes}, {"kind", "inner"}})) return false;
      if (!builder_.step("loop_vectorization", loop_site(nest, loops))) return false;
    }
    return fuse_all(nest, loops) && give_to_units(nest, tile_.unit_rows, tile_.unit_columns);
  }

  const MatrixSizes& tile_;
  bool is_grouped_ = false;
};

std::string text_of(const MatrixShape& shape) { return concat(shape.rows, " x ", shape.columns, " x ", shape.inner); }

}  // namespace

Result<MatrixProduct, Refusal> find_matrix_product(View& view, const Site& site, std::int64_t following) {
  auto what = find_tiled(view, site, following);
  if (!what) return what.error();
  const auto dtype = [&](const std::string& tensor) { return view.table().tensors.at(tensor).dtype; };
  const DType factors = dtype(what->left.tensor);
  const DType sum = what->is_narrow ? DType::f32 : dtype(what->result);
  const auto shape = dtype(what->right.tensor) == factors ? matrix_shape(factors, sum) : std::nullopt;
  if (!shape) {
    return Refusal{&kMatrixTypes,
                   site,
                   concat("there is no instruction for ", code(factors), " times ", code(dtype(what->right.tensor)),
                          ", summed in ", code(sum), ": take `tile`"),
                   {}};
  }
  MatrixProduct out{*std::move(what), *shape};
  const Statement& statement = *statement_at(view, site);
  for (std::size_t i = 0; i < statement.loops.size(); ++i) {
    const std::string& role = out.what.roles[i];
    const std::int64_t extent = statement.loops[i]->extent;
    if (role == "m") out.rows = extent;
    if (role == "n") out.columns = extent;
    if (role == "k") out.depth = extent;
    if (role[0] == 'z') out.others *= extent;
  }
  return out;
}

Result<MatrixProduct, Refusal> matrix_product_of(View& view, const Site& site, const WindowProduct& window) {
  const auto dtype = [&](const std::string& tensor) { return view.table().tensors.at(tensor).dtype; };
  const DType factors = dtype(window.weights.tensor);
  const DType sum = window.kernel.is_narrow ? DType::f32 : dtype(window.kernel.result);
  const auto shape = dtype(window.image.tensor) == factors ? matrix_shape(factors, sum) : std::nullopt;
  if (!shape || window.image_factor != 1) {
    return Refusal{&kMatrixTypes,
                   site,
                   shape ? std::string("the image is the first factor: its columns would be rows")
                         : concat("there is no instruction for ", code(factors), ", summed in ", code(sum)),
                   {}};
  }
  MatrixProduct out;
  out.shape = *shape;
  out.what.left = window.weights;
  out.what.right = window.image;
  out.what.element_bytes = window.kernel.element_bytes;
  out.what.following = window.kernel.behind.expressions;
  const Statement& statement = *statement_at(view, site);
  for (std::size_t i = 0; i < statement.loops.size(); ++i) {
    const std::string& role = window.kernel.roles[i];
    std::int64_t& extent = role[0] == 'm'   ? out.rows
                           : role[0] == 'n' ? out.columns
                           : role[0] == 'k' ? out.depth
                                            : out.others;
    extent *= statement.loops[i]->extent;
  }
  out.may_reach_beyond = true;
  return out;
}

std::optional<Refusal> refuse_matrix_sizes(const Site& site, const MatrixProduct& product, const MatrixSizes& sizes) {
  const MatrixShape& shape = product.shape;
  const auto is_size = [](std::int64_t size, std::int64_t multiple) {
    return size >= 1 && size <= kLargest && size % multiple == 0;
  };
  if (!is_size(sizes.unit_rows, 1) || !is_size(sizes.unit_columns, 1) || !is_size(sizes.rows, shape.rows) ||
      !is_size(sizes.columns, shape.columns) || !is_size(sizes.depth, shape.inner) || !is_size(sizes.group, 1) ||
      sizes.buffers < 1 || sizes.buffers > kMostDepth) {
    return Refusal{&kMatrixSizes,
                   site,
                   concat("sizes are from 1 to 4096, rows, columns and depth multiples of the instruction's ",
                          text_of(shape), ", and buffers from 1 to ", int{kMostDepth}),
                   {}};
  }
  const std::int64_t least_rows = product.may_reach_beyond ? sizes.rows : sizes.block_rows();
  const std::int64_t least_columns = product.may_reach_beyond ? sizes.columns : sizes.block_columns();
  if (least_rows > product.rows || least_columns > product.columns || sizes.depth > product.depth) {
    return Refusal{&kMatrixSizes,
                   site,
                   concat("a block of ", sizes.block_rows(), " x ", sizes.block_columns(), " and rounds of ",
                          sizes.depth, " of a product of ", product.rows, " x ", product.columns, " x ", product.depth,
                          ": make them smaller, or take `tile`"),
                   {}};
  }
  const Device& device = default_device();
  const std::int64_t units = sizes.unit_rows * sizes.unit_columns;
  if (units * TilingKernel::kLanes > device.threads) {
    return Refusal{
        &kMatrixUnits, site, concat(units, " units; ", device.name, " has ", device.threads, " threads"), {}};
  }
  const std::int64_t shared = (sizes.block_rows() * product.what.left.element_bytes +
                               sizes.block_columns() * product.what.right.element_bytes) *
                              sizes.depth * sizes.buffers;
  if (shared > device.shared_bytes) {
    return Refusal{&kMatrixShared, site, concat(shared, " bytes; ", device.name, " has ", device.shared_bytes), {}};
  }
  const auto made = static_cast<std::int64_t>(std::max<std::size_t>(product.what.following.size(), 1));
  const std::int64_t bytes = sizes.rows * sizes.columns * product.what.element_bytes / TilingKernel::kLanes * made;
  if (2 * bytes > device.local_bytes || bytes / 4 * units * TilingKernel::kLanes > device.registers) {
    return Refusal{&kMatrixRegisters, site, concat(bytes, " bytes in each lane of ", units, " units"), {}};
  }
  return std::nullopt;
}

bool make_matrix_tiles(MoveBuilder& builder, const MatrixProduct& product, const MatrixSizes& sizes) {
  return MatrixTiler(builder, product, sizes).make();
}

}  // namespace steptp
