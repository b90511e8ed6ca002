// More than 400 lines, because three forms of tiles share the steps of one class.
#include "steptp/moves/window_tiling.h"

#include <algorithm>

#include "steptp/base/text.h"
#include "steptp/moves/tiling_kernel.h"

namespace steptp {

namespace {

/// What both forms have in common: axes of several loops, and what follows.
class WindowTiler : protected TilingKernel {
 protected:
  WindowTiler(MoveBuilder& builder, const WindowKernel& kernel, const TileSizes& sizes, std::int64_t channels)
      : TilingKernel(builder, kernel.expression, sizes),
        kernel_(kernel),
        equation_(builder.follow(item_site({kernel.expression, 0}))),
        channels_(channels) {}

  virtual ~WindowTiler() = default;
  WindowTiler(const WindowTiler&) = delete;
  WindowTiler& operator=(const WindowTiler&) = delete;

  /// Rows and columns are cut into blocks, threads and what each of them has.
  virtual bool cut(LoopHeader& header) { return split_result(header, true); }
  virtual bool place(LoopHeader& header) { return arrange(header, fused_); }

  /// The loops of each axis become one; what is left are those that run in parallel or in each thread.
  bool fuse_axes(LoopHeader& header, std::vector<std::string> roles) {
    if (!header.unbind_all()) return false;
    if (header.has("g")) {
      if (!header.split("g", kernel_.group, "zg", "mg")) return false;
      std::replace(roles.begin(), roles.end(), std::string("g"), std::string("zg"));
      roles.push_back("mg");
    }
    if (header.has("c")) {
      if (channels_ == 1) {
        header.rename("c", "zc");
      } else if (!header.split("c", std::min(channels_, header.extent("c")), "zc", "channels")) {
        return false;
      }
      std::replace(roles.begin(), roles.end(), std::string("c"), std::string("zc"));
    }
    std::vector<std::string> order;
    std::vector<std::string> groups[5];
    for (std::size_t i = 0; i < 5; ++i) {
      for (const std::string& role : roles) {
        if (role[0] == "zmnks"[i]) groups[i].push_back(role);
      }
      order.insert(order.end(), groups[i].begin(), groups[i].end());
    }
    if (header.has("channels")) order.push_back("channels");
    if (!header.arrange(order)) return false;
    for (const std::size_t axis : {1, 2, 3}) {
      if (!header.fuse(groups[axis], std::string(1, "zmnks"[axis]))) return false;
    }
    fused_ = groups[0];
    fused_.insert(fused_.end(), groups[4].begin(), groups[4].end());
    return true;
  }

  /// Behind what is written back stands what follows, an element of each in the same thread, and what only passes from
  /// one to the next stays in a register.
  bool take_following(const Items& back) {
    for (const FollowingExpression& next : kernel_.behind.expressions) {
      LoopHeader header(builder_, {expression_ + 1}, next.roles);
      if (!fuse_axes(header, next.roles) || !cut(header) || !place(header)) return false;
      if (back.size() > 1 && !fuse_nests({expression_}, blocks_)) return false;
      if (!fuse_nests(back, nest_at(back).loops.size())) return false;
    }
    if (kernel_.behind.expressions.empty()) return true;
    if (!kernel_.behind.is_result_used_elsewhere && !pass_on(back, kernel_.result)) return false;
    std::string before = kernel_.result;
    for (const FollowingExpression& next : kernel_.behind.expressions) {
      if (next.is_used_elsewhere || next.result == kernel_.result || next.result == before) continue;
      if (!pass_on(back, next.result)) return false;
      before = next.result;
    }
    return true;
  }

  bool fuse_nests(const Items& first, std::size_t depth) {
    return builder_.step("operator_fusion", item_site(first), {{"depth", static_cast<std::int64_t>(depth)}});
  }

  bool pass_on(const Items& nest, const std::string& tensor) {
    const Site innermost = loop_site(nest, nest_at(nest).loops.size() - 1);
    return builder_.step("cache_read_write", innermost, cache_values("write", tensor, "l", "plain", false)) &&
           drop(tensor);
  }

