// Reductions over thread axes. The usual form is folded by each thread, then by warp shuffles or by a tree in shared
// memory, in a fixed order; whatever else is legal runs thread after thread, in order.
#include <algorithm>
#include <functional>

#include "steptp/cuda/body.h"

namespace steptp::cuda {

using lowering::Node;
using lowering::Value;

namespace {

constexpr std::int64_t kWarp = 32;
constexpr std::array kThreadAxes = {Axis::tx, Axis::ty, Axis::tz};

bool contains(const std::vector<Axis>& axes, Axis axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

bool mentions_any(const Ref& ref, const std::set<std::string>& names) {
  bool found = false;
  for (const Index& subscript : ref.subscripts) {
    for_each_variable(subscript, [&](const std::string& name) { found = found || names.contains(name); });
  }
  return found;
}

std::int64_t power_of_two_below(std::int64_t extent) {
  std::int64_t power = 1;
  while (power * 2 < extent) power *= 2;
  return power;
}

std::string zero_on(Axis axis) { return concat(register_of(axis), " == 0"); }

}  // namespace

/// The loops and guards around the one equation of an item, outermost first, and what they are for it.
struct Body::Reduction {
  std::vector<const Node*> around;
  const Node* store = nullptr;
  std::vector<const Node*> kept;  ///< loops that the element depends on
  std::vector<Axis> axes;         ///< reduced
  std::vector<Axis> others;       ///< other thread axes: each of their threads has an element, or none
  std::vector<Axis> missing;      ///< of those, the ones without a loop: only 0 counts
  bool guarded = false;
  std::int64_t size = 1;    ///< threads that reduce into one element
  std::int64_t groups = 1;  ///< elements
  std::string number;       ///< makes names unique
  std::string own, partial, rank, place;

  [[nodiscard]] DType dtype() const { return store->target->dtype; }
  [[nodiscard]] bool in_warps() const { return others.empty() && size % kWarp == 0 && info(dtype()).bytes >= 4; }
};

void Body::collective(const Node& node, const std::vector<Axis>& axes) {
  ++collectives_;
  if (const auto reduction = plan_reduction(node, axes)) {
    reduce(*reduction);
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

std::optional<Body::Reduction> Body::plan_reduction(const Node& node, const std::vector<Axis>& axes) const {
  Reduction out;
  const Node* at = &node;
  for (; at->kind != Node::Kind::store; at = &at->body[0]) {
    if (at->body.size() != 1) return std::nullopt;
    out.around.push_back(at);
  }
  out.store = at;
  out.axes = axes;
  const Ref& target = *at->target;
  // The accumulator must not be converted on the way, and its definedness not be asked for.
  const bool plain = at->value->kind == Value::Kind::arithmetic && at->value->dtype == target.dtype;
  if (!plain || target.dtype == DType::boolean || !plan_.buffers.at(target.tensor).initial) return std::nullopt;

  std::set<std::string> reduced;
  std::set<Axis> looped;
  for (const Node* around : out.around) {
    if (around->kind == Node::Kind::guard) {
      out.guarded = true;
      continue;
    }
    const auto axis = axis_of_loop(around->loop);
    if (axis) looped.insert(*axis);
    const bool is_reduced = axis ? contains(axes, *axis) : !mentions_any(target, {around->loop.index});
    if (!is_reduced && !axis) return std::nullopt;  // an inner loop over elements
    if (is_reduced) {
      reduced.insert(around->loop.index);
    } else {
      out.kept.push_back(around);
    }
  }
  if (mentions_any(target, reduced)) return std::nullopt;
  for (const Axis axis : kThreadAxes) {
    if (contains(axes, axis)) {
      out.size *= extent(axis);
    } else if (extent(axis) > 1) {
      out.others.push_back(axis);
      out.groups *= extent(axis);
      if (!looped.contains(axis) && !decided_.contains(axis)) out.missing.push_back(axis);
    }
  }
  // Groups that nobody contributes to could not be told apart.
  if (out.guarded && !out.others.empty()) return std::nullopt;
  out.number = concat(collectives_);
  out.own = "stp_own_" + out.number;
  out.partial = "stp_partial_" + out.number;
  out.rank = "stp_rank_" + out.number;
  out.place = out.others.empty() ? out.rank : concat("(", rank_of(out.others), ") * ", out.size, " + ", out.rank);
  return out;
}

void Body::reduce(const Reduction& reduction) {
  const DType dtype = reduction.dtype();
  const std::int64_t cells = reduction.in_warps() ? reduction.size / kWarp : reduction.size * reduction.groups;
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
  const Statement& statement = plan_.table.statements[reduction.store->statement];
  return speller_.value(*lowering::identity_value(*statement.accumulates, reduction.dtype()));
}

std::string Body::joined(const Reduction& reduction, const std::string& a, const std::string& b) const {
  const Statement& statement = plan_.table.statements[reduction.store->statement];
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
  out_.open("for (int ", step, " = ", power_of_two_below(reduction.size), "; ", step, " > 0; ", step, " >>= 1)");
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
  const std::string cell = concat(reduction.partial, "[", reduction.rank, " / ", kWarp, "]");
  out_.line("if (", reduction.rank, " % ", kWarp, " == 0) ", cell, " = ", reduction.own, ";");
  meet(reduction);
  if (reduction.size == kWarp) return;
  out_.open("if (", reduction.rank, " < ", kWarp, ")");
  out_.line(reduction.own, " = ", reduction.rank, " < ", reduction.size / kWarp, " ? ", reduction.partial, "[",
            reduction.rank, "] : ", identity_of(reduction), ";");
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
