#include "steptp/costs/features.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "steptp/estimate/models.h"

namespace steptp::costs {

namespace {

using estimation::AccessSummary;
using estimation::KernelSummary;
using estimation::LoopSummary;
using estimation::OperationSummary;
using estimation::StatementSummary;
using estimation::Work;

/// Sizes differ by factors.
float scaled(double value) { return static_cast<float>(std::log2(1 + std::max(0.0, value))); }
float ratio(double value) { return static_cast<float>(std::log2(std::max(1e-12, value))); }

/// Accesses of one kind, weighed by how often a thread makes them.
struct AccessSum {
  double times = 0;
  double bytes = 0;
  double instructions = 0;
  double sectors = 0;
  double worst_sectors = 0;
  double conflicts = 0;
  double worst_conflicts = 0;
  double narrowest = 0;  ///< bytes of one instruction
  double widest = 0;

  void add(const AccessSummary& access, double count) {
    const double width = static_cast<double>(access.lanes) * access.element_bytes;
    const double made = count / static_cast<double>(std::max<std::int64_t>(1, access.lanes));
    times += count;
    bytes += count * access.element_bytes;
    instructions += made;
    sectors += made * access.sectors;
    conflicts += made * access.conflicts;
    worst_sectors = std::max(worst_sectors, access.sectors);
    worst_conflicts = std::max(worst_conflicts, access.conflicts);
    narrowest = narrowest == 0 ? width : std::min(narrowest, width);
    widest = std::max(widest, width);
  }
  [[nodiscard]] double mean_sectors() const { return instructions > 0 ? sectors / instructions : 0; }
  [[nodiscard]] double mean_conflicts() const { return instructions > 0 ? conflicts / instructions : 0; }
};

/// Sums over the statements of a kernel, of one thread.
struct Sums {
  AccessSum loads;
  AccessSum stores;
  AccessSum shared;
  AccessSum local;
  double halves = 0;
  double singles = 0;
  double doubles = 0;
  double special = 0;
  double divisions = 0;
  double converts = 0;
  double subscripts = 0;
  double iterations = 0;  ///< serial ones that are not unrolled
  double longest = 0;     ///< likewise of one statement
  double innermost = 0;
  double unrolled = 0;  ///< operations that the text of the kernel has
  double least_share = 1;
  double guarded = 0;
  double chains = 0;
  double chain_length = 0;
  double memory_chains = 0;
  double joined = 0;
  double shuffles = 0;
  double rounds = 0;
  double in_turn = 0;
  double products = 0;
  double units = 0;
  double ahead = 1;
  double footprint = 0;
  double uneven = 0;  ///< statements that not all threads of a block take part in
};

void add_operation(const StatementSummary& one, const OperationSummary& operation, Sums& out) {
  const double times = estimation::serial_times(one, operation.loops) * one.share * operation.share;
  switch (operation.work) {
    case Work::divide: out.divisions += times; break;
    case Work::convert: out.converts += times; break;
    case Work::subscript: out.subscripts += times; break;
    case Work::root:
    case Work::exponential:
    case Work::logarithm:
    case Work::hyperbolic:
    case Work::circular:
    case Work::power:
    case Work::square: out.special += times; break;
    case Work::add:
    case Work::multiply:
    case Work::fused:
    case Work::choose: break;
  }
  const bool is_half = operation.dtype == DType::f16 || operation.dtype == DType::bf16;
  (operation.dtype == DType::f64 ? out.doubles : is_half ? out.halves : out.singles) += times;
}

void add_loops(const KernelSummary& kernel, const StatementSummary& one, Sums& out) {
  double serial = 1;
  double copies = 1;
  double threads = 1;
  for (const LoopSummary& loop : one.loops) {
    const auto extent = static_cast<double>(loop.extent);
    if (loop.axis) {
      if (is_thread_axis(*loop.axis)) threads *= extent;
      continue;
    }
    (loop.is_unrolled ? copies : serial) *= extent;
    out.innermost = extent;
  }
  out.iterations += serial;
  out.longest = std::max(out.longest, serial);
  out.unrolled += copies * static_cast<double>(1 + one.operations.size() + one.accesses.size());
  if (threads < kernel.threads()) out.uneven += 1;
}

void add_statement(const KernelSummary& kernel, const StatementSummary& one, Sums& out) {
  for (const OperationSummary& operation : one.operations) add_operation(one, operation, out);
  for (const AccessSummary& access : one.accesses) {
    const double times = estimation::serial_times(one, access.loops) * one.share * access.share;
    AccessSum& sum = access.scope == Scope::shared   ? out.shared
                     : access.scope != Scope::global ? out.local
                     : access.is_write               ? out.stores
                                                     : out.loads;
    sum.add(access, times);
    if (access.scope == Scope::global) out.footprint += access.tensor_bytes;
  }
  add_loops(kernel, one, out);
  out.least_share = std::min(out.least_share, one.share);
  if (one.share < 1) out.guarded += 1;
  if (one.chain) {
    out.chains += 1;
    out.chain_length = std::max(out.chain_length, estimation::serial_times(one, one.chain->loops));
    if (!one.chain->in_registers) out.memory_chains += 1;
  }
  if (one.join) {
    out.joined = std::max(out.joined, static_cast<double>(one.join->threads));
    out.shuffles += one.join->shuffles * static_cast<double>(one.join->elements);
    out.rounds += one.join->shared_rounds;
    if (one.join->in_turn) out.in_turn += 1;
  }
  if (one.matrix) {
    out.products += one.matrix->products * estimation::serial_times(one, ~std::uint64_t{0});
    out.units = std::max(out.units, static_cast<double>(one.matrix->units));
  }
  out.ahead = std::max(out.ahead, one.ahead);
}

using Named = std::pair<std::string_view, float>;

double part_of(const KernelEstimate& expected, std::string_view name) {
  for (const EstimatePart& part : expected.parts) {
    if (part.name == name) return part.seconds;
  }
  return 0;
}

/// What the analytic model says, apart from how long all of it takes.
std::vector<Named> of_estimate(const KernelSummary& kernel, const KernelEstimate& expected, const DeviceRates& device) {
  const double seconds = expected.seconds / std::max(1.0, kernel.launches);
  const auto share = [&](std::string_view name) { return static_cast<float>(part_of(expected, name) / seconds); };
  return {{"expected", ratio(seconds * 1e6)},
          {"memory share", share("memory")},
          {"cache share", share("cache")},
          {"operations share", share("operations")},
          {"instructions share", share("instructions")},
          {"accesses share", share("accesses")},
          {"scattered share", share("scattered")},
          {"latency share", share("latency")},
          {"launches", scaled(kernel.launches)},
          {"waves", scaled(expected.waves)},
          {"occupancy", static_cast<float>(expected.occupancy)},
          {"memory bytes", scaled(expected.memory_bytes / std::max(1.0, kernel.launches))},
          {"cache bytes", scaled(expected.cache_bytes / std::max(1.0, kernel.launches))},
          {"operations", scaled(expected.operations / std::max(1.0, kernel.launches))},
          {"operations per byte", ratio((1 + expected.operations) / (1 + expected.memory_bytes))},
          {"idle processors", static_cast<float>(std::max(0.0, 1 - kernel.blocks() / device.processors))}};
}

std::vector<Named> of_launch(const KernelSummary& kernel) {
  return {{"blocks", scaled(kernel.blocks())},
          {"threads", scaled(kernel.threads())},
          {"threads along x", scaled(static_cast<double>(kernel.block[0]))},
          {"lanes without work", static_cast<float>(std::ceil(kernel.threads() / 32) * 32 - kernel.threads())},
          {"registers", static_cast<float>(kernel.registers)},
          {"shared bytes", scaled(kernel.shared_bytes)},
          {"spilled bytes", scaled(kernel.spilled_bytes)},
          {"barriers", scaled(kernel.barriers)},
          {"statements", scaled(static_cast<double>(kernel.statements.size()))}};
}

std::vector<Named> of_accesses(const Sums& sums) {
  return {{"loads", scaled(sums.loads.times)},
          {"load instructions", scaled(sums.loads.instructions)},
          {"load sectors", scaled(sums.loads.mean_sectors())},
          {"worst load sectors", scaled(sums.loads.worst_sectors)},
          {"narrowest load", static_cast<float>(sums.loads.narrowest)},
          {"widest load", static_cast<float>(sums.loads.widest)},
          {"stores", scaled(sums.stores.times)},
          {"store sectors", scaled(sums.stores.mean_sectors())},
          {"narrowest store", static_cast<float>(sums.stores.narrowest)},
          {"footprint", scaled(sums.footprint)},
          {"shared accesses", scaled(sums.shared.times)},
          {"shared instructions", scaled(sums.shared.instructions)},
          {"bank conflicts", scaled(sums.shared.mean_conflicts())},
          {"worst bank conflicts", scaled(sums.shared.worst_conflicts)},
          {"local accesses", scaled(sums.local.times)}};
}

std::vector<Named> of_work(const Sums& sums) {
  return {{"half operations", scaled(sums.halves)},
          {"single operations", scaled(sums.singles)},
          {"double operations", scaled(sums.doubles)},
          {"special functions", scaled(sums.special)},
          {"divisions", scaled(sums.divisions)},
          {"subscripts", scaled(sums.subscripts)},
          {"longest loop", scaled(sums.longest)},
          {"innermost loop", scaled(sums.innermost)},
          {"unrolled text", scaled(sums.unrolled)},
          {"guarded statements", static_cast<float>(sums.guarded)},
          {"least share", ratio(sums.least_share)},
          {"accumulations", static_cast<float>(sums.chains)},
          {"chain length", scaled(sums.chain_length)},
          {"sums in memory", static_cast<float>(sums.memory_chains)},
          {"threads that join", scaled(sums.joined)},
          {"shuffles", scaled(sums.shuffles)},
          {"rounds of joins", scaled(sums.rounds + sums.in_turn)},
          {"matrix products", scaled(sums.products)},
          {"rounds ahead", static_cast<float>(sums.ahead)},
          {"uneven statements", static_cast<float>(sums.uneven)}};
}

std::vector<Named> named_features(const KernelSummary& kernel, const KernelEstimate& expected,
                                  const DeviceRates& device) {
  Sums sums;
  for (const StatementSummary& one : kernel.statements) add_statement(kernel, one, sums);
  std::vector<Named> out = of_estimate(kernel, expected, device);
  for (const auto& more : {of_launch(kernel), of_accesses(sums), of_work(sums)})
    out.insert(out.end(), more.begin(), more.end());
  return out;
}

}  // namespace

const std::array<std::string_view, kFeatures>& feature_names() {
  static const auto names = [] {
    const std::vector<Named> named = named_features({}, {}, {});
    std::array<std::string_view, kFeatures> out;
    for (std::size_t i = 0; i < kFeatures; ++i) out[i] = named.at(i).first;
    return out;
  }();
  return names;
}

double ProgramCase::expected() const {
  double out = besides;
  for (const KernelCase& kernel : kernels) out += kernel.expected;
  return out;
}

ProgramCase case_of(const estimation::ProgramSummary& summary, const DeviceRates& device) {
  const Estimate expected = estimate_of(summary, device);
  ProgramCase out;
  out.besides = device.program_seconds + expected.fill_seconds;
  for (std::size_t i = 0; i < summary.kernels.size(); ++i) {
    KernelCase one;
    one.expected = expected.kernels[i].seconds;
    const auto named = named_features(summary.kernels[i], expected.kernels[i], device);
    for (std::size_t k = 0; k < kFeatures; ++k) one.features[k] = named.at(k).second;
    out.kernels.push_back(one);
  }
  return out;
}

}  // namespace steptp::costs
