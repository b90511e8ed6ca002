// What a kernel takes on a GPU: the longest of a few times, each of which would be the time of the kernel if the others
// were nothing, and a little of the rest.
//   memory         bytes that come from memory: what does not fit into the cache of all multiprocessors
//   cache          bytes between that cache and the multiprocessors
//   operations     arithmetic units of the busiest multiprocessor
//   instructions   what it issues
//   accesses       rounds through its first cache and the banks of shared memory; "scattered" where most of them are of
//                  warps whose threads go to different lines
//   latency        a thread by itself: loads and sums that wait for each other, barriers
// The busiest multiprocessor counts, so a last wave that is not full costs what it costs.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "steptp/estimate/cache_traffic.h"
#include "steptp/estimate/gpu_costs.h"
#include "steptp/estimate/models.h"

namespace steptp::estimation {

namespace {

constexpr double kWarp = 32;
constexpr double kSector = 32;  ///< bytes
/// A warp's access to more lines than these is scattered.
constexpr double kFewLines = 8;
/// Rounds of a loop whose loads are under way together, where nothing else is in it.
constexpr double kInFlight = 16;
/// The same where each round stores.
constexpr double kStoredInFlight = 4;

class Model {
 public:
  Model(const KernelSummary& kernel, const DeviceRates& device, CacheContent& content)
      : kernel_(kernel), device_(device), content_(content) {}

  KernelEstimate run() {
    set_occupancy();
    count_traffic();
    for (std::size_t i = 0; i < kernel_.statements.size(); ++i) statement(i);
    return finish();
  }

 private:
  void set_occupancy() {
    const double threads = std::max(1.0, kernel_.threads());
    const double warps = std::ceil(threads / kWarp);
    const double registers = std::ceil(std::min(kernel_.registers, 255.0) / 8) * 8;
    double at_once = std::min(device_.blocks, std::floor(device_.threads / (warps * kWarp)));
    at_once = std::min(at_once, std::floor(device_.registers / (registers * warps * kWarp)));
    if (kernel_.shared_bytes > 0) {
      at_once = std::min(at_once, std::floor(device_.shared_bytes / (kernel_.shared_bytes + 1024)));
    }
    at_once_ = std::max(1.0, at_once);
    blocks_ = std::max(1.0, kernel_.blocks());
    // Blocks of the busiest processor, and how often a place on it is filled.
    busiest_ = std::ceil(blocks_ / device_.processors);
    waves_ = std::ceil(busiest_ / at_once_);
    if (blocks_ > 4 * device_.processors * at_once_) {
      busiest_ = blocks_ / device_.processors;
      waves_ = busiest_ / at_once_;
    }
    const double here = std::min(at_once_, busiest_);
    out_.occupancy = std::min(1.0, here * warps * kWarp / device_.threads);
    out_.waves = waves_;
  }

  /// Which bytes a multiprocessor asks the shared cache for, and which of these come from memory.
  void count_traffic() {
    CacheQuestion own;
    const double beside = std::min(at_once_, busiest_);
    own.bytes = std::max(16.0 * 1024, device_.l1_bytes - kernel_.shared_bytes * beside) / beside;
    own.at_once = [](const LoopSummary& loop) {
      if (!loop.axis) return std::int64_t{0};
      return is_thread_axis(*loop.axis) ? loop.extent : std::int64_t{1};
    };
    from_cache_ = cache_traffic(kernel_, own, false);
    CacheQuestion common;
    common.bytes = device_.l3_bytes;
    double places = std::min(blocks_, at_once_ * device_.processors);
    std::array<std::int64_t, 3> wave = {1, 1, 1};
    for (std::size_t i = 0; i < 3; ++i) {
      wave[i] = std::min<std::int64_t>(kernel_.grid[i], static_cast<std::int64_t>(std::max(1.0, places)));
      places = std::floor(places / static_cast<double>(wave[i]));
    }
    const auto full = [](const LoopSummary& loop) { return loop.axis ? loop.extent : std::int64_t{0}; };
    common.at_once = full;
    // Blocks of one wave meet in the cache; if all of them together fit, so do waves.
    const auto all = cache_traffic(kernel_, common, false);
    common.at_once = [&wave](const LoopSummary& loop) {
      if (!loop.axis) return std::int64_t{0};
      if (is_thread_axis(*loop.axis)) return loop.extent;
      return std::min(loop.extent, wave[static_cast<std::size_t>(*loop.axis)]);
    };
    from_memory_ = cache_traffic(kernel_, common, false);
    const double waves = blocks_ / (static_cast<double>(wave[0]) * static_cast<double>(wave[1] * wave[2]));
    double touched = 0;
    for (const auto& list : all) {
      for (const double bytes : list) touched += bytes;
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t k = 0; k < all[i].size(); ++k) {
        const AccessSummary& access = kernel_.statements[i].accesses[k];
        double bytes = touched <= device_.l3_bytes ? all[i][k] : std::max(all[i][k], from_memory_[i][k] * waves);
        bytes = std::min(bytes, from_cache_[i][k] * blocks_);
        if (!access.is_write && content_.holds(access.tensor)) bytes = 0;
        from_memory_[i][k] = bytes;
      }
    }
    remember();
  }

