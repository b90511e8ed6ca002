#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "steptp/base/diagnostic.h"
#include "steptp/base/result.h"
#include "steptp/oracle/machine.h"

namespace steptp {

/// Why there are no values: something that only data shows, or a machine that cannot (diagnostics `no-engine`,
/// `engine`, `no-device`, `device-limit`, `device`).
struct ExecutionFailure {
  std::optional<Trap> trap;
  Diagnostic diagnostic;
};

/// A compiled program with its data in place, to be run again and again.
class Session {
 public:
  Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  virtual ~Session() = default;

  /// From now on `run` starts all launches of the program by one call that the device has prepared (a CUDA graph). A
  /// CPU has nothing to prepare. Diagnostic `device-limit` where the device cannot hold so many launches.
  [[nodiscard]] virtual std::optional<ExecutionFailure> prepare_launches() { return std::nullopt; }

  /// Runs the whole program once. Seconds, by the clock of the device.
  [[nodiscard]] virtual Result<double, ExecutionFailure> run() = 0;

  /// Gives outputs and everything between a pattern that no result has, so that what is not written shows.
  [[nodiscard]] virtual std::optional<ExecutionFailure> poison() = 0;

  /// Makes the next run find its data in memory and not in a cache.
  [[nodiscard]] virtual std::optional<ExecutionFailure> cool() = 0;

  /// One element of an output, by its position.
  [[nodiscard]] virtual Result<Scalar, ExecutionFailure> element(const std::string& output, std::int64_t position) = 0;
  [[nodiscard]] virtual Result<Tensors, ExecutionFailure> outputs() = 0;

  /// Whether the inputs are still what they were.
  [[nodiscard]] virtual Result<bool, ExecutionFailure> inputs_are_whole() = 0;
};

/// The byte that everything is poisoned with. As floats of any width it is a large negative number.
inline constexpr unsigned char kPoison = 0xee;

/// The data of one input: among `inputs`, or of a constant with its values in the signature, which are put in `made`.
[[nodiscard]] Result<const Tensor*, Trap> input_for(const Variable& variable, const Tensors& inputs, Tensor& made);

/// One NaN, as the oracle has it: processors disagree on the one an operation makes.
void unify_nans(Tensor& tensor);

}  // namespace steptp
