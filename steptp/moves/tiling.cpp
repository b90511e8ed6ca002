#include "steptp/moves/tiling.h"

#include <algorithm>

#include "steptp/base/text.h"

namespace steptp {

namespace {

constexpr std::int64_t kGridZ = 65535;  ///< blocks along bz, on all devices

using Items = std::vector<std::uint32_t>;

Items below(Items items, std::uint32_t item) {
  items.push_back(item);
  return items;
}

class Tiler {
 public:
  Tiler(MoveBuilder& builder, const TiledContraction& what, const TileSizes& sizes)
      : builder_(builder), what_(what), sizes_(sizes) {}

  bool make() {
    return make_blocks() && take_following() && keep_sums() && stage_operands() && fill_registers() && unroll();
  }

 private:
  /// The loops over rows and columns become blocks, threads and registers; the same for all expressions of the kernel.
  bool split_result(LoopHeader& header) {
    const std::int64_t block_rows = std::min(sizes_.thread_rows * sizes_.rows, header.extent("m"));
    if (!header.split("m", block_rows, "row blocks", "m")) return false;
    if (!header.split("m", std::min(sizes_.rows, block_rows), "row threads", "rows")) return false;
    const std::int64_t block_columns = std::min(sizes_.thread_columns * sizes_.columns, header.extent("n"));
    if (!header.split("n", block_columns, "column blocks", "n")) return false;
    return what_.following.empty() ? columns_apart(header, block_columns) : columns_together(header);
  }

  /// Groups of a thread's columns lie so far apart that a group of each thread stands between: neighbours read and
  /// write neighbouring vectors.
  bool columns_apart(LoopHeader& header, std::int64_t block_columns) {
    const std::int64_t group = sizes_.thread_columns * sizes_.vector;
    if (group < block_columns && !header.split("n", group, "groups", "n")) return false;
    const std::int64_t lanes = std::min({sizes_.vector, group, block_columns});
    if (lanes > 1) return header.split("n", lanes, "column threads", "lanes");
    header.rename("n", "column threads");
    return true;
  }

  /// All columns of a thread side by side, so that several expressions find them in registers in the same places.
  bool columns_together(LoopHeader& header) {
    const std::int64_t columns = std::min(sizes_.columns, header.extent("n"));
    if (!header.split("n", columns, "column threads", "n")) return false;
    const std::int64_t lanes = std::min(sizes_.vector, columns);
    if (lanes > 1) return header.split("n", lanes, "groups", "lanes");
    header.rename("n", "groups");
    return true;
  }

  /// Blocks outside, then what runs serially, then threads, then what each of them does.
  bool arrange(LoopHeader& header, const std::vector<std::string>& roles) {
    std::vector<std::string> order;
    const auto add = [&](const std::vector<std::string>& some) {
      for (const std::string& role : some) {
        if (header.has(role)) order.push_back(role);
      }
    };
    std::vector<std::string> parallel;
    std::vector<std::string> serial;
    for (const std::string& role : roles) {
      if (role[0] == 'z') parallel.push_back(role);
      if (role[0] == 's') serial.push_back(role);
    }
    add(parallel);
    add({"row blocks", "column blocks"});
    add(serial);
    add({"rounds", "row threads", "column threads", "depth", "rows", "groups", "lanes"});
    if (!header.arrange(order) || !header.fuse_first(parallel.size())) return false;
    blocks_ = 2;
    serial_ = serial.size();
    std::string column_axis = "bx";
    if (!parallel.empty()) {
      ++blocks_;
      const bool is_long = header.extent(parallel.back()) > kGridZ;
      if (is_long) column_axis = "bz";
      if (!header.bind(parallel.back(), is_long ? "bx" : "bz")) return false;
    }
    return header.bind("row blocks", "by") && header.bind("column blocks", column_axis) &&
           header.bind("row threads", "ty") && header.bind("column threads", "tx");
  }

  bool make_blocks() {
    LoopHeader header(builder_, {what_.expression}, what_.roles);
    if (!header.unbind_all() || !split_result(header)) return false;
    if (!header.split("k", std::min(sizes_.depth, header.extent("k")), "rounds", "depth")) return false;
    if (!arrange(header, what_.roles)) return false;
    thread_rows_ = header.extent("row threads");
    thread_columns_ = header.extent("column threads");
    return true;
  }

  /// Expressions behind the contraction are cut and bound like it, and stand in the same blocks.
  bool take_following() {
    for (std::size_t i = 0; i < what_.following.size(); ++i) {
      const FollowingExpression& next = what_.following[i];
      LoopHeader header(builder_, {what_.expression + 1}, next.roles);
      const std::size_t serial = serial_;
      if (!header.unbind_all() || !split_result(header) || !arrange(header, next.roles)) return false;
      serial_ = serial;
      const Values depth = {{"depth", static_cast<std::int64_t>(blocks_)}};
      if (!builder_.step("operator_fusion", item_site({what_.expression}), depth)) return false;
    }
    return true;
  }

