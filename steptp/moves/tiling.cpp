#include "steptp/moves/tiling.h"

#include "steptp/moves/contraction_kernel.h"

namespace steptp {

namespace {

class Tiler : private ContractionKernel {
 public:
  Tiler(MoveBuilder& builder, const TiledContraction& what, const TileSizes& sizes)
      : ContractionKernel(builder, what, sizes) {}

  bool make() {
    return make_blocks(sizes_.depth) && take_following() && keep_sums() && stage_operands() && fill_registers() &&
           unroll();
  }

 private:
  bool cut(LoopHeader& header) override { return split_result(header, what_.following.empty()); }
  bool place(LoopHeader& header, const std::vector<std::string>& roles) override { return arrange(header, roles); }

  bool stage_operands() {
    const Items kernel = {expression_, 0};
    const Site level = loop_site(kernel, serial_);
    // Where a part of a sum ends only its guard says, and not the operands' shapes: copies ask guards point by point.
    const bool points = what_.sums_parts;
    if (!stage(level, what_.left.tensor, "s", points) || !stage(level, what_.right.tensor, "s", points)) return false;
    left_tile_ = equation_at(below(kernel, 0)).left->tensor;
    right_tile_ = equation_at(below(kernel, 1)).left->tensor;
    return fetch(below(kernel, 0), what_.left) && fetch(below(kernel, 1), what_.right);
  }

  /// A nest that fills a tile, by all threads of the block: vectors where the operand has them, and as many rounds as
  /// it takes.
  bool fetch(const Items& nest, const TiledOperand& operand) {
    if (!is_nest(nest)) return true;
    const std::size_t loops = nest_at(nest).loops.size();
    const std::int64_t lanes = widest(nest_at(nest).loops.back().extent, operand.element_bytes);
    const bool has_lanes = lanes > 1 && can_be_lanes(nest, loops - 1, lanes);
    if (has_lanes) {
      if (!builder_.step("loop_split", loop_site(nest, loops - 1), {{"inner", lanes}, {"kind", "inner"}})) return false;
      if (!make_lanes(nest, loops, lanes, operand.row)) return false;
    }
    return fuse_all(nest, loops) && spread(nest) && lay_out(nest, operand.is_across);
  }

  /// What a thread fetches side by side is one vector, or several where every other row of the operand begins in the
  /// middle of one.
  bool make_lanes(const Items& nest, std::size_t loop, std::int64_t lanes, std::int64_t row) {
    std::int64_t aligned = lanes;
    while (row % aligned != 0) aligned /= 2;
    if (aligned > 1 && aligned < lanes) {
      if (!builder_.step("loop_split", loop_site(nest, loop), {{"inner", aligned}, {"kind", "inner"}})) return false;
      ++loop;
    }
    return builder_.step("loop_vectorization", loop_site(nest, loop));
  }

  /// A run of the tile goes along rows (columns) of the result, so that a thread reads its own by vectors; and begins
  /// in another bank than the run before.
  bool lay_out(const Items& nest, bool is_across) {
    if (equation_at(nest).left->subscripts.size() != 2) return true;
    const bool turns = is_across && sizes_.vector > 1;
    if (!turns && sizes_.padding == 0) return true;
    return set_layout(nest, turns);
  }

  /// What a thread needs of the tiles for one step along k, each element read once.
  bool fill_registers() {
    const Items work = {expression_, 0, 2};
    const auto form = [](const TiledOperand& operand) { return operand.is_narrow ? "wide" : "plain"; };
    if (!copy(loop_site(work, 2), left_tile_, "l", form(what_.left))) return false;
    if (!copy(loop_site(work, 2), right_tile_, "l", form(what_.right))) return false;
    return read_by_vectors(below(work, 0), what_.left) && read_by_vectors(below(work, 1), what_.right);
  }

  /// All that is left inside of a thread, as far as the device's limit goes; what is written by vectors, where it can.
  bool unroll() {
    const Items kernel = {expression_, 0};
    const Items work = below(kernel, 2);
    for (std::uint32_t item = 0; item < 3; ++item) unroll_loops(below(work, item), 0);
    for (std::size_t item = nest_at({expression_}).items.size() - 1; item > 0; --item) {
      write_by_vectors({expression_, static_cast<std::uint32_t>(item)});
    }
    for (std::size_t item = nest_at({expression_}).items.size() - 1; item > 0; --item) {
      unroll_loops({expression_, static_cast<std::uint32_t>(item)}, 2);
    }
    unroll_depth(work);
    for (std::uint32_t item = 0; item < 2; ++item) unroll_loops(below(kernel, item), 0);
    return true;
  }

  /// The steps along k of a round: all of them, or as many at a time as the device's limit allows, so that what the
  /// next one reads is under way.
  void unroll_depth(const Items& work) {
    const Site loop = loop_site(work, 2);
    const Site inner = loop_site(work, 3);
    const std::int64_t extent = nest_at(work).loops[2].extent;
    if (builder_.may_step("loop_unrolling", loop)) return;
    for (const std::int64_t some : {8, 4, 2}) {
      if (extent % some != 0 || extent == some) continue;
      const Values split = {{"inner", some}, {"kind", "inner"}};
      MoveBuilder trial(builder_.program(), Tracking::off);
      if (!trial.step("loop_split", loop, split) || !trial.step("loop_unrolling", inner)) continue;
      (void)(builder_.step("loop_split", loop, split) && builder_.step("loop_unrolling", inner));
      return;
    }
  }

  std::string left_tile_;
  std::string right_tile_;
};

}  // namespace

bool make_tiles(MoveBuilder& builder, const TiledContraction& contraction, const TileSizes& sizes) {
  return Tiler(builder, contraction, sizes).make();
}

}  // namespace steptp
