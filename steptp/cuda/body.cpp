// Writes the body of a kernel in two modes. At block level all threads walk together: loops and guards there are the
// same for all of them, and a barrier is written before the first item that uses what another thread wrote. At
// thread level each thread works alone. Loops that index data in `l` are unrolled within a budget, because registers
// cannot be indexed. Decision 0022.
#include "steptp/cuda/body.h"

#include <algorithm>
#include <utility>

#include "steptp/lowering/collectives.h"
#include "steptp/lowering/conditions.h"
#include "steptp/lowering/threads.h"
#include "steptp/lowering/units.h"

namespace steptp::cuda {

using lowering::axis_of_loop;
using lowering::Node;

namespace {

constexpr std::array kThreadAxes = {Axis::tx, Axis::ty, Axis::tz};

void add_axes(const Node& node, std::set<Axis>& out) {
  if (const auto axis = node.kind == Node::Kind::loop ? axis_of_loop(node.loop) : std::nullopt) out.insert(*axis);
  for (const Node& inner : node.body) add_axes(inner, out);
}

}  // namespace

std::string_view register_of(Axis axis) {
  constexpr std::array<std::string_view, 6> kRegisters = {"blockIdx.x",  "blockIdx.y",  "blockIdx.z",
                                                          "threadIdx.x", "threadIdx.y", "threadIdx.z"};
  return kRegisters[static_cast<std::size_t>(axis)];
}

void add_statements(const Node& node, std::set<std::size_t>& out) {
  if (node.kind == Node::Kind::store) out.insert(node.statement);
  for (const Node& inner : node.body) add_statements(inner, out);
}

Body::Body(const lowering::Arrangement& arrangement, const lowering::ArrangedKernel& kernel, const Device& device,
           const std::vector<Axis>& in_turn, const Fragments& fragments)
    : arrangement_(arrangement),
      kernel_(kernel),
      device_(device),
      in_turn_(in_turn),
      fragments_(fragments),
      groups_(group_products(arrangement, kernel)),
      block_(lowering::block_of(arrangement, kernel)),
      speller_(arrangement) {
  for (const auto& [name, swizzle] : swizzles_of(arrangement, kernel)) speller_.swizzle(name, swizzle);
  for (const Loop& loop : kernel.host_loops) speller_.open(loop);
  for (const std::size_t statement : kernel.statements) {
    if (auto own = lowering::own_sum(arrangement, kernel, statement)) own_sums_.emplace(statement, *std::move(own));
  }
  if (!kernel.layout.is_shared) return;
  for (const Access& access : arrangement.table.accesses) {
    const std::string& name = access.ref->tensor;
    for (const std::string& touched : {name, flags_of(name)}) {
      if (kernel.layout.places.contains(touched)) in_shared_[access.statement].insert(touched);
    }
  }
  if (!kernel.layout.places.contains(kReductionCells)) return;
  for (const std::size_t statement : kernel.statements) {
    if (!lowering::reduced_thread_axes(arrangement, statement).empty()) in_shared_[statement].insert(kReductionCells);
  }
}

void Body::fail(std::string message, const Site& site, std::string hint) {
  if (!problem_) problem_ = lowering::cannot_lower(std::move(message), site, std::move(hint));
}

Site Body::site_of(std::size_t statement) const {
  return Site{arrangement_.table.statements[statement].items, Site::Part::left, {}, {}};
}

std::string Body::position_on(Axis axis) const {
  const bool turn = std::find(in_turn_.begin(), in_turn_.end(), axis) != in_turn_.end();
  return turn ? concat("stp_", name_of(axis)) : concat("(int)", register_of(axis));
}

void Body::write() {
  const Nodes nodes = lowering::with_conditions_outside(kernel_.body);
  block_level(nodes);
}

Body::Mark Body::mark() const { return {out_.size(), collectives_, sums_}; }

void Body::go_back(const Mark& mark) {
  out_.cut(mark.size);
  collectives_ = mark.collectives;
  sums_ = mark.sums;
}

void Body::barrier() {
  pending_.clear();
  ++barriers_;
  const std::int64_t threads = extent(Axis::tx) * extent(Axis::ty) * extent(Axis::tz);
  // One thread needs it too where bytes change their type: the compiler must not move accesses across.
  if (threads > 1 || kernel_.layout.is_shared) out_.line("__syncthreads();");
}

/// Both touch the same bytes of shared memory as different tensors.
bool Body::share_bytes(std::size_t first, std::size_t second) const {
  const auto a = in_shared_.find(first);
  const auto b = in_shared_.find(second);
  if (a == in_shared_.end() || b == in_shared_.end()) return false;
  return std::any_of(a->second.begin(), a->second.end(), [&](const std::string& one) {
    return std::any_of(b->second.begin(), b->second.end(),
                       [&](const std::string& other) { return kernel_.layout.overlap(one, other); });
  });
}

/// Loops are written several times, so that answers are kept.
bool Body::need_barrier(std::size_t first, std::size_t second) {
  const auto [known, is_new] = need_barrier_.try_emplace({first, second});
  if (is_new) {
    known->second = lowering::share_data(arrangement_.table, first, second) || share_bytes(first, second);
  }
  return known->second;
}

void Body::barrier_before(const Statements& later) {
  const bool meets = std::any_of(later.begin(), later.end(), [&](std::size_t second) {
    return std::any_of(pending_.begin(), pending_.end(),
                       [&](std::size_t first) { return need_barrier(first, second); });
  });
  if (meets) barrier();
}

void Body::block_level(const Nodes& nodes) {
  for (const Node& node : nodes) {
    if (lowering::is_item(node)) {
      item(node);
    } else if (node.kind == Node::Kind::loop && axis_of_loop(node.loop)) {
      const Statements before = pending_;
      bound_loop(node, &Body::block_level);
      pending_.insert(before.begin(), before.end());
    } else if (node.kind == Node::Kind::loop) {
      uniform_loop(node);
    } else {
      uniform_guard(node);
    }
  }
}

/// The loop, for what is pending when a round begins: that, and what a round before it leaves, which is added. How many
/// barriers it has.
int Body::write_rounds(const Node& node, Statements& pending) {
  const Mark begin = mark();
  while (true) {
    go_back(begin);
    pending_ = pending;
    const int barriers = barriers_;
    if (const std::string pragma = pragma_of(node); !pragma.empty()) out_.line(pragma);
    const std::string name = variable_name(node.loop.index);
    out_.open("for (int ", name, " = 0; ", name, " < ", node.loop.extent, "; ++", name, ")");
    speller_.open(node.loop);
    block_level(node.body);
    speller_.close();
    out_.close();
    if (std::includes(pending.begin(), pending.end(), pending_.begin(), pending_.end())) return barriers_ - barriers;
    pending.insert(pending_.begin(), pending_.end());
  }
}

void Body::uniform_loop(const Node& node) {
  if (loop_that_runs_ahead(node)) return;
  const Statements before = pending_;
  const Mark begin = mark();
  Statements around;
  const int between_rounds = write_rounds(node, around);
  if (std::includes(around.begin(), around.end(), before.begin(), before.end())) return;
  Statements all = around;
  all.insert(before.begin(), before.end());
  go_back(begin);
  if (write_rounds(node, all) == between_rounds) return;
  // A barrier that only the first round needs stands before the loop, and not in every round.
  go_back(begin);
  barrier();
  (void)write_rounds(node, around);
}

void Body::uniform_guard(const Node& node) {
  const Statements before = pending_;
  out_.open("if (", speller_.value(*node.condition), ")");
  block_level(node.body);
  out_.close();
  pending_.insert(before.begin(), before.end());
}

/// An item that runs without barriers inside, or a collective, which brings its own.
void Body::item(const Node& node) {
  Statements own;
  add_statements(node, own);
  barrier_before(own);
  for (const std::size_t statement : own) {
    const std::vector<Axis> axes = lowering::reduced_thread_axes(arrangement_, statement);
    if (axes.empty()) continue;
    if (std::any_of(axes.begin(), axes.end(), is_unit_axis)) {
      fail("units accumulate into one element", site_of(statement), "give each unit an element of its own");
      return;
    }
    if (lowering::has_units(arrangement_, kernel_)) {
      fail("threads accumulate into one element in a kernel with units", site_of(statement),
           "give the equation a kernel of its own, or let units reduce over columns");
      return;
    }
    if (own.size() > 1) {
      fail("threads accumulate into one element in an item with other equations", site_of(statement),
           "give the equation a nest of its own");
      return;
    }
    collective(node, axes);
    return;
  }
  pending_.insert(own.begin(), own.end());
  thread_level({node});
}

void Body::bound_loop(const Node& node, void (Body::*inside)(const Nodes&)) {
  const Axis axis = *axis_of_loop(node.loop);
  const std::string name = variable_name(node.loop.index);
  out_.open();
  out_.line("const int ", name, " = ", position_on(axis), ";");
  const bool all = node.loop.extent == extent(axis);
  if (!all) out_.open("if (", name, " < ", node.loop.extent, ")");
  speller_.open(node.loop);
  const bool fresh = decided_.insert(axis).second;
  (this->*inside)(node.body);
  if (fresh) decided_.erase(axis);
  speller_.close();
  if (!all) out_.close();
  out_.close();
}

void Body::thread_level(const Nodes& nodes) {
  for (const Node& node : nodes) {
    std::set<Axis> below;
    add_axes(node, below);
    std::vector<Axis> missing;  // it runs where these are 0
    for (const Axis axis : kThreadAxes) {
      if (is_in_unit_ || std::any_of(below.begin(), below.end(), is_unit_axis)) break;
      if (extent(axis) > 1 && !decided_.contains(axis) && !below.contains(axis)) missing.push_back(axis);
    }
    if (missing.empty()) {
      thread_node(node);
      continue;
    }
    out_.open("if (", join(missing, " && ", [](Axis axis) { return concat(register_of(axis), " == 0"); }), ")");
    decided_.insert(missing.begin(), missing.end());
    thread_node(node);
    for (const Axis axis : missing) decided_.erase(axis);
    out_.close();
  }
}

void Body::thread_node(const Node& node) {
  switch (node.kind) {
    case Node::Kind::loop:
      if (const auto axis = axis_of_loop(node.loop); axis && is_unit_axis(*axis)) {
        unit_loop(node);
      } else if (axis) {
        bound_loop(node, &Body::thread_level);
      } else if (node.loop.kind == LoopKind::tensorized) {
        matrix_loops(node);
      } else if (!own_sum_loop(node) && !vector_loop(node)) {
        plain_loop(node);
      }
      break;
    case Node::Kind::guard:
      out_.open("if (", speller_.value(*node.condition), ")");
      thread_level(node.body);
      out_.close();
      break;
    case Node::Kind::store: store(node); break;
    case Node::Kind::launch: break;
  }
}

void Body::plain_loop(const Node& node) {
  if (const std::string pragma = pragma_of(node); !pragma.empty()) out_.line(pragma);
  const std::string name = variable_name(node.loop.index);
  out_.open("for (int ", name, " = 0; ", name, " < ", node.loop.extent, "; ++", name, ")");
  speller_.open(node.loop);
  thread_level(node.body);
  speller_.close();
  out_.close();
}

/// Registers cannot be indexed: loops that subscript `l` data are unrolled whatever their kind, within a budget, and so
/// are those that ask for it.
std::string Body::pragma_of(const Node& node) const {
  if (node.loop.extent > device_.unrolled_iterations || node.loop.extent == 1) return {};
  Statements below;
  add_statements(node, below);
  bool local = false;
  Wide most = 1;  // iterations of all unrolled loops around one access to `l` data
  for (const Access& access : arrangement_.table.accesses) {
    if (!below.contains(access.statement)) continue;
    if (arrangement_.buffers.at(access.ref->tensor).scope != Scope::local) continue;
    const auto used = [&](const std::string& name) {
      return std::any_of(access.ref->subscripts.begin(), access.ref->subscripts.end(),
                         [&](const Index& subscript) { return mentions(subscript, name); });
    };
    if (!used(node.loop.index)) continue;
    local = true;
    Wide iterations = 1;
    for (const Loop* loop : arrangement_.table.statements[access.statement].loops) {
      if (loop->kind != LoopKind::bound && used(loop->index)) iterations *= loop->extent;
    }
    most = std::max(most, iterations);
  }
  const bool asked = node.loop.kind == LoopKind::unrolled || node.loop.kind == LoopKind::vectorized;
  if (local ? most <= device_.unrolled_iterations : asked) return "#pragma unroll";
  return {};
}

/// Whether a store makes the only contribution to an element that nobody has written before: then the accumulator is
/// spelled as its identity.
bool Body::begin_with_identity(const Node& node) {
  const auto own = own_sums_.find(node.statement);
  const Statement& statement = arrangement_.table.statements[node.statement];
  if (own == own_sums_.end() || own->second.first_loop != statement.loops.size()) return false;
  speller_.replace(node.target, speller_.value(*lowering::identity_value(*statement.accumulates, node.target->dtype)));
  return true;
}

void Body::store(const Node& node) {
  if (copy_element_ahead(node)) return;
  begin_with_identity(node);
  const std::string value = speller_.value(*node.value);
  speller_.forget_replaced();
  out_.line(speller_.element(*node.target), " = ", value, ";");
  if (speller_.problem()) fail(*speller_.problem(), site_of(node.statement));
}

}  // namespace steptp::cuda