  /// How cache_read_write names a part of the right side: a tensor, or the address of what is padded.
  [[nodiscard]] std::string name_of(const std::vector<std::uint32_t>& path) const {
    const Site site = {equation_.only()->items, Site::Part::right, path, std::nullopt};
    const auto* expr = std::get<const Expr*>(resolve(builder_.program().nests, site));
    const auto* read = std::get_if<Read>(&expr->node);
    return read ? read->ref->tensor : to_text(site);
  }

  /// The nest around the equation.
  [[nodiscard]] Items nest_of_equation() const {
    Items items = equation_.only()->items;
    items.pop_back();
    return items;
  }

  /// The innermost loops first: they gain the most where not all can be unrolled.
  void unroll_from_inside(const Items& nest, std::size_t from) {
    if (!is_nest(nest)) return;
    for (std::size_t i = nest_at(nest).loops.size(); i-- > from;) {
      if (nest_at(nest).loops[i].kind != LoopKind::serial) continue;
      (void)builder_.may_step("loop_unrolling", loop_site(nest, i));
    }
  }

  const WindowKernel& kernel_;
  const Handle& equation_;
  std::int64_t channels_;
  std::vector<std::string> fused_;
};

class ProductTiler : private WindowTiler {
 public:
  ProductTiler(MoveBuilder& builder, const WindowProduct& what, const TileSizes& sizes, bool is_direct)
      : WindowTiler(builder, what.kernel, sizes, 1), what_(what), is_direct_(is_direct) {}

  bool make() {
    return make_blocks() && keep(kernel_.result, kernel_.is_narrow ? "wide" : "plain", true) &&
           take_following({expression_, 1}) && stage_operands() && fill_registers() && unroll();
  }

 private:
  bool make_blocks() {
    LoopHeader header(builder_, {expression_}, kernel_.roles);
    if (!fuse_axes(header, kernel_.roles) || !split_result(header, true)) return false;
    if (!header.split("k", std::min(sizes_.depth, header.extent("k")), "rounds", "depth")) return false;
    return arrange(header, fused_);
  }

  [[nodiscard]] std::vector<std::uint32_t> factor(std::uint32_t number) const { return {1, number}; }

  bool stage_operands() {
    const Site level = loop_site({expression_, 0}, 0);
    if (!stage_operand(level, 1 - what_.image_factor, what_.weights)) return false;
    return is_direct_ || stage_operand(level, what_.image_factor, what_.image);
  }

  bool stage_operand(const Site& level, std::uint32_t number, const TiledOperand& operand) {
    if (!stage(level, name_of(factor(number)), "s", true)) return false;
    return fetch(builder_.added("copy")[0].items, number, operand);
  }

  /// The dimension of a staged tile that runs along the sum.
  [[nodiscard]] std::size_t along_sum(std::uint32_t number) const {
    const Site site = {equation_.only()->items, Site::Part::right, factor(number), std::nullopt};
    const auto* expr = std::get<const Expr*>(resolve(builder_.program().nests, site));
    const std::vector<Index>& subscripts = std::get<Read>(expr->node).ref->subscripts;
    const std::string& depth = nest_at(nest_of_equation()).loops[2].index;
    std::size_t found = 0;
    for (std::size_t i = 0; i < subscripts.size(); ++i) {
      for_each_variable(subscripts[i], [&](const std::string& name) { found = name == depth ? i : found; });
    }
    return found;
  }

  /// All threads fill a tile: neighbours take what lies side by side in the source, pixels of the image or the sum of
  /// the weights. In the tile, pixels always lie side by side.
  bool fetch(const Items& nest, std::uint32_t number, const TiledOperand& operand) {
    if (!is_nest(nest)) return true;
    const std::size_t loops = nest_at(nest).loops.size();
    bool turns = false;
    if (loops == 2) {
      const bool sum_inside = along_sum(number) == 1;
      if (sum_inside != operand.is_across && !builder_.step("loop_reorder", loop_site(nest, 0), {{"with", 1}})) {
        return false;
      }
      turns = sum_inside && (number == what_.image_factor || sizes_.vector > 1);
    }
    const std::int64_t lanes = widest(nest_at(nest).loops.back().extent, operand.element_bytes);
    if (lanes > 1 && can_be_lanes(nest, loops - 1, lanes)) {
      if (!builder_.step("loop_split", loop_site(nest, loops - 1), {{"inner", lanes}, {"kind", "inner"}})) return false;
      if (!builder_.step("loop_vectorization", loop_site(nest, loops))) return false;
    }
    if (!fuse_all(nest, loops) || !spread(nest)) return false;
    return loops != 2 || (!turns && sizes_.padding == 0) || set_layout(nest, turns);
  }

