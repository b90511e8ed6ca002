// Reductions over thread axes. The usual form becomes a tree in shared memory, in a fixed order; whatever else is
// legal runs thread after thread, in order.
#include <algorithm>

#include "steptp/cuda/body.h"

namespace steptp::cuda {

using lowering::Node;
using lowering::Value;

namespace {

/// The loops and guards around the one equation of an item, outermost first, and the equation.
struct Chain {
  std::vector<const Node*> around;
  const Node* store = nullptr;
};
Chain chain_of(const Node& node) {
  Chain out;
  const Node* at = &node;
  while (at->kind != Node::Kind::store) {
    if (at->body.size() != 1) return {};
    out.around.push_back(at);
    at = &at->body[0];
  }
  out.store = at;
  return out;
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

}  // namespace

void Body::collective(const Node& node, const std::vector<Axis>& axes) {
  ++collectives_;
  if (!tree_collective(node, axes)) collective_in_turn(node, axes);
  pending_.clear();
}

/// The place of a thread among those that reduce into one element: mixed radix over the axes.
static std::string rank_of(const std::vector<Axis>& axes, const std::function<std::int64_t(Axis)>& extent) {
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
  out_.open("if (", rank_of(axes, [this](Axis axis) { return extent(axis); }), " == ", turn, ")");
  thread_level({node});
  out_.close();
  out_.line("__syncthreads();");
  out_.close();
}

bool Body::tree_collective(const Node& node, const std::vector<Axis>& axes) {
  const Chain chain = chain_of(node);
  if (!chain.store) return false;
  const Ref& target = *chain.store->target;
  const Value& value = *chain.store->value;
  const Statement& statement = plan_.table.statements[chain.store->statement];
  // The accumulator must not be converted on the way, and its definedness not be asked for.
  if (value.kind != Value::Kind::arithmetic || value.dtype != target.dtype || target.dtype == DType::boolean)
    return false;
  if (!plan_.buffers.at(target.tensor).initial || plan_.buffers.contains(target.tensor + "_defined")) return false;

  std::set<std::string> reduced;  // loops that the element does not depend on
  std::vector<const Node*> kept;  // the others, and guards that are the same for all
  std::set<Axis> thread_axes;
  bool guarded = false;
  for (const Node* around : chain.around) {
    if (around->kind == Node::Kind::guard) {
      guarded = true;
      continue;
    }
    const auto axis = axis_of_loop(around->loop);
    const bool is_reduced =
        axis ? std::find(axes.begin(), axes.end(), *axis) != axes.end() : !mentions_any(target, {around->loop.index});
    if (axis) thread_axes.insert(*axis);
    if (is_reduced) reduced.insert(around->loop.index);
    if (!is_reduced && !axis) return false;  // an inner loop over elements
    if (!is_reduced) kept.push_back(around);
  }
  if (mentions_any(target, reduced)) return false;
  std::vector<Axis> others;
  for (const Axis axis : {Axis::tx, Axis::ty, Axis::tz}) {
    if (extent(axis) > 1 && std::find(axes.begin(), axes.end(), axis) == axes.end()) others.push_back(axis);
  }
  if (guarded && !others.empty()) return false;  // groups that nobody contributes to could not be told apart

  const auto extent_of = [this](Axis axis) { return extent(axis); };
  std::int64_t size = 1;
  for (const Axis axis : axes) size *= extent(axis);
  std::int64_t groups = 1;
  for (const Axis axis : others) groups *= extent(axis);
  const DType dtype = target.dtype;
  const std::string number = concat(collectives_);
  const std::string own = "stp_own_" + number;
  const std::string partial = "stp_partial_" + number;
  const std::string rank = "stp_rank_" + number;
  const std::string any = "stp_any_" + number;
  partial_bytes_ += size * groups * info(dtype).bytes;

  out_.open();
  out_.line("__shared__ ", memory_type(dtype), " ", partial, "[", size * groups, "];");
  out_.line(value_type(dtype), " ", own, " = ",
            speller_.value(*lowering::identity_value(*statement.accumulates, dtype)), ";");
  if (guarded) out_.line("int ", any, " = 0;");
  // Each thread folds its own part.
  const RefPtr accumulator = chain.store->target;
  std::function<void(std::size_t)> part = [&](std::size_t at) {
    if (at == chain.around.size()) {
      speller_.replace(accumulator, own);
      out_.line(own, " = ", speller_.value(value), ";");
      speller_.forget_replaced();
      if (guarded) out_.line(any, " = 1;");
      return;
    }
    const Node& around = *chain.around[at];
    if (around.kind == Node::Kind::guard) {
      out_.open("if (", speller_.value(*around.condition), ")");
      part(at + 1);
      out_.close();
      return;
    }
    const std::string name = variable_name(around.loop.index);
    if (const auto axis = axis_of_loop(around.loop)) {
      out_.open();
      out_.line("const int ", name, " = ", position_on(*axis), ";");
      out_.open("if (", name, " < ", around.loop.extent, ")");
    } else {
      out_.open("for (int ", name, " = 0; ", name, " < ", around.loop.extent, "; ++", name, ")");
    }
    speller_.open(around.loop);
    part(at + 1);
    speller_.close();
    out_.close();
    if (axis_of_loop(around.loop)) out_.close();
  };
  // Axes without a loop stand at 0; the other threads contribute nothing.
  std::vector<Axis> missing;
  for (const Axis axis : {Axis::tx, Axis::ty, Axis::tz}) {
    if (extent(axis) > 1 && !thread_axes.contains(axis) && !decided_.contains(axis)) missing.push_back(axis);
  }
  const auto zero = [](Axis axis) { return concat(register_of(axis), " == 0"); };
  if (!missing.empty()) out_.open("if (", join(missing, " && ", zero), ")");
  part(0);
  if (!missing.empty()) out_.close();

  out_.line("const int ", rank, " = ", rank_of(axes, extent_of), ";");
  const std::string base = others.empty() ? rank : concat("(", rank_of(others, extent_of), ") * ", size, " + ", rank);
  out_.line(partial, "[", base, "] = ", own, ";");
  if (guarded) {
    out_.line("const int stp_some_", number, " = __syncthreads_or(", any, ");");
  } else {
    out_.line("__syncthreads();");
  }
  const std::string step = "stp_step_" + number;
  out_.open("for (int ", step, " = ", power_of_two_below(size), "; ", step, " > 0; ", step, " >>= 1)");
  out_.open("if (", rank, " < ", step, " && ", rank, " + ", step, " < ", size, ")");
  out_.line(partial, "[", base, "] = ",
            Speller::operation(*statement.accumulates, dtype, concat(partial, "[", base, "]"),
                               concat(partial, "[", base, " + ", step, "]")),
            ";");
  out_.close();
  out_.line("__syncthreads();");
  out_.close();
  // One thread of each group adds what came out.
  out_.open("if (", rank, " == 0", guarded ? concat(" && stp_some_", number) : "",
            missing.empty() ? "" : concat(" && ", join(missing, " && ", zero)), ")");
  for (const Node* around : kept) {
    const std::string name = variable_name(around->loop.index);
    out_.line("const int ", name, " = ", position_on(*axis_of_loop(around->loop)), ";");
    out_.open("if (", name, " < ", around->loop.extent, ")");
    speller_.open(around->loop);
  }
  const std::string element = speller_.element(target);
  out_.line(element, " = ", Speller::operation(*statement.accumulates, dtype, element, concat(partial, "[", base, "]")),
            ";");
  for (std::size_t i = 0; i < kept.size(); ++i) {
    speller_.close();
    out_.close();
  }
  out_.close();
  out_.line("__syncthreads();");
  out_.close();
  if (speller_.problem()) fail(*speller_.problem(), site_of(chain.store->statement));
  return true;
}

}  // namespace steptp::cuda
