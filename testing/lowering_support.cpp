#include "testing/lowering_support.h"
#include "source_dir.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "steptp/base/file.h"
#include "steptp/base/hash.h"
#include "steptp/base/text.h"
#include "steptp/documents/run_document.h"
#include "steptp/recipe/recipe.h"
#include "steptp/recipe/registry.h"
#include "steptp/recipe/selection.h"
#include "steptp/safety/check.h"
#include "steptp/strategies/view.h"
#include "steptp/text/document.h"
#include "testing/generator.h"

namespace steptp::testing {

namespace {

constexpr double kMostOperations = 400'000;

void add(std::vector<Judged>& out, const std::string& name, const Program& program) {
  if (auto made = judged(name, program)) out.push_back(*std::move(made));
}

}  // namespace

std::optional<Judged> judged(const std::string& name, const Program& program, std::uint64_t seed) {
  const auto work = estimate_work(program);
  if (!work || work->operations > kMostOperations) return std::nullopt;
  if (check_program(program).verdict != CheckReport::Verdict::ok) return std::nullopt;
  auto inputs = seeded_inputs(program, seed);
  if (!inputs) return std::nullopt;
  auto result = run(program, *inputs);
  if (!result) return std::nullopt;
  return Judged{name, program, *std::move(inputs), std::move(result->outputs)};
}

std::vector<Judged> small_zoo(DType dtype, std::size_t step, std::size_t first) {
  std::vector<Judged> out;
  for (std::size_t i = first; i < zoo::all_types().size(); i += step) {
    const zoo::ProgramType& type = zoo::all_types()[i];
    for (const double most : {3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 64.0, 128.0}) {
      zoo::Arguments arguments;
      for (const zoo::ArgumentRange& range : type.arguments) {
        if (range.is_integer) arguments[range.name] = std::min(range.fallback, most);
      }
      const auto made = zoo_program(type.name, arguments, dtype);
      if (!made) continue;
      const std::size_t before = out.size();
      add(out, type.name, made->program);
      if (out.size() > before) break;
    }
  }
  return out;
}

std::vector<Judged> generated(std::uint64_t seed, std::size_t count) {
  std::vector<Judged> out;
  for (std::uint64_t i = 0; out.size() < count && i < 20 * count; ++i) {
    Random random(seed * 100'003 + i);
    add(out, concat("generated ", seed, ":", i), generate_program(random));
  }
  return out;
}

std::vector<Judged> recipe_states(std::size_t step) {
  std::vector<Judged> out;
  for (const char* name : {"conv3x3", "conv3d_product", "conv_product", "conv_product_odd", "layer_norm", "matmul",
                           "matmul_odd", "softmax"}) {
    const std::string path = concat(STEPTP_SOURCE_DIR, "/testing/data/recipes/", name);
    const auto text = read_file(concat(path, ".leir"));
    const auto steps = read_file(concat(path, ".json"));
    const auto json = steps ? parse_json(*steps) : Result<Json, JsonError>(JsonError{});
    const auto recipe = json ? recipe_from_json(*json) : Result<Recipe, std::string>(std::string());
    if (!text || !recipe) continue;
    Program state = read_document(name, *text).program;
    add(out, concat(name, " 0"), state);
    for (std::size_t i = 0; i < recipe->size(); ++i) {
      View view(state);
      const auto applied = apply(*find_strategy((*recipe)[i].strategy), view, (*recipe)[i].choice);
      if (!applied) break;
      state = applied->program;
      if ((i + 1) % step == 0 || i + 1 == recipe->size()) add(out, concat(name, " ", i + 1), state);
    }
  }
  return out;
}

std::vector<Judged> derived_states(std::uint64_t seed, std::size_t count) {
  constexpr std::size_t kSteps = 5;
  constexpr std::size_t kMostRounds = 20;
  std::vector<Judged> roots = recipe_states(5);
  for (Judged& type : small_zoo(DType::f32, 7, seed % 7)) roots.push_back(std::move(type));
  std::vector<Judged> out;
  std::set<std::string> seen;
  for (const Judged& root : roots) seen.insert(print_document(root.program, Profile::compact));
  for (std::size_t round = 0; round < kMostRounds; ++round) {
    for (std::size_t at = 0; at < roots.size(); ++at) {
      Program state = roots[at].program;
      for (std::size_t step = 0; step < kSteps; ++step) {
        View view(state);
        const std::uint64_t key = combine(combine(combine(seed, round), at), step);
        const auto drawn = sample_choices(list_choices(all_strategies(), view, key % 2 == 0), 1, key);
        if (drawn.empty()) break;
        const auto applied = apply(*drawn[0].strategy, view, drawn[0].choice);
        if (!applied) break;
        state = applied->program;
        if (!seen.insert(print_document(state, Profile::compact)).second) continue;
        add(out, concat(roots[at].name, " derived ", round, ":", step, " ", drawn[0].strategy->name), state);
        if (out.size() == count) return out;
      }
    }
  }
  return out;
}

Comparison compare_outputs(const Tensors& got, const Tensors& want, double tolerance) {
  Comparison out;
  for (const auto& [name, tensor] : want) {
    const auto width = static_cast<std::size_t>(info(tensor.dtype).bytes);
    const Tensor& other = got.at(name);
    double largest = 0;
    for (std::size_t at = 0; at < tensor.data.size(); at += width) {
      const double value = convert(load(tensor.dtype, tensor.data.data() + at), DType::f64).as_real();
      if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
    }
    for (std::size_t at = 0; at < tensor.data.size(); at += width) {
      const Scalar a = load(tensor.dtype, other.data.data() + at);
      const Scalar b = load(tensor.dtype, tensor.data.data() + at);
      ++out.elements;
      if (a == b) continue;
      ++out.different;
      const double x = convert(a, DType::f64).as_real();
      const double y = convert(b, DType::f64).as_real();
      const bool near = is_float(tensor.dtype) && std::fabs(x - y) <= tolerance * largest;
      if (!near && out.first.empty()) {
        out.first =
            concat(name, " element ", at / width, ": ", std::to_string(x), ", the oracle has ", std::to_string(y));
      }
    }
  }
  return out;
}

}  // namespace steptp::testing
