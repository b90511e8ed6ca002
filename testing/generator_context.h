#pragma once

// Inside of the generator: what is known at a point of the program under construction. Nobody but generator*.cpp
// includes this.

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "testing/generator.h"

namespace steptp::testing {

/// A tensor that may be read anywhere in its box: each element is defined.
struct Tensor {
  std::string name;
  DType dtype = DType::f32;
  Scope scope = Scope::global;
  std::vector<std::int64_t> shape;
  bool writable = false;              ///< an intermediate or an output
  std::optional<std::int64_t> bound;  ///< integers: every value lies in [0, bound)
};

/// An integer made of loop indices whose value always lies in [low, high] here.
struct Handle {
  Index index;
  std::int64_t low = 0;
  std::int64_t high = 0;
};

/// What an expression may use where it stands.
struct Context {
  std::vector<Loop> loops;      ///< open loops, outermost first
  std::vector<Handle> handles;  ///< the loops, and the subscripts of the left side under the guards
  std::vector<Tensor> tensors;  ///< complete boxes
  std::vector<RefPtr> cells;    ///< single elements that are defined here
  bool in_kernel = false;       ///< under a block loop whose body is built item by item
};

/// Which loops may be opened.
enum class Kinds : std::uint8_t { sequential, plain, any, private_state, block, thread };

/// A part of one dimension: the elements offset, offset + stride, ... of which there are `size`.
struct Window {
  std::int64_t offset = 0;
  std::int64_t size = 1;
  std::int64_t stride = 1;
};

/// The part of a tensor that a nest has to write: the first dimensions are fixed by subscripts, the others are windows.
struct Target {
  Tensor tensor;
  std::vector<Index> prefix;
  std::vector<Window> windows;
};
[[nodiscard]] Target whole_target(const Tensor& tensor);

/// Loops that reach every element of a target exactly once.
struct Cover {
  std::vector<Loop> loops;
  std::vector<Index> subscripts;
  std::vector<Handle> handles;
  std::vector<ExprPtr> guards;
};

/// Index arithmetic on small numbers, which cannot overflow.
[[nodiscard]] Index plus(const Index& left, const Index& right);
[[nodiscard]] Index minus(const Index& left, const Index& right);
[[nodiscard]] Index times(const Index& left, std::int64_t right);
[[nodiscard]] Index quotient(const Index& left, std::int64_t right);
[[nodiscard]] Index remainder(const Index& left, std::int64_t right);
/// The same integer as a value expression.
[[nodiscard]] ExprPtr value_of(const Index& index);

[[nodiscard]] ExprPtr compare_two(ExprPtr left, CompareOp op, ExprPtr right);
/// low <= value < high as a chain.
[[nodiscard]] ExprPtr compare_chain(std::int64_t low, ExprPtr value, std::int64_t high);
[[nodiscard]] ExprPtr logic(LogicOp op, const std::vector<ExprPtr>& operands);
[[nodiscard]] ExprPtr select(ExprPtr condition, ExprPtr if_true, ExprPtr if_false);

/// The n-th generated name of docs/language.md R14.
[[nodiscard]] std::string tensor_name(std::size_t number);
[[nodiscard]] std::string index_name(std::size_t number);

/// Picks one of a non-empty list.
template <typename T>
[[nodiscard]] const T& pick(Random& random, const std::vector<T>& list) {
  return list[random.below(list.size())];
}
template <typename T>
void shuffle(Random& random, std::vector<T>& list) {
  for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[random.below(i)]);
}

/// Opens loops with fresh names: a name or an axis of `around` is not used again.
[[nodiscard]] Loop open_loop(Random& random, std::int64_t extent, const std::vector<Loop>& around, Kinds kinds,
                             bool random_names);
[[nodiscard]] Handle handle_of(const Loop& loop);
/// The context inside further loops.
void enter(Context& context, const std::vector<Loop>& loops);

/// Random expressions; types are legal by construction (an `inf` never meets an integer, a divisor is never zero).
class ExpressionGenerator {
 public:
  ExpressionGenerator(Random& random, const GeneratorOptions& options) : random_(random), options_(options) {}

  /// A right side for an equation whose left side has this dtype.
  [[nodiscard]] ExprPtr right_side(const Context& context, DType dtype, int depth);
  /// An expression of a float type, an integer type, a bool.
  [[nodiscard]] ExprPtr real(const Context& context, int depth);
  [[nodiscard]] ExprPtr integer(const Context& context, int depth);
  [[nodiscard]] ExprPtr condition(const Context& context, int depth);
  /// An affine (or quasi-affine) comparison of indices.
  [[nodiscard]] ExprPtr index_condition(const Context& context);
  /// An element of the tensor, in range; nothing where that needs what the options forbid.
  [[nodiscard]] RefPtr element(const Context& context, const Tensor& tensor, int depth = 0);
  /// An integer expression with values in [0, bound).
  [[nodiscard]] ExprPtr bounded(const Context& context, std::int64_t bound);
  [[nodiscard]] ExprPtr decimal();

