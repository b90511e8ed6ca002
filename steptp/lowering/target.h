#pragma once

#include <cstdint>

#include "steptp/base/words.h"

namespace steptp {

/// The back ends: what `lower` writes a program as.
enum class Backend : std::uint8_t { cuda, llvm, tir };
template <>
inline constexpr auto kWords<Backend> = std::to_array<std::string_view>({"cuda", "llvm", "tir"});

/// The engines: what `run` executes a program with. The oracle interprets it, the others compile it.
enum class Engine : std::uint8_t { oracle, llvm, cuda };
template <>
inline constexpr auto kWords<Engine> = std::to_array<std::string_view>({"oracle", "llvm", "cuda"});

/// The kinds of devices that compiled programs run on.
enum class DeviceKind : std::uint8_t { cpu, cuda };
template <>
inline constexpr auto kWords<DeviceKind> = std::to_array<std::string_view>({"cpu", "cuda"});

/// How floats are computed. Exact: each operation is rounded by itself, as the oracle does. Fast: products and sums are
/// fused, functions of floats may be wrong in the last place, and of two zeros max and min may take either.
enum class Arithmetic : std::uint8_t { exact, fast };
template <>
inline constexpr auto kWords<Arithmetic> = std::to_array<std::string_view>({"exact", "fast"});

/// The same, with what max and min make of NaN: LEIR's give the number of the two; where NaN stays, as it does in
/// PyTorch, they give NaN.
struct FloatRules {
  FloatRules(Arithmetic how = Arithmetic::exact, bool keeps_nan = false)  // NOLINT(google-explicit-constructor)
      : arithmetic(how), nan_stays(keeps_nan) {}
  Arithmetic arithmetic;
  bool nan_stays;
};

/// Where an engine that compiles runs its programs.
[[nodiscard]] constexpr DeviceKind device_of(Engine engine) {
  return engine == Engine::cuda ? DeviceKind::cuda : DeviceKind::cpu;
}

}  // namespace steptp