  void remember() {
    for (std::size_t i = 0; i < kernel_.statements.size(); ++i) {
      for (const AccessSummary& access : kernel_.statements[i].accesses) {
        if (access.scope == Scope::global) content_.touch(access.tensor, access.tensor_bytes);
      }
    }
  }

  /// Threads of a block that take part in a statement, and warps that have such a thread. Those that a guard masks take
  /// no part: they do nothing for the others.
  struct Crew {
    double threads = 1;
    double warps = 1;
  };
  /// Of the threads of a block those that guards let through: on the average, but all that the busiest block has where
  /// a multiprocessor has no other.
  [[nodiscard]] double active_part(const StatementSummary& statement) const {
    if (statement.busiest_share <= 0) return 1;
    return std::max(statement.share, statement.block_share / busiest_) / statement.busiest_share;
  }
  [[nodiscard]] Crew crew_of(const StatementSummary& statement) const {
    Crew out;
    if (statement.matrix) {
      out.warps = static_cast<double>(statement.matrix->units);
      out.warps *= active_part(statement);
      out.threads = out.warps * kWarp;
      return out;
    }
    std::array<double, 3> extents = {1, 1, 1};
    for (const LoopSummary& loop : statement.loops) {
      if (loop.axis && is_thread_axis(*loop.axis)) {
        double& extent = extents[static_cast<std::size_t>(*loop.axis) - 3];
        extent = std::max(extent, static_cast<double>(loop.extent));
      }
    }
    out.threads = extents[0] * extents[1] * extents[2];
    const double all = std::ceil(kernel_.threads() / kWarp);
    const auto row = static_cast<double>(kernel_.block[0]);
    // Rows of tx that are not full leave gaps in warps.
    const double warps =
        extents[0] < row ? extents[1] * extents[2] * std::ceil(extents[0] / kWarp) : std::ceil(out.threads / kWarp);
    const double active = active_part(statement);
    out.threads = std::max(1.0, out.threads * active);
    out.warps = std::max(1.0, active < 1 ? std::ceil(std::min(all, warps) * active) : std::min(all, warps));
    return out;
  }

  void statement(std::size_t number) {
    const StatementSummary& one = kernel_.statements[number];
    const Crew crew = crew_of(one);
    // Each lane of a unit does its part of a tile.
    const double share = one.busiest_share * (one.matrix ? one.matrix->per_lane : 1);
    double issues = 0;
    double round_cycles = 0;
    for (const OperationSummary& operation : one.operations) {
      const GpuCost cost = cost_of(operation);
      const double times = serial_times(one, operation.loops) * share * operation.share;
      issues += times * cost.issues;
      f32_ += times * cost.f32 * crew.warps;
      f64_ += times * cost.f64 * crew.warps;
      converts_ += times * cost.converts * crew.warps;
      special_ += times * cost.special * crew.warps;
      operations_ += times * crew.threads;
      if (operation.share > 0) round_cycles += cost.cycles / 2;
    }
    double load_seconds = 0;
    for (std::size_t k = 0; k < one.accesses.size(); ++k) {
      const AccessSummary& access = one.accesses[k];
      const double times = serial_times(one, access.loops) * share * access.share / static_cast<double>(access.lanes);
      issues += times * 1.5;
      request(access, times, crew);
      if (!access.is_write) load_seconds = std::max(load_seconds, latency_of(number, k, times, crew));
    }
    issues += overhead(one) * one.busiest_share;
    if (one.matrix) issues += multiply(one, crew);
    issues_ += issues * crew.warps;
    load_seconds /= one.ahead;
    add_latency(one, crew, issues, round_cycles, load_seconds);
  }

