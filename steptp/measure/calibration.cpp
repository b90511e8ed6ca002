// Rates of this machine, each from the time of a small program in LEIR whose limit is known: an empty one, a copy that
// no cache holds, copies that the second and the last cache hold, a product in registers, sums that wait for each
// other, a walk along columns. The clock comes from products of 64-bit integers, each of which needs the one before:
// three cycles on every x86 core of the last fifteen years. Of several runs the fastest counts, since whatever else the
// machine does can only make a run slower.
#include "steptp/measure/calibration.h"

#include <algorithm>
#include <fstream>

#include "steptp/base/ordered_stream.h"
#include "steptp/base/text.h"
#include "steptp/measure/time_programs.h"
#include "steptp/text/document.h"

namespace steptp {

namespace {

struct Probe {
  std::string text;
  bool is_cold = false;
};

class Calibration {
 public:
  Calibration(CandidatePool& pool, double budget) : pool_(pool), budget_(budget) {}

  Result<DeviceRates, ExecutionFailure> run() {
    if (pool_.options().device == DeviceKind::cpu) {
      cpu();
    } else {
      gpu();
    }
    if (failure_) return *std::move(failure_);
    return std::move(rates_);
  }

 private:
  /// Seconds of the fastest run; 1 after a failure, which is kept.
  double seconds(const Probe& probe, bool as_graph = false) {
    if (failure_) return 1;
    const Document document = read_document("probe", probe.text);
    TimeRequest request;
    request.programs = {&document.program};
    request.budget_seconds = budget_;
    request.check_operations = 1'000'000;
    request.cold = probe.is_cold;
    request.as_graph = as_graph;
    auto answer = time_programs(pool_, request);
    if (!answer) {
      failure_ = answer.error();
      return 1;
    }
    Timing& timing = answer->timings[0];
    if (timing.status == Timing::Status::failed || timing.status == Timing::Status::wrong) {
      failure_ = std::move(timing.failure);
      return 1;
    }
    machine_ = answer->machine.name;
    return std::max(timing.least, 1e-9);
  }

  static Probe copy(std::int64_t rows, std::int64_t columns, bool is_cold, std::string_view loops) {
    return {concat("@program Copy\n@input A f32[", rows, ",", columns, "]\n@output C f32[", rows, ",", columns, "]\n",
                   loops),
            is_cold};
  }

  static Probe cpu_copy(std::int64_t kilobytes, bool is_cold) {
    constexpr std::int64_t kColumns = 1024;
    const std::int64_t rows = std::max<std::int64_t>(2, kilobytes / 8);
    return copy(rows, kColumns, is_cold,
                concat("B^{", rows, "}_{tx=0}V^{1024}_{a=0}[C^{f32,g}_{tx,a}=A^{f32,g}_{tx,a};];"));
  }

  /// Sums of one element, each of which needs the one before.
  static Probe sums(std::int64_t steps) {
    return {concat("@program Sums\n@input A f32[", steps, "]\n@output C f32[1]\nB^{1}_{tx=0}L^{", steps,
                   "}_{a=0}[C^{f32,g}_{tx}=C^{f32,g}_{tx}+A^{f32,g}_{a};];")};
  }

  /// A sum and a product of integers, which no compiler may take apart: it counts cycles.
  static Probe cycles(std::int64_t steps) {
    return {concat("@program Cycles\n@input A i64[", steps, "]\n@output C i64[1]\nB^{1}_{tx=0}[C^{i64,g}_{tx}=1;L^{",
                   steps, "}_{a=0}[C^{i64,g}_{tx}=(C^{i64,g}_{tx}+A^{i64,g}_{a})*A^{i64,g}_{a};];];")};
  }

  /// A product whose sums stay in registers: `rows` by so many columns of them at a time.
  static Probe product(std::string_view dtype, std::int64_t columns) {
    return {concat("@program Product\n@input A ", dtype, "[32,128]\n@input C ", dtype, "[128,", columns,
                   "]\n@output D ", dtype, "[128,", columns, "]\nB^{4}_{tx=0}[U^{8}_{a=0}V^{", columns, "}_{c=0}[E^{",
                   dtype, ",l}_{a,c}=0;];L^{128}_{d=0}U^{8}_{a=0}V^{", columns, "}_{c=0}[E^{", dtype, ",l}_{a,c}=E^{",
                   dtype, ",l}_{a,c}+A^{", dtype, ",g}_{tx*8+a,d}*C^{", dtype, ",g}_{d,c};];U^{8}_{a=0}V^{", columns,
                   "}_{c=0}[D^{", dtype, ",g}_{tx*8+a,c}=E^{", dtype, ",l}_{a,c};];];")};
  }

  static double vector_bytes() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return 64;
    if (__builtin_cpu_supports("avx2")) return 32;
#endif
    return 16;
  }

  /// As the kernel tells; sysconf counts the caches of all sockets that a virtual machine does not have.
  static double cache_bytes(int index, double otherwise) {
    std::ifstream file(concat("/sys/devices/system/cpu/cpu0/cache/index", index, "/size"));
    double size = 0;
    char unit = 0;
    if (!(file >> size >> unit) || size <= 0) return otherwise;
    return unit == 'K' ? size * 1024 : unit == 'M' ? size * 1024 * 1024 : otherwise;
  }

