// Kernels whose body has items at block level: shared tiles filled by all threads, per-thread state that lives from one
// thread nest to the next, collectives, bare items, and a nest over the threads that writes the target.
#include <algorithm>
#include <utility>

#include "testing/generator_context.h"

namespace steptp::testing {

namespace {

RefPtr ref_to(const Tensor& tensor, std::vector<Index> subscripts) {
  return make_ref(tensor.name, tensor.dtype, tensor.scope, std::move(subscripts));
}

/// What an item may read that does not run on all the threads of the kernel.
Context without_locals(const Context& context) {
  Context reduced = context;
  std::erase_if(reduced.tensors, [](const Tensor& tensor) { return tensor.scope == Scope::local; });
  return reduced;
}

}  // namespace

/// Loops over tx, ty, tz in this order: the same axes in each thread nest of a kernel.
std::vector<Loop> NestGenerator::thread_loops(const std::vector<std::int64_t>& extents) {
  std::vector<Loop> loops;
  const Axis axes[] = {Axis::tx, Axis::ty, Axis::tz};
  for (std::size_t i = 0; i < extents.size(); ++i) {
    std::string name(name_of(axes[i]));
    if (random_.chance(1, 4)) name += index_name(random_.below(4));
    loops.push_back({LoopKind::bound, extents[i], std::move(name)});
  }
  return loops;
}

Item NestGenerator::shared_scalar(Context& context, const Kernel&) {
  const Context readable = without_locals(context);
  if (random_.chance(1, 3)) {
    // One global element per block: the subscripts are all the loops that are open.
    std::vector<Index> subscripts;
    std::vector<std::int64_t> shape;
    for (const Loop& open : context.loops) {
      subscripts.push_back(Index::variable(open.index));
      shape.push_back(open.extent);
    }
    const Tensor tensor = fresh(random_dtype(), Scope::global, shape);
    const RefPtr cell = ref_to(tensor, subscripts);
    context.cells.push_back(cell);
    return make_equation(cell, expressions_.right_side(readable, tensor.dtype, 1));
  }
  const Tensor tensor = fresh(random_dtype(), Scope::shared, {});
  context.tensors.push_back(tensor);
  return make_equation(ref_to(tensor, {}), expressions_.right_side(readable, tensor.dtype, 1));
}

NestPtr NestGenerator::shared_tile(Context& context, const Kernel& kernel) {
  Tensor tile = fresh(random_dtype(), Scope::shared, {});
  Context inner = without_locals(context);
  std::vector<std::int64_t> extents;
  const auto rank = static_cast<std::size_t>(random_.between(1, 2));
  for (std::size_t d = 0; d < rank; ++d) tile.shape.push_back(random_.between(1, 4));
  for (std::size_t d = 0; d < rank && d < kernel.threads.size(); ++d) {
    if (d == 0 || random_.chance(1, 2)) extents.push_back(tile.shape[d]);
  }
  std::vector<Loop> loops = thread_loops(extents);
  while (loops.size() < rank) loops.push_back(loop(tile.shape[loops.size()], inner.loops, loops, Kinds::plain));
  std::vector<Index> subscripts;
  for (std::size_t d = 0; d < rank; ++d) {
    const Index index = Index::variable(loops[d].index);
    subscripts.push_back(random_.chance(1, 6) ? minus(Index::constant(tile.shape[d] - 1), index) : index);
  }
  if (random_.chance(1, 4)) std::swap(loops.front(), loops.back());
  enter(inner, loops);
  ExprPtr right;
  if (is_integer(tile.dtype) && random_.chance(1, 2)) {
    tile.bound = random_.between(1, 4);
    right = expressions_.bounded(inner, *tile.bound);
  } else {
    right = expressions_.right_side(inner, tile.dtype, 2);
  }
  context.tensors.push_back(tile);
  return make_nest(std::move(loops), nullptr, {make_equation(ref_to(tile, subscripts), std::move(right))});
}

/// A reduction over the threads into one shared element, complete after the item.
NestPtr NestGenerator::collective(Context& context, const Kernel& kernel) {
  const Tensor sum = fresh(random_dtype(), Scope::shared, {});
  Context inner = without_locals(context);
  std::vector<std::int64_t> extents{random_.between(1, 4)};
  if (kernel.threads.size() > 1 && random_.chance(1, 2)) extents.push_back(random_.between(1, 3));
  std::vector<Loop> loops = thread_loops(extents);
  enter(inner, loops);
  const EquationPtr equation = accumulate(inner, ref_to(sum, {}), accumulation_for(sum.dtype));
  context.tensors.push_back(sum);
  return make_nest(std::move(loops), nullptr, {equation});
}

NestPtr NestGenerator::thread_locals(Context& context, const Kernel& kernel) {
  const bool array = random_.chance(1, 2);
  Tensor state = fresh(random_dtype(), Scope::local, {});
  Context inner = context;
  std::vector<Loop> loops = thread_loops(kernel.threads);
  enter(inner, loops);
  std::vector<Item> items;
  if (array) {
    state.shape.push_back(random_.between(1, 3));
    const Loop slot = loop(state.shape[0], inner.loops, {}, Kinds::sequential);
    Context deepest = inner;
    enter(deepest, {slot});
    const EquationPtr equation =
        make_equation(ref_to(state, {Index::variable(slot.index)}), expressions_.right_side(deepest, state.dtype, 2));
    if (random_.chance(1, 2)) {
      loops.push_back(slot);
      items.emplace_back(equation);
    } else {
      items.emplace_back(make_nest({slot}, nullptr, {equation}));
    }
  } else if (random_.chance(1, 2)) {
    const std::vector<Loop> axes = reduction_loops(inner, {}, Kinds::sequential);
    Context deepest = inner;
    enter(deepest, axes);
    items.emplace_back(
        make_nest(axes, nullptr, {accumulate(deepest, ref_to(state, {}), accumulation_for(state.dtype))}));
  } else {
    items.emplace_back(make_equation(ref_to(state, {}), expressions_.right_side(inner, state.dtype, 2)));
  }
  context.tensors.push_back(state);
  return make_nest(std::move(loops), nullptr, std::move(items));
}

/// The threads reach the first dimensions, inner loops the others; threads beyond the window are guarded off.
Cover NestGenerator::thread_cover(const Context& context, const Target& target, const Kernel& kernel) {
  Cover out;
  out.loops = thread_loops(kernel.threads);
  for (const Loop& open : out.loops) out.handles.push_back(handle_of(open));
  out.subscripts = target.prefix;
  for (std::size_t d = 0; d < target.windows.size(); ++d) {
    const Window& window = target.windows[d];
    if (d >= out.loops.size() || d >= kernel.threads.size()) {
      cover_dimension(context.loops, window, Kinds::plain, random_.chance(1, 4), out);
      continue;
    }
    const Index thread = Index::variable(out.loops[d].index);
    if (kernel.threads[d] > window.size) {
      out.guards.push_back(compare_two(value_of(thread), CompareOp::less, integer_literal(window.size)));
    }
    const Index placed = plus(times(thread, window.stride), Index::constant(window.offset));
    out.handles.push_back({thread, 0, window.size - 1});
    out.subscripts.push_back(placed);
  }
  return out;
}

NestPtr NestGenerator::final_writer(const Context& context, const Target& target, const Kernel& kernel) {
  Cover left = thread_cover(context, target, kernel);
  const RefPtr cell = ref_to(target.tensor, left.subscripts);
  if (random_.chance(1, 2)) {
    const Context inner = inside(context, left);
    return make_nest(left.loops, guard_of(left),
                     {make_equation(cell, expressions_.right_side(inner, target.tensor.dtype, 3))});
  }
  const std::vector<Loop> axes = reduction_loops(context, left.loops, Kinds::sequential);
  for (const Loop& axis : axes) {
    left.loops.push_back(axis);
    left.handles.push_back(handle_of(axis));
  }
  const Context inner = inside(context, left);
  return make_nest(left.loops, guard_of(left), {accumulate(inner, cell, accumulation_for(target.tensor.dtype))});
}

/// L c [ a tile of the operands; an accumulation over the tile ]: what a staged matrix product looks like.
NestPtr NestGenerator::tiled_accumulation(const Context& context, const Target& target, const Kernel& kernel) {
  const Loop round = loop(random_.between(1, 3), context.loops, {}, Kinds::sequential);
  Context inner = context;
  enter(inner, {round});
  std::vector<Item> items{shared_tile(inner, kernel)};
  if (random_.chance(1, 2)) items.emplace_back(shared_tile(inner, kernel));
  Cover left = thread_cover(inner, target, kernel);
  const Loop along = loop(random_.between(1, 4), inner.loops, left.loops, Kinds::sequential);
  left.loops.push_back(along);
  left.handles.push_back(handle_of(along));
  const Context deepest = inside(inner, left);
  const EquationPtr equation =
      accumulate(deepest, ref_to(target.tensor, left.subscripts), accumulation_for(target.tensor.dtype));
  items.emplace_back(make_nest(left.loops, guard_of(left), {equation}));
  return make_nest({round}, nullptr, std::move(items));
}

NestPtr NestGenerator::kernel(Context context, const Target& target) {
  Cover head;
  Target rest = target;
  const auto take_dimension = [&](Kinds kinds, bool guards) {
    if (rest.windows.empty()) return;
    cover_dimension(context.loops, rest.windows.front(), kinds, guards, head);
    rest.prefix.push_back(head.subscripts.back());
    rest.windows.erase(rest.windows.begin());
  };
  if (random_.chance(1, 8)) take_dimension(Kinds::sequential, false);  // a host loop in the header
  const std::size_t host_loops = head.loops.size();
  for (std::int64_t blocks = random_.between(0, 2); blocks > 0; --blocks)
    take_dimension(Kinds::block, random_.chance(1, 3));
  const bool launched = std::any_of(head.loops.begin() + static_cast<std::ptrdiff_t>(host_loops), head.loops.end(),
                                    [](const Loop& open) { return open.kind == LoopKind::bound; });
  if (!launched) {
    const Loop block{LoopKind::bound, 1, random_.chance(1, 2) ? "bx" : "bxa"};
    head.loops.insert(head.loops.begin() + static_cast<std::ptrdiff_t>(host_loops), block);
    head.handles.push_back(handle_of(block));
  }
  if (random_.chance(1, 6)) take_dimension(Kinds::sequential, false);  // a loop at block level
  Kernel shape;
  const std::size_t most = std::min<std::size_t>(3, rest.windows.size());
  for (std::size_t d = 0; d < most && (d == 0 || random_.chance(1, 2)); ++d) {
    const bool slack = !options_.published_only && random_.chance(1, 4);
    shape.threads.push_back(rest.windows[d].size + (slack ? random_.between(1, 3) : 0));
  }
  if (shape.threads.empty()) shape.threads.push_back(1);
  Context inner = inside(context, head);
  inner.in_kernel = true;
  std::vector<Item> items;
  bool locals = false;
  for (std::int64_t count = random_.between(1, 3); count > 0; --count) {
    switch (random_.below(5)) {
      case 0: items.push_back(shared_scalar(inner, shape)); break;
      case 1: items.emplace_back(collective(inner, shape)); break;
      case 2:
        items.emplace_back(thread_locals(inner, shape));
        locals = true;
        break;
      default: items.emplace_back(shared_tile(inner, shape)); break;
    }
  }
  if (rest.windows.empty() && !locals && random_.chance(1, 2)) {
    const RefPtr cell = ref_to(target.tensor, rest.prefix);
    items.emplace_back(make_equation(cell, expressions_.right_side(inner, target.tensor.dtype, 2)));
  } else if (random_.chance(1, 3)) {
    items.emplace_back(tiled_accumulation(inner, rest, shape));
  } else {
    items.emplace_back(final_writer(inner, rest, shape));
  }
  return make_nest(head.loops, guard_of(head), std::move(items));
}

}  // namespace steptp::testing