  /// The matrix instructions of a contraction: their number is what they issue. A unit has a quarter of a
  /// multiprocessor's.
  double multiply(const StatementSummary& one, const Crew& crew) {
    const MatrixSummary& matrix = *one.matrix;
    if (matrix.products == 0) return 0;
    const double rate = matrix.factors == DType::f64 ? device_.matrix_double_per_cycle : device_.matrix_half_per_cycle;
    const double times = serial_times(one, ~std::uint64_t{0}) * one.busiest_share;
    const double cycles = times * matrix.products / rate;
    matrix_ += cycles * crew.warps;
    rounds_ += times * crew.warps * matrix.factor_bytes / 128;
    operations_ += 2 * times * matrix.products * crew.warps;
    alone_ += 4 * cycles / device_.clock + times * 2 * device_.l1_latency;
    return times * matrix.instructions;
  }

  /// Counting and comparing in loops that are not unrolled.
  static double overhead(const StatementSummary& statement) {
    double times = 1;
    for (const LoopSummary& loop : statement.loops) {
      if (!loop.axis && !loop.is_unrolled) times *= static_cast<double>(loop.extent);
    }
    return times > 1 ? times : 0;
  }

  void request(const AccessSummary& access, double times, const Crew& crew) {
    if (access.scope == Scope::shared) {
      rounds_ += times * crew.warps * access.conflicts;
      return;
    }
    if (access.scope == Scope::local) {
      rounds_ += times * crew.warps * std::max(1.0, access.element_bytes / 4);
      return;
    }
    // Loads find four lines at once, and meet in the banks; stores go line by line.
    const double loads = std::max({access.conflicts, access.lines / 4, access.sectors / 4});
    const double stores = std::max(access.lines * device_.scatter_cycles, access.sectors / 4);
    const double rounds = times * crew.warps * (access.is_write ? stores : loads);
    (access.lines > kFewLines ? scattered_ : rounds_) += rounds;
  }

  /// How long a thread waits for a load, on the average of where it is found.
  [[nodiscard]] double latency_of(std::size_t number, std::size_t k, double times, const Crew& crew) const {
    const AccessSummary& access = kernel_.statements[number].accesses[k];
    if (access.scope != Scope::global) return device_.l1_latency;
    const double asked = std::max(1.0, times * crew.warps * access.sectors * 32);
    // Of loads that are under way together one that misses keeps the others waiting, however wide they are.
    const double missed =
        std::min(1.0, from_cache_[number][k] / asked * together_of(kernel_.statements[number], access));
    const double from_cache = std::max(1.0, from_cache_[number][k] * blocks_);
    const double far = std::min(1.0, from_memory_[number][k] / from_cache);
    return device_.l1_latency +
           missed * (device_.l3_latency - device_.l1_latency + far * (device_.memory_latency - device_.l3_latency));
  }

  /// How much likelier it is that one of the loads under way together misses than that a single one does. Where the
  /// innermost loop goes from line to line those that miss come one after the other, and keep nobody else waiting.
  [[nodiscard]] static double together_of(const StatementSummary& one, const AccessSummary& access) {
    std::vector<std::int64_t> extents(one.loops.size(), 1);
    for (std::size_t i = one.loops.size(); i-- > 0;) {
      if (one.loops[i].axis || one.loops[i].is_unrolled) continue;
      extents[i] = one.loops[i].extent;
      break;
    }
    const auto strides = access.offset.strides(extents);
    const auto lanes = static_cast<double>(access.lanes);
    const double step = strides.empty() ? 0 : static_cast<double>(std::abs(strides[0].elements)) * access.element_bytes;
    const double share = std::min(1.0, step * lanes / kSector);
    return share == 0 ? 1 : std::max(1.0, std::min(1.0, share * in_flight(one) / lanes) / share);
  }

  /// Rounds of the innermost loop that are under way together.
  static double in_flight(const StatementSummary& one) {
    if (!one.is_alone) return 1;
    double innermost = 1;
    for (const LoopSummary& loop : one.loops) {
      if (!loop.axis && !loop.is_unrolled) innermost = static_cast<double>(loop.extent);
    }
    return std::min(one.chain ? kInFlight : kStoredInFlight, innermost);
  }

