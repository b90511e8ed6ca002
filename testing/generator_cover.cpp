// Loops and subscripts that reach every element of a target exactly once: the left sides of generated equations.
#include <utility>

#include "testing/generator_context.h"

namespace steptp::testing {

namespace {

std::vector<Loop> joined(const std::vector<Loop>& first, const std::vector<Loop>& second) {
  std::vector<Loop> all = first;
  all.insert(all.end(), second.begin(), second.end());
  return all;
}

/// A proper divisor of n, or 1.
std::int64_t draw_divisor(Random& random, std::int64_t n) {
  std::vector<std::int64_t> divisors;
  for (std::int64_t d = 2; d < n; ++d) {
    if (n % d == 0) divisors.push_back(d);
  }
  return divisors.empty() ? 1 : pick(random, divisors);
}

void place(Cover& out, const Index& inner, const Window& window) {
  const Index subscript = plus(times(inner, window.stride), Index::constant(window.offset));
  if (!inner.as_variable()) out.handles.push_back({inner, 0, window.size - 1});
  if (!(subscript == inner)) {
    out.handles.push_back({subscript, window.offset, window.offset + (window.size - 1) * window.stride});
  }
  out.subscripts.push_back(subscript);
}

}  // namespace

Loop NestGenerator::loop(std::int64_t extent, const std::vector<Loop>& around, const std::vector<Loop>& more,
                         Kinds kinds) {
  return open_loop(random_, extent, joined(around, more), kinds, random_names_);
}

void NestGenerator::cover_dimension(const std::vector<Loop>& around, const Window& window, Kinds kinds, bool guards,
                                    Cover& out) {
  const auto add = [&](std::int64_t extent) {
    out.loops.push_back(loop(extent, around, out.loops, kinds));
    out.handles.push_back(handle_of(out.loops.back()));
    return Index::variable(out.loops.back().index);
  };
  const std::int64_t n = window.size;
  if (n == 1 && random_.chance(1, 3)) return place(out, Index::constant(0), window);
  switch (random_.below(guards && !options_.published_only ? 12 : 8)) {
    case 0: {
      const Index a = add(n);
      return place(out, minus(Index::constant(n - 1), a), window);
    }
    case 1: {
      const std::int64_t factor = draw_divisor(random_, n);
      if (factor == 1) break;
      const Index outer = add(n / factor);
      const Index inner = add(factor);
      return place(out, plus(times(outer, factor), inner), window);
    }
    case 8: {  // a tile that need not divide the extent
      const std::int64_t factor = random_.between(2, 4);
      const Index outer = add((n + factor - 1) / factor);
      const Index inner = add(factor);
      const Index position = plus(times(outer, factor), inner);
      out.guards.push_back(compare_two(value_of(position), CompareOp::less, integer_literal(n)));
      return place(out, position, window);
    }
    case 9: {  // every k-th iteration
      const std::int64_t factor = random_.between(2, 3);
      const Index a = add(n * factor);
      const std::int64_t kept = random_.between(0, factor - 1);
      out.guards.push_back(compare_two(value_of(remainder(a, factor)), CompareOp::equal, integer_literal(kept)));
      return place(out, quotient(a, factor), window);
    }
    case 10: {  // a margin on both sides
      const std::int64_t margin = random_.between(1, 2);
      const Index a = add(n + 2 * margin);
      if (random_.chance(1, 2)) {
        out.guards.push_back(compare_chain(margin, value_of(a), n + margin));
      } else {
        out.guards.push_back(compare_two(value_of(a), CompareOp::greater_equal, integer_literal(margin)));
        out.guards.push_back(
            compare_two(value_of(minus(a, Index::constant(margin))), CompareOp::less, integer_literal(n)));
      }
      return place(out, minus(a, Index::constant(margin)), window);
    }
    case 11: {  // a box too large, cut by a quotient, or by a disjunction that holds on the box
      const Index a = add(n + random_.between(1, 3));
      const ExprPtr inside = compare_two(value_of(a), CompareOp::less_equal, integer_literal(n - 1));
      const ExprPtr cut = compare_two(value_of(quotient(a, n == 1 ? 2 : n)), CompareOp::equal, integer_literal(0));
      const ExprPtr first = compare_two(value_of(a), CompareOp::equal, integer_literal(0));
      if (n == 1) {
        out.guards.push_back(inside);
      } else {
        out.guards.push_back(random_.chance(1, 2) ? cut : logic(LogicOp::disjunction, {first, inside}));
      }
      return place(out, a, window);
    }
    default: break;
  }
  place(out, add(n), window);
}

bool NestGenerator::cover_merged(const std::vector<Loop>& around, const Window& first, const Window& second,
                                 Kinds kinds, Cover& out) {
  if (first.size * second.size > 24) return false;
  out.loops.push_back(loop(first.size * second.size, around, out.loops, kinds));
  out.handles.push_back(handle_of(out.loops.back()));
  const Index merged = Index::variable(out.loops.back().index);
  place(out, quotient(merged, second.size), first);
  place(out, second.size == 1 ? Index::constant(0) : remainder(merged, second.size), second);
  return true;
}

Cover NestGenerator::cover(const Context& context, const Target& target, Kinds kinds, bool guards) {
  Cover out;
  out.subscripts = target.prefix;
  for (std::size_t d = 0; d < target.windows.size(); ++d) {
    const bool pair = d + 1 < target.windows.size() && random_.chance(1, 6);
    if (pair && cover_merged(context.loops, target.windows[d], target.windows[d + 1], kinds, out)) {
      ++d;
    } else {
      cover_dimension(context.loops, target.windows[d], kinds, guards && random_.chance(1, 2), out);
    }
  }
  if (out.loops.empty()) {
    out.loops.push_back(loop(1, context.loops, {}, kinds));
    out.handles.push_back(handle_of(out.loops.back()));
  }
  if (random_.chance(1, 3)) shuffle(random_, out.loops);
  return out;
}

Context NestGenerator::inside(const Context& context, const Cover& cover) const {
  Context inner = context;
  inner.loops.insert(inner.loops.end(), cover.loops.begin(), cover.loops.end());
  // What holds under the guard; without the guard's help the loops themselves are in range too.
  inner.handles.insert(inner.handles.end(), cover.handles.begin(), cover.handles.end());
  return inner;
}

ExprPtr NestGenerator::guard_of(const Cover& cover) {
  return cover.guards.empty() ? nullptr : logic(LogicOp::conjunction, cover.guards);
}

}  // namespace steptp::testing
