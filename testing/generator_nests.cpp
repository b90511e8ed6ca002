// The ways in which a generated program writes a tensor: pointwise, reductions, recurrences, several writers, in place.
#include <algorithm>
#include <utility>

#include "testing/generator_context.h"

namespace steptp::testing {

namespace {

RefPtr ref_to(const Tensor& tensor, std::vector<Index> subscripts) {
  return make_ref(tensor.name, tensor.dtype, tensor.scope, std::move(subscripts));
}

void hide(Context& context, const std::string& name) {
  std::erase_if(context.tensors, [&name](const Tensor& tensor) { return tensor.name == name; });
}

bool has_kind(const std::vector<Loop>& loops, LoopKind kind) {
  return std::any_of(loops.begin(), loops.end(), [kind](const Loop& loop) { return loop.kind == kind; });
}

}  // namespace

DType NestGenerator::random_dtype() {
  // Half of all tensors are f32 or f64, as in real programs.
  if (random_.chance(1, 2)) return random_.chance(2, 3) ? DType::f32 : DType::f64;
  return kAllDTypes[random_.below(kAllDTypes.size())];
}

Tensor NestGenerator::fresh(DType dtype, Scope scope, std::vector<std::int64_t> shape) {
  std::string name;
  for (std::size_t number = 0; name.empty() || names_.contains(name); ++number) {
    name = tensor_name(random_names_ ? random_.below(400) : number);
    if (random_names_ && random_.chance(1, 3)) name += static_cast<char>('a' + random_.below(26));
  }
  names_.insert(name);
  return {name, dtype, scope, std::move(shape), true, std::nullopt};
}

ArithmeticOp NestGenerator::accumulation_for(DType dtype) {
  if (dtype == DType::boolean) return random_.chance(1, 2) ? ArithmeticOp::max : ArithmeticOp::min;
  return pick(random_, std::vector{ArithmeticOp::add, ArithmeticOp::add, ArithmeticOp::multiply, ArithmeticOp::max,
                                   ArithmeticOp::min});
}

ExprPtr NestGenerator::initial(DType dtype, ArithmeticOp op) {
  if (is_float(dtype) && op == ArithmeticOp::max && random_.chance(1, 2)) {
    return make_call(Function::negate, make_expr(Infinity{}));
  }
  if (is_float(dtype) && op == ArithmeticOp::min && random_.chance(1, 2)) return make_expr(Infinity{});
  if (is_float(dtype) && random_.chance(1, 6)) return expressions_.decimal();
  return integer_literal(op == ArithmeticOp::multiply ? 1 : 0);
}

EquationPtr NestGenerator::accumulate(const Context& context, const RefPtr& left, ArithmeticOp op) {
  Context others = context;
  hide(others, left->tensor);
  std::erase_if(others.cells, [&](const RefPtr& cell) { return cell->tensor == left->tensor; });
  // A bool accumulates only with numbers, whose types are clear.
  const DType operand = left->dtype == DType::boolean ? DType::i32 : left->dtype;
  ExprPtr value = expressions_.right_side(others, operand, 2);
  ExprPtr itself = read_expr(left);
  const bool swapped = random_.chance(1, 5);
  switch (op) {
    case ArithmeticOp::add:
      if (swapped) return make_equation(left, make_sum(value, ArithmeticOp::add, itself));
      return make_equation(left,
                           make_sum(itself, random_.chance(1, 6) ? ArithmeticOp::subtract : ArithmeticOp::add, value));
    case ArithmeticOp::multiply: {
      // value*X with a quotient in front would be a quotient, not a product of X
      return make_equation(left, make_product(itself, ArithmeticOp::multiply, value));
    }
    default: break;
  }
  const bool is_max = op == ArithmeticOp::max;
  if (swapped) return make_equation(left, make_expr(Extremum{is_max, value, itself}));
  return make_equation(left, make_expr(Extremum{is_max, itself, value}));
}

std::vector<Loop> NestGenerator::reduction_loops(const Context& context, const std::vector<Loop>& more, Kinds kinds) {
  std::vector<Loop> loops;
  std::vector<Loop> around = more;
  for (std::int64_t count = random_.between(1, 3); count > 0; --count) {
    loops.push_back(loop(random_.between(1, 4), context.loops, around, kinds));
    around.push_back(loops.back());
  }
  return loops;
}

/// Under a host loop a nest needs a bound loop of its own to be a kernel, and so to have threads that own `l` data.
Cover NestGenerator::private_cover(const Context& context, const Target& target) {
  Cover left = cover(context, target, Kinds::private_state, true);
  while (!context.loops.empty() && !has_kind(left.loops, LoopKind::bound)) {
    left = cover(context, target, Kinds::private_state, true);
  }
  return left;
}

NestPtr NestGenerator::pointwise(Context& context, const Target& target) {
  const bool temporary = !context.in_kernel && random_.chance(1, 3);
  const bool local = temporary && random_.chance(1, 3);
  const Cover left = local ? private_cover(context, target) : cover(context, target, Kinds::any, true);
  Context inner = inside(context, left);
  std::vector<Item> items;
  std::optional<Tensor> complete;
  if (temporary) {
    std::vector<std::int64_t> shape;
    std::vector<Index> subscripts;
    for (const Loop& open : left.loops) {
      if (local || shape.size() == 4) break;
      shape.push_back(open.extent);
      subscripts.push_back(Index::variable(open.index));
    }
    // Fewer subscripts than loops would be a race among the loops left out.
    if (local || shape.size() == left.loops.size()) {
      const Tensor step = fresh(random_dtype(), local ? Scope::local : Scope::global, shape);
      const RefPtr cell = ref_to(step, subscripts);
      items.emplace_back(make_equation(cell, expressions_.right_side(inner, step.dtype, 2)));
      inner.cells.push_back(cell);
      if (!local && left.guards.empty()) complete = step;
    }
  }
  const RefPtr cell = ref_to(target.tensor, left.subscripts);
  items.emplace_back(make_equation(cell, expressions_.right_side(inner, target.tensor.dtype, 3)));
  if (random_.chance(1, 8)) {  // and once more, in place
    inner.cells.push_back(cell);
    items.emplace_back(make_equation(cell, expressions_.right_side(inner, target.tensor.dtype, 2)));
  }
  if (complete) context.tensors.push_back(*complete);
  return make_nest(left.loops, guard_of(left), std::move(items));
}

NestPtr NestGenerator::interleaved(Context context, const Target& target) {
  std::vector<std::size_t> even;
  for (std::size_t i = 0; i < target.windows.size(); ++i) {
    if (target.windows[i].size % 2 == 0) even.push_back(i);
  }
  if (even.empty()) return pointwise(context, target);
  Target half = target;
  const std::size_t d = pick(random_, even);
  half.windows[d].size /= 2;
  half.windows[d].offset = 0;
  half.windows[d].stride = 1;
  const Cover left = cover(context, half, Kinds::any, true);
  const Context inner = inside(context, left);
  std::vector<Item> items;
  const std::size_t position = target.prefix.size() + d;
  for (std::int64_t part = 0; part < 2; ++part) {
    std::vector<Index> subscripts = left.subscripts;
    const Window& window = target.windows[d];
    subscripts[position] =
        plus(times(subscripts[position], 2 * window.stride), Index::constant(window.offset + part * window.stride));
    items.emplace_back(
        make_equation(ref_to(target.tensor, subscripts), expressions_.right_side(inner, target.tensor.dtype, 2)));
  }
  if (random_.chance(1, 4)) std::swap(items[0], items[1]);
  return make_nest(left.loops, guard_of(left), std::move(items));
}

std::vector<NestPtr> NestGenerator::reduction(Context context, const Target& target) {
  const ArithmeticOp op = accumulation_for(target.tensor.dtype);
  const auto variant = random_.below(4);
  const Cover left = cover(context, target, Kinds::any, true);
  const RefPtr cell = ref_to(target.tensor, left.subscripts);
  std::vector<NestPtr> nests;
  if (variant == 0) {  // initialised in the same body, reduced below, perhaps finished in place
    const std::vector<Loop> axes = reduction_loops(context, left.loops, Kinds::plain);
    Context inner = inside(context, left);
    Context deepest = inner;
    enter(deepest, axes);
    std::vector<Item> items{make_equation(cell, initial(target.tensor.dtype, op)),
                            make_nest(axes, nullptr, {accumulate(deepest, cell, op)})};
    if (random_.chance(1, 2)) {
      inner.cells.push_back(cell);
      items.emplace_back(make_equation(cell, expressions_.right_side(inner, target.tensor.dtype, 2)));
    }
    nests.push_back(make_nest(left.loops, guard_of(left), std::move(items)));
    return nests;
  }
  if (variant == 1) {  // initialised by a nest of its own, whose loops are its own business
    const Cover start = cover(context, target, Kinds::any, true);
    nests.push_back(
        make_nest(start.loops, guard_of(start),
                  {make_equation(ref_to(target.tensor, start.subscripts), initial(target.tensor.dtype, op))}));
  }
  // Implicit initialisation (variants 2, 3), or accumulation on top of the explicit one. A bound reduction axis is a
  // collective: the equation stands alone in its nest.
  const std::vector<Loop> axes = reduction_loops(context, left.loops, random_.chance(1, 4) ? Kinds::any : Kinds::plain);
  Cover full = left;
  for (const Loop& axis : axes) {
    full.loops.push_back(axis);
    full.handles.push_back(handle_of(axis));
  }
  if (!options_.published_only && random_.chance(1, 5)) {
    // Lets the first iterations through, so that every element is reached.
    const Loop& axis = pick(random_, axes);
    full.guards.push_back(compare_two(make_expr(IndexValue{axis.index}), CompareOp::less_equal,
                                      integer_literal(random_.between(0, axis.extent))));
  }
  if (random_.chance(1, 3)) shuffle(random_, full.loops);
  const Context inner = inside(context, full);
  nests.push_back(make_nest(full.loops, guard_of(full), {accumulate(inner, cell, op)}));
  return nests;
}

NestPtr NestGenerator::recurrence(Context context, const Target& target) {
  Target outer = target;
  const Window window = target.windows.back();
  outer.windows.pop_back();
  outer.tensor.shape.pop_back();
  Cover left;
  if (!outer.windows.empty()) left = cover(context, outer, Kinds::any, true);
  if (outer.windows.empty()) left.subscripts = target.prefix;
  const Loop along = loop(window.size, context.loops, left.loops, Kinds::sequential);
  left.loops.push_back(along);
  left.handles.push_back(handle_of(along));
  const Index step = Index::variable(along.index);
  const bool backwards = random_.chance(1, 4);
  const std::int64_t distance = random_.between(1, 2);
  const auto position = [&](const Index& at) {
    const Index moved = backwards ? minus(Index::constant(window.size - 1), at) : at;
    return plus(times(moved, window.stride), Index::constant(window.offset));
  };
  std::vector<Index> before = left.subscripts;
  before.push_back(position(minus(step, Index::constant(distance))));
  left.subscripts.push_back(position(step));
  const Context inner = inside(context, left);
  const DType dtype = target.tensor.dtype;
  const ExprPtr earlier = read_expr(ref_to(target.tensor, before));
  const ExprPtr start = initial(dtype, ArithmeticOp::add);
  const ExprPtr value = value_of(step);
  ExprPtr carried;
  switch (random_.below(3)) {
    case 0:
      carried =
          select(compare_two(value_of(minus(step, Index::constant(distance))), CompareOp::less, integer_literal(0)),
                 start, earlier);
      break;
    case 1: carried = select(compare_two(value, CompareOp::less, integer_literal(distance)), start, earlier); break;
    default:
      carried = select(compare_two(value, CompareOp::greater_equal, integer_literal(distance)), earlier, start);
      break;
  }
  const DType operand = dtype == DType::boolean ? DType::i32 : dtype;
  const ExprPtr other = expressions_.right_side(inner, operand, 2);
  ExprPtr right = carried;
  if (dtype == DType::boolean) {
    right = logic(LogicOp::disjunction, {carried, expressions_.condition(inner, 1)});
  } else if (random_.chance(1, 2)) {
    right = make_sum(make_product(carried, ArithmeticOp::multiply, integer_literal(random_.between(1, 3))),
                     ArithmeticOp::add, other);
  } else {
    right = make_expr(Extremum{random_.chance(1, 2), carried, other});
  }
  return make_nest(left.loops, guard_of(left), {make_equation(ref_to(target.tensor, left.subscripts), right)});
}

/// B tx [ E^{l}=0; L r [ E^{l}=E^{l}+..; ]; D_{tx}=f(E^{l}); ]
NestPtr NestGenerator::private_state(Context context, const Target& target) {
  const Cover left = private_cover(context, target);
  Context inner = inside(context, left);
  const Tensor state = fresh(random_dtype(), Scope::local, {});
  const RefPtr cell = ref_to(state, {});
  const ArithmeticOp op = accumulation_for(state.dtype);
  const std::vector<Loop> axes = reduction_loops(context, left.loops, Kinds::sequential);
  Context deepest = inner;
  enter(deepest, axes);
  std::vector<Item> items;
  if (random_.chance(2, 3)) items.emplace_back(make_equation(cell, initial(state.dtype, op)));
  items.emplace_back(make_nest(axes, nullptr, {accumulate(deepest, cell, op)}));
  inner.cells.push_back(cell);
  ExprPtr right = expressions_.right_side(inner, target.tensor.dtype, 2);
  bool used = false;
  for_each_ref(*right, [&](const RefPtr& ref) { used = used || ref->tensor == state.name; });
  if (!used) right = read_expr(cell);
  items.emplace_back(make_equation(ref_to(target.tensor, left.subscripts), right));
  return make_nest(left.loops, guard_of(left), std::move(items));
}

std::vector<NestPtr> NestGenerator::several_writers(Context& context, const Target& target, int depth) {
  std::vector<std::size_t> splittable;
  for (std::size_t d = 0; d < target.windows.size(); ++d) {
    if (target.windows[d].size >= 2) splittable.push_back(d);
  }
  if (splittable.empty()) return {pointwise(context, target)};
  const std::size_t d = pick(random_, splittable);
  const Window window = target.windows[d];
  Target first = target;
  Target second = target;
  if (random_.chance(1, 2)) {
    const std::int64_t cut = random_.between(1, window.size - 1);
    first.windows[d].size = cut;
    second.windows[d].size = window.size - cut;
    second.windows[d].offset += cut * window.stride;
  } else {
    first.windows[d] = {window.offset, (window.size + 1) / 2, window.stride * 2};
    second.windows[d] = {window.offset + window.stride, window.size / 2, window.stride * 2};
  }
  std::vector<NestPtr> nests = write(context, first, depth - 1);
  const std::vector<NestPtr> rest = write(context, second, depth - 1);
  nests.insert(nests.end(), rest.begin(), rest.end());
  return nests;
}

/// A serial loop around whole nests: a host loop where they are kernels.
NestPtr NestGenerator::under_loop(Context& context, const Target& target, int depth) {
  Cover head;
  cover_dimension(context.loops, target.windows[0], Kinds::sequential, false, head);
  if (head.loops.empty()) head.loops.push_back(loop(1, context.loops, {}, Kinds::sequential));
  Target rest = target;
  rest.prefix.push_back(head.subscripts[0]);
  rest.windows.erase(rest.windows.begin());
  Context inner = inside(context, head);
  std::vector<Item> items;
  if (random_.chance(1, 2)) {
    const Tensor step = fresh(random_dtype(), Scope::global, {random_.between(1, 4)});
    for (NestPtr& nest : write(inner, whole_target(step), depth - 1)) items.emplace_back(std::move(nest));
    inner.tensors.push_back(step);
  }
  for (NestPtr& nest : write(inner, rest, depth - 1)) items.emplace_back(std::move(nest));
  for (const Tensor& tensor : inner.tensors) {
    const bool known = std::any_of(context.tensors.begin(), context.tensors.end(),
                                   [&](const Tensor& other) { return other.name == tensor.name; });
    if (!known) context.tensors.push_back(tensor);
  }
  return make_nest(head.loops, guard_of(head), std::move(items));
}

NestPtr NestGenerator::overwrite(Context context, const Tensor& tensor) {
  hide(context, tensor.name);
  const Cover left = cover(context, whole_target(tensor), Kinds::any, true);
  Context inner = inside(context, left);
  const RefPtr cell = ref_to(tensor, left.subscripts);
  inner.cells.push_back(cell);
  const bool add = tensor.dtype != DType::boolean && random_.chance(1, 3);
  const EquationPtr equation = add ? accumulate(inner, cell, accumulation_for(tensor.dtype))
                                   : make_equation(cell, expressions_.right_side(inner, tensor.dtype, 3));
  return make_nest(left.loops, guard_of(left), {equation});
}

NestPtr NestGenerator::table(Context context, const Tensor& tensor, std::int64_t bound) {
  const Cover left = cover(context, whole_target(tensor), Kinds::any, true);
  const Context inner = inside(context, left);
  return make_nest(left.loops, guard_of(left),
                   {make_equation(ref_to(tensor, left.subscripts), expressions_.bounded(inner, bound))});
}

std::vector<NestPtr> NestGenerator::write(Context& context, const Target& target, int depth) {
  const std::size_t rank = target.windows.size();
  switch (random_.below(14)) {
    case 0:
    case 1:
    case 2: return reduction(context, target);
    case 3:
      if (rank > 0) return {recurrence(context, target)};
      break;
    case 4:
    case 5: return {private_state(context, target)};
    case 6:
      if (depth > 0 && rank > 0) return several_writers(context, target, depth);
      break;
    case 7:
      if (depth > 0 && rank > 0) return {under_loop(context, target, depth)};
      break;
    case 8: return {interleaved(context, target)};
    case 9:
    case 10:
    case 11: return {kernel(context, target)};
    default: break;
  }
  return {pointwise(context, target)};
}

}  // namespace steptp::testing
