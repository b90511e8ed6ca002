#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "steptp/documents/zoo_program.h"
#include "steptp/oracle/machine.h"

namespace steptp::testing {

/// A program, its inputs, and what the oracle makes of them.
struct Judged {
  std::string name;
  Program program;
  Tensors inputs;
  Tensors outputs;
};
/// Nothing where `check` is not sure of it, or the oracle would take long.
[[nodiscard]] std::optional<Judged> judged(const std::string& name, const Program& program, std::uint64_t seed = 1);

/// Types of the zoo, with sizes so small that the oracle runs them in a moment: one of every `step`, from `first` on.
[[nodiscard]] std::vector<Judged> small_zoo(DType dtype, std::size_t step = 1, std::size_t first = 0);
/// Programs of the generator that `check` is sure of.
[[nodiscard]] std::vector<Judged> generated(std::uint64_t seed, std::size_t count);
/// The states of the recipes in testing/data/recipes, which are those of examples/recipes at sizes that the oracle
/// runs: one of every `step`, and the end.
[[nodiscard]] std::vector<Judged> recipe_states(std::size_t step = 1);
/// States that walks of drawn steps of all strategies reach from states of the recipes and from small types of the zoo:
/// `count` different ones, where there are so many.
[[nodiscard]] std::vector<Judged> derived_states(std::uint64_t seed, std::size_t count);
/// Small kernels with scopes, collectives, guards, host loops and recurrences, one for each rule.
[[nodiscard]] std::vector<Judged> written_kernels();

/// How far outputs are from the oracle's.
struct Comparison {
  std::size_t elements = 0;
  std::size_t different = 0;  ///< in any bit, but for the payload of a NaN
  std::string first;          ///< of those that are too far
};
/// Floats may differ by `tolerance` times the largest value of the output; integers may not differ.
[[nodiscard]] Comparison compare_outputs(const Tensors& got, const Tensors& want, double tolerance);

}  // namespace steptp::testing
