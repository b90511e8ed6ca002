#pragma once

#include <cstdint>

#include "steptp/base/random.h"
#include "steptp/ir/program.h"

namespace steptp::testing {

/// What a generated program may contain. Whatever the options, it is well-formed by construction: every read is
/// defined and in range, every output element is written, types and scopes are legal (docs/language.md R3 to R9).
struct GeneratorOptions {
  /// Only quasi-affine subscripts under affine conditions on indices: no indirect reads, no products of indices, no
  /// read that a condition on data keeps in range. A checker has to decide every property of such a program.
  bool affine_only = false;
  /// The published language: no guards, no extension functions.
  bool published_only = false;
  /// Upper bound of (iterations x nodes) over all equations.
  std::int64_t max_operations = 20000;
};

/// The same state of `random` and the same options give the same program, on every machine.
[[nodiscard]] Program generate_program(Random& random, const GeneratorOptions& options = {});

/// Iterations times nodes, summed over the equations: what an interpreter has to do at most.
[[nodiscard]] std::int64_t operation_count(const Program& program);

}  // namespace steptp::testing