  /// The equation of this kernel that writes a tensor in global memory, after its copy took over all others.
  [[nodiscard]] std::optional<Items> write_back_of(const std::string& tensor) {
    std::optional<Items> found;
    for (const Statement& statement : builder_.view().table().statements) {
      if (statement.items[0] == what_.expression && statement.equation->left->tensor == tensor) found = statement.items;
    }
    return found;
  }

  /// A tensor of the kernel in registers; where nobody else reads it, it is nowhere else.
  bool keep(const std::string& tensor, std::string_view form, bool is_used_elsewhere) {
    const Site blocks = loop_site({what_.expression}, blocks_ - 1);
    const Values how = {{"direction", "write"}, {"of", tensor}, {"scope", "l"}, {"form", form}};
    if (!builder_.step("cache_read_write", blocks, how)) return false;
    while (!is_used_elsewhere) {
      const auto items = write_back_of(tensor);
      if (!items) break;
      if (!builder_.step("dead_code_elimination", item_site(*items))) return false;
    }
    return true;
  }

  bool keep_sums() {
    if (!keep(what_.result, what_.is_narrow ? "wide" : "plain", what_.is_used_elsewhere)) return false;
    for (std::size_t i = 0; i + 1 < what_.following.size(); ++i) {
      const FollowingExpression& made = what_.following[i];
      if (made.result != what_.result && !keep(made.result, "plain", made.is_used_elsewhere)) return false;
    }
    return true;
  }

  bool copy(const Site& level, const std::string& tensor, std::string_view scope, std::string_view form) {
    const Values how = {{"direction", "read"}, {"of", tensor}, {"scope", scope}, {"form", form}};
    return builder_.step("cache_read_write", level, how);
  }

  /// Filled where a guard cuts off something of the tile, so that the sums need no guard.
  bool stage(const Site& level, const std::string& tensor) {
    const Values fill = {{"direction", "read"}, {"of", tensor}, {"scope", "s"}, {"form", "fill"}};
    return builder_.may_step("cache_read_write", level, fill) || copy(level, tensor, "s", "plain");
  }

  [[nodiscard]] const Nest& nest_at(const Items& items) const {
    return *std::get<const Nest*>(resolve(builder_.program().nests, item_site(items)));
  }
  [[nodiscard]] bool is_nest(const Items& items) const {
    return std::holds_alternative<const Nest*>(resolve(builder_.program().nests, item_site(items)));
  }
  /// The only equation below.
  [[nodiscard]] const Equation& equation_at(Items items) const {
    while (is_nest(items)) items.push_back(0);
    return *std::get<const Equation*>(resolve(builder_.program().nests, item_site(items)));
  }

  bool stage_operands() {
    const Items kernel = {what_.expression, 0};
    const Site level = loop_site(kernel, serial_);
    if (!stage(level, what_.left.tensor) || !stage(level, what_.right.tensor)) return false;
    left_tile_ = equation_at(below(kernel, 0)).left->tensor;
    right_tile_ = equation_at(below(kernel, 1)).left->tensor;
    return fetch(below(kernel, 0), what_.left) && fetch(below(kernel, 1), what_.right);
  }

  /// A nest that fills a tile, by all threads of the block: vectors where the operand has them, and as many rounds as
  /// it takes.
  bool fetch(const Items& nest, const TiledOperand& operand) {
    if (!is_nest(nest)) return true;
    std::size_t loops = nest_at(nest).loops.size();
    const std::int64_t lanes = widest(nest_at(nest).loops.back().extent, operand.element_bytes);
    const bool has_lanes = lanes > 1 && can_be_lanes(nest, loops - 1, lanes);
    if (has_lanes) {
      if (!builder_.step("loop_split", loop_site(nest, loops - 1), {{"inner", lanes}, {"kind", "inner"}})) return false;
      if (!builder_.step("loop_vectorization", loop_site(nest, loops))) return false;
    }
    for (; loops > 1; --loops) {
      if (!builder_.step("loop_fusion", loop_site(nest, 0), {{"keep", "inner"}})) return false;
    }
    return spread(nest) && lay_out(nest, operand.is_across);
  }

  /// One loop over all threads, in rounds where it is longer.
  bool spread(const Items& nest) {
    const std::int64_t elements = nest_at(nest).loops[0].extent;
    const std::int64_t threads = thread_rows_ * thread_columns_;
    std::size_t at = 0;
    if (elements > threads) {
      if (!builder_.step("loop_split", loop_site(nest, 0), {{"inner", threads}, {"kind", "inner"}})) return false;
      at = 1;
    }
    const std::int64_t columns = std::min(thread_columns_, elements);
    if (!builder_.step("loop_split", loop_site(nest, at), {{"inner", columns}, {"kind", "inner"}})) return false;
    if (!bind(loop_site(nest, at), "ty") || !bind(loop_site(nest, at + 1), "tx")) return false;
    return true;
  }

  bool bind(const Site& loop, std::string_view axis) {
    return builder_.step("loop_binding", loop, {{"axis", axis}, {"multiple", 1}});
  }