  /// What a thread needs for one step of the sum, each element read once.
  bool fill_registers() {
    const auto form = [](const TiledOperand& operand) { return operand.is_narrow ? "wide" : "plain"; };
    work_ = nest_of_equation();
    const Site depth = loop_site(work_, 2);
    if (!copy(depth, name_of(factor(1 - what_.image_factor)), "l", form(what_.weights))) return false;
    const std::string image = name_of(factor(what_.image_factor));
    if (is_direct_ ? !stage(depth, image, "l", true) : !copy(depth, image, "l", form(what_.image))) return false;
    if (!read_by_vectors(below(work_, 0), what_.weights)) return false;
    return is_direct_ || read_by_vectors(below(work_, 1), what_.image);
  }

  bool unroll() {
    for (std::uint32_t item = 0; item < 3; ++item) unroll_loops(below(work_, item), 0);
    write_by_vectors({expression_, 1});
    unroll_loops({expression_, 1}, 2);
    (void)builder_.may_step("loop_unrolling", loop_site(work_, 2));
    for (std::uint32_t item = 0; item < work_.back(); ++item) unroll_loops({expression_, 0, item}, 0);
    return true;
  }

  const WindowProduct& what_;
  bool is_direct_;
  Items work_;
};

/// Threads along ty and tz are the units, until the last step gives each of them its lanes.
class UnitTiler : private WindowTiler {
 public:
  UnitTiler(MoveBuilder& builder, const WindowProduct& what, const TileSizes& sizes, std::int64_t buffers)
      : WindowTiler(builder, what.kernel, kWide, 1), what_(what), tile_(sizes), buffers_(buffers) {
    expect_units();
  }

  bool make() {
    return make_blocks() && take_behind() && keep_sums() && put_rows_first() &&
           stage_operand(1 - what_.image_factor, what_.weights) && stage_operand(what_.image_factor, what_.image) &&
           builder_.step("loop_tensorization", item_site({expression_}));
  }

 private:
  static constexpr TileSizes kWide = {1, 1, 1, 1, 1, 16, 0};

  bool make_blocks() {
    LoopHeader header(builder_, {expression_}, kernel_.roles);
    std::size_t sums = 0;
    for (std::size_t i = 0; i < kernel_.roles.size(); ++i) {
      if (kernel_.roles[i][0] == 'k' && nest_at({expression_}).loops[i].extent > 1) ++sums;
    }
    has_window_ = sums > 1;
    if (!fuse_axes(header, kernel_.roles) || !cut(header)) return false;
    return header.split("k", tile_.depth, "rounds", "depth") && place(header);
  }

  /// A block that would reach beyond the last row or column has as many whole tiles as there are.
  bool cut(LoopHeader& header) override {
    return cut_axis(header, "m", tile_.rows, tile_.thread_rows, "row units", "row blocks") &&
           cut_axis(header, "n", tile_.columns, tile_.thread_columns, "column units", "column blocks");
  }
  bool cut_axis(LoopHeader& header, const char* axis, std::int64_t tile, std::int64_t units, const char* of_units,
                const char* of_blocks) {
    if (tile * units <= header.extent(axis)) {
      return header.split(axis, tile * units, of_blocks, axis) && header.split(axis, tile, of_units, axis);
    }
    return header.split(axis, tile, of_units, axis) &&
           header.split(of_units, header.extent(of_units), of_blocks, of_units);
  }