  void cpu() {
    rates_ = find_rates("plain-cpu").value();
    rates_.name = "cpu";
    const unsigned threads = pool_.options().threads == 0 ? default_jobs() : pool_.options().threads;
    rates_.processors = threads;
    rates_.vector_bytes = vector_bytes();
    rates_.l1_bytes = cache_bytes(0, rates_.l1_bytes);
    rates_.l2_bytes = cache_bytes(2, rates_.l2_bytes);
    rates_.l3_bytes = cache_bytes(3, rates_.l3_bytes);
    constexpr std::int64_t kSteps = 100'000;
    constexpr double kStepCount = static_cast<double>(kSteps);
    constexpr double kStepCycles = 4;
    rates_.program_seconds = seconds({"@program Nothing\n@output C f32[1]\nB^{1}_{tx=0}[C^{f32,g}_{tx}=1;];"});
    const auto alone = [&](double all) { return std::max(1e-9, all - rates_.program_seconds); };
    rates_.clock = kStepCycles * kStepCount / alone(seconds(cycles(kSteps)));
    const double clock = rates_.clock;
    rates_.chain_cycles = std::max(1.0, clock / kStepCount * alone(seconds(sums(kSteps))));
    // It has too few iterations to be divided among threads: it is the rate of one.
    const double lanes = rates_.vector_bytes / 4;
    const auto columns = static_cast<std::int64_t>(2 * lanes);
    const double steps = 2.0 * 32 * 128 * static_cast<double>(columns);
    rates_.f32_per_cycle = steps / clock / alone(seconds(product("f32", columns)));
    rates_.f64_per_cycle = steps / 2 / clock / alone(seconds(product("f64", columns / 2)));
    const double l2 = rates_.l2_bytes;
    const auto small = static_cast<std::int64_t>(l2 / 2 / 1024);
    const auto moved = [&](std::int64_t kilobytes, bool is_cold) {
      const double bytes = static_cast<double>(std::max<std::int64_t>(2, kilobytes / 8)) * 8192;
      return bytes / alone(seconds(cpu_copy(kilobytes, is_cold)));
    };
    rates_.l2_bandwidth = moved(small, false);
    rates_.l3_bandwidth = moved(static_cast<std::int64_t>(std::min(rates_.l3_bytes / 4, 4 * l2) / 1024), false);
    rates_.memory_bandwidth = moved(64 * 1024, true);
    // Too few columns to be divided among threads: it is what one of them waits.
    constexpr double kLines = 128.0 * 1024;
    const Probe columns_sum = {
        "@program Columns\n@input A f32[1024,1024]\n@output C f32[128]\n"
        "B^{128}_{tx=0}L^{1024}_{a=0}[C^{f32,g}_{tx}=C^{f32,g}_{tx}+A^{f32,g}_{a,tx*8};];"};
    rates_.scatter_cycles = std::max(1.0, clock * alone(seconds(columns_sum)) / kLines);
    rates_.source = concat("measured on ", machine_, "; latencies as of plain-cpu");
  }

  void gpu() {
    rates_ = find_rates("nvidia-h200").value();
    rates_.name = "cuda";
    const double one = seconds({"@program Nothing\n@output C f32[1]\nB^{1}_{tx=0}[C^{f32,g}_{tx}=1;];"}, true);
    std::string several = "@program Several\n";
    constexpr int kKernels = 8;
    for (int i = 0; i < kKernels; ++i)
      append(several, "@output C", std::string(1, static_cast<char>('a' + i)), " f32[1]\n");
    for (int i = 0; i < kKernels; ++i) {
      append(several, "B^{1}_{tx=0}[C", std::string(1, static_cast<char>('a' + i)), "^{f32,g}_{tx}=1;];");
    }
    const double all = seconds({several}, true);
    rates_.launch_seconds = std::max(1e-7, (all - one) / (kKernels - 1));
    rates_.program_seconds = std::max(1e-7, one - rates_.launch_seconds);
    const auto alone = [&](double whole) { return std::max(1e-9, whole - one); };
    constexpr double kCopied = 2.0 * 65536 * 1024 * 4;
    rates_.memory_bandwidth =
        kCopied / alone(seconds(copy(65536, 1024, true,
                                     "B^{65536}_{bx=0}B^{256}_{tx=0}V^{4}_{a=0}[C^{f32,g}_{bx,tx*4+a}="
                                     "A^{f32,g}_{bx,tx*4+a};];"),
                                true));
    rates_.source = concat("bandwidth and launches measured on ", machine_, "; all else as of nvidia-h200");
  }

  CandidatePool& pool_;
  double budget_;
  DeviceRates rates_;
  std::string machine_;
  std::optional<ExecutionFailure> failure_;
};

}  // namespace

Result<DeviceRates, ExecutionFailure> calibrate(CandidatePool& pool, double budget_seconds) {
  return Calibration(pool, budget_seconds).run();
}

}  // namespace steptp