  /// A run of the tile goes along rows (columns) of the result, so that a thread reads its own by vectors; and begins
  /// in another bank than the run before.
  bool lay_out(const Items& nest, bool is_across) {
    if (equation_at(nest).left->subscripts.size() != 2) return true;
    const bool turns = is_across && sizes_.vector > 1;
    if (!turns && sizes_.padding == 0) return true;
    Items equation = nest;
    while (is_nest(equation)) equation.push_back(0);
    Site left = item_site(equation);
    left.part = Site::Part::left;
    const Values how = {{"form", sizes_.padding > 0 ? "flatten" : "transpose"},
                        {"dimensions", turns ? "1,0" : "0,1"},
                        {"number", sizes_.padding}};
    return builder_.step("set_storage_layout", left, how);
  }

  /// Lanes of at most 16 bytes that divide an extent.
  [[nodiscard]] std::int64_t widest(std::int64_t extent, std::int64_t element_bytes) const {
    std::int64_t lanes = sizes_.vector > 1 ? 16 / element_bytes : 1;
    while (lanes > 1 && extent % lanes != 0) lanes /= 2;
    return lanes;
  }

  /// Whether the lanes of a loop, once it is split, may be a vector.
  [[nodiscard]] bool can_be_lanes(const Items& nest, std::size_t position, std::int64_t lanes) {
    MoveBuilder trial(builder_.program());
    return trial.step("loop_split", loop_site(nest, position), {{"inner", lanes}, {"kind", "inner"}}) &&
           trial.step("loop_vectorization", loop_site(nest, position + 1));
  }

  /// What a thread needs of the tiles for one step along k, each element read once.
  bool fill_registers() {
    const Items work = {what_.expression, 0, 2};
    const auto form = [](const TiledOperand& operand) { return operand.is_narrow ? "wide" : "plain"; };
    if (!copy(loop_site(work, 2), left_tile_, "l", form(what_.left))) return false;
    if (!copy(loop_site(work, 2), right_tile_, "l", form(what_.right))) return false;
    return read_by_vectors(below(work, 0), what_.left) && read_by_vectors(below(work, 1), what_.right);
  }

  bool read_by_vectors(const Items& nest, const TiledOperand& operand) {
    if (!is_nest(nest)) return true;
    const std::size_t last = nest_at(nest).loops.size() - 1;
    const std::int64_t extent = nest_at(nest).loops[last].extent;
    const std::int64_t lanes = std::min(extent, widest(extent, operand.is_narrow ? 4 : operand.element_bytes));
    if (sizes_.vector == 1 || lanes == 1) return true;
    if (lanes == extent) {
      (void)builder_.may_step("loop_vectorization", loop_site(nest, last));
      return true;
    }
    if (!can_be_lanes(nest, last, lanes)) return true;
    return builder_.step("loop_split", loop_site(nest, last), {{"inner", lanes}, {"kind", "inner"}}) &&
           builder_.step("loop_vectorization", loop_site(nest, last + 1));
  }

  /// All that is left inside of a thread, as far as the device's limit goes; what is written by vectors, where it can.
  bool unroll() {
    const Items kernel = {what_.expression, 0};
    const Items work = below(kernel, 2);
    for (std::uint32_t item = 0; item < 3; ++item) unroll_loops(below(work, item), 0);
    for (std::size_t item = nest_at({what_.expression}).items.size() - 1; item > 0; --item) {
      write_by_vectors({what_.expression, static_cast<std::uint32_t>(item)});
    }
    for (std::size_t item = nest_at({what_.expression}).items.size() - 1; item > 0; --item) {
      unroll_loops({what_.expression, static_cast<std::uint32_t>(item)}, 2);
    }
    (void)builder_.may_step("loop_unrolling", loop_site(work, 2));
    for (std::uint32_t item = 0; item < 2; ++item) unroll_loops(below(kernel, item), 0);
    return true;
  }

  /// Where a guard cuts off lanes, vectors are written where it holds for all of them.
  void write_by_vectors(const Items& nest) {
    if (sizes_.vector == 1) return;
    const Site last = loop_site(nest, nest_at(nest).loops.size() - 1);
    if (!builder_.may_step("loop_vectorization", last)) {
      (void)builder_.may_step("loop_vectorization", last, {{"rest", 1}});
    }
  }

  void unroll_loops(const Items& nest, std::size_t from) {
    if (!is_nest(nest)) return;
    for (std::size_t i = from; i < nest_at(nest).loops.size(); ++i) {
      if (nest_at(nest).loops[i].kind != LoopKind::serial) continue;
      (void)builder_.may_step("loop_unrolling", loop_site(nest, i));
    }
  }

  MoveBuilder& builder_;
  const TiledContraction& what_;
  const TileSizes& sizes_;
  std::size_t blocks_ = 2;
  std::size_t serial_ = 0;
  std::int64_t thread_rows_ = 1;
  std::int64_t thread_columns_ = 1;
  std::string left_tile_;
  std::string right_tile_;
};

}  // namespace

bool make_tiles(MoveBuilder& builder, const TiledContraction& contraction, const TileSizes& sizes) {
  return Tiler(builder, contraction, sizes).make();
}

}  // namespace steptp
