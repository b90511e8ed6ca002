#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "steptp/base/text.h"
#include "steptp/oracle/inputs.h"
#include "steptp/oracle/machine.h"
#include "steptp/text/document.h"

namespace steptp::testing {

/// A `.leir` text as a program; a text that cannot be read fails the test.
inline Program program_of(const std::string& text) {
  Document document = read_document("test", text);
  EXPECT_TRUE(document.ok) << render(document.diagnostics, *document.source);
  return document.program;
}

template <typename T>
Tensor tensor_of(DType dtype, std::vector<std::int64_t> shape, const std::vector<T>& values) {
  const auto width = static_cast<std::size_t>(info(dtype).bytes);
  Tensor tensor{dtype, std::move(shape), std::vector<std::byte>(values.size() * width)};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Scalar value = is_float(dtype) ? Scalar::real(dtype, static_cast<double>(values[i]))
                                         : Scalar::integer(dtype, static_cast<std::int64_t>(values[i]));
    store(value, tensor.data.data() + i * width);
  }
  return tensor;
}

inline std::vector<double> numbers(const Tensor& tensor) {
  const auto width = static_cast<std::size_t>(info(tensor.dtype).bytes);
  std::vector<double> values;
  for (std::size_t at = 0; at < tensor.data.size(); at += width) {
    values.push_back(convert(load(tensor.dtype, tensor.data.data() + at), DType::f64).as_real());
  }
  return values;
}

/// Runs with the given inputs and seeded ones for the rest; a trap fails the test.
inline RunResult run_ok(const Program& program, const Tensors& given = {}, std::uint64_t seed = 1,
                        RunOptions options = {}) {
  auto inputs = make_inputs(program.signature, seed);
  EXPECT_TRUE(inputs.ok());
  for (const auto& [name, tensor] : given) inputs->insert_or_assign(name, tensor);
  auto result = run(program, *inputs, options);
  if (!result) {
    ADD_FAILURE() << name_of(result.error().kind) << ": " << result.error().message;
    return {};
  }
  return std::move(result).value();
}

inline std::vector<double> output(const std::string& text, const std::string& name, const Tensors& given = {}) {
  const RunResult result = run_ok(program_of(text), given);
  const auto at = result.outputs.find(name);
  return at == result.outputs.end() ? std::vector<double>{} : numbers(at->second);
}

/// Runs with seeded inputs; a run without a trap fails the test.
inline Trap trap_of(const std::string& text, const Tensors& given = {}, RunOptions options = {}) {
  const Program program = program_of(text);
  auto inputs = make_inputs(program.signature, 1);
  EXPECT_TRUE(inputs.ok());
  for (const auto& [name, tensor] : given) inputs->insert_or_assign(name, tensor);
  const auto result = run(program, *inputs, options);
  if (result) {
    ADD_FAILURE() << "ran without a trap";
    return {};
  }
  return result.error();
}

using Doubles = std::vector<double>;

}  // namespace steptp::testing