  bool place(LoopHeader& header) override {
    std::vector<std::string> order = fused_;
    for (const char* role : {"row blocks", "column blocks", "rounds", "row units", "column units", "m", "n", "depth"}) {
      if (header.has(role)) order.emplace_back(role);
    }
    if (!header.arrange(order) || !header.fuse_first(fused_.size())) return false;
    blocks_ = 2;
    if (!fused_.empty()) {
      ++blocks_;
      if (!header.bind(fused_.back(), "bz")) return false;
    }
    return header.bind("row blocks", "by") && header.bind("column blocks", "bx") && header.bind("row units", "ty") &&
           header.bind("column units", "tz");
  }

  /// What follows is cut in the same way and stands in the same blocks.
  bool take_behind() {
    for (const FollowingExpression& next : kernel_.behind.expressions) {
      LoopHeader header(builder_, {expression_ + 1}, next.roles);
      if (!fuse_axes(header, next.roles) || !cut(header) || !place(header)) return false;
      if (!fuse_nests({expression_}, blocks_)) return false;
    }
    return true;
  }
  /// The sums, and what only passes from one expression to the next.
  bool keep_sums() {
    const std::vector<FollowingExpression>& behind = kernel_.behind.expressions;
    const bool is_needed = kernel_.behind.is_result_used_elsewhere || behind.empty();
    return keep_made(kernel_.result, kernel_.is_narrow ? "wide" : "plain", is_needed, true) &&
           keep_passed_on(kernel_.result, behind, true);
  }

  /// Where a tile of pixels goes on in the next image, what is kept has a pixel for its first subscript.
  bool put_rows_first() {
    for (bool again = true; again;) {
      again = false;
      for (const Statement& statement : builder_.view().table().statements) {
        const Ref& left = *statement.equation->left;
        if (statement.items[0] != expression_ || left.scope != Scope::local || left.subscripts.size() != 2) continue;
        const std::size_t inside = statement.accumulates ? 3 : 2;
        const std::string& row = statement.loops[statement.loops.size() - inside]->index;
        if (mentions_index(left.subscripts[0], row)) continue;
        if (!turn(item_site(statement.items), "1,0")) return false;
        again = true;
        break;
      }
    }
    return true;
  }
  static bool mentions_index(const Index& index, const std::string& name) {
    bool found = false;
    for_each_variable(index, [&](const std::string& other) { found = found || other == name; });
    return found;
  }
  bool turn(Site equation, std::string_view dimensions) {
    equation.part = Site::Part::left;
    const Values how = {{"form", "transpose"}, {"dimensions", dimensions}, {"number", 0}};
    return builder_.step("set_storage_layout", equation, how);
  }

  /// Pixels of a unit lie side by side in the tile of the image, and those of the next unit behind them; neighbouring
  /// lanes fetch neighbouring pixels.
  bool stage_operand(std::uint32_t number, const TiledOperand& operand) {
    const std::vector<std::uint32_t> factor = {1, number};
    if (!stage(loop_site({expression_, 0}, 0), name_of(factor), "s", true, buffers_)) return false;
    const Items nest = builder_.added("copy")[0].items;
    if (number == what_.image_factor && !put_pixels_last(nest, factor)) return false;
    return fetch(nest, operand);
  }
  bool put_pixels_last(const Items& nest, const std::vector<std::uint32_t>& factor) {
    const std::size_t loops = nest_at(nest).loops.size();
    const Site site = {equation_.only()->items, Site::Part::right, factor, std::nullopt};
    const auto* expr = std::get<const Expr*>(resolve(builder_.program().nests, site));
    const Ref& read = *std::get<Read>(expr->node).ref;
    const Nest& work = nest_at(nest_of_equation());
    const std::string& depth = work.loops.back().index;
    const bool is_sum_last = loops == 2 && mentions_index(read.subscripts[1], depth);
    if (!is_sum_last && loops != 3) return true;
    const std::size_t first = loops - 2;
    const Values with = {{"with", static_cast<std::int64_t>(first + 1)}};
    if (!builder_.step("loop_reorder", loop_site(nest, first), with)) return false;
    return turn(item_site(below(nest, 0)), loops == 2 ? "1,0" : "0,2,1");
  }

