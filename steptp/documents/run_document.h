#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "steptp/base/json.h"
#include "steptp/oracle/inputs.h"
#include "steptp/oracle/machine.h"
#include "steptp/text/document.h"

namespace steptp {

/// What the verb `run` is asked for.
struct RunRequest {
  std::uint64_t seed = 0;
  std::uint64_t budget = RunOptions().budget;
  std::vector<Element> elements;
  std::optional<Tensors> inputs;  ///< none: seeded
  std::function<bool(double done, double estimated)> progress;
};

/// The inputs of a run: those given, with their dtypes fitted, or seeded ones.
[[nodiscard]] Result<Tensors, Trap> inputs_of(const Program& program, RunRequest& request);

/// Runs a program on the oracle. The trap's place in the text, where it has one, is in the diagnostic. Inputs have the
/// dtypes of the signature; f32 is taken for bf16 where every value is exactly a bf16, because numpy has no bfloat16.
struct RunFailure {
  Trap trap;
  Diagnostic diagnostic;
};
[[nodiscard]] Result<RunResult, RunFailure> run_document(const Document& document, RunRequest request);

/// What is wrong with elements that are asked for; nothing where the outputs have them all.
[[nodiscard]] std::optional<std::string> unknown_element(const Program& program, const std::vector<Element>& elements);

/// Seeded inputs as `run` draws them: index tensors without a domain index within the shapes.
[[nodiscard]] Result<Tensors, Trap> seeded_inputs(const Program& program, std::uint64_t seed);

/// `D[0,3]`; nothing where the text is not an element.
[[nodiscard]] std::optional<Element> parse_element(std::string_view text);

/// The JSON answer of `run`.
[[nodiscard]] Json to_json(const RunResult& result, const std::vector<Element>& elements);

}  // namespace steptp