 private:
  [[nodiscard]] ExprPtr real_leaf(const Context& context);
  [[nodiscard]] ExprPtr strong_real(const Context& context, int depth);
  [[nodiscard]] ExprPtr integer_leaf(const Context& context);
  [[nodiscard]] ExprPtr integer_divisor(const Context& context, int depth);
  [[nodiscard]] ExprPtr call(const Context& context, int depth);
  /// Reads that only their condition keeps in range.
  [[nodiscard]] ExprPtr padded(const Context& context, int depth);
  [[nodiscard]] ExprPtr guarded_by_data(const Context& context, int depth);
  [[nodiscard]] Index subscript(const Context& context, std::int64_t size, int depth);
  [[nodiscard]] std::optional<Index> indirect(const Context& context, std::int64_t size, int depth);
  [[nodiscard]] Index from_two(const Handle& first, const Handle& second, std::int64_t size);
  [[nodiscard]] Index from_one(const Handle& handle, std::int64_t size);
  [[nodiscard]] ExprPtr leaf_of(const Context& context, DTypeFamily family);

  Random& random_;
  const GeneratorOptions& options_;
};

/// Builds the nests that write targets.
class NestGenerator {
 public:
  NestGenerator(Random& random, const GeneratorOptions& options, std::set<std::string>& names, bool random_names)
      : random_(random), options_(options), expressions_(random, options), names_(names), random_names_(random_names) {}

  /// Nests that together write the whole target once. `context` gains the temporaries that are complete afterwards.
  [[nodiscard]] std::vector<NestPtr> write(Context& context, const Target& target, int depth);
  /// One nest that replaces each element of a complete tensor.
  [[nodiscard]] NestPtr overwrite(Context context, const Tensor& tensor);
  /// An integer tensor with values in [0, bound).
  [[nodiscard]] NestPtr table(Context context, const Tensor& tensor, std::int64_t bound);

  [[nodiscard]] Tensor fresh(DType dtype, Scope scope, std::vector<std::int64_t> shape);
  [[nodiscard]] DType random_dtype();

 private:
  [[nodiscard]] Cover cover(const Context& context, const Target& target, Kinds kinds, bool guards);
  void cover_dimension(const std::vector<Loop>& around, const Window& window, Kinds kinds, bool guards, Cover& out);
  [[nodiscard]] bool cover_merged(const std::vector<Loop>& around, const Window& first, const Window& second,
                                  Kinds kinds, Cover& out);
  [[nodiscard]] Loop loop(std::int64_t extent, const std::vector<Loop>& around, const std::vector<Loop>& more,
                          Kinds kinds);
  [[nodiscard]] Context inside(const Context& context, const Cover& cover) const;
  [[nodiscard]] ExprPtr guard_of(const Cover& cover);
  [[nodiscard]] std::vector<Loop> reduction_loops(const Context& context, const std::vector<Loop>& more, Kinds kinds);
  [[nodiscard]] EquationPtr accumulate(const Context& context, const RefPtr& left, ArithmeticOp op);
  [[nodiscard]] ArithmeticOp accumulation_for(DType dtype);
  [[nodiscard]] ExprPtr initial(DType dtype, ArithmeticOp op);

  [[nodiscard]] Cover private_cover(const Context& context, const Target& target);
  [[nodiscard]] NestPtr pointwise(Context& context, const Target& target);
  [[nodiscard]] NestPtr interleaved(Context context, const Target& target);
  [[nodiscard]] std::vector<NestPtr> reduction(Context context, const Target& target);
  [[nodiscard]] NestPtr recurrence(Context context, const Target& target);
  [[nodiscard]] NestPtr private_state(Context context, const Target& target);
  [[nodiscard]] std::vector<NestPtr> several_writers(Context& context, const Target& target, int depth);
  [[nodiscard]] NestPtr under_loop(Context& context, const Target& target, int depth);

  // generator_kernels.cpp: bodies with items at block level
  struct Kernel {
    std::vector<std::int64_t> threads;  ///< extents by axis tx ty tz
  };
  [[nodiscard]] NestPtr kernel(Context context, const Target& target);
  [[nodiscard]] std::vector<Loop> thread_loops(const std::vector<std::int64_t>& extents);
  [[nodiscard]] Item shared_scalar(Context& context, const Kernel& kernel);
  [[nodiscard]] NestPtr shared_tile(Context& context, const Kernel& kernel);
  [[nodiscard]] NestPtr collective(Context& context, const Kernel& kernel);
  [[nodiscard]] NestPtr thread_locals(Context& context, const Kernel& kernel);
  [[nodiscard]] Cover thread_cover(const Context& context, const Target& target, const Kernel& kernel);
  [[nodiscard]] NestPtr final_writer(const Context& context, const Target& target, const Kernel& kernel);
  [[nodiscard]] NestPtr tiled_accumulation(const Context& context, const Target& target, const Kernel& kernel);

  Random& random_;
  const GeneratorOptions& options_;
  ExpressionGenerator expressions_;
  std::set<std::string>& names_;
  bool random_names_;
};

}  // namespace steptp::testing