  /// Vectors where rows begin with one, and all lanes of all units. A window moves along a row, so that its pixels
  /// begin anywhere: neighbouring lanes take them one by one.
  bool fetch(const Items& nest, const TiledOperand& operand) {
    const std::size_t loops = nest_at(nest).loops.size();
    std::int64_t lanes = widest(nest_at(nest).loops.back().extent, operand.element_bytes);
    while (operand.row % lanes != 0) lanes /= 2;
    if (&operand == &what_.image && has_window_) lanes = 1;
    if (lanes > 1 && can_be_lanes(nest, loops - 1, lanes)) {
      if (!builder_.step("loop_split", loop_site(nest, loops - 1), {{"inner", lanes}, {"kind", "inner"}})) return false;
      if (!builder_.step("loop_vectorization", loop_site(nest, loops))) return false;
    }
    return fuse_all(nest, loops) && give_to_units(nest, tile_.thread_rows, tile_.thread_columns);
  }

  const WindowProduct& what_;
  TileSizes tile_;
  std::int64_t buffers_;
  bool has_window_ = false;  ///< more than channels are summed
};

class HaloTiler : private WindowTiler {
 public:
  HaloTiler(MoveBuilder& builder, const WindowHalo& what, const TileSizes& sizes, std::int64_t channels, bool is_direct)
      : WindowTiler(builder, what.kernel, sizes, channels), what_(what), is_direct_(is_direct) {}

  bool make() {
    if (!make_blocks()) return false;
    const bool is_wide = kernel_.is_narrow && what_.has_sum;
    if (what_.accumulates && !keep(kernel_.result, is_wide ? "wide" : "plain")) return false;
    return take_following(what_.accumulates ? Items{expression_, 1} : Items{expression_}) &&
           (is_direct_ || stage_reads()) && unroll();
  }

 private:
  /// Input channels are staged so many at a time; a thread that reads them itself takes one after the other.
  bool make_blocks() {
    LoopHeader header(builder_, {expression_}, kernel_.roles);
    if (!fuse_axes(header, kernel_.roles) || !split_result(header, true)) return false;
    has_rounds_ = header.has("k") && !is_direct_;
    if (has_rounds_ && !header.split("k", std::min(sizes_.depth, header.extent("k")), "rounds", "depth")) return false;
    std::vector<std::string> roles = fused_;
    if (header.has("k")) {
      header.rename("k", "sk");
      roles.push_back("sk");
    }
    return arrange(header, roles, true);
  }

  bool stage_reads() {
    std::vector<WindowRead> all = what_.reads;
    if (has_rounds_) all.insert(all.end(), what_.others.begin(), what_.others.end());
    for (const WindowRead& read : all) {
      const Site level = has_rounds_ ? loop_site({expression_, 0}, 0) : loop_site({expression_}, blocks_ - 1);
      if (!stage(level, name_of(read.path))) return false;
      const Items nest = builder_.added("copy")[0].items;
      if (!is_nest(nest)) continue;
      if (!fuse_all(nest, nest_at(nest).loops.size()) || !spread(nest)) return false;
    }
    return true;
  }

  bool unroll() {
    const Items work = nest_of_equation();
    unroll_from_inside(work, work.size() > 1 ? 2 : blocks_ + 2);
    if (!what_.accumulates) return true;
    const Items back = {expression_, static_cast<std::uint32_t>(nest_at({expression_}).items.size() - 1)};
    write_by_vectors(back);
    unroll_loops(back, 2);
    return true;
  }

  const WindowHalo& what_;
  bool is_direct_;
  bool has_rounds_ = false;
};

}  // namespace

bool make_window_product(MoveBuilder& builder, const WindowProduct& product, const TileSizes& sizes, bool is_direct) {
  return ProductTiler(builder, product, sizes, is_direct).make();
}

bool make_window_units(MoveBuilder& builder, const WindowProduct& product, const TileSizes& sizes,
                       std::int64_t buffers) {
  return UnitTiler(builder, product, sizes, buffers).make();
}

bool make_window_halo(MoveBuilder& builder, const WindowHalo& halo, const TileSizes& sizes, std::int64_t channels,
                      bool is_direct) {
  return HaloTiler(builder, halo, sizes, channels, is_direct).make();
}

}  // namespace steptp
