#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "steptp/base/text.h"
#include "steptp/estimate/estimate.h"

namespace steptp {

namespace {

std::string figure(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g", value);
  return text.data();
}

/// What a model says has no more digits than these, and these are the same on every machine.
double rounded(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.5g", value);
  return std::strtod(text.data(), nullptr);
}

/// "1 block", "16384 blocks": launches are counted to the last one.
std::string count_text(double count, std::string_view noun) {
  return concat(static_cast<std::int64_t>(std::llround(count)), " ", noun, count == 1 ? "" : "s");
}

std::string bytes_text(double bytes) {
  if (bytes < 1e3) return figure(bytes) + " B";
  if (bytes < 1e6) return figure(bytes / 1e3) + " kB";
  if (bytes < 1e9) return figure(bytes / 1e6) + " MB";
  return figure(bytes / 1e9) + " GB";
}

/// What a part means, for a kernel.
std::string words_of(const KernelEstimate& kernel, std::string_view part) {
  if (part == "memory") return concat(bytes_text(kernel.memory_bytes), " from and to memory");
  if (part == "cache")
    return concat(bytes_text(kernel.cache_bytes), " between the processors and the caches behind them");
  if (part == "scattered") return "neighbouring threads read or write far from each other";
  if (part == "operations") return concat(figure(kernel.operations), " operations");
  if (part == "instructions") return "instructions that are issued, loops and addresses among them";
  if (part == "accesses") return "rounds through the nearest cache and the banks of shared memory";
  if (part == "latency") {
    return concat("a thread that waits for its loads, sums and barriers, ", figure(kernel.waves),
                  kernel.waves == 1 ? " wave of blocks, " : " waves of blocks, ", figure(100 * kernel.occupancy),
                  " % of the threads that fit");
  }
  return std::string(part);
}

}  // namespace

std::string seconds_text(double seconds) {
  if (seconds < 1e-3) return figure(seconds * 1e6) + " us";
  if (seconds < 1) return figure(seconds * 1e3) + " ms";
  return figure(seconds) + " s";
}

std::string to_text(const Estimate& estimate) {
  std::string out = concat("expected on ", estimate.device, ": ", seconds_text(estimate.seconds), "\n");
  if (estimate.fill_seconds > 0) {
    append(out, "  ", seconds_text(estimate.fill_seconds), " to fill intermediates before they are added to\n");
  }
  for (const KernelEstimate& kernel : estimate.kernels) {
    append(out, "  ", kernel.name, ": ", seconds_text(kernel.seconds), ", limited by ", kernel.limited_by, " (",
           count_text(kernel.blocks, "block"), " of ", count_text(kernel.threads, "thread"));
    if (kernel.launches > 1) append(out, ", launched ", figure(kernel.launches), " times");
    append(out, ")\n");
    for (const EstimatePart& part : kernel.parts) {
      if (part.seconds * kernel.launches < 0.05 * kernel.seconds) continue;
      append(out, "    ", part.name, " ", seconds_text(part.seconds * kernel.launches), ": ",
             words_of(kernel, part.name), "\n");
    }
  }
  return out;
}

Json to_json(const Estimate& estimate) {
  Json kernels{Json::Array{}};
  for (const KernelEstimate& kernel : estimate.kernels) {
    Json parts{Json::Object{}};
    for (const EstimatePart& part : kernel.parts) parts.set(part.name, rounded(part.seconds));
    Json one;
    one.set("name", kernel.name).set("seconds", rounded(kernel.seconds)).set("limited_by", kernel.limited_by);
    one.set("parts", std::move(parts)).set("launches", rounded(kernel.launches)).set("blocks", rounded(kernel.blocks));
    one.set("threads", rounded(kernel.threads))
        .set("waves", rounded(kernel.waves))
        .set("occupancy", rounded(kernel.occupancy));
    one.set("registers", rounded(kernel.registers))
        .set("shared_bytes", rounded(kernel.shared_bytes))
        .set("barriers", rounded(kernel.barriers));
    one.set("memory_bytes", rounded(kernel.memory_bytes)).set("cache_bytes", rounded(kernel.cache_bytes));
    one.set("operations", rounded(kernel.operations));
    kernels.push(std::move(one));
  }
  Json out;
  out.set("device", estimate.device)
      .set("seconds", rounded(estimate.seconds))
      .set("fill_seconds", rounded(estimate.fill_seconds));
  return out.set("kernels", std::move(kernels));
}

}  // namespace steptp