  void add_latency(const StatementSummary& one, const Crew& crew, double issues, double round_cycles,
                   double load_seconds) {
    // Rounds of loops that are not unrolled, of which several are under way where nothing else is in them.
    double rounds = 1;
    for (const LoopSummary& loop : one.loops) {
      if (!loop.axis && !loop.is_unrolled) rounds *= static_cast<double>(loop.extent);
    }
    rounds /= in_flight(one);
    rounds = std::max(1.0, rounds * one.busiest_share);
    double chain = 0;
    if (one.chain) {
      const double cycles = one.chain->in_registers ? device_.chain_cycles * (one.chain->dtype == DType::f64 ? 2 : 1)
                                                    : device_.l1_latency * device_.clock;
      chain = serial_times(one, one.chain->loops) * one.busiest_share * cycles / device_.clock;
    }
    double seconds = std::max({rounds * (load_seconds + round_cycles / device_.clock), chain, issues / device_.clock});
    if (one.join) {
      const JoinSummary& join = *one.join;
      const double shuffle = 24 / device_.clock;
      if (join.in_turn) {
        seconds = static_cast<double>(join.threads) * (seconds + device_.barrier_cycles / device_.clock);
      }
      const auto elements = static_cast<double>(join.elements);
      seconds += elements * join.shuffles * shuffle;
      seconds += join.shared_rounds * (device_.barrier_cycles / device_.clock + device_.l1_latency);
      issues_ += elements * (join.shuffles + join.shared_rounds) * 3 * crew.warps;
    }
    alone_ += seconds;
  }

  KernelEstimate finish() {
    double cache = 0;
    double memory = 0;
    for (const auto& list : from_cache_) {
      for (const double bytes : list) cache += bytes * blocks_;
    }
    for (const auto& list : from_memory_) {
      for (const double bytes : list) memory += bytes;
    }
    const double clock = device_.clock;
    const double used = std::min(blocks_, device_.processors);
    const double units =
        std::max({matrix_, f32_ * kWarp / device_.f32_per_cycle, f64_ * kWarp / device_.f64_per_cycle,
                  converts_ * kWarp / device_.convert_per_cycle, special_ * kWarp / device_.special_per_cycle});
    const double barriers = kernel_.barriers * device_.barrier_cycles / clock;
    std::vector<EstimatePart>& parts = out_.parts;
    parts = {
        {"memory", memory / device_.memory_bandwidth},
        {"cache", std::max(cache / device_.l3_bandwidth, cache / (used * device_.l2_bandwidth))},
        {"operations", units * busiest_ / clock},
        {"instructions", issues_ / device_.issue_per_cycle * busiest_ / clock},
        // One and the same unit does both.
        {scattered_ > rounds_ ? "scattered" : "accesses", (rounds_ + scattered_) * busiest_ / clock},
        {"latency", (alone_ + barriers) * waves_},
    };
    out_.limited_by = largest(parts);
    const double seconds = together(parts) + device_.launch_seconds;
    if (together(parts) < device_.launch_seconds) out_.limited_by = "launch";
    out_.seconds = seconds * kernel_.launches;
    out_.memory_bytes = memory * kernel_.launches;
    out_.cache_bytes = cache * kernel_.launches;
    out_.operations = operations_ * blocks_ * kernel_.launches;
    return std::move(out_);
  }

  const KernelSummary& kernel_;
  const DeviceRates& device_;
  CacheContent& content_;
  KernelEstimate out_;
  double at_once_ = 1;
  double blocks_ = 1;
  double busiest_ = 1;
  double waves_ = 1;
  std::vector<std::vector<double>> from_cache_;   ///< of one block
  std::vector<std::vector<double>> from_memory_;  ///< of all blocks
  // Of one block, counted in instructions of warps.
  double f32_ = 0;
  double f64_ = 0;
  double converts_ = 0;
  double special_ = 0;
  double matrix_ = 0;  ///< cycles of a multiprocessor
  double issues_ = 0;
  double rounds_ = 0;
  double scattered_ = 0;
  double operations_ = 0;
  double alone_ = 0;  ///< seconds of a thread
};

}  // namespace

KernelEstimate gpu_estimate(const KernelSummary& kernel, const DeviceRates& device, CacheContent& content) {
  return Model(kernel, device, content).run();
}

}  // namespace steptp::estimation
