#include "steptp/zoo/draw.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "steptp/zoo/compose.h"

namespace steptp::zoo {

namespace {

constexpr int kAttemptsPerChoice = 400;
constexpr int kChoices = 20;
constexpr double kLongRange = 32;

/// Uniform in [0, 1), with 53 bits.
double unit(Random& random) { return static_cast<double>(random.next() >> 11) * 0x1.0p-53; }

/// Reals are drawn on a grid of a thousand steps and rounded to four digits, so that they print shortly.
double real_in(const ArgumentRange& range, Random& random) {
  const double raw = range.low + (range.high - range.low) * static_cast<double>(random.below(1000)) / 1000;
  if (raw == 0) return 0;
  const double scale = std::pow(10.0, 3 - std::floor(std::log10(std::abs(raw))));
  return std::round(raw * scale) / scale;
}

double integer_in(const ArgumentRange& range, Random& random) {
  const double low = std::max(range.low, 1.0);
  if (range.high - range.low < kLongRange || range.low < 0) {
    return static_cast<double>(
        random.between(static_cast<std::int64_t>(range.low), static_cast<std::int64_t>(range.high) - 1));
  }
  const double drawn = std::floor(std::exp2(std::log2(low) + unit(random) * (std::log2(range.high) - std::log2(low))));
  return std::clamp(drawn, low, range.high - 1);
}

}  // namespace

Arguments draw_arguments(const ProgramType& type, Random& random) {
  Arguments out;
  for (const ArgumentRange& range : type.arguments) {
    double& value = out[range.name];
    if (!range.choices.empty())
      value = range.choices[random.below(range.choices.size())];
    else
      value = range.is_integer ? integer_in(range, random) : real_in(range, random);
  }
  return out;
}

std::int64_t largest_tensor(const graph::Graph& graph) {
  std::int64_t most = 0;
  for (const graph::Node& node : graph.nodes) {
    for (const graph::TensorType& type : node.outputs) {
      const std::int64_t elements = graph::count(type.shape);
      if (elements < 0 || elements > std::numeric_limits<std::int64_t>::max() / 8)
        return std::numeric_limits<std::int64_t>::max();
      most = std::max(most, elements * info(type.dtype).bytes);
    }
  }
  return most;
}

std::optional<Draw> draw(std::uint64_t seed, std::uint64_t index, const DrawOptions& options) {
  Random random = Random(seed).fork(index);
  Draw out;
  for (int choice = 0; choice < kChoices; ++choice) {
    const bool composed = options.types.empty() || random.below(100) < options.compositions_percent;
    out.type = composed ? nullptr : options.types[random.below(options.types.size())];
    for (int attempt = 0; attempt < kAttemptsPerChoice; ++attempt) {
      out.dtype = options.dtypes[random.below(options.dtypes.size())];
      out.arguments = composed ? Arguments() : draw_arguments(*out.type, random);
      Result<graph::Graph, Diagnostic> graph =
          composed ? compose(random, out.dtype) : build(*out.type, out.arguments, out.dtype);
      if (!graph) {
        ++out.invalid;
      } else if (largest_tensor(*graph) > options.most_bytes) {
        ++out.oversize;
      } else if (options.accept && !options.accept(*graph)) {
        ++out.refused;
      } else {
        out.graph = std::move(graph).value();
        return out;
      }
    }
  }
  return std::nullopt;
}

}  // namespace steptp::zoo
