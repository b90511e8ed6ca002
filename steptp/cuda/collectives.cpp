// Reductions over thread axes. The usual form is folded by each thread, then by warp shuffles or by a tree in shared
// memory, in a fixed order; whatever else is legal runs thread after thread, in order.
#include <algorithm>
#include <utility>

#include "steptp/cuda/body.h"
#include "steptp/lowering/threads.h"

namespace steptp::cuda {

using lowering::axis_of_loop;
using lowering::Node;

namespace {

std::string zero_on(Axis axis) { return concat(register_of(axis), " == 0"); }

}  // namespace

/// With the names that it has in the text.
struct Body::Reduction : lowering::ThreadReduction {
  std::string number;  ///< makes names unique
  std::string own, partial, rank, place;
};

void Body::collective(const Node& node, const std::vector<Axis>& axes) {
  ++collectives_;
  if (auto reduction = lowering::thread_reduction(arrangement_, kernel_, node, axes)) {
    reduce(named(*std::move(reduction)));
  } else {
    collective_in_turn(node, axes);
  }
  pending_.clear();
}

/// The place of a thread among those of some axes: mixed radix, tx fastest.
std::string Body::rank_of(const std::vector<Axis>& axes) const {
  std::string text;
  std::int64_t stride = 1;
  for (const Axis axis : axes) {
    append(text, text.empty() ? "" : " + ", "(int)", register_of(axis), stride == 1 ? "" : concat(" * ", stride));
    stride *= extent(axis);
  }
  return text.empty() ? "0" : text;
}

void Body::collective_in_turn(const Node& node, const std::vector<Axis>& axes) {
  std::int64_t turns = 1;
  for (const Axis axis : axes) turns *= extent(axis);
  const std::string turn = concat("stp_turn_", collectives_);
  out_.open("for (int ", turn, " = 0; ", turn, " < ", turns, "; ++", turn, ")");
  out_.open("if (", rank_of(axes), " == ", turn, ")");
  thread_level({node});
  out_.close();
  out_.line("__syncthreads();");
  out_.close();
}

Body::Reduction Body::named(lowering::ThreadReduction made) const {
  Reduction out{std::move(made), {}, {}, {}, {}, {}};
  out.number = concat(collectives_);
  out.own = "stp_own_" + out.number;
  out.partial = "stp_partial_" + out.number;
  out.rank = "stp_rank_" + out.number;
  out.place = out.others.empty() ? out.rank : concat("(", rank_of(out.others), ") * ", out.size, " + ", out.rank);
  return out;
}

void Body::reduce(const Reduction& reduction) {
  const DType dtype = reduction.dtype();
  const std::int64_t cells =
      reduction.in_warps() ? reduction.size / lowering::kWarp : reduction.size * reduction.groups;
  partial_bytes_ = std::max(partial_bytes_, cells * info(dtype).bytes);
  out_.open();
  out_.line(memory_type(dtype), "* const ", reduction.partial, " = (", memory_type(dtype), "*)stp_partial;");
  out_.line(value_type(dtype), " ", reduction.own, " = ", identity_of(reduction), ";");
  if (reduction.guarded) out_.line("int stp_any_", reduction.number, " = 0;");
  // Axes without a loop stand at 0; the other threads contribute nothing.
  if (!reduction.missing.empty()) out_.open("if (", join(reduction.missing, " && ", zero_on), ")");
  fold_own_part(reduction, 0);
  if (!reduction.missing.empty()) out_.close();
  out_.line("const int ", reduction.rank, " = ", rank_of(reduction.axes), ";");
  if (reduction.in_warps()) {
    reduce_in_warps(reduction);
  } else {
    reduce_in_tree(reduction);
  }
  add_result(reduction);
  out_.line("__syncthreads();");
  out_.close();
  if (speller_.problem()) fail(*speller_.problem(), site_of(reduction.store->statement));
}

std::string Body::identity_of(const Reduction& reduction) {
  const Statement& statement = arrangement_.table.statements[reduction.store->statement];
  return speller_.value(*lowering::identity_value(*statement.accumulates, reduction.dtype()));
}

std::string Body::joined(const Reduction& reduction, const std::string& a, const std::string& b) const {
  const Statement& statement = arrangement_.table.statements[reduction.store->statement];
  return Speller::operation(*statement.accumulates, reduction.dtype(), a, b);
}

/// Each thread folds what its iterations contribute, the accumulator in a register.
void Body::fold_own_part(const Reduction& reduction, std::size_t at) {
  if (at == reduction.around.size()) {
    speller_.replace(reduction.store->target, reduction.own);
    out_.line(reduction.own, " = ", speller_.value(*reduction.store->value), ";");
    speller_.forget_replaced();
    if (reduction.guarded) out_.line("stp_any_", reduction.number, " = 1;");
    return;
  }
  const Node& around = *reduction.around[at];
  if (around.kind == Node::Kind::guard) {
    out_.open("if (", speller_.value(*around.condition), ")");
    fold_own_part(reduction, at + 1);
    out_.close();
    return;
  }
  const std::string name = variable_name(around.loop.index);
  const auto axis = axis_of_loop(around.loop);
  if (axis) {
    out_.open();
    out_.line("const int ", name, " = ", position_on(*axis), ";");
    out_.open("if (", name, " < ", around.loop.extent, ")");
  } else {
    out_.open("for (int ", name, " = 0; ", name, " < ", around.loop.extent, "; ++", name, ")");
  }
  speller_.open(around.loop);
  fold_own_part(reduction, at + 1);
  speller_.close();
  out_.close();
  if (axis) out_.close();
}

/// All threads come here; where guards may leave everybody out, they also learn whether somebody contributed.
void Body::meet(const Reduction& reduction) {
  if (reduction.guarded) {
    out_.line("const int stp_some_", reduction.number, " = __syncthreads_or(stp_any_", reduction.number, ");");
  } else {
    out_.line("__syncthreads();");
  }
}

void Body::reduce_in_tree(const Reduction& reduction) {
  const std::string cell = concat(reduction.partial, "[", reduction.place, "]");
  const std::string step = "stp_step_" + reduction.number;
  out_.line(cell, " = ", reduction.own, ";");
  meet(reduction);
  out_.open("for (int ", step, " = ", lowering::first_step(reduction.size), "; ", step, " > 0; ", step, " >>= 1)");
  out_.open("if (", reduction.rank, " < ", step, " && ", reduction.rank, " + ", step, " < ", reduction.size, ")");
  out_.line(cell, " = ", joined(reduction, cell, concat(reduction.partial, "[", reduction.place, " + ", step, "]")),
            ";");
  out_.close();
  out_.line("__syncthreads();");
  out_.close();
  out_.line(reduction.own, " = ", cell, ";");
}

/// Each warp by itself, then the first one what came out.
void Body::reduce_in_warps(const Reduction& reduction) {
  const std::string step = "stp_step_" + reduction.number;
  const auto shuffle = [&] {
    out_.line(
        "for (int ", step, " = 16; ", step, " > 0; ", step, " >>= 1) ", reduction.own, " = ",
        joined(reduction, reduction.own, concat("__shfl_down_sync(0xffffffffu, ", reduction.own, ", ", step, ")")),
        ";");
  };
  shuffle();
  const std::string cell = concat(reduction.partial, "[", reduction.rank, " / ", lowering::kWarp, "]");
  out_.line("if (", reduction.rank, " % ", lowering::kWarp, " == 0) ", cell, " = ", reduction.own, ";");
  meet(reduction);
  if (reduction.size == lowering::kWarp) return;
  out_.open("if (", reduction.rank, " < ", lowering::kWarp, ")");
  out_.line(reduction.own, " = ", reduction.rank, " < ", reduction.size / lowering::kWarp, " ? ", reduction.partial,
            "[", reduction.rank, "] : ", identity_of(reduction), ";");
  shuffle();
  out_.close();
}

/// One thread for each element adds what came out.
void Body::add_result(const Reduction& reduction) {
  std::string condition = reduction.rank + " == 0";
  if (reduction.guarded) append(condition, " && stp_some_", reduction.number);
  for (const Axis axis : reduction.missing) append(condition, " && ", zero_on(axis));
  out_.open("if (", condition, ")");
  for (const Node* around : reduction.kept) {
    const std::string name = variable_name(around->loop.index);
    out_.line("const int ", name, " = ", position_on(*axis_of_loop(around->loop)), ";");
    out_.open("if (", name, " < ", around->loop.extent, ")");
    speller_.open(around->loop);
  }
  const std::string element = speller_.element(*reduction.store->target);
  out_.line(element, " = ", joined(reduction, element, reduction.own), ";");
  for (std::size_t i = 0; i < reduction.kept.size(); ++i) {
    speller_.close();
    out_.close();
  }
  out_.close();
}

}  // namespace steptp::cuda
