// Reductions over threads. A regular form (analysis/thread_groups.h) is folded by each thread into registers, then
// joined in a fixed order: by warp shuffles where a group of threads is a part of a warp or whole warps, otherwise by a
// tree in shared memory. Whatever else is legal runs thread after thread, in order. Decision 0060.
#include <algorithm>
#include <utility>

#include "steptp/cuda/body.h"
#include "steptp/lowering/threads.h"

namespace steptp::cuda {

using lowering::axis_of_loop;
using lowering::Node;
using Way = ThreadGroups::Way;

namespace {

std::string zero_on(Axis axis) { return concat(register_of(axis), " == 0"); }

}  // namespace

void Body::collective(const Node& node, const std::vector<Axis>& axes) {
  ++collectives_;
  if (auto reduction = lowering::thread_reduction(arrangement_, kernel_, node)) {
    reduce(named(*std::move(reduction), concat(collectives_)));
  } else {
    collective_in_turn(node, axes);
    pending_.clear();
  }
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

/// The same among those that differ in some digits.
std::string Body::rank_of(const std::vector<ThreadDigit>& digits) const {
  std::string text;
  std::int64_t stride = 1;
  for (const ThreadDigit& digit : digits) {
    append(text, text.empty() ? "" : " + ", "(int)", register_of(digit.axis));
    if (digit.stride > 1) append(text, " / ", digit.stride);
    if (digit.stride * digit.size < extent(digit.axis)) append(text, " % ", digit.size);
    if (stride > 1) append(text, " * ", stride);
    stride *= digit.size;
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

Reduction Body::named(lowering::ThreadReduction made, std::string number) {
  Reduction out{std::move(made), {}, {}, {}, {}, {}, {}, {}, {}};
  out.number = std::move(number);
  out.own = "stp_own_" + out.number;
  out.any = "stp_any_" + out.number;
  out.partial = "stp_partial_" + out.number;
  out.some = "stp_some_" + out.number;
  out.rank = "stp_rank_" + out.number;
  out.group = "stp_team_" + out.number;
  out.step = "stp_step_" + out.number;
  return out;
}

void Body::reduce(const Reduction& reduction) {
  const ThreadGroups& groups = reduction.groups;
  const std::int64_t bytes = groups.shared_bytes(info(reduction.dtype()).bytes);
  const std::int64_t cells = bytes - groups.flag_bytes();
  has_cells_ = has_cells_ || bytes > 0;
  for (const Node* walked : reduction.walked) open_loop(*walked, "");
  out_.open();
  if (cells > 0) {
    const std::string_view type = memory_type(reduction.dtype());
    out_.line(type, "* const ", reduction.partial, " = (", type, "*)stp_partial;");
  }
  if (groups.flag_bytes() > 0) {
    out_.line(reduction.flag_type(), "* const ", reduction.some, " = (", reduction.flag_type(), "*)(stp_partial + ",
              cells, ");");
  }
  fold_own_parts(reduction);
  if (groups.size > 1) out_.line("const int ", reduction.rank, " = ", rank_of(groups.reduced), ";");
  if (cells > 0 && groups.groups > 1) out_.line("const int ", reduction.group, " = ", rank_of(groups.kept), ";");
  join_parts(reduction);
  add_results(reduction);
  if (cells > 0) out_.line("__syncthreads();");
  out_.close();
  for (std::size_t i = 0; i < reduction.walked.size(); ++i) close_loop();
  // Without a barrier at its end, what was added may still have to be seen by others.
  if (cells > 0) pending_.clear();
  if (cells == 0) pending_.insert(reduction.store->statement);
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

void Body::open_loop(const Node& node, const std::string& pragma) {
  const std::string name = variable_name(node.loop.index);
  if (!pragma.empty()) out_.line(pragma);
  out_.open("for (int ", name, " = 0; ", name, " < ", node.loop.extent, "; ++", name, ")");
  speller_.open(node.loop);
}

void Body::close_loop() {
  speller_.close();
  out_.close();
}

/// The number of an element among those that a thread holds, by the indices of the loops over them.
std::string Body::held_element(const Reduction& reduction) {
  std::string text;
  std::int64_t stride = reduction.groups.elements;
  for (const Node* held : reduction.held) {
    stride /= held->loop.extent;
    append(text, text.empty() ? "" : " + ", variable_name(held->loop.index), stride > 1 ? concat(" * ", stride) : "");
  }
  return text.empty() ? "0" : text;
}

/// A line for each element that a thread holds, of the number stp_e.
void Body::each_held(const Reduction& reduction, const std::string& line) {
  if (reduction.groups.elements == 1) return out_.line(line);
  out_.line("#pragma unroll");
  out_.line("for (int stp_e = 0; stp_e < ", reduction.groups.elements, "; ++stp_e) ", line);
}

void Body::fold_own_parts(const Reduction& reduction) {
  const ThreadGroups& groups = reduction.groups;
  const std::string_view type = value_type(reduction.dtype());
  if (groups.elements == 1) {
    out_.line(type, " ", reduction.own, " = ", identity_of(reduction), ";");
  } else {
    out_.line(type, " ", reduction.own, "[", groups.elements, "];");
    each_held(reduction, concat(reduction.own_at("stp_e"), " = ", identity_of(reduction), ";"));
  }
  if (groups.is_guarded) out_.line(reduction.flag_type(), " ", reduction.any, " = 0;");
  // Axes without a loop stand at 0; the other threads contribute nothing.
  if (!groups.missing.empty()) out_.open("if (", join(groups.missing, " && ", zero_on), ")");
  fold_own_part(reduction, 0);
  if (!groups.missing.empty()) out_.close();
}

/// Each thread folds what its iterations contribute, the accumulators in registers.
void Body::fold_own_part(const Reduction& reduction, std::size_t at) {
  if (at == reduction.around.size()) return fold_contribution(reduction);
  const Node& around = *reduction.around[at];
  const auto is_among = [&](const std::vector<const Node*>& nodes) {
    return std::find(nodes.begin(), nodes.end(), &around) != nodes.end();
  };
  if (is_among(reduction.walked)) return fold_own_part(reduction, at + 1);
  if (around.kind == Node::Kind::guard) {
    out_.open("if (", speller_.value(*around.condition), ")");
    fold_own_part(reduction, at + 1);
    out_.close();
    return;
  }
  if (const auto axis = axis_of_loop(around.loop)) {
    const std::string name = variable_name(around.loop.index);
    out_.open();
    out_.line("const int ", name, " = ", position_on(*axis), ";");
    out_.open("if (", name, " < ", around.loop.extent, ")");
    speller_.open(around.loop);
    fold_own_part(reduction, at + 1);
    close_loop();
    out_.close();
    return;
  }
  speller_.open(around.loop);
  const std::vector<VectorLoad> vectors = vector_loads(around, reduction.store->target->tensor);
  if (!vectors.empty()) {
    out_.open();
    load_vectors(around, vectors);
  }
  speller_.close();
  open_loop(around, is_among(reduction.held) || !vectors.empty() ? "#pragma unroll" : pragma_of(around));
  fold_own_part(reduction, at + 1);
  close_loop();
  if (!vectors.empty()) out_.close();
}

void Body::fold_contribution(const Reduction& reduction) {
  const std::string element = held_element(reduction);
  const std::string own = reduction.own_at(element);
  speller_.replace(reduction.store->target, own);
  out_.line(own, " = ", speller_.value(*reduction.store->value), ";");
  speller_.forget_replaced();
  if (!reduction.groups.is_guarded) return;
  const bool is_single = reduction.groups.elements == 1;
  out_.line(reduction.any, is_single ? " = 1;" : concat(" |= (", reduction.flag_type(), ")1 << (", element, ");"));
}

/// One thread of each group adds what came out.
void Body::add_results(const Reduction& reduction) {
  const ThreadGroups& groups = reduction.groups;
  std::vector<std::string> conditions;
  if (groups.size > 1) conditions.push_back(reduction.rank + " == 0");
  if (groups.has_block_flag()) conditions.push_back(reduction.some);
  for (const Axis axis : groups.missing) conditions.push_back(zero_on(axis));
  if (conditions.empty()) {
    out_.open();
  } else {
    out_.open("if (", join(conditions, " && ", [](const std::string& text) { return text; }), ")");
  }
  for (const Node* fixed : reduction.fixed) {
    const std::string name = variable_name(fixed->loop.index);
    out_.line("const int ", name, " = ", position_on(*axis_of_loop(fixed->loop)), ";");
    out_.open("if (", name, " < ", fixed->loop.extent, ")");
    speller_.open(fixed->loop);
  }
  for (const Node* held : reduction.held) open_loop(*held, "#pragma unroll");
  const std::string number = held_element(reduction);
  if (groups.has_flags()) {
    out_.open("if (", groups.elements == 1 ? reduction.any : concat(reduction.any, " >> (", number, ") & 1"), ")");
  }
  const std::string element = speller_.element(*reduction.store->target);
  const std::string own = reduction.own_at(number);
  const bool is_first = own_sums_.contains(reduction.store->statement);
  out_.line(element, " = ", is_first ? own : joined(reduction, element, own), ";");
  if (groups.has_flags()) out_.close();
  for (std::size_t i = 0; i < reduction.fixed.size() + reduction.held.size(); ++i) close_loop();
  out_.close();
}

/// A loop that makes all contributions to elements that nobody has written before: their sums begin in registers.
bool Body::own_sum_loop(const Node& node) {
  lowering::ThreadReduction sum;
  const Node* at = &node;
  for (; at->kind != Node::Kind::store; at = &at->body[0]) {
    if (at->body.size() != 1) return false;
    sum.around.push_back(at);
  }
  const auto own = own_sums_.find(at->statement);
  if (own == own_sums_.end()) return false;
  const std::vector<const Loop*>& loops = arrangement_.table.statements[at->statement].loops;
  const std::size_t first = own->second.first_loop;
  if (first == loops.size() || loops[first]->index != node.loop.index) return false;
  sum.store = at;
  sum.groups.elements = own->second.elements;
  for (const Node* around : sum.around) {
    sum.groups.is_guarded = sum.groups.is_guarded || around->kind == Node::Kind::guard;
    const bool is_held = around->kind == Node::Kind::loop &&
                         std::any_of(own->second.held.begin(), own->second.held.end(),
                                     [&](std::size_t loop) { return loops[loop]->index == around->loop.index; });
    if (is_held) sum.held.push_back(around);
  }
  const Reduction reduction = named(std::move(sum), concat("sum_", ++sums_));
  out_.open();
  fold_own_parts(reduction);
  add_results(reduction);
  out_.close();
  if (speller_.problem()) fail(*speller_.problem(), site_of(at->statement));
  return true;
}

}  // namespace steptp::cuda
