#include "testing/generator.h"

#include <algorithm>
#include <utility>

#include "testing/generator_context.h"

namespace steptp::testing {

namespace {

std::size_t node_count(const Expr& expr) {
  std::size_t count = 1;
  for (std::size_t i = 0; i < child_count(expr); ++i) count += node_count(*child(expr, i));
  return count;
}

std::vector<std::int64_t> draw_shape(Random& random) {
  std::vector<std::int64_t> shape;
  const std::uint64_t draw = random.below(12);
  const std::size_t rank = draw == 0 ? 0 : draw < 5 ? 1 : draw < 9 ? 2 : draw < 11 ? 3 : 4;
  const std::int64_t most = rank <= 1 ? 8 : rank == 2 ? 5 : rank == 3 ? 4 : 3;
  for (std::size_t d = 0; d < rank; ++d) shape.push_back(random.between(1, most));
  return shape;
}

/// One program: known variables, then nests that write intermediates and all the outputs.
class ProgramGenerator {
 public:
  ProgramGenerator(Random& random, const GeneratorOptions& options)
      : random_(random),
        options_(options),
        random_names_(random.chance(1, 2)),
        nests_(random, options_, names_, random_names_) {}

  Program build() {
    for (std::int64_t count = random_.between(1, 4); count > 0; --count) known(Role::input);
    for (std::uint64_t count = random_.below(3); count > 0; --count) known(Role::constant);
    for (std::uint64_t count = random_.below(2); count > 0; --count) known(Role::param);
    std::vector<Tensor> outputs;
    for (std::int64_t count = random_.between(1, 3); count > 0; --count) {
      outputs.push_back(nests_.fresh(nests_.random_dtype(), Scope::global, draw_shape(random_)));
      program_.signature.variables.push_back(
          {outputs.back().name, Role::output, outputs.back().dtype, outputs.back().shape, {}, {}});
    }
    for (const Tensor& output : outputs) {
      for (std::uint64_t steps = random_.below(3); steps > 0; --steps) intermediate();
      write(output);
      if (random_.chance(1, 6)) change_in_place();
    }
    return std::move(program_);
  }

 private:
  void known(Role role) {
    Variable variable;
    Tensor tensor = nests_.fresh(nests_.random_dtype(), Scope::global, draw_shape(random_));
    tensor.writable = false;
    variable.name = tensor.name;
    variable.role = role;
    variable.dtype = tensor.dtype;
    variable.shape = tensor.shape;
    if (is_integer(tensor.dtype) && random_.chance(2, 3)) {
      tensor.bound = random_.between(1, 6);
      variable.domain = {Domain::Kind::range, 0, static_cast<double>(*tensor.bound)};
    } else if (tensor.dtype != DType::boolean && random_.chance(1, 3)) {
      draw_domain(variable);
    }
    if (role == Role::constant && random_.chance(1, 2)) draw_values(variable, tensor);
    program_.signature.variables.push_back(variable);
    context_.tensors.push_back(std::move(tensor));
  }

  void draw_domain(Variable& variable) {
    switch (random_.below(4)) {
      case 0: variable.domain.kind = Domain::Kind::any; break;
      case 1: variable.domain.kind = Domain::Kind::positive; break;
      case 2: variable.domain.kind = Domain::Kind::nonzero; break;
      default: variable.domain = {Domain::Kind::range, info(variable.dtype).least < 0 ? -1.0 : 0.0, 2.0}; break;
    }
  }

  /// Values that lie in the stated domain, whichever it is.
  void draw_values(Variable& variable, Tensor& tensor) {
    const bool integral = !is_float(variable.dtype);
    for (std::int64_t i = element_count(variable.shape).value(); i > 0; --i) {
      const std::int64_t most = tensor.bound ? *tensor.bound - 1 : 1;
      const bool from_zero = tensor.bound.has_value() || variable.dtype == DType::boolean;
      const double value =
          static_cast<double>(random_.between(from_zero ? 0 : 1, from_zero ? std::max<std::int64_t>(most, 0) : 1));
      variable.values.push_back(integral ? value : value / static_cast<double>(std::uint64_t{1} << random_.below(5)));
    }
    if (integral && variable.dtype != DType::boolean && !tensor.bound && random_.chance(1, 2)) {
      // The data are the domain: [0, greatest value].
      tensor.bound = 2;
    }
  }

  void intermediate() {
    if (random_.chance(1, 4)) {
      const DType dtype = pick(random_, std::vector{DType::i64, DType::i32, DType::i16, DType::i8, DType::u8});
      Tensor table = nests_.fresh(dtype, Scope::global, draw_shape(random_));
      const std::int64_t bound = random_.between(1, 5);
      program_.nests.push_back(nests_.table(context_, table, bound));
      table.bound = bound;
      context_.tensors.push_back(std::move(table));
      return;
    }
    write(nests_.fresh(nests_.random_dtype(), Scope::global, draw_shape(random_)));
  }

  void write(const Tensor& tensor) {
    for (NestPtr& nest : nests_.write(context_, whole_target(tensor), 2)) program_.nests.push_back(std::move(nest));
    context_.tensors.push_back(tensor);
  }

  void change_in_place() {
    std::vector<Tensor> candidates;
    for (const Tensor& tensor : context_.tensors) {
      if (tensor.writable && !tensor.bound && tensor.scope == Scope::global) candidates.push_back(tensor);
    }
    if (!candidates.empty()) program_.nests.push_back(nests_.overwrite(context_, pick(random_, candidates)));
  }

  Random& random_;
  const GeneratorOptions options_;
  std::set<std::string> names_;
  bool random_names_;
  NestGenerator nests_;
  Context context_;
  Program program_;
};

}  // namespace

std::int64_t operation_count(const Program& program) {
  std::int64_t total = 0;
  for_each_equation(program, [&total](const Equation& equation, const std::vector<const Nest*>& around) {
    std::int64_t iterations = 1;
    for (const Nest* nest : around) {
      for (const Loop& loop : nest->loops) {
        if (__builtin_mul_overflow(iterations, loop.extent, &iterations)) iterations = INT32_MAX;
      }
    }
    total += std::min<std::int64_t>(iterations, INT32_MAX) * static_cast<std::int64_t>(node_count(*equation.right) + 1);
  });
  return total;
}

Program generate_program(Random& random, const GeneratorOptions& options) {
  while (true) {
    Program program = ProgramGenerator(random, options).build();
    if (operation_count(program) <= options.max_operations) return program;
  }
}

}  // namespace steptp::testing
